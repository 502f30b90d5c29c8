"""Groups of draws of the rows: how well one predicts another, and how likely they are."""

from __future__ import annotations

from math import log, pi
from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.agreement import match_labels
from mlcore.evaluation.metrics.groups import rounded, rss, used_rows
from mlcore.spine import random
from mlcore.spine.records import function

CHANCE_PAIRS = 5  # of random labels a split: the mean over splits is of many more


class StabilityIndex(NamedTuple):
    """Shares of rows that differ after matching: their quotient is the index."""

    differ: float
    by_chance: float


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
    "stability_index",
    title="Stability index",
    sources=("mi2:stability_index",),
    synonyms=("Lange", "stability-based validation", "number of clusters", "instability"),
)
def stability_index(labels: Any, predicted: Any, k: int, seed: int = 0) -> StabilityIndex:
    """Share of the rows that a prediction puts elsewhere, and the same of random labels of k.

    Groups of other rows predict `labels`, shape (m,), as `predicted`, (m,); both are matched so
    that as few rows as can be differ (Lange et al. 2004). Chance agrees less the more groups there
    are, so only the first number over the second compares them: 0 where groups come again, 1 where
    they are as good as drawn.
    """
    rng, m = random.generator(seed, "random labels"), len(np.asarray(labels))
    drawn = (rng.integers(k, size=(2, m)) for _ in range(CHANCE_PAIRS))
    by_chance = float(np.mean([match_labels(*pair).share for pair in drawn]))
    return StabilityIndex(match_labels(labels, predicted).share, by_chance)


@function(
    "bic_spherical",
    title="BIC of groups as spherical Gaussians",
    synonyms=("X-means", "Pelleg and Moore", "BIC of k-means", "Schwarz criterion"),
)
def bic_spherical(X: Any, labels: Any) -> float:
    """Schwarz's criterion of groups as spherical Gaussians of one variance: the lower, the better.

    -2 log L + q log n with the classification likelihood L, weights n_k / n, variance
    RSS / (p (n - K)) and q = K - 1 + K p + 1 parameters (Pelleg and Moore 2000, with the variance
    of one column). `X` has shape (n, p), `labels` (n,); rows of noise, -1, and such that
    lack a value do not count. NaN where no row is left over to measure a variance with, or the
    groups have no width.
    """
    X, labels = np.asarray(X, dtype=np.float64), np.asarray(labels)
    used = used_rows(X, labels)
    X, labels = X[used], labels[used]
    sizes = np.unique(labels, return_counts=True)[1]
    (n, p), k = X.shape, len(sizes)
    scatter = rss(X, labels)
    if n <= k or scatter <= n * rounded(X) ** 2:
        return float("nan")
    variance = scatter / (p * (n - k))
    weights = float((sizes * np.log(sizes / n)).sum())
    likelihood = weights - n * p / 2 * log(2 * pi * variance) - p * (n - k) / 2
    return -2 * likelihood + (k + k * p) * log(n)
