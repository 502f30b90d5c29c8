"""Compiled loops of merges by centers in few columns, where boxes spare most of their distances.

By Ward's rule all pairs of mutual neighbours merge at once. Two clusters of which each is the
other's nearest merge in the end whatever else does, since a merge is never nearer to a third than
both of its parts were (Murtagh 1983). For the same reason a cluster keeps its nearest until that
one merges. Of centers and halfway points the two nearest merge, one pair after another.

Of equally near clusters that is taken whose number differs in the lowest binary digit: so equal
rows pair off, half of them in a round.

Clusters lie in blocks of places, near together, and a block whose box is farther than the nearest
so far is passed over. A bound is added up in the order of the distances, so rounding cannot lift it
above one of them. `centers`, (p, places), are infinite where no cluster is, and p is at least two:
the first two columns stand in one line of every loop, which halves its time.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

BLOCK = 16  # places whose distances are taken together
CROWDED = 0.75  # of the places: once fewer clusters are left, they move together


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
        first, end = k * BLOCK, k * BLOCK + BLOCK
        least[k] = sizes[first:end].min()
        for q in range(centers.shape[0]):
            low[q, k], high[q, k] = np.inf, -np.inf
            for t in range(first, end):
                value = centers[q, t]
                if value < np.inf:
                    low[q, k], high[q, k] = min(low[q, k], value), max(high[q, k], value)


@njit(cache=True, nogil=True)
def _no_nearer(low, high, x, blocks, bounds):
    """Fill bounds[:blocks] with what no place in the box of each block is nearer to x than."""
    bounds[:blocks] = 0.0
    for q in range(low.shape[0]):
        for k in range(blocks):
            below, beyond = low[q, k] - x[q], x[q] - high[q, k]
            beside = below if below > beyond else beyond
            beside = beside if beside > 0.0 else 0.0
            bounds[k] += beside * beside


@njit(cache=True, nogil=True)
def _look(centers, sizes, ids, place, blocks, low, high, least, bounds, x, out, near, gap):
    """Find the nearest of the cluster at a place, by its number, and how far it is.

    No two clusters are nearer by Ward's rule than their centers.
    """
    p, home = centers.shape[0], place // BLOCK
    for q in range(p):
        x[q] = centers[q, place]
    size, name, best, who = sizes[place], ids[place], np.inf, -1
    _no_nearer(low, high, x, blocks, bounds)
    for step in range(-1, blocks):
        k = home if step < 0 else step
        if bounds[k] > best or step == home:
            continue
        share = 2.0 * size * least[k] / (size + least[k])
        if bounds[k] * share > best:
            continue
        first = k * BLOCK
        for t in range(BLOCK):
            out[t] = (centers[0, first + t] - x[0]) ** 2 + (centers[1, first + t] - x[1]) ** 2
        for q in range(2, p):
            for t in range(BLOCK):
                out[t] += (centers[q, first + t] - x[q]) ** 2
        for t in range(BLOCK):
            if out[t] * share > best:
                continue
            other, rows = ids[first + t], sizes[first + t]
            far = out[t] * (2.0 * size * rows / (size + rows))
            if other < 0 or other == name or far > best:
                continue
            if far < best or who < 0 or other ^ name < who ^ name:
                who, best = other, far
    near[name], gap[name] = who, best


@njit(cache=True, nogil=True)
def _joined(centers, sizes, ids, a, b, share):
    """Put the cluster at place b into that at place a, and its center by a share of the way."""
    for q in range(centers.shape[0]):
        centers[q, a] += share * (centers[q, b] - centers[q, a])
    sizes[a] += sizes[b]
    ids[b] = -1


@njit(cache=True, nogil=True)
def _moved(centers, sizes, ids, places, m):
    """Move the clusters that are left of m places together, in their order; how many they are."""
    left = 0
    for i in range(m):
        name, size = ids[i], sizes[i]
        if name >= 0:
            for q in range(centers.shape[0]):
                centers[q, left] = centers[q, i]
            sizes[left], ids[left], places[name] = size, name, left
            left += 1
    for i in range(left, -(-left // BLOCK) * BLOCK):
        centers[:, i], sizes[i], ids[i] = np.inf, 1.0, -1
    return left


@njit(cache=True, nogil=True)
def _placed(T):
    """Centers, sizes and numbers of n clusters of a column of T each, and the place of each."""
    n = T.shape[1]
    m, places, order = -(-n // BLOCK) * BLOCK, np.empty(n, np.int64), _near_together(T)
    centers, sizes, ids = np.full((max(T.shape[0], 2), m), np.inf), np.ones(m), np.full(m, -1)
    for i in range(n):
        centers[:, i] = 0.0
        for q in range(T.shape[0]):
            centers[q, i] = T[q, order[i]]
        ids[i], places[order[i]] = order[i], i
    return centers, sizes, ids, places


@njit(cache=True, nogil=True)
def _boxes(centers):
    """Room for the boxes of the blocks, and for what is found by them of a place."""
    p, b = centers.shape[0], centers.shape[1] // BLOCK
    low, high, least, bounds = np.empty((p, b)), np.empty((p, b)), np.empty(b), np.empty(b)
    return low, high, least, bounds, np.empty(p), np.empty(BLOCK)


@njit(cache=True, nogil=True)
def ward(T, pairs, heights):
    """Fill pairs, (n - 1, 2), and heights with the merges of the columns of T, (p, n).

    Lower merges come after higher ones where they are of a later round. A cluster has the number
    of its lowest row. Should rounding have left no two clusters each other's nearest, all look
    anew: the two nearest of all then find each other.
    """
    n = T.shape[1]
    centers, sizes, ids, places = _placed(T)
    low, high, least, bounds, x, out = _boxes(centers)
    near, gap, alive, m, step = np.full(n, -1), np.empty(n), np.arange(n), n, 0
    while m > 1:
        b = -(-m // BLOCK)
        _box(centers, sizes, b, low, high, least)
        for i in range(m):
            if near[ids[i]] < 0:
                _look(centers, sizes, ids, i, b, low, high, least, bounds, x, out, near, gap)
        before, kept = step, 0
        for i in range(m):
            u = alive[i]
            v = near[u]
            if v > u and near[v] == u:
                pairs[step, 0], pairs[step, 1], heights[step] = u, v, np.sqrt(gap[u])
                j, k = places[u], places[v]
                _joined(centers, sizes, ids, j, k, sizes[k] / (sizes[j] + sizes[k]))
                gap[u] = gap[v] = -1.0
                step += 1
        for i in range(m):
            u = alive[i]
            if ids[places[u]] == u:
                if step == before or gap[u] < 0.0 or gap[near[u]] < 0.0:
                    near[u] = -1
                alive[kept] = u
                kept += 1
        m = _moved(centers, sizes, ids, places, m)


@njit(cache=True, nogil=True)
def _first(ids, gap, k):
    """The least gap of a cluster of block k."""
    least = np.inf
    for t in range(k * BLOCK, k * BLOCK + BLOCK):
        if ids[t] >= 0:
            least = min(least, gap[ids[t]])
    return least


@njit(cache=True, nogil=True)
def _first_of_all(first, b, ids, gap):
    """The cluster of the least gap, by the least gap of each of b blocks."""
    k = 0
    for i in range(b):
        if first[i] < first[k]:
            k = i
    t = k * BLOCK
    while ids[t] < 0 or gap[ids[t]] != first[k]:
        t += 1
    return ids[t]


@njit(cache=True, nogil=True)
def closest(T, is_median, pairs, heights):
    """Fill pairs, (n - 1, 2), and heights with the merges of the two nearest centers, in order.

    The columns of T, (p, n), are the first centers. A cluster looks for its nearest when it is
    made, so that of every two the later one has seen the other: none is told of a new one. If its
    nearest has merged since (`made` after it `looked`), its gap is a bound, and it looks again once
    it is the first by that. A cluster has the number of its lowest row.
    """
    n = T.shape[1]
    centers, ones, ids, places = _placed(T)
    low, high, least, bounds, x, out = _boxes(centers)
    m, b, left = n, len(least), n
    near, gap, first, counts = np.empty(n, np.int64), np.empty(n), np.empty(b), np.ones(n)
    made, looked = np.zeros(n, np.int64), np.zeros(n, np.int64)  # after so many merges
    _box(centers, ones, b, low, high, least)
    for i in range(n):
        _look(centers, ones, ids, i, b, low, high, least, bounds, x, out, near, gap)
    for k in range(b):
        first[k] = _first(ids, gap, k)
    for step in range(n - 1):
        u = _first_of_all(first, b, ids, gap)
        while made[near[u]] > looked[u]:
            i = places[u]
            _look(centers, ones, ids, i, b, low, high, least, bounds, x, out, near, gap)
            looked[u], first[i // BLOCK] = step, _first(ids, gap, i // BLOCK)
            u = _first_of_all(first, b, ids, gap)
        pairs[step, 0], pairs[step, 1], heights[step] = u, near[u], np.sqrt(gap[u])
        u, v = min(u, near[u]), max(u, near[u])
        i, j = places[u], places[v]
        counts[u] += counts[v]
        _joined(centers, ones, ids, i, j, 0.5 if is_median else counts[v] / counts[u])
        ones[i] = 1.0
        made[u], looked[u], made[v], left = step + 1, step + 1, n, left - 1
        if left < CROWDED * m:
            m = _moved(centers, ones, ids, places, m)
            b = -(-m // BLOCK)
            _box(centers, ones, b, low, high, least)
            for k in range(b):
                first[k] = _first(ids, gap, k)
            i = j = places[u]
        k = i // BLOCK
        for q in range(len(x)):
            low[q, k] = min(low[q, k], centers[q, i])
            high[q, k] = max(high[q, k], centers[q, i])
        if left > 1:
            _look(centers, ones, ids, i, b, low, high, least, bounds, x, out, near, gap)
        first[k], first[j // BLOCK] = _first(ids, gap, k), _first(ids, gap, j // BLOCK)
