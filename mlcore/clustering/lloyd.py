"""Lloyd's algorithm: rows are assigned to centers, centers move to their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from math import inf
from typing import Any, Protocol

import numpy as np

from mlcore.clustering import _kernels
from mlcore.clustering.restarts import Half, fewer_than_asked, too_few
from mlcore.distances.nearest_center import Nearest, SearchRows
from mlcore.maths.arrays import distinct_rows, read_only, weighted_median
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.wording import count, plural


@dataclass(frozen=True, eq=False)
class KMeansState:
    """Where k-means stands after half an iteration."""

    phase: str  # assign or move
    labels: np.ndarray  # (n,)
    centers: np.ndarray  # (k, p)
    restarts: np.ndarray  # distortions at the end of all runs, shape (n_init,); empty for one run


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
        self.data = SearchRows(given.X, method.power)
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
        self.centers, weights = self._middles()
        note = ""
        if not weights.all() and self.method.empty_cluster == "farthest":
            empty = np.flatnonzero(weights == 0)
            self.centers[empty] = self._worst_served(before, len(empty))
            note = "; " + ("an empty group" if len(empty) == 1 else f"{len(empty)} empty groups")
            note += " started anew at the rows served worst"
        moved = float(np.sqrt(((self.centers - before) ** 2).sum(axis=1).max()))
        return moved, f"The centers moved by at most {moved:.3g}{note}"

    def _middles(self) -> tuple[np.ndarray, np.ndarray]:
        """The middle of each group, a center without rows as it was; and the weight of each."""
        data, labels, w = self.problem.data, read_only(self.labels), self.problem.weights
        centers, weights = np.empty_like(self.centers), np.empty(len(self.centers))
        before = read_only(self.centers)
        _kernels.means(data.X, w, data.shift, labels, before, centers, weights)
        if self.method.center == "median":
            for j in np.flatnonzero(weights):
                own = np.flatnonzero(labels == j)
                centers[j] = weighted_median(data.X[own], w[own])
        return centers, weights

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
