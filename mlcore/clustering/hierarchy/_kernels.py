"""Compiled loops of trees of merges. Inputs are read-only and C-ordered, outputs filled in place.

A merge is written as two places: the second takes the new cluster, the first is empty from then
on. `number` turns places into numbers of clusters.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
FIRST, NONE, PLAIN = np.int64(0), np.int64(-1), np.bool_(False)


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
def between(T, power, starts, rule, first, D):
    """Fill D, shape (b, k), with how far b groups from `first` on are from all k of them.

    Columns of T lie group by group, those of g from starts[g] on, (k + 1,). By `rule`, as in
    `chain`, the farthest two count, the nearest two, or the mean of all.
    """
    p, n = T.shape
    gaps = np.empty(n)
    D[:] = np.inf if rule == 3 else 0.0
    for b in range(D.shape[0]):
        own, end = starts[first + b], starts[first + b + 1]
        for i in range(own, end):
            _gaps(T, n, T[:, i].copy(), power, gaps)
            _rooted(gaps, n, p, power)
            for h in range(D.shape[1]):
                others = gaps[starts[h] : starts[h + 1]]
                if rule == 0:
                    D[b, h] = max(D[b, h], others.max())
                elif rule == 3:
                    D[b, h] = min(D[b, h], others.min())
                else:
                    D[b, h] += others.mean() / (end - own)


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
        for q in range(p):
            rest[q, at] = rest[q, m]
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


LANES = 8  # so many places are compared side by side: one register of the processor
CROWDED = 0.75  # of the places: once fewer clusters are left, they move together
HALF_LEFT = 0.5  # the same where their distances are stored, of which the square has to move
FEW_PLACES = 64  # moving together is not worth it


@njit(cache=True, nogil=True)
def _least(values, beyond, m, lanes):
    """The least of values + beyond, of the first m of each: `beyond` is infinite at no cluster."""
    lanes[:] = np.inf
    whole = m - m % LANES
    for k in range(0, whole, LANES):
        for t in range(LANES):
            value = values[k + t] + beyond[k + t]
            lanes[t] = value if value < lanes[t] else lanes[t]
    for k in range(whole, m):
        lanes[0] = min(lanes[0], values[k] + beyond[k])
    return lanes.min()


@njit(cache=True, nogil=True)
def _place(values, beyond, first, least):
    """The first place from `first` on where values + beyond is `least`."""
    while values[first] + beyond[first] != least:
        first += 1
    return first


@njit(cache=True, nogil=True)
def _alive(beyond, m):
    """The places of the clusters that are left among the first m, rising; then where each is."""
    here, new = np.empty(m, np.int64), np.full(m, -1)
    k = 0
    for i in range(m):
        if beyond[i] == 0.0:
            here[k], new[i] = i, k
            k += 1
    return here[:k], new


@njit(cache=True, nogil=True)
def _caught_up(D, x, events, seen, step):
    """Put into row x what clusters that came since it was last looked at have in their rows."""
    row = D[x]
    for k in range(seen[x], step):
        other = events[k]
        if other >= 0:
            row[other] = D[other, x]
    seen[x] = step


@njit(cache=True, nogil=True)
def chain(D, sizes, rule, pairs, heights):
    """Merge along chains of nearest neighbours until each is the other's (Murtagh 1983).

    `rule` says how far a new cluster is from another: 0 its farther part, 1 the mean of the parts
    by their `sizes`, 2 the plain mean, 3 its nearer part. D, shape (n, n), and `sizes`, (n,), are
    used up. Of equal distances the one back
    along the chain is taken, then the lowest place. Clusters that are left move together, in their
    order, into the first rows and columns; `ids` has their places.
    """
    n = m = left = D.shape[0]
    beyond, lanes = np.zeros(n), np.empty(LANES)
    ids, path = np.arange(n), np.empty(n + 1, np.int64)
    length = 0
    # Of a new cluster the row is filled and not the column: it would be the dearest. A row takes
    # what it lacks from the rows of those that came since it was `seen`. `events` are the places of
    # new clusters by merge, none where they are merged anew, `born` the merge of each.
    events, born, seen = np.empty(n, np.int64), np.full(n, -1), np.zeros(n, np.int64)
    for i in range(n):
        D[i, i] = np.inf
    for step in range(n - 1):
        if length == 0:
            path[0], length = _place(beyond, beyond, FIRST, 0.0), 1
        while True:
            x = path[length - 1]
            row = D[x]
            _caught_up(D, x, events, seen, step)
            y, low = -1, _least(row, beyond, m, lanes)
            if length > 1 and row[path[length - 2]] == low:
                y = path[length - 2]
                break
            y = _place(row, beyond, FIRST, low)
            path[length] = y
            length += 1
        length -= 2
        _caught_up(D, y, events, seen, step)
        a, b = min(x, y), max(x, y)
        pairs[step, 0], pairs[step, 1], heights[step] = ids[a], ids[b], low
        share = 0.5 if rule == 2 else sizes[a] / (sizes[a] + sizes[b])
        beyond[a] = np.inf
        sizes[b] += sizes[a]
        gone, kept = D[a], D[b]
        if rule == 3:
            for j in range(m):
                kept[j] = min(gone[j], kept[j])
        else:
            for j in range(m):
                u, v = gone[j], kept[j]
                kept[j] = max(u, v) if rule == 0 else share * u + (1.0 - share) * v
        kept[b] = np.inf
        for old in (born[a], born[b]):
            if old >= 0:
                events[old] = NONE
        events[step], born[b], seen[b] = b, step, step + 1
        left -= 1
        if left < HALF_LEFT * m and m > FEW_PLACES:
            here, new = _alive(beyond, m)
            for i in range(left):
                for j in range(left):
                    D[i, j] = D[here[i], here[j]]
                ids[i], sizes[i], beyond[i] = ids[here[i]], sizes[here[i]], 0.0
                born[i], seen[i] = born[here[i]], seen[here[i]]
            for k in range(step + 1):
                events[k] = new[events[k]] if events[k] >= 0 else NONE
            for k in range(length):
                path[k] = new[path[k]]
            m = left


@njit(cache=True, nogil=True)
def _apart(centers, sizes, beyond, is_ward, at, first, end, gaps):
    """Fill gaps[first:end] with how far clusters are from that at `at`, infinite for none."""
    p, m, out = centers.shape[0], end - first, gaps[first:end]
    row, here = centers[0, first:end], centers[0, at]
    for j in range(m):
        out[j] = beyond[first + j] + (row[j] - here) * (row[j] - here)
    for q in range(1, p - 1, 2):  # two at a time: half the passes
        row, here = centers[q, first:end], centers[q, at]
        row_2, here_2 = centers[q + 1, first:end], centers[q + 1, at]
        for j in range(m):
            out[j] += (row[j] - here) * (row[j] - here) + (row_2[j] - here_2) * (row_2[j] - here_2)
    if p % 2 == 0:
        row, here = centers[p - 1, first:end], centers[p - 1, at]
        for j in range(m):
            out[j] += (row[j] - here) * (row[j] - here)
    if is_ward:
        others, own = sizes[first:end], sizes[at]
        for j in range(m):
            out[j] *= 2.0 * own * others[j] / (own + others[j])


@njit(cache=True, nogil=True)
def following(centers, sizes, beyond, is_ward, first, end, near, gap):
    """Fill near[first:end] with the nearest of the clusters after each, gap[first:end] how far.

    Of equally near ones the first. The last of all has none: it is infinitely far.
    """
    m = gap.shape[0]
    gaps, lanes = np.empty(m), np.empty(LANES)
    for i in range(first, end):
        near[i], gap[i] = i, np.inf
        if i + 1 < m:
            _apart(centers, sizes, beyond, is_ward, i, i + 1, m, gaps)
            gap[i] = _least(gaps[i + 1 :], beyond[i + 1 :], m - i - 1, lanes)
            near[i] = _place(gaps, beyond, i + 1, gap[i]) if gap[i] < np.inf else i


@njit(cache=True, nogil=True)
def closest_first(centers, sizes, near, gap, is_ward, is_median, pairs, heights):
    """Merge the two nearest clusters again and again (Muellner 2011, section 2.3 and 3).

    `centers`, (p, n), the rows in each, `sizes`, and the squared distances `gap` to the nearest
    ones after each, `near`, (n,) each, as `following` finds them, are used up. A cluster
    whose nearest has changed keeps its gap as a bound, and looks for another when it is first by
    that bound (`is_stale`). Of equal distances the lowest places are taken. Clusters that are left
    move together, in their order.
    """
    p, n = centers.shape
    m = left = n
    beyond, ids, gaps = np.zeros(n), np.arange(n), np.empty(n)
    is_stale, lanes = np.zeros(n, np.int64), np.empty(LANES)
    for step in range(n - 1):
        while True:
            a = _place(gap, beyond, FIRST, _least(gap, beyond, m, lanes))
            if is_stale[a] == 0:
                break
            following(centers, sizes, beyond, is_ward, a, a + 1, near, gap[:m])
            is_stale[a] = 0
        b = near[a]
        pairs[step, 0], pairs[step, 1], heights[step] = ids[a], ids[b], np.sqrt(gap[a])
        share = 0.5 if is_median else sizes[a] / (sizes[a] + sizes[b])
        for q in range(p):
            centers[q, b] += share * (centers[q, a] - centers[q, b])
        sizes[b] += sizes[a]
        beyond[a] = np.inf
        _apart(centers, sizes, beyond, PLAIN, b, FIRST, b, gaps)
        _apart(centers, sizes, beyond, is_ward, b, b + 1, m, gaps)
        own = sizes[b]
        for j in range(b):
            far, has_changed = gaps[j], near[j] == a or near[j] == b
            if far <= gap[j]:  # by Ward's rule it is never nearer than this
                far *= 2.0 * own * sizes[j] / (own + sizes[j]) if is_ward else 1.0
                has_changed = has_changed or far == gap[j]
            if far < gap[j]:
                near[j], gap[j], is_stale[j] = b, far, 0
            elif has_changed:
                is_stale[j] = 1
        gap[b], near[b], is_stale[b] = np.inf, b, 0
        if b + 1 < m:
            gap[b] = _least(gaps[b + 1 :], beyond[b + 1 :], m - b - 1, lanes)
            if gap[b] < np.inf:
                near[b] = _place(gaps, beyond, b + 1, gap[b])
        left -= 1
        if left < CROWDED * m and m > FEW_PLACES:
            here, new = _alive(beyond, m)
            for i in range(left):
                k = here[i]
                for q in range(p):
                    centers[q, i] = centers[q, k]
                ids[i], sizes[i], beyond[i], gap[i] = ids[k], sizes[k], 0.0, gap[k]
                near[i], is_stale[i] = new[near[k]], is_stale[k]
            m = left


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
def cheapest_first(X, firsts, after, ends, pairs, heights):
    """Merge the two clusters by which the sum of distances to the own mean grows least.

    Cluster i begins as the rows X, (n, p), of the list from firsts[i] to ends[i] in `after`, (n,).
    Each pair of clusters is tried; of equal ones the first pair is taken. A height may be negative.
    """
    n = firsts.shape[0]
    alive, costs, growth = np.ones(n, np.bool_), np.empty(n), np.full((n, n), np.inf)
    for a in range(n):
        costs[a] = _dispersion(X, after, firsts[a], NONE)
    for a in range(n):
        for b in range(a + 1, n):
            growth[a, b] = _dispersion(X, after, firsts[a], firsts[b]) - costs[a] - costs[b]
    for step in range(n - 1):
        a, b = 0, 0
        for i in range(n):
            if alive[i]:
                for j in range(i + 1, n):
                    if growth[i, j] < growth[a, b]:
                        a, b = i, j
        pairs[step, 0], pairs[step, 1], heights[step] = a, b, growth[a, b]
        costs[b] += costs[a] + growth[a, b]
        after[ends[b]], ends[b], alive[a] = firsts[a], ends[a], False
        growth[a, :] = growth[:, a] = np.inf
        for i in range(n):
            if alive[i] and i != b:
                # A list ends in -1: that of i stays as it is.
                grown = _dispersion(X, after, firsts[i], firsts[b]) - costs[i] - costs[b]
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
    np.positive(own[:n], labels)
