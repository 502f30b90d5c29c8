"""Helpers for matrices of rows."""

from __future__ import annotations

import numpy as np

BLOCK = 4096  # rows that are centered at a time: no second copy of the whole table is made


def scatter(X: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Sum of (x - mean)(x - mean)^T over the rows, shape (p, p).

    Differences before squares: sums of squares lose every digit when the mean is large.
    """
    total = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(X), BLOCK):
        about = X[start : start + BLOCK] - mean
        total += about.T @ about
    return total


def signed(axes: np.ndarray) -> np.ndarray:
    """The same axes, each with the sign that makes its largest entry positive (ties: the first)."""
    sizes = np.abs(axes)
    # Entries that differ only by rounding are ties, or the sign would depend on the machine.
    ties = sizes >= sizes.max(axis=1, keepdims=True) * (1 - 1e-9)
    largest = np.take_along_axis(axes, ties.argmax(axis=1)[:, None], axis=1)
    return axes * np.where(largest < 0, -1.0, 1.0)
