"""k-means: groups as the rows nearest to a center, centers as the mean of their rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from mlcore.clustering import _kernels
from mlcore.component import Card, Component, enter
from mlcore.errors import DataError
from mlcore.fit import Fit
from mlcore.iterate import Step, Stop
from mlcore.maths.arrays import distinct_rows, read_only, vanishing, weighted_median
from mlcore.maths.nearest import Nearest, Rows, nearest
from mlcore.maths.pool import side_by_side
from mlcore.method import Given, IterativeMethod
from mlcore.params import choice, integer, part, real


@dataclass(frozen=True, eq=False)
class KMeansState:
    """Where k-means stands after half a turn."""

    phase: str  # assign or move
    labels: np.ndarray  # (n,)
    centers: np.ndarray  # (k, p)
    restarts: np.ndarray  # distortions at the end of all runs, shape (n_init,); empty for one run


@dataclass(frozen=True, eq=False, kw_only=True)
class KMeansFit(Fit):
    """Centers and the groups of the fitted rows."""

    labels: np.ndarray  # (n,), 0..k-1
    centers: np.ndarray  # (k, p); fewer than asked for where fewer rows differ
    power: float  # of the norm, infinite for the largest difference
    distortion: float  # weighted mean of |x - c|^p, squared distances for p = 2
    restarts: np.ndarray  # (n_init,), distortion at the end of every run

    def predict(self, X: Any) -> np.ndarray:
        """The nearest center of each row, shape (m,); the lowest on ties."""
        return nearest(self._rows(X), self.centers, self.power)


def _cost(n: int, p: int, it: KMeans) -> tuple[float, float]:
    k, turns = it.n_clusters, min(it.max_iter, 40)
    start = n * p * k * (2 + log(k)) * 0.3
    turn = n * (10 + 1.5 * p + 0.3 * p * k)
    return 1e-3 + it.n_init * (start + turns * turn) * 1e-9, 8.0 * n * (2 * p + 12)


@enter(
    Card(
        "kmeans",
        "k-means",
        ("clustering",),
        paper="Lloyd (1982), IEEE Transactions on Information Theory 28(2)",
        peer="sklearn.cluster.KMeans",
        sources=(
            "epfl:kmeans", "epfl:kmeans_p_norm", "epfl:kmeans_restarts", "epfl:two_means_toy",
            "mi2:kmeans_batch", "mi2:kmeans_assign_new", "prac:kmeans", "cs1:clustering_intro",
            "cs1:lloyd", "cs2:optimal_vq", "cs2:lloyd_iteration", "cs2:rbf_centers_kmeans",
            "s841:kmeans",
        ),
        takes=("weights",),
        score="distortion",
        random=True,
        cost=_cost,
        formula=r"\min_{c_1, \dots, c_K} \sum_i \min_k \|x_i - c_k\|_2^2",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class KMeans(IterativeMethod):
    r"""Groups rows around K centers so that squared distances to the own center are small.

    Alternates two half-turns: every row joins its nearest center, every center moves to the mean
    of its rows. Neither can raise $\sum_i \|x_i - c_{k(i)}\|_2^2$, so it ends, in a minimum that
    depends on the start; the best of several runs is kept.

    Use it for compact groups of similar width and size, on columns of comparable scale. Costs
    O(n p K) a turn. Fails on elongated or nested groups and on groups of very different width, and
    it finds K groups whether or not there are any.
    """

    n_clusters: int = integer(
        3,
        low=1,
        soft=(2, 12),
        symbol="K",
        label="Number of clusters",
        doc="Number of centers.",
    )
    init: Component = part(
        "plus_plus",
        slot="centers",
        label="Start",
        doc="How the first centers are chosen.",
    )
    n_init: int = integer(
        10,
        low=1,
        high=200,
        soft=(1, 50),
        symbol="R",
        label="Restarts",
        doc="Runs from different starts, of which the best is kept.",
    )
    p: float | None = real(
        2.0,
        low=1.0,
        high=20.0,
        soft=(1.0, 6.0),
        or_none="infinity: the largest difference counts",
        label="Norm",
        doc="Exponent of the distance: 2 is Euclidean, 1 adds up the differences.",
        advanced=True,
    )
    center: str = choice(
        "mean",
        "mean",
        "median",
        doc="What a center becomes: the mean, or column by column the median of its rows.",
        advanced=True,
    )
    empty_cluster: str = choice(
        "farthest",
        "farthest",
        "keep",
        label="Empty clusters",
        doc="A center without rows goes to the row that is served worst, or stays where it is.",
        advanced=True,
    )
    tol: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 0.1),
        label="Tolerance",
        doc="Stop when no center moves farther, in data units; 0 waits until no label changes.",
        advanced=True,
    )
    max_iter: int = integer(
        300,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Most turns",
        doc="Moves of the centers after which a run stops.",
        advanced=True,
    )

    @property
    def power(self) -> float:
        """The exponent of the norm, infinite where p is None."""
        return inf if self.p is None else self.p

    @property
    def descends(self) -> bool:
        """Whether the center minimises what is charged, so that the distortion never rises."""
        return (self.power, self.center) in ((2.0, "mean"), (1.0, "median"))

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more clusters than rows, and differences whose squares vanish."""
        if len(X) < self.n_clusters:
            return _too_few(self.n_clusters, len(X))
        if reason := vanishing(X, self.title()):
            return reason
        return self.init.applies(X, self.n_clusters)  # type: ignore[attr-defined]

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(_Rows(self, given))

    def _fit(self, given: Given) -> KMeansFit:
        # The end of the best run is the last step of playing it; it need not be run again.
        _, end = _best(_Rows(self, given))
        return self._finished(given, end)

    def _played(self, rows: _Rows) -> Iterator[Step]:
        best, ends = 0, np.empty(0)
        if rows.n_runs > 1:
            best, end = _best(rows)
            ends = end.state.restarts
        run = _Run(rows, best)
        for k, half in enumerate(run.halves()):
            yield run.step(k, half, ends)

    def _finished(self, given: Given, end: Step) -> KMeansFit:
        state: KMeansState = end.state
        return KMeansFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k // 2,  # assign, move, assign, move, ..., assign
            stop=end.stop,
            labels=state.labels,
            centers=state.centers,
            power=self.power,
            distortion=end.objective,
            restarts=state.restarts if len(state.restarts) else np.array([end.objective]),
        )


class _Rows:
    """What all runs share: rows, weights, and the places where centers may start."""

    def __init__(self, method: KMeans, given: Given) -> None:
        self.method, self.given = method, given
        used = given.w > 0
        self.n_used = int(used.sum())
        if self.n_used < method.n_clusters:
            raise DataError(_too_few(method.n_clusters, self.n_used))
        # Rows of weight 0 get a label but no say, so they must not be chosen as centers either.
        every = self.n_used == given.n
        self.X, self.w = (given.X, given.w) if every else (given.X[used], given.w[used])
        self.k = len(distinct_rows(self.X, method.n_clusters))
        self.n_runs = method.n_init if method.init.card.random else 1
        self.data = Rows(given.X, method.power)
        self.weights = read_only(given.w)

    def start(self, run: int) -> np.ndarray:
        """The centers from which a run starts, shape (k, p): the same however many runs follow."""
        rng = self.given.rng(f"start {run}")
        return self.method.init.centers(self.X, self.w, self.k, rng)  # type: ignore[attr-defined]


class _Half(NamedTuple):
    """What half a turn did."""

    phase: str
    note: str
    stop: Stop | None = None


class _Run:
    """One run from one start."""

    def __init__(self, rows: _Rows, number: int) -> None:
        self.rows, self.method = rows, rows.method
        self.centers = rows.start(number)
        self.nearest = Nearest(rows.data)
        self.labels = self.nearest.labels
        self.best = inf  # least distortion so far, looked at where it may rise
        self.kept: tuple[np.ndarray, np.ndarray] | None = None  # labels and centers of the best
        self.seen: set[bytes] = set()

    def halves(self) -> Iterator[_Half]:
        """Assign, move, assign, move, ..., assign."""
        moved = inf
        for turn in range(self.method.max_iter + 1):
            changed = self.nearest.assign(self.centers)
            stop = self._verdict(turn, changed, moved)
            yield _Half("assign", _assigned(turn, changed), stop)
            if stop:
                return
            moved, note = self._move()
            yield _Half("move", note)

    def step(self, k: int, half: _Half, ends: np.ndarray) -> Step:
        """Half a turn as a step."""
        distortion = self.distortion()
        state = KMeansState(half.phase, self.labels, self.centers, ends)
        return Step(
            k,
            distortion,
            state,
            half.stop,
            f"{half.note}; distortion {distortion:.4g}.",
        )

    def distortion(self) -> float:
        """What the labels and centers cost, a row."""
        return self._charge(self.rows.data.apart(self.centers, self.labels))

    def _charge(self, apart: np.ndarray) -> float:
        w = self.rows.weights
        return float((w * apart).sum() / w.sum())

    def _verdict(self, turn: int, changed: int, moved: float) -> Stop | None:
        stop = self._stop(turn, changed, moved)
        if not self.method.descends:
            stop = self._watched(stop)
        return stop and replace(stop, why=stop.why + self._fewer())

    def _stop(self, turn: int, changed: int, moved: float) -> Stop | None:
        tol, limit = self.method.tol, self.method.max_iter
        if not changed:
            return Stop("converged", "Converged: no row changed its group.")
        if moved <= tol:
            return Stop("converged", f"Converged: no center moved farther than {tol:g}.")
        if turn == limit:
            rows = "1 row" if changed == 1 else f"{changed} rows"
            return Stop(
                "limit",
                f"Not converged after {limit} turns: {rows} still changed group.",
            )
        return None

    def _watched(self, stop: Stop | None) -> Stop | None:
        """Where the distortion may rise: end when labels repeat, and with the best labels seen."""
        now = self.distortion()
        if now < self.best:
            self.best, self.kept = now, (self.labels.copy(), self.centers)
        key = sha256(self.labels.tobytes()).digest()
        if key in self.seen and stop is None:
            stop = Stop("cycle", "Stopped: the groups repeat; the best of them are kept.")
        self.seen.add(key)
        if stop and self.kept:
            self.labels, self.centers = self.kept
        return stop

    def _fewer(self) -> str:
        k, asked = self.rows.k, self.method.n_clusters
        if k == 1 < asked:
            return " All rows are equal, so there is one group."
        return f" Only {k} rows differ, so there are {k} groups." if k < asked else ""

    def _move(self) -> tuple[float, str]:
        """Move the centers; returns the farthest way and the sentence for it."""
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
        data, labels, w = self.rows.data, read_only(self.labels), self.rows.weights
        centers, weights = np.empty_like(self.centers), np.empty(len(self.centers))
        before = read_only(self.centers)
        _kernels.means(data.X, w, data.shift, labels, before, centers, weights)
        if self.method.center == "median":
            for j in np.flatnonzero(weights):
                own = np.flatnonzero((labels == j) & (w > 0))
                centers[j] = weighted_median(data.X[own], w[own])
        return centers, weights

    def _worst_served(self, centers: np.ndarray, count: int) -> np.ndarray:
        """The rows that are farthest from their centers, worst first, shape (count, p)."""
        apart = self.rows.data.apart(centers, self.labels)
        apart = np.where(self.rows.weights > 0, apart, -1.0)
        return self.rows.data.X[np.argsort(-apart, kind="stable")[:count]]


def _best(rows: _Rows) -> tuple[int, Step]:
    """The number and the last step of the run that ends lowest, with the ends of all."""
    ends, best, at = np.empty(rows.n_runs), None, 0
    for number, step in enumerate(side_by_side(lambda r: _end(rows, r, ends), range(rows.n_runs))):
        ends[number] = step.objective
        if best is None or step.objective < best.objective:
            best, at = step, number
    assert best is not None  # there is at least one run
    return at, best


def _end(rows: _Rows, number: int, ends: np.ndarray) -> Step:
    """The last step of a run."""
    run = _Run(rows, number)
    k, half = deque(enumerate(run.halves()), maxlen=1)[0]
    return run.step(k, half, ends)


def _assigned(turn: int, changed: int) -> str:
    if turn == 0:
        return "Every row joined its nearest center"
    if not changed:
        return "No row changed its group"
    return "1 row changed its group" if changed == 1 else f"{changed} rows changed their group"


def _too_few(k: int, n: int) -> str:
    rows = "there is 1" if n == 1 else f"there are {n}"
    return f"{k} clusters need at least {k} rows; {rows}. Lower the number of clusters."
