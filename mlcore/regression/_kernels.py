"""Compiled loops of local regression along one column, and of factors that change.

Inputs are read-only and C-ordered, outputs filled in place.
"""

from __future__ import annotations

import math

import numpy as np

from mlcore.spine.loops import njit

SUM = {"reassoc", "contract", "nsz", "arcp"}  # free order of additions within one window
GAUSSIAN, TRICUBE, EPANECHNIKOV, TRIANGULAR = 0, 1, 2, 3  # any other number is a box
SMALLEST = 1e-9  # of the farthest row, the least size by which differences are divided
BEYOND = 1e-9  # relative, by how much a widened window reaches beyond the row that it must hold
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
NEAREST = np.int64(1)


@njit(cache=True, nogil=True)
def _nearest(x, q, k):
    """Distance of the k-th nearest of sorted places x, shape (n,), from q; k from 1 to n."""
    low, high = 0, x.shape[0] - k
    while low < high:
        middle = (low + high) // 2
        if q - x[middle] > x[middle + k] - q:
            low = middle + 1
        else:
            high = middle
    return max(q - x[low], x[low + k - 1] - q)


@njit(cache=True, nogil=True)
def _reach(x, w, q, wanted):
    """Distance from q within which sorted rows x of the weight `wanted` lie; all if too few."""
    right = np.searchsorted(x, q)
    left = right - 1
    reached, far = 0.0, 0.0
    while reached < wanted and (left >= 0 or right < x.shape[0]):
        if right >= x.shape[0] or (left >= 0 and q - x[left] <= x[right] - q):
            far = q - x[left]
            reached += w[left]
            left -= 1
        else:
            far = x[right] - q
            reached += w[right]
            right += 1
    return far


@njit(cache=True, nogil=True, fastmath=SUM)
def _moments(x, counts, q, h, window, low, high, near, weights, sums):
    """Fill `weights` of rows from `low` to `high`, and `sums`, (6,), of them times distances from q
    to the powers from 0 to 4, and times what the window says of them. `near`, a distance, is where
    a window without an end counts 1."""
    a0 = a1 = a2 = a3 = a4 = a5 = 0.0
    over = 1.0 / h
    for i in range(low, high):
        d = x[i] - q
        u = abs(d) * over
        if window == GAUSSIAN:  # far from all rows a difference of squares would be rounding
            k = math.exp(-0.5 * ((abs(d) - near) * over) * ((abs(d) + near) * over))
        elif window == TRICUBE:
            v = max(1.0 - u * u * u, 0.0)
            k = v * v * v
        elif window == EPANECHNIKOV:
            k = max(1.0 - u * u, 0.0)
        elif window == TRIANGULAR:
            k = max(1.0 - u, 0.0)
        else:
            k = 1.0 if abs(d) <= h else 0.0  # the row at the end itself counts
        e, d2 = k * counts[i], d * d
        weights[i] = e
        a0 += e
        a1 += e * d
        a2 += e * d2
        a3 += e * d2 * d
        a4 += e * d2 * d2
        a5 += e * k
    sums[0], sums[1], sums[2], sums[3], sums[4], sums[5] = a0, a1, a2, a3, a4, a5


@njit(cache=True, nogil=True, fastmath=SUM)
def _applied(x, w, y, q, size, low, high, weights, total, c):
    """The polynomial at q, the sum of squares of what each row adds to it, over its weight w, and
    what the rows add together before they are made to add 1.

    Row by row: sums of powers would lose all digits where the rows hardly tell a slope.
    """
    fitted = squares = added = 0.0
    c0, c1, c2 = c[0] / total, c[1] * size / total, c[2] * size * size / total
    for i in range(low, high):
        d = x[i] - q
        share = weights[i] * (c0 + d * (c1 + d * c2))
        added += share
        fitted += share * y[i]
        squares += share * share / w[i]
    return fitted / added, squares / (added * added), added


@njit(cache=True, nogil=True)
def _first(degree, ridge, m1, m2, m3, m4, out):
    """Fill `out`, (3,), with the first column of the inverse of the moments, the zeroth being 1."""
    out[0], out[1], out[2] = 1.0, 0.0, 0.0
    if degree == 0:
        return
    d1 = m2 + ridge * max(1.0, m2) - m1 * m1
    u1 = -m1
    if degree == 1:
        out[1] = u1 / d1
        out[0] = 1.0 - m1 * out[1]
        return
    lower = (m3 - m1 * m2) / d1
    d2 = m4 + ridge * max(1.0, m4) - m2 * m2 - lower * lower * d1
    out[2] = (-m2 - lower * u1) / d2
    out[1] = u1 / d1 - lower * out[2]
    out[0] = 1.0 - m1 * out[1] - m2 * out[2]


@njit(cache=True, nogil=True)
def _width(x, w, q, window, h, wanted, is_plain, need):
    """Half the width of the window around q: h, or as far as the weight `wanted` if not negative.

    At least so far that it holds `need` rows, if it has an end.
    """
    if wanted >= 0.0:
        h = _nearest(x, q, max(int(wanted), 1)) if is_plain else _reach(x, w, q, max(wanted, 1.0))
    elif window == GAUSSIAN:
        return h
    h = max(h, _nearest(x, q, need) * (1.0 + BEYOND))
    return h if h > 0.0 else 1.0


@njit(cache=True, nogil=True)
def _borne(degree, sums):
    """The highest degree, up to this, whose terms the rows of the window amount to."""
    rows = sums[0] * sums[0] / sums[5] * (1.0 + BEYOND)
    return max(min(degree, int(rows) - 1), 0)


@njit(cache=True, nogil=True)
def local_values(
    x, w, counts, y, places, degree, window, bandwidth, wanted, is_plain, ridge, falls_back,
    fitted, own, squares,
):  # fmt: skip
    """Fill the local polynomials at places, shape (m,), of sorted rows x, (n,), and targets y.

    Rows count by `counts`, spans by weights w. `fitted` is the value, `own` the share of a row that
    counts 1 and lies at the place itself, `squares` the sum of squares of the row of the smoother
    matrix over the weights w; all (m,).
    """
    n = x.shape[0]
    need = min(degree + 1, n)
    sums, c, weights = np.empty(6), np.empty(3), np.empty(n)
    for j in range(places.shape[0]):
        q = places[j]
        h = _width(x, w, q, window, bandwidth, wanted, is_plain, need)
        low, high, near = 0, n, 0.0
        if window == GAUSSIAN:  # far from all rows the nearest still counts 1
            near = _nearest(x, q, NEAREST)
        else:
            low = max(np.searchsorted(x, q - h) - 1, 0)
            high = min(np.searchsorted(x, q + h, side="right") + 1, n)
        _moments(x, counts, q, h, window, low, high, near, weights, sums)
        total = sums[0]
        far = max(abs(q - x[0]), abs(x[n - 1] - q))
        size = max(math.sqrt(sums[2] / total), SMALLEST * far)
        size = 1.0 / size if size > 0.0 else 1.0
        z2 = size * size
        a, b = sums[1] / total * size, sums[2] / total * z2
        here = _borne(degree, sums) if falls_back else degree
        _first(here, ridge, a, b, sums[3] / total * z2 * size, sums[4] / total * z2 * z2, c)
        fitted[j], squares[j], added = _applied(x, w, y, q, size, low, high, weights, total, c)
        own[j] = c[0] / total / added


@njit(cache=True, nogil=True)
def raised(L, x):
    """Make the Cholesky factor L of A, shape (k, k), that of A + x x'; x, (k,), is used up."""
    for k in range(len(x)):
        long = np.hypot(L[k, k], x[k])
        c, s = long / L[k, k], x[k] / L[k, k]
        L[k, k] = long
        for i in range(k + 1, len(x)):
            L[i, k] = (L[i, k] + s * x[i]) / c
            x[i] = c * x[i] - s * L[i, k]
