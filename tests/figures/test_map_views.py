"""The pictures of maps of units and of moving centers, on numbers small enough for paper."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from figures.drawing.lattices import cells, on_lattice, places, shape_in_words, table_of, unit_names
from figures.drawing.traces import ROWS
from figures.numbers.recordings import recording_of
from figures.view import views
from figures.views.clustering import (
    center_paths,
    component_planes,
    hit_map,
    map_mesh,
    neighbourhood_curve,
    prototype_mosaic,
    schedule_plot,
    silhouette_bars,
    u_matrix,
)
from figures.views.reduction import map_graph
from mlcore.clustering.online_kmeans import OnlineKMeans
from mlcore.clustering.quantisation.lattices import Chain, Grid, HexagonalGrid
from mlcore.clustering.quantisation.own_graph import OwnGraph
from mlcore.clustering.som import SelfOrganisingMap
from mlcore.reduction.isomap import Isomap
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup
from tests.figures.outcomes import redrawn

PATHS = {"ways", "lengths", "late", "n_shown"}


def fit_of(lattice, centers, hits=None):
    """What the pictures ask of a map."""
    k = len(centers)
    fit = SimpleNamespace(lattice=lattice, centers=np.array(centers, dtype=float))
    fit.hits = np.ones(k, dtype=int) if hits is None else np.array(hits)
    return SimpleNamespace(fit=fit)


def test_rows_of_planes_are_as_high_as_their_cells_fill():
    def height(lattice, p=8):
        names = tuple(f"c{j}" for j in range(p))
        values = np.zeros((len(lattice.positions), p))
        c = component_planes.ComponentPlanes(lattice, names, np.arange(p), values, p, None)
        return component_planes.draw(c).layout.height

    square, wide = height(Grid(rows=6, columns=6)), height(Grid(rows=3, columns=6))
    assert height(Chain(units=9)) < wide < square < height(Grid(rows=9, columns=6))
    # Every other row of hexagons is shifted by half a unit: six and a half wide.
    assert wide < height(HexagonalGrid(rows=6, columns=6)) < square
    assert height(Grid(rows=6, columns=6), p=2) > (square - 40) / 2 + 40  # two side by side


def test_heights_are_mean_distances_to_the_units_that_are_joined():
    whole = fit_of(Grid(rows=1, columns=3), [[0.0], [1.0], [5.0]])
    np.testing.assert_allclose(u_matrix.numbers(whole).heights, [1.0, 2.5, 4.0])
    square = fit_of(Grid(rows=2, columns=2), [[0, 0], [1, 0], [0, 2], [1, 2]])
    np.testing.assert_allclose(u_matrix.numbers(square).heights, [1.5] * 4)
    alone = fit_of(Grid(rows=1, columns=1), [[3.0]])
    np.testing.assert_array_equal(u_matrix.numbers(alone).heights, [0.0])


def test_a_unit_of_a_hexagonal_grid_is_two_cells_wide_and_touches_six():
    lattice = HexagonalGrid(rows=3, columns=3)
    table = table_of(lattice, np.arange(9.0))
    nan = np.nan
    np.testing.assert_array_equal(
        table, [[0, 0, 1, 1, 2, 2, nan], [nan, 3, 3, 4, 4, 5, 5], [6, 6, 7, 7, 8, 8, nan]]
    )
    around = {table[i, j] for i, j in [(0, 3), (0, 4), (2, 3), (2, 4), (1, 2), (1, 5)]}
    assert around == set(np.flatnonzero(lattice.steps()[4] == 1))
    assert unit_names(lattice)[4] == "unit in row 2, column 2"
    assert shape_in_words(lattice) == "3 x 3 units"


def test_a_chain_is_one_row():
    x, y = places(Chain(units=4))
    np.testing.assert_array_equal(x, [0, 1, 2, 3])
    np.testing.assert_array_equal(y, 0)
    assert shape_in_words(Chain(units=4)) == "4 units"


@pytest.mark.parametrize("lattice", [Chain(units=4), Grid(rows=2, columns=3), HexagonalGrid()])
def test_the_middle_of_a_cell_is_where_its_unit_stands(lattice):
    drawn = cells(lattice, np.arange(len(lattice.positions)), "number", unit_names(lattice))
    assert np.shape(drawn.z) == (len(drawn.y), len(drawn.x))  # one more would be edges
    for k, (x, y) in enumerate(zip(*places(lattice), strict=True)):
        row, columns = np.nonzero(np.asarray(drawn.z) == k)
        np.testing.assert_allclose(np.asarray(drawn.x)[columns].mean(), x)
        assert set(np.asarray(drawn.y)[row]) == {y}


def test_units_in_a_row_are_numbered_as_edges_name_them_and_not_too_many_of_them():
    few = u_matrix.draw(u_matrix.numbers(fit_of(OwnGraph(), np.arange(18.0).reshape(9, 2))))
    assert list(few.layout.xaxis.ticktext) == [str(unit) for unit in range(1, 10)]
    many = on_lattice(Chain(units=100))
    assert len(many.layout.xaxis.ticktext) <= 15
    assert "ticktext" not in on_lattice(Grid(rows=2, columns=3)).layout.xaxis


def test_edges_that_cross_are_counted_once_and_common_ends_do_not_count():
    lattice = Grid(rows=2, columns=2)
    flat = np.array([[0, 0], [1, 0], [0, 1], [1, 1.0]])
    assert map_mesh.crossings(flat, lattice.edges()) == 0
    twisted = flat[[0, 1, 3, 2]]  # the upper edge is turned round: the sides cross
    assert map_mesh.crossings(twisted, lattice.edges()) == 1


@pytest.fixture(scope="module")
def wine():
    """A small map of a table with classes."""
    steps = ("impute", "one_hot", "standardise")
    method = SelfOrganisingMap(lattice=Grid(rows=4, columns=5))
    run = Run(data="wine", preparation=steps, method=method)
    return run, run.data.dataset({}), carried_out(run).whole


def test_hits_and_classes_of_units_are_those_of_their_rows(wine):
    _, dataset, whole = wine
    h = hit_map.numbers(dataset, whole)
    assert h.hits.sum() == dataset.n
    labels = whole.labels(dataset.X)
    for unit in range(20):
        own = dataset.y[labels == unit]
        if len(own):
            counts = np.bincount(own, minlength=3)
            assert h.majority[unit] == counts.argmax()
            assert h.purity[unit] == pytest.approx(counts.max() / len(own))
        else:
            assert h.majority[unit] == -1
    assert "of the most common class of their unit" in hit_map.reading(h)


@pytest.mark.parametrize("name", ["map_mesh", "u_matrix", "hit_map", "component_planes"])
def test_the_map_is_played_from_its_start_to_its_end(wine, name):
    run, dataset, whole = wine
    held = {"dataset": dataset, "whole": whole, "fit": whole.fit, "run": run}
    drawn, steps = views()[name].drawn(held), recording(run)[1]
    played = recording_of(drawn, whole, steps, dataset)
    moving = {trace for frame in played.frames for trace in frame}
    assert moving
    for trace in moving:
        for attribute, last in played.frames[-1][trace].items():
            shown = drawn.figure.data[trace]
            for part in attribute.split("."):
                shown = shown[part]
            is_text = np.asarray(last).dtype.kind == "U"
            same = np.testing.assert_array_equal if is_text else np.testing.assert_allclose
            same(np.asarray(last), np.asarray(shown), **({} if is_text else {"rtol": 1e-5}))
    first, last = (frame[min(moving)] for frame in (played.frames[0], played.frames[-1]))
    assert any(not np.array_equal(first[k], last[k], equal_nan=True) for k in first if k != "text")


def test_paths_grow_from_the_start_of_each_center():
    run = Run(data="blobs", method=OnlineKMeans(n_epochs=1))
    dataset, whole = run.data.dataset({}), carried_out(run).whole
    c = center_paths.numbers(dataset, whole)
    assert c.ways.shape == (3, whole.fit.reached, 2)
    drawn = center_paths.center_paths(dataset, whole)
    played = recording_of(drawn, whole, recording(run)[1], dataset)
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    sizes = [len(frame[at["curve"]]["x"]) for frame in played.frames]
    assert sizes[0] == 3 * 2
    assert (np.diff(sizes) > 0).all()
    assert len(c.shown.x) == dataset.n


def test_the_way_of_one_center_is_the_only_one():
    two = center_paths.CenterPaths(
        ways=np.zeros((2, 3, 2)), lengths=np.array([2.0, 1.0]), late=np.array([0.5, 0.1]),
        n_shown=30, **dict.fromkeys(set(center_paths.CenterPaths._fields) - PATHS, None),
    )._replace(shown=SimpleNamespace(how=""))  # fmt: skip
    one = two._replace(ways=two.ways[:1], lengths=two.lengths[:1], late=two.late[:1])
    assert "longest way of 2 centers is 2.00 long, 0.500 of it at most in" in center_paths.reading(
        two
    )
    assert "the way of the center is 2.00 long, 0.500 of it in the" in center_paths.reading(one)


def test_units_of_a_map_are_not_drawn_as_separate_clusters():
    X = np.random.default_rng(0).normal(size=(40, 2))
    fit = SelfOrganisingMap().fit(X)
    for name in ("cluster_map", "silhouette_bars", "cluster_profiles"):
        assert not views()[name].allowed_by(fit)
        assert views()[name].allowed_by(OnlineKMeans().fit(X))
    assert views()["u_matrix"].allowed_by(fit)


def test_schedules_are_told_from_start_to_end(wine):
    _, _, whole = wine
    s = schedule_plot.numbers(whole)
    assert [name for name, _ in s.curves] == ["learning rate", "radius"]
    rate, radius = (values for _, values in s.curves)
    np.testing.assert_allclose([rate[0], rate[-1]], [0.5, 0.01])
    np.testing.assert_allclose([radius[0], radius[-1]], [2.0, 0.5])
    assert schedule_plot.reading(s) == (
        "The learning rate goes from 0.500 to 0.0100, the radius goes from 2.00 to 0.500."
    )
    level = s._replace(curves=(("learning rate", np.full(3, 0.1)),))
    assert schedule_plot.reading(level) == "The learning rate is 0.100 at every step."


def test_the_neighbourhood_narrows_from_start_to_end(wine):
    _, _, whole = wine
    c = neighbourhood_curve.numbers(whole)
    assert c.steps[0] == 0
    assert c.steps[-1] == 20_000
    np.testing.assert_array_equal(c.pulls[:, 0], 1.0)
    assert (np.diff(c.pulls[:, 50]) < 0).all(), "the radius shrinks"
    # A Gaussian of radius r falls to half at r sqrt(2 ln 2).
    np.testing.assert_allclose(c.halves[[0, -1]], np.array([2.0, 0.5]) * 1.1774, atol=0.021)
    assert "from the winner gets 14" in neighbourhood_curve.reading(c)


def test_images_stand_upright_where_their_units_do():
    images = np.arange(6 * 2 * 3.0).reshape(6, 2, 3)
    z = prototype_mosaic.canvas(Grid(rows=2, columns=3), images)
    np.testing.assert_array_equal(z[:2, :3], images[0][::-1])  # row 0 of a picture is below
    np.testing.assert_array_equal(z[3:5, 4:7], images[4][::-1])
    assert np.isnan(z[2]).all()
    shifted = prototype_mosaic.canvas(HexagonalGrid(rows=2, columns=3), images)
    np.testing.assert_array_equal(shifted[3:5, 2:5], images[3][::-1])


@pytest.fixture(scope="module")
def digits():
    """A map of pictures of length 1."""
    method = SelfOrganisingMap(lattice=Grid(rows=4, columns=5), winner="dot", init="rows")
    run = Run(data="digits8", preparation=("impute", "one_hot", "normalizer"), method=method)
    return run, run.data.dataset({}), carried_out(run).whole


def test_a_mosaic_of_digits_is_drawn_and_played(digits, wine):
    run, dataset, whole = digits
    m = prototype_mosaic.numbers(dataset, whole)
    assert m.images.shape == (20, 8, 8)
    assert "4 x 5 units as images of 8 by 8 pixels" in prototype_mosaic.reading(m)
    drawn = prototype_mosaic.prototype_mosaic(dataset, whole)
    played = recording_of(drawn, whole, recording(run)[1], dataset)
    (first,), (last,) = played.frames[0].values(), played.frames[-1].values()
    np.testing.assert_allclose(last["z"], prototype_mosaic.canvas(whole.fit.lattice, m.images))
    assert not np.array_equal(first["z"], last["z"], equal_nan=True)
    assert not prototype_mosaic.has_mosaic(wine[1], wine[2]), "its columns are no pixels"


def test_edges_of_a_graph_go_with_its_rows_from_straight_distances_to_the_paths():
    made = Run(data="iris", method=Isomap(n_neighbors=7))
    whole, steps = recording(made)
    data = made.data.dataset({})
    drawn = views()["map_graph"].drawn({"dataset": data, "whole": whole, "fit": whole.fit})
    frames = recording_of(drawn, whole, steps, data).frames
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    assert {"edges", "long edges"} <= at.keys()
    for name in ("edges", "long edges"):
        first, last = (np.array(frames[k][at[name]]["x"], float) for k in (0, -1))
        assert len(first) == len(last) > 0 and not np.allclose(first, last, equal_nan=True)
        np.testing.assert_allclose(last, np.array(drawn.figure.data[at[name]].x, float), atol=1e-5)


def test_of_a_single_coordinate_rows_stay_in_their_strips_and_edges_are_level():
    made = Run(data="iris", method=Isomap(n_neighbors=7, n_components=1))
    whole, steps = recording(made)
    data = made.data.dataset({})
    drawn = views()["map_graph"].drawn({"dataset": data, "whole": whole, "fit": whole.fit})
    assert "an edge is level" in drawn.reading
    frames = recording_of(drawn, whole, steps, data).frames
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    for k in (0, -1):
        edges = np.array(frames[k][at["edges"]]["y"], float)
        np.testing.assert_allclose(edges[::3], edges[1::3])
        rows = frames[k][at[ROWS]]["y"]
        np.testing.assert_allclose(rows, drawn.figure.data[at[ROWS]].y, atol=1e-5)
        assert np.ptp(rows) > 0


def test_thousands_of_long_edges_are_told_like_those_of_all():
    lengths = np.repeat([1.0, 9.0], [4000, 1500])
    g = map_graph.MapGraph(
        SimpleNamespace(q=2),
        np.zeros((5500, 2), int),
        lengths,
        lengths,
        np.arange(5500),
        None,
        None,
    )
    text = map_graph.reading(g)
    assert text.startswith("5,500 edges") and text.count("1,500 are longer") == 2


def test_rows_with_gaps_are_grouped_and_those_pictures_that_need_all_values_say_so():
    mixture = lookup("clustering", "gaussian_mixture")(n_init=1)
    preparation = (lookup("preparation", "one_hot")(), lookup("preparation", "standardise")())
    made = Run(data="penguins", method=mixture, preparation=preparation)
    whole, _ = recording(made)
    data = made.data.dataset({})
    assert np.isnan(whole.prepared.X).any(axis=1).sum() == 2
    offered = {"dataset": data, "whole": whole, "fit": whole.fit}
    for name in ("cluster_map", "ellipse_map", "soft_map", "density_map"):
        drawn = views()[name].drawn(offered)
        assert "2 rows without a value of every column are not drawn" in drawn.reading, name
    bars = views()["silhouette_bars"].drawn(offered)
    assert np.isfinite(bars.numbers.widths).all() and len(bars.numbers.widths) == 342


@pytest.mark.parametrize(
    ("widths", "said"),
    [
        ([0.5, 0.6, 0.7, 0.8], "No row is nearer to another cluster than to its own;"),
        ([-0.1, 0.6, 0.7, 0.8], "1 row is nearer to another cluster than to its own;"),
        ([-0.1, -0.2, 0.7, 0.8], "2 rows are nearer to another cluster than to their own;"),
    ],
)
def test_the_silhouettes_speak_of_as_many_rows_as_there_are(widths, said):
    s = silhouette_bars.Silhouettes(
        np.array(widths), np.array([0, 0, 1, 1]), np.arange(4), np.array([0.3, 0.7]), 0.5, 4, 2
    )
    assert said in silhouette_bars.reading(s)


def test_a_map_that_stays_says_that_no_row_moves():
    found = redrawn()
    drawn = views()["map_movement"].drawn({"redrawn": found, "dataset": found.run.data.dataset()})
    assert drawn.reading.startswith("No row moves by as much as 0.01 % of the spread of the map.")


def test_the_words_of_maps_that_come_again_are_clear_of_their_marks():
    drawn = views()["map_agreement"].drawn({"redrawn": redrawn()})
    above = [a for a in drawn.figure.layout.annotations if a.text != "another map"]
    assert {(a.yref, a.y, a.yanchor) for a in above} == {("paper", 1.0, "bottom")}
    assert drawn.figure.layout.margin.t > 20
