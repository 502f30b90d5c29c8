"""Compiled loops of kernel densities. Inputs are read-only and C-ordered, outputs filled in place.

Shapes have numbers: 0 Gaussian, 1 exponential, 2 ball, 3 Epanechnikov, 4 linear, 5 cosine, 6 cube.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

NEGLIGIBLE = 50.0  # exp(-50) of the largest term: all rows together are below what is rounded
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
STRAIGHT = np.bool_(False)


@njit(cache=True, nogil=True)
def _gaps(T, x, is_cube, out):
    """Squared distances of the columns of T, (p, n), to x; for a cube the largest difference."""
    out[:] = 0.0
    for q in range(T.shape[0]):
        row, here = T[q], x[q]
        if is_cube:
            for j in range(len(out)):
                out[j] = max(out[j], abs(row[j] - here))
        else:
            for j in range(len(out)):
                out[j] += (row[j] - here) * (row[j] - here)


@njit(cache=True, nogil=True)
def log_sums(T, log_w, Q, width, shape, out):
    """Fill `out` with log sum_j w_j exp(-g(|q - t_j| / width)) for the rows of Q, shape (m, p).

    g(u) is u^2 / 2 for shape 0 and u for shape 1.
    """
    terms = np.empty(T.shape[1])
    scale = 0.5 / (width * width)
    for i in range(Q.shape[0]):
        _gaps(T, Q[i], STRAIGHT, terms)
        top = -np.inf
        if shape == 0:
            for j in range(len(terms)):
                terms[j] = log_w[j] - scale * terms[j]
        else:
            for j in range(len(terms)):
                terms[j] = log_w[j] - np.sqrt(terms[j]) / width
        for j in range(len(terms)):
            top = max(top, terms[j])
        total, least = 0.0, top - NEGLIGIBLE
        for j in range(len(terms)):
            if terms[j] > least:
                total += np.exp(terms[j] - top)
        out[i] = top + np.log(total)


@njit(cache=True, nogil=True)
def sums(T, w, Q, width, shape, out):
    """Fill `out` with sum_j w_j K(|q - t_j| / width) for the rows of Q; K is 0 beyond 1."""
    gaps = np.empty(T.shape[1])
    for i in range(Q.shape[0]):
        _gaps(T, Q[i], shape == 6, gaps)
        total = 0.0
        for j in range(len(gaps)):
            total += w[j] * _value(gaps[j], width, shape)
        out[i] = total


@njit(cache=True, nogil=True)
def held_out(T, w, groups, rows, widths, shape, out):
    """Fill out[i, k] with the sum of w K(|t - t_i| / width_k) over all columns of another group.

    `rows` says which columns are judged; the group of a column of its own is itself alone.
    """
    gaps = np.empty(T.shape[1])
    out[:] = 0.0
    for a in range(len(rows)):
        i = rows[a]
        _gaps(T, T[:, i].copy(), shape == 6, gaps)
        for j in range(len(gaps)):
            if groups[j] == groups[i]:
                continue
            for k in range(len(widths) - 1, -1, -1):
                value = _value(gaps[j], widths[k], shape)
                if value == 0.0:
                    break  # of a narrower kernel it is 0 as well
                out[a, k] += w[j] * value


@njit(cache=True, nogil=True)
def _value(gap, width, shape):
    """The kernel at a squared distance, for shape 6 at a largest difference; 1 at most."""
    if shape == 6:
        return 1.0 if gap < 0.5 * width else 0.0
    square = gap / (width * width)
    if shape == 0:
        return np.exp(-0.5 * square) if square < 1400.0 else 0.0
    if shape == 1:
        return np.exp(-np.sqrt(square)) if square < 490_000.0 else 0.0
    if square >= 1.0:
        return 0.0
    if shape == 2:
        return 1.0
    if shape == 3:
        return 1.0 - square
    u = np.sqrt(square)
    return 1.0 - u if shape == 4 else np.cos(0.5 * np.pi * u)


@njit(cache=True, nogil=True)
def shifted(X, column, places, width, is_flat, moved, density, counts):
    """Fill `moved` with the mean of the rows about each place, (s, p), weighted by the kernel.

    Rows lie in the order of their values in `column`. `density` gets the sum of the kernel whose
    slope the means follow: 1 - d^2 / h^2 where all rows within h weigh the same, else the Gaussian
    itself; `counts` the rows within h. A place without rows stays.
    """
    n, p = X.shape
    reach = width if is_flat else 8.0 * width
    values = X[:, column].copy()
    square = width * width
    for s in range(places.shape[0]):
        first = np.searchsorted(values, places[s, column] - reach, side="left")
        total = own = near = 0.0
        moved[s] = 0.0
        for i in range(first, n):
            if values[i] > places[s, column] + reach:
                break
            apart = 0.0
            for q in range(p):
                gap = X[i, q] - places[s, q]
                apart += gap * gap
            if apart <= square:
                near += 1.0
            elif is_flat:
                continue
            weight = 1.0 if is_flat else np.exp(-apart / (2.0 * square))
            total += weight
            own += max(1.0 - apart / square, 0.0) if is_flat else weight
            for q in range(p):
                moved[s, q] += weight * (X[i, q] - places[s, q])
        density[s], counts[s] = own, near
        for q in range(p):
            moved[s, q] = places[s, q] + (moved[s, q] / total if total > 0 else 0.0)
