"""Friedman's test: several methods on several tables, by their ranks on each."""

from __future__ import annotations

from math import factorial, inf
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc

from mlcore.evaluation.comparing.ranking import ranked
from mlcore.spine.errors import DataError
from mlcore.spine.records import function
from mlcore.spine.wording import count

LEAST_TABLES, LEAST_METHODS = 5, 3  # below, chi-squared and F are too far from the truth
ALIKE = "Every table ranks the methods in the same order."
NO_ORDER = "The methods tie on every table."


class Friedman(NamedTuple):
    """Ranks, and whether they could be chance."""

    ranks: np.ndarray  # (N, k), 1 is best, mean ranks where methods tie
    mean: np.ndarray  # (k,)
    chi2: float  # with correction for ties, k - 1 degrees of freedom
    p_chi2: float
    f: float  # Iman and Davenport, k - 1 and (k - 1)(N - 1) degrees of freedom
    p: float  # of f
    remark: str = ""


@function("friedman", title="Friedman's test", sources=("prac:significance_test",))
def friedman(scores: Any, *, better: str = "higher") -> Friedman:
    r"""Whether the mean ranks of k methods over N tables differ more than chance allows.

    $\chi^2 = \frac{12 N}{k (k+1)} \sum_j (\bar r_j - \frac{k+1}{2})^2$, divided by
    $1 - \sum (t^3 - t) / (N (k^3 - k))$ where t methods tie, and the less cautious
    $F = (N-1) \chi^2 / (N (k-1) - \chi^2)$ of Iman and Davenport (1980). `scores`, shape (N, k),
    holds one a table and method. Both are approximations: `too_few` says of what not to ask.
    Raises DataError for fewer than 2 tables or methods.
    """
    ranks = ranks_of(scores, better=better)
    n, k = ranks.shape
    if n < 2 or k < 2:
        raise DataError(f"Friedman's test needs 2 tables and 2 methods; got {n} and {k}.")
    mean = ranks.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * float(((mean - (k + 1) / 2) ** 2).sum())
    untied = 1 - _ties(ranks) / (n * (k**3 - k))
    return from_chi2(ranks, chi2 / untied) if untied > 0 else no_order(ranks)


def too_few(n: int, k: int) -> str | None:
    """Why ranks of k methods over n tables are not tested, as a sentence, or None."""
    if k < LEAST_METHODS:
        return "Friedman's test needs 3 methods; for two, use Wilcoxon's signed ranks."
    if n < LEAST_TABLES:
        return (
            f"Ranks only: with {count(n, 'table')} the approximations of Friedman's "
            f"test cannot be trusted; it needs {LEAST_TABLES}."
        )
    return None


def ranks_of(scores: Any, *, better: str = "higher") -> np.ndarray:
    """The rank of each method on each table, shape (N, k): 1 is best, ties share their mean.

    Raises DataError unless there is a finite score for every method on every table.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or not scores.size or not np.isfinite(scores).all():
        raise DataError("Ranks need one finite score for every method on every table.")
    return ranked(-scores if better == "higher" else scores)


def _ties(ranks: np.ndarray) -> float:
    """Sum of t^3 - t over all groups of t methods that tie on a table."""
    counts = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return float((counts**2 - 1).sum())  # each of the t methods brings t^2 - 1


def from_chi2(ranks: np.ndarray, chi2: float) -> Friedman:
    """Both statistics of ranks, shape (N, k), from that of Friedman."""
    n, k = ranks.shape
    mean, slack = ranks.mean(axis=0), n * (k - 1) - chi2
    p_chi2 = float(chdtrc(k - 1, chi2))
    if slack <= 1e-9 * n * (k - 1):
        # F is infinite; the probability that all tables agree with the first is known.
        return Friedman(ranks, mean, chi2, p_chi2, inf, factorial(k) ** (1.0 - n), ALIKE)
    f = (n - 1) * chi2 / slack
    return Friedman(ranks, mean, chi2, p_chi2, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f)))


def no_order(ranks: np.ndarray) -> Friedman:
    """The answer for ranks, shape (N, k), of methods that all tie on all tables."""
    return Friedman(ranks, ranks.mean(axis=0), 0.0, 1.0, 0.0, 1.0, NO_ORDER)
