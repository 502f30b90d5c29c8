"""Compiled loops between rows of a map and a grid. Inputs are read-only, outputs filled in place.

A row lies between the second and the third of four nodes on each axis; it has a share of each of
the sixteen, which makes any cubic of the place exact (Lagrange).
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit


@njit(cache=True, nogil=True)
def _shares(at, out):
    """Fill out, (4,), with the shares of the nodes about a place; returns the first of them."""
    first = int(at)
    f = at - first
    out[0] = -f * (f - 1.0) * (f - 2.0) / 6.0
    out[1] = (f + 1.0) * (f - 1.0) * (f - 2.0) / 2.0
    out[2] = -(f + 1.0) * f * (f - 2.0) / 2.0
    out[3] = (f + 1.0) * f * (f - 1.0) / 6.0
    return first - 1


@njit(cache=True, nogil=True)
def spread(Y, low, step, mass):
    """Fill `mass`, (a, b), with the shares of all rows of Y, (3, n), at nodes low + k step."""
    u, v = np.empty(4), np.empty(4)
    mass[:] = 0.0
    for i in range(Y.shape[1]):
        a = _shares((Y[0, i] - low[0]) / step, u)
        b = _shares((Y[1, i] - low[1]) / step, v)
        for r in range(4):
            for s in range(4):
                mass[a + r, b + s] += u[r] * v[s]


@njit(cache=True, nogil=True)
def gather(Y, low, step, across, up, first, last, pushes):
    """Fill pushes, (3, n), of the rows first .. last of Y with what `across` and `up`, (a, b), have
    at their places."""
    u, v = np.empty(4), np.empty(4)
    for i in range(first, last):
        a = _shares((Y[0, i] - low[0]) / step, u)
        b = _shares((Y[1, i] - low[1]) / step, v)
        px, py = 0.0, 0.0
        for r in range(4):
            for s in range(4):
                share = u[r] * v[s]
                px += share * across[a + r, b + s]
                py += share * up[a + r, b + s]
        pushes[0, i], pushes[1, i], pushes[2, i] = px, py, 0.0
