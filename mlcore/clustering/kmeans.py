"""k-means: groups as the rows nearest to a center, centers as the mean of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any

import numpy as np

from mlcore.clustering.counted import CountedClusters
from mlcore.clustering.lloyd import KMeansProblem, KMeansState
from mlcore.clustering.restarts import RestartedMethod, final_objectives, too_few
from mlcore.clustering.starts import Start
from mlcore.distances.metrics import Frame
from mlcore.distances.nearest_center import nearest
from mlcore.maths.arrays import vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, integer, part, real


@dataclass(frozen=True, eq=False, kw_only=True)
class KMeansFit(Fit):
    """Centers and the groups of the training rows."""

    labels: np.ndarray  # (n,), 0..k-1
    centers: np.ndarray  # (k, p); fewer than asked for where fewer rows differ
    power: float  # of the norm, infinite for the largest difference
    distortion: float  # weighted mean of |x - c|^p, squared distances for p = 2
    restarts: np.ndarray  # (n_init,), distortion at the end of every run

    def holds_together(self) -> bool:
        """Whether there are centers, of these columns."""
        return self.centers.shape == (max(len(self.centers), 1), self.n_columns)

    @property
    def frame(self) -> Frame:
        """The space of the distance to the centers: that of the columns, with its power."""
        return Frame(power=self.power)

    def predict(self, X: Any) -> np.ndarray:
        """The nearest center of each row, shape (m,); the lowest on ties."""
        return nearest(self._rows(X), self.centers, self.power)


def _cost(n: int, p: int, method: KMeans) -> tuple[float, float]:
    k = method.n_clusters
    # Between those of rows that lie in groups and of rows in none.
    iterations = min(method.max_iter, 5 + 0.35 * sqrt(n), 20 + 0.18 * sqrt(n))
    start = 0.17e-9 * n * p * k * (2 + log(k))
    each = 6e-6 + 1e-9 * n * (6 + 0.5 * p + 0.02 * p * k)
    return 3e-4 + method.n_init * (start + iterations * each), 8.0 * n * (2 * p + 12)


@enter(
    Card(
        "kmeans",
        "k-means",
        ("clustering", "scorer"),
        paper="Lloyd (1982), IEEE Transactions on Information Theory 28(2)",
        peer="sklearn.cluster.KMeans",
        sources=(
            "epfl:kmeans", "epfl:kmeans_p_norm", "epfl:kmeans_restarts", "epfl:two_means_toy",
            "mi2:kmeans_batch", "mi2:kmeans_assign_new", "prac:kmeans", "cs1:clustering_intro",
            "cs1:lloyd", "cs2:optimal_vq", "cs2:lloyd_iteration", "cs2:rbf_centers_kmeans",
            "s841:kmeans",
        ),
        takes=("weights",),
        scores=("distortion", "stability", "silhouette", "group_information"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"\min_{c_1, \dots, c_K} \sum_i \min_k \|x_i - c_k\|_2^2",
        synonyms=(
            "Lloyd's algorithm", "Lloyd", "k-means clustering", "vector quantisation",
            "k-means++", "centroid clustering", "KMeans",
        ),
        line="K centers, every row to the nearest",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class KMeans(CountedClusters, RestartedMethod):
    r"""Groups rows around K centers so that squared distances to the own center are small.

    Alternates two half-iterations: every row joins its nearest center, every center moves to the
    mean of its rows. Neither can raise $\sum_i \|x_i - c_{k(i)}\|_2^2$, so it ends, in a minimum
    that depends on the start; the best of several runs is kept.

    Use it for compact groups of similar width and size, on columns of comparable scale. Costs
    O(n p K) an iteration. Fails on elongated or nested groups and on groups of very different
    width, and it finds K groups whether or not there are any.
    """

    peer_differs = "Theirs draws other starts: with few restarts another optimum may be found."

    n_clusters: int = integer(
        3,
        low=1,
        soft=(2, 12),
        symbol="K",
        label="Number of clusters",
        doc="Number of centers.",
    )
    init: Start = part(
        "plus_plus",
        slot="centers",
        label="Initialisation",
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
        label="Maximum iterations",
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

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        starts = {"plus_plus": "k-means++", "random": "random"}
        if missing := self.beyond_peer(init=tuple(starts), p=2.0, center="mean", tol=0.0):
            return missing
        start = starts[self.init.card.name]
        settings = {"n_clusters": self.n_clusters, "init": start, "n_init": self.n_init}
        return settings | {"tol": self.tol, "max_iter": self.max_iter}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more clusters than rows, and differences whose squares vanish."""
        if len(X) < self.n_clusters:
            return too_few(self.n_clusters, len(X))
        if reason := vanishing(X, self.title()):
            return reason
        return self.init.applies(X, self.n_clusters)

    def _problem(self, given: Given) -> KMeansProblem:
        return KMeansProblem(self, given)

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
            restarts=final_objectives(end),
        )
