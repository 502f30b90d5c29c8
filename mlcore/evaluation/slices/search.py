"""Scores within groups of rows: levels, bins and pairs of them, and which differ from the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.comparing.holm import holm
from mlcore.evaluation.slices.against_rest import fisher_exact, welch_p
from mlcore.evaluation.slices.ends import Ends, mean_ends, wilson_ends
from mlcore.evaluation.slices.factors import Factor, crossed
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

MOST_GROUPS = 2000  # the largest of those there are
LEVEL = 0.95


class SliceScores(NamedTuple):
    """The score within groups, the worst first."""

    groups: tuple[str, ...]  # (G,)
    is_pair: np.ndarray  # (G,)
    n: np.ndarray  # (G,)
    score: np.ndarray  # (G,)
    low: np.ndarray  # (G,) of its interval
    high: np.ndarray  # (G,)
    p: np.ndarray  # (G,) against all other rows; NaN where there is no spread to judge by
    adjusted: np.ndarray  # (G,) by Holm, for all groups here
    overall: float
    n_rows: int
    test: str
    too_small: int  # groups with fewer rows than the smallest
    left_out: int  # groups beyond the most that are looked at, the smallest of them


class _Sums(NamedTuple):
    """Groups with the sums of their rows."""

    groups: list[str]
    is_pair: np.ndarray
    n: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    too_small: int
    left_out: int


@function("slice_scores", title="Scores by group", synonyms=("slices", "subgroup performance"))
def slice_scores(
    values: Any,
    factors: Sequence[Factor],
    *,
    better: str = "lower",
    pairs: bool = True,
    smallest: int = 20,
    is_root: bool = False,
    level: float = LEVEL,
) -> SliceScores:
    r"""The mean of `values`, shape (n,), within every level of each factor, and pair of levels.

    `values` has one number a row: right or wrong, a loss, or with `is_root` a squared error, of
    which the root of the mean is the score. `better` is "higher" or "lower", "zero" for errors with
    their sign. The interval is Wilson's where values are 0 or 1, else Student's, of a root the
    root of its ends. Each group is tested against all other rows, by Fisher's exact test of 0 and 1
    and else by Welch's t-test, and the p-values are adjusted by Holm for all groups looked at:
    groups overlap, so their tests depend on each other, and Holm's bound on any false claim holds
    whatever depends on what; the share of false claims of Benjamini and Hochberg is bounded only
    for tests that are independent or lean the same way. Rows are taken as independent. A group of
    all rows, and a pair that is the same rows as one of its levels, is not looked at again. Raises
    DataError without rows or for values that are not finite.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise DataError("Scores by group need one finite number for each row, of at least one row.")
    sums = _sums(values - (center := float(values.mean())), factors, pairs, smallest)
    mean, n, total = sums.mean + center, sums.n, len(values)
    is_share = not is_root and better != "zero" and bool(np.isin(values, (0.0, 1.0)).all())
    ends = mean_ends(mean, sums.variance, n, level)
    if is_share:
        hits = np.rint(mean * n)
        mean, ends = hits / n, wilson_ends(hits, n, level)
        p, test = fisher_exact(hits, n, round(values.sum()), total), "Fisher's exact test"
    else:
        p, test = (
            welch_p(sums.mean, sums.variance, n, _others(sums, values - center)),
            "Welch's t-test",
        )
    if is_root:
        mean, ends = np.sqrt(mean), Ends(*(np.sqrt(np.maximum(end, 0.0)) for end in ends))
    badness = {"higher": -mean, "lower": mean, "zero": np.abs(mean)}[better]
    order = np.lexsort((-n, -badness))
    overall = float(np.sqrt(center)) if is_root else center
    return SliceScores(
        tuple(sums.groups[g] for g in order), sums.is_pair[order], n[order], mean[order],
        ends.low[order], ends.high[order], p[order], holm(p)[order], overall, total, test,
        sums.too_small, sums.left_out,
    )  # fmt: skip


def _sums(values: np.ndarray, factors: Sequence[Factor], pairs: bool, smallest: int) -> _Sums:
    """Counts, means and variances of the groups that are large enough."""
    names, sizes, means, variances, is_pair, too_small = list[str](), [], [], [], [], 0
    squares, total = values**2, len(values)
    for factor, parents in _looked_at(factors, pairs):
        k = len(factor.levels)
        n = np.bincount(factor.codes, minlength=k)
        too_small += int(((n > 0) & (n < smallest)).sum())
        kept = np.flatnonzero((n >= max(smallest, 1)) & (n < total) & _is_new(n, parents))
        s = np.bincount(factor.codes, values, k)[kept]
        q = np.bincount(factor.codes, squares, k)[kept]
        n = n[kept]
        titles = factor.titles if not parents else factor.levels
        names += [titles[g] for g in kept]
        sizes.append(n)
        means.append(s / n)
        variances.append(np.maximum(q - s**2 / n, 0.0) / np.maximum(n - 1, 1))
        is_pair.append(np.full(len(n), bool(parents)))
    n, mean, variance, pair = (
        np.concatenate(parts) if parts else np.empty(0)
        for parts in (sizes, means, variances, is_pair)
    )
    # By size alone, which knows of no score: a choice by scores would have to be paid for.
    kept = np.sort(np.argsort(-n, kind="stable")[:MOST_GROUPS])
    return _Sums(
        [names[g] for g in kept], pair[kept].astype(bool), n[kept], mean[kept], variance[kept],
        too_small, len(names) - len(kept),
    )  # fmt: skip


def _looked_at(
    factors: Sequence[Factor], pairs: bool
) -> Iterator[tuple[Factor, tuple[Factor, ...]]]:
    """The factors, then their pairs, one at a time; a pair with the two that it is made of."""
    yield from ((factor, ()) for factor in factors)
    if pairs:
        yield from ((crossed(a, b), (a, b)) for a, b in combinations(factors, 2))


def _is_new(n: np.ndarray, parents: tuple[Factor, ...]) -> np.ndarray:
    """Whether a pair has fewer rows than either of its levels, shape (L,)."""
    if not parents:
        return np.ones(len(n), dtype=bool)
    first, second = (np.bincount(parent.codes, minlength=len(parent.levels)) for parent in parents)
    cells = n.reshape(len(first), len(second))
    return ((cells < first[:, None]) & (cells < second[None, :])).ravel()


def _others(sums: _Sums, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, variance and number of the rows outside of each group; the values have mean 0."""
    n = len(values) - sums.n
    mean = -sums.mean * sums.n / n
    inside = sums.variance * (sums.n - 1) + sums.n * sums.mean**2
    squares = float((values**2).sum()) - inside - n * mean**2
    return mean, np.maximum(squares, 0.0) / np.maximum(n - 1, 1), n
