"""Where the components of a mixture start: the ways to choose their means and first rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.clustering.kmeans import KMeans
from mlcore.distances.nearest_center import nearest
from mlcore.maths.arrays import distinct_rows
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import many, real

Begun = tuple[np.ndarray, np.ndarray]  # means, shape (k, p), and shares of the rows, (n, k)


@dataclass(frozen=True, kw_only=True)
class MixtureStart(Component):
    """A way to begin with k components on rows that hold at least k different ones."""

    def begun(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> Begun:
        """Means of k components, shape (k, p), and shares of the rows, shape (n, k).

        X has shape (n, p), the positive weights w shape (n,).
        """
        raise NotImplementedError(f"{type(self).__name__} declares no start")

    def weights(self, k: int) -> np.ndarray | None:
        """Prescribed weights of the components, shape (k,), or None."""
        return None

    def variances(self, k: int, p: int) -> np.ndarray | None:
        """Prescribed variances of the components, shape (k, p), or None."""
        return None

    def applies(self, X: np.ndarray, k: int) -> str | None:
        """Why k components cannot start on rows X, shape (n, p), as a sentence, or None."""
        return None


def _nearest_of(X: np.ndarray, means: np.ndarray) -> Begun:
    """The means, and shares of 1 for the nearest mean of each row."""
    return means, np.eye(len(means))[nearest(X, means, 2.0)]


@enter(
    Card(
        "kmeans",
        "Groups of k-means",
        ("mixture_start",),
        sources=("epfl:gmm_init_kmeans", "mi2:gmm_kmeans_init"),
        random=True,
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class KMeansGroups(MixtureStart):
    """The centers and groups of one run of k-means: near the end where groups are round."""

    def begun(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> Begun:
        """Centers and groups."""
        groups = KMeans(n_clusters=k, n_init=1).fit(X, weights=w, seed=int(rng.integers(2**31)))
        return groups.centers, np.eye(len(groups.centers))[groups.labels]


@enter(Card("points", "Random rows", ("mixture_start",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class Points(MixtureStart):
    """Different rows as means: equal ones would never come apart."""

    def begun(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> Begun:
        """The first k different rows in random order."""
        shuffled = X[rng.permutation(len(X))]
        return _nearest_of(X, shuffled[distinct_rows(shuffled, k)])


@enter(Card("mean_noise", "Around the mean", ("mixture_start",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class MeanNoise(MixtureStart):
    """The mean of all rows with some noise: the components come apart slowly."""

    size: float = real(
        0.1,
        above=0.0,
        soft=(0.01, 1.0),
        log=True,
        doc="Spread of the noise, as a share of that of each column.",
    )

    def begun(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> Begun:
        """Normal draws about the mean."""
        mean = np.average(X, axis=0, weights=w)
        spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w))
        return _nearest_of(X, mean + self.size * spread * rng.normal(size=(k, X.shape[1])))


@enter(Card("random_shares", "Random shares", ("mixture_start",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class RandomShares(MixtureStart):
    """Rows that belong to every component by chance: all begin near the overall mean."""

    def begun(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> Begun:
        """Uniform random shares that sum to 1, and the means weighted by them."""
        resp = 1.0 - rng.random((len(X), k))  # never zero
        resp /= resp.sum(axis=1, keepdims=True)
        heavy = resp * w[:, None]
        return heavy.T @ X / heavy.sum(axis=0)[:, None], resp


@enter(Card("given", "Given parameters", ("mixture_start",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class GivenParameters(MixtureStart):
    """Parameters that you name, for instance to show a bad start."""

    means: tuple = many(
        (),
        most=10_000,
        doc="The columns of the first mean, then those of the second, and so on.",
    )
    shares: tuple = many(
        (), most=1_000, label="Weights", doc="One a component; none leaves them to the setting."
    )
    spreads: tuple = many(
        (),
        most=10_000,
        label="Variances",
        doc="Variances of the columns in the first component, then in the second; or none.",
    )

    def applies(self, X: np.ndarray, k: int) -> str | None:
        """Refuse counts that do not fit, and weights or variances that are not positive."""
        p = X.shape[1]
        if len(self.means) != k * p:
            return (
                f"{k} components in {p} columns have means of {k * p} numbers; "
                f"{len(self.means)} are given. Give the columns of one mean after the other."
            )
        for name, values, count in (
            ("weights", self.shares, k),
            ("variances", self.spreads, k * p),
        ):
            if values and (len(values) != count or min(values) <= 0):
                return (
                    f"The {name} of {k} components in {p} columns are {count} positive numbers; "
                    f"{len(values)} are given, the least of them {min(values):g}. "
                    "Correct them, or give none."
                )
        return None

    def begun(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> Begun:
        """The prescribed means, and the rows nearest to each."""
        return _nearest_of(X, np.array(self.means).reshape(-1, X.shape[1])[:k])

    def weights(self, k: int) -> np.ndarray | None:
        """The prescribed weights divided by their sum, shape (k,), or None."""
        shares = np.array(self.shares)[:k]
        return shares / shares.sum() if len(shares) else None

    def variances(self, k: int, p: int) -> np.ndarray | None:
        """The prescribed variances, shape (k, p), or None."""
        return np.array(self.spreads).reshape(-1, p)[:k] if self.spreads else None
