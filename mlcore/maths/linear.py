"""Helpers for matrices of rows."""

from __future__ import annotations

import numpy as np

BLOCK = 4096  # rows that are multiplied at a time, or twice the columns
STRIP = 128  # rows of a matrix of products that are changed together
CANCELLED = 0.1  # what must be left of a sum of squares when its mean is taken out afterwards


def scatter(X: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Sum of (x - mean)(x - mean)^T over rows X, shape (n, p): (p, p); `mean` is theirs, or 0.

    Taking the mean out afterwards saves a pass over the table, but loses every digit when the mean
    is large. So it is done only where that costs less than one digit.
    """
    n = len(X)
    total = _products(X, None)
    raw = total.diagonal().copy()
    for start in range(0, len(total), STRIP):  # a whole matrix beside it would be memory anew
        total[start : start + STRIP] -= n * np.outer(mean[start : start + STRIP], mean)
    if (total.diagonal() >= CANCELLED * raw).all():
        return total
    return _products(X, mean)


def _products(X: np.ndarray, mean: np.ndarray | None) -> np.ndarray:
    """Sum of x x^T over the rows, less their mean if one is given."""
    n, p = X.shape
    block = min(n, max(BLOCK, 2 * p))

    def product(start: int) -> np.ndarray:
        rows = X[start : start + block]
        if mean is not None:
            rows = rows - mean
        # numpy computes one half of such a product. scipy's routine for it would bring scipy's own
        # threads, which wait for those of numpy.
        return rows.T @ rows

    total = product(0)
    for start in range(block, n, block):
        total += product(start)
    return total


def eigen_falling(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of a symmetric A, shape (p, p), falling, shape (p,), and vectors in columns."""
    values, vectors = np.linalg.eigh(A)
    return values[::-1], vectors[:, ::-1]


def count_for_share(values: np.ndarray, total: float, share: float) -> int:
    """How many of the falling values, shape (p,), are needed to reach a share of the total."""
    reached = np.cumsum(values) / total
    return int(np.searchsorted(reached, share - 1e-12)) + 1  # sums carry rounding


def signed(axes: np.ndarray) -> np.ndarray:
    """Axes, shape (k, p), with the largest entry of each made positive (of ties the first)."""
    sizes = np.abs(axes)
    # Entries that differ only by rounding are ties, or the sign would depend on the machine.
    ties = sizes >= sizes.max(axis=1, keepdims=True) * (1 - 1e-9)
    largest = np.take_along_axis(axes, ties.argmax(axis=1)[:, None], axis=1)
    return axes * np.where(largest < 0, -1.0, 1.0)
