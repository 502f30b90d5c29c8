"""Labels that spread: by hand, as the solution of linear equations, and in a run."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.semi_supervised import LabelPropagation as Propagation
from sklearn.semi_supervised import LabelSpreading as Spreading

from mlcore.classification.clamps import Hard, Soft
from mlcore.classification.label_propagation import LabelPropagation
from mlcore.distances.graphs import EpsilonGraph, GaussianGraph, KNNGraph, degrees
from mlcore.runs.fitting import fitted
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import record

RNG = np.random.default_rng(4)
X = np.vstack([RNG.normal(0, 1, (40, 2)), RNG.normal(2.5, 1, (40, 2))])
KNOWN, HIDDEN = np.array([0, 1, 2, 40, 41]), np.r_[3:40, 42:80]
Y = np.array([0, 0, 0, 1, 1])
GRAPHS = [KNNGraph(n_neighbors=6), EpsilonGraph(radius=1.5), GaussianGraph(width=0.5)]
CLAMPS = [Hard(), Soft(alpha=0.7)]


def spread(graph, clamp=CLAMPS[0]):
    """The fit to few labels of two clouds."""
    method = LabelPropagation(graph=graph, clamp=clamp, tol=1e-12, max_iter=20_000)
    return method.fit(X[KNOWN], Y, unlabelled=X[HIDDEN])


def test_a_chain_of_four_by_hand():
    ends = LabelPropagation(graph=EpsilonGraph(radius=1.0), tol=1e-12)
    fit = ends.fit([[0.0], [3.0]], ["a", "b"], unlabelled=[[1.0], [2.0]])
    np.testing.assert_allclose(fit.distributions[:, 1], [0, 1, 1 / 3, 2 / 3], atol=1e-10)
    np.testing.assert_array_equal(fit.completed, ["a", "b", "a", "b"])
    np.testing.assert_allclose(fit.certainty, [1, 1, 1 / 3, 1 / 3], atol=1e-10)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda it: it.card.name)
def test_the_end_is_the_solution_of_linear_equations(graph):
    n, rows = len(KNOWN), np.vstack([X[KNOWN], X[HIDDEN]])
    W, start = graph.weights(rows), np.zeros((len(rows), 2))
    W = W if isinstance(W, np.ndarray) else W.toarray()
    start[np.arange(n), Y] = 1
    L = np.diag(W.sum(axis=1)) - W
    harmonic = np.linalg.solve(L[n:, n:], W[n:, :n] @ start[:n])
    np.testing.assert_allclose(spread(graph).distributions[n:], harmonic, atol=1e-8)
    root = 1 / np.sqrt(degrees(W))
    S = W * np.outer(root, root)
    soft = 0.3 * np.linalg.solve(np.eye(len(W)) - 0.7 * S, start)
    expected = soft / soft.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(spread(graph, CLAMPS[1]).distributions, expected, atol=1e-10)


@pytest.mark.parametrize("clamp", CLAMPS, ids=["hard", "soft"])
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda it: it.card.name)
def test_no_sweep_raises_the_objective(graph, clamp):
    method = LabelPropagation(graph=graph, clamp=clamp)
    steps = record(method.steps(X[KNOWN], Y, unlabelled=X[HIDDEN]))
    energies = np.array([step.objective for step in steps])
    assert len(steps) > 5
    assert np.diff(energies).max() <= 1e-12 * energies[0]


@pytest.mark.parametrize("clamp", CLAMPS, ids=["hard", "soft"])
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda it: it.card.name)
def test_the_peer_on_the_same_graph(graph, clamp):
    rows, y = np.vstack([X[KNOWN], X[HIDDEN]]), np.r_[Y, np.full(len(HIDDEN), -1)]

    def kernel(A, B=None):
        W = graph.weights(rows)
        return W if isinstance(W, np.ndarray) else W.toarray()

    theirs = Propagation() if clamp == Hard() else Spreading(alpha=0.7)
    theirs.set_params(kernel=kernel, max_iter=100_000, tol=1e-11).fit(rows, y)
    ours = spread(graph, clamp)
    # Both stop by the change of a sweep, far behind the point where it can move a digit here.
    np.testing.assert_allclose(ours.distributions, theirs.label_distributions_, atol=1e-7)
    np.testing.assert_array_equal(ours.completed, theirs.transduction_)


def test_new_rows_are_told_as_by_the_peer():
    rows, y = np.vstack([X[KNOWN], X[HIDDEN]]), np.r_[Y, np.full(len(HIDDEN), -1)]
    theirs = Propagation(gamma=2, max_iter=100_000, tol=1e-11).fit(rows, y)  # width 0.5
    new = RNG.normal(1, 2, (50, 2))
    P = spread(GRAPHS[2]).probabilities(new)
    np.testing.assert_allclose(P, theirs.predict_proba(new), atol=1e-7)


def test_a_part_without_a_label_is_not_reached():
    far = X[HIDDEN] + np.where(np.arange(len(HIDDEN)) % 2, 1000.0, 0.0)[:, None]
    fit = LabelPropagation().fit(X[KNOWN], Y, unlabelled=far)
    is_far = np.r_[np.zeros(5, bool), np.arange(len(HIDDEN)) % 2 == 1]
    np.testing.assert_array_equal(fit.reached, ~is_far)
    np.testing.assert_allclose(fit.distributions[is_far], [[0.6, 0.4]] * is_far.sum())
    np.testing.assert_allclose(fit.probabilities([[1000.0, 1000.0]]), [[0.6, 0.4]])
    assert (fit.certainty[is_far] == 0).all()


def test_a_row_that_no_label_reached_has_no_say_about_new_rows():
    chain = LabelPropagation(graph=EpsilonGraph(radius=1.0))
    fit = chain.fit([[0.0], [3.0]], ["a", "b"], unlabelled=[[4.5]])
    np.testing.assert_array_equal(fit.reached, [True, True, False])
    np.testing.assert_array_equal(fit.probabilities([[3.75]]), [[0, 1]])


def test_the_rows_without_target_of_a_data_set_take_part():
    run = Run(data="students_semi", method=LabelPropagation())
    dataset = run.data.dataset({})
    prepared, fit = fitted(run, dataset, np.arange(10))
    assert (fit.known, len(fit.stored)) == (10, 10 + 285)
    np.testing.assert_array_equal(fit.stored[10:], prepared.transform(dataset.unlabelled))
    wrestles = dataset.truth.labels[dataset.unlabelled_rows] == 2
    assert (fit.completed[10:] == wrestles).mean() > 0.98


def test_unlabelled_rows_of_another_width_are_refused():
    with pytest.raises(DataError, match="unlabelled rows of 3 columns"):
        LabelPropagation().fit(X, np.arange(80) % 2, unlabelled=np.ones((2, 3)))
