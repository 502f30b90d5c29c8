"""Compiled loops of trees: growing best first, and sending rows to leaves.

Growing works on `order`, shape (p + 1, n): for each column the rows by ascending value, and
`sorted`, shape (p, n), the values in that order, missing ones last. The rows of a node stand
together in every column, from START to END; splitting a node parts this range in all columns and
keeps the order within. A node of few rows is quicker sorted anew than kept in order, so below
SMALL only the last line of `order`, which holds the rows in any order, is parted.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Columns of `links` and `facts`, which hold the nodes.
FEATURE, LEFT, RIGHT, START, END, DEPTH, LABEL, MISSING = 0, 1, 2, 3, 4, 5, 6, 7
WEIGHT, RISK, GAIN, CUT, MEAN = 0, 1, 2, 3, 4
# Entries of `rules`.
KIND, MIN_SPLIT, MIN_LEAF, MAX_DEPTH, ZERO_GAIN, ORDERED = 0, 1, 2, 3, 4, 5
# Criteria (KIND). Those below SQUARED are of classes, whose codes are in `y`.
GINI, ENTROPY, MISCLASSIFICATION, GAIN_RATIO, SQUARED = 0, 1, 2, 3, 4
NODES, WAITING = 0, 1  # entries of `state`
SLACK = 1e-11  # gains that differ by less, relative to the risk of the node, are equal
SMALL = 32  # rows


@njit(cache=True, nogil=True)
def _xlogx(x):
    return x * np.log(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _gain(total, left, weight, weight_left, risk, kind):
    """Fall of the risk (weight x impurity) when `left` is split from `total`."""
    weight_right = weight - weight_left
    if weight_left <= 0.0 or weight_right <= 0.0:
        return -np.inf
    if kind == SQUARED:
        gap = left[0] * weight_right - (total[0] - left[0]) * weight_left
        return gap * gap / (weight_left * weight_right * weight)
    a, b = 0.0, 0.0
    if kind == GINI:
        for k in range(left.shape[0]):
            other = total[k] - left[k]
            a += left[k] * left[k]
            b += other * other
        return risk - (weight_left - a / weight_left) - (weight_right - b / weight_right)
    if kind == MISCLASSIFICATION:
        for k in range(left.shape[0]):
            a = max(a, left[k])
            b = max(b, total[k] - left[k])
        return risk - (weight_left - a) - (weight_right - b)
    for k in range(left.shape[0]):
        a += _xlogx(left[k])
        b += _xlogx(total[k] - left[k])
    return risk - (_xlogx(weight_left) - a) - (_xlogx(weight_right) - b)


@njit(cache=True, nogil=True)
def _score(gain, weight, weight_left, kind, floor):
    """The score of a cut: the gain, or its ratio to the entropy of the split itself."""
    if kind != GAIN_RATIO:
        return gain
    if gain < floor:
        return -np.inf
    parting = _xlogx(weight) - _xlogx(weight_left) - _xlogx(weight - weight_left)
    return gain / parting


@njit(cache=True, nogil=True)
def _add(left, row, y, w, kind):
    if kind == SQUARED:
        left[0] += w[row] * y[row]
    else:
        left[int(y[row])] += w[row]


@njit(cache=True, nogil=True)
def _scan(values, rows, y, w, total, left, node, kind, min_leaf, floor, best, tally):
    """Try every cut of a column of numbers; fill `best` (score, gain, cut, missing side) if one
    is better, `tally` with the sum and the number of positive gains.

    `values` and `rows` are those of the node, `node` its weight and risk.
    """
    n, present = values.shape[0], values.shape[0]
    while present > 0 and np.isnan(values[present - 1]):
        present -= 1
    if present == n and kind == SQUARED:
        _scan_squares(values, rows, y, w, total[0], node, min_leaf, best)
        return
    weight, risk = node[0], node[1]
    slack = SLACK * risk
    for side in range(2 if present < n else 1):  # missing values go right; then left
        left[:] = 0.0
        weight_left, count = 0.0, 0
        if side == 1:
            for k in range(present, n):
                _add(left, rows[k], y, w, kind)
                weight_left += w[rows[k]]
            count = n - present
        # After the last number there is a cut only if missing values stand on the other side.
        last = present if side == 0 and present < n else present - 1
        for k in range(last):
            row = rows[k]
            _add(left, row, y, w, kind)
            weight_left += w[row]
            count += 1
            if k + 1 < present and values[k + 1] == values[k]:
                continue
            if count < min_leaf or n - count < min_leaf:
                continue
            gain = _gain(total, left, weight, weight_left, risk, kind)
            if gain > slack:
                tally[0] += gain
                tally[1] += 1.0
            score = _score(gain, weight, weight_left, kind, floor)
            if score > best[0] + (slack if kind != GAIN_RATIO else SLACK):
                best[0], best[1], best[3] = score, gain, side
                best[2] = _cut(values[k], values[k + 1]) if k + 1 < present else np.inf


@njit(cache=True, nogil=True)
def _scan_squares(values, rows, y, w, total, node, min_leaf, best):
    """`_scan` for squared error without missing values, where two sums suffice."""
    n, weight = values.shape[0], node[0]
    slack = SLACK * node[1]
    sum_left, weight_left, most = 0.0, 0.0, best[0] + slack
    for k in range(n - 1):
        row = rows[k]
        sum_left += w[row] * y[row]
        weight_left += w[row]
        if values[k + 1] == values[k] or k + 1 < min_leaf or n - k - 1 < min_leaf:
            continue
        weight_right = weight - weight_left
        gap = sum_left * weight_right - (total - sum_left) * weight_left
        below = weight_left * weight_right * weight
        if gap * gap > most * below and below > 0.0:
            gain = gap * gap / below
            most = gain + slack
            best[0], best[1], best[2], best[3] = gain, gain, _cut(values[k], values[k + 1]), 0.0


@njit(cache=True, nogil=True)
def _cut(low, high):
    """The midpoint, or the lower value where the midpoint rounds to the upper one."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@njit(cache=True, nogil=True)
def _scan_levels(
    values,
    rows,
    y,
    w,
    total,
    node,
    kind,
    min_leaf,
    ordered,
    floor,
    n_levels,
    best,
    tally,
    chosen,
):
    """Try partings of the levels of a column of names; fill `chosen` with those that go left.

    In order of their mean response each prefix is tried; otherwise each level against the rest.
    A missing value is a level of its own, the last.
    """  # fmt: skip
    n, weight, risk = values.shape[0], node[0], node[1]
    K = total.shape[0]
    sums = np.zeros((n_levels + 1, K))
    weights, counts = np.zeros(n_levels + 1), np.zeros(n_levels + 1, np.int64)
    for k in range(n):
        level = n_levels if np.isnan(values[k]) else int(values[k])
        _add(sums[level], rows[k], y, w, kind)
        weights[level] += w[rows[k]]
        counts[level] += 1
    here = np.flatnonzero(counts)
    if ordered:
        response = sums[here, K - 1] / weights[here]
        here = here[np.argsort(response, kind="mergesort")]
    slack = SLACK * risk
    left = np.zeros(K)
    weight_left, count = 0.0, 0
    for k in range(here.shape[0]):
        level = here[k]
        if not ordered:
            left[:], weight_left, count = 0.0, 0.0, 0
        left += sums[level]
        weight_left += weights[level]
        count += counts[level]
        if count < min_leaf or n - count < min_leaf or count == n:
            continue
        gain = _gain(total, left, weight, weight_left, risk, kind)
        if gain > slack:
            tally[0] += gain
            tally[1] += 1.0
        score = _score(gain, weight, weight_left, kind, floor)
        if score > best[0] + (slack if kind != GAIN_RATIO else SLACK):
            best[0], best[1], best[2], best[3] = score, gain, 0.0, 0
            chosen[:] = 0
            for j in range(0 if ordered else k, k + 1):
                chosen[here[j]] = 1
            larger = 1 if 2 * count >= n else 0
            for j in range(n_levels + 1):  # a level that is not here goes with most rows
                if counts[j] == 0:
                    chosen[j] = larger


@njit(cache=True, nogil=True)
def _sorted_anew(X, f, rows, values, placed):
    """Fill `values` and `placed` with the values of a few rows, ascending, missing ones last."""
    for k in range(rows.shape[0]):
        value, j = X[rows[k], f], k
        while j > 0 and (values[j - 1] > value or (np.isnan(values[j - 1]) and value == value)):
            values[j], placed[j] = values[j - 1], placed[j - 1]
            j -= 1
        values[j], placed[j] = value, rows[k]


@njit(cache=True, nogil=True)
def _look(node, X, order, sorted, n_levels, y, w, rules, links, facts, values, levels):
    """Find the best split of a node and store it; returns whether there is one."""
    start, end = links[node, START], links[node, END]
    total, p, kind = values[node], sorted.shape[0], rules[KIND]
    about = np.array([facts[node, WEIGHT], facts[node, RISK]])
    left, trial = np.empty(total.shape[0]), np.zeros(levels.shape[1], np.uint8)
    best, tally = np.empty(4), np.zeros(2)
    x_own, rows_own = np.empty(SMALL), np.empty(SMALL, np.int32)
    ordered = rules[ORDERED] == 1 and (kind == SQUARED or total.shape[0] == 2)
    floor = 0.0
    # The ratio is compared among cuts of at least average gain, so their mean is found first.
    for scan in range(2 if kind == GAIN_RATIO else 1):
        now = ENTROPY if kind == GAIN_RATIO and scan == 0 else kind
        best[:] = -np.inf
        links[node, FEATURE] = -1
        for f in range(p):
            before = best[0]
            x, rows = sorted[f, start:end], order[f, start:end]
            if end - start <= SMALL:
                x, rows = x_own[: end - start], rows_own[: end - start]
                _sorted_anew(X, f, order[p, start:end], x, rows)
            if x[0] == x[-1]:
                continue
            if n_levels[f] > 0:
                _scan_levels(
                    x, rows, y, w, total, about, now, rules[MIN_LEAF], ordered, floor,
                    n_levels[f], best, tally, trial,
                )  # fmt: skip
            else:
                _scan(x, rows, y, w, total, left, about, now, rules[MIN_LEAF], floor, best, tally)
            if best[0] > before:
                links[node, FEATURE] = f
                if n_levels[f] > 0:
                    levels[node] = trial
        floor = tally[0] / tally[1] * (1 - SLACK) if tally[1] > 0 else 0.0
    facts[node, GAIN], facts[node, CUT], links[node, MISSING] = best[1], best[2], int(best[3] == 1)
    return links[node, FEATURE] >= 0


@njit(cache=True, nogil=True)
def _born(node, rows, y, w, kind, links, facts, values, parent):
    """Store weight, risk and prediction of a node; returns whether its targets differ."""
    values[node] = 0.0
    weight = 0.0
    for row in rows:
        _add(values[node], row, y, w, kind)
        weight += w[row]
    facts[node, WEIGHT], facts[node, GAIN], facts[node, CUT] = weight, 0.0, 0.0
    links[node, FEATURE], links[node, LEFT], links[node, RIGHT] = -1, -1, -1
    links[node, LABEL], links[node, MISSING] = 0, 0
    if kind == SQUARED:
        mean, risk, differs = values[node, 0] / weight, 0.0, False
        for row in rows:
            gap = y[row] - mean
            risk += w[row] * gap * gap
            differs = differs or y[row] != y[rows[0]]
        facts[node, RISK], facts[node, MEAN] = risk, mean
        return differs
    facts[node, RISK] = risk_of(values[node], weight, kind)
    most, kinds, label = 0.0, 0, 0
    for k in range(values.shape[1]):
        kinds += values[node, k] > 0
        if values[node, k] > most:
            most, label = values[node, k], k
    if parent >= 0 and values[node, links[parent, LABEL]] == most:
        label = links[parent, LABEL]  # a tie: as in the node above
    links[node, LABEL], facts[node, MEAN] = label, 0.0
    return kinds > 1


@njit(cache=True, nogil=True)
def risk_of(counts, weight, kind):
    """Weight times impurity of classes with these weights, shape (K,), whose sum is `weight`."""
    a = 0.0
    for count in counts:
        if kind == GINI:
            a += count * count / weight
        elif kind == MISCLASSIFICATION:
            a = max(a, count)
        else:
            a += _xlogx(count)
    return (_xlogx(weight) if kind in (ENTROPY, GAIN_RATIO) else weight) - a


@njit(cache=True, nogil=True)
def _before(a, b, facts):
    """Whether node a is split before node b."""
    return facts[a, GAIN] > facts[b, GAIN] or (facts[a, GAIN] == facts[b, GAIN] and a < b)


@njit(cache=True, nogil=True)
def _push(heap, state, node, facts):
    at = state[WAITING]
    state[WAITING] += 1
    heap[at] = node
    while at > 0 and _before(heap[at], heap[(at - 1) // 2], facts):
        up = (at - 1) // 2
        heap[at], heap[up] = heap[up], heap[at]
        at = up


@njit(cache=True, nogil=True)
def _pop(heap, state, facts):
    first = heap[0]
    state[WAITING] -= 1
    size = state[WAITING]
    heap[0] = heap[size]
    at = 0
    while True:
        down = 2 * at + 1
        if down >= size:
            return first
        if down + 1 < size and _before(heap[down + 1], heap[down], facts):
            down += 1
        if not _before(heap[down], heap[at], facts):
            return first
        heap[at], heap[down] = heap[down], heap[at]
        at = down


@njit(cache=True, nogil=True)
def _considered(
    node, differs, least, X, order, sorted, n_levels, y, w, rules, heap, state, links, facts,
    values, levels,
):  # fmt: skip
    """Find the best split of a new node and let the node wait to be split."""
    if not _splittable(node, differs, rules, links):
        return
    has_split = _look(node, X, order, sorted, n_levels, y, w, rules, links, facts, values, levels)
    enough = max(least, SLACK * facts[node, RISK])
    if has_split and (facts[node, GAIN] > enough or rules[ZERO_GAIN] == 1):
        _push(heap, state, node, facts)
    else:
        links[node, FEATURE] = -1


@njit(cache=True, nogil=True)
def _splittable(node, differs, rules, links):
    size = links[node, END] - links[node, START]
    is_large = size >= rules[MIN_SPLIT] and size >= 2 * rules[MIN_LEAF]
    return differs and is_large and (rules[MAX_DEPTH] == 0 or links[node, DEPTH] < rules[MAX_DEPTH])


@njit(cache=True, nogil=True)
def plant(
    X, order, sorted, n_levels, y, w, rules, least, heap, state, links, facts, values, levels
):
    """Make the root and look for its best split, which must gain more than `least`."""
    links[0, START], links[0, END], links[0, DEPTH] = 0, order.shape[1], 0
    differs = _born(0, order[-1], y, w, rules[KIND], links, facts, values, -1)
    state[NODES], state[WAITING] = 1, 0
    _considered(
        0, differs, least, X, order, sorted, n_levels, y, w, rules, heap, state, links, facts,
        values, levels,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def grow(
    splits, X, order, sorted, n_levels, y, w, rules, least, heap, state, links, facts, values,
    levels,
):  # fmt: skip
    """Split the waiting node with the largest gain, at most `splits` times; returns how often."""
    p, n = sorted.shape
    side, spare, spare_values = np.empty(n, np.uint8), np.empty(n, np.int32), np.empty(n)
    for done in range(splits):
        if state[WAITING] == 0:
            return done
        node = _pop(heap, state, facts)
        left, right = state[NODES], state[NODES] + 1
        state[NODES] += 2
        start, end = links[node, START], links[node, END]
        middle = _sided(node, X, order[p, start:end], n_levels, links, facts, levels, side)
        middle += start
        _parted_rows(order[p, start:end], side, spare)
        links[node, LEFT], links[node, RIGHT] = left, right
        links[left, START], links[left, END] = start, middle
        links[right, START], links[right, END] = middle, end
        links[left, DEPTH] = links[right, DEPTH] = links[node, DEPTH] + 1
        a = _born(left, order[p, start:middle], y, w, rules[KIND], links, facts, values, node)
        b = _born(right, order[p, middle:end], y, w, rules[KIND], links, facts, values, node)
        # Nobody reads the order of values within leaves and within small nodes.
        if (_splittable(left, a, rules, links) and middle - start > SMALL) or (
            _splittable(right, b, rules, links) and end - middle > SMALL
        ):
            for f in range(p):
                _parted(order[f], sorted[f], start, end, side, spare, spare_values)
        for child, differs in ((left, a), (right, b)):
            _considered(
                child, differs, least, X, order, sorted, n_levels, y, w, rules, heap, state, links,
                facts, values, levels,
            )  # fmt: skip
    return splits


@njit(cache=True, nogil=True)
def _sided(node, X, rows, n_levels, links, facts, levels, side):
    """Fill `side` with 1 for the rows of the node that go left, 0 for the others; how many do.

    Settles where a missing value goes: where it was learned to, else with most rows.
    """
    f, count, is_known = links[node, FEATURE], 0, False
    for row in rows:
        side[row] = _goes_left(
            X[row, f], n_levels[f], facts[node, CUT], links[node, MISSING], levels, node
        )
        count += side[row]
        is_known = is_known or np.isnan(X[row, f])
    if not is_known:
        links[node, MISSING] = 1 if 2 * count >= rows.shape[0] else 0
    return count


@njit(cache=True, nogil=True)
def _goes_left(value, n_levels, cut, missing_left, levels, node):
    if n_levels > 0:
        return levels[node, n_levels if np.isnan(value) else int(value)]
    if np.isnan(value):
        return np.uint8(missing_left)
    return np.uint8(value <= cut)


@njit(cache=True, nogil=True)
def _parted_rows(rows, side, spare):
    """Move the rows that go left to the front, keeping the order on both sides."""
    a, b = 0, 0
    for row in rows:
        rows[a], spare[b] = row, row
        a += side[row]
        b += 1 - side[row]
    rows[a:] = spare[:b]


@njit(cache=True, nogil=True)
def _parted(rows, values, start, end, side, spare, spare_values):
    """The same for a column, with its values."""
    a, b = start, 0
    for k in range(start, end):
        row, value = rows[k], values[k]
        goes = side[row]
        # Both places are written and one index moves: a branch would be mispredicted every time.
        rows[a], values[a] = row, value
        spare[b], spare_values[b] = row, value
        a += goes
        b += 1 - goes
    rows[a:end], values[a:end] = spare[:b], spare_values[:b]


@njit(cache=True, nogil=True)
def route(X, questions, cut, n_levels, levels, leaf):
    """Fill `leaf` with the node in which each row of X ends.

    `questions` holds column, left node (the right one is the next), where a missing value goes,
    and whether the column holds names.
    """
    for i in range(X.shape[0]):
        node = 0
        below = questions[node, 1]
        while below >= 0:
            value = X[i, questions[node, 0]]
            goes = value <= cut[node]
            if questions[node, 3] or value != value:
                levels_here = n_levels[questions[node, 0]]
                goes = (
                    _goes_left(value, levels_here, cut[node], questions[node, 2], levels, node) > 0
                )
            node = below + (0 if goes else 1)
            below = questions[node, 1]
        leaf[i] = node
