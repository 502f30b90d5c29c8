"""Compiled loops over arrays of any meaning."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, _nrt=False)
def pick(K, which, out):
    """Fill `out`, shape (c, c), with the rows and columns `which`, (c,), of K."""
    for i in range(which.shape[0]):
        row = K[which[i]]
        for j in range(which.shape[0]):
            out[i, j] = row[np.uint64(which[j])]  # unsigned: no place from the end


FREE = {"reassoc", "contract", "nsz"}
CHUNK = 64  # values that are compared together


@njit(cache=True, nogil=True)
def _is_near(squares, lengths, own, share):
    near = False
    for j in range(squares.shape[0]):
        squares[j] = max(squares[j], 0.0)
        near |= squares[j] < share * (own + lengths[j])
    return near


@njit(cache=True, nogil=True)
def mend(X, Z, own, lengths, share, squares):
    """Take anew what is left of `squares`, shape (n, m), where rows of X and Z are so near that
    digits were lost: below that share of |x|^2 + |z|^2, which are `own` and `lengths`."""
    for i in range(X.shape[0]):
        for start in range(0, Z.shape[0], CHUNK):
            end = min(start + CHUNK, Z.shape[0])
            if not _is_near(squares[i, start:end], lengths[start:end], own[i], share):
                continue
            for j in range(start, end):
                if squares[i, j] < share * (own[i] + lengths[j]):
                    total = 0.0
                    for q in range(X.shape[1]):
                        gap = X[i, q] - Z[j, q]
                        total += gap * gap
                    squares[i, j] = total


@njit(cache=True, nogil=True, fastmath=FREE)
def forward(L, b):
    """L^-1 b in place, for a lower triangular L, shape (p, p), and b, (p,)."""
    for i in range(b.shape[0]):
        total = b[i]
        for j in range(i):
            total -= L[i, j] * b[j]
        b[i] = total / L[i, i]


@njit(cache=True, nogil=True, fastmath=FREE)
def backward(L, b):
    """L^-T b in place, for a lower triangular L, shape (p, p), and b, (p,)."""
    for i in range(b.shape[0] - 1, -1, -1):
        b[i] /= L[i, i]
        for j in range(i):
            b[j] -= L[i, j] * b[i]


@njit(cache=True, nogil=True, fastmath=FREE)
def invert_lower(L, out):
    """Fill the lower half of `out` with the inverse of a lower triangular L, both (p, p)."""
    for i in range(L.shape[0]):
        row = out[i]
        for k in range(i):
            share, above = L[i, k], out[k]
            for j in range(k + 1):
                row[j] -= share * above[j]
        for j in range(i):
            row[j] /= L[i, i]
        row[i] = 1.0 / L[i, i]


@njit(cache=True, nogil=True, _nrt=False, fastmath=FREE)
def sweep(side, products, gram, least, times, left):
    """Each row of the side, shape (k, m), so many times in turn at its best while the others stand.

    Row j becomes max(products_j - sum over l != j of gram_jl row_l, 0) / gram_jj, with products of
    shape (k, m) and gram (k, k); rows whose gram_jj is at most `least` are left alone. It takes as
    many columns at a time as `left` is long, so that all of their rows stay in the first cache.
    """
    k, m = side.shape
    for start in range(0, m, left.shape[0]):
        end = min(start + left.shape[0], m)
        for step in range(times * k):
            j = step % k
            if gram[j, j] > least:
                _best(side, products[j][start:end], gram[j], j, start, left[: end - start])


@njit(cache=True, nogil=True, _nrt=False, fastmath=FREE)
def _best(side, aims, weights, j, start, left):
    end, last = start + left.shape[0], side.shape[0] - 1
    for i in range(left.shape[0]):
        left[i] = aims[i]
    for row in range(0, side.shape[0], 2):  # two together: what is left is read half as often
        one, other = side[row][start:end], side[min(row + 1, last)][start:end]
        a, b = _weight(weights, row, j), _weight(weights, row + 1, j)
        for i in range(left.shape[0]):
            left[i] -= a * one[i] + b * other[i]
    own = side[j][start:end]
    for i in range(left.shape[0]):
        own[i] = max(left[i], 0.0) / weights[j]


@njit(cache=True, nogil=True, _nrt=False)
def _weight(weights, row, j):
    return 0.0 if row == j or row >= weights.shape[0] else weights[row]


@njit(cache=True, nogil=True, _nrt=False)
def signed(axes, share, out):
    """Fill `out` with rows of `axes`, both (k, p), the first entry of each that is at least that
    share of its largest made positive."""
    for i in range(axes.shape[0]):
        largest = 0.0
        for j in range(axes.shape[1]):
            largest = max(largest, abs(axes[i, j]))
        first = 0
        while first < axes.shape[1] - 1 and abs(axes[i, first]) < share * largest:
            first += 1
        sign = -1.0 if axes[i, first] < 0.0 else 1.0
        for j in range(axes.shape[1]):
            out[i, j] = sign * axes[i, j]
