"""How far two groupings of the same rows agree, beside the adjusted Rand index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.classes import pair
from mlcore.evaluation.metrics.groups import contingency, pair_counts
from mlcore.spine.errors import DataError
from mlcore.spine.records import function
from mlcore.spine.wording import listed

ROUNDED = 1e-12  # nats: below it a difference of informations is rounding
SUM_ROUNDED = 1e-14  # nats: the same of a single sum; the least that n rows share is 1 / n^2
TAIL = 42.0  # nats: chances below exp(-TAIL) do not count in double precision


class Matching(NamedTuple):
    """Groups of one grouping matched with those of another."""

    pairs: tuple[tuple[int, int], ...]  # labels, of the first and of the second
    differ: np.ndarray  # (r,) positions of rows that are not in matched groups
    share: float  # of the rows


class Informed(NamedTuple):
    """What groups say of classes and classes of groups, as shares of what is to be said."""

    homogeneity: float  # 1 if no group mixes classes
    completeness: float  # 1 if no class is divided
    v_measure: float  # their harmonic mean


# What shared information is divided by, of both entropies.
AVERAGES: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: float(np.sqrt(a * b)),
    "min": min,
    "max": max,
}


@function(
    "normalised_mutual_information",
    title="Normalised mutual information",
    synonyms=("NMI", "normalized_mutual_info_score"),
)
def normalised_mutual_information(a: Any, b: Any, average: str = "arithmetic") -> float:
    """Information that two groupings share, over the mean of their entropies: 1 if equal.

    2 I(a, b) / (H(a) + H(b)); 1 where both put all rows together. Not corrected for chance: it
    grows with the number of groups. `a` and `b`, shape (n,), hold the group of each row; `average`
    is that of the entropies: arithmetic, geometric, min or max.
    """
    mean = _average(average)
    shared, of_a, of_b = _information(a, b)
    if not of_a + of_b:
        return 1.0
    return shared / mean(of_a, of_b) if shared > 0 else 0.0


@function(
    "adjusted_mutual_information",
    title="Adjusted mutual information",
    synonyms=("AMI", "adjusted_mutual_info_score"),
)
def adjusted_mutual_information(a: Any, b: Any, average: str = "arithmetic") -> float:
    """Information that two groupings share beyond chance: 1 if equal, about 0 by chance.

    (I - E) / (mean of the entropies - E), with E the expectation of I among groupings that have
    the same sizes of groups (Vinh, Epps and Bailey 2010, Journal of Machine Learning Research 11).
    `a` and `b`, shape (n,), hold the group of each row; `average` as of normalised information.
    """
    mean = _average(average)
    a, b = pair(a, b)
    table = contingency(a, b)
    if table.shape[0] == table.shape[1] == np.count_nonzero(table):
        return 1.0  # the same grouping; each row alone would leave nothing to chance
    shared, of_a, of_b = _information(a, b)
    by_chance = _expected_information(table.sum(axis=1), table.sum(axis=0))
    most = mean(of_a, of_b) - by_chance
    # One group in one of them, or each row alone: by its sizes alone nothing more can be shared.
    return (shared - by_chance) / most if abs(most) > ROUNDED else 0.0


@function(
    "homogeneity_completeness",
    title="Homogeneity, completeness and V-measure",
    synonyms=("V measure", "v_measure_score", "homogeneity_score", "completeness_score"),
)
def homogeneity_completeness(classes: Any, groups: Any) -> Informed:
    """Whether groups hold rows of one class, whether classes lie in one group, and the mean.

    Homogeneity is I / H(classes), completeness I / H(groups), each 1 where that entropy is 0, and
    the V-measure their harmonic mean, which is the normalised mutual information (Rosenberg and
    Hirschberg 2007). Both arguments have shape (n,).
    """
    shared, of_classes, of_groups = _information(classes, groups)
    pure = shared / of_classes if of_classes else 1.0
    whole = shared / of_groups if of_groups else 1.0
    return Informed(pure, whole, 2 * pure * whole / (pure + whole) if pure + whole else 0.0)


@function(
    "fowlkes_mallows", title="Fowlkes-Mallows index", synonyms=("fowlkes_mallows_score", "FMI")
)
def fowlkes_mallows(a: Any, b: Any) -> float:
    """Pairs of rows that are together in both groupings, as a geometric mean of shares: 1 if equal.

    T / sqrt(P Q), with T pairs together in both, P in the one, Q in the other; 0 where no pair is
    together in both (Fowlkes and Mallows 1983). Not corrected for chance. `a` and `b` have shape
    (n,).
    """
    together, in_a, in_b, _ = pair_counts(a, b)
    return float(together / np.sqrt(in_a * in_b)) if together else 0.0


@function("rand_index", title="Rand index", synonyms=("rand_score", "unadjusted Rand index"))
def rand_index(a: Any, b: Any) -> float:
    """Share of pairs of rows on which two groupings agree, together or apart: 1 if equal.

    Not corrected for chance: with many groups most pairs are apart in both (Rand 1971). `a` and
    `b`, shape (n,), hold the group of each row.
    """
    together, in_a, in_b, every = pair_counts(a, b)
    return float((every + 2 * together - in_a - in_b) / every) if every else 1.0


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
    counts = contingency(a, b)
    of_a, of_b = _entropy(counts.sum(axis=1)), _entropy(counts.sum(axis=0))
    shared = of_a + of_b - _entropy(counts.ravel())
    return shared if shared > SUM_ROUNDED else 0.0, of_a, of_b


def _entropy(counts: np.ndarray) -> float:
    """Of the shares of these counts, in nats: exactly 0 where all rows are in one.

    Counts are summed by size, so that the same ones in another order have the same bits.
    """
    shares = np.sort(counts[counts > 0]) / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _average(name: str) -> Callable[[float, float], float]:
    if name not in AVERAGES:
        raise DataError(f"The average is one of {listed(AVERAGES)}; got {name!r}.")
    return AVERAGES[name]


def _expected_information(of_a: np.ndarray, of_b: np.ndarray) -> float:
    """Mutual information in nats that groupings of these sizes share on average by chance.

    The number of rows that two groups share is then hypergeometric; sizes that occur more than
    once are worked out once.
    """
    from scipy.special import gammaln

    n = int(of_a.sum())
    logs = gammaln(np.arange(n + 1) + 1.0)
    sides = (np.unique(sizes.astype(np.int64), return_counts=True) for sizes in (of_a, of_b))
    (mine, often), (theirs, as_often) = sides
    return float(
        sum(
            u * v * _of_a_cell(i, j, n, logs)
            for i, u in zip(mine.tolist(), often.tolist(), strict=True)
            for j, v in zip(theirs.tolist(), as_often.tolist(), strict=True)
        )
    )


def _of_a_cell(i: int, j: int, n: int, logs: np.ndarray) -> float:
    """The expected summand of a group of i and one of j of n rows; `logs` holds log-factorials.

    Beyond `reach` from the mean the chance is below exp(-TAIL), by Bernstein's inequality, which
    holds for the binomial of the same mean and so for the hypergeometric (Hoeffding 1963).
    """
    mean = i * j / n
    spread = mean * (1 - max(i, j) / n)
    reach = TAIL / 3 + np.sqrt((TAIL / 3) ** 2 + 2 * TAIL * spread)
    low = max(1, i + j - n, int(mean - reach))
    m = np.arange(low, min(i, j, int(mean + reach) + 1) + 1)
    constant = logs[i] + logs[j] + logs[n - i] + logs[n - j] - logs[n]
    chance = constant - logs[m] - logs[i - m] - logs[j - m] - logs[n - i - j + m]
    return float((m / n * np.log(m / mean) * np.exp(chance)).sum())
