"""Lines on which a few rows of many say how far to go: fewer trials of all rows, the same end."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.optimisation import lbfgs
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.lbfgs import LBFGS, SAMPLE, Rehearsal
from mlcore.optimisation.lines import Line
from mlcore.optimisation.losses import Logistic, Pairwise, Softmax
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.penalties import L2
from mlcore.spine.iterate import last, record

RNG = np.random.default_rng(0)
N = 5 * SAMPLE
X = RNG.normal(size=(N, 4))
SCORE = X @ np.array([3.0, -2.0, 1.0, 0.0]) + RNG.normal(size=N)
CODES = np.searchsorted(np.quantile(SCORE, [0.3, 0.6]), SCORE)
CASES = [
    (Logistic(), 1, (CODES > 0).astype(float)),
    (Softmax(), 3, CODES),
    (Pairwise(3), 3, CODES),
]


@pytest.fixture
def trials(monkeypatch):
    """How many rows each trial had."""
    rows, at = [], Line.at
    monkeypatch.setattr(
        Line, "at", lambda self, Z, *line: (rows.append(Z.shape[1]), at(self, Z, *line))[1]
    )
    return rows


@pytest.mark.parametrize(("loss", "m", "y"), CASES, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("is_sorted", [False, True])
def test_nearly_every_step_tries_all_rows_once(trials, loss, m, y, is_sorted):
    order = np.argsort(y, kind="stable") if is_sorted else slice(None)
    problem = Objective(loss, L2(), X[order], y[order], None, m)
    steps = record(LBFGS().steps(problem, problem.zero(), tol=1e-6, max_iter=100))
    assert steps[-1].stop.kind == "converged"
    assert trials.count(N) <= 1.5 * len(steps) + 1
    other = last(Newton().steps(problem, problem.zero(), tol=1e-10, max_iter=100))
    assert steps[-1].objective == pytest.approx(other.objective, rel=1e-9)


def test_rows_that_mislead_cost_trials_and_no_digit(trials):
    # Those that are asked have a target of chance, the others one that is nearly certain.
    asked = np.arange(N) % (N // SAMPLE) == 0
    y = np.where(asked, RNG.integers(0, 2, N), SCORE > 0).astype(float)
    problem = Objective(Logistic(), L2(), X, y)
    end = last(LBFGS().steps(problem, problem.zero(), tol=1e-8, max_iter=200))
    other = last(Newton().steps(problem, problem.zero(), tol=1e-10, max_iter=100))
    assert end.stop.kind == "converged"
    np.testing.assert_allclose(end.state.coefficients, other.state.coefficients, atol=1e-6)


def test_rows_without_weight_are_not_asked():
    weights = (np.arange(N) % (N // SAMPLE) != 0).astype(float)
    problem = Objective(Logistic(), L2(), X, CASES[0][2], weights)
    end = last(LBFGS().steps(problem, problem.zero(), tol=1e-6, max_iter=100))
    assert end.stop.kind == "converged"


def test_few_rows_need_no_others_to_speak_for_them():
    few = Objective(Logistic(), L2(), X[: 3 * SAMPLE], CASES[0][2][: 3 * SAMPLE])
    assert Rehearsal.of(few) is None


@pytest.mark.parametrize(("loss", "m", "y"), CASES[:2], ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("size", [0.0, 1.0])
def test_the_curvature_at_a_flat_predictor_is_that_of_one_row(loss, m, y, size):
    weights = RNG.integers(0, 3, N).astype(float)
    Z = np.repeat(RNG.normal(size=(m, 1)), N, axis=1) + size * RNG.normal(size=(m, N))
    got = lbfgs._average_bend(Objective(loss, L2(), X, y, weights, m), Z)
    local = loss.at(y, Z)
    plain = sum(loss.curvature(y, local, a, a) for a in range(m)) / m * weights
    np.testing.assert_allclose(got, plain, rtol=0, atol=1e-14)
