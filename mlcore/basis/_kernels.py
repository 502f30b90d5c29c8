"""Compiled loops of the bases. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

TILE = 128  # rows taken at once: their products stay in the cache


@njit(cache=True, nogil=True)
def _multiply(x, y, out):
    for b in range(out.shape[0]):
        out[b] = x[b] * y[b]


@njit(cache=True, nogil=True)
def products(X, shorter, factor, first, out):
    """Fill `out`, shape (n, q), with products of the columns of X, shape (n, p).

    Product number k is column factor[k], times product number shorter[k] where that is not -1.
    Those from `first` on are kept.
    """
    n, p = X.shape
    columns, made = np.empty((p, TILE)), np.empty((len(factor), TILE))
    for start in range(0, n, TILE):
        size = min(TILE, n - start)
        for b in range(size):
            for q in range(p):
                columns[q, b] = X[start + b, q]
        for k in range(len(factor)):
            if shorter[k] < 0:
                for b in range(TILE):
                    made[k, b] = columns[factor[k], b]
            else:
                _multiply(made[shorter[k]], columns[factor[k]], made[k])
        for b in range(size):
            row = out[start + b]
            for k in range(first, len(factor)):
                row[k - first] = made[k, b]
