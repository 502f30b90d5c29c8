"""Facts about losses, penalties, solvers and the objective in which they meet."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.optimisation import losses
from mlcore.optimisation.composed import Objective, minimise, walk
from mlcore.optimisation.fista import Fista, steepness
from mlcore.optimisation.gradient import GradientDescent, Stochastic
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.penalties import L1, L2, ElasticNetPenalty, NoPenalty

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 8)) + 2.0
X[:, 1] += X[:, 0]
Y = X @ np.array([2.0, -1, 0, 0, 3, 0, 0, 1]) + RNG.normal(size=60)
W = RNG.integers(0, 3, 60).astype(float)
CODES = RNG.integers(0, 4, 60)

LOSSES = [
    (losses.Squared(), 1, Y),
    (losses.Huber(delta=0.8), 1, Y),
    (losses.Logistic(), 1, (Y > 0).astype(float)),
    (losses.Softmax(), 4, CODES),
    (losses.Reference(1), 3, CODES),
    (losses.Sigmoids(), 4, CODES),
    (losses.Pairwise(4), 4, CODES),
]


@pytest.mark.parametrize(("loss", "m", "y"), LOSSES, ids=lambda it: type(it).__name__)
def test_slopes_and_curvatures_are_differences(loss, m, y):
    Z = np.random.default_rng(2).normal(size=(m, 60)) * 2 + (Y if y is Y else 0)
    h, at = 1e-5, loss.at(y, Z)
    for a in range(m):
        up, down = Z.copy(), Z.copy()
        up[a], down[a] = up[a] + h, down[a] - h
        up, down = loss.at(y, up), loss.at(y, down)
        np.testing.assert_allclose((up.value - down.value) / (2 * h), at.slope[a], atol=1e-8)
        for b in range(m):
            bend = loss.curvature(y, at, a, b)
            bend = np.zeros(60) if bend is None else bend if a == b else -bend
            differences = (up.slope[b] - down.slope[b]) / (2 * h)
            smooth = (
                np.abs(np.abs(Z[0] - y) - 0.8) > 1e-3 if isinstance(loss, losses.Huber) else ...
            )
            np.testing.assert_allclose(differences[smooth], bend[smooth], atol=1e-8)


@pytest.mark.parametrize(("loss", "m", "y"), LOSSES, ids=lambda it: type(it).__name__)
def test_no_curvature_is_above_the_bound(loss, m, y):
    for spread in (0.01, 1.0, 5.0):
        at = loss.at(y, np.random.default_rng(3).normal(size=(m, 60)) * spread)
        H = np.zeros((60, m, m))
        for a in range(m):
            for b in range(m):
                bend = loss.curvature(y, at, a, b)
                H[:, a, b] = 0 if bend is None else bend if a == b else -bend
        values = np.linalg.eigvalsh(H)
        assert values.min() > -1e-12
        assert values.max() <= loss.steepest * (1 + 1e-12)


def test_far_scores_neither_overflow_nor_lose_the_slope():
    for loss, m, y in LOSSES[2:]:
        at = loss.at(y, np.random.default_rng(4).normal(size=(m, 60)) * 1e4)
        assert np.isfinite(at.value).all()
        assert np.isfinite(at.slope).all()
        assert (at.value >= 0).all()


@pytest.mark.parametrize(
    "penalty",
    [NoPenalty(), L2(alpha=0.7), L1(alpha=0.7), ElasticNetPenalty(alpha=0.9, l1_ratio=0.4)],
)
def test_prox_is_the_minimum_it_promises(penalty):
    rng = np.random.default_rng(6)
    for step in (0.1, 2.0):
        w = rng.normal(size=40) * 2
        best = penalty.prox(w, step)
        value = penalty.value(best) + ((best - w) ** 2).sum() / (2 * step)
        for _ in range(30):
            other = best + rng.normal(size=40) * rng.choice([1e-3, 0.1, 1.0])
            assert penalty.value(other) + ((other - w) ** 2).sum() / (2 * step) >= value


SOLVERS = [
    Newton(), Newton(halving=False), LBFGS(), Fista(), Fista(momentum=False), GradientDescent(),
]  # fmt: skip


@pytest.mark.parametrize(("loss", "m", "y"), LOSSES, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("intercept", [True, False])
def test_every_solver_finds_the_same_minimum(loss, m, y, solver, intercept):
    x = X - X.mean(axis=0)
    given = {"outputs": m, "intercept": intercept, "tol": 1e-8, "weights": W}
    best = minimise(loss, L2(alpha=2.0), Newton(), x, y, **given)
    if isinstance(loss, losses.Huber) and solver == Newton(halving=False):
        solver = Newton()  # whole steps may jump to and fro between two sets of clipped rows
    found = minimise(loss, L2(alpha=2.0), solver, x, y, **given, max_iter=20_000)
    assert best.stop.kind == found.stop.kind == "converged"
    assert best.slope <= 60e-8
    # Slopes of 60e-8 over a curvature of at least 2 leave 1e-6 of the coefficients.
    np.testing.assert_allclose(found.coefficients, best.coefficients, atol=1e-6)
    assert abs(found.objective - best.objective) < 1e-9
    assert intercept or not found.intercept.any()


@pytest.mark.parametrize(("loss", "m", "y"), LOSSES, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("solver", [Newton(), Fista()], ids=repr)
@pytest.mark.parametrize("penalty", [L1(alpha=3.0), ElasticNetPenalty(alpha=3.0)], ids=repr)
def test_corners_satisfy_the_conditions_of_a_minimum(loss, m, y, solver, penalty):
    problem = Objective(loss, penalty, X, y, None, m)
    *_, end = walk(problem, solver, tol=1e-8, max_iter=50_000)
    theta = problem.theta(end.state)
    slope = problem.slope(loss.at(y, problem.predictor(theta)))
    assert end.stop.kind == "converged"
    assert np.abs(problem.subgradient(slope, theta)).max() < 60e-8 * 1.01
    assert (theta[:, :-1] == 0).any()


@pytest.mark.parametrize(
    "solver", [Newton(), LBFGS(), Fista(), GradientDescent(), Stochastic()], ids=repr
)
@pytest.mark.parametrize("weight", [1e-6, 1e6])
def test_the_stop_rule_does_not_see_the_unit_of_the_weights(solver, weight):
    given = losses.Softmax(), NoPenalty(), solver, X, CODES
    plain, unit = (
        minimise(*given, outputs=4, tol=1e-3, max_iter=200, weights=np.full(60, w))
        for w in (1.0, weight)
    )
    assert unit.n_iter == plain.n_iter
    np.testing.assert_allclose(unit.coefficients, plain.coefficients, rtol=1e-6)


@pytest.mark.parametrize("solver", [Newton(), LBFGS(), Fista(), GradientDescent()], ids=repr)
def test_no_step_raises_the_objective(solver):
    for loss, m, y in LOSSES:
        steps = walk(Objective(loss, L2(alpha=0.1), X, y, W, m), solver, tol=1e-7, max_iter=400)
        values = [s.objective for s in steps]
        assert np.diff(values).max(initial=0) <= 1e-12 * values[0]


def test_more_columns_than_rows_are_solved_in_rows():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(30, 90)) + 4, rng.integers(0, 3, 30)
    x[1] = x[0]  # dependent rows too
    for loss, m in ((losses.Softmax(), 3), (losses.Logistic(), 1)):
        target = y if m == 3 else (y > 0).astype(float)
        found = minimise(loss, L2(alpha=0.3), Newton(), x, target, outputs=m, tol=1e-10)
        plain = minimise(loss, L2(alpha=0.3), Fista(), x, target, outputs=m, tol=1e-8,
                         max_iter=50_000)  # fmt: skip
        np.testing.assert_allclose(found.coefficients, plain.coefficients, atol=1e-5)
        np.testing.assert_allclose(found.intercept, plain.intercept, atol=1e-4)
        Z = found.coefficients @ x.T + found.intercept[:, None]
        value = loss.at(target, Z).value.sum() + 0.15 * (found.coefficients**2).sum()
        assert abs(value - found.objective) < 1e-9


def test_the_step_of_gradient_descent_may_be_up_to_twice_the_safe_one():
    problem = Objective(losses.Squared(), L2(alpha=1.0), X - X.mean(axis=0), Y, intercept=False)
    assert steepness(problem) == pytest.approx(np.linalg.norm(problem.X, 2) ** 2)
    for step, falls in ((1.9, True), (2.1, False)):
        *_, end = walk(problem, GradientDescent(step=step), tol=0.0, max_iter=500)
        assert (end.state.slope < 1e-6) == falls


def test_stochastic_gradients_come_near_and_repeat_by_seed():
    y = (Y.mean() < Y).astype(float)
    best = minimise(losses.Logistic(), L2(), Newton(), X, y).objective
    ends = [
        minimise(losses.Logistic(), L2(), Stochastic(batch=4, seed=s), X, y, max_iter=200)
        for s in (0, 0, 1)
    ]
    np.testing.assert_array_equal(ends[0].coefficients, ends[1].coefficients)
    assert (ends[0].coefficients != ends[2].coefficients).any()
    assert all(best <= end.objective < 1.1 * best for end in ends)
