"""A column at a glance: its ends, its mean and how its values spread."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BINS = 14


class Summary(NamedTuple):
    """What the filled cells of a column hold; NaN and nothing where all are missing values."""

    low: float
    high: float
    mean: float
    counts: tuple[int, ...]  # rows in bins of equal width; of each level that occurs, if coded


def summary(values: np.ndarray, n_levels: int | None = None) -> Summary:
    """Ends, mean and counts of the filled cells of a column, shape (m,); codes of `n_levels`."""
    if not len(values):
        return Summary(np.nan, np.nan, np.nan, ())
    low, high = float(values.min()), float(values.max())
    if n_levels is not None:
        counts = np.bincount(values.astype(np.int64), minlength=n_levels)
        return Summary(low, high, np.nan, tuple(counts[counts > 0].tolist()))
    return Summary(low, high, _mean(values, max(-low, high)), _binned(values, low, high))


def _mean(values: np.ndarray, size: float) -> float:
    """Their mean; 0 where it is not more than the rounding of the largest, of this size."""
    # Halved, so that neither the sum nor the width of the largest numbers overflows.
    mean = 2 * float((values / 2 / len(values)).sum())
    return mean if abs(mean) > np.finfo(float).eps * size else 0.0


def _binned(values: np.ndarray, low: float, high: float) -> tuple[int, ...]:
    """Rows in each of the bins; equal values stand in the middle."""
    width = high / BINS - low / BINS
    if width == 0.0:
        middle = BINS // 2
        return (0,) * middle + (len(values),) + (0,) * (BINS - middle - 1)
    place = np.minimum((values / BINS - low / BINS) * (BINS / width), BINS - 1).astype(np.int64)
    return tuple(np.bincount(place, minlength=BINS).tolist())
