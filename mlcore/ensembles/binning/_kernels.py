"""Compiled loops from values to bins. Inputs are read-only, outputs filled in place."""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 1024  # rows of which all columns are put into bins while they are in the fast memory


@njit(cache=True, nogil=True)
def binned(X, edges, n_edges, missing, first, last, bins):
    """Fill lines `first` to `last` of `bins`, shape (p, n): how many edges lie below each value of
    a column, or `missing`."""
    n, x, at = X.shape[0], np.empty(BLOCK), np.empty(BLOCK, np.uint32)
    for start in range(0, n, BLOCK):  # rows that stay in the fast memory for all columns
        size = min(BLOCK, n - start)
        for j in range(first, last):
            for i in range(size):
                x[i] = X[start + i, j]
            own = bins[j, start : start + size]
            _edges_below(x[:size], edges[j], np.uint32(n_edges[j]), missing, at, own)


@njit(cache=True, nogil=True, _nrt=False)
def _edges_below(x, edges, n_edges, missing, at, bins):
    """The same for rows of a column, by halving: each step for all of them, so that they do not
    wait for each other, and without a branch, which would be mispredicted."""
    at[:] = 0
    left = n_edges
    while left > 0:
        half = (left + np.uint32(1)) >> np.uint32(1)
        for i in range(x.shape[0]):
            now = at[i]
            further = np.uint32(now + half)
            at[i] = further if edges[np.uint32(further - np.uint32(1))] < x[i] else now
        left = np.uint32(left - half)
    for i in range(x.shape[0]):
        bins[i] = missing if x[i] != x[i] else at[i]


@njit(cache=True, nogil=True)
def counted(bins, counts):
    """Fill `counts`, shape (p, bins), with how many rows lie in each bin."""
    counts[:] = 0.0
    for j in range(bins.shape[0]):
        for i in range(bins.shape[1]):
            counts[j, bins[j, i]] += 1.0
