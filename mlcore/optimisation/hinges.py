r"""Sums of hinges plus a squared length, by an interior point method.

Minimises $\tfrac{\lambda}{2} \|W\|^2 + \sum_{ki} u_{ki} \max(0, 1 + f_k(x_i))$ over linear scores f
of sum 0: a quadratic programme whose dual has one variable between 0 and u for each hinge. Both
are walked together by the predictor and corrector of Mehrotra (1992), SIAM J. Optimization 2(4).
Each iteration solves one system of the size of all coefficients; ten to seventy are enough for any
number of rows, the more the more scores there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.optimisation.composed import Objective
from mlcore.optimisation.losses import Local
from mlcore.optimisation.quantile_plane import until_zero
from mlcore.optimisation.triangles import inverse_lower
from mlcore.spine.iterate import Step, Stop, verdict

SHORT = 0.995  # share of the way to the border that is gone
LIFT = 1e-13  # of the curvature along each coordinate, where dependent columns leave some open
STUCK = 1e-6  # a step so short leads nowhere: rounding holds it


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """Goes through the inside of what primal and dual allow to where they meet."""

    squares: ClassVar[bool] = True

    strengths: np.ndarray  # (K, n) how much the hinge of each score and row counts

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """A predictor and a corrector a step, from `start`, shape (K, p + 1).

        The last is within about tol times the weight of the rows of the dual, so of the minimum.
        """
        inside, what = _Inside(problem, self.strengths, start), "the distance from the dual"
        for k in range(max_iter):
            length = inside.advance()
            off = inside.off
            stop = verdict(k, off, tol=tol * problem.total, max_iter=max_iter, what=what)
            if stop is None and length < STUCK:
                stop = Stop("limit", f"Stopped: rounding hides any progress; {what} is {off:.3g}.")
            Z = problem.predictor(inside.theta)
            value = problem.value(problem.loss.at(problem.y, Z), inside.theta)
            note = f"Step {k + 1}, length {length:.3g}: the dual is about {off:.3g} below."
            yield Step(k, value, problem.point(inside.theta, Z, off), stop, note)
            if stop:
                return


class _Move(NamedTuple):
    """A change of all variables."""

    theta: np.ndarray  # (K, p + 1)
    a: np.ndarray  # (h,)
    over: np.ndarray  # (h,)
    under: np.ndarray  # (h,)


class _Inside:
    """The variables, h of a kind: 1 + f = over - under, both above 0, and 0 < a < u."""

    def __init__(self, problem: Objective, strengths: np.ndarray, start: np.ndarray) -> None:
        K = problem.outputs
        self.problem, self.counting = problem, strengths > 0
        u = strengths[self.counting]
        # What the problem multiplies slopes by: the strengths hold it already.
        weights = 1.0 if problem.weights is None else problem.weights
        self.own = np.broadcast_to(weights, strengths.shape)[self.counting]
        self.basis = np.linalg.svd(np.eye(K) - 1.0 / K)[0][:, : K - 1]  # scores of sum 0
        self.theta = start - start.mean(axis=0)
        reach = self._along(self.theta) + 1.0
        self.a = 0.5 * u
        self.left = 0.5 * u  # u - a, by itself: near the border the difference would round to 0
        self.over = np.maximum(reach, 0.0) + 1.0
        self.under = self.over - reach

    @property
    def gap(self) -> float:
        """The sum of all products that are 0 at the minimum."""
        return float(self.a @ self.under + self.left @ self.over)

    @property
    def off(self) -> float:
        """About how far the objective is above that of the dual: the gap, and the slope.

        At most the gap where the slope is 0, as after a step of full length.
        """
        return self.gap + float(np.abs(self._slope()).max())

    def advance(self) -> float:
        """Predict where the minimum lies, correct for the bend of the way; the share gone."""
        bend = 1.0 / (self.over / self.left + self.under / self.a)
        half = self._curvature(bend)
        zero = np.zeros_like(self.a)
        move = self._move(half, bend, zero, zero)
        length = self._length(move)
        now, then = self.gap, self._gap_after(move, length)
        mu = now * (then / now) ** 3 / (2 * len(self.a))
        move = self._move(half, bend, move.a * move.under - mu, -move.a * move.over - mu)
        length = self._length(move)
        self.theta = self.theta + length * move.theta
        self.a = self.a + length * move.a
        self.left = self.left - length * move.a
        self.over = self.over + length * move.over
        self.under = self.under + length * move.under
        return length

    def _move(
        self, half: np.ndarray, bend: np.ndarray, below: np.ndarray, above: np.ndarray
    ) -> _Move:
        """The step at which a under = -below and (u - a) over = -above, to first order."""
        pull = bend * (self.over - self.under + above / self.left - below / self.a)
        toward = self._inside(-self._slope() - self._back(pull)).ravel()
        theta = self.basis @ (half.T @ (half @ toward)).reshape(-1, self.theta.shape[1])
        a = bend * self._along(theta) + pull
        over = -above / self.left - self.over + self.over / self.left * a
        under = -below / self.a - self.under - self.under / self.a * a
        return _Move(theta, a, over, under)

    def _length(self, move: _Move) -> float:
        """How far all variables can go along a move, at most 1."""
        ways = (
            until_zero(self.a, move.a),
            until_zero(self.left, -move.a),
            until_zero(self.over, move.over),
            until_zero(self.under, move.under),
        )
        return min(SHORT * min(ways), 1.0)

    def _gap_after(self, move: _Move, length: float) -> float:
        a, left = self.a + length * move.a, self.left - length * move.a
        over, under = self.over + length * move.over, self.under + length * move.under
        return float(a @ under + left @ over)

    def _along(self, theta: np.ndarray) -> np.ndarray:
        """The scores of theta at the hinges, shape (h,)."""
        return self.problem.predictor(theta)[self.counting]

    def _back(self, a: np.ndarray) -> np.ndarray:
        """Sum of a times the slopes of the scores, shape (K, p + 1)."""
        slope = np.zeros(self.counting.shape)
        slope[self.counting] = a / self.own
        return self.problem.slope(Local(slope[0], slope, slope))

    def _slope(self) -> np.ndarray:
        """Of penalty and dual by theta, of sum 0, shape (K, p + 1): 0 at the minimum."""
        slope = self._back(self.a)
        slope[:, :-1] += self.problem.penalty.l2 * self.theta[:, :-1]
        return slope - slope.mean(axis=0)

    def _inside(self, slope: np.ndarray) -> np.ndarray:
        """Coordinates among the scores of sum 0, shape (K - 1, p + 1)."""
        return self.basis.T @ slope

    def _curvature(self, bend: np.ndarray) -> np.ndarray:
        """M with M'M the inverse of the curvature, by these coordinates."""
        K, q = self.theta.shape
        rows = np.zeros(self.counting.shape)
        rows[self.counting] = bend
        H = np.zeros(((K - 1) * q, (K - 1) * q))
        for own, weights in zip(self.basis, rows, strict=True):
            H += np.kron(np.outer(own, own), self.problem.gram(weights))
        H.flat[:: len(H) + 1] += np.tile(
            np.append(np.full(q - 1, self.problem.penalty.l2), 0.0), K - 1
        )
        size = np.sqrt(np.maximum(np.diagonal(H), np.finfo(float).tiny))
        H /= size * size[:, None]
        return inverse_lower(_root(H)) / size


def _root(H: np.ndarray) -> np.ndarray:
    """The Cholesky factor of a matrix with a diagonal of ones, lifted as little as it needs."""
    for lift in LIFT * 100.0 ** np.arange(6):
        try:
            return np.linalg.cholesky(H + lift * np.eye(len(H)))
        except np.linalg.LinAlgError:
            continue
    return np.eye(len(H))  # along the slope, which is a way down everywhere
