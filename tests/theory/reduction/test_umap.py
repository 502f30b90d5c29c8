"""What the theory says of UMAP, without a reference."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, log2

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from mlcore.distances.metrics import Cosine, Euclidean, Frame, Manhattan
from mlcore.distances.neighbours import Neighbours
from mlcore.evaluation.map_neighbours import neighbours_kept
from mlcore.reduction.fuzzy import _kernels, start
from mlcore.reduction.fuzzy.sets import edges_of, fuzzy_graph, memberships
from mlcore.reduction.fuzzy.supervised import SupervisedUMAP, with_labels
from mlcore.reduction.fuzzy.umap import UMAP, shape_of
from mlcore.reduction.tsne import TSNE
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import last

LINE = np.array([[0.0], [1.0], [3.0], [6.0]])
CLOUDS = np.vstack([np.random.default_rng(k).normal(6 * k, 1, size=(40, 5)) for k in range(3)])
IRIS = load_iris().data


@pytest.mark.parametrize(
    ("min_dist", "a", "b"), [(0.1, 1.577, 0.8951), (0.0, 1.933, 0.7905), (0.5, 0.583, 1.334)]
)
def test_memberships_in_the_map_have_the_published_shape(min_dist, a, b):
    """The first pair is what the defaults of the reference implementation come to."""
    assert shape_of(min_dist) == pytest.approx((a, b), abs=5e-4)


def test_fuzzy_sets_of_four_rows_on_a_line():
    """Row 0 has 1 at its nearest, and log2(3) - 1 at the row that lies 2 beyond; row 1 two."""
    rest = log2(3) - 1
    near = Neighbours(LINE).others(2)
    of = memberships(near.distances, log2(3), own=True)
    np.testing.assert_allclose(of.weights, [[1, rest]] * 4, rtol=1e-12)
    np.testing.assert_allclose(of.nearest, [1, 1, 2, 3])
    np.testing.assert_allclose(of.widths, -np.array([2, 1, 1, 2]) / log(rest), rtol=1e-12)
    # Rows 0 and 2 have one another among their nearest, by the rest each.
    both = 2 * rest - rest**2
    expected = [[0, 1, both, 0], [1, 0, 1, rest], [both, 1, 0, 1], [0, rest, 1, 0]]
    np.testing.assert_allclose(fuzzy_graph(LINE, 3).toarray(), expected, rtol=1e-12)


def test_a_fuzzy_graph_is_the_union_by_its_definition():
    rng = np.random.default_rng(0)
    X, k = rng.normal(size=(40, 3)), 6
    near = Neighbours(X).others(k - 1)
    W = np.zeros((40, 40))
    for i in range(40):
        d = near.distances[i]
        low, high = 1e-9, 1e9
        for _ in range(200):
            middle = (low * high) ** 0.5
            total = sum(exp(-(each - d[0]) / middle) for each in d)
            low, high = (low, middle) if total > log2(k) else (middle, high)
        W[i, near.rows[i]] = np.exp(-(d - d[0]) / low)
    np.testing.assert_allclose(fuzzy_graph(X, k).toarray(), W + W.T - W * W.T, rtol=1e-9)


def test_rows_that_are_equal_belong_together_for_certain():
    X = np.repeat(np.arange(4.0)[:, None], 6, axis=0)
    graph = fuzzy_graph(X, 5).toarray()
    assert np.isfinite(graph).all()
    assert set(graph[graph > 0]) == {1.0}


def test_a_pull_is_down_the_slope_of_the_loss():
    """Of one edge of weight 1, both ends moved, beside differences of log(1 + a d^(2b))."""
    a, b = shape_of(0.1)
    Y, h = np.array([[0.3, -0.2], [1.1, 0.9]]), 1e-6

    def loss(Y):
        return log(1 + a * ((Y[0] - Y[1]) ** 2).sum() ** b)

    slopes = np.zeros((2, 2))
    for at in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[at] = h
        slopes[at] = (loss(Y + step) - loss(Y - step)) / (2 * h)
    to, due, never = Y.copy(), np.zeros(1), np.full(1, 1e9)
    one, other = np.array([0]), np.array([1])
    rate = 1e-3
    _kernels.epochs(one, other, np.ones(1), due, never, to, 0, 1, 10**9, a, b, rate, 5, 7)
    # The pull of the second end sees where the first one has come to within the rate.
    np.testing.assert_allclose((Y - to) / rate, slopes, rtol=5e-3)
    assert due[0] == 1.0


def test_an_edge_pulls_as_often_as_it_weighs():
    edges = edges_of(fuzzy_graph(IRIS, 10), 50)
    waits = edges.weights.max() / edges.weights
    due, pushes = waits.copy(), waits / 5
    Y = start.boxed(IRIS[:, :2], 2, np.random.default_rng(0))
    _kernels.epochs(*edges[:2], waits, due, pushes, Y, 0, 50, 50, 1.0, 1.0, 1.0, 5, 1)
    times = np.round(due / waits) - 1
    assert np.abs(times - 49 / waits).max() <= 1


def test_the_spectral_start_is_the_smoothest_function_of_few_rows_and_of_many():
    """By all eigenvectors, and by a rough search: the same plane."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.linspace(0, 30, 400), rng.normal(size=400)])
    graph = fuzzy_graph(X, 15)
    roots = np.sqrt(graph.sum(axis=1))
    exact = np.linalg.eigh(graph.toarray() / np.outer(roots, roots))[1][:, -2:-4:-1]
    found = start.spectral(graph, 2)
    np.testing.assert_allclose(np.abs(exact.T @ found), np.eye(2), atol=2e-3)
    order = np.argsort(np.argsort(found[:, 0] / roots))
    assert abs(np.corrcoef(order, np.arange(400))[0, 1]) > 0.95


@pytest.mark.parametrize("init", ["spectral", "pca", "random", "columns"])
def test_the_last_step_is_the_fit_and_the_loss_has_fallen(init):
    method = UMAP(init=init, n_epochs=60)
    steps = [(step.k, step.objective) for step in method.steps(CLOUDS, seed=1)]
    fit, end = method.fit(CLOUDS, seed=1), last(method.steps(CLOUDS, seed=1))
    np.testing.assert_array_equal(fit.coordinates, end.state.embedding)
    assert fit.loss == end.objective == steps[-1][1]
    assert fit.loss < steps[0][1]
    assert len(steps) == 61


def test_a_map_may_begin_at_the_first_columns():
    Y = next(UMAP(init="columns").steps(CLOUDS)).state.embedding
    for k in range(2):
        assert np.corrcoef(Y[:, k], CLOUDS[:, k])[0, 1] > 1 - 1e-6
    fit = UMAP(init="columns", n_epochs=5).fit(CLOUDS)
    assert "left to its start, the first columns" in fit.notes[0]


def test_parts_of_the_graph_are_told():
    assert "falls into 3 parts" in UMAP(n_epochs=5).fit(CLOUDS).notes[0]
    assert UMAP(n_epochs=5, n_neighbors=60).fit(CLOUDS).notes == ()


def test_fitted_rows_keep_their_place_and_others_need_no_company():
    fit = UMAP(n_epochs=100).fit(CLOUDS[::2])
    np.testing.assert_array_equal(fit.transform(CLOUDS[::2]), fit.coordinates)
    together = fit.transform(CLOUDS[1::2])
    alone = np.vstack([fit.transform(row[None]) for row in CLOUDS[1::2]])
    np.testing.assert_array_equal(together, alone)
    # Each lies in the cloud that it was drawn for.
    centers = fit.coordinates.reshape(3, 20, 2).mean(axis=1)
    apart = np.linalg.norm(together[:, None] - centers, axis=2)
    np.testing.assert_array_equal(apart.argmin(axis=1), np.repeat(np.arange(3), 20))


def test_units_change_nothing():
    near, far = (UMAP(n_epochs=30).fit(CLOUDS * unit) for unit in (1.0, 2.0**40))
    np.testing.assert_array_equal(near.coordinates, far.coordinates)


@pytest.mark.slow
def test_neighbours_of_digits_and_iris_are_true():
    """As true as those of the reference implementation: .988 and .98 within .01."""
    X = load_digits().data
    digits = neighbours_kept(X, UMAP().fit(X).coordinates, 10)
    assert digits.trustworthiness > 0.985
    assert digits.trustworthiness > neighbours_kept(X, TSNE().fit(X).embedding, 10)[0] - 0.01
    assert neighbours_kept(IRIS, UMAP().fit(IRIS).coordinates, 10).trustworthiness > 0.975
    held = UMAP().fit(X[::2]).transform(X[1::2])
    assert neighbours_kept(X[1::2], held, 10).trustworthiness > 0.97


@pytest.mark.parametrize(
    ("weight", "total", "first"),
    [(0.0, 48.703033, 0.9983), (0.5, 47.502583, 0.9983), (0.9, 47.391624, 0.9983)],
)
def test_the_graph_with_labels_is_that_of_the_reference_implementation(weight, total, first):
    """Golden: `UMAP(n_neighbors=5, target_weight=weight).fit(X, y).graph_`, umap-learn 0.5.12."""
    X, y = IRIS[::10], load_iris().target[::10]
    graph = with_labels(fuzzy_graph(X, 5), y, weight)
    assert graph.sum() == pytest.approx(total, abs=5e-5)  # it holds them as float32
    assert graph[[0]].toarray()[0, 1] == pytest.approx(first, abs=1e-6)


def test_labels_weaken_edges_by_their_definition():
    graph, codes, weight = fuzzy_graph(IRIS, 10), np.arange(150) % 3, 0.3
    W = graph.toarray()
    W *= np.where(codes[:, None] == codes, 1.0, exp(-2.5 / (1 - weight)))
    W /= W.max(axis=1, keepdims=True)
    made = with_labels(graph, codes, weight).toarray()
    np.testing.assert_allclose(made, W + W.T - W * W.T, rtol=1e-12)


def test_labels_of_chance_part_the_fitted_rows_but_no_others():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 10)), rng.integers(2, size=400)
    fit = SupervisedUMAP(target_weight=0.9).fit(X[:200], y[:200])
    assert _right(fit.coordinates, y[:200], fit.coordinates, y[:200], own=1) > 0.8
    assert 0.4 < _right(fit.coordinates, y[:200], fit.transform(X[200:]), y[200:]) < 0.6
    plain = UMAP().fit(X[:200]).coordinates
    assert _right(plain, y[:200], plain, y[:200], own=1) < 0.65


def _right(Z, y, at, truth, own=0):
    """How often the nearest in a map is of the same class."""
    squares = ((at[:, None] - Z) ** 2).sum(axis=2)
    return (y[squares.argsort(axis=1)[:, own]] == truth).mean()


def test_digits_left_out_find_their_own():
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    fit = SupervisedUMAP().fit(X[:450], y[:450])
    assert _right(fit.coordinates, y[:450], fit.transform(X[450:]), y[450:]) > 0.85
    edges = fit.graph  # of the fit: computed again, from rows and labels
    assert edges.shape == (450, 450)
    differ = y[:450][fit.edges[:, 0]] != y[:450][fit.edges[:, 1]]
    assert fit.strengths[differ].max() < fit.strengths[~differ].max() == 1.0


def test_a_quantity_is_no_class():
    with pytest.raises(DataError, match="Supervised UMAP"):
        SupervisedUMAP().fit(IRIS, IRIS[:, 0])


@pytest.mark.parametrize("metric", [Euclidean(), Cosine(), Manhattan()])
def test_a_fit_holds_together_with_its_frame(metric):
    fit = UMAP(metric=metric, n_epochs=2).fit(IRIS)
    assert fit.holds_together()
    other = Frame(axes=np.eye(3))  # of three columns, not four
    assert not replace(fit, frame=other).holds_together()
    assert not replace(fit, frame=Frame(own=np.array([0, 4]))).holds_together()
    assert not replace(fit, frame=Frame(power=-1.0)).holds_together()
    assert not replace(fit, rows=IRIS[:, :3]).holds_together()
    assert not replace(fit, coordinates=fit.coordinates[:-1]).holds_together()
    few = SupervisedUMAP(n_epochs=2).fit(IRIS, load_iris().target)
    assert few.holds_together()
    assert not replace(few, codes=few.codes[:-1]).holds_together()


def test_the_distance_decides_on_the_graph():
    rng = np.random.default_rng(4)
    X, lengths = rng.normal(size=(50, 4)), rng.uniform(0.5, 20, size=(50, 1))
    by_angle = UMAP(metric=Cosine(), n_epochs=5)
    # The length of a row does not matter, and its angle is the chord of the unit sphere.
    graph = by_angle.fit(X, seed=0).graph.toarray()
    np.testing.assert_allclose(by_angle.fit(lengths * X, seed=0).graph.toarray(), graph, rtol=1e-7)
    chords = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(graph, fuzzy_graph(chords, 15).toarray(), rtol=1e-9)
    by_sums = UMAP(metric=Manhattan(), n_epochs=5).fit(X, seed=0).graph.toarray()
    np.testing.assert_allclose(by_sums, fuzzy_graph(X, 15, 1.0).toarray(), rtol=1e-12)
    assert np.abs(by_sums - fuzzy_graph(X, 15).toarray()).max() > 0.1


def test_a_row_in_the_direction_of_a_fitted_one_has_its_place():
    fit = UMAP(metric=Cosine(), n_epochs=20).fit(CLOUDS, seed=0)
    np.testing.assert_allclose(fit.transform(4.0 * CLOUDS[:5]), fit.coordinates[:5], atol=1e-9)
