"""How far a row lies from others: in standard deviations, and 1 for another name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import deviations

NEIGHBOURS = 5
SHARE = 0.95  # of the training rows: a row with farther neighbours than these is far
MOST_TYPICAL = 300  # training rows of which the own neighbours are sought


class Scale(NamedTuple):
    """The unit of each column."""

    units: np.ndarray  # (p,) standard deviations of the training rows; 1 for columns of names
    is_name: np.ndarray  # (p,)


def scale_of(X: np.ndarray, is_name: np.ndarray) -> Scale:
    """Standard deviations of the known values of X, (n, p); a constant column counts as it is."""
    known = np.where(np.isnan(X), np.nanmean(X, axis=0, where=~np.isnan(X)), X)
    units = deviations(known)
    return Scale(np.where(is_name | (units <= 0), 1.0, units), is_name)


def distances(row: np.ndarray, X: np.ndarray, scale: Scale) -> np.ndarray:
    """Distances of a row, (p,), to rows X, (n, p): shape (n,).

    The root of the summed squares of (x - y) / standard deviation. Names that differ count as 1,
    and so does a value beside a missing one; two missing values count as 0.
    """
    gaps = np.where(scale.is_name, row != X, (X - row) / scale.units)
    missing = np.isnan(X).astype(int) + np.isnan(row)
    gaps = np.where(missing == 2, 0.0, np.where(missing == 1, 1.0, gaps))
    return np.sqrt((gaps**2).sum(axis=1))


class Nearness(NamedTuple):
    """The nearest training rows, and how far they usually are."""

    nearest: np.ndarray  # (k,) positions
    distances: np.ndarray  # (k,) rising
    mean: float  # of these
    typical: np.ndarray  # (t,) the same mean of training rows, rising
    limit: float  # that 95 % of the training rows do not exceed
    beyond: np.ndarray  # (p,) whether its value lies outside those of the training rows

    @property
    def is_far(self) -> bool:
        """Whether the row lies farther from its neighbours than nearly all training rows."""
        return self.mean > self.limit


def nearness(
    row: np.ndarray, X: np.ndarray, scale: Scale, rng: np.random.Generator, itself: int = -1
) -> Nearness:
    """Where a row, (p,), lies among the training rows X, (n, p); `itself` is left out of these."""
    far = distances(row, X, scale)
    if itself >= 0:
        far[itself] = np.inf
    k = min(NEIGHBOURS, int(np.isfinite(far).sum()))
    nearest = np.argsort(far, kind="stable")[:k]
    some = rng.permutation(len(X))[:MOST_TYPICAL]
    typical = np.sort([_own(X, i, scale, k) for i in some])
    limit = float(np.quantile(typical, SHARE))
    beyond = _beyond(row, np.delete(X, itself, axis=0) if itself >= 0 else X, scale.is_name)
    return Nearness(nearest, far[nearest], float(far[nearest].mean()), typical, limit, beyond)


def _beyond(row: np.ndarray, X: np.ndarray, is_name: np.ndarray) -> np.ndarray:
    """Whether each value lies outside the range of its column, or is a name that no row has, (p,).

    A missing value lies outside of nothing.
    """
    has_name = (row == X).any(axis=0)
    # Against NaN every comparison is false, so only known values bound a column.
    is_within = (row >= X).any(axis=0) & (row <= X).any(axis=0)
    return ~np.isnan(row) & ~np.where(is_name, has_name, is_within)


def _own(X: np.ndarray, i: int, scale: Scale, k: int) -> float:
    far = distances(X[i], X, scale)
    far[i] = np.inf
    return float(np.partition(far, k - 1)[:k].mean())
