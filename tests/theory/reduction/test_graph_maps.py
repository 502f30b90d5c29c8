"""What the theory says of maps of a neighbour graph, without a reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from mlcore.distances.given import Precomputed
from mlcore.distances.mahalanobis import Mahalanobis
from mlcore.distances.metrics import Cosine, Manhattan
from mlcore.distances.neighbourhoods import kneighbors, neighborhood_graph
from mlcore.distances.pairwise import pairwise_distances
from mlcore.maths.smoothest import smoothest
from mlcore.reduction.isomap import Isomap, _paths
from mlcore.reduction.laplacian_eigenmaps import LaplacianEigenmaps
from mlcore.reduction.lle import LLE
from mlcore.reduction.mds_kinds import spectrum
from mlcore.reduction.pca import PCA
from mlcore.spine.errors import DataError

IRIS = np.unique(load_iris().data, axis=0)
MAPS = [Isomap, LLE, LaplacianEigenmaps]


def roll(n=500, seed=0):
    """A swiss roll, and the angle along it."""
    rng = np.random.default_rng(seed)
    angle, across = 1.5 * np.pi * (1 + 2 * rng.random(n)), 21 * rng.random(n)
    return np.column_stack([angle * np.cos(angle), across, angle * np.sin(angle)]), angle


def rank_correlation(a, b):
    return abs(np.corrcoef(a.argsort().argsort(), b.argsort().argsort())[0, 1])


@pytest.mark.parametrize("cls", MAPS)
def test_a_bent_sheet_is_unrolled(cls):
    X, angle = roll(900)
    fit = cls(n_neighbors=8).fit(X)
    assert rank_correlation(fit.coordinates[:, 0], angle[fit.kept_rows]) > 0.97
    straight = PCA(n_components=1).fit(X).transform(X)[:, 0]
    assert rank_correlation(straight, angle) < 0.6


@pytest.mark.parametrize("cls", MAPS)
def test_fitted_rows_keep_their_places_and_others_lie_among_them(cls):
    X = roll(600)[0]
    fit = cls(n_neighbors=8).fit(X)
    spread = np.ptp(fit.coordinates)
    np.testing.assert_allclose(fit.transform(X[fit.kept_rows]), fit.coordinates, atol=1e-9 * spread)
    between = roll(60, seed=9)[0]
    nearest = ((between[:, None] - X[fit.kept_rows]) ** 2).sum(axis=2).argmin(axis=1)
    away = np.abs(fit.transform(between) - fit.coordinates[nearest]).max(axis=1)
    assert np.median(away) < 0.1 * spread


def test_isomap_of_the_complete_graph_is_pca():
    ours = Isomap(n_neighbors=149, n_components=3).fit(IRIS)
    pca = PCA(n_components=3, divisor="n").fit(IRIS)
    new = IRIS[::9] + 0.2
    np.testing.assert_allclose(ours.variances, pca.variances)
    np.testing.assert_allclose(np.abs(ours.transform(new)), np.abs(pca.transform(new)), atol=1e-8)
    assert ours.negative_share < 1e-12


def test_paths_are_those_of_scipy():
    X = roll(300)[0]
    lengths = neighborhood_graph(X, k=6).lengths
    every, some = np.arange(300), np.array([3, 70, 71, 299])
    known = dijkstra(lengths)
    np.testing.assert_allclose(_paths(lengths, every), known, rtol=1e-13)
    np.testing.assert_allclose(_paths(lengths, some), known[:, some], rtol=1e-13)


@pytest.mark.parametrize("metric", [Manhattan(), Mahalanobis(), Cosine()])
def test_isomap_by_another_distance_follows_paths_of_its_lengths(metric):
    X, new = IRIS[::2] + 1.0, IRIS[1::8] + 1.1
    fit = Isomap(metric=metric, n_neighbors=6).fit(X)
    rows = X[fit.kept_rows]
    graph = neighborhood_graph(rows, k=6, metric=fit.frame)
    known = dijkstra(graph.lengths)
    np.testing.assert_allclose(fit.paths, known, rtol=1e-12)
    # The classical map of these paths, by the definition.
    eigenvalues = spectrum(known)
    np.testing.assert_allclose(fit.coordinates, eigenvalues.coordinates(2), atol=1e-9 * known.max())
    # A new row goes to its nearest by the same distance, then along their paths; Gower's formula.
    near = kneighbors(rows, new, k=6, metric=fit.frame)
    lengths = (near.distances[:, :, None] + known[near.rows]).min(axis=1)
    placed = 0.5 * (eigenvalues.norms - lengths**2) @ fit.coordinates / eigenvalues.values[:2]
    np.testing.assert_allclose(fit.transform(new), placed, atol=1e-9 * known.max())
    assert len(fit.edges) == graph.lengths.nnz // 2


def test_lle_by_a_distance_that_learns_is_that_of_the_rows_in_its_space():
    X, new, metric = IRIS[::2], IRIS[1::7] + 0.1, Mahalanobis()
    fit, frame = LLE(metric=metric).fit(X), metric.frame(X, None)
    straight = LLE().fit(frame.placed(X))
    np.testing.assert_allclose(fit.coordinates, straight.coordinates, atol=1e-9)
    np.testing.assert_allclose(fit.residuals, straight.residuals, atol=1e-12)
    np.testing.assert_allclose(fit.transform(new), straight.transform(frame.placed(new)), atol=1e-9)
    with pytest.raises(DataError, match="which needs distances in a straight line; Manhattan is"):
        LLE(metric=Manhattan()).fit(X)


def test_laplacian_eigenmaps_by_another_distance_are_those_of_its_graph():
    X, new = IRIS[::2], IRIS[1::7] + 0.1
    fit = LaplacianEigenmaps(metric=Manhattan(), n_neighbors=20).fit(X)
    rows = X[fit.kept_rows]
    W = (neighborhood_graph(rows, k=20, metric="manhattan").lengths.toarray() > 0).astype(float)
    D = W.sum(axis=1)
    values = np.linalg.eigvalsh(np.eye(len(rows)) - W / np.sqrt(np.outer(D, D)))
    np.testing.assert_allclose(fit.eigenvalues, values[1:3], atol=1e-9)
    slopes = (np.diag(D) - W) @ fit.coordinates
    np.testing.assert_allclose(slopes, D[:, None] * fit.coordinates * fit.eigenvalues, atol=1e-8)
    near = kneighbors(rows, new, k=20, metric="manhattan").rows
    placed = fit.coordinates[near].mean(axis=1) / (1.0 - fit.eigenvalues)
    np.testing.assert_allclose(fit.transform(new), placed, atol=1e-9)


def test_isomap_of_a_table_of_distances_is_that_of_its_rows():
    X = IRIS[::3]
    D, new = pairwise_distances(X), pairwise_distances(IRIS[1::9], X)
    table, rows = Isomap(metric=Precomputed()).fit(D), Isomap().fit(X)
    np.testing.assert_allclose(table.coordinates, rows.coordinates, atol=1e-9)
    assert table.transform(new).shape == (len(new), 2)
    again = table.transform(D[table.kept_rows])
    np.testing.assert_allclose(again, rows.coordinates, atol=1e-9)


def test_isomap_refuses_rows_that_its_distance_cannot_tell_apart():
    with pytest.raises(DataError, match="by Cosine distance all that are joined are equal"):
        Isomap(metric=Cosine()).fit(np.arange(1.0, 9.0)[:, None])


def test_paths_that_are_all_as_long_have_no_correlation_with_a_map():
    fit = Isomap(metric=Precomputed()).fit(1.0 - np.eye(3))
    assert np.isnan(fit.residual_variance[-1])
    np.testing.assert_allclose(pdist(fit.coordinates), 1.0)


def test_as_many_landmarks_as_rows_are_every_row():
    X = roll(300)[0]
    every, named = Isomap(n_neighbors=8).fit(X), Isomap(n_neighbors=8, n_landmarks=300).fit(X)
    np.testing.assert_array_equal(every.coordinates, named.coordinates)
    assert not named.notes


def test_few_landmarks_unroll_as_well_and_place_the_others():
    X, angle = roll(700)
    every = Isomap(n_neighbors=8).fit(X)
    few = Isomap(n_neighbors=8, n_landmarks=60).fit(X)
    assert rank_correlation(few.coordinates[:, 0], angle) > 0.99
    assert np.corrcoef(pdist(every.coordinates), pdist(few.coordinates))[0, 1] > 0.99
    assert few.residual_variance[1] < 0.01 < few.residual_variance[0]
    assert "60 of 700" in few.notes[-1]
    # A landmark lies where the classical map of the landmarks has it, and where it is placed again.
    again = few.transform(X[few.landmarks])
    np.testing.assert_allclose(again, few.coordinates[few.landmarks], atol=1e-9 * np.ptp(again))
    np.testing.assert_allclose(few.coordinates[few.landmarks].mean(axis=0), 0, atol=1e-9)


def test_how_many_rows_they_take_depends_on_the_columns():
    few, many = (np.arange(10_001 * p, dtype=float).reshape(-1, p) for p in (2, 4))
    assert Isomap().applies(many) is None
    assert "at most 5,000 rows" in str(Isomap(n_landmarks=9_000).applies(few))
    assert Isomap().most_rows(4) == 25_000
    for cls in (LLE, LaplacianEigenmaps):
        assert cls().applies(few) is None
        assert "at most 10,000 rows of 4 columns; there are 10,001" in str(cls().applies(many))


def test_more_neighbours_short_cut_the_roll():
    X = roll(800)[0]
    few, many = (Isomap(n_neighbors=k).fit(X) for k in (8, 30))
    assert few.residual_variance[1] < 0.01 < 0.05 < many.residual_variance[1]
    assert few.negative_share < 0.1 < many.negative_share
    assert few.residual_variance[1] < few.residual_variance[0]


@pytest.mark.parametrize(
    ("k", "off", "negative"), [(12, (0.016393, 0.000549), 0.0394), (16, (0.42238, 0.11114), 0.2281)]
)
def test_one_shortcut_decides_on_the_worked_roll(k, off, negative):
    """Drawn from one generator: 12 neighbours unroll it, 16 reach the next turn."""
    u, v = np.random.default_rng(0).uniform(size=(2, 800))
    t = 1.5 * np.pi * (1 + 2 * u)
    fit = Isomap(n_neighbors=k).fit(np.column_stack([t * np.cos(t), 21 * v, t * np.sin(t)]))
    np.testing.assert_allclose(fit.residual_variance, off, atol=5e-6)
    assert fit.negative_share == pytest.approx(negative, abs=5e-5)


@pytest.mark.parametrize("nu", [1e-9, 0.1, 1.0, 1e9])
def test_combinations_of_two_neighbours_by_hand(nu):
    """Of 0: ±1 share it evenly; 1 and 2 with weights 2 + nu and nu - 1 over their sum."""
    method = LLE(reg=min(nu, 1.0), reg_scale="absolute")
    unit = np.sqrt(max(nu, 1.0))  # a large nu is one beside small squares
    for near, weights in (((1.0, -1.0), (0.5, 0.5)), ((1.0, 2.0), (2 + nu, nu - 1))):
        rows = np.array(near)[:, None] / unit
        made = method.combinations(np.zeros((1, 1)), rows, np.array([[0, 1]]))
        np.testing.assert_allclose(made[0], np.array(weights) / sum(weights), atol=1e-7)


def test_a_ridge_that_vanishes_beside_the_distances_is_told():
    X = 1e8 * np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(DataError, match=r"a ridge of 0\.001 vanishes .* share of the variance"):
        LLE(n_neighbors=5, reg_scale="absolute").fit(X)


def test_combinations_have_sum_one_and_solve_their_equations():
    fit = LLE(n_neighbors=5, reg=1e-9).fit(IRIS)
    np.testing.assert_allclose(fit.weights.sum(axis=1), 1.0)
    # Moving, turning or scaling the rows changes no weight.
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    X = IRIS[fit.kept_rows]
    moved = LLE(n_neighbors=5).combinations(X @ turn * 7 + 3, X @ turn * 7 + 3, fit.neighbours)
    same = LLE(n_neighbors=5).combinations(X, X, fit.neighbours)
    np.testing.assert_allclose(moved, same, atol=1e-7)


@pytest.mark.parametrize("n", [150, 500])
def test_coordinates_are_scaled_as_said(n):
    X = roll(n)[0]
    Y = LLE(n_neighbors=8).fit(X).coordinates
    np.testing.assert_allclose(Y.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(Y.T @ Y / len(Y), np.eye(2), atol=1e-8)
    graph = neighborhood_graph(X, k=10).lengths
    D = np.diff(graph.indptr)
    U = LaplacianEigenmaps().fit(X).coordinates
    np.testing.assert_allclose(U.T @ (D[:, None] * U), np.eye(2), atol=1e-8)
    np.testing.assert_allclose(D @ U, 0, atol=1e-8)


@pytest.mark.parametrize("p", [3, 9])
def test_few_smooth_functions_are_those_of_all(p):
    from scipy.sparse import csr_array

    path = np.diag(np.r_[1.0, np.full(398, 2.0), 1.0]) - np.eye(400, k=1) - np.eye(400, k=-1)
    smooth = smoothest(csr_array(path), np.ones(400), 3, p)
    exact = 2 - 2 * np.cos(np.pi * np.arange(1, 4) / 400)
    np.testing.assert_allclose(smooth.values, exact, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(path @ smooth.vectors, axis=0), exact, rtol=1e-5)


@pytest.mark.parametrize("cls", MAPS)
def test_parts_that_hang_apart_are_said_and_placed_or_refused(cls):
    X = np.vstack([IRIS, IRIS[:20] + 100])
    fit = cls(n_neighbors=6).fit(X)
    assert len(fit.kept_rows) < len(X)
    assert "The neighbour graph falls into" in fit.notes[0]
    assert np.isfinite(fit.transform(X)).all()
    with pytest.raises(DataError, match="falls into"):
        cls(n_neighbors=6, disconnected="refuse").fit(X)
    with pytest.raises(DataError, match="none of three rows"):
        cls(radius=1e-6).fit(IRIS)


@pytest.mark.parametrize("settings", [{}, {"n_landmarks": 60}, {"metric": "manhattan"}])
def test_the_stages_of_isomap_lead_from_straight_distances_to_the_fit(settings):
    method = Isomap(n_neighbors=6, **settings)
    fit, steps = method.fit(IRIS), list(method.steps(IRIS))
    assert [step.k for step in steps] == [0, 1, 2, 3]
    straight = steps[0].state
    if not settings:  # the classical map of straight distances is that of the principal axes
        rows = IRIS[fit.kept_rows]
        scores = np.abs(PCA(n_components=2).fit(rows).transform(rows))
        np.testing.assert_allclose(np.abs(straight.coordinates), scores, atol=1e-8)
        away = pdist(straight.coordinates)
        off = 1 - np.corrcoef(away, squareform(fit.paths, checks=False))[0, 1] ** 2
        assert steps[0].objective == pytest.approx(off)
    # A fit as it stood at a stage places the rows where the stage has them.
    first, half = (replace(fit, **vars(steps[k].state)) for k in (0, 2))
    own = fit.kept_rows
    np.testing.assert_allclose(first.transform(IRIS)[own], straight.coordinates, atol=1e-8)
    np.testing.assert_allclose(half.transform(IRIS)[own, 0], fit.coordinates[:, 0], atol=1e-8)
    assert not half.coordinates[:, 1].any()
    np.testing.assert_array_equal(steps[-1].state.coordinates, fit.coordinates)
    assert [s.objective for s in steps[2:]] == pytest.approx(list(fit.residual_variance))
