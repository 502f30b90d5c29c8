"""Helpers for matrices of rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsyrk  # pyright: ignore[reportAttributeAccessIssue]

BLOCK = 4096  # rows that are centered at a time: no second copy of the whole table is made


def scatter(X: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Sum of (x - mean)(x - mean)^T over the rows, shape (p, p).

    Differences before squares: sums of squares lose every digit when the mean is large.
    """
    p = X.shape[1]
    upper, room = np.zeros((p, p), order="F"), np.empty((min(BLOCK, len(X)), p))
    for start in range(0, len(X), BLOCK):
        rows = X[start : start + BLOCK]
        about = np.subtract(rows, mean, out=room[: len(rows)])
        upper = dsyrk(1.0, about.T, beta=1.0, c=upper, overwrite_c=True)
    return np.triu(upper) + np.triu(upper, 1).T


def signed(axes: np.ndarray) -> np.ndarray:
    """The same axes, each with the sign that makes its largest entry positive (ties: the first)."""
    sizes = np.abs(axes)
    # Entries that differ only by rounding are ties, or the sign would depend on the machine.
    ties = sizes >= sizes.max(axis=1, keepdims=True) * (1 - 1e-9)
    largest = np.take_along_axis(axes, ties.argmax(axis=1)[:, None], axis=1)
    return axes * np.where(largest < 0, -1.0, 1.0)
