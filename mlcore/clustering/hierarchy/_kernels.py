"""Compiled loops of trees of merges. Inputs are read-only and C-ordered, outputs filled in place.

A merge is written as two places: the second takes the new cluster, the first is empty from then
on. `number` turns places into numbers of clusters.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _gaps(T, m, x, power, out):
    """Fill out[:m] with the sum of |t - x|^power for each of the first m columns t of T, (p, n).

    Infinite power: the largest difference; 0: how many differ.
    """
    out[:m] = 0.0
    for q in range(T.shape[0]):
        row, here = T[q], x[q]
        if power == 2.0:
            for j in range(m):
                out[j] += (row[j] - here) * (row[j] - here)
        elif power == 1.0:
            for j in range(m):
                out[j] += abs(row[j] - here)
        elif power == np.inf:
            for j in range(m):
                out[j] = max(out[j], abs(row[j] - here))
        elif power == 0.0:
            for j in range(m):
                out[j] += row[j] != here
        else:
            for j in range(m):
                out[j] += abs(row[j] - here) ** power


@njit(cache=True, nogil=True)
def _rooted(out, m, p, power):
    """Turn the sums of `_gaps` into distances."""
    if power == 2.0:
        for j in range(m):
            out[j] = np.sqrt(out[j])
    elif power == 0.0:
        for j in range(m):
            out[j] /= p
    elif power != 1.0 and power != np.inf:
        for j in range(m):
            out[j] = out[j] ** (1.0 / power)


@njit(cache=True, nogil=True)
def distances(T, power, first, D):
    """Fill D, shape (b, n), with the distances of b columns of T from `first` on to all."""
    p, n = T.shape
    for i in range(D.shape[0]):
        _gaps(T, n, T[:, first + i].copy(), power, D[i])
        _rooted(D[i], n, p, power)


@njit(cache=True, nogil=True)
def spanning_tree(T, power, cores, pairs, heights):
    """Fill `pairs`, (n - 1, 2), with the edges of a shortest tree of the columns of T, by Prim.

    No edge is shorter than the `cores`, (n,), of its ends, which are sums as `_gaps` makes them; 0
    leaves the distances as they are. Columns that are not in the tree yet stand first in `rest`; of
    equal edges that to the lowest row is taken.
    """
    p, n = T.shape
    rest, ids, least = T.copy(), np.arange(n), cores.copy()
    best, origin, gaps = np.full(n, np.inf), np.zeros(n, np.int64), np.empty(n)
    at = 0
    for step in range(n - 1):
        m = n - 1 - step
        own, core, x = ids[at], least[at], rest[:, at].copy()
        rest[:, at] = rest[:, m]
        ids[at], best[at], origin[at], least[at] = ids[m], best[m], origin[m], least[m]
        _gaps(rest, m, x, power, gaps)
        at = 0
        for j in range(m):
            gap = max(gaps[j], core, least[j])
            if gap < best[j]:
                best[j], origin[j] = gap, own
            if best[j] < best[at] or (best[j] == best[at] and ids[j] < ids[at]):
                at = j
        pairs[step, 0], pairs[step, 1] = origin[at], ids[at]
        heights[step] = best[at]
    _rooted(heights, n - 1, p, power)


@njit(cache=True, nogil=True)
def _first_alive(sizes, start):
    while sizes[start] == 0:
        start += 1
    return start


@njit(cache=True, nogil=True)
def chain(D, rule, pairs, heights):
    """Merge along chains of nearest neighbours until each is the other's (Murtagh 1983).

    `rule` says how far a new cluster is from another: 0 its farther part, 1 the mean of the parts
    by their sizes, 2 the plain mean. D, shape (n, n), is used up. Of equal distances the one back
    along the chain is taken, then the lowest place.
    """
    n = D.shape[0]
    sizes, path = np.ones(n, np.int64), np.empty(n + 1, np.int64)
    length = start = 0
    for i in range(n):
        D[i, i] = np.inf
    for step in range(n - 1):
        if length == 0:
            start = _first_alive(sizes, start)
            path[0], length = start, 1
        while True:
            x = path[length - 1]
            y, low = -1, np.inf
            if length > 1:
                y = path[length - 2]
                low = D[x, y]
            row = D[x]
            for j in range(n):
                if row[j] < low:
                    y, low = j, row[j]
            if length > 1 and y == path[length - 2]:
                break
            path[length] = y
            length += 1
        length -= 2
        a, b = min(x, y), max(x, y)
        pairs[step, 0], pairs[step, 1], heights[step] = a, b, low
        share = 0.5 if rule == 2 else sizes[a] / (sizes[a] + sizes[b])
        sizes[a], sizes[b] = 0, sizes[a] + sizes[b]
        for j in range(n):
            if sizes[j] > 0 and j != b:
                u, v = D[a, j], D[b, j]
                D[b, j] = max(u, v) if rule == 0 else share * u + (1.0 - share) * v
                D[j, b] = D[b, j]
                D[j, a] = np.inf
        D[b, a] = np.inf


@njit(cache=True, nogil=True)
def ward(T, pairs, heights):
    """The same chains for Ward's rule, by the means of clusters: no distances are stored.

    Clusters that are left stand first in `means`; `ids` has their places, `at` where they stand.
    """
    p, n = T.shape
    means, sizes, gaps = T.copy(), np.ones(n), np.empty(n)
    ids, at, path = np.arange(n), np.arange(n), np.empty(n + 1, np.int64)
    length = start = 0
    m = n
    for step in range(n - 1):
        if length == 0:
            while at[start] < 0:
                start += 1
            path[0], length = start, 1
        while True:
            x = at[path[length - 1]]
            _gaps(means, m, means[:, x].copy(), 2.0, gaps)
            own = sizes[x]
            for j in range(m):
                gaps[j] *= 2.0 * own * sizes[j] / (own + sizes[j])
            gaps[x] = np.inf
            y = at[path[length - 2]] if length > 1 else 0
            is_back = length > 1
            for j in range(m):
                if gaps[j] < gaps[y]:
                    y, is_back = j, False
                elif gaps[j] == gaps[y] and ids[j] < ids[y] and not is_back:
                    y = j
            if is_back:
                break
            path[length] = ids[y]
            length += 1
        length -= 2
        a, b = min(ids[x], ids[y]), max(ids[x], ids[y])
        pairs[step, 0], pairs[step, 1], heights[step] = a, b, np.sqrt(gaps[y])
        gone, kept = at[a], at[b]
        total = sizes[gone] + sizes[kept]
        share = sizes[gone] / total
        m -= 1
        for q in range(p):
            means[q, kept] += share * (means[q, gone] - means[q, kept])
            means[q, gone] = means[q, m]
        sizes[kept] = total
        sizes[gone] = sizes[m]
        ids[gone], at[ids[m]] = ids[m], gone
        at[a] = -1


@njit(cache=True, nogil=True)
def _nearest(D, i):
    best = 0
    for j in range(D.shape[0]):
        if D[i, j] < D[i, best]:
            best = j
    return best


@njit(cache=True, nogil=True)
def closest_first(D, is_median, pairs, heights):
    """Merge the two nearest clusters again and again, for centroids, or halfway points.

    D, shape (n, n), holds squared distances and is used up. A new cluster may lie nearer to a third
    than its parts did to each other, so chains would not do (Muellner 2011, section 2).
    """
    n = D.shape[0]
    sizes, near, gap = np.ones(n), np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        D[i, i] = np.inf
    for i in range(n):
        near[i] = _nearest(D, i)
        gap[i] = D[i, near[i]]
    for step in range(n - 1):
        x = 0
        for i in range(n):
            if gap[i] < gap[x]:
                x = i
        a, b = min(x, near[x]), max(x, near[x])
        low = D[a, b]
        pairs[step, 0], pairs[step, 1], heights[step] = a, b, np.sqrt(max(low, 0.0))
        share = 0.5 if is_median else sizes[a] / (sizes[a] + sizes[b])
        sizes[a], sizes[b], gap[a] = 0.0, sizes[a] + sizes[b], np.inf
        for j in range(n):
            if sizes[j] > 0 and j != b:
                far = share * D[a, j] + (1.0 - share) * D[b, j] - share * (1.0 - share) * low
                D[b, j] = D[j, b] = far
                D[j, a] = np.inf
        D[b, a] = np.inf
        for j in range(n):
            if sizes[j] > 0 and j != b:
                if near[j] == a or near[j] == b:
                    near[j] = _nearest(D, j)
                elif D[j, b] < gap[j]:
                    near[j] = b
                gap[j] = D[j, near[j]]
        near[b] = _nearest(D, b)
        gap[b] = D[b, near[b]]


@njit(cache=True, nogil=True)
def _dispersion(X, after, a, b):
    """Sum of the distances of the rows of two clusters, lists in `after`, to their common mean."""
    p = X.shape[1]
    center, count = np.zeros(p), 0
    for first in (a, b):
        i = first
        while i >= 0:
            for q in range(p):
                center[q] += X[i, q]
            count += 1
            i = after[i]
    center /= count
    total = 0.0
    for first in (a, b):
        i = first
        while i >= 0:
            square = 0.0
            for q in range(p):
                square += (X[i, q] - center[q]) ** 2
            total += np.sqrt(square)
            i = after[i]
    return total


@njit(cache=True, nogil=True)
def cheapest_first(X, pairs, heights):
    """Merge the two clusters by which the sum of distances to the own mean grows least.

    Each pair of clusters is tried; of equal ones the first pair is taken. A height may be negative.
    """
    n = X.shape[0]
    after, ends, alive = np.full(n, -1), np.arange(n), np.ones(n, np.bool_)
    costs, growth = np.zeros(n), np.full((n, n), np.inf)
    for a in range(n):
        for b in range(a + 1, n):
            growth[a, b] = _dispersion(X, after, a, b)
    for step in range(n - 1):
        a, b = 0, 0
        for i in range(n):
            if alive[i]:
                for j in range(i + 1, n):
                    if growth[i, j] < growth[a, b]:
                        a, b = i, j
        pairs[step, 0], pairs[step, 1], heights[step] = a, b, growth[a, b]
        costs[b] += costs[a] + growth[a, b]
        after[ends[b]], ends[b], alive[a] = a, ends[a], False
        growth[a, :] = growth[:, a] = np.inf
        for i in range(n):
            if alive[i] and i != b:
                # A list ends in -1: that of i stays as it is.
                grown = _dispersion(X, after, i, b) - costs[i] - costs[b]
                growth[min(i, b), max(i, b)] = grown


@njit(cache=True, nogil=True)
def number(pairs, order, children, sizes):
    """Fill `children` and `sizes` with the clusters of each merge, in this order of `pairs`.

    Row i is cluster i, the merge k makes cluster n + k; the lower number stands first.
    """
    n = len(order) + 1
    above, top = np.arange(n), np.arange(n)
    counts = np.ones(n, np.int64)
    for k in range(n - 1):
        ends = pairs[order[k]]
        a, b = _root(above, ends[0]), _root(above, ends[1])
        children[k, 0], children[k, 1] = min(top[a], top[b]), max(top[a], top[b])
        above[a] = b
        counts[b] += counts[a]
        top[b], sizes[k] = n + k, counts[b]


@njit(cache=True, nogil=True)
def _root(above, i):
    while above[i] != i:
        above[i] = above[above[i]]
        i = above[i]
    return i


@njit(cache=True, nogil=True)
def cut(children, sizes, k, labels):
    """Fill `labels` with the clusters that are left when all but the last k - 1 merges are made.

    Undoing a merge leaves its larger part the number and gives the smaller one the next: a cut
    further down changes the number of one part of one cluster.
    """
    n = len(labels)
    own = np.zeros(2 * n - 1, np.int64)
    upcoming = 1
    for t in range(n - 2, -1, -1):
        a, b = children[t, 0], children[t, 1]
        own[a] = own[b] = own[n + t]
        if upcoming < k:
            first = 1 if a < n else sizes[a - n]
            second = 1 if b < n else sizes[b - n]
            own[b if first >= second else a] = upcoming
            upcoming += 1
    labels[:] = own[:n]
