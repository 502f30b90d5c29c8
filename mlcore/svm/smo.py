"""Sequential minimal optimisation: two variables at a time, on rows that are computed in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Stop
from mlcore.spine.params import integer
from mlcore.spine.wording import count
from mlcore.svm import _kernels
from mlcore.svm.dual import Dual, Pair, Point, gap_of, offset
from mlcore.svm.finish import finished
from mlcore.svm.rows import Afresh, RowCache

AHEAD = 32  # rows computed with one that is needed: a product of few rows wastes the processor
EASED = 0.1  # of the gap: solving a working set closer than this is work for nothing
SINGLE_TOL = 1e-4  # tolerance for which rows in single precision are exact enough
BROAD = 6  # times a working set: sets where the cache is short
SHORT = 3  # times the rows that it holds there are
MOST_BROAD = 100  # sets, after which rounding keeps the gap open
LONG = 20  # pairs a row of a working set, after which who asked is told how it stands
UNBOUNDED = 2**62  # pairs
NOTHING = -1.0  # no row is needed


@enter(
    Card(
        "smo",
        "Sequential minimal optimisation (SMO)",
        ("svm_solver",),
        paper="Fan, Chen and Lin (2005), Journal of Machine Learning Research 6",
        sources=("prac:smo", "prac:smo_pair", "s841:svm_smo", "cs1:smo"),
        kind="part",
        synonyms=("SMO", "Platt's algorithm"),
    )
)
@dataclass(frozen=True, kw_only=True)
class SMO(Component):
    """Moves the pair of variables with which the objective falls most, until none is left.

    Few rows have their whole Gram matrix, and end with linear equations that make the solution
    exact. Of many rows those that are needed are computed in blocks, by one matrix product, and
    kept while there is room; of more rows still, working sets are larger, and none is kept.
    """

    working_set: int = integer(
        512,
        low=4,
        high=4096,
        soft=(8, 1024),
        log=True,
        doc="Most rows whose whole Gram matrix is computed at once; six times as many where the "
        "cache holds less than a third of all rows.",
    )
    cache_size: int = integer(
        200,
        low=1,
        high=16_000,
        soft=(10, 1000),
        log=True,
        unit="MB",
        doc="Memory for rows of the Gram matrix, in MB.",
    )

    most_rows: ClassVar[int | None] = None
    moves_pairs: ClassVar[bool] = True

    def walk(
        self, problem: Dual, *, tol: float, max_moves: int | None, every: int = UNBOUNDED
    ) -> Iterator[Point]:
        """The state after each `every` pairs, the last with the reason to stop.

        Many rows begin with working sets, and a point follows each of these.
        """
        most = UNBOUNDED if max_moves is None else max_moves
        is_small = problem.n <= self.working_set * problem.source.copies
        at = _Solver(problem, tol, most, self._cache(problem, tol, is_small))
        yield from () if is_small else self._in_sets(at, every)
        while True:
            at.solve(every)
            point = at.point()
            if point.stop and point.stop.kind == "converged" and is_small:
                exact = finished(problem, at.cache.rows, at.beta, at.slope)
                if exact is not None:
                    yield replace(point, stop=None)
                    point = replace(exact, moves=at.moves, stop=point.stop)
            yield point
            if point.stop:
                return

    def _in_sets(self, at: _Solver, every: int) -> Iterator[Point]:
        """The state after each working set, until more rows than a set has are coupled."""
        size, least, most = self.working_set, self.working_set // 2, UNBOUNDED
        rows: Any = at.cache
        if len(rows.rows) * SHORT < at.problem.n:
            size, least, most = self._broad(rows.rows.itemsize), 1, MOST_BROAD
            rows = Afresh(rows.source, rows.ridge)
        for _ in range(most):
            made = at.solve_set(size, max(every, LONG * size), rows)
            if at.n_free > size or made < least or at.is_over:
                return
            yield at.point()

    def _broad(self, itemsize: int) -> int:
        """Rows of a set whose Gram matrix takes no more memory than the cache would."""
        return max(min(BROAD * self.working_set, isqrt(self.cache_size * 2**20 // itemsize)), 4)

    def _cache(self, problem: Dual, tol: float, is_small: bool) -> RowCache:
        if not is_small:
            source = problem.source.single() if tol >= SINGLE_TOL else problem.source
            return RowCache(source, problem.ridge, self.cache_size, self.working_set + AHEAD)
        return RowCache.whole(problem.source, problem.ridge)


class _Solver:
    """The state of the solver, with its two kinds of step: a working set, or pairs of all rows."""

    def __init__(self, problem: Dual, tol: float, most: int, cache: RowCache) -> None:
        self.problem, self.tol, self.most, self.cache = problem, tol, most, cache
        self.beta, self.slope = _begun(problem, cache)
        self.gap, self.moves = gap_of(problem, self.beta, self.slope), 0
        self.pair: Pair | None = None
        self.chosen = np.empty(0, dtype=np.int64)
        self._diag = read_only(problem.source.diag + problem.ridge)
        self._low, self._high = read_only(problem.low), read_only(problem.high)
        self._split = problem.n if problem.split is None else problem.split
        self._room, self._report = np.empty((3, problem.n)), _report()

    @property
    def is_over(self) -> bool:
        """Whether the gap is closed, or the allowed moves are used up."""
        return self.gap <= self.tol or self.moves >= self.most

    @property
    def n_free(self) -> int:
        """Number of variables strictly between their bounds."""
        return int(((self.beta > self._low) & (self.beta < self._high)).sum())

    def solve(self, every: int) -> None:
        """Move at most `every` pairs of all rows."""
        cache, report = self.cache, self._report
        goal = min(self.moves + every, self.most)
        report[8] = cache.now()
        _kernels.sides(self._low, self._high, self.beta, self.slope, self._room)
        while True:
            self.moves += _kernels.pairs(
                read_only(cache.rows), read_only(cache.slot), self._diag, self._low, self._high,
                self._split, self.tol, goal - self.moves, self.beta, cache.used, self._room, report,
            )  # fmt: skip
            if report[7] == NOTHING:
                break
            cache.bring(self._needed(int(report[7])), int(report[8]))
        _kernels.slopes(self._room, self.slope)
        self.gap = float(report[6])
        if self.moves:
            self.pair = _pair(report)

    def solve_set(self, size: int, most: int, rows: RowCache | Afresh) -> int:
        """At most `most` pairs of a set of the worst violators, and an update of all slopes."""
        chosen = self.chosen = self._worst(size)
        K = rows.among(chosen)
        own, low, high = self.beta[chosen], self._low[chosen], self._high[chosen]
        room, report = np.empty((3, len(chosen))), _report()
        _kernels.sides(low, high, own, self.slope[chosen], room)
        made = _kernels.pairs(
            read_only(K), read_only(np.arange(len(chosen))), read_only(self._diag[chosen]),
            read_only(low), read_only(high), int(np.searchsorted(chosen, self._split)),
            max(self.tol / 2, EASED * self.gap), min(most, self.most - self.moves),
            own, np.zeros(len(chosen), dtype=np.int64), room, report,
        )  # fmt: skip
        moved = own - self.beta[chosen]
        at = moved != 0
        rows.carry(chosen[at], moved[at], self.slope)
        self.beta[chosen] = own
        self.moves += made
        self.gap = gap_of(self.problem, self.beta, self.slope)
        return made

    def _worst(self, size: int) -> np.ndarray:
        """The worst violators of both kinds, then those of the last set, free ones first."""
        up, down = self._sides(slice(None))
        quarter = size // (4 if len(self.chosen) else 2)
        candidates = [np.argpartition(side, quarter)[:quarter] for side in (up, down)]
        both = zip(candidates, (up, down), strict=True)
        worst = np.unique(np.concatenate([at[np.isfinite(side[at])] for at, side in both]))
        old = self.chosen[~np.isin(self.chosen, worst, assume_unique=True)]
        is_free = (self.beta[old] > self._low[old]) & (self.beta[old] < self._high[old])
        old = old[np.argsort(~is_free, kind="stable")]
        return np.sort(np.concatenate([worst, old[: size - len(worst)]]))

    def _needed(self, wanted: int) -> np.ndarray:
        """The wanted row, and of the rows not in the cache the worst violators of both kinds.

        Once the cache is full, it alone: others would drive out rows that are needed again.
        """
        if self.cache.is_full:
            return np.array([wanted])
        _kernels.slopes(self._room, self.slope)
        away = np.flatnonzero(self.cache.slot < 0)
        count = min(AHEAD // 2, len(away) - 1)
        violators = [away[np.argpartition(side, count)[:count]] for side in self._sides(away)]
        return np.union1d(np.concatenate(violators), [wanted])

    def _sides(self, these: Any) -> tuple[np.ndarray, np.ndarray]:
        """The slopes of what can rise, and minus those of what can fall; infinite for the rest."""
        beta, slope = self.beta[these], self._levelled()[these]
        up = np.where(beta < self._high[these], slope, np.inf)
        return up, np.where(beta > self._low[these], -slope, np.inf)

    def _levelled(self) -> np.ndarray:
        """The slopes, (n,), from a level of each group: those of two groups have nothing in common.

        The level lies amid what can rise and what can fall.
        """
        if self.problem.split is None:
            return self.slope
        levelled = self.slope.copy()
        for own in self.problem.groups:
            b, c = offset(self.problem, self.beta, self.slope, own)
            levelled[own] += (b + c) / 2
        return levelled

    def point(self) -> Point:
        """The present state, with the reason to stop if it is the end."""
        gap, moves, stop = self.gap, self.moves, None
        if gap <= self.tol:
            why = f"Converged: no pair violates the conditions by more than {self.tol:g}."
            stop = Stop("converged", why)
        elif moves >= self.most:
            why = f"Not converged after {count(moves, 'pair')}: the gap is still {gap:.3g}."
            stop = Stop("limit", why)
        return Point(self.beta, self.slope, gap, moves, self.pair, stop)


def _begun(problem: Dual, cache: RowCache) -> tuple[np.ndarray, np.ndarray]:
    """Variables and slopes at the start, shape (n,) each."""
    if problem.start is None:
        return np.zeros(problem.n), problem.q.copy()
    beta = problem.start.copy()
    if cache.is_whole:
        return beta, problem.q + beta @ cache.rows
    slope = problem.q + problem.ridge * beta
    at = np.flatnonzero(beta)
    for first in range(0, len(at), AHEAD):
        part = at[first : first + AHEAD]
        slope += beta[part] @ problem.source.rows(part)
    return beta, slope


def _report() -> np.ndarray:
    """What `_kernels.pairs` writes, before it did: no row is needed."""
    report = np.full(14, NOTHING)
    report[8] = 0.0
    return report


def _pair(report: np.ndarray) -> Pair:
    before = (float(report[2]), float(report[3]))
    return Pair(int(report[0]), int(report[1]), before, float(report[4]), float(report[5]))
