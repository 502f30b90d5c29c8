"""The plane of least tilted absolute error, by Newton's method on ever narrower smoothings.

The loss is replaced by one that is quadratic where -(1 - q) g <= r <= q g and has the slopes of
the pinball loss beyond: Madsen and Nielsen (1993), SIAM Journal on Optimization 3(2), and Chen
(2007), J. Computational and Graphical Statistics 16(1). It is piecewise quadratic, so that Newton's
method ends at its minimum, and its slopes are a point of the dual of the linear programme, which
says how far from the least loss a plane is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlcore.optimisation.quantile_plane import CLOSED, Plane, pinball, through_rows

MOST = 300  # steps of Newton's method in all widths
NARROWER = 0.1  # the next width of the quadratic part as a share of the last
LEAST = 1e-12  # width, in units of the mean size of y, below which rounding decides
FLAT = 1e-10  # slope of the smoothed loss, relative to the sum of |x|, that counts as none
MENDED = 20  # times that slopes on the plane are put within their bounds, and cancelled again
ON_PLANE = 1e-9  # residuals in these units that are rounding
ENOUGH = 0.1  # of the fall that the slope promises, in a whole step
HALVED = 50  # times the way along a step
SHORTEST = 1e-12  # share of a step, below which what is left to gain is rounding
RIDGE = 1e-9  # of the whole scatter, where too few rows lie in the quadratic part


def smoothed_planes(X: np.ndarray, y: np.ndarray, level: float) -> Iterator[Plane]:
    """Ever better planes for independent columns X, shape (n, r), n > r, and y, shape (n,).

    A step of Newton's method each; the last passes through r rows, as one of least loss does.
    """
    size = float(pinball(y, level).sum())
    if size == 0:  # nothing to fit
        yield Plane(np.zeros(X.shape[1]), 0.0, True)
        return
    unit = float(np.abs(y).mean())
    walk = _Narrowing(X, y / unit, level)
    for k in range(MOST):
        is_solved = walk.advance()
        if is_solved:
            walk.certify()
        gap = max(walk.gap * unit / size, 0.0)
        is_last = gap <= CLOSED or k + 1 == MOST or walk.width < LEAST
        yield Plane((walk.best if is_solved else walk.w) * unit, gap, is_last)
        if is_last:
            return
        if is_solved:
            walk.width *= NARROWER


class _Narrowing:
    """A plane w, the width of the smoothing, and the largest lower bound of the loss so far."""

    def __init__(self, X: np.ndarray, y: np.ndarray, level: float) -> None:
        self.X, self.y, self.level = X, y, level
        self.w = np.linalg.lstsq(X, y, rcond=None)[0]
        self.left = y - X @ self.w
        self.width = max(float(np.abs(self.left).mean()), LEAST)
        self.ridge = RIDGE * (X.T @ X)
        self.flat = FLAT * np.abs(X).sum(axis=0)
        self.bound = 0.0  # of the dual point 0
        self.best = self.w

    @property
    def gap(self) -> float:
        """How far the loss of the best plane may be above the least."""
        return self.loss(self.best) - self.bound

    def loss(self, w: np.ndarray) -> float:
        """The loss itself of a plane, (r,)."""
        return float(pinball(self.y - self.X @ w, self.level).sum())

    def slopes(self, left: np.ndarray) -> np.ndarray:
        """Slope of the smoothed loss at residuals, (n,)."""
        return np.clip(left / self.width, self.level - 1.0, self.level)

    def value(self, left: np.ndarray) -> float:
        """The smoothed loss of residuals, (n,)."""
        u = self.slopes(left)
        return float(u @ left - 0.5 * self.width * (u @ u))

    def advance(self) -> bool:
        """A step towards the least smoothed loss; whether it is there."""
        u = self.slopes(self.left)
        downhill = u @ self.X
        if (np.abs(downhill) <= self.flat).all():
            return True
        inside = self.X[(u > self.level - 1.0) & (u < self.level)]
        move = self.width * np.linalg.solve(inside.T @ inside + self.ridge, downhill)
        share = self._share(self.X @ move, float(downhill @ move))
        self.w = self.w + share * move
        self.left = self.y - self.X @ self.w
        return share < SHORTEST  # what is left to gain is rounding

    def _share(self, along: np.ndarray, falls: float) -> float:
        """How much of a step to go: all of it where the loss then falls by some of what the slope,
        `falls`, promises, else to where the slope is none. `along`, (n,), is what residuals lose.
        """

        def slope(share: float) -> float:
            return float(self.slopes(self.left - share * along) @ along)

        if self.value(self.left - along) <= self.value(self.left) - ENOUGH * falls:
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(HALVED):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) > 0 else (low, middle)
        return high

    def certify(self) -> None:
        """Take the plane through the nearest rows, and what the slopes say of the least loss.

        Slopes u within the bounds for which X'u = 0 are a point of the dual, and y'u bounds the
        loss from below. They are known beyond the plane and mended on it.
        """
        w = through_rows(self.X, self.y, self.w, self.level)
        left = self.y - self.X @ w
        on = np.abs(left) <= ON_PLANE
        u = np.where(on, self.slopes(self.left), np.where(left > 0, self.level, self.level - 1.0))
        back = np.linalg.pinv(self.X[on].T)
        for _ in range(MENDED):
            u[on] = np.clip(u[on], self.level - 1.0, self.level)
            u[on] -= back @ (u @ self.X)
        if (np.abs(u @ self.X) > self.flat).any():
            return  # too few rows lie on the plane
        # 0 lies within the bounds, so a shorter u does.
        over = max(float(u.max()) / self.level, float(-u.min()) / (1.0 - self.level), 1.0)
        self.bound = max(self.bound, float(self.y @ u) / over)
        if (
            pinball(left, self.level).sum()
            <= pinball(self.y - self.X @ self.best, self.level).sum()
        ):
            self.best = w
