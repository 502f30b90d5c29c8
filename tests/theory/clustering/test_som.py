"""What the theory says of self-organising maps, and a plain map as the reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.online_kmeans import OnlineKMeans
from mlcore.clustering.quantisation.lattices import Chain, Grid, HexagonalGrid, Ring
from mlcore.clustering.quantisation.learning import BatchLearning, OnlineLearning
from mlcore.clustering.quantisation.map_starts import first_units
from mlcore.clustering.quantisation.neighbourhoods import (
    Gaussian,
    Indicator,
    Inverse,
    Triangular,
)
from mlcore.clustering.quantisation.own_graph import OwnGraph
from mlcore.clustering.quantisation.presenting import Shown
from mlcore.clustering.quantisation.radii import ShrinkingRadius, StagedRadius
from mlcore.clustering.som import SelfOrganisingMap, errors_of
from mlcore.clustering.starts import GivenPoints
from mlcore.distances.mapped_metrics import BlurredEuclidean
from mlcore.distances.metrics import Manhattan
from mlcore.optimisation.schedules import ConstantSchedule, GeometricSchedule
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator

LATTICES = (
    Grid(rows=4, columns=5), HexagonalGrid(rows=4, columns=5), Chain(), Ring(), OwnGraph(),
)  # fmt: skip
SHAPES = {
    Gaussian: lambda d, r: np.exp(-(d**2) / (2 * r**2)),
    Triangular: lambda d, r: np.maximum(1 - d / r, 0),
    Inverse: lambda d, r: 1 / (1 + d / r),
    Indicator: lambda d, r: 1.0 * (d == 0),
}


def square(n=600, p=2, seed=0):
    """Rows spread evenly over a square."""
    return np.random.default_rng(seed).random((n, p))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("winner", ["nearest", "smoothed"])
@pytest.mark.parametrize("lattice", [LATTICES[0], LATTICES[1], LATTICES[3]])
def test_every_step_is_that_of_the_plain_loop(shape, winner, lattice):
    X, steps = square(50, 3), 400
    method = SelfOrganisingMap(
        lattice=lattice, neighbourhood=shape(), winner=winner,
        learning=OnlineLearning(n_steps=steps), radius=ShrinkingRadius(start=2.0, end=0.7),
    )  # fmt: skip
    W = first_units("principal_plane", X, lattice, generator(1, "first units"))
    order = Shown(50, "random", generator(1, "order")).take(steps)
    d, along = lattice.apart(), np.arange(steps) / (steps - 1)
    rates, radii = 0.5 * (0.01 / 0.5) ** along, 2.0 * (0.7 / 2.0) ** along
    for t in range(steps):
        h = SHAPES[shape](d, radii[t])
        squares = ((X[order[t]] - W) ** 2).sum(axis=1)
        won = (h @ squares if winner == "smoothed" else squares).argmin()
        W += rates[t] * h[won][:, None] * (X[order[t]] - W)
    np.testing.assert_allclose(method.fit(X, seed=1).centers, W, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("lattice", [LATTICES[0], LATTICES[3]])
def test_by_the_dot_product_every_step_stays_on_the_sphere(lattice):
    X, steps = square(50, 3), 400
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    method = SelfOrganisingMap(
        lattice=lattice, winner="dot", init="rows", learning=OnlineLearning(n_steps=steps),
        radius=ShrinkingRadius(start=2.0, end=0.7),
    )  # fmt: skip
    W = first_units("rows", X, lattice, generator(1, "first units"))
    order = Shown(50, "random", generator(1, "order")).take(steps)
    d, along = lattice.apart(), np.arange(steps) / (steps - 1)
    rates, radii = 0.5 * (0.01 / 0.5) ** along, 2.0 * (0.7 / 2.0) ** along
    for t in range(steps):
        won = (W @ X[order[t]]).argmax()
        W += rates[t] * SHAPES[Gaussian](d, radii[t])[won][:, None] * (X[order[t]] - W)
        W /= np.linalg.norm(W, axis=1, keepdims=True)
    fit = method.fit(X, seed=1)
    np.testing.assert_allclose(fit.centers, W, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(fit.labels, (X @ W.T).argmax(axis=1))


def test_batches_by_the_dot_product_make_mean_directions():
    X, lattice = square(80, 3), Grid(rows=3, columns=3)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    method = SelfOrganisingMap(
        lattice=lattice, winner="dot", radius=StagedRadius(stages=(1.0,)),
        learning=BatchLearning(n_passes=1),
    )  # fmt: skip
    before, after = (step.state.centers for step in method.steps(X))
    np.testing.assert_allclose(np.linalg.norm(before, axis=1), 1.0)
    sums = SHAPES[Gaussian](lattice.apart(), 1.0)[:, (X @ before.T).argmax(axis=1)] @ X
    np.testing.assert_allclose(after, sums / np.linalg.norm(sums, axis=1, keepdims=True))


def test_dot_products_are_refused_where_lengths_would_decide():
    with pytest.raises(DataError, match=r"rows of length 1; they have .*Normalisation of rows"):
        SelfOrganisingMap(winner="dot").fit(square(50, 3))
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    method = SelfOrganisingMap(winner="dot", lattice=Chain(units=5))
    with pytest.raises(DataError, match="unit at the origin, which has no direction"):
        method.fit(around)


@pytest.mark.parametrize("lattice", [LATTICES[0], Chain(units=7)])
def test_steps_on_a_rectangular_grid_are_the_manhattan_distance(lattice):
    at = lattice.positions
    manhattan = np.abs(at[:, None] - at[None]).sum(axis=2)
    np.testing.assert_array_equal(lattice.steps(), manhattan)


def test_pulls_are_those_that_the_run_takes():
    fit = SelfOrganisingMap(radius=ShrinkingRadius(start=4.0, end=0.5)).fit(square())
    pulls = fit.pulls(np.array([0.0, 1.0, 2.0]), fit.shown[[0, -1]])
    first, last = (SHAPES[Gaussian](np.arange(3.0), r) for r in (4.0, 0.5))
    np.testing.assert_allclose(pulls, [first, last], rtol=1e-12)


def test_without_neighbourhood_it_is_online_k_means_bit_by_bit():
    X, lattice = square(), Chain(units=6)
    W = first_units("rows", X, lattice, generator(4, "first units"))
    rate = GeometricSchedule()
    kmeans = OnlineKMeans(
        n_clusters=6, init=GivenPoints(values=tuple(W.ravel())), learning_rate=rate, n_epochs=3
    )
    for neighbourhood, radius in (
        (Indicator(), ShrinkingRadius()), (Gaussian(), StagedRadius(stages=(0,)))
    ):  # fmt: skip
        som = SelfOrganisingMap(
            lattice=lattice, neighbourhood=neighbourhood, radius=radius, init="rows",
            learning=OnlineLearning(learning_rate=rate, n_steps=1800),
        )  # fmt: skip
        ours, theirs = som.fit(X, seed=4), kmeans.fit(X, seed=4)
        np.testing.assert_array_equal(ours.centers, theirs.centers)
        np.testing.assert_array_equal(ours.labels, theirs.labels)


@pytest.mark.parametrize("shape", [Gaussian, Triangular, Inverse])
def test_smoothed_batches_descend_their_cost(shape):
    # Heskes (1999): winners by the smoothed distance minimise the same cost as the means.
    X, lattice, radius = square(300, 3), Grid(rows=5, columns=5), 1.5
    h, costs = SHAPES[shape](lattice.apart(), radius), []
    method = SelfOrganisingMap(
        lattice=lattice, neighbourhood=shape(), winner="smoothed", init="rows",
        radius=StagedRadius(stages=(radius,)), learning=BatchLearning(n_passes=15),
    )  # fmt: skip
    for step in method.steps(X):
        squares = ((X[:, None] - step.state.centers) ** 2).sum(axis=2)
        costs.append((squares @ h).min(axis=1).mean())
    assert len(costs) == 16
    assert np.diff(costs).max() <= 1e-12
    assert costs[-1] < 0.9 * costs[0]


def test_one_pass_makes_weighted_means():
    X, lattice = square(80), Grid(rows=3, columns=3)
    method = SelfOrganisingMap(
        lattice=lattice, radius=StagedRadius(stages=(1.0,)), learning=BatchLearning(n_passes=1)
    )
    before, after = (step.state.centers for step in method.steps(X))
    won = ((X[:, None] - before) ** 2).sum(axis=2).argmin(axis=1)
    share = SHAPES[Gaussian](lattice.apart(), 1.0)[:, won]
    np.testing.assert_allclose(after, share @ X / share.sum(axis=1, keepdims=True), rtol=1e-12)


def test_a_chain_on_a_line_is_in_order():
    X = square(500, 1)
    fit = SelfOrganisingMap(lattice=Chain(units=20), init="rows").fit(X)
    steps = np.diff(fit.centers[:, 0])
    assert (steps > 0).all() or (steps < 0).all()


@pytest.mark.parametrize(("thick", "low", "high"), [(0.1, 0.0, 0.15), (0.8, 0.5, 1.0)])
def test_a_chain_in_a_box_meanders_where_the_box_is_thick(thick, low, high):
    # mi2, fact 81: straight while the box is thin beside the range of the neighbourhood.
    X = square(2000) * [1.0, thick]
    method = SelfOrganisingMap(lattice=Chain(units=20), radius=ShrinkingRadius(start=10.0, end=1.0))
    spread = method.fit(X).centers[:, 1].std() / X[:, 1].std()
    assert low <= spread <= high


def test_a_smaller_final_radius_costs_less_and_a_larger_one_is_smoother():
    # mi2, fact 82: ordered at every final radius, the cost rises with it.
    X, costs = square(), []
    for end in (0.1, 1.0, 2.0):
        method = SelfOrganisingMap(
            lattice=Grid(rows=5, columns=5),
            radius=ShrinkingRadius(start=2.5, end=end),
            learning=OnlineLearning(n_steps=40_000),
        )
        fit = method.fit(X)
        assert fit.topographic_error <= 0.02
        costs.append(((X - fit.centers[fit.labels]) ** 2).sum())
    assert costs[0] < costs[1] < costs[2]


def test_distances_on_lattices():
    rectangular, hexagonal, chain, ring, _ = LATTICES
    assert rectangular.steps()[0, 6] == 2  # one right, one up
    assert rectangular.apart()[0, 6] == pytest.approx(np.sqrt(2))
    inside = 1 * 5 + 2
    assert (hexagonal.steps()[inside] == 1).sum() == 6
    np.testing.assert_allclose(hexagonal.apart()[inside][hexagonal.steps()[inside] == 1], 1.0)
    assert chain.steps()[0, 19] == 19
    assert ring.steps()[0, 19] == ring.apart()[0, 19] == 1
    assert [len(it.edges()) for it in LATTICES] == [31, 43, 19, 20, 8]


@pytest.mark.parametrize("lattice", [LATTICES[0], LATTICES[1], LATTICES[3]])
def test_steps_are_the_shortest_way_along_edges(lattice):
    from scipy.sparse.csgraph import shortest_path

    k = len(lattice.positions)
    joined = np.zeros((k, k))
    joined[tuple(lattice.edges().T)] = 1
    np.testing.assert_array_equal(lattice.steps(), shortest_path(joined, directed=False))


def test_errors_by_hand():
    lattice, centers = Grid(rows=1, columns=3), np.array([[0.0], [1.0], [3.0]])
    # 0.4 lies between units 0 and 1; 2.9 between 2 and 1; all touch.
    assert errors_of(np.array([[0.4], [2.9]]), centers, lattice) == pytest.approx((0.25, 0.0))
    swapped = centers[[0, 2, 1]]  # now 0 and 1 are the first and the last unit
    assert errors_of(np.array([[0.4], [2.9]]), swapped, lattice) == pytest.approx((0.25, 0.5))
    corner = np.array([[0.0, 0], [9, 9], [9, 9], [1, 1]])
    touching = errors_of(np.array([[0.4, 0.4]]), corner, Grid(rows=2, columns=2))
    assert touching.topographic == 0.0, "corners of a rectangular grid touch"


def test_rows_have_the_place_of_their_unit():
    X, method = square(), SelfOrganisingMap(lattice=HexagonalGrid(rows=4, columns=5))
    fit = method.fit(X)
    np.testing.assert_array_equal(fit.transform(X), fit.lattice.positions[fit.predict(X)])
    np.testing.assert_array_equal(np.bincount(fit.labels, minlength=20), fit.hits)
    assert [column.name for column in fit.out_columns] == ["map x", "map y"]


def test_steps_end_where_the_fit_is_and_no_step_leaves_the_map():
    X, method = square(), SelfOrganisingMap(lattice=Grid(rows=4, columns=4))
    np.testing.assert_array_equal(list(method.steps(X))[-1].state.centers, method.fit(X).centers)
    asleep = SelfOrganisingMap(learning=OnlineLearning(n_steps=0))
    assert len(list(asleep.steps(X))) == 1
    spread = asleep.fit(X).centers.std(axis=0)
    np.testing.assert_allclose(np.sort(spread), np.sort(X.std(axis=0)), rtol=0.05)


def test_what_cannot_be_is_refused():
    with pytest.raises(ParamError, match="throws a center beyond the row"):
        OnlineLearning(learning_rate=ConstantSchedule(value=1.5))
    with pytest.raises(ParamError, match="give at least one number"):
        StagedRadius(stages=())
    with pytest.raises(ParamError, match="50"):
        Grid(rows=51)


def test_a_graph_that_is_written_edge_by_edge():
    ring = " ".join(f"{k + 1}-{(k + 1) % 8 + 1}" for k in range(8))
    own = OwnGraph(edges_given=ring)
    np.testing.assert_array_equal(own.steps(), Ring(units=8).steps())
    assert own.width == Ring(units=8).width
    np.testing.assert_array_equal(own.edges(), Ring(units=8).edges())
    lengths = np.linalg.norm(own.laid_out(), axis=1)
    np.testing.assert_allclose(lengths, np.sqrt(2.0))  # a circle
    star = OwnGraph()  # four arms of two units about the third
    assert star.steps()[2].tolist() == [2, 1, 0, 1, 2, 1, 2, 1, 2]
    for wrong, said in (
        ("1,2", "needs edges such as"), ("1-2 4-5", "falls into parts"), ("0-1", "from 1 to"),
        ("1-9999", "from 1 to"), ("", "needs edges"),
    ):  # fmt: skip
        with pytest.raises(ParamError, match=said):
            OwnGraph(edges_given=wrong)


@pytest.mark.parametrize("learning", [OnlineLearning(n_steps=500), BatchLearning(n_passes=5)])
@pytest.mark.parametrize("winner", ["nearest", "smoothed"])
@pytest.mark.parametrize("match", ["mahalanobis", BlurredEuclidean(sigma=1.0, height=2)])
def test_a_map_compared_elsewhere_is_the_map_of_what_lies_there(learning, winner, match):
    X = square(200, 6) @ np.random.default_rng(1).normal(size=(6, 6))
    settings = {"lattice": LATTICES[0], "learning": learning, "winner": winner, "init": "rows"}
    fit = SelfOrganisingMap(match=match, **settings).fit(X)
    there = SelfOrganisingMap(**settings).fit(fit.frame.placed(X))
    np.testing.assert_array_equal(fit.labels, there.labels)
    np.testing.assert_array_equal(fit.predict(X), fit.labels)
    np.testing.assert_allclose(fit.frame.placed(fit.centers), there.centers, atol=1e-9)
    assert fit.map_errors(X) == pytest.approx(there.map_errors(fit.frame.placed(X)))
    assert not np.array_equal(SelfOrganisingMap(**settings).fit(X).labels, fit.labels)


def test_a_distance_that_does_not_follow_straight_lines_is_refused():
    with pytest.raises(DataError, match="the distance Manhattan does not follow"):
        SelfOrganisingMap(match=Manhattan()).fit(square())
    with pytest.raises(ParamError, match="winners by the dot product are not found by a distance"):
        SelfOrganisingMap(match=BlurredEuclidean(), winner="dot")
