"""Compiled loops of gradient boosting: rows to bins, trees of gradients, rows to leaves.

A tree is grown on histograms: for each column and bin the sum of the gradients, of the curvatures,
and the number of the rows. Only the smaller child of a split goes through its rows; the histogram
of the larger is that of their parent less that of the smaller. Rows of a node stand together in
`rows`, from START to END, in ascending order.
"""

from __future__ import annotations

# The types of numba do not know its option `_nrt`.
# pyright: reportCallIssue=false
import numpy as np
from numba import njit

# Columns of `links` and `facts`, which hold the nodes.
FEATURE, BIN, MISSING, LEFT, START, END, DEPTH, SLOT = 0, 1, 2, 3, 4, 5, 6, 7
SLOPE, CURVATURE, GAIN, VALUE = 0, 1, 2, 3
# Entries of `rules`.
LEAVES, MAX_DEPTH, MIN_LEAF, DRAWN = 0, 1, 2, 3
LEAST_CURVATURE = 1e-7  # of a child, as a share of the weight of all rows
SLACK = 1e-11
BLOCK = 1024  # rows that pass through all trees together, so that they stay in the fast memory


@njit(cache=True, nogil=True)
def binned(X, edges, n_edges, missing, bins):
    """Fill `bins`, shape (p, n), with the number of edges below each value, or `missing`."""
    n, p = X.shape
    for j in range(p):
        own, last = edges[j], n_edges[j]
        for i in range(n):
            value = X[i, j]
            if value != value:
                bins[j, i] = missing
                continue
            low, high = 0, last
            while low < high:
                middle = (low + high) // 2
                if own[middle] < value:
                    low = middle + 1
                else:
                    high = middle
            bins[j, i] = low


@njit(cache=True, nogil=True)
def _summed(bins, rows, slope, curvature, is_flat, gathered, histogram):
    """Fill the histogram of some rows; `is_flat` says that every curvature is 1.

    Columns go in pairs: while one sum waits for its memory, the other is added to.
    """
    m, p = rows.shape[0], bins.shape[0]
    histogram[:] = 0.0
    for i in range(m):
        gathered[i, 0], gathered[i, 1] = slope[rows[i]], curvature[rows[i]]
    for j in range(0, p - 1, 2):
        _summed_pair(bins[j], bins[j + 1], rows, is_flat, gathered, histogram[j], histogram[j + 1])
    if p % 2:
        codes, own = bins[p - 1], histogram[p - 1]
        for i in range(m):
            at = codes[rows[i]]
            own[at, 0] += gathered[i, 0]
            own[at, 1] += gathered[i, 1]
            own[at, 2] += 1.0


@njit(cache=True, nogil=True)
def _summed_pair(codes, others, rows, is_flat, gathered, own, other):
    for i in range(rows.shape[0]):
        row, slope = np.uint64(rows[i]), gathered[i, 0]  # unsigned: no place from the end
        a, b = codes[row], others[row]
        own[a, 0] += slope
        own[a, 2] += 1.0
        other[b, 0] += slope
        other[b, 2] += 1.0
        if not is_flat:
            own[a, 1] += gathered[i, 1]
            other[b, 1] += gathered[i, 1]
    if is_flat:
        own[:, 1], other[:, 1] = own[:, 2], other[:, 2]


@njit(cache=True, nogil=True, _nrt=False)
def _next(lot):
    """The next number of a xorshift stream, whose state is `lot[0]`."""
    x = lot[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    lot[0] = x
    return x


@njit(cache=True, nogil=True, _nrt=False)
def _look(node, histogram, widths, rules, l2, slack, least, columns, lot, links, facts):
    """Find the best split of a node and write it down; returns whether there is one.

    Columns are looked at in their order, or in one by lot until DRAWN of them were.
    """
    p = widths.shape[0]
    by_lot = rules[DRAWN] < p
    if facts[node, CURVATURE] < least:
        return False
    before = facts[node, SLOPE] ** 2 / (facts[node, CURVATURE] + l2)
    best = before
    for k in range(p):
        j = k
        if by_lot:
            if k >= rules[DRAWN] and links[node, FEATURE] >= 0:
                break
            other = k + np.int64(_next(lot) % np.uint64(p - k))
            columns[k], columns[other] = columns[other], columns[k]
            j = columns[k]
        best = _scan(
            node, j, histogram[j], widths[j], rules[MIN_LEAF], l2, slack, least, best, links, facts
        )
    facts[node, GAIN] = best - before
    return links[node, FEATURE] >= 0


@njit(cache=True, nogil=True, _nrt=False)
def _scan(node, j, own, width, min_leaf, l2, slack, least, best, links, facts):
    """Try every cut of a column; note each that scores more than `best`, and return the most."""
    n = links[node, END] - links[node, START]
    total, curved = facts[node, SLOPE], facts[node, CURVATURE]
    lost = own[own.shape[0] - 1]
    slope, curvature, count, most = 0.0, 0.0, 0.0, best + slack
    for b in range(width):
        if own[b, 2] == 0.0:
            continue
        slope += own[b, 0]
        curvature += own[b, 1]
        count += own[b, 2]
        for side in range(2 if lost[2] > 0.0 else 1):  # missing values go right; then left
            a, h, c = slope, curvature, count
            if side == 1:
                a, h, c = slope + lost[0], curvature + lost[1], count + lost[2]
            if c < min_leaf or n - c < min_leaf:
                continue
            rest = curved - h
            if h < least or rest < least:
                continue
            h, rest, other = h + l2, rest + l2, total - a
            below = h * rest
            above = a * a * rest + other * other * h
            if above > most * below:
                best = above / below
                most = best + slack
                links[node, FEATURE], links[node, BIN], links[node, MISSING] = j, b, side
    return best


@njit(cache=True, nogil=True, _nrt=False)
def _parted(codes, at, missing, missing_left, rows, spare):
    """Move the rows that go left to the front, keeping the order on both sides; how many do."""
    a, b = 0, 0
    for row in rows:
        code = codes[row]
        goes = missing_left if code == missing else np.int64(code <= at)
        # Both places are written and one index moves: a branch would be mispredicted.
        rows[a], spare[b] = row, row
        a += goes
        b += 1 - goes
    for k in range(b):
        rows[a + k] = spare[k]
    return a


@njit(cache=True, nogil=True, _nrt=False)
def _born(node, start, end, depth, rows, slope, curvature, links, facts):
    """Write down what a node holds."""
    links[node, FEATURE], links[node, LEFT], links[node, SLOT] = -1, -1, -1
    links[node, BIN], links[node, MISSING] = 0, 0
    links[node, START], links[node, END], links[node, DEPTH] = start, end, depth
    a, h = 0.0, 0.0
    for i in range(start, end):
        a += slope[rows[i]]
        h += curvature[rows[i]]
    facts[node, SLOPE], facts[node, CURVATURE], facts[node, GAIN] = a, h, 0.0


@njit(cache=True, nogil=True, _nrt=False)
def _splittable(node, rules, links):
    """Whether the limits allow that a node is split."""
    size = links[node, END] - links[node, START]
    is_deep = rules[MAX_DEPTH] > 0 and links[node, DEPTH] >= rules[MAX_DEPTH]
    return size >= 2 * rules[MIN_LEAF] and not is_deep


@njit(cache=True, nogil=True, _nrt=False)
def _taken(waiting, n_waiting, best_first, facts):
    """Take the node to split next out of those that wait: the best, or the last."""
    at = n_waiting - 1
    if best_first:
        at = 0
        for k in range(1, n_waiting):
            gain, most = facts[waiting[k], GAIN], facts[waiting[at], GAIN]
            if gain > most or (gain == most and waiting[k] < waiting[at]):
                at = k
    node = waiting[at]
    waiting[at] = waiting[n_waiting - 1]
    return node


@njit(cache=True, nogil=True)
def grow(
    bins, widths, rows, slope, curvature, is_flat, rules, l2, lot, histograms, links, facts
):  # fmt: skip
    """Grow a tree on `rows` and part them by leaf; fills `links` and `facts`, returns the nodes.

    With LEAVES the best split is made first. Without, the smaller child is split first, so few
    histograms are held at a time: there must be LEAVES + 1, or 3 + log2 of the rows.
    """
    p, m = bins.shape[0], rows.shape[0]
    missing = histograms.shape[2] - 1
    gathered, spare = np.empty((m, 2)), np.empty(m, np.int32)
    columns, waiting = np.arange(p), np.empty(histograms.shape[0], np.int64)
    free, n_free, n_waiting = np.arange(histograms.shape[0]), histograms.shape[0], 0
    best_first = rules[LEAVES] > 0
    _born(0, 0, m, 0, rows, slope, curvature, links, facts)
    squares = 0.0
    for row in rows:
        squares += slope[row] * slope[row]
    least = LEAST_CURVATURE * m
    slack = SLACK * squares * m / max(facts[0, CURVATURE], least)
    if _splittable(0, rules, links):
        n_free -= 1
        links[0, SLOT] = free[n_free]
        _summed(bins, rows, slope, curvature, is_flat, gathered, histograms[links[0, SLOT]])
        if _look(
            0, histograms[links[0, SLOT]], widths, rules, l2, slack, least, columns, lot, links,
            facts,
        ):  # fmt: skip
            waiting[0], n_waiting = 0, 1
    nodes = 1
    while n_waiting > 0 and (not best_first or (nodes + 1) // 2 < rules[LEAVES]):
        node = _taken(waiting, n_waiting, best_first, facts)
        n_waiting -= 1
        left, right = nodes, nodes + 1
        nodes += 2
        links[node, LEFT] = left
        start, end, j = links[node, START], links[node, END], links[node, FEATURE]
        middle = start + _parted(
            bins[j], links[node, BIN], missing, links[node, MISSING], rows[start:end], spare
        )  # fmt: skip
        if histograms[links[node, SLOT], j, missing, 2] == 0.0:  # as most rows go
            links[node, MISSING] = 1 if 2 * (middle - start) >= end - start else 0
        depth = links[node, DEPTH] + 1
        _born(left, start, middle, depth, rows, slope, curvature, links, facts)
        _born(right, middle, end, depth, rows, slope, curvature, links, facts)
        small, large = (left, right) if 2 * (middle - start) < end - start else (right, left)
        slot = links[node, SLOT]
        is_last = best_first and (nodes + 1) // 2 >= rules[LEAVES]
        if is_last or not _splittable(large, rules, links):  # then the smaller is not either
            free[n_free] = slot
            n_free += 1
            continue
        n_free -= 1
        links[large, SLOT], links[small, SLOT] = slot, free[n_free]
        below, above = histograms[links[small, SLOT]], histograms[slot]
        own = rows[links[small, START] : links[small, END]]
        _summed(bins, own, slope, curvature, is_flat, gathered, below)
        _less(above, below)
        for child in (large, small):  # the smaller waits last, so it is split first
            if _splittable(child, rules, links) and _look(
                child, histograms[links[child, SLOT]], widths, rules, l2, slack, least, columns,
                lot, links, facts,
            ):  # fmt: skip
                waiting[n_waiting] = child
                n_waiting += 1
            else:
                free[n_free] = links[child, SLOT]
                n_free += 1
    for node in range(nodes):
        if links[node, LEFT] < 0:
            links[node, FEATURE] = -1
            facts[node, GAIN] = 0.0
    return nodes


@njit(cache=True, nogil=True)
def _less(above, below):
    """The histogram of the larger child, in place of that of the parent."""
    a, b = above.reshape(-1), below.reshape(-1)
    for k in range(a.shape[0]):
        a[k] -= b[k]


@njit(cache=True, nogil=True)
def newton(nodes, l2, links, facts):
    """Fill VALUE of the leaves with one Newton step: minus the slope over the curvature."""
    for node in range(nodes):
        below = facts[node, CURVATURE] + l2
        facts[node, VALUE] = -facts[node, SLOPE] / below if below > 0.0 else 0.0


@njit(cache=True, nogil=True)
def quantiles(nodes, rows, residuals, w, level, links, facts):
    """Fill VALUE of the leaves with the `level` quantile of the residuals of their rows."""
    for node in range(nodes):
        if links[node, LEFT] < 0:
            own = rows[links[node, START] : links[node, END]]
            facts[node, VALUE] = quantile(residuals[own], w[own], level)


@njit(cache=True, nogil=True)
def quantile(values, w, level):
    """The least minimiser of the pinball loss, or the middle of two between which all are."""
    order = np.argsort(values, kind="mergesort")
    goal = level * w.sum()
    slack = 1e-12 * w.sum()
    reached = 0.0
    for k in range(order.shape[0]):
        reached += w[order[k]]
        if reached > goal + slack:
            return values[order[k]]
        if reached >= goal - slack and k + 1 < order.shape[0]:
            return 0.5 * values[order[k]] + 0.5 * values[order[k + 1]]
    return values[order[-1]]


@njit(cache=True, nogil=True)
def add_leaves(nodes, rows, share, links, facts, scores):
    """Add `share` of the value of its leaf to the score of each row the tree was grown on."""
    for node in range(nodes):
        if links[node, LEFT] < 0:
            value = share * facts[node, VALUE]
            for i in range(links[node, START], links[node, END]):
                scores[rows[i]] += value


@njit(cache=True, nogil=True)
def add_binned(bins, missing, share, links, facts, scores):
    """The same for any rows, by their bins."""
    for i in range(bins.shape[1]):
        node = 0
        while links[node, LEFT] >= 0:
            code = bins[links[node, FEATURE], i]
            goes = links[node, MISSING] if code == missing else np.int64(code <= links[node, BIN])
            node = links[node, LEFT] + 1 - goes
        scores[i] += share * facts[node, VALUE]


@njit(cache=True, nogil=True)
def add_trees(X, roots, feature, cut, missing_left, left, value, scores):
    """Add to `scores`, shape (K, m), what trees say of rows; `roots`, (T, K), is where they begin.

    The right node is the one after the left; -1 as left is a leaf.
    """
    m, leaf, walking = X.shape[0], np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32)
    for start in range(0, m, BLOCK):
        size = min(BLOCK, m - start)
        for t in range(roots.shape[0]):
            for k in range(roots.shape[1]):
                _walk(X, start, size, roots[t, k], feature, cut, missing_left, left, leaf, walking)
                for i in range(size):
                    scores[k, start + i] += value[leaf[i]]


@njit(cache=True, nogil=True)
def add_answers(X, roots, feature, cut, missing_left, left, answers, total):
    """The same for trees of a forest, whose nodes say several numbers, shape (t, K); `total` has
    shape (m, K), `roots` (T,)."""
    m, leaf, walking = X.shape[0], np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32)
    for start in range(0, m, BLOCK):
        size = min(BLOCK, m - start)
        for root in roots:
            _walk(X, start, size, root, feature, cut, missing_left, left, leaf, walking)
            for i in range(size):
                for k in range(answers.shape[1]):
                    total[start + i, k] += answers[leaf[i], k]


@njit(cache=True, nogil=True, _nrt=False)
def _walk(X, start, size, root, feature, cut, missing_left, left, leaf, walking):
    """Fill `leaf` with where a block of rows ends in a tree.

    All rows take a step before any takes the next: while one waits for its memory, others go on.
    No branch is mispredicted: a row that has arrived is written over by the next that walks.
    Places are unsigned, for none is counted from the end.
    """
    for i in range(size):
        leaf[i], walking[i] = root, i
    n_walking = size if left[root] >= 0 else 0
    while n_walking > 0:
        still = np.uint64(0)
        for j in range(n_walking):
            i = np.uint64(walking[j])
            node = np.uint64(leaf[i])
            x = X[np.uint64(start) + i, np.uint64(feature[node])]
            goes = (x <= cut[node]) | ((x != x) & missing_left[node])
            below = left[node] + 1 - goes
            leaf[i], walking[still] = below, i
            still += np.uint64(left[np.uint64(below)] >= 0)
        n_walking = np.int64(still)


@njit(cache=True, nogil=True)
def best_stump(values, order, signed, best):
    """Write the cut of least weighted error of two classes into `best`: score, column and cut.

    `values` and `order`, shape (p, n), are sorted by column; `signed`, shape (n,), holds the weight
    of each row, negative for the first class. A parting into sides of sums a and b is told with
    an error of half of all weight less |a| + |b|. `best[3]` is the sum of the left side.
    """
    p, n = values.shape
    total = 0.0
    for i in range(n):
        total += signed[i]
    best[0], best[1] = abs(total), -1.0
    slack = 0.0
    for i in range(n):
        slack += abs(signed[i])
    slack *= SLACK
    for j in range(p):
        own, rows = values[j], order[j]
        if own[0] == own[n - 1]:
            continue
        left, most = 0.0, best[0] + slack
        for k in range(n - 1):
            left += signed[rows[k]]
            score = abs(left) + abs(total - left)
            if score > most and own[k + 1] != own[k]:
                most = score + slack
                cut = 0.5 * own[k] + 0.5 * own[k + 1]
                best[0], best[1] = score, j
                best[2], best[3] = cut if cut < own[k + 1] else own[k], left
