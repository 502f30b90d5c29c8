"""Measures of groupings: against labels, and against the rows themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlcore.distances.nearest_center import Nearest, SearchRows
from mlcore.evaluation.metrics.classes import pair, ratio
from mlcore.spine.records import function

ROUNDED = 8.0 * float(np.finfo(float).eps)  # of the largest number of a column, a row
BLOCK_VALUES = 2**21  # distances held at a time: 16 MB
WIDE = 8  # columns from which a matrix product is quicker: 15 times with 784


@function("adjusted_rand", title="Adjusted Rand index")
def adjusted_rand(a: Any, b: Any) -> float:
    """Agreement of two groupings of the same rows beyond chance: 1 if equal, about 0 by chance.

    Counts pairs of rows that are together in both, less what independent groupings with the same
    group sizes give, divided by the most it could be (Hubert and Arabie 1985). `a` and `b`, shape
    (n,), hold the group of each row; names do not matter.
    """
    together, in_a, in_b, every = pair_counts(a, b)
    by_chance = in_a * in_b / every if every else 0.0
    most = (in_a + in_b) / 2
    # Both put all rows together, or each alone: the same grouping, with nothing left to chance.
    return float((together - by_chance) / (most - by_chance)) if most != by_chance else 1.0


def pair_counts(a: Any, b: Any) -> tuple[float, float, float, float]:
    """Pairs of rows that are together in both groupings, in the one, in the other; and all."""
    a, b = pair(a, b)
    table = contingency(a, b)
    tables = (table, table.sum(axis=1), table.sum(axis=0), np.array(float(len(a))))
    together, in_a, in_b, every = (float(_pairs(counts).sum()) for counts in tables)
    return together, in_a, in_b, every


def contingency(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rows in group i of a and j of b, shape (groups of a, groups of b)."""
    codes_a, codes_b = (np.unique(v, return_inverse=True)[1] for v in (a, b))
    width = int(codes_b.max()) + 1
    counts = np.bincount(codes_a * width + codes_b, minlength=(int(codes_a.max()) + 1) * width)
    return counts.reshape(-1, width).astype(np.float64)


def _pairs(counts: np.ndarray) -> np.ndarray:
    return counts * (counts - 1) / 2


def nearest(X: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest center of each row and the squared distance to it, each of shape (m,)."""
    rows = SearchRows(np.ascontiguousarray(X, dtype=np.float64), len(centers))
    search = Nearest(rows)
    search.assign(centers)
    return search.labels, rows.apart(centers, search.labels)


@function(
    "rss",
    title="Residual sum of squares",
    sources=("epfl:metric_rss", "mi2:kmeans_cost", "prac:kmeans_cost"),
)
def rss(X: Any, labels: Any, centers: Any = None) -> float:
    """Sum of squared distances of the rows to the center of their group.

    Without `centers`, shape (K, p), the groups' means; rows of group -1 (noise), and such that lack
    a value, do not count.
    """
    X, labels = np.asarray(X, dtype=np.float64), np.asarray(labels)
    used = used_rows(X, labels)
    X, labels = X[used], labels[used]
    if not len(X):
        return 0.0
    if centers is None:
        groups, labels = np.unique(labels, return_inverse=True)
        centers = np.array([X[labels == k].mean(axis=0) for k in range(len(groups))])
    return float(((X - np.asarray(centers)[labels]) ** 2).sum())


@function(
    "calinski_harabasz",
    title="Calinski-Harabasz index",
    synonyms=("variance ratio criterion", "calinski_harabasz_score", "pseudo F statistic"),
)
def calinski_harabasz(X: Any, labels: Any) -> float:
    """Variance between the groups over that within, each by its degrees of freedom: high is apart.

    (B / (k - 1)) / (W / (n - k)), sums of squares about the means (Calinski and Harabasz 1974).
    Rows of label -1 (noise) do not count; NaN for fewer than two groups or where each row is one,
    infinite where no group has any width.
    """
    X, codes, sizes, means = _grouped(X, labels)
    n, k = len(X), len(sizes)
    if not 2 <= k < n:
        return float("nan")
    within = float(((X - means[codes]) ** 2).sum())
    between = float((sizes * ((means - X.mean(axis=0)) ** 2).sum(axis=1)).sum())
    has_width = within > n * rounded(X) ** 2
    return (between / (k - 1)) / (within / (n - k)) if has_width else float("inf")


@function("davies_bouldin", title="Davies-Bouldin index", synonyms=("davies_bouldin_score",))
def davies_bouldin(X: Any, labels: Any) -> float:
    """Widths of two groups over the distance of their means, in the worst pair: low is apart.

    The mean over the groups i of max over j of (s_i + s_j) / d_ij; s is the mean distance of the
    rows of a group to its mean (Davies and Bouldin 1979). Rows of label -1 (noise) do not count;
    NaN for fewer than two groups or where each row is one; two groups about one mean do not count.
    """
    X, codes, sizes, means = _grouped(X, labels)
    k = len(sizes)
    if not 2 <= k < len(X):
        return float("nan")
    off = np.sqrt(((X - means[codes]) ** 2).sum(axis=1))
    widths = np.bincount(codes, weights=off, minlength=k) / sizes
    apart = np.sqrt(((means[:, None] - means) ** 2).sum(axis=2))
    apart[apart <= rounded(X)] = np.inf
    return float(((widths[:, None] + widths) / apart).max(axis=1).mean())


def rounded(X: np.ndarray) -> float:
    """The distance up to which means of rows X, shape (n, p), differ by rounding alone.

    That of a sum of n numbers grows like the root of n.
    """
    return float(ROUNDED * np.sqrt(len(X) * (np.abs(X).max(axis=0, initial=0.0) ** 2).sum()))


def used_rows(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Which rows are in a group and lack no value, (n,): distances need all of them."""
    return (labels != -1) & ~np.isnan(X).any(axis=1)


def _grouped(X: Any, labels: Any) -> tuple[np.ndarray, ...]:
    """Rows that are in a group, their codes, the sizes, (k,), and the means, (k, p), of groups."""
    X, labels = np.asarray(X, dtype=np.float64), np.asarray(labels)
    used = used_rows(X, labels)
    X, codes = X[used], np.unique(labels[used], return_inverse=True)[1]
    sizes = np.bincount(codes)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, codes, X)
    return X, codes, sizes, sums / sizes[:, None]


@function("silhouette_samples", title="Silhouette coefficient")
def silhouette_samples(X: Any, labels: Any) -> np.ndarray:
    """How much nearer each row is to its own group than to the next one, shape (n,), in [-1, 1].

    (b - a) / max(a, b): a is the mean distance to the other rows of its group, b the smallest mean
    distance to the rows of another. 0 for a row alone in its group; NaN for noise (label -1), rows
    with missing values and where there are fewer than two groups. Time O(n^2 p), memory 16 MB
    whatever n.
    """
    X, labels = np.asarray(X, dtype=np.float64), np.asarray(labels)
    widths = np.full(len(X), np.nan)
    used = used_rows(X, labels)
    groups, codes = np.unique(labels[used], return_inverse=True)
    if len(groups) >= 2:
        widths[used] = _silhouettes(X[used], codes, len(groups))
    return widths


def _silhouettes(X: np.ndarray, codes: np.ndarray, k: int) -> np.ndarray:
    order = np.argsort(codes, kind="stable")
    X, codes = X[order] - X.mean(axis=0), codes[order]
    sizes = np.bincount(codes, minlength=k)
    starts = np.append(0, np.cumsum(sizes)[:-1])
    widths = np.empty(len(X))
    block = max(1, BLOCK_VALUES // len(X))
    distances = _distances_to(X)
    for first in range(0, len(X), block):
        rows = slice(first, first + block)
        sums = np.add.reduceat(distances(X[rows]), starts, axis=1)
        widths[order[rows]] = _widths(sums, codes[rows], sizes)
    return widths


def _distances_to(X: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The function that gives the distances of any rows, shape (m, p), to X: shape (m, n).

    By a matrix product where that is quicker; it puts equal rows some 1e-8 of the spread apart,
    which is nothing beside a mean.
    """
    if X.shape[1] < WIDE:
        from scipy.spatial.distance import cdist

        return lambda rows: cdist(rows, X)
    from mlcore.maths.squared_distances import squares_against

    squares = squares_against(X)
    return lambda rows: np.sqrt(squares(rows))


def _widths(sums: np.ndarray, own: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Widths from the sums of distances to each group, shape (rows, K)."""
    at = np.arange(len(sums))
    a = sums[at, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[at, own] = np.inf
    b = means.min(axis=1)
    return np.where(sizes[own] > 1, np.nan_to_num(ratio(b - a, np.maximum(a, b))), 0.0)
