"""Compiled loops of the clusterers. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

import numpy as np
from numba import njit

SUM = {
    "reassoc",
    "contract",
    "nsz",
    "arcp",
}  # free order of additions within one distance


@njit(cache=True, nogil=True, fastmath=SUM)
def _square(X, i, j):
    total = 0.0
    for q in range(X.shape[1]):
        gap = X[i, q] - X[j, q]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def means(X, w, shift, labels, before, centers, weights):
    """Fill `centers` with the weighted mean of the rows of each label, `weights` with their sums.

    A center without rows stays as it was `before`. The sums are those of w (x - shift): small
    numbers lose little when the rows lie far from zero.
    """
    centers[:] = 0.0
    weights[:] = 0.0
    for i in range(X.shape[0]):
        own = labels[i]
        weights[own] += w[i]
        for q in range(X.shape[1]):
            centers[own, q] += w[i] * (X[i, q] - shift[q])
    for j in range(centers.shape[0]):
        for q in range(centers.shape[1]):
            full = weights[j] > 0
            centers[j, q] = shift[q] + centers[j, q] / weights[j] if full else before[j, q]


@njit(cache=True, nogil=True)
def nearer(X, i, closest):
    """Lower `closest` to the squared distance from row i, wherever that is less."""
    for a in range(X.shape[0]):
        closest[a] = min(closest[a], _square(X, a, i))


@njit(cache=True, nogil=True)
def _root(above, i):
    """The lowest row that i is joined to; what is passed on the way is moved up."""
    while above[i] != i:
        above[i] = above[above[i]]
        i = above[i]
    return i


@njit(cache=True, nogil=True)
def join(first, starts, rows, core, above):
    """Join the core rows of a block with those around them, row k of it being `first` + k.

    The rows around it stand in `rows` from starts[k] to starts[k + 1]. `above` leads from a row to
    a lower one that it is joined to, or to itself.
    """
    for k in range(len(starts) - 1):
        if not core[first + k]:
            continue
        one = _root(above, first + k)
        for at in range(starts[k], starts[k + 1]):
            if core[rows[at]]:
                other = _root(above, rows[at])
                above[max(one, other)] = one = min(one, other)


@njit(cache=True, nogil=True)
def number(core, above, labels):
    """Give core rows that are joined one label, numbered by the lowest row of each group."""
    count = 0
    for i in range(len(core)):
        if core[i]:
            root = _root(above, i)
            if root == i:
                labels[i], count = count, count + 1
            else:
                labels[i] = labels[root]


@njit(cache=True, nogil=True)
def border(first, starts, rows, core, labels):
    """Give every other row of a block, as `join` has it, the lowest label of core rows around."""
    for k in range(len(starts) - 1):
        if core[first + k]:
            continue
        for at in range(starts[k], starts[k + 1]):
            own = labels[first + k]
            if core[rows[at]] and (own < 0 or labels[rows[at]] < own):
                labels[first + k] = labels[rows[at]]


@njit(cache=True, nogil=True)
def shares(log_joint, resp, log_density):
    """Fill `resp` with exp(log_joint) divided by its sum over each row, and the log of that sum."""
    n, k = log_joint.shape
    for i in range(n):
        top = log_joint[i, 0]
        for j in range(1, k):
            top = max(top, log_joint[i, j])
        # The largest is taken out first: exp of a log-density below about -745 is zero.
        total = 0.0
        for j in range(k):
            resp[i, j] = np.exp(log_joint[i, j] - top)
            total += resp[i, j]
        for j in range(k):
            resp[i, j] /= total
        log_density[i] = top + np.log(total)
