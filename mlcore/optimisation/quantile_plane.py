"""The plane of least tilted absolute error, by an interior point method.

Minimises sum_i (q (r_i)_+ + (1 - q) (-r_i)_+) with r = y - X w, a linear programme whose dual has
one bounded variable a row: Portnoy and Koenker (1997), Statistical Science 12(4). Each iteration
solves one weighted least squares problem; some twenty are enough for any number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

SHORT = 0.9995  # share of the way to the border that is gone
INSIDE = 0.1  # from the border, where multipliers start: on it they would stay
CLOSED = 1e-11  # duality gap, relative to the loss of no plane at all, that ends the walk
MOST = 100  # iterations; the gap falls by a factor of two to a hundred in each


class Plane(NamedTuple):
    """Weights after an iteration, and how far from the least loss they can be."""

    w: np.ndarray  # (r,)
    gap: float  # duality gap, relative to the loss of w = 0
    is_last: bool


def pinball(left: np.ndarray, level: float) -> np.ndarray:
    """What residuals y - Xw, shape (n,), cost."""
    return np.where(left > 0, level, level - 1.0) * left


def planes(X: np.ndarray, y: np.ndarray, level: float) -> Iterator[Plane]:
    """Ever better planes for independent columns X, shape (n, r), n > r, and y, shape (n,).

    The last passes through r rows, as one of least loss does, where that loses nothing.
    """
    size = float(pinball(y, level).sum())
    if size == 0:  # nothing to fit
        yield Plane(np.zeros(X.shape[1]), 0.0, True)
        return
    unit = float(np.abs(y).mean())
    walk = _Walk(X, y / unit, level)
    for k in range(MOST):
        walk.advance()
        gap = walk.gap * unit / size
        is_last = gap <= CLOSED or k + 1 == MOST or walk.is_stuck
        w = walk.w * unit
        yield Plane(through_rows(X, y, w, level) if is_last else w, max(gap, 0.0), is_last)
        if is_last:
            return


def through_rows(X: np.ndarray, y: np.ndarray, w: np.ndarray, level: float) -> np.ndarray:
    """The plane through the r rows nearest to w, shape (r,), where its loss is not larger."""
    left, r = np.abs(y - X @ w), X.shape[1]
    near = np.argsort(left, kind="stable")[: 3 * r]
    # Divided by how far they are, so that the pivots go to the nearest rows that are independent.
    closeness = 1.0 / (left[near] / np.abs(y).max() + 1e-12)
    scaled = (X[near] * closeness[:, None]).T
    *_, pivots = map(np.asarray, qr(scaled, mode="economic", pivoting=True))
    chosen = near[pivots[:r]]
    try:
        through = np.linalg.solve(X[chosen], y[chosen])
    except np.linalg.LinAlgError:
        return w
    is_better = pinball(y - X @ through, level).sum() <= pinball(y - X @ w, level).sum()
    return through if is_better else w


class _Walk:
    """Dual variables x in (0, 1) with slack s = 1 - x, and multipliers z and v of the two."""

    def __init__(self, X: np.ndarray, y: np.ndarray, level: float) -> None:
        n = len(y)
        self.X, self.y = X, y
        self.x = np.full(n, 1.0 - level)
        self.s = np.full(n, level)
        self.toward = X.T @ self.x
        self.w = np.linalg.lstsq(X, y, rcond=None)[0]
        left = X @ self.w - y
        self.z = np.maximum(left, 0.0) + INSIDE  # in units of the mean size of y
        self.v = self.z - left
        self.is_stuck = False

    @property
    def gap(self) -> float:
        """How far the loss may be above the least."""
        return float(-self.y @ self.x + self.toward @ self.w + self.v.sum())

    @np.errstate(over="ignore", invalid="ignore")  # such a move is not made
    def advance(self) -> None:
        """Predict where the optimum lies, then correct for the bend of the way there."""
        q = 1.0 / (self.z / self.x + self.v / self.s)
        left = self.z - self.v
        gram = (self.X * q[:, None]).T @ self.X
        move = self._along(gram, q, left, left)
        if move is not None:
            primal, dual = self._lengths(move)
            if min(primal, dual) < 1.0:
                move = self._corrected(gram, q, left, move, primal, dual)
        if move is None or not all(np.isfinite(part).all() for part in move):
            self.is_stuck = True
            return
        primal, dual = self._lengths(move)
        dw, dx, dz, dv = move
        self.x += primal * dx
        self.s -= primal * dx
        self.w -= dual * dw
        self.z += dual * dz
        self.v += dual * dv

    def _along(
        self, gram: np.ndarray, q: np.ndarray, left: np.ndarray, pull: np.ndarray
    ) -> tuple[np.ndarray, ...] | None:
        dw = self._solved(gram, (q * pull) @ self.X)
        if dw is None:
            return None
        dx = q * (self.X @ dw - pull)
        return dw, dx, -self.z * (1.0 + dx / self.x), -self.v * (1.0 - dx / self.s)

    def _corrected(
        self,
        gram: np.ndarray,
        q: np.ndarray,
        left: np.ndarray,
        move: tuple[np.ndarray, ...],
        primal: float,
        dual: float,
    ) -> tuple[np.ndarray, ...] | None:
        """Mehrotra's step: towards the centre, with the second order of the first step."""
        _, dx, dz, dv = move
        now = float(self.z @ self.x + self.v @ self.s)
        then = float(
            (self.z + dual * dz) @ (self.x + primal * dx)
            + (self.v + dual * dv) @ (self.s - primal * dx)
        )
        mu = now * (then / now) ** 3 / (2 * len(self.x))
        xz, sv = dx * dz, -dx * dv
        pull = left + xz / self.x - sv / self.s - mu * (1.0 / self.x - 1.0 / self.s)
        dw = self._solved(gram, (q * pull) @ self.X)
        if dw is None:
            return None
        dx = q * (self.X @ dw - pull)
        dz = (mu - self.z * dx - xz) / self.x - self.z
        dv = (mu + self.v * dx - sv) / self.s - self.v
        return dw, dx, dz, dv

    def _solved(self, gram: np.ndarray, toward: np.ndarray) -> np.ndarray | None:
        """None where the rows that are left no longer determine a direction."""
        try:
            L = np.linalg.cholesky(gram)
        except np.linalg.LinAlgError:
            return None
        return np.linalg.solve(L.T, np.linalg.solve(L, toward))

    def _lengths(self, move: tuple[np.ndarray, ...]) -> tuple[float, float]:
        """How far the primal and the dual variables can go along a move, at most 1."""
        _, dx, dz, dv = move
        primal = min(until_zero(self.x, dx), until_zero(self.s, -dx))
        dual = min(until_zero(self.z, dz), until_zero(self.v, dv))
        return min(SHORT * primal, 1.0), min(SHORT * dual, 1.0)


def until_zero(values: np.ndarray, change: np.ndarray) -> float:
    """The factor of `change`, shape (n,), at which the first of the values is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.where(change < 0, -values / change, np.inf)
    return float(ways.min())
