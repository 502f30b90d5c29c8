"""What the theory says of maps of distances, without a reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr
from sklearn.datasets import load_iris

from mlcore.distances.mahalanobis import Mahalanobis
from mlcore.distances.pairwise import pairwise_distances
from mlcore.evaluation.map_scores import Stress, stress_1
from mlcore.evaluation.scoring import Case, Rows
from mlcore.preparation.reduce import Reduce
from mlcore.reduction import _kernels
from mlcore.reduction.mds import MDS
from mlcore.reduction.mds_kinds import Metric, Sammon, spectrum
from mlcore.reduction.mds_nonmetric import Nonmetric
from mlcore.reduction.orders import Order, stress_of_order
from mlcore.reduction.pca import PCA
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import last

IRIS = np.unique(load_iris().data, axis=0)  # 149 rows: two of the 150 coincide


def test_the_stresses_of_iris():
    assert MDS().fit(IRIS).stress == pytest.approx(176.4818, abs=5e-5)
    metric = MDS(kind=Metric(tol=1e-12, max_iter=3000)).fit(IRIS)
    assert metric.stress == pytest.approx(107.9155, abs=1e-4)
    reached = [step.objective for step in MDS(kind=Sammon(max_iter=3000)).steps(IRIS)]
    assert reached[0] == pytest.approx(0.00678133, abs=5e-9)
    assert reached[-1] == pytest.approx(0.00395982, abs=5e-9)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("line", (10, 0, 0, 0, 0)),
        ("cycle", (2, 2, 0, -1)),
        ("cycle", (2.92705, 2.92705, 0, -0.42705, -0.42705)),
        ("cycle", (6, 6, 1.5, 0, -2, -2)),
        ("star", (2, 2, 0, -0.25)),
    ],
)
def test_eigenvalues_of_graphs(path, values):
    n = len(values)
    D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    if path == "cycle":
        D = np.minimum(D, n - D)
    if path == "star":  # the first is joined to all others, and leads from each to each
        D = 2.0 * (1 - np.eye(n))
        D[0, 1:] = D[1:, 0] = 1.0
    np.testing.assert_allclose(spectrum(D).values, values, atol=1e-5)


@pytest.mark.parametrize(
    "kind",
    [
        Metric(), Metric(init="random", n_init=3), Metric(weight_power=-2.0),
        Metric(weight_power=1.0), Sammon(), Nonmetric(),
        Nonmetric(init="random", n_init=2, ties="secondary", max_iter=60),
    ],
)  # fmt: skip
def test_the_stress_never_rises(kind):
    method = MDS(kind=kind)
    steps = list(method.steps(load_iris().data, seed=1))
    reached = np.array([step.objective for step in steps])
    assert np.diff(reached).max() <= 1e-12 * reached[0]  # sums of 11 000 squares
    fit = method.fit(load_iris().data, seed=1)
    np.testing.assert_array_equal(fit.embedding, last(iter(steps)).state.embedding)
    assert fit.stress == fit.restarts.min()


def test_weights_of_pairs_by_the_definition():
    rng = np.random.default_rng(2)
    X, power = rng.normal(size=(9, 4)), -1.5
    kind = Metric(weight_power=power, max_iter=3, tol=0.0)
    D = squareform(pdist(X))
    W = np.where(D > 0, D, np.inf) ** power
    W *= 9 * 8 / W.sum()
    V = np.diag(W.sum(axis=1)) - W
    Y = spectrum(D).coordinates(2)
    for step in MDS(kind=kind).steps(X):
        apart = squareform(pdist(Y))
        assert step.objective == pytest.approx((W * (apart - D) ** 2).sum() / 2)
        np.testing.assert_allclose(step.state.embedding, Y, atol=1e-9)
        B = -np.divide(W * D, apart, out=np.zeros_like(D), where=apart > 0)
        Y = np.linalg.pinv(V) @ (B - np.diag(B.sum(axis=1))) @ Y


@pytest.mark.parametrize("power", [-3.0, -2.0, 3.0])
def test_rows_that_nearly_coincide_do_not_outweigh_all_others(power):
    X = np.random.default_rng(5).normal(size=(30, 4))
    X[1] = X[0] + 1e-13
    X[2] = 1e4
    kind = Metric(weight_power=power, max_iter=50)
    reached = np.array([step.objective for step in MDS(kind=kind).steps(X)])
    assert np.isfinite(reached).all()
    assert np.diff(reached).max() <= 1e-6 * reached[0]


def test_weights_of_one_over_the_distance_end_where_sammon_does():
    kind = Metric(weight_power=-1.0, max_iter=3000, tol=1e-12)
    fit, aims = MDS(kind=kind).fit(IRIS), pdist(IRIS)
    stress = ((pdist(fit.embedding) - aims) ** 2 / aims).sum() / aims.sum()
    assert stress == pytest.approx(0.00395982, abs=5e-9)
    assert fit.stress == pytest.approx(stress * aims.sum() / (1 / aims).mean())


def test_far_pairs_are_kept_better_where_they_weigh_more():
    aims = pdist(IRIS)
    far = aims > np.median(aims)
    off = []
    for power in (-2.0, 0.0, 2.0):
        Y = MDS(kind=Metric(weight_power=power)).fit(IRIS).embedding
        off.append(((pdist(Y) - aims)[far] ** 2).sum())
    assert off[0] > off[1] > off[2]


def test_rows_that_coincide_share_a_place():
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 3)), 2, axis=0)
    for kind in (Metric(), Metric(weight_power=-1.0), Metric(weight_power=2.0), Sammon()):
        Y = MDS(kind=kind).fit(X).embedding
        np.testing.assert_allclose(Y[::2], Y[1::2], atol=1e-9)


def test_the_classical_map_is_that_of_pca_for_later_rows_too():
    new = IRIS[::7] + 0.3
    fit, pca = MDS(n_components=3).fit(IRIS), PCA(n_components=3).fit(IRIS)
    for rows in (IRIS, new):
        np.testing.assert_allclose(
            np.abs(fit.transform(rows)), np.abs(pca.transform(rows)), atol=1e-9
        )
    assert fit.negative_share < 1e-12


def test_as_many_coordinates_as_columns_keep_every_distance():
    fit = MDS(n_components=4).fit(IRIS)
    assert stress_1(IRIS, fit.coordinates) < 1e-12
    assert stress_1(IRIS, MDS(kind=Metric()).fit(IRIS).embedding) < 0.05


def test_derivatives_of_sammons_stress():
    rng = np.random.default_rng(3)
    D, Y = squareform(pdist(rng.normal(size=(6, 4)))), rng.normal(size=(6, 2))
    slopes, curvatures = np.empty_like(Y), np.empty_like(Y)
    now, h = _kernels.sammon(D, Y, slopes, curvatures), 1e-4
    for at in np.ndindex(Y.shape):
        moved = [Y.copy(), Y.copy()]
        moved[0][at] += h
        moved[1][at] -= h
        up, down = (_kernels.sammon(D, M, np.empty_like(Y), np.empty_like(Y)) for M in moved)
        # Central differences: errors of h^2 and of rounding over h^2.
        assert slopes[at] == pytest.approx((up - down) / (2 * h), abs=1e-6)
        assert curvatures[at] == pytest.approx((up - 2 * now + down) / h**2, abs=1e-5)


def test_only_the_classical_map_places_later_rows():
    assert hasattr(MDS().fit(IRIS), "transform")
    assert not hasattr(MDS(kind=Metric()).fit(IRIS), "transform")
    with pytest.raises(ParamError, match="places only the rows"):
        Reduce(method=MDS(kind=Metric()))


def test_equal_rows_and_too_many_are_refused_in_words():
    with pytest.raises(DataError, match="all are equal"):
        MDS().fit(np.ones((4, 2)))
    with pytest.raises(DataError, match="at most 5,000 rows"):
        MDS().fit(np.random.default_rng(0).normal(size=(5001, 1)))


def test_values_that_rise_with_an_order_by_hand():
    aims, apart = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    rising = Order(aims, parts_ties=True).disparities(apart)
    np.testing.assert_allclose(rising, [1.0, 2.5, 2.5, 4.0])
    assert stress_of_order(apart, rising) == pytest.approx(np.sqrt(0.5 / 30))
    tied, apart = np.array([1.0, 1.0, 2.0]), np.array([3.0, 1.0, 2.0])
    np.testing.assert_allclose(Order(tied, parts_ties=True).disparities(apart), [2.5, 1.0, 2.5])
    np.testing.assert_allclose(Order(tied, parts_ties=False).disparities(apart), [2.0, 2.0, 2.0])


def test_ties_are_sorted_anew_for_every_map():
    aims, order = np.repeat([1.0, 2.0], 3), np.array([2, 0, 1, 5, 3, 4])
    pairs = Order(aims, parts_ties=True)
    for apart in (np.arange(6.0)[order], np.arange(6.0)[::-1][order], np.arange(6.0)):
        rising = pairs.disparities(apart)
        by = np.lexsort((apart, aims))
        assert (np.diff(rising[by]) >= 0).all()
        assert rising.sum() == pytest.approx(apart.sum())
    np.testing.assert_array_equal(rising, apart)


def test_only_the_order_of_distances_counts():
    plane = np.random.default_rng(4).uniform(size=(40, 2))
    D = squareform(pdist(plane))
    bent = D**3  # the same order, but the distances of no plane
    kind, rng = Nonmetric(tol=0.0, max_iter=400), np.random.default_rng(0)
    *_, end = kind.iterations(bent, 2, rng)
    *_, metric = Metric(max_iter=400).iterations(bent, 2, rng)
    assert end.stress < 0.01
    assert spearmanr(pdist(end.Y), pdist(plane)).statistic > 0.999
    assert spearmanr(pdist(metric.Y), pdist(plane)).statistic < 0.99
    # In the unit of the distances that were given.
    assert (pdist(end.Y) ** 2).sum() == pytest.approx((bent**2).sum() / 2, rel=1e-3)


def test_far_groups_shrink_to_points():
    rng = np.random.default_rng(2)
    X = np.repeat(20 * np.eye(3), 12, axis=0) + rng.normal(scale=0.3, size=(36, 3))
    fit = MDS(kind=Nonmetric(max_iter=1000)).fit(X)
    groups = fit.embedding.reshape(3, 12, 2)
    assert fit.stress < 1e-3
    assert groups.std(axis=1).max() < 1e-2 * groups.mean(axis=1).std(axis=0).max()


def test_every_step_keeps_its_own_map():
    steps = list(MDS(kind="metric").steps(IRIS))
    maps = [step.state.embedding for step in steps]
    assert len({map.tobytes() for map in maps}) == len(maps)


@pytest.mark.parametrize("kind", ["classical", "metric", "sammon", "nonmetric"])
def test_a_table_of_distances_has_the_map_of_the_rows_that_it_is_of(kind):
    rows, order = IRIS[::5], np.random.default_rng(0).permutation(30)
    table = pairwise_distances(rows)[:, order]
    straight = MDS(kind=kind).fit(rows)
    given = MDS(kind=kind, metric="precomputed").fit(table)
    assert given.stress == pytest.approx(straight.stress, rel=1e-6)
    is_placed = kind == "classical"
    Y = straight.coordinates if is_placed else straight.embedding
    Z = given.transform(table) if is_placed else given.embedding
    np.testing.assert_allclose(pdist(Z), pdist(Y), atol=1e-4)
    case = Case(method=given.made_by, fit=given, train=Rows(table), test=Rows(table))
    scored = Stress().scored(case)
    assert scored.scores["stress"] == pytest.approx(stress_1(rows, Y), abs=1e-5)


def test_a_map_by_another_distance_keeps_it_and_places_new_rows_by_it():
    X, new, metric = IRIS[::2] + 1e3, IRIS[1::8] + 1e3, Mahalanobis()
    fit, frame = MDS(metric=metric).fit(X), metric.frame(X, None)
    straight = MDS().fit(frame.placed(X))
    np.testing.assert_allclose(fit.coordinates, straight.coordinates, atol=1e-8)
    np.testing.assert_allclose(fit.transform(new), straight.transform(frame.placed(new)), atol=1e-8)
    by_sums = MDS(metric="manhattan").fit(X)
    D = pairwise_distances(X, metric="manhattan")
    np.testing.assert_allclose(by_sums.eigenvalues, spectrum(D).values, atol=1e-8)
    np.testing.assert_allclose(by_sums.transform(X), by_sums.coordinates, atol=1e-7)


def test_rows_that_share_one_place_are_told():
    X = np.vstack([IRIS[:20], IRIS[:3]])
    for kind in (Sammon(max_iter=5), Metric(weight_power=-1.0, max_iter=5)):
        fit = MDS(kind=kind).fit(X)
        np.testing.assert_array_equal(fit.embedding[20:], fit.embedding[:3])
        assert fit.notes == ("3 rows equal an earlier one: they share its place.",)
        assert MDS(kind=kind).fit(IRIS[:20]).notes == ()
    assert MDS(kind=Metric(max_iter=5)).fit(X).notes == ()
