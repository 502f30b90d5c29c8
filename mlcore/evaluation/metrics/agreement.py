"""How far two groupings of the same rows agree, beside the adjusted Rand index."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.classes import pair
from mlcore.evaluation.metrics.groups import contingency
from mlcore.spine.records import function


class Matching(NamedTuple):
    """Groups of one grouping matched with those of another."""

    pairs: tuple[tuple[int, int], ...]  # labels, of the first and of the second
    differ: np.ndarray  # (r,) positions of rows that are not in matched groups
    share: float  # of the rows


@function(
    "normalised_mutual_information",
    title="Normalised mutual information",
    synonyms=("NMI", "normalized_mutual_info_score", "V measure"),
)
def normalised_mutual_information(a: Any, b: Any) -> float:
    """Information that two groupings share, over the mean of their entropies: 1 if equal.

    2 I(a, b) / (H(a) + H(b)); 1 where both put all rows together. Not corrected for chance: it
    grows with the number of groups. `a` and `b`, shape (n,), hold the group of each row.
    """
    shared, of_a, of_b = _information(a, b)
    return float(2 * shared / (of_a + of_b)) if of_a + of_b > 0 else 1.0


@function(
    "variation_of_information", title="Variation of information", synonyms=("Meila distance",)
)
def variation_of_information(a: Any, b: Any) -> float:
    """Distance of two groupings in nats: what one does not say of the other, both ways; 0 if equal.

    H(a) + H(b) - 2 I(a, b), a metric of groupings (Meila 2003), at most log n.
    """
    shared, of_a, of_b = _information(a, b)
    return float(max(of_a + of_b - 2 * shared, 0.0))


@function(
    "match_labels",
    title="Matched labels",
    sources=("mi2:label_matching",),
    synonyms=("Hungarian algorithm", "relabelling", "linear sum assignment"),
)
def match_labels(a: Any, b: Any) -> Matching:
    """Which group of one grouping is which of another, so that most rows are in matched groups.

    Each group has at most one partner (the assignment problem on the table of counts). `a` and `b`,
    shape (n,), hold the group of each row.
    """
    from scipy.optimize import linear_sum_assignment

    a, b = pair(a, b)
    counts = contingency(a, b)
    mine, theirs = np.unique(a), np.unique(b)
    left, right = linear_sum_assignment(-counts)
    pairs = tuple((int(mine[i]), int(theirs[j])) for i, j in zip(left, right, strict=True))
    matched = np.zeros(len(a), dtype=bool)
    for k, m in pairs:
        matched |= (a == k) & (b == m)
    differ = np.flatnonzero(~matched)
    return Matching(pairs, differ, len(differ) / len(a) if len(a) else 0.0)


def _information(a: Any, b: Any) -> tuple[float, float, float]:
    """Mutual information and both entropies, in nats."""
    a, b = pair(a, b)
    shares = contingency(a, b) / max(len(a), 1)
    of_a, of_b = _entropy(shares.sum(axis=1)), _entropy(shares.sum(axis=0))
    # Of three rounded sums: it may else be a little below 0 where nothing is shared.
    return max(of_a + of_b - _entropy(shares.ravel()), 0.0), of_a, of_b


def _entropy(shares: np.ndarray) -> float:
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())
