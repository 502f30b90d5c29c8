"""Columns as factors: which of a few groups each row lies in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

PAIRED = ", "  # between the levels of a pair
MISSING, OTHERS = "missing", "other levels"


class Factor(NamedTuple):
    """A column by which rows are grouped: every row lies in one of its levels."""

    name: str
    codes: np.ndarray  # (n,) positions among the levels
    levels: tuple[str, ...]  # (L,)

    @property
    def titles(self) -> tuple[str, ...]:
        """Each level with the name of the column."""
        return tuple(f"{self.name}: {level}" for level in self.levels)


def of_levels(name: str, values: np.ndarray, levels: tuple[str, ...], most: int) -> Factor:
    """A factor of names; `values`, shape (n,), are codes of the levels, NaN is missing.

    Of more than `most` levels the most frequent have a group each and the others one together.
    """
    missing = np.isnan(values)
    codes = np.where(missing, 0, values).astype(np.int64)
    counts = np.bincount(codes[~missing], minlength=len(levels))
    order = np.argsort(-counts, kind="stable")
    kept = np.sort(order[:most][counts[order[:most]] > 0])
    place = np.full(max(len(levels), 1), len(kept))
    place[kept] = np.arange(len(kept))
    titles = [levels[k] for k in kept] + [OTHERS]
    return _used(name, place[codes], titles, missing)


def of_numbers(
    name: str, values: np.ndarray, bins: int, text: Callable[[float], str] = "{:.4g}".format
) -> Factor:
    """A factor of quantile bins: about as many rows in each; `values` have shape (n,).

    The inner ends are the quantiles 1/bins, 2/bins, ..., and a bin holds its lower end. A column
    of at most `bins` different values has a group for each. Ends are quantiles of the column
    alone: no target and no prediction moves them.
    """
    missing = np.isnan(values)
    known = values[~missing]
    distinct = np.unique(known)
    if len(distinct) <= bins:
        codes = np.searchsorted(distinct, np.where(missing, -np.inf, values))
        return _used(name, codes, [text(v) for v in distinct], missing)
    ends = np.unique(np.quantile(known, np.arange(1, bins) / bins))
    ends = ends[ends > distinct[0]]  # else nothing lies below
    if not len(ends):  # nearly all rows have the least value
        ends = distinct[1:2]
    codes = np.searchsorted(ends, np.where(missing, -np.inf, values), side="right")
    texts = [text(end) for end in ends]
    between = [f"{a} to < {b}" for a, b in pairwise(texts)]
    titles = [f"< {texts[0]}", *between, f"≥ {texts[-1]}"]
    return _used(name, codes, titles, missing)


def _used(name: str, codes: np.ndarray, titles: list[str], missing: np.ndarray) -> Factor:
    """With a group of the rows without a value, and without levels that no row has."""
    codes, titles = np.where(missing, len(titles), codes), [*titles, MISSING]
    used, codes = np.unique(codes, return_inverse=True)
    return Factor(name, codes.reshape(-1), tuple(titles[k] for k in used))


def crossed(a: Factor, b: Factor) -> Factor:
    """The factor of pairs of levels; that of a stands before that of b."""
    titles = tuple(f"{x}{PAIRED}{y}" for x in a.titles for y in b.titles)
    return Factor(f"{a.name} and {b.name}", a.codes * len(b.levels) + b.codes, titles)
