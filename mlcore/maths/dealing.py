"""Rows dealt to folds and parts, with their classes spread and their groups kept together."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np


@dataclass(frozen=True)
class RowsToSplit:
    """What a splitter may know of the rows."""

    n: int
    y: np.ndarray | None = None  # (n,) codes of classes; None where there are none
    groups: np.ndarray | None = None  # (n,) rows of equal value stay together
    order: np.ndarray | None = None  # (n,) time, or another order
    seed: int = 0
    unit: str = (
        "row"  # what is left out: a row, or a "group" or "sequence" of rows that stays whole
    )

    @property
    def n_groups(self) -> int:
        """How many groups there are; without groups each row is its own."""
        return self.n if self.groups is None else len(np.unique(self.groups))

    def rarest(self) -> int:
        """Rows of the smallest class."""
        return 0 if self.y is None else int(np.unique(self.y, return_counts=True)[1].min())


def folds(
    rows: RowsToSplit, y: np.ndarray | None, k: int, rng: np.random.Generator | None
) -> np.ndarray:
    """The fold 0 .. k - 1 of each row, shape (n,); `y` holds classes to spread, if any.

    Without `rng` the rows are dealt in their order.
    """
    n = rows.n
    if rows.groups is not None:
        return _grouped_folds(np.zeros(n, dtype=int) if y is None else y, rows.groups, k, rng)
    shuffled = np.arange(n) if rng is None else rng.permutation(n)
    fold_of = np.empty(n, dtype=int)
    if y is None:
        fold_of[shuffled] = np.arange(n) * k // n  # neighbours in one fold; sizes differ by one
    else:
        fold_of[shuffled[np.argsort(y[shuffled], kind="stable")]] = np.arange(n) % k
    return fold_of


def _grouped_folds(
    y: np.ndarray, groups: np.ndarray, k: int, rng: np.random.Generator | None
) -> np.ndarray:
    """Whole groups, the weightiest first, each to the fold that has least of its classes."""
    classes = np.unique(y, return_inverse=True)[1]
    codes = np.unique(groups, return_inverse=True)[1]
    counts = np.zeros((codes.max() + 1, classes.max() + 1))
    np.add.at(counts, (codes, classes), 1)
    order = np.arange(len(counts)) if rng is None else rng.permutation(len(counts))
    shares = counts / counts.sum(axis=0)  # of each class
    order = order[np.argsort(-shares[order].max(axis=1), kind="stable")]
    fold_shares, fold_of = np.zeros((k, counts.shape[1])), np.empty(len(counts), dtype=int)
    for group in order:
        # The sum over folds and classes of (share of the class)^2 grows least here.
        fold_of[group] = np.lexsort((fold_shares.sum(axis=1), fold_shares @ shares[group]))[0]
        fold_shares[fold_of[group]] += shares[group]
    return fold_of[codes]


def part(
    rows: RowsToSplit, y: np.ndarray | None, share: float, rng: np.random.Generator
) -> np.ndarray:
    """A mask of about `share` of the rows, at least one and not all, shape (n,).

    `y` holds classes of which the part is to have their shares, if any.
    """
    if rows.groups is not None:
        return _grouped_part(rows.groups, share, rng)
    size = min(max(ceil(round(share * rows.n, 9)), 1), rows.n - 1)
    shuffled = rng.permutation(rows.n)
    left_out = np.zeros(rows.n, dtype=bool)
    if y is None:
        left_out[shuffled[:size]] = True
        return left_out
    shuffled = shuffled[np.argsort(y[shuffled], kind="stable")]
    # Rows at evenly spaced places of the list sorted by class: within one row of the share each.
    left_out[shuffled[(np.arange(size) * rows.n + rng.integers(rows.n)) // size]] = True
    return left_out


def _grouped_part(groups: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A mask of whole groups with about `share` of the rows, not all groups, shape (n,)."""
    codes = np.unique(groups, return_inverse=True)[1]
    order = rng.permutation(codes.max() + 1)
    reached = np.cumsum(np.bincount(codes)[order])[:-1]
    taken = int(np.abs(reached - share * len(codes)).argmin()) + 1
    return np.isin(codes, order[:taken])
