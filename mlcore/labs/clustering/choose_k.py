"""How many clusters: the curve of the cost, its knee, its floor, and a criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.clustering.kmeans import KMeans
from mlcore.labs.lab import Lab, row_count
from mlcore.maths.curves import knee
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

MOST = 10  # clusters that are tried
SIDE = 10.0  # of the square in which the true centers lie
RESTARTS = 5


class ChooseK(NamedTuple):
    """The cost for each number of clusters, and three opinions on the best."""

    X: np.ndarray  # (n, 2)
    k: np.ndarray  # (MOST,) 1, 2, ...
    rss: np.ndarray  # (MOST,) least sum of squared distances that was found
    bic: np.ndarray  # (MOST,) of round clusters of one variance
    floor: np.ndarray  # (MOST,) what noise alone would leave: (n - k) p sigma^2
    by_knee: int
    by_bic: int
    by_floor: int  # the first k whose cost is down at the floor; 0 if none is
    truth: int


def _cost(n: int, p: int, it: ChooseKLab) -> tuple[float, float]:
    return 0.03 + 3e-5 * it.n_rows, 200.0 * it.n_rows


@enter(
    Card(
        "choose_k",
        "Number of clusters: the elbow",
        ("lab",),
        sources=("epfl:kmeans_elbow",),
        random=True,
        cost=_cost,
        formula=r"\mathrm{RSS}_k \ge (n - k)\, p\, \sigma^2 \ \text{in the mean},\qquad"
        r"\mathrm{BIC}_k = n p \ln \frac{\mathrm{RSS}_k}{n p} - 2 \sum_j n_j \ln \frac{n_j}{n}"
        r" + k (p + 1) \ln n",
        kind="lab",
        pages=("clustering",),
        synonyms=("elbow method", "BIC", "choosing K", "knee"),
        line="the least cost chooses no number of clusters",
    )
)
@dataclass(frozen=True, kw_only=True)
class ChooseKLab(Lab):
    r"""The cost of k-means falls with every cluster, so its least value chooses nothing.

    Round clouds of standard deviation $\sigma$ lie at random places in a square. The knee is the
    place farthest below the straight line from the first cost to the last. The floor is what the
    noise alone leaves when each cloud has its own center. The criterion (BIC, of round clusters of
    one variance) charges for every center and for telling which of them a row belongs to.
    """

    tasks = (
        "Raise the standard deviation until the knee is no longer at the true number.",
        "Draw other clouds with the seed, and count how often the three opinions agree.",
        "Take few rows, and see the cost fall below the floor.",
    )
    seen = (
        "While clouds lie apart, the cost drops to the floor exactly at their true number, and "
        "knee and criterion say the same. Where they touch, the opinions part; no rule sees "
        "clouds that the rows no longer show."
    )

    n_clusters: int = integer(
        4, low=1, high=8, soft=(1, 8), label="True clouds", symbol="K", doc="Clouds that are drawn."
    )
    spread: float = real(
        0.6,
        low=0.05,
        high=5.0,
        soft=(0.05, 3.0),
        symbol=r"\sigma",
        label="Standard deviation",
        doc="Of each cloud.",
    )
    n_rows: int = row_count(300, (30, 1000), high=2000)

    def compute(self, seed: int = 0) -> ChooseK:
        """The cost of one to ten clusters."""
        X = self._rows(generator(seed, "rows"))
        k = np.arange(1, MOST + 1)
        rss, order = np.array([_fitted(X, int(count), seed) for count in k]).T
        n, p = X.shape
        bic = n * p * np.log(rss / (n * p)) + 2 * order + k * (p + 1) * np.log(n)
        floor = (n - k) * p * self.spread**2
        low = np.flatnonzero(rss <= 1.15 * floor)
        return ChooseK(
            X, k, rss, bic, floor, knee(rss) + 1, int(k[bic.argmin()]),
            int(k[low[0]]) if len(low) else 0, self.n_clusters,
        )  # fmt: skip

    def _rows(self, rng: np.random.Generator) -> np.ndarray:
        centers = rng.uniform(0, SIDE, size=(self.n_clusters, 2))
        of = np.arange(self.n_rows) % self.n_clusters
        return centers[of] + self.spread * rng.normal(size=(self.n_rows, 2))


def _fitted(X: np.ndarray, k: int, seed: int) -> tuple[float, float]:
    """The cost, and what it takes to say which cluster each row is in (nats)."""
    fit = KMeans(n_clusters=k, n_init=RESTARTS).fit(X, seed=seed)
    sizes = np.bincount(fit.labels)
    sizes = sizes[sizes > 0]
    # Without this term every cloud that is cut in two would seem worth its price.
    description = -(sizes * np.log(sizes / len(X))).sum()
    return float(((X - fit.centers[fit.labels]) ** 2).sum()), float(description)
