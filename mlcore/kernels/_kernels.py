"""Compiled loops over Gram matrices."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

FREE = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=FREE)
def _take_out(R, g, m, squares):
    """R less g g', in the lower triangle of the first m rows; the sum of squares of each row."""
    for j in range(m):
        own = 0.0
        for i in range(j):
            value = R[j, i] - g[j] * g[i]
            R[j, i] = value
            own += value * value
            squares[i] += value * value
        R[j, j] = max(R[j, j] - g[j] * g[j], 0.0)
        squares[j] = own + R[j, j] * R[j, j]


@njit(cache=True, nogil=True)
def _drop(R, p, last):
    """Row and column `last` in place of those of p, in the lower triangle."""
    for i in range(p):
        R[p, i] = R[last, i]
    for j in range(p + 1, last):
        R[j, p] = R[last, j]
    R[p, p] = R[last, last]


@njit(cache=True, nogil=True)
def _next(R, squares, rows, m, least):
    best, p = -1.0, -1
    for i in range(m):
        if R[i, i] > least:
            share = squares[i] / R[i, i]
            if share > best or (share == best and rows[i] < rows[p]):
                best, p = share, i
    return p


@njit(cache=True, nogil=True)
def pivot(R, least, G, pivots):
    """Write into G, shape (m, n), a factor G'G of R, (n, n), by up to m rows, told in `pivots`.

    What is left of the other rows stays in the lower triangle of R, of as few rows as there are
    still. Returns the number of pivots: there are less than m where no more than `least` is left
    on the diagonal.
    """
    n = R.shape[0]
    rows, g, squares = np.arange(n), np.zeros(n), np.zeros(n)
    _take_out(R, g, n, squares)
    for k in range(G.shape[0]):
        m = n - k
        p = _next(R, squares, rows, m, least)
        if p < 0:
            return k
        root = np.sqrt(R[p, p])
        for i in range(m):
            g[i] = (R[p, i] if i < p else R[i, p]) / root
            G[k, rows[i]] = g[i]
        pivots[k] = rows[p]
        rows[p], g[p] = rows[m - 1], g[m - 1]
        _drop(R, p, m - 1)
        _take_out(R, g, m - 1, squares)
    return G.shape[0]
