"""Compiled loops of the clusterers. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

import numpy as np
from numba import njit

from mlcore.distances.columnwise._kernels import place as _place

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
def _put(sums, rests, j, q, value):
    """Add a value to a sum of twice the precision: what rounding takes is in `rests` (Knuth)."""
    before = sums[j, q]
    total = before + value
    share = total - before
    sums[j, q] = total
    rests[j, q] += (before - (total - share)) + (value - share)


@njit(cache=True, nogil=True)
def _join(X, i, shift, weight, j, sums, rests):
    """Add row i less `shift` to the sums of group j, weighed: less than zero takes it away."""
    p = X.shape[1]
    for q in range(p):
        _put(sums, rests, j, q, weight * (X[i, q] - shift[q]))
    _put(sums, rests, j, p, weight)


@njit(cache=True, nogil=True)
def regroup(X, w, shift, labels, summed, sums, rests, counts):
    """Move rows whose label is no longer that in `summed` from one sum to the other.

    `sums` and `rests`, shape (k, p + 1), hold those of w (x - shift) and of w, in twice the
    precision: what was added can be taken away without a trace. `counts`, shape (k,), are of the
    rows with weight. `summed` is -1 for rows that are in no sum yet.
    """
    for i in range(X.shape[0]):
        old, new = summed[i], labels[i]
        if old == new:
            continue
        summed[i] = new
        if w[i] > 0:
            _join(X, i, shift, w[i], new, sums, rests)
            counts[new] += 1
            if old >= 0:
                _join(X, i, shift, -w[i], old, sums, rests)
                counts[old] -= 1


@njit(cache=True, nogil=True)
def middles(sums, rests, counts, shift, centers):
    """Move the centers to the means of their rows; one without rows stays. Returns the longest
    way of one."""
    p, longest = centers.shape[1], 0.0
    for j in range(centers.shape[0]):
        if counts[j] == 0:
            continue
        weight, square = sums[j, p] + rests[j, p], 0.0
        for q in range(p):
            mean = shift[q] + (sums[j, q] + rests[j, q]) / weight
            gap = mean - centers[j, q]
            centers[j, q] = mean
            square += gap * gap
        longest = max(longest, square)
    return np.sqrt(longest)


@njit(cache=True, nogil=True)
def settle(
    X, columns, w, shift, slack, labels, upper, lower,
    summed, sums, rests, counts, centers, anew, tol, moved, most,
):  # fmt: skip
    """Assign rows and move centers, at most so many times, until nothing changes, or no center
    moves farther than `tol`, or a group is empty and has to begin `anew`.

    `moved` is the longest way of the move before, after which `upper` is infinite. It ends with an
    assignment. Returns the labels that it changed, the longest way of the last move, and the number
    of moves.
    """
    moves, before = 0, centers.copy()
    while True:
        changed = _place(columns, centers, before, slack, 0, X.shape[0], labels, upper, lower)
        if changed == 0 or moved <= tol or moves == most:
            break
        regroup(X, w, shift, labels, summed, sums, rests, counts)
        if anew and counts.min() == 0:
            break
        before[:] = centers
        moved = middles(sums, rests, counts, shift, centers)
        moves += 1
    return changed, moved, moves


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
