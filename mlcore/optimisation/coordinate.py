"""Coordinate descent for least squares with a penalty of absolute values and squares.

Few columns are in play at a time (Johnson and Guestrin 2015): the working set holds those that are
not zero and those that want most to be. Sweeps go over its Gram matrix; after every thirty, the
columns that are not zero are solved for exactly, as far as no sign changes (Lee et al. 2007).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from mlcore.maths.arrays import picked, read_only
from mlcore.optimisation import _kernels
from mlcore.optimisation.rows import Design
from mlcore.spine.iterate import Stop, verdict

SMALL = 100  # columns up to which all are in play
FIRST = 10  # columns that join at least
WARM = 0.25  # new columns for each that is not zero, where the start is near the end
NEAR = 0.9  # of l1: columns with a steeper slope are likely to be needed soon
POLISH = 30  # sweeps between exact solutions
TIE = 1e-9  # of the mean squared length of the columns
LARGEST = 3000  # columns in play whose Gram matrix is stored


class LeastSquares(Protocol):
    """The sums of squares and products that descent needs of the data."""

    @property
    def yy(self) -> float:
        """|y|^2."""
        ...

    @property
    def toward(self) -> np.ndarray:
        """X'y, shape (p,)."""
        ...

    def left(self, w: np.ndarray) -> np.ndarray:
        """X'(y - X w), shape (p,)."""
        ...

    def gram(self, which: np.ndarray) -> np.ndarray:
        """X'X of the columns `which`, shape (c,): shape (c, c), in C order."""
        ...


@dataclass(frozen=True, eq=False)
class Moments:
    """Least squares from X'X and X'y, without the rows."""

    full: np.ndarray  # (p, p)
    toward: np.ndarray  # (p,)
    yy: float

    def left(self, w: np.ndarray) -> np.ndarray:
        """X'(y - X w), shape (p,)."""
        return self.toward - w @ self.full

    def gram(self, which: np.ndarray) -> np.ndarray:
        """X'X of the columns `which`, shape (c,): shape (c, c)."""
        return self.full if len(which) == len(self.full) else picked(self.full, which)


class Columns:
    """Least squares from the rows, for columns of which few are ever in play.

    Products between columns are kept, since the next working set mostly holds the same ones.
    """

    def __init__(self, rows: Design) -> None:
        self.rows, self.yy = rows, float(rows.y @ rows.y)
        self.toward = rows.toward(rows.y)
        self._forget()

    def left(self, w: np.ndarray) -> np.ndarray:
        """X'(y - X w), shape (p,)."""
        on = np.flatnonzero(w)
        if len(on) > LARGEST:
            return self.rows.toward(self.rows.y - self.rows.image(w))
        return self.rows.toward(self.rows.y - w[on] @ self._columns[self._known(on)])

    def gram(self, which: np.ndarray) -> np.ndarray:
        """X'X of the columns `which`, shape (c,): shape (c, c)."""
        at = self._known(which)
        return picked(self._gram, at)

    def _known(self, which: np.ndarray) -> np.ndarray:
        """Positions of the columns in the store, after new ones have been added."""
        new = which[self._place[which] < 0]
        if len(new) and len(self._columns) + len(new) > LARGEST:
            self._forget()
            new = which
        if len(new):
            self._add(new)
        return self._place[which]

    def _add(self, new: np.ndarray) -> None:
        fresh = self.rows.columns(new)
        across, inner = fresh @ self._columns.T, fresh @ fresh.T
        self._place[new] = len(self._columns) + np.arange(len(new))
        self._gram = np.block([[self._gram, across.T], [across, inner]])
        self._columns = np.vstack([self._columns, fresh])

    def _forget(self) -> None:
        n, p = self.rows.raw.shape
        self._place = np.full(p, -1)
        self._columns, self._gram = np.empty((0, n)), np.empty((0, 0))


def least_squares(rows: Design, *, many: bool = False) -> Moments | Columns:
    """The cheaper form of the data: for few columns or `many` solutions X'X, else the rows."""
    n, p = rows.raw.shape
    if p <= SMALL or (many and p <= min(n, LARGEST)):
        return Moments(*rows.moments(), float(rows.y @ rows.y))
    return Columns(rows)


class DescentState(NamedTuple):
    """The state of the descent after some sweeps."""

    sweeps: int  # made so far
    w: np.ndarray  # (p,), valid until the next iteration
    left: np.ndarray  # (p,), X'(y - X w) when the working set was last chosen; at the end, at w
    objective: float  # |y - X w|^2 / 2 + l1 |w| + l2/2 |w|^2
    gap: float  # the minimum is at most this far below, as far as the columns in play can tell
    playing: int  # columns in the working set
    stop: Stop | None


def descend(
    problem: LeastSquares,
    l1: float,
    l2: float,
    *,
    tol: float,
    max_iter: int,
    start: DescentState | None = None,
    batch: int = 1,
) -> Iterator[DescentState]:
    """Iterations of at most `batch` sweeps until the gap is tol |y|^2, or `max_iter` sweeps.

    `start` is where a descent on the same data ended, for another strength. The result does not
    depend on `batch`, which only sets how often a state is given.
    """
    w = np.zeros(len(problem.toward)) if start is None else start.w.copy()
    left = problem.toward.copy() if start is None else start.left
    made, small, grow = 0, tol * problem.yy, 1.0 if start is None else WARM
    which = np.empty(0, dtype=np.int64)
    while True:
        before, which = which, _in_play(w, left, l1, l2, grow)
        if np.array_equal(which, before):
            small *= 0.1  # nothing joined, so the columns in play were not solved well enough
        play = _Play(problem, which, w, left, l1, l2)
        while made == 0 or (play.gap > small and made < max_iter):
            if play.sweeps:
                yield play.state(w, left, made, None)
            made += play.advance(min(batch, max_iter - made), small)
            w[which] = play.w
        left = problem.left(w)
        play.gap = duality_gap(problem.toward, problem.yy, l1, l2, w, left)
        stop = _verdict(problem, made, play.gap, small, tol, max_iter)
        yield play.state(w, left, made, stop)
        if stop:
            return


def duality_gap(
    toward: np.ndarray, yy: float, l1: float, l2: float, w: np.ndarray, left: np.ndarray
) -> float:
    """Bound on the objective of `descend` at w above its minimum.

    toward = X'y, left = X'(y - X w) and w have shape (p,); yy is |y|^2.
    """
    inputs = read_only(toward), float(yy), float(l1), float(l2), read_only(w), read_only(left)
    return _kernels.gap(*inputs)


class _Play:
    """The columns in play; the coefficients of the others are fixed."""

    def __init__(
        self,
        problem: LeastSquares,
        which: np.ndarray,
        w: np.ndarray,
        left: np.ndarray,
        l1: float,
        l2: float,
    ) -> None:
        self.gram, self.l1, self.l2 = read_only(problem.gram(which)), l1, l2
        self.w, self.left = w[which], left[which]
        image = self.w @ self.gram
        self.toward = read_only(self.left + image)
        rest = problem.yy - problem.toward @ w - left @ w  # squared length of the residual
        self.yy = float(rest + 2.0 * self.left @ self.w + image @ self.w)
        self.fixed = _charge(w, l1, l2) - _charge(self.w, l1, l2)
        self.sweeps = 0
        self._measure()

    def advance(self, most: int, small: float) -> int:
        """Up to `most` sweeps, and an exact solution after every thirty; how many were made."""
        most = min(most, POLISH - self.sweeps % POLISH)
        inputs = self.gram, self.toward, self.yy, float(self.l1), float(self.l2)
        made = _kernels.sweeps(*inputs, most, float(small), 0.0, self.w, self.left)
        self.sweeps += made
        self._measure()
        if self.sweeps % POLISH == 0 and self.gap > small:
            self._polish()
        return made

    def state(self, w: np.ndarray, left: np.ndarray, made: int, stop: Stop | None) -> DescentState:
        """The state of the descent, with w and left of all columns, shape (p,)."""
        value = self._objective(self.w, self.left) + self.fixed
        return DescentState(made, w, left, value, self.gap, len(self.w), stop)

    def _measure(self) -> None:
        self.gap = duality_gap(self.toward, self.yy, self.l1, self.l2, self.w, self.left)

    def _objective(self, w: np.ndarray, left: np.ndarray) -> float:
        return float(0.5 * (self.yy - (self.toward + left) @ w)) + _charge(w, self.l1, self.l2)

    def _polish(self) -> None:
        """Go to the minimum for the present signs; where a sign changes on the way, drop it."""
        for _ in range(POLISH):
            w = _toward_minimum(self.gram, self.toward, self.l1, self.l2, self.w)
            left = self.toward - w @ self.gram
            # Near the minimum a solution may differ from w by rounding alone: keep what is lower.
            if not self._objective(w, left) < self._objective(self.w, self.left):
                return
            dropped = np.count_nonzero(w) < np.count_nonzero(self.w)
            self.w, self.left = w, left
            self._measure()
            if not dropped:
                return


def _toward_minimum(
    gram: np.ndarray, toward: np.ndarray, l1: float, l2: float, w: np.ndarray
) -> np.ndarray:
    """The minimum over the columns that are not zero, or the point where the first becomes so."""
    on = np.flatnonzero(w)
    old, inner = w[on], picked(gram, on)
    # A slight pull to where w is now keeps the direction downhill when columns are dependent.
    pull = TIE * inner.trace() / max(len(on), 1)
    inner.flat[:: len(on) + 1] += l2 + pull
    new = np.linalg.solve(inner, toward[on] - l1 * np.sign(old) + pull * old)
    crossed = (old * new < 0) & (l1 > 0)
    share = np.where(crossed, old / np.where(crossed, old - new, 1.0), 1.0)
    step, out = share.min(initial=1.0), np.zeros_like(w)
    out[on] = np.where(crossed & (share == step), 0.0, old + step * (new - old))
    return out


def _in_play(w: np.ndarray, left: np.ndarray, l1: float, l2: float, grow: float) -> np.ndarray:
    """The columns that may change: those not zero, and those that want most to join, sorted.

    `grow` bounds the new ones, as a share of those that are not zero.
    """
    p = len(w)
    if p <= SMALL:
        return np.arange(p)
    steep = np.where(w != 0, np.inf, np.abs(left))
    wanted = np.count_nonzero(steep > NEAR * l1)
    on = np.count_nonzero(w)
    room = on + max(FIRST, int(grow * on))
    count = min(wanted, room, p)
    if count > LARGEST:  # too many for one Gram matrix: those furthest from their optimum
        count = LARGEST
        steep = np.where(w != 0, np.abs(left - l2 * w - l1 * np.sign(w)), np.abs(left) - l1)
    return np.sort(np.argpartition(-steep, count - 1)[:count]) if count else np.arange(1)


def _charge(w: np.ndarray, l1: float, l2: float) -> float:
    return float(l1 * np.abs(w).sum() + 0.5 * l2 * (w @ w))


def _verdict(
    problem: LeastSquares, made: int, gap: float, small: float, tol: float, max_iter: int
) -> Stop | None:
    if gap > tol * problem.yy and small < 1e-17 * problem.yy:
        why = f"Stopped: rounding keeps the duality gap at {gap:.3g}, above {tol * problem.yy:.3g}."
        return Stop("limit", why)
    what = "the duality gap"
    return verdict(made - 1, gap, tol=tol * problem.yy, max_iter=max_iter, what=what)
