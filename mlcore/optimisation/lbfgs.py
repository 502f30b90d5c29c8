"""Limited-memory BFGS for smooth composed problems."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.optimisation.composed import Objective
from mlcore.optimisation.losses import Local
from mlcore.optimisation.triangles import MENDABLE, inverse_factor
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.params import integer

ENOUGH, FLATTER = 1e-4, 0.9  # decrease and flattening that a step must bring (weak Wolfe)
MOST_TRIALS = 50  # of step lengths; each halves or doubles an interval
LARGEST = 600  # columns up to which the curvature of one output is inverted
RENEW = 20  # steps after which the curvature has changed
LIFT = 1e-9  # of the mean curvature


@enter(
    Card(
        "lbfgs",
        "L-BFGS",
        ("solver",),
        paper="Liu and Nocedal (1989), Mathematical Programming 45",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class LBFGS(Component):
    """Goes along gradients bent by the curvature seen in the last few steps.

    Starts from the inverse curvature of one output alone, taken anew after 20, 40, 80 ... steps, so
    that the scale of the columns does not matter. More steps than Newton, each O(n p): better for
    many columns and classes. Needs a penalty without corners.
    """

    squares: ClassVar[bool] = False

    memory: int = integer(
        10, low=1, high=100, soft=(3, 30), doc="How many past steps are remembered."
    )

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """A line search a step; the last slope is at most tol times the weight of the rows.

        `start` has shape (m, p + 1).
        """
        at = _evaluated(problem, start, problem.predictor(start))
        bend, renew = _Bend(self.memory, _base(problem, at.local)), RENEW
        limit = tol * problem.total
        for k in range(max_iter):
            if k == renew:
                bend.base, renew = _base(problem, at.local), 2 * renew
            by = -bend.times(at.gradient)
            new, t = _searched(problem, at, by)
            fall = at.value - new.value
            bend.learn(new.theta - at.theta, new.gradient - at.gradient)
            at, steepest = new, float(np.abs(new.gradient).max())
            stop = verdict(k, steepest, tol=limit, max_iter=max_iter, what="the steepest slope")
            if stop is None and t == 0.0:
                why = f"Stopped: rounding hides any further decrease; the slope is {steepest:.3g}."
                stop = Stop("limit", why)
            note = f"Step {k + 1}, length {t:.3g}: the objective fell by {fall:.3g}, "
            note += f"slope {steepest:.2g}."
            yield Step(k, at.value, problem.point(at.theta, at.Z, steepest), stop, note)
            if stop:
                return


class _Evaluated(NamedTuple):
    """A point with value and derivatives of the objective."""

    theta: np.ndarray  # (m, p + 1)
    Z: np.ndarray  # (m, n)
    local: Local
    value: float
    gradient: np.ndarray  # (m, p + 1)


def _evaluated(problem: Objective, theta: np.ndarray, Z: np.ndarray) -> _Evaluated:
    local = problem.loss.at(problem.y, Z)
    gradient = problem.subgradient(problem.slope(local), theta)
    return _Evaluated(theta, Z, local, problem.value(local, theta), gradient)


class _Bend:
    """The inverse curvature estimated from the last steps (Nocedal and Wright, alg. 7.4)."""

    def __init__(self, memory: int, base: np.ndarray) -> None:
        self.pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=memory)
        self.base = base  # of one output: (p + 1,) * 2, or (p + 1,) for a diagonal

    def times(self, gradient: np.ndarray) -> np.ndarray:
        """The inverse curvature times a gradient."""
        q, shares = gradient.copy(), []
        for s, y, rho in reversed(self.pairs):
            shares.append(rho * float(np.vdot(s, q)))
            q -= shares[-1] * y
        r = self._start(q)
        if self.pairs:  # scaled to the curvature along the last step
            _, y, rho = self.pairs[-1]
            r /= rho * float(np.vdot(y, self._start(y)))
        for (s, y, rho), share in zip(self.pairs, reversed(shares), strict=True):
            r += (share - rho * float(np.vdot(y, r))) * s
        return r

    def learn(self, s: np.ndarray, y: np.ndarray) -> None:
        """Remember a step and the change of the gradient along it."""
        along = float(np.vdot(s, y))
        if along <= 1e-14 * float(np.vdot(y, y)) ** 0.5 * float(np.vdot(s, s)) ** 0.5:
            return  # no curvature above rounding
        self.pairs.append((s, y, 1.0 / along))

    def _start(self, q: np.ndarray) -> np.ndarray:
        return q @ self.base if self.base.ndim == 2 else q * self.base


def _base(problem: Objective, local: Local) -> np.ndarray:
    """The inverse curvature averaged over the outputs; of its diagonal if columns are many."""
    m, q = problem.outputs, problem.X.shape[1] + 1
    own = (problem.loss.curvature(problem.y, local, a, a) for a in range(m))
    bend = np.stack([c for c in own if c is not None]).sum(axis=0) / m
    if problem.weights is not None:
        bend = bend * problem.weights
    l2 = np.full(q, problem.penalty.l2)
    l2[-1] = 0.0 if problem.intercept else 1.0
    if q <= LARGEST:
        curved = problem.gram(bend) + np.diag(l2)
        # Dependent columns leave directions without curvature: lift them out of rounding.
        curved.flat[:: q + 1] += LIFT * curved.trace() / q
        if (half := inverse_factor(curved, MENDABLE)) is not None:
            return half.T @ half
    curved = np.append(bend @ (problem.X - problem.mean) ** 2, bend.sum()) + l2
    return 1.0 / np.maximum(curved, LIFT * curved.max())


def _searched(problem: Objective, at: _Evaluated, by: np.ndarray) -> tuple[_Evaluated, float]:
    """A point along `by` that is low and flat enough, by bisection, and how far it is.

    Z moves along a line too, so a trial costs no product with X.
    """
    along = problem.predictor(by)
    downhill = float(np.vdot(at.gradient, by))
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(MOST_TRIALS):
        theta, Z = at.theta + t * by, at.Z + t * along
        local = problem.loss.at(problem.y, Z)
        value = problem.value(local, theta)
        # Written so that a value that is not a number counts as too high.
        if not value <= at.value + ENOUGH * t * downhill:
            high = t
        elif _rise(problem, local, theta, by, along) < FLATTER * downhill:
            low = t
        else:
            gradient = problem.subgradient(problem.slope(local), theta)
            return _Evaluated(theta, Z, local, value, gradient), t
        t = 2.0 * low if high == np.inf else 0.5 * (low + high)
    return at, 0.0


def _rise(
    problem: Objective, local: Local, theta: np.ndarray, by: np.ndarray, along: np.ndarray
) -> float:
    """Derivative of the objective along the line."""
    slope = local.slope if problem.weights is None else local.slope * problem.weights
    return float(np.vdot(slope, along) + problem.penalty.l2 * np.vdot(theta[:, :-1], by[:, :-1]))
