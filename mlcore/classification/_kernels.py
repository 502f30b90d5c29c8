"""Compiled loops over rows and classes. Missing values are left out."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def grouped_sums(X, codes, w, counts, sums):
    """Add to `counts` and `sums`, shape (K, p), the weights and weighted values of each class."""
    for i in range(X.shape[0]):
        k, weight = codes[i], w[i]
        for j in range(X.shape[1]):
            x = X[i, j]
            if x == x:
                counts[k, j] += weight
                sums[k, j] += weight * x


@njit(cache=True, nogil=True)
def grouped_squares(X, codes, w, means, squares):
    """Add to `squares`, shape (K, p), the weighted squares about the mean of the own class."""
    for i in range(X.shape[0]):
        k, weight = codes[i], w[i]
        for j in range(X.shape[1]):
            gap = X[i, j] - means[k, j]
            if gap == gap:
                squares[k, j] += weight * gap * gap


@njit(cache=True, nogil=True)
def gaussian_logs(X, means, halves, levels, out):
    """Add to `out`, shape (m, K), the sum over columns of level - half x (x - mean)^2."""
    for i in range(X.shape[0]):
        for k in range(means.shape[0]):
            total = 0.0
            for j in range(X.shape[1]):
                gap = X[i, j] - means[k, j]
                if gap == gap:
                    total += levels[k, j] - halves[k, j] * gap * gap
            out[i, k] += total
