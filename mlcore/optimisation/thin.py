"""Sums of products of thin tables: in one pass over the rows, which all threads share."""

from __future__ import annotations

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.maths.pool import even_parts, side_by_side
from mlcore.optimisation import _kernels

THIN = 54  # columns up to which one thread is as fast as that of the BLAS, and two are faster
TOGETHER = 520  # rows at a time; columns a power of two apart would share lines of the cache
# Values of a part, whatever the number of threads; to begin a thread for less costs more.
PART = 2**18


def products(X: np.ndarray, y: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Sum of z z' over rows z = [x - shift, y, 1], shape (p + 2, p + 2).

    X has shape (n, p), y shape (n,), shift shape (p,). Numbers that overflow leave sums that are
    not finite.
    """
    n, p = X.shape
    X, y, shift = read_only(X), read_only(y), read_only(shift)

    def of_part(part: tuple[int, int]) -> np.ndarray:
        turned = np.zeros((-(-(p + 2) // 4) * 4, TOGETHER))
        out = np.empty((len(turned), len(turned)))
        _kernels.products(X, y, shift, *part, turned, out)
        return out

    parts = even_parts(n, max(PART // p, TOGETHER))
    total = np.add.reduce(list(side_by_side(of_part, parts)))
    return np.where(np.tri(p + 2, dtype=bool), total[: p + 2, : p + 2], total.T[: p + 2, : p + 2])
