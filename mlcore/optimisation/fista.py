"""Proximal gradient steps with momentum, for any loss and any penalty with a prox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.optimisation.composed import Objective
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Step, verdict
from mlcore.spine.params import flag

DENSE = 500  # shorter side of X up to which the steepest direction is found exactly


@enter(
    Card(
        "fista",
        "Proximal gradient (FISTA)",
        ("solver",),
        paper="Beck and Teboulle (2009), SIAM J. Imaging Sciences 2(1)",
        kind="part",
        formula=r"\theta \leftarrow \mathrm{prox}_{P/L}(v - \nabla f(v) / L)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Fista(Component):
    """A gradient step for the loss, a shrinking step for the penalty, and momentum.

    Serves every penalty, corners included, at O(n p) a step; needs many steps where columns are
    correlated or of unequal scale. The objective never rises: where momentum overshoots, it starts
    afresh.
    """

    squares: ClassVar[bool] = False

    momentum: bool = flag(True, doc="Keep moving in the direction of the last step.")

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """Proximal steps of length 1/L; the last slope is at most tol times the weight of the rows.

        `start` has shape (m, p + 1).
        """
        L = steepness(problem)
        theta, Z = start, problem.predictor(start)
        value = problem.value(problem.loss.at(problem.y, Z), theta)
        ahead, Z_ahead, pace = theta, Z, 1.0
        limit = tol * problem.total
        for k in range(max_iter):
            new, Z_new, new_value = _stepped(problem, ahead, Z_ahead, L)
            restarted = new_value > value and pace > 1.0
            if restarted:
                ahead, pace = theta, 1.0
                new, Z_new, new_value = _stepped(problem, theta, Z, L)
            # The step is at most half the remaining slope, times 1/L.
            slope = 2.0 * L * float(np.abs(new - ahead).max())
            stop = verdict(k, slope, tol=limit, max_iter=max_iter, what="the steepest slope")
            note = f"Step {k + 1}: the objective fell by {value - new_value:.3g}, "
            note += f"slope at most {slope:.2g}." + (" Momentum began afresh." if restarted else "")
            later = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * pace**2)) if self.momentum else 1.0
            push = (pace - 1.0) / later
            ahead, Z_ahead = new + push * (new - theta), Z_new + push * (Z_new - Z)
            theta, Z, value, pace = new, Z_new, new_value, later
            yield Step(k, value, problem.point(theta, Z, slope), stop, note)
            if stop:
                return


def _stepped(
    problem: Objective, at: np.ndarray, Z: np.ndarray, L: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """One proximal gradient step: the new theta, its predictor and its value."""
    new = at - problem.slope(problem.loss.at(problem.y, Z)) / L
    new[:, :-1] = problem.penalty.prox(new[:, :-1], 1.0 / L)
    Z_new = problem.predictor(new)
    return new, Z_new, problem.value(problem.loss.at(problem.y, Z_new), new)


def steepness(problem: Objective) -> float:
    """A bound on the curvature of the loss in any direction of theta."""
    if problem.X.shape[1] <= DENSE:
        top = float(np.linalg.eigvalsh(problem.gram(problem.weights))[-1])
    else:
        top = _largest(problem)
    return max(problem.loss.steepest * top, 1e-300)


def _largest(problem: Objective) -> float:
    """A bound on the largest eigenvalue of the weighted Gram matrix of the centred rows."""
    X = problem.X - problem.mean
    if problem.weights is not None:
        X *= np.sqrt(problem.weights)[:, None]
    rows = problem.total
    if len(X) <= DENSE:
        return max(float(np.linalg.eigvalsh(X @ X.T)[-1]), rows)
    # The square of the Gram matrix has the sharper trace: sqrt(trace(G^2)) >= its largest.
    gram = X.T @ X
    return max(float(np.linalg.norm(gram)), rows)
