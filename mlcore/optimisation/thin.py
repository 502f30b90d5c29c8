"""Sums of products of thin tables: in one pass over the rows, which all threads share."""

from __future__ import annotations

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation import _kernels
from mlcore.spine.pool import even_parts, side_by_side

THIN = 54  # columns up to which one thread is as fast as that of the BLAS, and two are faster
TOGETHER = 520  # rows at a time; columns a power of two apart would share lines of the cache
# Values of a part, and multiplications in double precision, whatever the number of threads; to wake
# a thread for less costs more.
PART, MULTIPLIED = 2**18, 2**23


def products(
    X: np.ndarray,
    y: np.ndarray,
    shift: np.ndarray,
    weights: np.ndarray | None = None,
    precision: type = np.float64,
) -> np.ndarray:
    """Sum of w z z' over rows z = [x - shift, y, 1], shape (p + 2, p + 2).

    X has shape (n, p), y and weights, of any sign, shape (n,), shift shape (p,). In `precision`
    np.float32 products take half the time and have six digits. Numbers that overflow leave sums
    that are not finite.
    """
    n, p = X.shape
    weights = np.empty(0, precision) if weights is None else weights.astype(precision, copy=False)
    X, y, shift, weights = read_only(X), read_only(y), read_only(shift), read_only(weights)

    def of_part(part: tuple[int, int]) -> np.ndarray:
        turned = np.zeros((-(-(p + 2) // 4) * 4, TOGETHER), precision)
        weighted = np.zeros_like(turned) if len(weights) else turned
        out = np.empty((len(turned), len(turned)))
        _kernels.products(X, y, shift, weights, *part, turned, weighted, out)
        return out

    most = min(PART // p, MULTIPLIED * 8 // np.dtype(precision).itemsize // p**2)
    parts = even_parts(n, max(most, TOGETHER))
    return np.add.reduce(list(side_by_side(of_part, parts)))[: p + 2, : p + 2]
