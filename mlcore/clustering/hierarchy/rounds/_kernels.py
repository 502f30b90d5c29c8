"""Compiled loops of Ward's merges in few columns: all pairs of mutual neighbours merge at once.

Two clusters of which each is the other's nearest merge in the end whatever else does, since by
Ward's rule a merge is never nearer to a third than both of its parts were (Murtagh 1983). For the
same reason a cluster keeps its nearest until that one merges. Of equally near ones that is taken
whose number differs in the lowest binary digit: so equal rows pair off, half of them in a round.

Clusters lie in blocks of places, near together, and a block whose box is farther than the nearest
so far is passed over. A bound is added up in the order of the distances, so rounding cannot lift
it above one of them. `centers`, (blocks, p, BLOCK), are infinite where no cluster is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 16  # places whose distances are taken together


@njit(cache=True, nogil=True)
def _widest(T, order):
    """The row of T, (p, n), that spreads most over the columns in `order`."""
    axis, wide = 0, -1.0
    for q in range(T.shape[0]):
        low = high = T[q, order[0]]
        for i in order:
            low, high = min(low, T[q, i]), max(high, T[q, i])
        if high - low > wide:
            axis, wide = q, high - low
    return axis


@njit(cache=True, nogil=True)
def _parted(row, order, middle):
    """Move the columns of least `row` to the first `middle` places of `order` (Hoare 1961)."""
    left, right = 0, len(order) - 1
    while left < right:
        pivot, i, j = row[order[(left + right) // 2]], left, right
        while i <= j:
            while row[order[i]] < pivot:
                i += 1
            while row[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i, j = i + 1, j - 1
        if middle > j and middle < i:
            return
        if middle <= j:
            right = j
        else:
            left = i


@njit(cache=True, nogil=True)
def _near_together(T):
    """The columns of T, (p, n), so ordered that each block of places is a small box."""
    n = T.shape[1]
    order, parts = np.arange(n), np.zeros((64, 2), np.int64)
    parts[0, 1], left = n, 1
    while left > 0:
        left -= 1
        first, end = parts[left]
        if end - first > BLOCK:
            half = -(-(end - first) // BLOCK) // 2 * BLOCK
            here = order[first:end]
            _parted(T[_widest(T, here)], here, half)
            parts[left, 0], parts[left, 1] = first, first + half
            parts[left + 1, 0], parts[left + 1, 1] = first + half, end
            left += 2
    return order


@njit(cache=True, nogil=True)
def _box(centers, sizes, blocks, low, high, least):
    """Fill low, high, (p, blocks), and `least`, the fewest rows of a cluster, of each block."""
    for k in range(blocks):
        least[k] = sizes[k].min()
        for q in range(centers.shape[1]):
            low[q, k], high[q, k] = np.inf, -np.inf
            for t in range(BLOCK):
                value = centers[k, q, t]
                if value < np.inf:
                    low[q, k], high[q, k] = min(low[q, k], value), max(high[q, k], value)


@njit(cache=True, nogil=True)
def _no_nearer(low, high, least, x, size, bounds):
    """Fill bounds[:b] with what no cluster of each of b blocks is nearer than to one at x."""
    b = least.shape[0]
    here, lows, highs = x[0], low[0], high[0]
    for k in range(b):
        beside = max(lows[k] - here, here - highs[k], 0.0)
        bounds[k] = beside * beside
    for q in range(1, low.shape[0]):
        here, lows, highs = x[q], low[q], high[q]
        for k in range(b):
            beside = max(lows[k] - here, here - highs[k], 0.0)
            bounds[k] += beside * beside
    for k in range(b):
        bounds[k] *= 2.0 * size * least[k] / (size + least[k])


@njit(cache=True, nogil=True)
def _squares(centers, k, x, out):
    """Fill `out`, (BLOCK,), with the squared distances of block k to x."""
    here = x[0]
    for t in range(BLOCK):
        out[t] = (centers[k, 0, t] - here) * (centers[k, 0, t] - here)
    for q in range(1, centers.shape[1]):
        here = x[q]
        for t in range(BLOCK):
            out[t] += (centers[k, q, t] - here) * (centers[k, q, t] - here)


@njit(cache=True, nogil=True)
def _nearest(centers, sizes, ids, bounds, least, home, own, x, out):
    """The nearest cluster of the one at place `own` of the block `home`, and how far."""
    size, name, best, who = sizes[home, own], ids[home, own], np.inf, -1
    for step in range(-1, least.shape[0]):
        k = home if step < 0 else step
        if bounds[k] > best or step == home:
            continue
        _squares(centers, k, x, out)
        share, hits = 2.0 * size * least[k] / (size + least[k]), 0
        for t in range(BLOCK):
            hits += out[t] * share <= best
        if hits == 0:
            continue
        for t in range(BLOCK):
            far, other = out[t] * (2.0 * size * sizes[k, t] / (size + sizes[k, t])), ids[k, t]
            if other < 0 or other == name or far > best:
                continue
            if far < best or who < 0 or other ^ name < who ^ name:
                best, who = far, other
    return who, best


@njit(cache=True, nogil=True)
def _merged(centers, sizes, ids, a, b):
    """Put the cluster at place b into that at place a."""
    k, t, l, v = a // BLOCK, a % BLOCK, b // BLOCK, b % BLOCK
    share = sizes[l, v] / (sizes[k, t] + sizes[l, v])
    for q in range(centers.shape[1]):
        centers[k, q, t] += share * (centers[l, q, v] - centers[k, q, t])
    sizes[k, t] += sizes[l, v]
    ids[l, v] = -1


@njit(cache=True, nogil=True)
def _moved(centers, sizes, ids, places, m):
    """Move the clusters that are left of m places together, in their order; how many they are."""
    left = 0
    for i in range(m):
        k, t, l, v = i // BLOCK, i % BLOCK, left // BLOCK, left % BLOCK
        name, size = ids[k, t], sizes[k, t]
        if name >= 0:
            for q in range(centers.shape[1]):
                centers[l, q, v] = centers[k, q, t]
            sizes[l, v], ids[l, v], places[name] = size, name, left
            left += 1
    for i in range(left, -(-left // BLOCK) * BLOCK):
        centers[i // BLOCK, :, i % BLOCK] = np.inf
        sizes[i // BLOCK, i % BLOCK], ids[i // BLOCK, i % BLOCK] = 1.0, -1
    return left


@njit(cache=True, nogil=True)
def _blocks(T):
    """Centers, sizes and numbers of n clusters of a column of T each, and the place of each."""
    p, n = T.shape
    b, places = -(-n // BLOCK), np.empty(n, np.int64)
    centers, sizes = np.full((b, p, BLOCK), np.inf), np.ones((b, BLOCK))
    ids, order = np.full((b, BLOCK), -1), _near_together(T)
    for i in range(n):
        centers[i // BLOCK, :, i % BLOCK] = T[:, order[i]]
        ids[i // BLOCK, i % BLOCK], places[order[i]] = order[i], i
    return centers, sizes, ids, places


@njit(cache=True, nogil=True)
def ward(T, pairs, heights):
    """Fill pairs, (n - 1, 2), and heights with the merges of the columns of T, (p, n).

    Lower merges come after higher ones where they are of a later round. A cluster has the number
    of its lowest row. Should rounding have left no two clusters each other's nearest, all look
    anew: the two nearest of all then find each other.
    """
    p, n = T.shape
    centers, sizes, ids, places = _blocks(T)
    b = sizes.shape[0]
    low, high, least, bounds = np.empty((p, b)), np.empty((p, b)), np.empty(b), np.empty(b)
    near, gap, x, out = np.full(n, -1), np.empty(n), np.empty(p), np.empty(BLOCK)
    alive, m, step = np.arange(n), n, 0
    while m > 1:
        b = -(-m // BLOCK)
        _box(centers, sizes, b, low, high, least)
        for i in range(m):
            k, t = i // BLOCK, i % BLOCK
            name = ids[k, t]
            if near[name] < 0:
                for q in range(p):
                    x[q] = centers[k, q, t]
                _no_nearer(low[:, :b], high[:, :b], least[:b], x, sizes[k, t], bounds)
                near[name], gap[name] = _nearest(
                    centers, sizes, ids, bounds, least[:b], k, t, x, out
                )
        before, kept = step, 0
        for i in range(m):
            u = alive[i]
            v = near[u]
            if v > u and near[v] == u:
                pairs[step, 0], pairs[step, 1], heights[step] = u, v, np.sqrt(gap[u])
                _merged(centers, sizes, ids, places[u], places[v])
                gap[u] = gap[v] = -1.0
                step += 1
        for i in range(m):
            u = alive[i]
            if ids[places[u] // BLOCK, places[u] % BLOCK] == u:
                if step == before or gap[u] < 0.0 or gap[near[u]] < 0.0:
                    near[u] = -1
                alive[kept] = u
                kept += 1
        m = _moved(centers, sizes, ids, places, m)
