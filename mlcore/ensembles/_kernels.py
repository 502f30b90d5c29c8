"""Compiled loops of gradient boosting: trees of gradients.

A tree is grown on histograms: for each column and bin the sum of the gradients, the number of the
rows, and the sum of the curvatures where not every row has 1. Only the smaller child of a split
goes through its rows; the histogram of the larger is that of their parent less that of the smaller.
Rows of a node stand together in `rows`, from START to END, in ascending order.

`task` is (bins, widths, rows, slope, curvature, rules, l2), `tree` (lot, bounds, histograms, links,
facts), `room` (counts, slopes, curvatures, spare, sums, columns, waiting, free, state), of which
`counts` belongs to the root, as in `sum_columns`, and `state` says what is under way between calls.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

# Columns of `links` and `facts`, which hold the nodes.
FEATURE, BIN, MISSING, LEFT, START, END, DEPTH, SLOT = 0, 1, 2, 3, 4, 5, 6, 7
SLOPE, CURVATURE, GAIN, VALUE = 0, 1, 2, 3
ROOT = np.int64(0)  # typed: numba compiles a loop anew for a bare number
SLOPE_LEFT, CURVATURE_LEFT = 4, 5  # of the best split
SUM, COUNT, CURVED = 0, 1, 2  # entries of a bin
# Entries of `state`. The last two are the nodes whose histograms are due, -1 for none; READY says
# that of the smaller one is filled.
NODES, WAITING, FREE, READY, SMALL, LARGE = range(6)
LEAST, SLACK_OF_TREE = 0, 1  # entries of `bounds`: of a curvature, of the gain that counts as none
LEAVES, MAX_DEPTH, MIN_LEAF, DRAWN = 0, 1, 2, 3  # entries of `rules`
LEAST_CURVATURE = 1e-7  # of a child, as a share of the weight of all rows
SLACK = 1e-11


@njit(cache=True, nogil=True, _nrt=False)
def sum_columns(bins, rows, slopes, curvatures, counts, histogram):
    """Fill the histogram, shape (p, bins, 2 or 3), of some rows, whose slopes stand in their order.

    `counts`, (p, bins), are those of all rows, if these are; else it has no lines. Columns go in
    fours: while one sum waits for its memory, the others are added to.
    """
    p, is_flat = bins.shape[0], histogram.shape[2] == CURVED
    histogram[:] = 0.0
    for j in range(0, p - 3, 4):
        codes, own = bins[j : j + 4], histogram[j : j + 4]
        if counts.shape[0] > 0 and is_flat:
            _sum_four_of_all(codes, slopes, own)
        elif is_flat:
            _sum_four(codes, rows, slopes, own)
        elif counts.shape[0] > 0:
            _bend_four_of_all(codes, slopes, curvatures, own)
        else:
            _bend_four(codes, rows, slopes, curvatures, own)
    for j in range(p - p % 4, p):
        _sum_one(bins[j], rows, slopes, curvatures, histogram[j])
    for j in range(p - p % 4 if counts.shape[0] > 0 else 0):
        for b in range(histogram.shape[1]):
            histogram[j, b, COUNT] = counts[j, b]


@njit(cache=True, nogil=True, _nrt=False)
def _sum_four(codes, rows, slopes, own):
    for i in range(rows.shape[0]):
        row, slope = np.uint64(rows[i]), slopes[i]  # unsigned: no place from the end
        a, b, c, d = codes[0, row], codes[1, row], codes[2, row], codes[3, row]
        own[0, a, SUM] += slope
        own[0, a, COUNT] += 1.0
        own[1, b, SUM] += slope
        own[1, b, COUNT] += 1.0
        own[2, c, SUM] += slope
        own[2, c, COUNT] += 1.0
        own[3, d, SUM] += slope
        own[3, d, COUNT] += 1.0


@njit(cache=True, nogil=True, _nrt=False)
def _sum_four_of_all(codes, slopes, own):
    for i in range(slopes.shape[0]):
        row, slope = np.uint64(i), slopes[i]
        own[0, codes[0, row], SUM] += slope
        own[1, codes[1, row], SUM] += slope
        own[2, codes[2, row], SUM] += slope
        own[3, codes[3, row], SUM] += slope


@njit(cache=True, nogil=True, _nrt=False)
def _bend_four(codes, rows, slopes, curvatures, own):
    for i in range(rows.shape[0]):
        row, slope, bend = np.uint64(rows[i]), slopes[i], curvatures[i]
        a, b, c, d = codes[0, row], codes[1, row], codes[2, row], codes[3, row]
        own[0, a, SUM] += slope
        own[0, a, COUNT] += 1.0
        own[0, a, CURVED] += bend
        own[1, b, SUM] += slope
        own[1, b, COUNT] += 1.0
        own[1, b, CURVED] += bend
        own[2, c, SUM] += slope
        own[2, c, COUNT] += 1.0
        own[2, c, CURVED] += bend
        own[3, d, SUM] += slope
        own[3, d, COUNT] += 1.0
        own[3, d, CURVED] += bend


@njit(cache=True, nogil=True, _nrt=False)
def _bend_four_of_all(codes, slopes, curvatures, own):
    for i in range(slopes.shape[0]):
        row, slope, bend = np.uint64(i), slopes[i], curvatures[i]
        a, b, c, d = codes[0, row], codes[1, row], codes[2, row], codes[3, row]
        own[0, a, SUM] += slope
        own[0, a, CURVED] += bend
        own[1, b, SUM] += slope
        own[1, b, CURVED] += bend
        own[2, c, SUM] += slope
        own[2, c, CURVED] += bend
        own[3, d, SUM] += slope
        own[3, d, CURVED] += bend


@njit(cache=True, nogil=True, _nrt=False)
def _sum_one(codes, rows, slopes, curvatures, own):
    for i in range(rows.shape[0]):
        at = codes[np.uint64(rows[i])]
        own[at, SUM] += slopes[i]
        own[at, COUNT] += 1.0
        if own.shape[1] > CURVED:
            own[at, CURVED] += curvatures[i]


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
def _look(node, task, tree, sums, columns):
    """Find the best split of a node and write it down; returns whether there is one.

    Columns are looked at in their order, or in one at random until DRAWN of them were.
    """
    _, widths, _, _, _, rules, l2 = task
    lot, bounds, histograms, links, facts = tree
    p, histogram = widths.shape[0], histograms[links[node, SLOT]]
    is_drawn = rules[DRAWN] < p
    if facts[node, CURVATURE] < bounds[LEAST]:
        return False
    before = facts[node, SLOPE] ** 2 / (facts[node, CURVATURE] + l2)
    best = before
    for k in range(p):
        j = k
        if is_drawn:
            if k >= rules[DRAWN] and links[node, FEATURE] >= 0:
                break
            other = k + np.int64(_next(lot) % np.uint64(p - k))
            columns[k], columns[other] = columns[other], columns[k]
            j = columns[k]
        best = _scan(node, j, histogram[j], widths[j], rules, l2, bounds, best, sums, links, facts)
    facts[node, GAIN] = best - before
    return links[node, FEATURE] >= 0


@njit(cache=True, nogil=True, _nrt=False)
def _scan(node, j, own, width, rules, l2, bounds, best, sums, links, facts):
    """Try every cut of a column; note each that scores more than `best`, and return the most.

    Most columns have none: that is seen in passes without a branch, which take many bins at once.
    """
    n, lost, bent = links[node, END] - links[node, START], own[own.shape[0] - 1], own.shape[1] - 1
    total, curved, allowed = facts[node, SLOPE], facts[node, CURVATURE], (rules[MIN_LEAF], n)
    sides = 2 if lost[COUNT] > 0.0 else 1  # missing values go right; then left
    first, end = _sum_up(own, width, rules[MIN_LEAF] - lost[COUNT], n - rules[MIN_LEAF], sums)
    slope, count, curvature = sums[SUM, first:end], sums[COUNT, first:end], sums[bent, first:end]
    better, most, least = 0, best + bounds[SLACK_OF_TREE], bounds[LEAST]
    for side in range(sides):
        a, c, h = side * lost[SUM], side * lost[COUNT], side * lost[bent]
        left = slope, count, curvature, a, c, h
        better += _count_better(left, total, curved, allowed, least, l2, most)
    for at in range((end - first) * sides if better > 0 else 0):
        b, side = first + at // sides, at % sides
        if own[b, COUNT] == 0.0:
            continue
        a, c, h = sums[SUM, b], sums[COUNT, b], sums[bent, b]
        if side == 1:
            a, h, c = a + lost[SUM], h + lost[bent], c + lost[COUNT]
        rest, other = curved - h, total - a
        if c < rules[MIN_LEAF] or n - c < rules[MIN_LEAF] or h < least or rest < least:
            continue
        below = (h + l2) * (rest + l2)
        above = a * a * (rest + l2) + other * other * (h + l2)
        if above > most * below:
            best = above / below
            most = best + bounds[SLACK_OF_TREE]
            links[node, FEATURE], links[node, BIN], links[node, MISSING] = j, b, side
            facts[node, SLOPE_LEFT], facts[node, CURVATURE_LEFT] = a, h
    return best


@njit(cache=True, nogil=True, _nrt=False)
def _sum_up(own, width, few, most, sums):
    """Fill `sums`, shape (2 or 3, bins), with those up to each bin; returns the first with `few`
    rows and that with more than `most`, where it ends: cuts elsewhere leave a side too small."""
    slope, count, curvature, bent = 0.0, 0.0, 0.0, own.shape[1] - 1
    first = 0
    for b in range(width):
        count += own[b, COUNT]
        if count > most:
            return first, b
        slope += own[b, SUM]
        curvature += own[b, bent]
        sums[SUM, b], sums[COUNT, b], sums[bent, b] = slope, count, curvature
        first += count < few
    return first, width


@njit(cache=True, nogil=True, _nrt=False)
def _count_better(left, total, curved, allowed, least, l2, most):
    """How many cuts of a column score more than `most`, by what lies left of each."""
    slope, count, curvature, more_slope, more_count, more_curvature = left
    min_leaf, n = float(allowed[0]), float(allowed[1])
    better = 0
    for b in range(slope.shape[0]):
        a, c, h = slope[b] + more_slope, count[b] + more_count, curvature[b] + more_curvature
        rest, other = curved - h, total - a
        is_better = (c >= min_leaf) & (n - c >= min_leaf) & (h >= least) & (rest >= least)
        h, rest = h + l2, rest + l2
        is_better &= a * a * rest + other * other * h > most * (h * rest)
        better += is_better
    return better


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
def _born(node, start, end, depth, slope, curvature, links, facts):
    """Write down what a node holds; `slope` and `curvature` are those of all its rows."""
    links[node, FEATURE], links[node, LEFT], links[node, SLOT] = -1, -1, -1
    links[node, BIN], links[node, MISSING] = 0, 0
    links[node, START], links[node, END], links[node, DEPTH] = start, end, depth
    facts[node, SLOPE], facts[node, CURVATURE], facts[node, GAIN] = slope, curvature, 0.0


@njit(cache=True, nogil=True, _nrt=False)
def _summed(rows, slope, curvature, is_flat):
    """The slope, the curvature and the squared slopes of some rows; `is_flat` says that each row
    bends by 1."""
    a, h, squares = 0.0, float(rows.shape[0]) if is_flat else 0.0, 0.0
    for row in rows:
        own = slope[np.uint64(row)]
        a += own
        squares += own * own
    for row in rows[rows.shape[0] if is_flat else 0 :]:
        h += curvature[np.uint64(row)]
    return a, h, squares


@njit(cache=True, nogil=True, _nrt=False)
def _splittable(node, rules, links):
    """Whether the limits allow that a node is split."""
    size = links[node, END] - links[node, START]
    is_deep = rules[MAX_DEPTH] > 0 and links[node, DEPTH] >= rules[MAX_DEPTH]
    return size >= 2 * rules[MIN_LEAF] and not is_deep


@njit(cache=True, nogil=True, _nrt=False)
def _taken(waiting, state, best_first, facts):
    """Take the node to split next out of those that wait: the best, or the last."""
    state[WAITING] -= 1
    at = last = state[WAITING]
    if best_first:
        at = 0
        for k in range(1, last + 1):
            gain, most = facts[waiting[k], GAIN], facts[waiting[at], GAIN]
            if gain > most or (gain == most and waiting[k] < waiting[at]):
                at = k
    node = waiting[at]
    waiting[at] = waiting[last]
    return node


@njit(cache=True, nogil=True, _nrt=False)
def plant(task, tree, room):
    """Begin a tree with a root that holds all rows."""
    _, _, rows, slope, curvature, rules, _ = task
    _, bounds, histograms, links, facts = tree
    columns, _, free, state = room[-4:]
    for j in range(columns.shape[0]):
        columns[j] = j
    is_flat = histograms.shape[3] == CURVED
    m = rows.shape[0]
    a, h, squares = _summed(rows, slope, curvature, is_flat)
    _born(ROOT, ROOT, m, ROOT, a, h, links, facts)
    for slot in range(free.shape[0]):
        free[slot] = slot
    bounds[LEAST] = LEAST_CURVATURE * m
    bounds[SLACK_OF_TREE] = SLACK * squares * m / max(facts[0, CURVATURE], bounds[LEAST])
    state[NODES], state[WAITING], state[FREE] = 1, 0, free.shape[0]
    state[READY], state[SMALL], state[LARGE] = 0, -1, -1
    if _splittable(ROOT, rules, links):
        links[0, SLOT], state[SMALL] = _slot(free, state), 0
        _gather(ROOT, task, links, room)


@njit(cache=True, nogil=True, _nrt=False)
def grow(most, task, tree, room):
    """Grow until the tree is done, or until a histogram is due that sums more than `most` values.

    Returns whether it is: then whoever called fills that of the node SMALL, and says READY. With
    LEAVES the best split is made first. Without, the smaller child is split first, so few
    histograms are held at a time: there must be LEAVES + 1, or 3 + log2 of the rows.
    """
    bins, _, rows, slope, curvature, rules, _ = task
    _, _, histograms, links, facts = tree
    counts, slopes, curvatures, _, _, _, waiting, _, state = room
    while True:
        small = state[SMALL]
        if small >= 0:
            start, end = links[small, START], links[small, END]
            if state[READY] == 0 and (end - start) * bins.shape[0] > most:
                return True
            if state[READY] == 0:
                own = histograms[links[small, SLOT]]
                size = end - start
                known = counts if small == 0 else counts[:0]
                sum_columns(bins, rows[start:end], slopes[:size], curvatures[:size], known, own)
            _consider(task, tree, room)
        is_full = rules[LEAVES] > 0 and (state[NODES] + 1) // 2 >= rules[LEAVES]
        if state[WAITING] == 0 or is_full:
            break
        _split(_taken(waiting, state, rules[LEAVES] > 0, facts), task, tree, room)
    _finish(state[NODES], rows, slope, curvature, histograms.shape[3] == CURVED, links, facts)
    return False


@njit(cache=True, nogil=True, _nrt=False)
def _gather(node, task, links, room):
    """Put the slopes and curvatures of the rows of a node side by side."""
    _, _, rows, slope, curvature, _, _ = task
    slopes, curvatures = room[1:3]
    start = links[node, START]
    for i in range(links[node, END] - start):
        row = np.uint64(rows[start + i])
        slopes[i], curvatures[i] = slope[row], curvature[row]


@njit(cache=True, nogil=True, _nrt=False)
def _slot(free, state):
    """A histogram that nobody holds."""
    state[FREE] -= 1
    return free[state[FREE]]


@njit(cache=True, nogil=True, _nrt=False)
def _freed(slot, free, state):
    free[state[FREE]] = slot
    state[FREE] += 1


@njit(cache=True, nogil=True, _nrt=False)
def _split(node, task, tree, room):
    """Part the rows of a node; the histograms of its children are due next, if any is split."""
    bins, _, rows, _, _, rules, _ = task
    _, _, histograms, links, facts = tree
    spare, free, state = room[3], room[-2], room[-1]
    missing, slot = histograms.shape[2] - 1, links[node, SLOT]
    left, right = state[NODES], state[NODES] + 1
    state[NODES] += 2
    links[node, LEFT] = left
    start, end, j = links[node, START], links[node, END], links[node, FEATURE]
    middle = start + _parted(
        bins[j], links[node, BIN], missing, links[node, MISSING], rows[start:end], spare
    )
    if histograms[slot, j, missing, COUNT] == 0.0:  # as most rows go
        links[node, MISSING] = 1 if 2 * (middle - start) >= end - start else 0
    depth, a, h = links[node, DEPTH] + 1, facts[node, SLOPE_LEFT], facts[node, CURVATURE_LEFT]
    rest, bent = facts[node, SLOPE] - a, facts[node, CURVATURE] - h
    _born(left, start, middle, depth, a, h, links, facts)
    _born(right, middle, end, depth, rest, bent, links, facts)
    small, large = (left, right) if 2 * (middle - start) < end - start else (right, left)
    is_last = rules[LEAVES] > 0 and (state[NODES] + 1) // 2 >= rules[LEAVES]
    state[SMALL], state[LARGE] = -1, -1
    if is_last or not _splittable(large, rules, links):  # then the smaller is not either
        _freed(slot, free, state)
        return
    links[large, SLOT], links[small, SLOT] = slot, _slot(free, state)
    state[SMALL], state[LARGE] = small, large
    _gather(small, task, links, room)


@njit(cache=True, nogil=True, _nrt=False)
def _consider(task, tree, room):
    """Look for the best splits of the nodes whose histograms were due, and let them wait."""
    histograms, links = tree[2], tree[3]
    waiting, free, state = room[-3:]
    small, large = state[SMALL], state[LARGE]
    state[READY], state[SMALL], state[LARGE] = 0, -1, -1
    if large >= 0:
        _less(histograms[links[large, SLOT]], histograms[links[small, SLOT]])
    for node in (large, small):  # the smaller waits last, so it is split first
        if node < 0:
            continue
        if _splittable(node, task[-2], links) and _look(node, task, tree, *room[4:6]):
            waiting[state[WAITING]] = node
            state[WAITING] += 1
        else:
            _freed(links[node, SLOT], free, state)


@njit(cache=True, nogil=True, _nrt=False)
def _less(above, below):
    """The histogram of the larger child, in place of that of the parent."""
    a, b = above.reshape(-1), below.reshape(-1)
    for k in range(a.shape[0]):
        a[k] -= b[k]


@njit(cache=True, nogil=True, _nrt=False)
def _finish(nodes, rows, slope, curvature, is_flat, links, facts):
    """What waits in vain is a leaf. Sums of leaves are taken anew: those of their histograms are
    what is left of sums of all rows."""
    for node in range(nodes):
        if links[node, LEFT] < 0:
            own = rows[links[node, START] : links[node, END]]
            a, h, _ = _summed(own, slope, curvature, is_flat)
            facts[node, SLOPE], facts[node, CURVATURE] = a, h
            links[node, FEATURE], facts[node, GAIN] = -1, 0.0


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
