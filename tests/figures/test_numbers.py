"""What is computed only to be drawn: planes, clouds, projections, profiles."""

import numpy as np
import pytest

from figures.numbers.bands import score_curve
from figures.numbers.clouds import Cloud, counted, seen
from figures.numbers.left_out import wrong
from figures.numbers.planes import (
    CELLS,
    Axis,
    between_share,
    boxed,
    correlation,
    nearness,
    pair,
    places,
    plane,
    ranking,
    span,
    typical,
)
from figures.numbers.profiles import edges_of, profile
from figures.numbers.projections import class_projection, of_columns, spread_projection
from figures.numbers.regions import FAINTEST, sureness
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.pooled import Pooled
from mlcore.runs.carry import carried_out
from mlcore.runs.curves import Curve, CurvePoint
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.registry import lookup
from mlcore.spine.wording import percent, rough
from tests.figures import made
from tests.figures.standins import NearestMeans, SilentMeans

NAMES = ("nominal", ("a", "b", "c"))


def test_span_leaves_a_margin_and_is_never_empty():
    assert span(np.array([0.0, 10.0, np.nan])) == (-0.6, 10.6)
    assert span(np.array([4.0, 4.0])) == (2.0, 6.0)
    assert span(np.array([np.nan])) == (-0.06, 1.06)


def test_typical_is_the_median_and_the_commonest_level():
    data = made.dataset([[1, 0], [2, 2], [9, 2], [np.nan, 1]], kinds=(("number", ()), NAMES))
    assert typical(data.X, data.columns).tolist() == [2.0, 2.0]


def test_correlation_and_share_between_are_those_of_the_textbook():
    a, b = np.array([1.0, 2.0, 3.0, np.nan]), np.array([2.0, 4.0, 7.0, 1.0])
    assert correlation(a, b) == pytest.approx(np.corrcoef(a[:3], b[:3])[0, 1])
    assert correlation(a, np.ones(4)) == 0.0
    # Groups {0, 2} and {4, 6}: total 20, between 2 * 2 * (3 - 1)^2 = 16.
    assert between_share(np.array([0.0, 2, 4, 6]), np.array([0, 0, 1, 1])) == pytest.approx(0.8)
    assert between_share(np.ones(3), np.array([0, 0, 1])) == 0.0


def test_axes_are_the_columns_that_say_most_numbers_first_no_twins():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    best = y + 0.1 * rng.normal(size=100)
    X = np.column_stack([rng.normal(size=100), best, best, y + rng.normal(size=100), y])
    data = made.dataset(X, y, ("a", "b"), kinds=(*[("number", ())] * 4, NAMES))
    assert ranking(data)[-1] == 4  # a column of names comes last although it says everything
    assert pair(data) == (1, 3)  # columns 1 and 2 are the same, so the second of them is no news
    assert pair(data, x="x1") == (0, 1)
    assert pair(data, y="x5") == (3, 4)  # x2 and x3 say the same as x5
    assert pair(data, x="x2", y="x2") == (1, 3)
    with pytest.raises(DataError, match="no column 'x9'"):
        pair(data, x="x9")


def test_a_single_column_has_no_second_axis():
    data = made.dataset([[1.0], [2.0]])
    assert pair(data) == (0, None)
    flat = plane(data)
    assert flat.y is None
    assert flat.shape == (1, CELLS)
    assert flat.rows.shape == (CELLS, 1)


def test_other_columns_follow_the_axes_or_stay_at_the_median():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 60))
    names = (x > 0).astype(float) * 2
    data = made.dataset(
        np.column_stack([x, y, 3 * x - y + 1, names]), kinds=(*[("number", ())] * 3, NAMES)
    )
    flat = plane(data, "x1", "x2")
    across, up, third, fourth = flat.rows.T
    np.testing.assert_allclose(third, 3 * across - up + 1, atol=1e-9)
    far = np.abs(across) > 0.7  # near the middle the likelier level may be either
    np.testing.assert_array_equal(fourth[far], np.where(across[far] > 0, 2, 0))
    assert flat.fixed == (
        "A tilted slice: the other 2 columns go with the axes as they do on average in the rows."
    )
    flat = plane(data, "x1", "x2", others="median")
    assert set(flat.rows[:, 2]) == {np.median(data.X[:, 2])}
    assert "median or most common level" in flat.fixed
    with pytest.raises(ParamError, match="follow or median"):
        plane(data, others="mean")


def test_cells_run_fastest_across_and_levels_get_one_cell_each():
    data = made.dataset([[0, 5], [1, 6], [2, 7]], kinds=(NAMES,))
    flat = plane(data, "x1", "x2")
    assert flat.shape == (CELLS, 3)
    assert flat.rows[:4, 0].tolist() == [0, 1, 2, 0]
    assert np.ptp(flat.rows[:3, 1]) == 0


def test_boxed_widens_one_range_to_the_shape_of_a_picture():
    assert boxed((0.0, 1.0), (0.0, 1.0)) == (pytest.approx((-0.3, 1.3)), (0.0, 1.0))
    assert boxed((0.0, 3.2), (0.0, 1.0)) == ((0.0, 3.2), pytest.approx((-0.5, 1.5)))


def test_nearness_is_one_among_rows_and_nothing_far_away():
    points = np.repeat([[0.2, 0.2]], 4, axis=0)
    near = nearness(np.array([[0.2, 0.2], [0.3, 0.2], [2.0, 2.0]]), points)
    assert near[0] == 1.0
    assert 0.5 < near[1] < 1.0
    assert near[2] < 1e-3
    assert nearness(np.zeros((2, 2)), np.full((3, 2), np.nan)).tolist() == [0.0, 0.0]


def test_a_picture_of_two_columns_finds_the_way_back_for_scaled_rows():
    run = Run(
        data=lookup("data", "table")(source=Blobs(n_samples=50)),
        preparation=("standardise",),
        method=NearestMeans(),
    )
    data, out = run.data.dataset({}), carried_out(run)
    shown = of_columns(data, out.whole.prepared, "x1", "x2", square=True)
    back = shown.place(out.whole.prepared.transform(data.X))
    np.testing.assert_allclose(back, data.X, atol=1e-9)
    assert shown.is_geometric


def test_the_plane_of_largest_spread_holds_the_rows_and_their_distances():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 5))  # rows that fill a plane
    data = made.dataset(X)
    shown = spread_projection(data, made.whole(data, lookup("clustering", "kmeans")()))
    assert shown.is_geometric
    assert "100 % of their variance" in shown.how
    at = shown.place(X)
    np.testing.assert_allclose(np.column_stack([shown.x, shown.y]), at)
    np.testing.assert_allclose(
        np.linalg.norm(at[0] - at[1]), np.linalg.norm(X[0] - X[1]), rtol=1e-9
    )
    cells = shown.place(shown.cells)
    grid = np.array(np.meshgrid(shown.plane.x.cells, shown.plane.y.cells)).reshape(2, -1).T
    np.testing.assert_allclose(cells, grid, atol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_many_columns_are_seen_where_the_classes_lie_apart(k):
    rng = np.random.default_rng(3)
    y = np.arange(120) % k
    X = 5 * rng.normal(size=(120, 9))
    X[:, 7] = 2.0 * y + 0.1 * rng.normal(size=120)
    data = made.dataset(X, y, tuple("abc"[:k]))
    shown = class_projection(data, made.whole(data, NearestMeans()))
    assert between_share(shown.x, y) > 0.95
    np.testing.assert_allclose(shown.axes @ shown.axes.T, np.eye(2), atol=1e-9)
    grid = np.array(np.meshgrid(shown.plane.x.cells, shown.plane.y.cells)).reshape(2, -1).T
    np.testing.assert_allclose(shown.place(shown.cells), grid, atol=1e-9)


def test_sureness_is_faint_at_a_draw_and_full_without_probabilities():
    data = made.dataset([[-1.0, 0], [1.0, 0], [-1.0, 0], [1.0, 0]], [0, 1, 0, 1], ("a", "b"))
    rows = np.array([[0.0, 0.0], [40.0, 0.0]])
    sure = sureness(NearestMeans().fit(data.X, data.y), rows)
    np.testing.assert_allclose(sure, [FAINTEST, 1.0])
    assert sureness(SilentMeans().fit(data.X, data.y), rows).tolist() == [1.0, 1.0]


def test_counted_keeps_every_row_once():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 500))
    cloud = Cloud(x, y, np.arange(500) * 2, np.zeros(500, dtype=int), (), x, "v")
    cells = counted(cloud, bins=5)
    assert cells.count.sum() == 500
    assert sorted(np.concatenate(cells.rows)) == list(range(0, 1000, 2))
    first = cells.rows[0] // 2
    assert cells.x[0] == pytest.approx(x[first].mean())
    assert cells.value[0] == pytest.approx(x[first].mean())
    same = counted(cloud._replace(x=np.ones(500), y=np.ones(500)))
    assert same.count.tolist() == [500]


def test_seen_drops_rows_that_lie_nowhere():
    cloud = Cloud(np.array([1.0, np.nan]), np.ones(2), np.array([4, 7]), np.zeros(2, int), ())
    assert seen(cloud).rows.tolist() == [4]


def test_a_row_is_an_error_if_half_of_its_predictions_are():
    data = made.dataset([[0.0], [1], [2], [3]], [0, 1, 1, 0], ("a", "b"))
    found = Pooled(np.array([0, 0, 1, 1, 2]), np.zeros(5), np.array([0, 1, 1, 1, 0]), None)
    assert wrong(data, found).tolist() == [True, False, True, False]


def test_profiles_count_every_row_once_by_class():
    rng = np.random.default_rng(5)
    y = np.arange(90) % 3
    X = np.column_stack([rng.normal(size=90), y, np.arange(90) % 4])
    X[:5, 0] = np.nan
    data = made.dataset(X, y, ("a", "b", "c"), kinds=(("number", ()), NAMES))
    one, levels, few = (profile(data, j) for j in range(3))
    assert one.counts.sum() == 85
    assert one.missing == 5
    assert 8 <= len(one.counts) <= 30
    assert sorted(np.concatenate([r for k in one.rows for r in k])) == list(range(5, 90))
    assert levels.labels == ("a", "b", "c")
    assert levels.counts.tolist() == [[30, 0, 0], [0, 30, 0], [0, 0, 30]]
    assert few.labels == ("0", "1", "2", "3")


def test_profiles_of_odd_columns():
    empty = profile(made.dataset([[np.nan], [np.nan]]), 0)
    assert empty.missing == 2
    assert empty.counts.sum() == 0
    constant = profile(made.dataset([[2.0], [2.0]]), 0)
    assert constant.labels == ("2",)
    many = ("nominal", tuple(f"level {i}" for i in range(30)))
    crowded = profile(made.dataset(np.arange(30.0)[:, None], kinds=(many,)), 0)
    assert len(crowded.labels) == 20
    assert crowded.labels[-1] == "11 more"
    assert crowded.counts.sum() == 30


def test_edges_are_few_for_few_rows_and_never_more_than_thirty():
    assert len(edges_of(np.arange(20.0))) == 9
    assert len(edges_of(np.random.default_rng(0).normal(size=100_000))) == 31


def test_bands_stay_inside_the_bounds_of_the_score():
    scores = np.array([0.9, 1.0, np.nan])
    point = CurvePoint(0, 1, 10, scores, scores, np.ones(3), np.ones(3))
    metric = Metric("accuracy", "Accuracy", "higher", "", 0.0, 1.0, True)
    c = score_curve(Curve(Run(), metric, "rows", (point,)))
    assert c.folds.tolist() == [2]
    assert c.left_out.mean[0] == pytest.approx(0.95)
    assert c.left_out.sd[0] == pytest.approx(np.sqrt(0.005))
    assert c.left_out.high[0] == 1.0
    assert c.best == 0


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0 %"), (1e-9, "under 0.01 %"), (4e-5, "under 0.01 %"), (1e-4, "0.01 %"),
     (-1e-9, "over −0.01 %"), (-0.999999, "under −99.99 %"), (-0.25, "−25 %"),
     (0.004, "0.4 %"), (0.123, "12 %"), (0.9996, "99.96 %"), (0.9999, "99.99 %"),
     (0.99999999, "over 99.99 %"), (1.0, "100 %"), (-0.004, "\N{MINUS SIGN}0.4 %")],
)  # fmt: skip
def test_a_part_is_never_rounded_to_nothing_or_everything(share, said):
    assert percent(share) == said


@pytest.mark.parametrize(
    ("value", "spread", "said"),
    [(0.95231, 0.0431, "0.952"), (2.0, 0.01, "2.000"), (1234.5, 210.0, "1,234"),
     (0.0, None, "0.00"), (-0.5, None, "\N{MINUS SIGN}0.500"), (np.nan, None, "undefined"),
     (1e-7, None, "10⁻⁷"),
     (-2.5e9, None, "\N{MINUS SIGN}2.5·10⁹"),
     (-0.001, 0.3, "0.00")],
)  # fmt: skip
def test_numbers_have_no_more_digits_than_their_spread_allows(value, spread, said):
    assert rough(value, spread) == said


def test_rows_of_two_columns_of_names_fill_their_cells():
    data = TableData(source="rbm_4_3").dataset()
    across, up = (places(data, Axis(k, data.columns[k], np.arange(2.0))) for k in range(2))
    off = np.array([across - data.X[:, 0], up - data.X[:, 1]])
    assert np.abs(off).max() < 0.3
    assert abs(np.corrcoef(off)[0, 1]) < 4 / np.sqrt(data.n)
