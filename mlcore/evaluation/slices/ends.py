"""Ends of intervals of many groups at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit


class Ends(NamedTuple):
    """Lower and upper ends, shape (G,); NaN where there is no interval."""

    low: np.ndarray
    high: np.ndarray


def wilson_ends(successes: Any, n: Any, level: float) -> Ends:
    """Wilson's (1927) interval of each share of n rows, shapes (G,); NaN where n is 0.

    (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), right also near 0 and 1.
    """
    successes, n = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    n = np.where(n > 0, n, np.nan)
    z, p = float(ndtri((1 + level) / 2)), np.clip(successes / n, 0.0, 1.0)
    middle, stretch = p + z**2 / (2 * n), 1 + z**2 / n
    half = z * np.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
    # With no success or no failure an end is 0 or 1, but for rounding.
    low = np.where(p == 0, 0.0, (middle - half) / stretch)
    return Ends(
        np.where(np.isnan(n), np.nan, low), np.where(p == 1, 1.0, (middle + half) / stretch)
    )


def mean_ends(mean: np.ndarray, variance: np.ndarray, n: np.ndarray, level: float) -> Ends:
    """Student's interval of each mean of n rows, shapes (G,); NaN for fewer than two rows.

    mean +- t sd / sqrt(n) with n - 1 degrees of freedom; `variance` has divisor n - 1.
    """
    known = np.where(n > 1, n, np.nan)
    half = stdtrit(known - 1, (1 + level) / 2) * np.sqrt(variance / known)
    return Ends(mean - half, mean + half)


def difference_ends(a: np.ndarray, of_a: Ends, b: np.ndarray, of_b: Ends) -> Ends:
    """The interval of a - b, shapes (G,), from those of a and of b (Newcombe 1998, his method 10).

    a - b - sqrt((a - l_a)^2 + (u_b - b)^2) to a - b + sqrt((u_a - a)^2 + (b - l_b)^2): with
    Wilson's ends it stays within -1 and 1.
    """
    return Ends(
        a - b - np.hypot(a - of_a.low, of_b.high - b),
        a - b + np.hypot(of_a.high - a, b - of_b.low),
    )
