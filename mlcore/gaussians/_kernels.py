"""Compiled loops over normal distributions: distances to their means, and spreads about them.

Inputs are read-only and C-ordered, outputs filled in place.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

SUM = {
    "reassoc",
    "contract",
    "nsz",
    "arcp",
}  # free order of additions within one distance
BLOCK = 128  # rows that are worked on together: their columns stay in the nearest cache
FARTHEST = 1e300  # of a squared distance: an infinite one would leave a row without any share


@njit(cache=True, nogil=True)
def _turned(X, start, rows):
    """Fill `rows`, shape (p, BLOCK), with the columns of the rows from `start`; how many there are.

    Loops over the rows of a block then run over neighbours in memory, many at a time.
    """
    size = min(BLOCK, X.shape[0] - start)
    for i in range(size):
        for q in range(X.shape[1]):
            rows[q, i] = X[start + i, q]
    return size


@njit(cache=True, nogil=True, fastmath=SUM)
def whitened_squares(X, means, whiteners, out):
    """Fill `out`, shape (n, k), with |W_k (x - mean_k)|^2, W_k lower triangular, (k, p, p)."""
    n, p = X.shape
    rows, apart = np.empty((p, BLOCK)), np.empty((p, BLOCK))
    total, entry = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, n, BLOCK):
        size = _turned(X, start, rows)
        for k in range(means.shape[0]):
            total[:] = 0.0
            for a in range(p):
                entry[:] = 0.0
                for i in range(size):
                    apart[a, i] = rows[a, i] - means[k, a]
                for q in range(a + 1):
                    factor = whiteners[k, a, q]
                    for i in range(size):
                        entry[i] += factor * apart[q, i]
                for i in range(size):
                    total[i] += entry[i] * entry[i]
            for i in range(size):
                out[start + i, k] = min(total[i], FARTHEST)


@njit(cache=True, nogil=True, fastmath=SUM)
def scaled_squares(X, means, scales, out):
    """Fill `out`, shape (n, k), with the sum of (s_k (x - mean_k))^2, scales of shape (k, p)."""
    n, p = X.shape
    rows, total = np.empty((p, BLOCK)), np.empty(BLOCK)
    for start in range(0, n, BLOCK):
        size = _turned(X, start, rows)
        for k in range(means.shape[0]):
            total[:] = 0.0
            for q in range(p):
                for i in range(size):
                    apart = (rows[q, i] - means[k, q]) * scales[k, q]
                    total[i] += apart * apart
            for i in range(size):
                out[start + i, k] = min(total[i], FARTHEST)


@njit(cache=True, nogil=True, fastmath=SUM)
def spreads(X, resp, means, out):
    """Fill `out`, shape (k, p, p), with the sums of r (x - mean)(x - mean)^T."""
    n, p = X.shape
    rows, apart = np.empty((p, BLOCK)), np.empty((p, BLOCK))
    own, heavy = np.empty(BLOCK), np.empty(BLOCK)
    out[:] = 0.0
    for start in range(0, n, BLOCK):
        size = _turned(X, start, rows)
        for k in range(means.shape[0]):
            for i in range(size):
                own[i] = resp[start + i, k]
            for a in range(p):
                for i in range(size):
                    apart[a, i] = rows[a, i] - means[k, a]
                    heavy[i] = own[i] * apart[a, i]
                for b in range(a + 1):
                    total = 0.0
                    for i in range(size):
                        total += heavy[i] * apart[b, i]
                    out[k, a, b] += total
    for k in range(means.shape[0]):
        for a in range(p):
            for b in range(a):
                out[k, b, a] = out[k, a, b]


@njit(cache=True, nogil=True, fastmath=SUM)
def axis_spreads(X, resp, means, out):
    """Fill `out`, shape (k, p), with the sums of r (x - mean)^2."""
    n, p = X.shape
    rows, own = np.empty((p, BLOCK)), np.empty(BLOCK)
    out[:] = 0.0
    for start in range(0, n, BLOCK):
        size = _turned(X, start, rows)
        for k in range(means.shape[0]):
            for i in range(size):
                own[i] = resp[start + i, k]
            for q in range(p):
                total = 0.0
                for i in range(size):
                    apart = rows[q, i] - means[k, q]
                    total += own[i] * apart * apart
                out[k, q] += total


@njit(cache=True, nogil=True, fastmath=SUM)
def moved_means(X, resp, before, means):
    """Fill `means` with the means of the rows by their shares `resp`, shape (n, k).

    The sums are those of r (x - before): small numbers lose little when rows lie far from zero.
    """
    n, p = X.shape
    rows, own = np.empty((p, BLOCK)), np.empty(BLOCK)
    totals = np.zeros(before.shape[0])
    means[:] = 0.0
    for start in range(0, n, BLOCK):
        size = _turned(X, start, rows)
        for k in range(before.shape[0]):
            total = 0.0
            for i in range(size):
                own[i] = resp[start + i, k]
                total += own[i]
            totals[k] += total
            for q in range(p):
                total = 0.0
                for i in range(size):
                    total += own[i] * (rows[q, i] - before[k, q])
                means[k, q] += total
    for k in range(before.shape[0]):
        for q in range(p):
            moved = means[k, q] / totals[k] if totals[k] > 0 else 0.0
            means[k, q] = before[k, q] + moved
