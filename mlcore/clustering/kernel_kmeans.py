"""Kernel k-means: groups around means in the space of features of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.clustering.counted import CountedClusters
from mlcore.clustering.hierarchy.merge_starts import groups_column
from mlcore.clustering.restarts import (
    Half,
    RestartedMethod,
    ended,
    fewer_than_asked,
    final_objectives,
    too_few,
)
from mlcore.kernels.gram import gram, with_rows
from mlcore.kernels.kernel import Kernel, why_not
from mlcore.maths.arrays import distinct_rows
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.params import choice, column, integer, part, real
from mlcore.spine.wording import count, plural

MOST_CORRECTED = 4  # all rows over those that move: with more, sums are made anew
MOST_ROWS = 5_000  # the Gram matrix of more takes 200 MB


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelKMeansFit(Fit):
    """The groups of the training rows, and by these the means in the space of features."""

    labels: np.ndarray  # (n,), 0..K-1
    kernel: Kernel  # with the settings that the rows decided
    rows: np.ndarray  # (n, q) the training rows, without a column of groups
    shares: np.ndarray  # (n, K) of each row in each mean, columns of sum 1
    lengths: np.ndarray  # (K,) squared, of the means
    distortion: float  # mean squared distance to the own mean, in the space of features
    restarts: np.ndarray  # (n_init,), distortion at the end of every run

    def holds_together(self) -> bool:
        """Whether each mean has a share of each row."""
        k = max(len(self.lengths), 1)
        return self.shares.shape == (len(self.rows), k) and self.lengths.shape == (k,)

    def predict(self, X: Any) -> np.ndarray:
        """The nearest mean of each row, shape (m,); the lowest on ties."""
        features, _ = self._method.parted(self._rows(X), self.columns)
        parts = [K @ self.shares for K in with_rows(self.kernel, self.rows, features)]
        return (self.lengths - 2 * np.concatenate(parts)).argmin(axis=1)

    @property
    def _method(self) -> KernelKMeans:
        assert isinstance(self.made_by, KernelKMeans)
        return self.made_by


@dataclass(frozen=True, eq=False)
class KernelState:
    """Where kernel k-means stands."""

    labels: np.ndarray  # (n,)
    shares: np.ndarray  # (n, K)
    lengths: np.ndarray  # (K,)
    restarts: np.ndarray  # distortions at the end of all runs, (n_init,); empty for one run


class KernelProblem:
    """The Gram matrix that all runs share, and their starts."""

    def __init__(self, method: KernelKMeans, given: Given) -> None:
        self.method, self.given, self.w = method, given, given.w
        self.used = np.flatnonzero(given.w > 0)
        X, self.values = method.parted(given.X, given.columns)
        if len(self.used) < method.n_clusters:
            raise DataError(too_few(method.n_clusters, len(self.used)))
        self.kernel = method.kernel.resolve(X, given.w)
        self.K = gram(self.kernel, X)  # (n, n), symmetric
        self.diagonal = self.K.diagonal()
        if not np.isfinite(self.K).all():
            raise DataError(f"{method.kernel.title()} overflows for these rows. Scale the columns.")
        if self.values is None:
            self.k = len(distinct_rows(X[self.used], method.n_clusters))
        else:
            self.k = self._groups_of(self.values)
        self.n_runs = 1 if method.init == "column" else method.n_init

    def _groups_of(self, values: np.ndarray) -> int:
        """How many groups a column has among rows that count, at most as many as asked for."""
        k, most = len(np.unique(values[self.used])), self.method.n_clusters
        if k <= most:
            return k
        raise DataError(
            f"{self.method.title()} begins with the groups of {self.method.groups}, of which there "
            f"are {k}; {most} are asked for. Ask for {k}, or begin elsewhere."
        )

    def start(self, run: int) -> np.ndarray:
        """The labels from which a run starts, shape (n,)."""
        rng = self.given.rng(f"start {run}")
        labels = np.zeros(len(self.w), dtype=np.int64)
        if self.values is not None:
            labels[self.used] = np.unique(self.values[self.used], return_inverse=True)[1]
            return labels
        if self.method.init != "plus_plus":
            labels[self.used] = rng.permutation(np.arange(len(self.used)) % self.k)
            return labels
        diagonal = self.diagonal
        chosen = [int(rng.choice(self.used, p=self.w[self.used] / self.w[self.used].sum()))]
        while True:
            squares = diagonal[:, None] + diagonal[chosen] - 2 * self.K[:, chosen]
            closest = np.maximum(squares.min(axis=1), 0.0) * self.w
            if len(chosen) == self.k or not closest.any():
                return squares.argmin(axis=1)
            chosen.append(int(rng.choice(len(closest), p=closest / closest.sum())))

    def run(self, number: int) -> KernelRun:
        """The run from a start that has not begun yet."""
        return KernelRun(self, number)

    def merit(self, end: Step) -> float:
        """The lower the distortion, the better."""
        return -end.objective


class KernelRun:
    """One run from one start."""

    def __init__(self, problem: KernelProblem, number: int) -> None:
        self.problem, self.method = problem, problem.method
        self.labels = problem.start(number)
        self._sums = self._summed(self.labels)
        self._settle()

    def _summed(self, labels: np.ndarray) -> np.ndarray:
        """Of each row with the rows of each group, (n, k): the kernel's values, weighted."""
        return self.problem.K @ self._weights_in(labels)

    def _weights_in(self, labels: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """The weight of these rows in each group, shape (m, k)."""
        return (labels[rows, None] == np.arange(self.problem.k)) * self.problem.w[rows, None]

    def _move(self, labels: np.ndarray) -> None:
        """The rows join other groups; sums are corrected by those that move, while these are few.

        What rounding adds to corrected sums must neither end a run nor look like a rise.
        """
        moved = np.flatnonzero(labels != self.labels)
        old, before, self.labels = self.labels, self.distortion, labels
        if MOST_CORRECTED * len(moved) > len(labels):
            self._sums = self._summed(labels)
            self._settle()
            return
        change = self._weights_in(labels, moved) - self._weights_in(old, moved)
        self._sums += self.problem.K[moved].T @ change
        self._settle()
        if self.distortion > before or (self.nearest == labels).all():
            self._sums = self._summed(labels)
            self._settle()

    def _settle(self) -> None:
        """The means of the labels, and the squared distance of each row to each of them."""
        w, weights = self.problem.w, self._weights_in(self.labels)
        totals = weights.sum(axis=0)
        divisors = np.where(totals > 0, totals, 1.0)
        self.shares, products = weights / divisors, self._sums / divisors
        self.lengths = (self.shares * products).sum(axis=0)
        # A mean of no rows lies nowhere: it is the nearest to none.
        self.lengths[totals == 0] = np.inf
        squares = self.problem.diagonal[:, None] - 2 * products + self.lengths
        self.nearest = squares.argmin(axis=1)
        own = squares[np.arange(len(w)), self.labels]
        used = w > 0
        self.distortion = float(np.average(own[used], weights=w[used]))

    def halves(self) -> Iterator[Half]:
        """All rows join the nearest mean, again and again; a rise is taken back."""
        best, kept = np.inf, self.labels
        for iteration in range(self.method.max_iter + 1):
            used = self.problem.w > 0
            changed = int((self.nearest != self.labels)[used].sum())
            rises = self.distortion > best * (1 + 1e-12) + 1e-300
            fall = (best - self.distortion) / best if 0.0 < best < np.inf else np.inf
            if self.distortion < best:
                best, kept = self.distortion, self.labels
            stop = self._verdict(iteration, changed, rises, fall)
            done = f"{count(changed, 'row')} {plural(changed, 'lies', 'lie')} nearer another mean"
            if stop and stop.kind == "cycle":
                self._move(kept)
            yield Half("assign", done, stop)
            if stop:
                return
            self._move(self.nearest)

    def _verdict(self, iteration: int, changed: int, rises: bool, fall: float) -> Stop | None:
        fewer = fewer_than_asked(self.problem.k, self.method.n_clusters, "group")
        if not changed:
            return Stop("converged", f"Converged: no row changed its group.{fewer}")
        if rises:
            return Stop(
                "cycle",
                "Stopped: the distortion rises, because this kernel is not positive semidefinite. "
                "The groups before are kept.",
            )
        if self.method.tol > 0.0 and fall <= self.method.tol:
            return Stop(
                "converged",
                f"Converged: the distortion fell by {fall:.3g} of itself, not more than "
                f"{self.method.tol:g}.{fewer}",
            )
        if iteration == self.method.max_iter:
            rows = count(changed, "row")
            return Stop(
                "limit", f"Not converged after {count(iteration, 'iteration')}: {rows} still move."
            )
        return None

    def last(self) -> tuple[int, Half]:
        """The number of the last half and what it did."""
        return ended(self.halves())

    def step(self, k: int, half: Half, ends: np.ndarray) -> Step:
        """An assignment as a step; `ends` holds the distortions of all runs, (n_runs,), or none."""
        state = KernelState(self.labels, self.shares, self.lengths, ends)
        note = f"{half.note}; distortion {self.distortion:.4g}."
        return Step(k, self.distortion, state, half.stop, note)


def _cost(n: int, p: int, method: KernelKMeans) -> tuple[float, float]:
    each = 1e-3 + n**2 * (5e-9 + 2.5e-10 * method.n_clusters)  # a start, then the rows that move
    runs = 1 if method.init == "column" else method.n_init
    return 2e-3 + 1e-8 * n**2 + runs * each, 16.0 * n * (n + 4 * method.n_clusters)


@enter(
    Card(
        "kernel_kmeans",
        "Kernel k-means",
        ("clustering",),
        paper="Schoelkopf, Smola and Mueller (1998), Neural Computation 10(5)",
        sources=("epfl:kkmeans", "mi2:kernel_kmeans"),
        takes=("weights",),
        scores=("stability", "silhouette", "group_information"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"\min \sum_i \|\varphi(x_i) - m_{k(i)}\|^2, \quad "
        r"m_k = \operatorname{mean}\{\varphi(x_i) : k(i) = k\}",
        synonyms=("k-means with kernels", "feature space k-means"),
        line="k-means among the features of a kernel",
    )
)
@dataclass(frozen=True, kw_only=True)
class KernelKMeans(CountedClusters, RestartedMethod):
    r"""k-means in the space of features of a kernel, where groups need not be round.

    A row joins the mean nearest to it in that space, $\|\varphi(x) - m_k\|^2 = k(x, x) -
    \tfrac{2}{w_k} \sum_{j \in k} w_j k(x, x_j) + \|m_k\|^2$, which needs values of the kernel
    alone. All rows at once, until none changes its group; the best of several starts is kept.

    Use it for a dense blob within a ring, and for kernels of things that are no vectors. With the
    linear kernel it is k-means. O(n m K) an iteration in which m rows move, O(n^2) memory. Fails on
    moons and nested arcs, whatever the width, and in a bad optimum from most starts.
    """

    n_clusters: int = integer(
        3, low=1, soft=(2, 12), symbol="K", label="Number of clusters", doc="Number of means."
    )
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    init: str = choice(
        "plus_plus",
        "plus_plus",
        "partition",
        "column",
        label="Initialisation",
        doc="Groups about rows that lie apart in the space of features, dealt at random, or those "
        "of a column.",
    )
    groups: str | None = column(
        None,
        or_none="none: dealt at random",
        label="Column",
        doc="Holds the group in which each row begins; it has no part in the kernel.",
        only_if={"init": "column"},
    )
    n_init: int = integer(
        30,
        low=1,
        high=200,
        soft=(1, 50),
        symbol="R",
        label="Restarts",
        doc="Runs from different starts, of which the best is kept.",
        only_if={"init": other_than("column")},
    )
    tol: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 0.1),
        label="Tolerance",
        doc="Stop when the distortion falls by no more than this share of it; 0 goes on until no "
        "row changes its group.",
        advanced=True,
    )
    max_iter: int = integer(
        300,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Maximum iterations",
        doc="Assignments after which a run stops.",
        advanced=True,
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse too few or too many rows, and rows for which the kernel is undefined."""
        if len(X) > MOST_ROWS:
            return (
                f"{self.title()} works on a Gram matrix of at most {MOST_ROWS:,} rows; there are "
                f"{len(X):,}. Draw some of them."
            )
        if len(X) < self.n_clusters:
            return too_few(self.n_clusters, len(X))
        return why_not(self.kernel, X, self.title())

    def untouched(self) -> tuple[str, ...]:
        """The column that holds the groups it begins with."""
        return () if self.init != "column" or self.groups is None else (self.groups,)

    def parted(
        self, X: np.ndarray, columns: tuple[Column, ...]
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """What the kernel compares of rows X, (n, p), as (n, q), and the values of groups, (n,)."""
        if not self.untouched():
            return X, None
        at = groups_column(
            columns, str(self.groups), self.title(), "Choose another column, or another start."
        )
        return np.delete(X, at, axis=1), X[:, at]

    def _problem(self, given: Given) -> KernelProblem:
        return KernelProblem(self, given)

    def _finished(self, given: Given, end: Step) -> KernelKMeansFit:
        state: KernelState = end.state
        X, _ = self.parted(given.X, given.columns)
        kept = np.isfinite(state.lengths)  # a group may have lost all its rows
        labels = (np.cumsum(kept) - 1)[state.labels]
        stop = end.stop
        if stop is not None and (lost := int((~kept).sum())):
            stop = replace(stop, why=f"{stop.why} {count(lost, 'group')} lost all rows.")
        return KernelKMeansFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=stop,
            labels=labels,
            kernel=self.kernel.resolve(X, given.w),
            rows=X.copy(),
            shares=state.shares[:, kept],
            lengths=state.lengths[kept],
            distortion=end.objective,
            restarts=final_objectives(end),
        )
