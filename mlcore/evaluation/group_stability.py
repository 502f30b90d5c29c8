"""Groups of several draws of the rows: how one predicts another, and what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi
from typing import Any

import numpy as np

from mlcore.evaluation.metrics.groups import rss
from mlcore.spine.records import function


@function(
    "prediction_strength",
    title="Prediction strength",
    synonyms=("Tibshirani and Walther", "number of clusters", "prediction.strength"),
)
def prediction_strength(labels: Any, predicted: Any) -> float:
    """Share of the pairs within a group that the prediction keeps together, for the worst group.

    min over groups j of the pairs of rows of j with one predicted group, over all its pairs
    (Tibshirani and Walther 2005). `labels`, shape (m,), are the groups of rows by themselves,
    `predicted`, (m,), those that groups of other rows give them. -1 is noise: such a row is in no
    group, and no prediction keeps it together with another. A group of one row has no pairs and no
    say; 1 where there is one group that the prediction keeps, NaN where no group has two rows.
    """
    labels, predicted = np.asarray(labels), np.asarray(predicted)
    shares = []
    for group in np.unique(labels[labels >= 0]):
        inside = predicted[labels == group]
        if len(inside) > 1:
            sizes = np.unique(inside[inside >= 0], return_counts=True)[1]
            shares.append((sizes * (sizes - 1)).sum() / (len(inside) * (len(inside) - 1)))
    return float(min(shares)) if shares else float("nan")


@function(
    "consensus_matrix",
    title="Consensus matrix",
    synonyms=("consensus clustering", "Monti", "co-association matrix", "evidence accumulation"),
)
def consensus_matrix(draws: Sequence[tuple[Any, Any]], rows: Any) -> np.ndarray:
    """Share of the draws with both of two rows in which they are in one group (Monti et al. 2003).

    `draws` are pairs of positions, sorted, and groups of the rows at these, each of shape (m,);
    `rows` are the positions asked for, shape (r,). Shape (r, r); NaN where no draw has both rows.
    A row of noise, -1, is together with itself only.
    """
    rows = np.asarray(rows)
    together, both = np.zeros((len(rows), len(rows))), np.zeros((len(rows), len(rows)))
    for at, labels in draws:
        _, mine, theirs = np.intersect1d(rows, at, assume_unique=True, return_indices=True)
        some = np.asarray(labels)[theirs]
        same = (some[:, None] == some) & (some >= 0)
        np.fill_diagonal(same, True)
        together[np.ix_(mine, mine)] += same
        both[np.ix_(mine, mine)] += 1
    return np.divide(together, both, out=np.full(both.shape, np.nan), where=both > 0)


@function(
    "consensus_area",
    title="Area under the distribution of the consensus",
    synonyms=("consensus clustering", "delta area", "Monti"),
)
def consensus_area(consensus: Any) -> float:
    """Area under the cumulative distribution of a consensus matrix over its pairs, within 0 and 1.

    A = integral over [0, 1] of the share of pairs with a consensus of at most c (Monti et al.
    2003); it is one less the mean of the consensus. It grows with the number of groups, and what it
    gains falls off where further groups divide none that are there. NaN without a defined pair.
    """
    consensus = np.asarray(consensus, dtype=np.float64)
    pairs = consensus[np.triu_indices(len(consensus), 1)]
    pairs = pairs[np.isfinite(pairs)]
    return float(1 - pairs.mean()) if len(pairs) else float("nan")


@function(
    "bic_spherical",
    title="BIC of groups as spherical Gaussians",
    synonyms=("X-means", "Pelleg and Moore", "BIC of k-means", "Schwarz criterion"),
)
def bic_spherical(X: Any, labels: Any) -> float:
    """Schwarz's criterion of groups as spherical Gaussians of one variance: the lower, the better.

    -2 log L + q log n with the classification likelihood L, weights n_k / n, variance
    RSS / (p (n - K)) and q = K - 1 + K p + 1 parameters (Pelleg and Moore 2000, with the variance
    of one column). `X` has shape (n, p), `labels` (n,); rows of noise, -1, do not count. NaN where
    no row is left over to measure a variance with, or the groups have no width.
    """
    X, labels = np.asarray(X, dtype=np.float64), np.asarray(labels)
    X, labels = X[labels >= 0], labels[labels >= 0]
    sizes = np.unique(labels, return_counts=True)[1]
    (n, p), k = X.shape, len(sizes)
    scatter = rss(X, labels)
    if n <= k or scatter <= 0:
        return float("nan")
    variance = scatter / (p * (n - k))
    weights = float((sizes * np.log(sizes / n)).sum())
    likelihood = weights - n * p / 2 * log(2 * pi * variance) - p * (n - k) / 2
    return -2 * likelihood + (k + k * p) * log(n)
