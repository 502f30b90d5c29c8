"""A loss on a linear predictor plus a penalty on its coefficients.

F = sum_i w_i l(y_i, z_i) + P(W).

The predictor is Z = W X' + b, with W of shape (m, p) and a free intercept b of shape (m,). Loss,
penalty and solver know nothing of each other and meet here. Solvers move theta, shape (m, p + 1):
the coefficients, and last the intercept at the mean of the columns, where W does not move it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from mlcore.maths.arrays import GLANCE, read_only
from mlcore.optimisation import _kernels
from mlcore.optimisation.closed_form import spectrum
from mlcore.optimisation.losses import Local, Loss, Over, Summed
from mlcore.optimisation.passes import Passes
from mlcore.optimisation.penalties import Penalty
from mlcore.optimisation.rows import BLOCK, Thin, is_thin, means, read_once
from mlcore.optimisation.thin import products
from mlcore.optimisation.triangles import inverse_factor
from mlcore.spine.iterate import Step, Stop, last

# Rows that are predicted and sum up their slopes in one go: few enough for the cache.
TOGETHER = 4 * BLOCK
FEW = 3  # outputs from which products with X cost more than the change of coordinates


@dataclass
class Point:
    """The state of a solver."""

    coefficients: np.ndarray  # (m, p)
    intercept: np.ndarray  # (m,)
    predictor: np.ndarray  # (m, n)
    slope: float  # length of the steepest subgradient entry: the certificate, 0 at a minimum


class Solver(Protocol):
    """Something that walks towards the minimum of a problem.

    `squares` says that it stores matrices of as many rows and columns as X has columns.
    """

    squares: ClassVar[bool]

    def steps(
        self, problem: Objective, start: np.ndarray, *, tol: float, max_iter: int
    ) -> Iterator[Step]:
        """Steps from `start`, shape (m, p + 1), with a `Point` as state, the last with a stop."""
        ...


class Minimum(NamedTuple):
    """The result of a solver."""

    coefficients: np.ndarray  # (m, p)
    intercept: np.ndarray  # (m,)
    objective: float
    slope: float
    n_iter: int
    stop: Stop


class Evaluated(NamedTuple):
    """The objective at a theta."""

    Z: np.ndarray  # (m, n), the predictor
    local: Local | None  # the loss of all rows, where these were few
    value: float
    slope: np.ndarray  # (m, p + 1), derivative of the loss, without the penalty


@dataclass(frozen=True, eq=False)
class Objective:
    """The objective, and the products with X that solvers need."""

    loss: Loss
    penalty: Penalty
    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,)
    weights: np.ndarray | None = None  # (n,)
    outputs: int = 1  # m
    intercept: bool = True
    centre: np.ndarray | None = None  # (p,), about where the means are; None asks all rows

    @cached_property
    def mean(self) -> np.ndarray:
        """Means by which the columns are centred, shape (p,); zeros without an intercept."""
        if not self.intercept:
            return np.zeros(self.X.shape[1])
        if self.centre is not None:
            return self.centre
        return means(self.X, self.weights) if self._rough is None else self._rough.x_mean

    @cached_property
    def _rough(self) -> Thin | None:
        """Means and sums of products of a thin table whose rows weigh the same, to six digits."""
        return self._thin(np.float32)

    @cached_property
    def _fine(self) -> Thin | None:
        """The same to all digits."""
        return self._thin(np.float64)

    def _thin(self, precision: type) -> Thin | None:
        if not self.intercept or not is_thin(self.X) or _even(self.weights) is None:
            return None
        with np.errstate(over="ignore", invalid="ignore"):  # then six digits are not enough
            return read_once(self.X, np.zeros(self.n), is_centred=True, precision=precision)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def total(self) -> float:
        """The weight of all rows: what a slope summed over them is measured by."""
        return float(self.n if self.weights is None else self.weights.sum())

    def zero(self) -> np.ndarray:
        """The start at which every coefficient is zero, shape (m, p + 1)."""
        return np.zeros((self.outputs, self.X.shape[1] + 1))

    def predictor(self, theta: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The linear predictor Z, shape (m, n), of theta, shape (m, p + 1), perhaps in `out`."""
        W = theta[:, :-1]
        if not W.any():  # where most walks begin
            return np.repeat(theta[:, -1:], self.n, axis=1)
        start = theta[:, -1] - W @ self.mean
        if self._passes is not None:
            return self._passes.predicted(W, start, out)
        Z = np.matmul(W, self.X.T, out=out)
        Z += start[:, None]  # in place: fresh memory costs more
        return Z

    def value(self, local: Local, theta: np.ndarray) -> float:
        """The objective F at theta, shape (m, p + 1), from the loss at its predictor."""
        loss = local.value.sum() if self.weights is None else self.weights @ local.value
        return float(loss) + self.penalty.value(theta[:, :-1])

    def slope(self, local: Local) -> np.ndarray:
        """Derivative of the loss by theta, without the penalty, shape (m, p + 1)."""
        return self.gathered(local.slope if self.weights is None else local.slope * self.weights)

    def gathered(self, s: np.ndarray) -> np.ndarray:
        """The same from slopes by the predictor times the weights, shape (m, n)."""
        if self._passes is not None:
            return self._about_means(self._passes.gathered(s))
        return self._about_means(np.column_stack([s @ self.X, s.sum(axis=1)]))

    def _about_means(self, sums: np.ndarray) -> np.ndarray:
        """Sums of slopes times rows, and last of slopes, (m, p + 1), as if rows were centred."""
        sums[:, :-1] -= sums[:, -1:] * self.mean
        if not self.intercept:
            sums[:, -1] = 0.0
        return sums

    @np.errstate(over="ignore", invalid="ignore")  # of a trial too far; its value says so
    def evaluated(self, theta: np.ndarray) -> Evaluated:
        """Predictor, value and slope at theta, shape (m, p + 1), in one walk over the rows."""
        W, start = theta[:, :-1], theta[:, -1] - theta[:, :-1] @ self.mean
        if self._passes is None or self._loop is None:
            return self._by_blocks(W, start[:, None])
        Z, value, slope = self._passes.evaluated(*self._loop, W, start)
        value = value if np.isfinite(value) else np.inf  # a step too far
        return Evaluated(Z, None, value + self.penalty.value(W), self._about_means(slope))

    @cached_property
    def _passes(self) -> Passes | None:
        return Passes.over(self.X, self.outputs)

    @cached_property
    def _loop(self) -> tuple[Over, np.ndarray, np.ndarray] | None:
        """The compiled loop of the loss, the targets as it takes them, and the weights."""
        loss = self.loss
        if not isinstance(loss, Summed) or loss.over is None:
            return None
        weights = np.ones(self.n) if self.weights is None else self.weights
        return loss.over, read_only(self.y.astype(loss.codes, copy=False)), read_only(weights)

    def _by_blocks(self, W: np.ndarray, start: np.ndarray) -> Evaluated:
        n, slope = self.n, np.zeros((self.outputs, self.X.shape[1] + 1))
        Z, value, local = np.empty((self.outputs, n)), self.penalty.value(W), None
        is_flat = not W.any()
        for first in range(0, n, TOGETHER):
            at = slice(first, first + TOGETHER)
            X, z = self.X[at], Z[:, at]
            np.add(0.0 if is_flat else W @ X.T, start, out=z)
            local = self.loss.at(self.y[at], z)
            w = None if self.weights is None else self.weights[at]
            value += float(local.value.sum() if w is None else w @ local.value)
            s = local.slope if w is None else local.slope * w
            slope[:, :-1] += s @ X
            slope[:, -1] += s.sum(axis=1)
        known = local if n <= TOGETHER else None
        return Evaluated(Z, known, value, self._about_means(slope))

    def subgradient(self, slope: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """The shortest subgradient of F, shape (m, p + 1)."""
        W, l1, out = theta[:, :-1], self.penalty.l1, slope.copy()
        out[:, :-1] += self.penalty.l2 * W
        if l1 > 0:
            smooth = out[:, :-1]
            at_zero = np.sign(smooth) * np.maximum(np.abs(smooth) - l1, 0.0)
            out[:, :-1] = np.where(W == 0, at_zero, smooth + l1 * np.sign(W))
        return out

    def curvature(self, local: Local, precision: type = np.float64) -> np.ndarray:
        """The Hessian of the loss by theta.ravel(), shape (m (p + 1), m (p + 1)), as `gram`."""
        q, m = self.X.shape[1] + 1, self.outputs
        H = np.zeros((m * q, m * q))
        for a in range(m):
            for b in range(a + 1):
                bend = self.loss.curvature(self.y, local, a, b)
                if bend is None:
                    continue
                weights = bend if self.weights is None else bend * self.weights
                block = self.gram(weights, precision)
                block = block if a == b else -block
                H[a * q : (a + 1) * q, b * q : (b + 1) * q] = block
                H[b * q : (b + 1) * q, a * q : (a + 1) * q] = block
        return H

    def gram(self, weights: np.ndarray | None, precision: type = np.float64) -> np.ndarray:
        """Sum of w_i x_i x_i' over centred rows with a one below, shape (p + 1, p + 1).

        Weights, shape (n,), may be negative. In `precision` np.float32 products take half the time
        and have six digits.
        """
        if (each := _even(weights)) is not None:
            thin = self._rough if precision is np.float32 else self._fine
            if thin is not None:
                return self._bordered(each, thin)
        n, p = self.X.shape
        weights = np.ones(n) if weights is None else weights
        if self.intercept and is_thin(self.X):
            sums = products(self.X, np.zeros(n), self.mean, weights, precision)
            at = np.append(np.arange(p), p + 1)  # but for the targets
            return sums[at[:, None], at]
        out, buffer = np.zeros((p + 1, p + 1)), np.empty((min(n, BLOCK), p + 1), precision)
        roots, X, mean = read_only(np.sqrt(np.abs(weights))), read_only(self.X), self.mean
        for start in range(0, n, BLOCK):
            at = slice(start, start + BLOCK)
            rows, w = buffer[: len(X[at])], weights[at]
            _kernels.centred(X[at], read_only(mean), roots[at], float(self.intercept), rows)
            signed = rows if w.min() >= 0 else rows * np.sign(w).astype(precision)[:, None]
            out += signed.T @ rows
        return out

    def _bordered(self, each: float, thin: Thin) -> np.ndarray:
        """The Gram matrix of rows that all weigh `each`, about the mean, from that of a pass."""
        n, p = self.X.shape
        out, gap = np.empty((p + 1, p + 1)), thin.x_mean - self.mean
        out[:-1, :-1] = each * (thin.gram + n * np.outer(gap, gap))
        out[-1, :-1] = out[:-1, -1] = (each * n) * gap
        out[-1, -1] = each * n
        return out

    def theta(self, at: Point) -> np.ndarray:
        """The theta of a point, shape (m, p + 1): the inverse of `point`."""
        b = at.intercept + at.coefficients @ self.mean
        return np.hstack([at.coefficients, b[:, None]])

    def point(self, theta: np.ndarray, Z: np.ndarray, slope: float) -> Point:
        """The point of theta, shape (m, p + 1), with its predictor Z, shape (m, n)."""
        W = theta[:, :-1].copy()
        return Point(W, theta[:, -1] - W @ self.mean, Z, slope)


def _even(weights: np.ndarray | None) -> float | None:
    """The weight of every row where all weigh the same."""
    if weights is None:
        return 1.0
    first = float(weights[0])
    # A few rows show most weights that differ.
    return first if (weights[:GLANCE] == first).all() and (weights == first).all() else None


def walk(
    problem: Objective,
    solver: Solver,
    *,
    tol: float,
    max_iter: int,
    start: np.ndarray | None = None,
) -> Iterator[Step]:
    """The steps of the solver from `start`, shape (m, p + 1), by default from zero."""
    short = _in_rows(problem, solver) if start is None else None
    if short is not None:
        steps = solver.steps(short.problem, short.problem.zero(), tol=tol, max_iter=max_iter)
        yield from map(short.back, steps)
        return
    start = problem.zero() if start is None else start
    yield from solver.steps(problem, start, tol=tol, max_iter=max_iter)


class _InRows(NamedTuple):
    """The same problem in coordinates of the rows, W = V half rows."""

    problem: Objective
    half: np.ndarray  # (r, r)
    rows: np.ndarray  # (r, p); half @ rows has orthonormal rows

    def back(self, step: Step) -> Step:
        """The step in coordinates of the columns."""
        at: Point = step.state
        return replace(
            step, state=replace(at, coefficients=at.coefficients @ self.half @ self.rows)
        )


def _in_rows(problem: Objective, solver: Solver) -> _InRows | None:
    """X = L Q with L of at most n columns and Q orthonormal; None where this saves nothing.

    With a penalty on the length alone, the minimum is a combination of the rows: their coordinates
    lose nothing, and a solver that stores matrices of columns then stores matrices of rows.
    """
    n, p = problem.X.shape
    if n >= p or problem.penalty.l1 > 0 or problem.penalty.l2 == 0:
        return None
    if not solver.squares and problem.outputs < FEW:
        return None
    gram = problem.X @ problem.X.T
    half = inverse_factor(gram)
    if half is None:  # dependent rows
        svd = spectrum(problem.X)
        return _InRows(replace(problem, X=svd.U * svd.s), np.eye(len(svd.s)), svd.V.T)
    return _InRows(replace(problem, X=np.linalg.cholesky(gram)), half, problem.X)


def minimise(
    loss: Loss,
    penalty: Penalty,
    solver: Solver,
    X: np.ndarray,
    y: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    outputs: int = 1,
    intercept: bool = True,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> Minimum:
    """The minimum of F over W and b; y has one number or code a row of X, shape (n, p)."""
    problem = Objective(loss, penalty, X, y, weights, outputs, intercept)
    end = last(walk(problem, solver, tol=tol, max_iter=max_iter))
    at: Point = end.state
    assert end.stop is not None  # every solver says why it stopped
    return Minimum(at.coefficients, at.intercept, end.objective, at.slope, end.k + 1, end.stop)
