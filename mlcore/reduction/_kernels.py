"""Compiled loops of the maps. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

from math import sqrt

from numba import njit


@njit(cache=True, nogil=True)
def guttman(D, Y, moved):
    """Fill `moved` with the Guttman transform of the map Y, shape (n, q); return its raw stress.

    Row i becomes the mean over j of (D_ij / d_ij) (y_i - y_j), where d are the distances in Y.
    """
    n, q = Y.shape
    moved[:] = 0.0
    stress = 0.0
    for i in range(n):
        for j in range(i):
            square = 0.0
            for a in range(q):
                gap = Y[i, a] - Y[j, a]
                square += gap * gap
            apart = sqrt(square)
            stress += (apart - D[i, j]) ** 2
            if apart > 0.0:
                ratio = D[i, j] / (apart * n)
                for a in range(q):
                    step = ratio * (Y[i, a] - Y[j, a])
                    moved[i, a] += step
                    moved[j, a] -= step
    return stress


@njit(cache=True, nogil=True)
def sammon(D, Y, slopes, curvatures):
    """Fill both with the first and second derivatives of Sammon's stress by each coordinate of Y.

    Returns the stress. No two rows of D are at distance 0; rows that meet in Y have no direction.
    """
    n, q = Y.shape
    slopes[:] = 0.0
    curvatures[:] = 0.0
    stress, total = 0.0, 0.0
    for i in range(n):
        for j in range(i):
            square = 0.0
            for a in range(q):
                gap = Y[i, a] - Y[j, a]
                square += gap * gap
            apart, aim = sqrt(square), D[i, j]
            off = aim - apart
            stress += off * off / aim
            total += aim
            if apart == 0.0:
                continue
            scale = -2.0 / (aim * apart)
            for a in range(q):
                gap = Y[i, a] - Y[j, a]
                slope = scale * off * gap
                curvature = scale * (off - gap * gap / apart * (1.0 + off / apart))
                slopes[i, a] += slope
                slopes[j, a] -= slope
                curvatures[i, a] += curvature
                curvatures[j, a] += curvature
    slopes /= total
    curvatures /= total
    return stress / total
