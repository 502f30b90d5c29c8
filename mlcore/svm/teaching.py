"""Solvers to learn from: each move is one that a lecture does by hand, on a matrix held whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Stop
from mlcore.spine.params import real
from mlcore.spine.wording import count, percent, rough
from mlcore.svm.dual import Dual, Pair, Point, gap_of
from mlcore.svm.finish import free_worst, stepped
from mlcore.svm.smo import UNBOUNDED

CLOSE = 1e-12  # of a bound, within which a multiplier is at it
FLAT = 1e-12  # least curvature along a pair, as a share of the two diagonal values
MOST_MOVES = 20_000  # nobody follows more, and each takes some hundred microseconds
STILL = 50  # steps of no length after which an active set goes round in circles


class Dense:
    """A programme with its whole matrix, and where a solver stands in it."""

    def __init__(self, problem: Dual) -> None:
        self.problem = problem
        self.K = problem.source.rows(np.arange(problem.n)) + np.diag(problem.ridge)
        self.beta = np.zeros(problem.n) if problem.start is None else problem.start.copy()
        self.slope = self.K @ self.beta + problem.q
        self.pair: Pair | None = None

    @property
    def gap(self) -> float:
        """By how much the conditions of the minimum are violated."""
        return gap_of(self.problem, self.beta, self.slope)

    @property
    def is_free(self) -> np.ndarray:
        """Which multipliers lie between their bounds, (n,)."""
        return (self.beta > self.problem.low) & (self.beta < self.problem.high)

    def range_of(self, i: int, j: int) -> float:
        """The smaller of the ranges of both, 0 where they have no ends."""
        least = float(min(self.problem.high[k] - self.problem.low[k] for k in (i, j)))
        return least if np.isfinite(least) else 0.0

    def length(self, i: int, j: int) -> tuple[float, float]:
        """By how much i should rise and j fall: within the bounds, and were there none.

        The slopes differ by (s_j - s_i), and their difference falls by eta = K_ii + K_jj - 2 K_ij
        a unit. Platt (1998), equations 12.6 and 12.7.
        """
        low, high, beta = self.problem.low, self.problem.high, self.beta
        eta = float(self.K[i, i] + self.K[j, j] - 2.0 * self.K[i, j])
        least = FLAT * max(float(self.K[i, i] + self.K[j, j]), 1e-300)
        free = float(self.slope[j] - self.slope[i]) / max(eta, least)
        lowest = max(low[i] - beta[i], beta[j] - high[j])
        return float(np.clip(free, lowest, min(high[i] - beta[i], beta[j] - low[j]))), free

    def move(self, i: int, j: int) -> None:
        """Let i rise and j fall to where the objective is least along the pair."""
        step, free = self.length(i, j)
        i, j, step, free = (i, j, step, free) if step >= 0 else (j, i, -step, -free)
        self.pair = Pair(i, j, (float(self.beta[i]), float(self.beta[j])), step, free)
        self.beta[i] = self._at_bound(i, self.beta[i] + step)
        self.beta[j] = self._at_bound(j, self.beta[j] - step)
        self.slope += step * (self.K[i] - self.K[j])

    def _at_bound(self, i: int, value: float) -> float:
        for bound in (self.problem.low[i], self.problem.high[i]):
            if np.isfinite(bound) and abs(value - bound) <= CLOSE * max(abs(bound), 1e-300):
                return float(bound)
        return value


class TeachingSolver(Component):
    """A solver whose moves are told one by one; at most 20,000 of them."""

    most_rows: ClassVar[int]
    moves_pairs: ClassVar[bool] = True

    def _moves(self, at: Dense, tol: float) -> Iterator[str]:
        """Make one move after the other, with a sentence for each, till none is left."""
        raise NotImplementedError(f"{type(self).__name__} declares no moves")

    def walk(
        self, problem: Dual, *, tol: float, max_moves: int | None, every: int = UNBOUNDED
    ) -> Iterator[Point]:
        """The state after each `every` moves, the last with the reason to stop."""
        at, moves, most = Dense(problem), 0, min(max_moves or MOST_MOVES, MOST_MOVES)
        tells, clauses = "", self._moves(at, tol)
        while at.gap > tol and moves < most:
            clause = next(clauses, None)
            if clause is None:
                break
            tells, moves = clause, moves + 1
            if moves % every == 0 and at.gap > tol and moves < most:
                yield self._point(at, moves, tells, None)
        stop = _verdict(at.gap, tol, moves, most) or Stop("limit", self._stuck(at, tol))
        yield self._point(at, moves, tells, stop)

    def _stuck(self, at: Dense, tol: float) -> str:
        """Why there is no move although the gap is above `tol`."""
        return f"No move is left that brings anything; the gap is still {at.gap:.3g}."

    def _point(self, at: Dense, moves: int, tells: str, stop: Stop | None) -> Point:
        return Point(at.beta, at.slope, at.gap, moves, at.pair, stop, tells=tells)


def _verdict(gap: float, tol: float, moves: int, most: int) -> Stop | None:
    if gap <= tol:
        return Stop(
            "converged", f"Converged: no pair violates the conditions by more than {tol:g}."
        )
    if moves >= most:
        return Stop(
            "limit", f"Not converged after {count(moves, 'move')}: the gap is still {gap:.3g}."
        )
    return None


@enter(
    Card(
        "platt_smo",
        "Platt's SMO (for learning)",
        ("svm_solver",),
        paper="Platt (1998), Microsoft Research MSR-TR-98-14",
        sources=("prac:smo", "prac:smo_pair", "s841:svm_smo"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class PlattSMO(TeachingSolver):
    """Goes through the rows, and moves each that violates the conditions together with another.

    As Platt wrote it: passes over all rows take turns with passes over those between the bounds;
    the second row is that whose error differs most, then any other between the bounds, then any.
    A threshold b is kept along. For learning, on at most 1,000 rows and for 20,000 moves: it looks
    at one row at a time, and a large C takes it ten times the moves of SMO.
    """

    min_change: float = real(
        1e-12, above=0.0, high=1e-2, soft=(1e-12, 1e-3), log=True, label="Least move",
        doc="Share of both multipliers; a pair that would move by less is passed over.",
    )  # fmt: skip
    most_rows: ClassVar[int] = 1000

    def _moves(self, at: Dense, tol: float) -> Iterator[str]:
        thresholds = [0.0 for _ in at.problem.groups]
        takes_all = True
        while True:
            order = range(len(at.beta)) if takes_all else np.flatnonzero(at.is_free)
            has_moved = False
            for j in order:
                g = _group(at.problem, int(j))
                i = self._partner(at, int(j), thresholds[g], tol / 2)
                if i is None:
                    continue
                at.move(i, int(j))
                thresholds[g], has_moved = _threshold(at, i, int(j)), True
                which = "all rows" if takes_all else "the rows between the bounds"
                yield f"In a pass over {which}; the threshold b is {rough(thresholds[g])}."
            if takes_all and not has_moved:
                return
            takes_all = not takes_all and not has_moved

    def _partner(self, at: Dense, j: int, b: float, tol: float) -> int | None:
        """The row that moves with j; None where j violates nothing, or none can."""
        error = float(at.slope[j]) + b
        can_rise = at.beta[j] < at.problem.high[j] and error < -tol
        if not can_rise and not (at.beta[j] > at.problem.low[j] and error > tol):
            return None
        own = at.problem.groups[_group(at.problem, j)]
        group = np.arange(len(at.beta))[own]
        group = np.roll(group, -(j - group[0]) - 1)  # those after j first
        free = group[at.is_free[group]]
        farthest = free[np.abs(at.slope[free] - at.slope[j]).argsort(kind="stable")[-1:]]
        others = (int(i) for part in (farthest, free, group) for i in part if i != j)
        return next((i for i in others if self._moves_enough(at, i, j)), None)

    def _moves_enough(self, at: Dense, i: int, j: int) -> bool:
        step = abs(at.length(i, j)[0])
        return step > self.min_change * (abs(at.beta[i]) + abs(at.beta[j]) + self.min_change)


def _group(problem: Dual, i: int) -> int:
    return int(problem.split is not None and i >= problem.split)


def _threshold(at: Dense, i: int, j: int) -> float:
    """One of the pair between its bounds gets an error of zero; without, b lies amid both."""
    for k in (i, j):
        if at.problem.low[k] < at.beta[k] < at.problem.high[k]:
            return -float(at.slope[k])
    return -float(at.slope[i] + at.slope[j]) / 2


@enter(
    Card(
        "keerthi_smo",
        "Keerthi's SMO (for learning)",
        ("svm_solver",),
        paper="Keerthi and others (2001), Neural Computation 13",
        sources=("cs1:smo", "cs1:smo_diagnostics"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class KeerthiSMO(TeachingSolver):
    """Moves the pair that violates the conditions most, and tells thresholds and index sets.

    I0 has the rows between the bounds; I1 and I4 those at 0 of y = 1 and of y = -1, I3 and I2 those
    at C. b_up is the least error in I0, I1 and I2, whose signed multiplier can rise,
    b_low the largest in I0, I3 and I4, where it can fall. While b_up lies below b_low by more than
    the tolerance, these two rows move. It ends at the minimum (case 2), or where they would move by
    next to nothing (case 1). For learning, on at most 1,000 rows and for 20,000 moves: SMO looks
    further ahead.
    """

    theta: float = real(
        1e-12, above=0.0, high=1.0, soft=(1e-12, 1.0), log=True, symbol=r"\theta",
        label="Least move",
        doc="Share of C; where the pair that violates most would move by no more, the search ends "
        "although it is not at the minimum.",
    )  # fmt: skip
    most_rows: ClassVar[int] = 1000

    def _moves(self, at: Dense, tol: float) -> Iterator[str]:
        while True:
            i, j = max((_worst(at, own) for own in at.problem.groups), key=lambda p: _apart(at, *p))
            if at.length(i, j)[0] <= self.theta * at.range_of(i, j):
                return
            up, low, sets = float(at.slope[i]), float(at.slope[j]), index_sets(at)
            at.move(i, j)
            before = f"b_up was {rough(up)} in I{sets[i]} and b_low {rough(low)} in I{sets[j]}"
            now = np.bincount(index_sets(at), minlength=5)
            counts = ", ".join(f"I{k} {count}" for k, count in enumerate(now))
            yield f"Before, {before}; rows now: {counts}."

    def _stuck(self, at: Dense, tol: float) -> str:
        up, down = at.beta < at.problem.high, at.beta > at.problem.low
        apart = [
            at.slope[own][down[own]][:, None] - at.slope[own][up[own]] for own in at.problem.groups
        ]
        share = float(np.mean(np.concatenate([each.ravel() for each in apart]) > tol))
        return (
            f"Stopped by case 1, not at the minimum: the pair that violates most would move by no "
            f"more than {self.theta:g} of its range. {percent(share)} of the pairs that could move "
            "violate the conditions still. Reduce theta."
        )


def index_sets(at: Dense) -> np.ndarray:
    """The set of each row, 0 to 4 for I0 to I4, shape (n,). Keerthi and others (2001)."""
    is_positive = at.problem.is_positive
    at_low = np.where(is_positive, 1, 2)  # multipliers 0 of y = 1, or C of y = -1
    at_high = np.where(is_positive, 3, 4)
    return np.where(at.is_free, 0, np.where(at.beta <= at.problem.low, at_low, at_high))


def _worst(at: Dense, own: slice) -> tuple[int, int]:
    """The row of the least slope that can rise, and that of the largest that can fall."""
    first, beta, slope = own.start, at.beta[own], at.slope[own]
    up = np.where(beta < at.problem.high[own], slope, np.inf)
    down = np.where(beta > at.problem.low[own], slope, -np.inf)
    return first + int(up.argmin()), first + int(down.argmax())


def _apart(at: Dense, i: int, j: int) -> float:
    return float(at.slope[j] - at.slope[i])


@enter(
    Card(
        "dual_qp",
        "Active set of a dense QP (for learning)",
        ("svm_solver",),
        paper="Nocedal and Wright (2006), Numerical Optimization, 16.5",
        sources=("prac:svm_qp", "s841:quadratic_programming"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class DualQP(TeachingSolver):
    """Solves the quadratic programme as any other, by guessing which multipliers are at a bound.

    For the others the conditions are linear equations. Towards their solution it goes until a
    multiplier meets its bound, which then joins those that are held there; at the solution the one
    that violates the conditions most is let go. For learning, on at most 400 rows: each step
    solves equations of all multipliers between the bounds, and a kernel has to be valid.
    """

    most_rows: ClassVar[int] = 400
    moves_pairs: ClassVar[bool] = False

    def _moves(self, at: Dense, tol: float) -> Iterator[str]:
        free, still = at.is_free, 0
        while still < STILL:
            before = at.beta.copy()
            try:
                was_cut = stepped(at.problem, at.K, at.beta, at.slope, free)
            except np.linalg.LinAlgError:
                return  # not positive definite: there may be no minimum
            if not was_cut:
                free_worst(at.problem, at.beta, at.slope, free)
            by = float(np.abs(at.beta - before).max())
            still = still + 1 if by == 0.0 else 0
            yield _of_step(int(free.sum()), by, was_cut)

    def _point(self, at: Dense, moves: int, tells: str, stop: Stop | None) -> Point:
        return Point(at.beta, at.slope, at.gap, moves, None, stop, tells)


def _of_step(free: int, by: float, was_cut: bool) -> str:
    reached = "until one met its bound" if was_cut else "to the solution of the equations"
    what = f"A step of {rough(by)} {reached}" if by else "No step"
    then = "" if was_cut else ", and the worst of those at a bound was let go"
    return f"{what}{then}; {count(free, 'multiplier')} free."
