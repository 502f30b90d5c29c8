"""Symmetric uncertainty between all variables and the target, counted in one product."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from mlcore.preparation.selection.dependence import as_levels
from mlcore.preparation.selection.judge import Variables
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given

BINS = 10  # intervals of equal width into which numbers are cut
MOST = 300  # variables: the pairs of all their levels are counted at once
MOST_LEVELS = 5000  # of all of them together: 200 MB of pairs
ROWS_AT_ONCE = 2048


def uncertainties(given: Given, variables: Variables) -> np.ndarray:
    """2 I(u; v) / (H(u) + H(v)) of the variables and, last, the target, shape (d + 1, d + 1).

    0 for a constant variable. Numbers are cut into bins; blocks of columns, columns of two values
    and classes are counted by their levels. Raises DataError for more than `MOST`
    variables or `MOST_LEVELS` levels.
    """
    if len(variables) > MOST:
        raise DataError(
            f"Symmetric uncertainty compares {MOST} variables at most; got {len(variables)}. Take "
            "correlations, or put a variable filter before it."
        )
    levels = [_levels(as_levels(given.X[:, at])) for at in variables.blocks]
    target = given.target if given.classes is None else given.target.astype(int)
    shares, starts = _together([*levels, _levels(target)])
    rows = np.add.reduceat(-xlogy(shares, shares), starts, axis=0)
    joint = np.add.reduceat(rows, starts, axis=1)  # H(u, v); of a variable with itself H(u)
    apart = np.add.outer(joint.diagonal(), joint.diagonal())
    U = np.divide(2 * (apart - joint), apart, out=np.zeros_like(apart), where=apart > 0)
    return np.clip(U, 0.0, 1.0)


def _levels(values: np.ndarray) -> np.ndarray:
    """Whole numbers 0 .. L-1: the levels, or the bins of numbers, shape (n,)."""
    if values.dtype.kind == "f":
        low, width = values.min(), np.ptp(values)
        values = np.minimum((values - low) / (width or 1.0) * BINS, BINS - 1).astype(int)
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _together(levels: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Shares of rows with each pair of levels, of all variables at once, and where each begins."""
    counts = [int(codes.max()) + 1 for codes in levels]
    if sum(counts) > MOST_LEVELS:
        raise DataError(
            f"Symmetric uncertainty counts {MOST_LEVELS:,} levels at most, of all variables "
            f"together; got {sum(counts):,}. Take correlations, or leave out names of many values."
        )
    starts = np.cumsum([0, *counts[:-1]])
    at = starts[:, None] + np.array(levels)  # (d + 1, n)
    n = at.shape[1]
    counts_of_pairs = np.zeros((sum(counts), sum(counts)))
    for first in range(0, n, ROWS_AT_ONCE):
        places = at[:, first : first + ROWS_AT_ONCE]
        belongs = np.zeros((places.shape[1], len(counts_of_pairs)))
        belongs[np.arange(len(belongs)), places] = 1.0
        counts_of_pairs += belongs.T @ belongs
    return counts_of_pairs / n, starts
