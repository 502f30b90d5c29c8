"""Compiled loops of trees: growing best first.

Growing works on X, shape (p, n), and on the last line of `order`, which holds the rows of the tree:
those of a node stand together, ascending, from START to END, and a split parts this range. Where
all columns are tried, `order` has also the rows by ascending value of each, and `sorted`, shape
(p, n), these values, missing ones last, parted alike. A node of few rows is quicker sorted anew, so
below SMALL they are not. A tree of a forest tries some columns in a node, and there sorts these by
the `ranks` of their values, shape (p, n), or cuts each anywhere; with more than MAX_BINS rows it
adds up the bins of their values, `codes` of shape (p, n), and cuts between two of these. `ends`,
shape (2, p, BINS), holds the least and the largest value of each bin.

`rows` is (X, order, sorted, n_levels, y, w, rules), `lots` (ranks, known, codes, ends, columns,
seed, floats, wholes, small, marks, sums), of which the last five are room and `known` says how many
ranks of a column are of values, `nodes` (heap, state, links, facts, values, levels).
`about` holds weight and risk of a node, `best` score, gain, cut and missing side of its best split
so far, `tally` sum and number of positive gains.

Kernels that make no array count no references to any (`_nrt=False`): small ones are called so often
that counting took most of the time, and threads that share arrays waited for each other.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

# Columns of `links` and `facts`, which hold the nodes.
FEATURE, LEFT, RIGHT, START, END, DEPTH, LABEL, MISSING = 0, 1, 2, 3, 4, 5, 6, 7
WEIGHT, RISK, GAIN, CUT, MEAN = 0, 1, 2, 3, 4
# Entries of `rules`.
KIND, MIN_SPLIT, MIN_LEAF, MAX_DEPTH, ZERO_GAIN, ORDERED, TRIED, ANYWHERE, WHOLE, LEAVES = range(10)
MAX_BINS = 10  # 0 where every cut is tried
NEWEST_FIRST = 11  # the newest node is split next: its rows are in the cache
BINS = 256  # of a column, the last of missing values
# Criteria (KIND). Those below SQUARED are of classes, whose codes are in `y`.
GINI, ENTROPY, MISCLASSIFICATION, GAIN_RATIO, SQUARED = 0, 1, 2, 3, 4
NODES, WAITING = 0, 1  # entries of `state`
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
ROOT, NONE, LEFT_SIDE = np.int64(0), np.int64(-1), np.int64(0)
SLACK = 1e-11  # gains that differ by less, relative to the risk of the node, are equal
SMALL = 32  # rows
FEW = 8  # classes
ANY_ORDER = {"reassoc"}  # of additions


@njit(cache=True, nogil=True, _nrt=False)
def _xlogx(x):
    return x * np.log(x) if x > 0.0 else 0.0


@njit(cache=True, nogil=True, _nrt=False)
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


@njit(cache=True, nogil=True, _nrt=False)
def _is_better(total, left, about, weight_left, kind, floor, cut, side, best, tally):
    """Count a parting in `tally` if it gains; write it into `best` if nothing was better so far.

    The score is the gain, or its ratio to the entropy of the parting among those above the floor.
    """
    weight, slack = about[0], SLACK * about[1]
    gain = _gain(total, left, weight, weight_left, about[1], kind)
    if gain > slack:
        tally[0] += gain
        tally[1] += 1.0
    score = gain
    if kind == GAIN_RATIO:
        slack = SLACK
        parting = _xlogx(weight) - _xlogx(weight_left) - _xlogx(weight - weight_left)
        score = gain / parting if gain >= floor else -np.inf
    if score > best[0] + slack:
        best[0], best[1], best[2], best[3] = score, gain, cut, side
        return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def _add(left, row, y, w, kind):
    if kind == SQUARED:
        left[0] += w[row] * y[row]
    else:
        left[int(y[row])] += w[row]


@njit(cache=True, nogil=True, _nrt=False)
def _scan(values, rows, y, w, total, left, about, kind, whole, min_leaf, floor, best, tally):
    """Try every cut of a column of numbers with these sorted values, found in these rows.

    A cut is told by the place of the last value below it.
    """
    n, present = values.shape[0], values.shape[0]
    if values[0] == values[n - 1]:
        return
    while present > 0 and np.isnan(values[present - 1]):
        present -= 1
    if present == n and kind == SQUARED:
        _scan_squares(values, rows, y, w, total[0], about, min_leaf, best)
        return
    if present == n and kind == GINI and whole:
        _scan_gini(values, rows, y, w, total, left, about, min_leaf, best)
        return
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
            if count >= min_leaf and n - count >= min_leaf:
                at = k if k + 1 < present else np.inf
                _is_better(total, left, about, weight_left, kind, floor, at, side, best, tally)


@njit(cache=True, nogil=True, _nrt=False)
def _scan_squares(values, rows, y, w, total, node, min_leaf, best):
    """`_scan` for squared error without missing values, where two sums suffice."""
    n, weight = values.shape[0], node[0]
    slack = SLACK * node[1]
    sum_left, weight_left, most = 0.0, 0.0, best[0] + slack
    for k in range(n - 1):
        row = np.uint64(rows[k])  # unsigned, here and below: no place from the end
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
            best[0], best[1], best[2], best[3] = gain, gain, k, 0.0


@njit(cache=True, nogil=True, _nrt=False)
def _scan_gini(values, rows, y, w, total, left, about, min_leaf, best):
    """`_scan` for the Gini index without missing values and with whole weights, whose squares are
    exact: so their sums can be updated from cut to cut."""
    n, weight, risk, slack = values.shape[0], about[0], about[1], SLACK * about[1]
    squares_left, squares_right, weight_left, most = 0.0, 0.0, 0.0, best[0] + slack
    least = (most + weight - risk) * (1.0 - 1e-12)
    left[:] = 0.0
    for k in range(total.shape[0]):
        squares_right += total[k] * total[k]
    for k in range(n - 1):
        row = np.uint64(rows[k])
        own, c = w[row], np.uint64(y[row])
        squares_left += own * (2.0 * left[c] + own)
        squares_right -= own * (2.0 * (total[c] - left[c]) - own)
        left[c] += own
        weight_left += own
        if values[k + 1] == values[k] or k + 1 < min_leaf or n - k - 1 < min_leaf:
            continue
        other = weight - weight_left
        # As `gain > most` below, but that two divisions are waited for only where it gains.
        if squares_left * other + squares_right * weight_left < least * weight_left * other:
            continue
        gain = risk - (weight_left - squares_left / weight_left) - (other - squares_right / other)
        if gain > most:
            most = gain + slack
            least = (most + weight - risk) * (1.0 - 1e-12)
            best[0], best[1], best[2], best[3] = gain, gain, k, 0.0


@njit(cache=True, nogil=True, _nrt=False)
def _cut(low, high):
    """The midpoint, or the lower value where the midpoint rounds to the upper one."""
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@njit(cache=True, nogil=True, _nrt=False)
def _scan_bins(codes, rows, y, w, total, left, about, kind, min_leaf, floor, sums, best, tally):
    """Try the cuts between the bins of a column; y and w stand in the order of the rows.

    A cut is told by the bins on both sides of it, as below * BINS + above.
    """
    K, n = total.shape[0], rows.shape[0]
    sums[:] = 0.0
    _sum_bins(codes, rows, y, w, kind, sums)
    lost = sums[BINS - 1]
    n_lost = int(lost[K + 1])
    for side in range(2 if n_lost > 0 else 1):  # missing values go right; then left
        left[:] = 0.0
        weight_left, count, below = 0.0, 0, -1
        if side == 1:
            weight_left, count = lost[K], n_lost
            for k in range(K):
                left[k] = lost[k]
        for b in range(BINS - 1):
            own = int(sums[b, K + 1])
            if own == 0:
                continue
            is_allowed = below >= 0 and count >= min_leaf and n - count >= min_leaf
            if is_allowed and _may_gain(total, left, about, weight_left, kind, best):
                at = float(below * BINS + b)
                _is_better(total, left, about, weight_left, kind, floor, at, side, best, tally)
            for k in range(K):
                left[k] += sums[b, k]
            weight_left += sums[b, K]
            count, below = count + own, b
        if side == 0 and 0 < n_lost < n and count >= min_leaf and n_lost >= min_leaf:
            at = np.inf  # told from those between bins
            _is_better(total, left, about, weight_left, kind, floor, at, side, best, tally)


@njit(cache=True, nogil=True, _nrt=False)
def _sum_bins(codes, rows, y, w, kind, sums):
    """Add up the bins of a column: weights of the classes, or sum of the target; weight; rows."""
    K = sums.shape[1] - 2
    if kind == SQUARED:
        for k in range(rows.shape[0]):
            b = codes[np.uint64(rows[k])]
            sums[b, 0] += w[k] * y[k]
            sums[b, 1] += w[k]
            sums[b, 2] += 1.0
        return
    for k in range(rows.shape[0]):
        b = codes[np.uint64(rows[k])]
        sums[b, np.uint64(y[k])] += w[k]
        sums[b, K] += w[k]
        sums[b, K + 1] += 1.0


@njit(cache=True, nogil=True, _nrt=False)
def _may_gain(total, left, about, weight_left, kind, best):
    """False where a parting surely gains no more than the best so far: told without a division."""
    weight_right, a, b = about[0] - weight_left, 0.0, 0.0
    if kind == SQUARED:
        gap = left[0] * weight_right - (total[0] - left[0]) * weight_left
        return gap * gap >= best[0] * weight_left * weight_right * about[0]
    if kind != GINI:
        return True
    for k in range(left.shape[0]):
        other = total[k] - left[k]
        a += left[k] * left[k]
        b += other * other
    least = (best[0] + about[0] - about[1]) * (1.0 - 1e-12)
    return a * weight_right + b * weight_left >= least * weight_left * weight_right


@njit(cache=True, nogil=True, _nrt=False)
def _scan_anywhere(
    column, rows, x, y, w, total, left, about, kind, whole, min_leaf, floor, seed, best, tally
):  # fmt: skip
    """Try one cut anywhere between the least and the largest value of a column in these rows, (n,);
    `x` takes its values."""
    n = rows.shape[0]
    low, high, known = _gathered(column, rows, x)
    share = _lot(seed)
    cut = low * (1.0 - share) + high * share
    cut = cut if low <= cut < high else low
    if low == high:
        cut = np.inf  # there is nothing to ask but whether a value is there
    for side in range(2 if known < n else 1):  # missing values go right; then left
        if side == 1:
            for k in range(n):
                x[k] = x[k] if x[k] == x[k] else -np.inf
        if kind == SQUARED:
            left[0], weight_left, count = _squares_below(x, cut, y, w)
        elif whole and left.shape[0] <= FEW:
            weight_left, count = _whole_below(x, cut, y, w, left)
        else:
            weight_left, count = _classes_below(x, cut, y, w, left)
        if count >= min_leaf and n - count >= min_leaf:
            _is_better(total, left, about, weight_left, kind, floor, cut, side, best, tally)


@njit(cache=True, nogil=True, _nrt=False)
def _gathered(column, rows, x):
    """Put the values of a column in these rows into `x`; the least and the largest, and how many
    are known. Four at a time: one comparison need not wait for the one before."""
    low, low_b, low_c, low_d = np.inf, np.inf, np.inf, np.inf
    high, high_b, high_c, high_d = -np.inf, -np.inf, -np.inf, -np.inf
    known, n = 0, rows.shape[0]
    for k in range(0, n - 3, 4):
        a, b = column[np.uint64(rows[k])], column[np.uint64(rows[k + 1])]
        c, d = column[np.uint64(rows[k + 2])], column[np.uint64(rows[k + 3])]
        x[k], x[k + 1], x[k + 2], x[k + 3] = a, b, c, d
        low, high = a if a < low else low, a if a > high else high
        low_b, high_b = b if b < low_b else low_b, b if b > high_b else high_b
        low_c, high_c = c if c < low_c else low_c, c if c > high_c else high_c
        low_d, high_d = d if d < low_d else low_d, d if d > high_d else high_d
        known += (a == a) + (b == b) + (c == c) + (d == d)
    for k in range(n - n % 4, n):
        value = column[np.uint64(rows[k])]
        x[k] = value
        low, high = value if value < low else low, value if value > high else high
        known += value == value
    return min(low, low_b, low_c, low_d), max(high, high_b, high_c, high_d), known


@njit(cache=True, nogil=True, _nrt=False, fastmath=ANY_ORDER)
def _squares_below(x, cut, y, w):
    """Sum of the targets, weight and number of the rows up to a cut, without a branch: it would be
    mispredicted every other time."""
    a, weight, count = 0.0, 0.0, 0
    for k in range(x.shape[0]):
        own = w[k] if x[k] <= cut else 0.0
        a += own * y[k]
        weight += own
        count += x[k] <= cut
    return a, weight, count


@njit(cache=True, nogil=True, _nrt=False, fastmath=ANY_ORDER)
def _whole_below(x, cut, y, w, left):
    """Weight and number of the rows up to a cut; fill `left` with the weight of each class.

    For whole weights and few classes: a pass a class does many rows at once, and what is left is of
    the last one. Sums of whole numbers are the same in any order.
    """
    weight, count, last = 0.0, 0, left.shape[0] - 1
    for k in range(x.shape[0]):
        weight += w[k] if x[k] <= cut else 0.0
        count += x[k] <= cut
    left[last] = weight
    for c in range(last):
        own = 0.0
        for k in range(x.shape[0]):
            own += w[k] if (x[k] <= cut) & (y[k] == c) else 0.0
        left[c] = own
        left[last] -= own
    return weight, count


@njit(cache=True, nogil=True, _nrt=False)
def _classes_below(x, cut, y, w, left):
    """The same for any weights and classes, row by row."""
    left[:] = 0.0
    weight, count = 0.0, 0
    for k in range(x.shape[0]):
        goes = int(x[k] <= cut)
        left[int(y[k])] += goes * w[k]
        weight += goes * w[k]
        count += goes
    return weight, count


@njit(cache=True, nogil=True, _nrt=True)
def _scan_levels(
    x, rows, y, w, total, left, about, kind, min_leaf, floor, seed, best, tally, ordered, anywhere,
    n_levels, chosen,
):  # fmt: skip
    """Try partings of the levels of a column of names; fill `chosen` with those that go left.

    In order of their mean response each prefix is tried; otherwise each level against the rest, or
    `anywhere` one parting at random. A missing value is a level of its own, the last.
    """
    n, K = rows.shape[0], total.shape[0]
    sums = np.zeros((n_levels + 1, K))
    weights, counts = np.zeros(n_levels + 1), np.zeros(n_levels + 1, np.int64)
    for row in rows:
        level = n_levels if np.isnan(x[row]) else int(x[row])
        _add(sums[level], row, y, w, kind)
        weights[level] += w[row]
        counts[level] += 1
    here, only = np.flatnonzero(counts), -1
    if anywhere and here.shape[0] > 1:
        only = _parted_at_random(here, seed)
    elif ordered:
        response = sums[here, K - 1] / weights[here]
        here = here[np.argsort(response, kind="mergesort")]
    left[:] = 0.0
    weight_left, count, by_prefix = 0.0, 0, ordered or anywhere
    for k in range(here.shape[0]):
        level = here[k]
        if not by_prefix:
            left[:], weight_left, count = 0.0, 0.0, 0
        left += sums[level]
        weight_left += weights[level]
        count += counts[level]
        if count < min_leaf or n - count < min_leaf or count == n or (only >= 0 and k != only):
            continue
        if _is_better(total, left, about, weight_left, kind, floor, 0.0, LEFT_SIDE, best, tally):
            chosen[:] = 0
            for j in range(0 if by_prefix else k, k + 1):
                chosen[here[j]] = 1
            larger = 1 if 2 * count >= n else 0
            for j in range(n_levels + 1):  # a level that is not here goes with most rows
                if counts[j] == 0:
                    chosen[j] = larger


@njit(cache=True, nogil=True, _nrt=False)
def _parted_at_random(levels, seed):
    """Move some of two or more levels to the front, neither none nor all; where the last stands."""
    count = 0
    while count == 0 or count == levels.shape[0]:
        count = 0
        for k in range(levels.shape[0]):
            if _lot(seed) < 0.5:
                levels[count], levels[k] = levels[k], levels[count]
                count += 1
    return count - 1


@njit(cache=True, nogil=True, _nrt=False)
def _lot(seed):
    """The next number in [0, 1) (SplitMix64: Steele, Lea and Flood 2014, OOPSLA)."""
    seed[0] += np.uint64(0x9E3779B97F4A7C15)
    z = seed[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@njit(cache=True, nogil=True, _nrt=False)
def _tried(X, rows, wanted, columns, tried, seed):
    """Fill `tried` with the columns to try in a node, rising; how many they are: all, or `wanted`
    of those that differ in it, at random.

    `columns` holds all of them in any order, and is left in another.
    """
    p, chosen = X.shape[0], 0
    if wanted >= p:
        for k in range(p):
            tried[k] = k
        return p
    for k in range(p):
        other = k + int(_lot(seed) * (p - k))
        columns[k], columns[other] = columns[other], columns[k]
        if _differs(X[columns[k]], rows):
            columns[chosen], columns[k] = columns[k], columns[chosen]
            chosen += 1
        if chosen == wanted:
            break
    for k in range(chosen):
        j = k
        while j > 0 and tried[j - 1] > columns[k]:
            tried[j] = tried[j - 1]
            j -= 1
        tried[j] = columns[k]
    return chosen


@njit(cache=True, nogil=True, _nrt=False)
def _differs(x, rows):
    """Whether a column has two values in these rows; a missing one is a value too."""
    first = x[rows[0]]
    for row in rows:  # noqa: SIM110  # compiled loops have no generators
        if x[row] != first and (x[row] == x[row] or first == first):
            return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def _sorted_by_rank(ranks, known, rows, room, counts, values, placed):
    """Fill `values` and `placed` with the ranks of the rows, shape (n,), ascending and missing ones
    last, and where each stood; ranks below `known` are of values.

    Rows are dealt into about as many intervals of ranks as there are rows, and those few that meet
    in one are put in order.
    """
    n, low, high, shift = rows.shape[0], np.int64(ranks[rows[0]]), np.int64(0), 0
    keys, spare = room[0], room[1]
    for k in range(n):
        rank = np.int64(ranks[np.uint64(rows[k])])
        low, high = min(low, rank), max(high, rank)
        keys[k] = (rank << 32) | k
    while n > SMALL and (high - low) >> shift >= 2 * n:
        shift += 1
    if n > SMALL and (
        _dealt(keys[:n], low, high, shift, spare, counts)
        or _sorted_by_digits(keys[:n], high, spare[:n], counts)
    ):
        keys = spare
    _put_in_order(keys[:n])
    for k in range(n):
        placed[k] = keys[k] & 0xFFFFFFFF
        rank = keys[k] >> 32
        values[k] = rank if rank < known else np.nan


@njit(cache=True, nogil=True, _nrt=False)
def _dealt(keys, low, high, shift, spare, counts):
    """Deal keys into intervals of 2^shift ranks, in `spare`; False if too many meet in one."""
    intervals, most = ((high - low) >> shift) + 1, 0
    counts[: intervals + 1] = 0
    for key in keys:
        counts[np.uint64((((key >> 32) - low) >> shift) + 1)] += 1
    for at in range(1, intervals + 1):
        most = max(most, counts[at])
        counts[at] += counts[at - 1]
    if most > SMALL and shift > 0:
        return False
    for key in keys:
        at = np.uint64(((key >> 32) - low) >> shift)
        spare[np.uint64(counts[at])] = key
        counts[at] += 1
    return True


@njit(cache=True, nogil=True, _nrt=False)
def _sorted_by_digits(keys, high, spare, counts):
    """Sort keys of ranks up to `high` by digits of 8 bits, from the last on, each keeping the order
    of the one before; returns whether they end in `spare`."""
    shift = 32
    while high >> (shift - 32) > 0:
        counts[:257] = 0
        for key in keys:
            counts[((key >> shift) & 255) + 1] += 1
        for digit in range(255):
            counts[digit + 1] += counts[digit]
        for key in keys:
            digit = (key >> shift) & 255
            spare[counts[digit]] = key
            counts[digit] += 1
        keys, spare = spare, keys
        shift += 8
    return (shift // 8) % 2 == 1


@njit(cache=True, nogil=True, _nrt=False)
def _put_in_order(keys):
    """Sort keys that stand near their places."""
    for k in range(1, keys.shape[0]):
        key, j = keys[k], k
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@njit(cache=True, nogil=True, _nrt=False)
def _sorted_anew(x, values, placed):
    """The same for a few rows, which need no ranks."""
    for k in range(x.shape[0]):
        value, j = x[k], k
        while j > 0 and (values[j - 1] > value or (np.isnan(values[j - 1]) and value == value)):
            values[j], placed[j] = values[j - 1], placed[j - 1]
            j -= 1
        values[j], placed[j] = value, k


@njit(cache=True, nogil=True, _nrt=False)
def _look(node, rows, lots, nodes):
    """Find the best split of a node and store it; returns whether there is one."""
    X, order, sorted, n_levels, y, w, rules = rows
    ranks, known, codes, ends, columns, seed, floats, wholes, small, marks, sums = lots
    _, _, links, facts, values, levels = nodes
    start, end = links[node, START], links[node, END]
    n, here, total, kind = end - start, order[-1, start:end], values[node], rules[KIND]
    about, least, anywhere = facts[node, : RISK + 1], rules[MIN_LEAF], rules[ANYWHERE] == 1
    left, best, tally, floor = floats[4, : total.shape[0]], floats[5, :4], floats[5, 4:6], 0.0
    ordered = rules[ORDERED] == 1 and (kind == SQUARED or total.shape[0] == 2)
    is_drawn, whole = sorted.shape[0] == 0, rules[WHOLE] == 1
    in_bins = is_drawn and 0 < rules[MAX_BINS] < n
    own = n if is_drawn or n <= SMALL else 0
    x_own, ascending, y_own, w_own = (
        floats[0, :own],
        floats[1, :own],
        floats[2, :own],
        floats[3, :own],
    )
    placed = small[0, :own]
    for k in range(own):  # side by side: quicker to read than far apart
        row = np.uint64(here[k])
        y_own[k], w_own[k] = y[row], w[row]
    tally[:], marks[:] = 0.0, 0
    tried = small[1]
    n_tried = _tried(X, here, rules[TRIED], columns, tried, seed)
    lot = seed[0]
    # The ratio is compared among cuts of at least average gain, so their mean is found first.
    for scan in range(2 if kind == GAIN_RATIO else 1):
        now = ENTROPY if kind == GAIN_RATIO and scan == 0 else kind
        best[:], seed[0] = -np.inf, lot  # the same lots in both scans
        links[node, FEATURE] = -1
        for f in tried[:n_tried]:
            before = best[0]
            if n_levels[f] > 0:
                _scan_levels(
                    X[f], here, y, w, total, left, about, now, least, floor, seed, best, tally,
                    ordered, anywhere, n_levels[f], marks,
                )  # fmt: skip
            elif own < n:
                _scan(
                    sorted[f, start:end], order[f, start:end], y, w, total, left, about, now, whole,
                    least, floor, best, tally,
                )  # fmt: skip
            elif in_bins:
                _scan_bins(
                    codes[f], here, y_own, w_own, total, left, about, now, least, floor, sums, best,
                    tally,
                )  # fmt: skip
            elif is_drawn and not anywhere:
                _sorted_by_rank(ranks[f], known[f], here, wholes, small[2], ascending, placed)
                _scan(
                    ascending, placed, y_own, w_own, total, left, about, now, whole, least, floor,
                    best, tally,
                )  # fmt: skip
            elif anywhere:
                _scan_anywhere(
                    X[f], here, x_own, y_own, w_own, total, left, about, now, whole, least, floor,
                    seed, best, tally,
                )  # fmt: skip
            else:
                for k in range(n):
                    x_own[k] = X[f, np.uint64(here[k])]
                _sorted_anew(x_own, ascending, placed)
                _scan(
                    ascending, placed, y_own, w_own, total, left, about, now, whole, least, floor,
                    best, tally,
                )  # fmt: skip
            if best[0] > before:
                links[node, FEATURE] = f
                if n_levels[f] > 0:
                    for level in range(marks.shape[0]):
                        levels[node, level] = marks[level]
                elif in_bins and best[2] < np.inf:
                    at = int(best[2])
                    best[2] = _cut(ends[1, f, at // BINS], ends[0, f, at % BINS])
                elif not anywhere and best[2] < n:
                    at = int(best[2])
                    a, b = (
                        (order[f, start + at], order[f, start + at + 1])
                        if own < n
                        else (here[placed[at]], here[placed[at + 1]])
                    )
                    best[2] = _cut(X[f, a], X[f, b])
        floor = tally[0] / tally[1] * (1 - SLACK) if tally[1] > 0 else 0.0
    facts[node, GAIN], facts[node, CUT], links[node, MISSING] = best[1], best[2], int(best[3] == 1)
    return links[node, FEATURE] >= 0


@njit(cache=True, nogil=True, _nrt=False)
def _born(node, rows, y, w, kind, links, facts, values, parent):
    """Store weight, risk and prediction of a node; returns whether its targets differ."""
    links[node, FEATURE], links[node, LEFT], links[node, RIGHT] = -1, -1, -1
    links[node, LABEL], links[node, MISSING] = 0, 0
    facts[node, GAIN], facts[node, CUT], facts[node, MEAN] = 0.0, 0.0, 0.0
    values[node] = 0.0
    if kind == SQUARED:
        return _born_of_quantity(node, rows, y, w, facts, values)
    weight = 0.0
    for k in range(rows.shape[0]):
        row = np.uint64(rows[k])
        values[node, np.uint64(y[row])] += w[row]
        weight += w[row]
    facts[node, WEIGHT] = weight
    facts[node, RISK] = risk_of(values[node], weight, kind)
    most, kinds, label = 0.0, 0, 0
    for k in range(values.shape[1]):
        kinds += values[node, k] > 0
        if values[node, k] > most:
            most, label = values[node, k], k
    if parent >= 0 and values[node, links[parent, LABEL]] == most:
        label = links[parent, LABEL]  # a tie: as in the node above
    links[node, LABEL] = label
    return kinds > 1


@njit(cache=True, nogil=True, _nrt=False)
def _born_of_quantity(node, rows, y, w, facts, values):
    total, weight, risk, differs = 0.0, 0.0, 0.0, False
    for row in rows:
        total += w[row] * y[row]
        weight += w[row]
    mean = total / weight
    for row in rows:
        gap = y[row] - mean
        risk += w[row] * gap * gap
        differs |= y[row] != y[rows[0]]
    values[node, 0], facts[node, WEIGHT], facts[node, RISK] = total, weight, risk
    facts[node, MEAN] = mean
    return differs


@njit(cache=True, nogil=True, _nrt=False)
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


@njit(cache=True, nogil=True, _nrt=False)
def _before(a, b, facts):
    """Whether node a is split before node b."""
    return facts[a, GAIN] > facts[b, GAIN] or (facts[a, GAIN] == facts[b, GAIN] and a < b)


@njit(cache=True, nogil=True, _nrt=False)
def _push(heap, state, node, facts, newest_first):
    at = state[WAITING]
    state[WAITING] += 1
    heap[at] = node
    while not newest_first and at > 0 and _before(heap[at], heap[(at - 1) // 2], facts):
        up = (at - 1) // 2
        heap[at], heap[up] = heap[up], heap[at]
        at = up


@njit(cache=True, nogil=True, _nrt=False)
def _pop(heap, state, facts, newest_first):
    first = heap[0]
    state[WAITING] -= 1
    size = state[WAITING]
    if newest_first:
        return heap[size]
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


@njit(cache=True, nogil=True, _nrt=False)
def _splittable(node, differs, rules, links):
    size = links[node, END] - links[node, START]
    is_large = size >= rules[MIN_SPLIT] and size >= 2 * rules[MIN_LEAF]
    return differs and is_large and (rules[MAX_DEPTH] == 0 or links[node, DEPTH] < rules[MAX_DEPTH])


@njit(cache=True, nogil=True, _nrt=False)
def _plant(rows, nodes):
    """Make the root; returns whether its targets differ."""
    _, order, _, _, y, w, rules = rows
    _, state, links, facts, values, _ = nodes
    links[0, START], links[0, END], links[0, DEPTH] = 0, order.shape[1], 0
    state[NODES], state[WAITING] = 1, 0
    return _born(ROOT, order[-1], y, w, rules[KIND], links, facts, values, NONE)


@njit(cache=True, nogil=True, _nrt=False)
def grow(splits, rows, lots, least, nodes, room):
    """Split the waiting node with the largest gain, at most `splits` times; returns how often.

    Where there is no node yet, the root is made first. A split must gain more than `least`.
    """
    X, order, sorted, n_levels, y, w, rules = rows
    heap, state, links, facts, values, levels = nodes
    side, spare, spare_values = room
    p, done, new, count = sorted.shape[0], 0, 0, 0
    a = b = False
    if state[NODES] == 0:
        a, count = _plant(rows, nodes), 1
    while True:
        # The one place that looks for a split: each is compiled with all that looking needs.
        for node in range(new, new + count):
            if not _splittable(node, a if node == new else b, rules, links):
                continue
            has_split = _look(node, rows, lots, nodes)
            enough = max(least, SLACK * facts[node, RISK])
            if has_split and (facts[node, GAIN] > enough or rules[ZERO_GAIN] == 1):
                _push(heap, state, node, facts, rules[NEWEST_FIRST])
            else:
                links[node, FEATURE] = -1
        if done >= splits or state[WAITING] == 0:
            return done
        node = _pop(heap, state, facts, rules[NEWEST_FIRST])
        left, right = state[NODES], state[NODES] + 1
        state[NODES] += 2
        start, end = links[node, START], links[node, END]
        middle = _sided(node, X, order[-1, start:end], n_levels, links, facts, levels, side)
        middle += start
        _parted_rows(order[-1, start:end], side, spare)
        links[node, LEFT], links[node, RIGHT] = left, right
        links[left, START], links[left, END] = start, middle
        links[right, START], links[right, END] = middle, end
        links[left, DEPTH] = links[right, DEPTH] = links[node, DEPTH] + 1
        a = _born(left, order[-1, start:middle], y, w, rules[KIND], links, facts, values, node)
        b = _born(right, order[-1, middle:end], y, w, rules[KIND], links, facts, values, node)
        # Nobody reads the order of values within leaves and within small nodes.
        if (_splittable(left, a, rules, links) and middle - start > SMALL) or (
            _splittable(right, b, rules, links) and end - middle > SMALL
        ):
            for f in range(p):
                _parted(order[f], sorted[f], start, end, side, spare, spare_values)
        new, count, done = left, 2, done + 1


@njit(cache=True, nogil=True)
def grow_at_random(seeds, drawn, again, rows, lots, least, nodes, left_out, ends):
    """Grow a tree for each seed, to `drawn` rows; `again` says whether one may be drawn twice.

    Nodes of a tree follow those of the one before, and count from its root. `left_out`, (2, ...),
    gets the rows that a tree has not learned from and the nodes of the forest where they end;
    `ends`, (2, trees), how many nodes and how many such rows there are up to each tree.
    """
    X, _, sorted, n_levels, y, w, rules = rows
    heap, state, links, facts, values, levels = nodes
    n, columns, seed = X.shape[1], lots[4], lots[5]
    own, order = np.empty(n), np.empty(n, np.int32)
    down = np.empty(n, np.int32), order, np.empty(n, np.int32), np.empty(4 * n, np.int32)
    room = np.empty(n, np.uint8), np.empty(n, np.int32), np.empty(0)
    root, out, levels[:] = 0, 0, 0
    for b in range(seeds.shape[0]):
        seed[0] = seeds[b]
        for j in range(columns.shape[0]):
            columns[j] = j
        size = _draw(drawn, again, w, seed, own, order, left_out[0, out:])
        given = X, order[:size].reshape((1, size)), sorted, n_levels, y, own, rules
        tree = heap, state, links[root:], facts[root:], values[root:], levels[root:]
        most = rules[LEAVES] if rules[LEAVES] > 0 else size
        state[NODES] = 0
        grow(min(most, size) - 1, given, lots, least, tree, room)
        rest = left_out[:, out : out + n - size]
        _sent_down(X, n_levels, tree, rest[0], rest[1], room[0], down)
        leaf = rest[1]
        leaf += root
        root, out = root + state[NODES], out + n - size
        ends[0, b], ends[1, b] = root, out


@njit(cache=True, nogil=True, _nrt=False)
def _draw(drawn, again, w, seed, own, order, left_out):
    """Draw rows and fill `own` with their weights, times how often each was drawn; `order` with
    those that were, `left_out` with the others. Returns how many rows were drawn at all."""
    n, size = w.shape[0], 0
    own[:] = 0.0
    if again:
        for _ in range(drawn):
            own[int(_lot(seed) * n)] += 1.0
    elif drawn == n:
        own[:] = 1.0
    else:
        rest = drawn
        for row in range(n):
            if _lot(seed) * (n - row) < rest:
                own[row], rest = 1.0, rest - 1
    for row in range(n):
        if own[row] > 0.0:
            own[row] *= w[row]
            order[size] = row
            size += 1
        else:
            left_out[row - size] = row
    return size


@njit(cache=True, nogil=True, _nrt=False)
def _sent_down(X, n_levels, nodes, rows, leaf, side, room):
    """Fill `leaf` with the nodes in which rows of X, shape (p, n), end.

    They are parted node by node, a parent first: so rows of a node are read one after the other.
    """
    _, state, links, facts, _, levels = nodes
    order, spare, leaves, spans = room
    spans[0], spans[1] = 0, rows.shape[0]
    for i in range(rows.shape[0]):
        order[i] = rows[i]
    for node in range(state[NODES]):
        start, end, left = spans[2 * node], spans[2 * node + 1], links[node, LEFT]
        if left >= 0:
            count, _ = _sides(node, X, order[start:end], n_levels, links, facts, levels, side)
            _parted_rows(order[start:end], side, spare)
            spans[2 * left], spans[2 * left + 1] = start, start + count
            spans[2 * left + 2], spans[2 * left + 3] = start + count, end
        for row in order[start : end if left < 0 else start]:
            leaves[row] = node
    for i in range(rows.shape[0]):
        leaf[i] = leaves[np.uint64(rows[i])]


@njit(cache=True, nogil=True, _nrt=False)
def _sided(node, X, rows, n_levels, links, facts, levels, side):
    """`_sides`, and where a missing value goes: where it was learned to, else with most rows."""
    count, lost = _sides(node, X, rows, n_levels, links, facts, levels, side)
    if lost == 0:
        links[node, MISSING] = 1 if 2 * count >= rows.shape[0] else 0
    return count


@njit(cache=True, nogil=True, _nrt=False)
def _sides(node, X, rows, n_levels, links, facts, levels, side):
    """Fill `side` with 1 for the rows of the node that go left, 0 for the others; how many do, and
    how many have no value."""
    f, count, lost = links[node, FEATURE], 0, 0
    x, cut, missing_left = X[f], facts[node, CUT], links[node, MISSING]
    for row in rows if n_levels[f] > 0 else rows[:0]:
        level = n_levels[f] if x[row] != x[row] else int(x[row])
        side[row] = levels[node, level]
        count += side[row]
        lost += x[row] != x[row]
    for k in range(0 if n_levels[f] > 0 else rows.shape[0]):
        row = np.uint64(rows[k])
        goes = (x[row] <= cut) | (missing_left & (x[row] != x[row]))
        side[row] = goes
        count += goes
        lost += x[row] != x[row]
    return count, lost


@njit(cache=True, nogil=True, _nrt=False)
def _goes_left(value, n_levels, cut, missing_left, levels, node):
    if n_levels > 0:
        return levels[node, n_levels if np.isnan(value) else int(value)]
    if np.isnan(value):
        return np.uint8(missing_left)
    return np.uint8(value <= cut)


@njit(cache=True, nogil=True, _nrt=False)
def _parted_rows(rows, side, spare):
    """Move the rows that go left to the front, keeping the order on both sides."""
    a, b = 0, 0
    for row in rows:
        rows[a], spare[b] = row, row
        a += side[row]
        b += 1 - side[row]
    for k in range(b):
        rows[a + k] = spare[k]


@njit(cache=True, nogil=True, _nrt=False)
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
    for k in range(b):
        rows[a + k], values[a + k] = spare[k], spare_values[k]


@njit(cache=True, nogil=True, _nrt=False)
def route(X, questions, cut, n_levels, levels, leaf):
    """Fill `leaf` with the node in which each row of X ends.

    `questions` holds column, left node (the right one is the next), where a missing value goes,
    and whether the column holds names.
    """
    for i in range(X.shape[0]):
        node = ROOT
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
