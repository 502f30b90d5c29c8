"""After Friedman's test: which methods differ, and which belong together."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from mlcore.evaluation.comparing.friedman import ranks_of
from mlcore.evaluation.comparing.holm import holm
from mlcore.evaluation.comparing.wilcoxon import wilcoxon_signed_rank
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)
REACH = 9.0  # the normal density beyond is below the rounding of 1
TIGHT = 1e-9  # ranks that differ by the critical difference but for rounding are not told apart


class PostHoc(NamedTuple):
    """Every pair of methods, and the groups within which nothing differs."""

    p: np.ndarray  # (k, k), adjusted for all pairs; 1 on the diagonal
    cliques: tuple[tuple[int, ...], ...]  # positions of methods, the best first
    critical_difference: float | None  # of mean ranks, where one number decides


@function("nemenyi", title="Nemenyi's test", sources=("prac:significance_test",))
def nemenyi(ranks: Any, *, alpha: float = 0.05) -> PostHoc:
    r"""All pairs by the distance of their mean ranks.

    Two methods differ where their mean ranks over N tables, `ranks` of shape (N, k), lie further
    apart than the critical difference; p is the probability of a studentised range of k normals
    above $\sqrt 2 |\bar r_i - \bar r_j| / \sqrt{k (k+1) / 6N}$.
    """
    ranks = np.asarray(ranks, dtype=np.float64)
    n, k = ranks.shape
    limit = critical_difference(k, n, alpha=alpha)
    mean = ranks.mean(axis=0)
    apart = np.abs(mean[:, None] - mean)
    p = np.ones((k, k))
    for i, j in combinations(range(k), 2):
        q = sqrt(2) * apart[i, j] / sqrt(k * (k + 1) / (6 * n))
        p[i, j] = p[j, i] = 1 - studentised_range(q, k)
    return PostHoc(p, cliques(mean, apart > limit + TIGHT), limit)


@function("critical_difference", sources=("prac:significance_test",))
def critical_difference(k: int, n: int, *, alpha: float = 0.05) -> float:
    r"""How far mean ranks of k methods over n tables must lie apart (Nemenyi 1963).

    $q_\alpha \sqrt{k (k+1) / 6n}$, with $q_\alpha$ the quantile of the studentised range of k
    normals, divided by $\sqrt 2$; computed, not looked up. Raises ParamError for fewer than 2
    methods or 1 table, and for an alpha outside 0 to 1.
    """
    if k < 2 or n < 1 or not 0 < alpha < 1:
        raise ParamError(
            f"A critical difference needs 2 methods, 1 table and 0 < alpha < 1; got {k} methods, "
            f"{n} tables and alpha {alpha!r}."
        )
    from scipy.optimize import brentq  # takes a moment to import

    q = brentq(lambda q: studentised_range(q, k) - (1 - alpha), 1e-6, 30.0, xtol=1e-12)
    # A number, without full_output.
    return q / sqrt(2) * sqrt(k * (k + 1) / (6 * n))  # pyrefly: ignore[unsupported-operation]


def studentised_range(q: float, k: int) -> float:
    r"""P(range of k standard normals <= q), $k \int \phi(z) (\Phi(z) - \Phi(z - q))^{k-1} dz$."""
    z = REACH * NODES
    inside = np.exp(-(z**2) / 2) / sqrt(2 * np.pi) * (ndtr(z) - ndtr(z - q)) ** (k - 1)
    return min(1.0, k * REACH * float(WEIGHTS @ inside))


@function("wilcoxon_holm", title="Wilcoxon's test of all pairs, with Holm's adjustment")
def wilcoxon_holm(scores: Any, *, better: str = "higher", alpha: float = 0.05) -> PostHoc:
    """All pairs by Wilcoxon's signed ranks over the tables, adjusted by Holm.

    Unlike the distance of mean ranks, the p-value of two methods before the adjustment does not
    depend on the others.
    `scores` has shape (N, k).
    """
    mean = ranks_of(scores, better=better).mean(axis=0)
    scores = np.asarray(scores, dtype=np.float64)
    pairs = list(combinations(range(len(mean)), 2))
    adjusted = holm([wilcoxon_signed_rank(scores[:, i] - scores[:, j]).p for i, j in pairs])
    p = np.ones((len(mean), len(mean)))
    for (i, j), value in zip(pairs, adjusted):
        p[i, j] = p[j, i] = value
    return PostHoc(p, cliques(mean, p < alpha), None)


def cliques(mean: np.ndarray, differ: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """The longest runs of methods, in the order of their mean ranks, of which no two differ.

    `mean` has shape (k,), `differ` (k, k). A method that differs from both neighbours is in none.
    Raises DataError if `differ` has another shape.
    """
    if differ.shape != (len(mean), len(mean)):
        raise DataError("Groups of methods need to know of every pair whether it differs.")
    order = np.argsort(mean, kind="stable")
    ranges: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not differ[order[last + 1], order[first : last + 1]].any():
            last += 1
        if last > first and (not ranges or last > ranges[-1][1]):
            ranges.append((first, last))
    return tuple(tuple(int(i) for i in order[first : last + 1]) for first, last in ranges)
