"""Soft k-means from one start: rows are shared among centers, centers move to their shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import numpy as np

from mlcore.clustering.restarts import Half, ended, fewer_than_asked, too_few
from mlcore.maths.arrays import distinct_rows
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False)
class SoftState:
    """Where soft k-means stands after half an iteration."""

    phase: str  # share or move
    labels: np.ndarray  # (n,)
    memberships: np.ndarray  # (n, K)
    centers: np.ndarray  # (K, p)
    directions: np.ndarray  # (K, r, p)
    restarts: np.ndarray  # costs at the end of all runs, shape (n_init,); empty for one run


class Settings(Protocol):
    """The settings, as `mlcore/clustering/soft_kmeans.py` declares them."""

    @property
    def n_clusters(self) -> int: ...
    @property
    def membership(self) -> Any: ...
    @property
    def n_directions(self) -> int: ...
    @property
    def init(self) -> Any: ...
    @property
    def n_init(self) -> int: ...
    @property
    def tol(self) -> float: ...
    @property
    def max_iter(self) -> int: ...


def squares_to(X: np.ndarray, centers: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Squared distances of rows, (n, p), to centers, (K, p), or to flat pieces: shape (n, K).

    A piece goes through its center along its orthonormal `directions`, shape (K, r, p); a direction
    of zeros is none.
    """
    squares = np.empty((len(X), len(centers)))
    for k, center in enumerate(centers):
        away = X - center
        squares[:, k] = (away**2).sum(axis=1)
        if directions.shape[1]:
            squares[:, k] -= ((away @ directions[k].T) ** 2).sum(axis=1)
    return np.maximum(squares, 0.0) if directions.shape[1] else squares


class SoftProblem:
    """The rows and weights that all runs share, and their starts."""

    def __init__(self, method: Settings, given: Given) -> None:
        self.method, self.given = method, given
        used = given.w > 0
        if used.sum() < method.n_clusters:
            raise DataError(too_few(method.n_clusters, int(used.sum())))
        # Rows of weight 0 are shared but count for nothing: no center may start at them.
        self.rows = given.X[used], given.w[used]
        self.k = len(distinct_rows(self.rows[0], method.n_clusters))
        self.n_runs = method.n_init if method.init.card.random else 1
        mean = np.average(given.X, axis=0, weights=given.w)
        about = ((given.X - mean) ** 2).sum(axis=1)
        self.spread = float(np.sqrt(np.average(about, weights=given.w)))

    def start(self, run: int) -> np.ndarray:
        """The centers from which a run starts, shape (K, p): those of k-means with this seed."""
        return self.method.init.centers(*self.rows, self.k, self.given.rng(f"start {run}"))

    def run(self, number: int) -> SoftRun:
        """The run from a start that has not begun yet."""
        return SoftRun(self, number)

    def merit(self, end: Step) -> float:
        """The lower the cost, the better."""
        return -end.objective


class SoftRun:
    """One run from one start."""

    def __init__(self, problem: SoftProblem, number: int) -> None:
        self.problem, self.method = problem, problem.method
        self.X, self.w = problem.given.X, problem.given.w
        self.centers = problem.start(number)
        self.directions = np.zeros((problem.k, self.method.n_directions, self.X.shape[1]))
        self.squares = squares_to(self.X, self.centers, self.directions)
        self.shares = self.method.membership.shares(self.squares)
        self.best = inf  # least cost so far, where it may rise
        self.kept: tuple[np.ndarray, ...] = ()

    def halves(self) -> Iterator[Half]:
        """Share, move, share, move, ..., share."""
        moved = inf
        for iteration in range(self.method.max_iter + 1):
            self.shares = self.method.membership.shares(self.squares)
            stop = self._verdict(iteration, moved)
            yield Half("share", "Every row was shared among the centers", stop)
            if stop:
                return
            moved = self._move()
            yield Half("move", f"The centers moved by at most {moved:.3g}")

    def last(self) -> tuple[int, Half]:
        """The number of the last half and what it did."""
        return ended(self.halves())

    def step(self, k: int, half: Half, ends: np.ndarray) -> Step:
        """Half an iteration as a step, with its cost.

        `ends` holds the costs at the end of all runs, shape (n_runs,), or none.
        """
        cost = self.cost()
        labels = self.shares.argmax(axis=1)
        state = SoftState(half.phase, labels, self.shares, self.centers, self.directions, ends)
        return Step(k, cost, state, half.stop, f"{half.note}; cost {cost:.4g}.")

    def cost(self) -> float:
        """Weighted mean of what the membership charges for each row."""
        costs = self.method.membership.costs(self.squares, self.shares)
        return float(np.average(costs, weights=self.w))

    def _verdict(self, iteration: int, moved: float) -> Stop | None:
        tol, limit = self.method.tol * self.problem.spread, self.method.max_iter
        stop = None
        if moved <= tol:
            stop = Stop("converged", f"Converged: no center moved farther than {tol:.3g}.")
        elif iteration == limit:
            spent = count(limit, "iteration")
            why = f"Not converged after {spent}: a center still moved by {moved:.3g}."
            stop = Stop("limit", why)
        if not self.method.membership.descends:
            stop = self._watched(stop)
        fewer = fewer_than_asked(self.problem.k, self.method.n_clusters, "group")
        return stop and replace(stop, why=stop.why + fewer)

    def _watched(self, stop: Stop | None) -> Stop | None:
        """Where the cost may rise, end with the best that was met."""
        now = self.cost()
        if now < self.best:
            self.best = now
            self.kept = (self.squares, self.shares, self.centers, self.directions)
        elif stop is not None and self.kept:
            self.squares, self.shares, self.centers, self.directions = self.kept
        return stop

    def _move(self) -> float:
        """Move the centers, and turn the directions; returns the largest distance moved."""
        pulls = self.method.membership.pulls(self.squares, self.shares) * self.w[:, None]
        before = self.centers
        self.centers = _means(self.X, pulls, before)
        if self.method.n_directions:
            self.directions = _widest(self.X, pulls, self.centers, self.method.n_directions)
        self.squares = squares_to(self.X, self.centers, self.directions)
        return float(np.sqrt(((self.centers - before) ** 2).sum(axis=1).max()))


def _means(X: np.ndarray, pulls: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Means of the rows by their pulls, shape (n, K): (K, p); as it was where nothing pulls."""
    totals = pulls.sum(axis=0)
    some = totals > 0
    shift = X.mean(axis=0)  # about a common point the sums lose little
    centers = before.copy()
    centers[some] = shift + (pulls[:, some].T @ (X - shift)) / totals[some, None]
    return centers


def _widest(X: np.ndarray, pulls: np.ndarray, centers: np.ndarray, r: int) -> np.ndarray:
    """The r directions in which the rows of each center spread most, shape (K, r, p)."""
    directions = []
    for k, center in enumerate(centers):
        away = (X - center) * np.sqrt(pulls[:, k])[:, None]
        directions.append(np.linalg.eigh(away.T @ away)[1][:, : -r - 1 : -1].T)
    return np.array(directions)
