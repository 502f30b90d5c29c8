"""Scores learned from costs: against finite differences, and where the minimum is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from mlcore.classification.cost_losses import CostSum, GuessAverse
from mlcore.classification.cost_sensitive import CostSensitive
from mlcore.classification.costs import CostMatrix, PerClass
from mlcore.evaluation.cost_scores import mean_cost
from mlcore.optimisation.penalties import L2
from mlcore.regression.linear_regression import LinearRegression
from mlcore.spine.errors import ParamError
from mlcore.svm.svc import SVC

COSTS = CostMatrix(entries=(0.0, 1.0, 4.0, 2.0, 0.0, 1.0, 9.0, 3.0, 0.0))
HINGE = CostSum(psi="hinge")
LOSSES = [
    CostSum(), CostSum(psi="logistic"), CostSum(psi="hinge"), CostSum(psi="squared_hinge"),
    CostSum(psi="squared"),
    GuessAverse(),
]  # fmt: skip


def clouds(n=150, K=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + 2.0 * np.eye(K, 3)[y], y


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_slopes_and_curvatures_are_those_of_the_value(loss):
    rng = np.random.default_rng(1)
    y, Z, h = np.arange(12) % 3, rng.normal(size=(3, 12)), 1e-5
    it = loss.of(COSTS.matrix(3))
    local = it.at(y, Z)
    for a in range(3):
        step = h * np.eye(3)[a][:, None]
        up, down = it.at(y, Z + step), it.at(y, Z - step)
        np.testing.assert_allclose(local.slope[a], (up.value - down.value) / (2 * h), 1e-5, 1e-9)
        for b in range(3):
            bend = np.abs(up.slope[b] - down.slope[b]) / (2 * h)
            np.testing.assert_allclose(it.curvature(y, local, a, b), bend, rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(local.slope.sum(axis=0), 0.0, atol=1e-12)


def test_without_columns_the_scores_are_minus_the_logarithms_of_the_expected_costs():
    """Sum of R_k e^{f_k} over scores of sum 0 is least at f_k = mean log R - log R_k."""
    y = np.repeat(np.arange(3), [5, 3, 2])
    fit = CostSensitive(costs=COSTS, penalty="none", tol=1e-10).fit(np.zeros((10, 1)), y)
    expected = np.array([0.5, 0.3, 0.2]) @ COSTS.matrix(3)
    np.testing.assert_allclose(fit.intercept, np.log(expected).mean() - np.log(expected), atol=1e-6)
    assert fit.predict([[0.0]])[0] == expected.argmin()


@pytest.mark.parametrize(("loss", "share"), [(CostSum(), 1.0), (GuessAverse(), 0.5)])
def test_of_two_classes_the_score_is_the_logarithm_of_the_ratio_of_costs(loss, share):
    y = np.repeat([0, 1], [8, 2])
    method = CostSensitive(loss=loss, costs=PerClass(values=(1.0, 6.0)), penalty="none", tol=1e-10)
    fit = method.fit(np.zeros((10, 1)), y)
    assert fit.intercept == pytest.approx(share * np.log(2 * 6 / 8), abs=1e-6)
    assert fit.predict([[0.0]])[0] == 1  # though four of five rows are of the first class


def test_the_guess_averse_class_need_not_be_the_cheapest_of_three():
    """For 4, 4 and 2 rows the classes cost 34, 13 and 4, and it says the second."""
    y = np.repeat(np.arange(3), [4, 4, 2])
    costs = CostMatrix(entries=(0.0, 3.0, 0.5, 8.0, 0.0, 0.5, 1.0, 0.5, 0.0))
    np.testing.assert_array_equal(np.bincount(y) @ costs.matrix(3), [34, 13, 4])
    said = [
        CostSensitive(loss=loss, costs=costs, penalty="none", tol=1e-10)
        .fit(np.zeros((10, 1)), y)
        .predict([[0.0]])[0]
        for loss in LOSSES
    ]
    assert said == [2, 2, 2, 2, 2, 1]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_costs_are_lower_where_they_are_known(loss):
    X, y = clouds(800, 2, seed=3)
    seldom = PerClass(values=(1.0, 10.0))
    plain, aware = (
        CostSensitive(loss=loss, costs=costs).fit(X[:400], y[:400])
        for costs in ("zero_one", seldom)
    )
    costs = seldom.matrix(2)
    mean = [costs[y[400:], fit.predict(X[400:])].mean() for fit in (plain, aware)]
    assert mean[1] < 0.9 * mean[0]
    assert mean_cost(aware, X[400:], y[400:]) == pytest.approx(mean[1])


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_weight_is_a_row_that_comes_as_often(loss):
    X, y = clouds(60)
    w = np.random.default_rng(2).integers(1, 4, len(y))
    method = CostSensitive(loss=loss, costs=COSTS, tol=1e-9)
    weighed = method.fit(X, y, weights=w.astype(float))
    repeated = method.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    atol = 1e-4 if loss == HINGE else 1e-5
    np.testing.assert_allclose(weighed.coefficients, repeated.coefficients, atol=atol)
    np.testing.assert_allclose(weighed.coefficients.sum(axis=0), 0.0, atol=1e-12)


def test_penalties_with_corners_are_refused():
    with pytest.raises(ParamError, match="needs a penalty without corners"):
        CostSensitive(penalty="l1")


def test_squares_of_two_classes_are_least_squares_of_plus_and_minus_one():
    X, y = clouds(K=2)
    method = CostSensitive(loss=CostSum(psi="squared"), penalty="none", tol=1e-10)
    plane = LinearRegression().fit(X, 2.0 * y - 1.0)
    # Scores of sum 0 lie as far on either side of it.
    np.testing.assert_allclose(method.fit(X, y).decision(X), 2.0 * plane.predict(X), atol=1e-6)


def test_without_columns_the_hinge_says_the_cheapest_class_as_far_as_the_sum_allows():
    """Lee, Lin and Wahba (2004), lemma 1: K - 1 for the class of least cost, -1 for the others."""
    y = np.repeat(np.arange(3), [5, 3, 2])
    method = CostSensitive(loss=HINGE, costs=COSTS, penalty="none", tol=1e-10)
    fit = method.fit(np.zeros((10, 1)), y)
    np.testing.assert_allclose(fit.intercept, [-1.0, 2.0, -1.0], atol=1e-6)


def test_the_hinge_of_two_classes_is_a_support_vector_machine():
    """Scores +f and -f have twice the length of f, so C = 1 / (2 alpha)."""
    X, y = clouds(K=2)
    fit = CostSensitive(loss=HINGE, penalty=L2(alpha=0.25), tol=1e-10).fit(X, y)
    machine = SVC(kernel="linear", C=2.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(fit.decision(X), 2.0 * machine.decision(X), atol=1e-4)


@pytest.mark.parametrize("K", [2, 4])
def test_without_a_penalty_the_hinge_is_a_linear_programme(K):
    """Of f_k = w_k x + b_k and gaps: f_k - gap <= -1, gap >= 0, sum of the scores 0."""
    X, y = clouds(60, K, seed=4)
    X, costs = X + np.random.default_rng(5).normal(size=X.shape), np.arange(1.0, 1.0 + K)
    rows, q = np.column_stack([X, np.ones(len(X))]), X.shape[1] + 1
    C = (costs[:, None] * (1 - np.eye(K)))[y]
    least = linprog(
        np.r_[np.zeros(K * q), C.T.ravel()],
        A_ub=np.hstack([np.kron(np.eye(K), rows), -np.eye(K * len(X))]),
        b_ub=np.full(K * len(X), -1.0),
        A_eq=np.hstack([np.kron(np.ones(K), np.eye(q)), np.zeros((q, K * len(X)))]),
        b_eq=np.zeros(q),
        bounds=[(None, None)] * (K * q) + [(0, None)] * (K * len(X)),
    ).fun
    costly = PerClass(values=tuple(costs))
    method = CostSensitive(loss=HINGE, costs=costly, penalty="none", tol=1e-10)
    assert method.fit(X, y).objective == pytest.approx(least, rel=1e-7)
