"""Lloyd's algorithm: rows are assigned to centers, centers move to their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np

from mlcore.clustering.restarts import Half, ended, fewer_than_asked, too_few
from mlcore.distances.columnwise import _kernels as columnwise
from mlcore.distances.nearest_center import Nearest, SearchRows, shares
from mlcore.maths.arrays import distinct_rows, read_only, weighted_median
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.wording import count, plural

PARTS = 4  # of the table, each with sums of its own: as many however many threads there are


@dataclass(frozen=True, eq=False)
class KMeansState:
    """Where k-means stands after half an iteration."""

    phase: str  # assign or move
    labels: np.ndarray  # (n,)
    centers: np.ndarray  # (k, p)
    restarts: np.ndarray  # distortions at the end of all runs, shape (n_init,); empty for one run


class Sums(NamedTuple):
    """The sums of which the means of k groups are made, as `regroup` keeps them."""

    labels: np.ndarray  # (n,), the group whose sum holds a row; -1 for none
    sums: np.ndarray  # (PARTS, k, p + 1), of the weighed rows and of the weights
    rests: np.ndarray  # (PARTS, k, p + 1), what rounding took from them
    counts: np.ndarray  # (PARTS, k), rows with weight


def _no_rows(n: int, k: int, p: int) -> Sums:
    sums = np.zeros((2, PARTS, k, p + 1))
    return Sums(np.full(n, -1), sums[0], sums[1], np.zeros((PARTS, k), dtype=np.int64))


class Settings(Protocol):
    """The settings of k-means, as `mlcore/clustering/kmeans.py` declares them."""

    @property
    def n_clusters(self) -> int: ...
    @property
    def init(self) -> Any: ...
    @property
    def n_init(self) -> int: ...
    @property
    def max_iter(self) -> int: ...
    @property
    def tol(self) -> float: ...
    @property
    def empty_cluster(self) -> str: ...
    @property
    def power(self) -> float: ...
    @property
    def center(self) -> str: ...
    @property
    def descends(self) -> bool: ...


class KMeansProblem:
    """The rows and weights that all runs share, and their starts."""

    def __init__(self, method: Settings, given: Given) -> None:
        self.method, self.given = method, given
        used = given.w > 0
        if used.sum() < method.n_clusters:
            raise DataError(too_few(method.n_clusters, int(used.sum())))
        # Rows of weight 0 get a label but count for nothing: no center may start at them.
        every = used.all()
        self.X, self.w = (given.X, given.w) if every else (given.X[used], given.w[used])
        self.k = len(distinct_rows(self.X, method.n_clusters))
        self.n_runs = method.n_init if method.init.card.random else 1
        self.data = SearchRows(given.X, self.k, method.power)
        self.weights = read_only(given.w)

    def start(self, run: int) -> np.ndarray:
        """The centers from which a run starts, shape (k, p): the same however many runs follow."""
        rng = self.given.rng(f"start {run}")
        return self.method.init.centers(self.X, self.w, self.k, rng)

    def run(self, number: int) -> LloydRun:
        """The run from a start that has not begun yet."""
        return LloydRun(self, number)

    def merit(self, end: Step) -> float:
        """The lower the distortion, the better."""
        return -end.objective


class LloydRun:
    """One run from one start."""

    def __init__(self, problem: KMeansProblem, number: int) -> None:
        self.problem, self.method = problem, problem.method
        self.centers = problem.start(number)
        self.nearest = Nearest(problem.data)
        self.labels = self.nearest.labels
        self.sums = _no_rows(len(self.labels), *self.centers.shape)
        self.best = inf  # least distortion so far, computed only where it may rise
        self.best_state: tuple[np.ndarray, np.ndarray] | None = None  # its labels and centers
        self.seen: set[bytes] = set()

    def halves(self) -> Iterator[Half]:
        """Assign, move, assign, move, ..., assign."""
        moved = inf
        for iteration in range(self.method.max_iter + 1):
            changed = self.nearest.assign(self.centers)
            stop = self._verdict(iteration, changed, moved)
            yield Half("assign", _assigned(iteration, changed), stop)
            if stop:
                return
            moved, note = self._move()
            yield Half("move", note)

    def last(self) -> tuple[int, Half]:
        """The number of the last half and what it did, as `halves` ends: without the halves before
        where a compiled loop does them."""
        data, moved, iteration = self.problem.data, inf, 0
        is_plain = data.columns is not None and self.method.center == "mean"
        if not is_plain or shares(len(data), self.centers.size):
            return ended(self.halves())
        while True:
            changed, moved, moves = self._settle(moved, self.method.max_iter - iteration)
            iteration += moves
            if stop := self._verdict(iteration, changed, moved):
                return 2 * iteration, Half("assign", _assigned(iteration, changed), stop)
            moved, _ = self._move()  # a group is empty
            iteration += 1

    def _settle(self, moved: float, most: int) -> tuple[int, float, int]:
        """At most so many iterations, to the end or to an empty group, as `settle`."""
        data, near, self.centers = self.problem.data, self.nearest, self.centers.copy()
        near.upper[:] = inf
        return columnwise.settle(
            data.X, data.columns, self.problem.weights, data.shift, near.slack,
            near.labels, near.upper, near.lower, *self.sums, self.centers,
            self.method.empty_cluster == "farthest", self.method.tol, moved, most,
        )  # fmt: skip

    def step(self, k: int, half: Half, ends: np.ndarray) -> Step:
        """Half an iteration as a step, with its distortion.

        `ends` holds the distortions at the end of all runs, shape (n_runs,), or none.
        """
        distortion = self.distortion()
        state = KMeansState(half.phase, self.labels, self.centers, ends)
        return Step(k, distortion, state, half.stop, f"{half.note}; distortion {distortion:.4g}.")

    def distortion(self) -> float:
        """Weighted mean of |x - c|^p over the rows and their centers."""
        apart, w = self.problem.data.apart(self.centers, self.labels), self.problem.weights
        return float((w * apart).sum() / w.sum())

    def _verdict(self, iteration: int, changed: int, moved: float) -> Stop | None:
        stop = self._stop(iteration, changed, moved)
        if not self.method.descends:
            stop = self._watched(stop)
        fewer = fewer_than_asked(self.problem.k, self.method.n_clusters, "group")
        return stop and replace(stop, why=stop.why + fewer)

    def _stop(self, iteration: int, changed: int, moved: float) -> Stop | None:
        tol, limit = self.method.tol, self.method.max_iter
        if not changed:
            return Stop("converged", "Converged: no row changed its group.")
        if moved <= tol:
            return Stop("converged", f"Converged: no center moved farther than {tol:g}.")
        if iteration == limit:
            rows = count(changed, "row")
            return Stop(
                "limit",
                f"Not converged after {count(limit, 'iteration')}: {rows} still changed group.",
            )
        return None

    def _watched(self, stop: Stop | None) -> Stop | None:
        """Where the distortion may rise, end when labels repeat, with the best labels so far."""
        now = self.distortion()
        if now < self.best:
            self.best, self.best_state = now, (self.labels.copy(), self.centers)
        key = sha256(self.labels.tobytes()).digest()
        if key in self.seen and stop is None:
            stop = Stop("cycle", "Stopped: the groups repeat; the best of them are kept.")
        self.seen.add(key)
        if stop and self.best_state:
            self.labels, self.centers = self.best_state
        return stop

    def _move(self) -> tuple[float, str]:
        """Move the centers; returns the largest distance moved, and a sentence."""
        before = self.centers
        moved, counts = self._middles()
        empty = np.flatnonzero(counts == 0)
        note = ""
        if len(empty) and self.method.empty_cluster == "farthest":
            self.centers[empty] = self._worst_served(before, len(empty))
            moved = float(np.sqrt(((self.centers - before) ** 2).sum(axis=1).max()))
            note = "; " + ("an empty group" if len(empty) == 1 else f"{len(empty)} empty groups")
            note += " started anew at the rows served worst"
        return moved, f"The centers moved by at most {moved:.3g}{note}"

    def _middles(self) -> tuple[float, np.ndarray]:
        """Move each center to the middle of its rows, one without rows not; returns the longest
        way, and the number of rows with weight of each."""
        data, labels, w = self.problem.data, self.labels, self.problem.weights
        before, self.centers = self.centers, self.centers.copy()
        sums = self.sums
        self._regroup()
        moved = columnwise.middles(*sums[1:], data.shift, self.centers)
        counts = sums.counts.sum(axis=0)
        if self.method.center == "median":
            for j in np.flatnonzero(counts):
                own = np.flatnonzero(labels == j)
                self.centers[j] = weighted_median(data.X[own], w[own])
            moved = float(np.sqrt(((self.centers - before) ** 2).sum(axis=1).max()))
        return moved, counts

    def _regroup(self) -> None:
        """Move rows from sum to sum; threads share the parts of the table."""
        data, crew, sums = self.problem.data, self.nearest.crew, self.sums
        is_shared = shares(len(data), self.centers.size)
        shared = crew.parts(PARTS) if is_shared else [slice(0, PARTS)]
        given = data.X, self.problem.weights, data.shift, self.labels, sums.labels

        def regroup(parts: slice) -> None:
            columnwise.regroup(*given, parts.start, parts.stop, *sums[1:])

        crew.do(regroup, shared)

    def _worst_served(self, centers: np.ndarray, count: int) -> np.ndarray:
        """The rows that are farthest from their centers, worst first, shape (count, p)."""
        apart = self.problem.data.apart(centers, self.labels)
        apart = np.where(self.problem.weights > 0, apart, -1.0)
        return self.problem.data.X[np.argsort(-apart, kind="stable")[:count]]


def _assigned(iteration: int, changed: int) -> str:
    if iteration == 0:
        return "Every row joined its nearest center"
    if not changed:
        return "No row changed its group"
    return f"{count(changed, 'row')} changed {plural(changed, 'its', 'their')} group"
