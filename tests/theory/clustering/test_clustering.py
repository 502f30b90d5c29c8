"""What the theory says of clusterings, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.starts import TWIN, GivenPoints, Splitting
from mlcore.distances.columnwise import _kernels as columnwise
from mlcore.distances.nearest_center import Nearest, SearchRows, nearest
from mlcore.maths.arrays import read_only, weighted_median
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import last
from mlcore.spine.registry import entries

LINE_SIX = np.array([[0.0], [1], [10], [11], [20], [21]])
RECTANGLE = np.array([[0.0, 0], [0, 1], [4, 0], [4, 1]])
STARTS = [name for name in entries("centers") if name != "given"]
SLACK = 1e-12  # a distortion is a sum of a few hundred squares


def clouds(n=300, p=3, seed=0, spread=2.0):
    """Rows around three places, close enough to overlap."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + spread * rng.integers(0, 3, (n, 1))


def started(X, *values, **settings):
    """k-means from given centers."""
    k = len(values) // X.shape[1]
    return KMeans(n_clusters=k, init=GivenPoints(values=values), **settings)


@pytest.mark.parametrize(
    ("start", "centers", "rss"),
    [((0, 10, 20), (0.5, 10.5, 20.5), 1.5), ((0, 1, 10), (0.0, 1.0, 15.5), 101.0)],
)
def test_the_start_decides_on_six_points_of_a_line(start, centers, rss):
    fit = started(LINE_SIX, *start).fit(LINE_SIX)
    np.testing.assert_array_equal(fit.centers[:, 0], centers)
    assert fit.distortion * 6 == rss


@pytest.mark.parametrize(("start", "rss"), [((2, 0, 2, 1), 16.0), ((0, 0.5, 4, 0.5), 1.0)])
def test_a_long_rectangle_has_a_bad_minimum(start, rss):
    assert started(RECTANGLE, *start).fit(RECTANGLE).distortion * 4 == rss


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("shape", [{"p": 2.0}, {"p": 1.0, "center": "median"}])
def test_the_distortion_never_rises(start, shape):
    X = clouds()
    steps = list(KMeans(n_clusters=5, init=start, n_init=2, **shape).steps(X, seed=3))
    objective = np.array([step.objective for step in steps])
    assert np.diff(objective).max() <= SLACK * objective[0]
    assert [step.state.phase for step in steps] == ["assign", "move"] * (len(steps) // 2) + [
        "assign"
    ]


def test_the_end_is_a_fixed_point():
    X = clouds()
    fit = KMeans(n_clusters=6).fit(X)
    assert fit.stop.kind == "converged"
    means = [X[fit.labels == j].mean(axis=0) for j in range(6)]
    np.testing.assert_allclose(fit.centers, means, atol=1e-12)
    apart = ((X[:, None] - fit.centers) ** 2).sum(axis=2)
    np.testing.assert_array_equal(fit.labels, apart.argmin(axis=1))
    np.testing.assert_allclose(fit.distortion, apart.min(axis=1).mean(), rtol=1e-12)


@pytest.mark.parametrize(
    "settings", [{}, {"n_init": 1}, {"p": 1.0}, {"p": None, "center": "median"}]
)
def test_the_fit_is_the_last_step(settings):
    X, method = clouds(), KMeans(n_clusters=4, **settings)
    fit, end = method.fit(X, seed=5), last(method.steps(X, seed=5))
    np.testing.assert_array_equal(fit.labels, end.state.labels)
    np.testing.assert_array_equal(fit.centers, end.state.centers)
    assert (fit.distortion, fit.stop, 2 * fit.n_iter) == (
        end.objective,
        end.stop,
        end.k,
    )


def test_splitting_begins_with_the_mean_and_doubles_what_has_settled():
    X, w = clouds(), np.random.default_rng(1).integers(1, 4, 300).astype(np.float64)
    mean = np.average(X, axis=0, weights=w)

    def start(k):
        return Splitting().centers(X, w, k, np.random.default_rng(2))

    near = 20 * TWIN * np.sqrt(X.var(axis=0).sum())
    np.testing.assert_array_equal(start(1), mean[None])
    np.testing.assert_allclose(start(2), [mean, mean], atol=near)
    two, six = start(3)[:2], start(6)
    labels = nearest(X, two)
    means = [np.average(X[labels == j], axis=0, weights=w[labels == j]) for j in (0, 1)]
    np.testing.assert_allclose(two, means, atol=1e-12)  # the stage has settled
    twins = np.sqrt(((six[4:, None] - six[:4]) ** 2).sum(axis=2))
    assert (twins.min(axis=1) < near).all()
    assert len(set(twins.argmin(axis=1))) == 2  # two of the four, each once
    assert start(4)[:2] == pytest.approx(two)  # stages of 1, 2, 4 and then what is missing


def test_the_best_restart_is_kept_and_more_restarts_begin_with_the_same():
    X = clouds(spread=1.0)
    few = KMeans(n_clusters=7, init="random", n_init=3).fit(X, seed=1)
    many = KMeans(n_clusters=7, init="random", n_init=12).fit(X, seed=1)
    np.testing.assert_array_equal(few.restarts, many.restarts[:3])
    assert len(set(many.restarts)) > 1
    assert many.distortion == many.restarts.min()


def test_one_cluster_is_the_mean():
    X = clouds()
    fit = KMeans(n_clusters=1).fit(X)
    np.testing.assert_allclose(fit.centers, [X.mean(axis=0)], atol=1e-13)
    np.testing.assert_allclose(fit.distortion, X.var(axis=0).sum(), rtol=1e-12)


def test_shifting_turning_and_permuting_change_nothing_but_the_order():
    X, rng = clouds(), np.random.default_rng(4)
    start = X[[3, 90, 200]]
    fit = started(X, *start.ravel()).fit(X)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moved = started(X, *(start @ turn + 7).ravel()).fit(X @ turn + 7)
    np.testing.assert_array_equal(moved.labels, fit.labels)
    order = rng.permutation(len(X))
    np.testing.assert_array_equal(
        started(X, *start.ravel()).fit(X[order]).labels, fit.labels[order]
    )


def test_weights_count_rows():
    X, w = clouds(n=60), np.random.default_rng(0).integers(0, 4, 60)
    start = tuple(X[w > 0][[0, 20, 40]].ravel())
    for settings in ({}, {"p": 1.0, "center": "median"}):
        weighted = started(X, *start, **settings).fit(X, weights=w)
        repeated = started(X, *start, **settings).fit(np.repeat(X, w, axis=0))
        np.testing.assert_allclose(weighted.centers, repeated.centers, atol=1e-12)
        np.testing.assert_allclose(weighted.distortion, repeated.distortion, rtol=1e-12)


@pytest.mark.parametrize("start", STARTS)
def test_rows_of_weight_zero_are_never_chosen(start):
    X = clouds(n=80)
    X[40:] += 1000
    w = np.repeat([1.0, 0.0], 40)
    fit = KMeans(init=start, n_init=1).fit(X, weights=w)
    alone = KMeans(init=start, n_init=1).fit(X[:40])
    np.testing.assert_allclose(fit.centers, alone.centers, atol=1e-9)


def test_an_empty_group_starts_anew_where_rows_are_served_worst():
    X = np.array([[0.0], [1], [2], [30]])
    stuck = started(X, 0, -50, empty_cluster="keep").fit(X)
    np.testing.assert_array_equal(stuck.centers[1], [-50])
    assert stuck.distortion > 100
    fit = started(X, 0, -50).fit(X)
    np.testing.assert_allclose(sorted(fit.centers[:, 0]), [1, 30])
    notes = [step.note for step in started(X, 0, -50).steps(X)]
    assert "an empty group started anew at the rows served worst" in notes[1]


def test_an_empty_group_does_not_start_anew_at_a_row_of_weight_zero():
    X = np.array([[0.0], [1], [2], [30], [1000]])
    fit = started(X, 0, -50, max_iter=1).fit(X, weights=[1, 1, 1, 1, 0])
    np.testing.assert_array_equal(fit.centers[:, 0], [8.25, 30])


def test_two_empty_groups_get_different_rows():
    X = np.array([[0.0], [1], [20], [-30]])
    fit = started(X, 0, 500, 600).fit(X)
    np.testing.assert_allclose(sorted(fit.centers[:, 0]), [-30, 0.5, 20])


def test_fewer_different_rows_than_clusters():
    X = np.repeat([[1.0, 2], [3, 4]], 6, axis=0)
    for start in STARTS:
        fit = KMeans(n_clusters=4, init=start).fit(X)
        assert len(fit.centers) == 2
        assert "Only 2 rows differ, so there are 2 groups." in fit.stop.why
    fit = KMeans().fit(np.ones((5, 2)))
    assert (len(fit.centers), fit.distortion) == (1, 0.0)
    assert "All rows are equal, so there is one group." in fit.stop.why


@pytest.mark.parametrize(
    ("method", "X", "sentence"),
    [
        (
            KMeans(n_clusters=12),
            np.eye(9),
            "12 clusters need at least 12 rows; there are 9.",
        ),
        (
            started(LINE_SIX, 1, 2),
            np.eye(9),
            "2 start centers in 9 columns are 18 numbers",
        ),
        (
            KMeans(),
            np.array([[1e200], [0], [1]]),
            "column number 1 has 1e.200, too large to square",
        ),
        (KMeans(), np.array([[1e-200], [0], [1e-201]]), "here the largest is 1e-200"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_at_once(method, X, sentence):
    with pytest.raises(DataError, match=sentence):
        method.steps(X)


def test_weights_must_leave_enough_rows():
    with pytest.raises(DataError, match="3 clusters need at least 3 rows; there are 2"):
        KMeans().steps(np.eye(5), weights=[1, 1, 0, 0, 0])


def test_stops_say_what_happened():
    X = clouds(spread=0.0)
    short = KMeans(n_clusters=8, n_init=1, max_iter=2).fit(X)
    assert (short.stop.kind, short.n_iter) == ("limit", 2)
    assert "Not converged after 2 iterations" in short.stop.why
    np.testing.assert_array_equal(short.labels, short.predict(X))
    loose = KMeans(n_clusters=8, n_init=1, tol=0.5).fit(X)
    assert loose.stop.why.startswith("Converged: no center moved farther than 0.5")


def test_means_under_another_norm_keep_the_best_groups():
    # Means do not minimise absolute differences: the distortion may rise, the best is kept.
    rng, ends, rises = np.random.default_rng(0), [], 0.0
    for seed in range(40):
        X = rng.standard_cauchy((40, 2))
        steps = list(KMeans(n_clusters=4, p=1.0, n_init=1).steps(X, seed=seed))
        assigned = [s.objective for s in steps if s.state.phase == "assign"]
        ends.append(steps[-1].objective <= min(assigned) + 1e-12)
        rises = max(rises, float(np.diff([s.objective for s in steps[:-1]]).max()))
    assert all(ends)
    assert rises > 0  # otherwise this test would have nothing to look at


@pytest.mark.parametrize("scale", [1e-160, 1e-30, 1.0, 1e25, 1e100])
@pytest.mark.parametrize("shift", [0.0, 1e4])
@pytest.mark.parametrize("k", [9, 70])  # by every distance, and by products and bounds
def test_labels_are_those_of_the_plain_loop(scale, shift, k):
    rng = np.random.default_rng(0)
    X = (clouds(n=700, p=7) + shift) * scale
    X[::7] = X[1]  # ties and duplicates
    found = Nearest(SearchRows(X, k))
    for _ in range(6):
        centers = X[rng.integers(0, 700, k)]
        centers[5] = centers[2]
        centers[6] = centers[3] * (1 + 1e-9)  # single precision cannot tell them apart
        found.assign(centers)
        squares = np.zeros((700, k))
        for q in range(7):  # added in the order of the plain loop
            squares += (X[:, q, None] - centers[:, q]) ** 2
        np.testing.assert_array_equal(found.labels, squares.argmin(axis=1))
        np.testing.assert_array_equal(nearest(X, centers), found.labels)


@pytest.mark.parametrize("settings", [{}, {"tol": 0.3}, {"max_iter": 2}, {"empty_cluster": "keep"}])
def test_a_run_at_once_ends_as_the_run_in_halves(settings):
    # The start far away gets no row; rows of weight 0 are labelled and count for nothing.
    X, w = clouds(n=600, p=2), np.arange(600) % 4 * 1.0
    method = started(X, 0.0, 0, 1, 1, 2, 2, 90, 90, 95, 90, **settings)
    at_once, played = method.fit(X, weights=w), last(method.steps(X, weights=w))
    np.testing.assert_array_equal(at_once.labels, played.state.labels)
    np.testing.assert_array_equal(at_once.centers, played.state.centers)
    assert (at_once.stop, at_once.distortion) == (played.stop, played.objective)
    assert at_once.n_iter == played.k // 2


def test_threads_and_bounds_change_no_bit_of_a_run(monkeypatch):
    X = clouds(n=6_000, p=7)  # several tiles, of which fewer and fewer rows are in doubt
    method = started(X, *np.eye(5, 7).ravel())
    alone = method.fit(X)
    monkeypatch.setenv("MLSCOPE_THREADS", "3")
    monkeypatch.setattr("mlcore.distances.nearest_center.SHARED", 1)
    shared = method.fit(X)
    np.testing.assert_array_equal(alone.centers, shared.centers)
    squares = np.zeros((6_000, 5))
    for q in range(7):
        squares += (X[:, q, None] - alone.centers[:, q]) ** 2
    for fit in (alone, shared):
        np.testing.assert_array_equal(fit.labels, squares.argmin(axis=1))


def test_a_row_leaves_no_trace_in_the_mean_of_a_group_it_was_in():
    X = np.concatenate([np.linspace(-1, 1, 9) + 0.1, [1e12]])[:, None]
    fit = started(X, 0.0, 2e12).fit(X)
    sums, rests, counts = *np.zeros((2, 1, 2, 2)), np.zeros((1, 2), dtype=np.int64)
    summed, shift, rows = np.full(10, -1), read_only(np.zeros(1)), read_only(X)
    # Copied, as those of a fit are read-only, for which the loop would be compiled anew.
    for labels in (np.zeros(10, dtype=np.int64), fit.labels.copy()):
        columnwise.regroup(
            rows, read_only(np.ones(10)), shift, labels, summed, 0, 1, sums, rests, counts
        )
        np.testing.assert_array_equal(summed, labels)
    np.testing.assert_array_equal(counts, [[9, 1]])
    centers = np.zeros((2, 1))
    columnwise.middles(sums, rests, counts, shift, centers)
    assert centers[0, 0] == pytest.approx(X[:9].mean(), rel=1e-14)


def test_weighted_median_halves_the_weight():
    X = np.array([[1.0, 5], [2, 3], [10, 4]])
    np.testing.assert_array_equal(weighted_median(X, np.ones(3)), [2, 4])
    np.testing.assert_array_equal(weighted_median(X, np.array([1.0, 1, 2])), [6, 4])
    np.testing.assert_array_equal(weighted_median(X[:2], np.ones(2)), [1.5, 4])
