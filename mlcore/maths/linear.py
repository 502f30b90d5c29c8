"""Helpers for matrices of rows."""

from __future__ import annotations

import numpy as np

from mlcore.maths import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.pool import even_parts, side_by_side

BLOCK = 4096  # rows that are multiplied at a time, or twice the columns
DIFFERENCES = 2**16  # values that stay in the cache
FEWEST = 512  # rows of a block
SHARE = 2**20  # values that a thread sums at a time
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


def column_means(X: np.ndarray) -> np.ndarray:
    """Mean of each column of X, shape (n, p): (p,).

    Products with ones read it at the speed of memory, which all threads share; sums of short blocks
    lose few digits.
    """
    even = len(X) - len(X) % FEWEST
    blocks = X[:even].reshape(-1, FEWEST, X.shape[1])
    parts = even_parts(len(blocks), max(SHARE // (FEWEST * X.shape[1]), 1))
    sums = side_by_side(lambda ends: np.matmul(np.ones(FEWEST), blocks[slice(*ends)]), parts)
    total = np.concatenate(list(sums)).sum(axis=0)
    return (total + np.ones(len(X) - even) @ X[even:]) / len(X)


def turned_about(X: np.ndarray, mean: np.ndarray, W: np.ndarray) -> np.ndarray:
    """(x - mean) W' of the rows of X, (n, p), for W, (k, p): shape (n, k).

    Differences are taken a block of rows at a time: a table of them would be fresh memory, which
    costs more than the product with few columns.
    """
    n, p = X.shape
    size = min(n, max(FEWEST, DIFFERENCES // p))
    out, buffer = np.empty((n, len(W))), np.empty((size, p))
    for start in range(0, n, size):
        at = slice(start, start + size)
        about = np.subtract(X[at], mean, out=buffer[: len(X[at])])
        np.matmul(about, W.T, out=out[at])
    return out


def thin_svd(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, s and V' of A = U diag(s) V', shape (n, p): (n, r), (r,) falling and (r, p).

    r is min(n, p). A wide matrix is decomposed by its transpose, since LAPACK takes about half the
    time where columns are the longer side.
    """
    if len(A) >= A.shape[1]:
        return np.linalg.svd(A, full_matrices=False)
    V, s, Ut = np.linalg.svd(A.T, full_matrices=False)
    return Ut.T, s, V.T


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
    # Entries that differ only by rounding are ties, or the sign would depend on the machine.
    out = np.empty(axes.shape)
    _kernels.signed(read_only(axes), 1 - 1e-9, out)
    return out
