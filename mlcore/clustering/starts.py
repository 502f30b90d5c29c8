"""Where centers start: the ways to choose k of them before the first iteration."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from mlcore.clustering import _kernels
from mlcore.distances.columnwise import _kernels as columnwise
from mlcore.distances.nearest_center import Nearest, SearchRows, by_column
from mlcore.maths.arrays import distinct_rows, read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import many

TWIN = 1e-4  # of the spread of the rows: how far aside of its center a twin begins
MOST_PASSES = 300  # of a stage of splitting


@dataclass(frozen=True, kw_only=True)
class Start(Component):
    """A way to choose k centers for rows that hold at least k different ones."""

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """k centers, shape (k, p), for rows X, shape (n, p), of positive weights w, shape (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no centers")

    def applies(self, X: np.ndarray, k: int) -> str | None:
        """Why k centers cannot start on rows X, shape (n, p), as a sentence, or None."""
        return None


@enter(
    Card(
        "plus_plus",
        "k-means++",
        ("centers",),
        paper="Arthur and Vassilvitskii (2007), SODA",
        random=True,
        kind="part",
        synonyms=("kmeans++", "D2 sampling"),
    )
)
@dataclass(frozen=True, kw_only=True)
class PlusPlus(Start):
    """Rows that lie apart: each is drawn with probability proportional to its squared distance.

    The distance is that to the nearest center drawn before. Of 2 + ln k rows drawn for each place
    the one is kept that serves all rows best. The first choice nearly always; it costs about as
    much as two iterations.
    """

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """k rows, drawn one after the other."""
        chosen = np.empty(k, dtype=np.int64)
        draws = rng.random((k, 2 + int(log(k))))
        columnwise.plus_plus(read_only(X), by_column(X), read_only(w), read_only(draws), chosen)
        return X[chosen]


@enter(Card("random", "Random rows", ("centers",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class RandomRows(Start):
    """Different rows, each as likely as any other.

    Dense regions get most of the centers, so a small group apart is often missed: restart.
    """

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """The first k different rows in random order."""
        shuffled = X[rng.permutation(len(X))]
        return shuffled[distinct_rows(shuffled, k)]


@enter(Card("box", "Uniform in the bounding box", ("centers",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class Box(Start):
    """Points drawn evenly from the box between the smallest and the largest value of each column.

    Many fall where no row is, above all in many columns; such a center may never win a row.
    """

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """k points of the box."""
        low, high = X.min(axis=0), X.max(axis=0)
        return low + (high - low) * rng.random((k, X.shape[1]))


@enter(Card("partition", "Random partition", ("centers",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class Partition(Start):
    """Means of groups of equal size into which the rows are dealt at random.

    All lie near the overall mean, so the first iterations are spent on spreading out.
    """

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """k means."""
        dealt = rng.permutation(np.arange(len(X)) % k)
        groups = (dealt == j for j in range(k))
        return np.array([np.average(X[rows], axis=0, weights=w[rows]) for rows in groups])


@enter(
    Card(
        "farthest",
        "Farthest-first traversal",
        ("centers",),
        paper="Gonzalez (1985), Theoretical Computer Science 38",
        random=True,
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Farthest(Start):
    """A random row, then each time the row farthest from those chosen.

    Covers every region, outliers first: a wild row gets a center of its own.
    """

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """k rows; the first to come wins a tie."""
        rows, closest = read_only(X), np.full(len(X), np.inf)
        chosen = [int(rng.integers(len(X)))]
        while len(chosen) < k:
            _kernels.nearer(rows, chosen[-1], closest)
            chosen.append(int(closest.argmax()))
        return X[chosen]


@enter(
    Card(
        "splitting",
        "Splitting",
        ("centers",),
        paper="Linde, Buzo and Gray (1980), IEEE Transactions on Communications 28(1)",
        sources=("cs1:kmeans_lbg", "cs2:kmeans_lbg"),
        random=True,
        kind="part",
        synonyms=("LBG", "Linde-Buzo-Gray"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Splitting(Start):
    """The mean, then centers that are split in two until there are enough.

    At each stage the centers move to the means of their rows until none changes; then all of them,
    or as many as are missing, drawn at random, get a twin a little aside. No center starts where
    no row is. Of many groups far apart some regions are split too often and others not at all:
    k-means++ then ends better. It costs more than a run.
    """

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """k centers: those of the last stage and their twins, which have not moved yet."""
        shift = np.average(X, axis=0, weights=w)
        spread = np.sqrt(np.average(((X - shift) ** 2).sum(axis=1), weights=w))
        rows, centers = SearchRows(X, k), shift[None]
        while len(centers) < k:
            if len(centers) > 1:
                centers = _settled(rows, w, shift, centers)
            more = min(k - len(centers), len(centers))
            split = rng.choice(len(centers), more, replace=False)
            aside = TWIN * spread * rng.normal(size=(more, X.shape[1]))
            centers = np.concatenate([centers, centers[split] + aside])
        return centers


def _settled(rows: SearchRows, w: np.ndarray, shift: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """The centers, shape (k, p), after passes of k-means until no row changes its center."""
    among = Nearest(rows)
    for _ in range(MOST_PASSES):
        if not among.assign(centers):
            break
        before, centers = read_only(centers), np.empty_like(centers)
        weights = np.empty(len(centers))
        labels = read_only(among.labels)
        _kernels.means(rows.X, read_only(w), read_only(shift), labels, before, centers, weights)
    return centers


@enter(Card("pca", "Along the principal axes", ("centers",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class PrincipalAxes(Start):
    """The mean plus noise that spreads along the principal axes as the rows do.

    Normal noise with the covariance of the rows: centers start where the cloud is long.
    """

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """k normal draws with the mean and covariance of the rows."""
        mean = np.average(X, axis=0, weights=w)
        about = (X - mean) * np.sqrt(w / w.sum())[:, None]
        variances, axes = np.linalg.eigh(about.T @ about)
        spread = np.sqrt(np.maximum(variances, 0.0))
        return mean + (rng.normal(size=(k, X.shape[1])) * spread) @ axes.T


@enter(Card("given", "Given centers", ("centers",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class GivenPoints(Start):
    """Points that you name, for instance to show a bad start."""

    values: tuple = many(
        (), most=10_000, doc="The columns of the first center, then those of the second, and so on."
    )

    def applies(self, X: np.ndarray, k: int) -> str | None:
        """Refuse when the number of values is not k times the number of columns."""
        p = X.shape[1]
        if len(self.values) == k * p:
            return None
        return (
            f"{k} start centers in {p} columns are {k * p} numbers; {len(self.values)} are given. "
            "Give the columns of one center after the other."
        )

    def centers(self, X: np.ndarray, w: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
        """The prescribed points, shape (k, p)."""
        return np.array(self.values).reshape(-1, X.shape[1])[:k]
