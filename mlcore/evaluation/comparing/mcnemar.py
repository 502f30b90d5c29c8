"""McNemar's test: two fitted classifiers on the same rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr, chdtrc, gammaln

from mlcore.spine.errors import DataError
from mlcore.spine.records import function

EXACT_BELOW = 25  # rows that only one gets right
MOST_SIGNS = 500  # groups whose signs are all gone through


class McNemar(NamedTuple):
    """Rows that only the first (b) and only the second (c) gets right, and how odd that is."""

    b: int
    c: int
    p: float  # the exact one below 25 such rows, else that of chi-squared
    exact: float
    mid: float  # half the probability of what was seen is left out: less cautious
    chi2: float  # with continuity correction
    p_chi2: float
    n_groups: int = 0  # that change sides as a whole in p; 0 where each row stands alone


@function(
    "mcnemar",
    title="McNemar's test",
    sources=("prac:significance_test", "s841:error_rate_comparison"),
)
def mcnemar(b: int, c: int) -> McNemar:
    r"""Whether b and c, the rows that only one of two classifiers gets right, are alike.

    Exact: b is binomial(b + c, 1/2). $\chi^2 = (|b - c| - 1)^2 / (b + c)$ with one degree of
    freedom. One prediction a row: with repeats, that of the first. It speaks of the two fitted
    classifiers, not of what they would be on other training rows. Raises DataError for negative
    counts.
    """
    b, c = int(b), int(c)
    if b < 0 or c < 0:
        raise DataError(f"McNemar's test needs two counts of rows; got {b} and {c}.")
    n, smaller = b + c, min(b, c)
    if n == 0:
        return McNemar(0, 0, 1.0, 1.0, 1.0, 0.0, 1.0)
    tail = float(bdtr(smaller, n, 0.5))
    seen = float(np.exp(gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - n * np.log(2)))
    exact, mid = min(1.0, 2 * tail), min(1.0, 2 * tail - seen)
    chi2 = max(abs(b - c) - 1, 0) ** 2 / n
    p_chi2 = float(chdtrc(1, chi2))
    return McNemar(b, c, exact if n < EXACT_BELOW else p_chi2, exact, mid, chi2, p_chi2)


@function(
    "mcnemar_of_groups",
    title="McNemar's test of rows in groups",
    synonyms=("clustered McNemar test", "sign-flip test"),
)
def mcnemar_of_groups(first: Any, second: Any) -> float:
    """Whether two classifiers err alike, where rows of a group do not err independently: p.

    `first` and `second` hold the group of each row that only the one and only the other gets right,
    shapes (b,) and (c,). If both are alike, a group with its difference of b - c could as well have
    the opposite one: p is the share of all signs of the groups that make the sum of the differences
    at least as large. With one row a group it is McNemar's exact test; of more than 500 groups it
    is that of (sum of the differences)^2 / (sum of their squares), chi-squared with one degree of
    freedom.

    Durkalski, Palesch, Lipsitz and Rust (2003), Statistics in Medicine 22.
    """
    groups, at = np.unique(np.concatenate([first, second]), return_inverse=True)
    signs = np.repeat([1.0, -1.0], [len(first), len(second)])
    apart = np.rint(np.bincount(at, weights=signs, minlength=len(groups))).astype(np.int64)
    sizes, seen = np.abs(apart[apart != 0]), abs(int(apart.sum()))
    if len(sizes) > MOST_SIGNS:
        return float(chdtrc(1, seen**2 / float((sizes**2).sum())))
    shares = _of_all_signs(sizes)
    return min(1.0, float(shares[np.abs(np.arange(len(shares)) - sizes.sum()) >= seen].sum()))


def _of_all_signs(sizes: np.ndarray) -> np.ndarray:
    """The share of all signs of these sizes, (k,), that give each sum from -s to s = sum(sizes)."""
    shares = np.zeros(2 * int(sizes.sum()) + 1)
    shares[0], reached = 1.0, 1
    for size in sizes.tolist():
        half = 0.5 * shares[:reached]
        shares[:reached] = half
        shares[2 * size : 2 * size + reached] += half
        reached += 2 * size
    return shares


class OneRight(NamedTuple):
    """Positions, among the rows of the data set, of rows that exactly one gets right."""

    first: np.ndarray  # (b,)
    second: np.ndarray  # (c,)
    n: int  # rows that both predicted


def one_right(rows: Any, truth: Any, first: Any, second: Any) -> OneRight:
    """The rows that only the first, and only the second, predicts right; shape (m,) each."""
    rows = np.asarray(rows)
    a, b = np.asarray(first) == truth, np.asarray(second) == truth
    return OneRight(rows[a & ~b], rows[b & ~a], len(rows))
