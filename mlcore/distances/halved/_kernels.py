"""Compiled loops over a k-d tree. Inputs are read-only and C-ordered, outputs filled in place.

The halves of node i are 2 i + 1 and 2 i + 2; the first nodes are halved, the others are the leaves.
`corners`, shape (nodes, 2, p), are the lowest and highest values of the rows in a node, `least`,
shape (nodes,), their lowest number. `values`, shape (leaves, p, w), are the rows of each leaf
column by column, so that the compiler takes many at once, and `numbers`, shape (leaves, w), theirs;
a leaf of fewer than w rows ends with infinite ones of the number n.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

DEEPEST = 128  # nodes that wait; n rows can be halved about log2 n times
LOOKED_AT = 32  # rows by which the widest column is chosen
FEW = 600  # rows up to which three tell about where their middle is
SAMPLE = 15  # rows that tell it of more
FEW_NEAR = 64  # neighbours of one query up to which they are sorted in place
HEAP = 64  # neighbours from which on a heap is quicker than a sorted list


@njit(cache=True, nogil=True)
def grow(R, spans, first, inner):
    """Halve the rows of node `first`, and of all below it that come before node `inner`.

    R, shape (n, p + 1), are the rows, each with its number behind it; they are moved so that those
    of a node stand together, from spans[node, 0] to spans[node, 1], which is filled.
    """
    waiting, depth, room = np.empty(DEEPEST, np.int64), 1, np.empty(SAMPLE)
    waiting[0] = first
    while depth:
        depth -= 1
        at = waiting[depth]
        if at >= inner:
            continue
        low, high = spans[at]
        middle = (low + high) // 2
        _select(R, low, high, middle, _widest(R, low, high), room)
        for half in (1, 2):
            spans[2 * at + half, 0] = low if half == 1 else middle
            spans[2 * at + half, 1] = middle if half == 1 else high
            waiting[depth], depth = 2 * at + half, depth + 1


@njit(cache=True, nogil=True)
def _widest(R, low, high):
    """The column of the widest range: that of the numbers where all rows are equal."""
    p = R.shape[1] - 1
    for step in (max(1, (high - low) // LOOKED_AT), 1):
        column, width = p, 0.0
        for q in range(p):
            least = most = R[low, q]
            for i in range(low, high, step):
                least, most = min(least, R[i, q]), max(most, R[i, q])
            if most - least > width:
                column, width = q, most - least
        if column < p:
            break  # else the few may have been equal by chance
    return column


@njit(cache=True, nogil=True)
def _select(R, low, high, middle, q, room):
    """Move rows low:high so that none before `middle` is larger in column q than one behind.

    Hoare (1961). Equal values are moved too, which keeps the parts of many equal rows alike.
    """
    last, seed = high - 1, np.uint64(low)
    while last > low:
        pivot, seed = _pivot(R, low, last, middle, q, seed, room)
        i, j = low, last
        while i <= j:
            while R[i, q] < pivot:
                i += 1
            while R[j, q] > pivot:
                j -= 1
            if i <= j:
                for c in range(R.shape[1]):
                    R[i, c], R[j, c] = R[j, c], R[i, c]
                i, j = i + 1, j - 1
        if middle <= j:
            last = j
        elif middle >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True)
def _pivot(R, low, last, middle, q, seed, room):
    """About the value of column q that would stand at `middle`, by some rows of low to last.

    They are drawn, so that no order of the rows is slow; returns the seed of the next draw as well.
    """
    n = last - low + 1
    size = SAMPLE if n > FEW else 3
    for k in range(size):
        seed = seed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        value, at = R[low + np.int64((seed >> np.uint64(33)) % np.uint64(n)), q], k
        while at > 0 and room[at - 1] > value:
            room[at], at = room[at - 1], at - 1
        room[at] = value
    share = round((size - 1) * (middle - low) / n)
    return room[min(max(share, 1), size - 2)], seed


@njit(cache=True, nogil=True)
def furnish(R, spans, corners, least, values, numbers):
    """Fill what the head of this module names from the rows that `grow` has moved."""
    n, p = R.shape[0], R.shape[1] - 1
    inner = len(spans) - len(values)
    values[:], numbers[:] = np.inf, n
    for leaf in range(len(values)):
        at = inner + leaf
        low, high = spans[at]
        corners[at, 0], corners[at, 1], least[at] = np.inf, -np.inf, n
        for j in range(high - low):
            numbers[leaf, j] = np.int64(R[low + j, p])
            least[at] = min(least[at], numbers[leaf, j])
            for q in range(p):
                value = R[low + j, q]
                values[leaf, q, j] = value
                corners[at, 0, q] = min(corners[at, 0, q], value)
                corners[at, 1, q] = max(corners[at, 1, q], value)
    for at in range(inner - 1, -1, -1):
        one, other = 2 * at + 1, 2 * at + 2
        least[at] = min(least[one], least[other])
        for q in range(p):
            corners[at, 0, q] = min(corners[one, 0, q], corners[other, 0, q])
            corners[at, 1, q] = max(corners[one, 1, q], corners[other, 1, q])


@njit(cache=True, nogil=True)
def _to_node(x, corners, at, power):
    """Sum of the powers of |x - s| over the columns, to the nearest point s of a node's box.

    It is added up as that to a row, and rounding keeps order: no row of the box has a smaller one,
    where the power is 1, 2 or infinite.
    """
    total = 0.0
    for q in range(len(x)):
        gap = max(corners[at, 0, q] - x[q], x[q] - corners[at, 1, q], 0.0)
        if power == 2.0:
            total += gap * gap
        elif power == 1.0:
            total += gap
        elif power == np.inf:
            total = max(total, gap)
        elif gap > 0.0:
            total += gap**power
    return total


@njit(cache=True, nogil=True)
def _to_rows(x, values, power, totals):
    """Fill `totals`, shape (w,), with the sums of a row to the rows of a leaf."""
    totals[:] = 0.0
    if power == 2.0:  # by far the most frequent: without a choice in its loop
        for q in range(len(x)):
            own, column = x[q], values[q]
            for j in range(len(totals)):
                gap = own - column[j]
                totals[j] += gap * gap
        return
    for q in range(len(x)):
        for j in range(len(totals)):
            gap = abs(x[q] - values[q, j])
            if power == 1.0:
                totals[j] += gap
            elif power == np.inf:
                totals[j] = max(totals[j], gap)
            else:
                totals[j] += gap**power


@njit(cache=True, nogil=True)
def nearest(X, n, corners, least, values, numbers, power, slack, apart, rows):
    """Fill `apart` and `rows`, shape (m, k): the nearest of n rows to each row of X by their sums,
    the lower number on ties. What rounding may take of the sum to a box is at most `slack`,
    relative.
    """
    inner, k = len(corners) - len(values), rows.shape[1]
    waiting, bounds = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    totals, is_heap = np.empty(values.shape[2]), k > HEAP
    worst = 0 if is_heap else k - 1  # where the last of those that are kept stands
    for i in range(X.shape[0]):
        x, kept_apart, kept, depth = X[i], apart[i], rows[i], 1
        kept_apart[:], kept[:] = np.inf, n
        waiting[0], bounds[0] = 0, 0.0
        while depth:
            depth -= 1
            at, bound = waiting[depth], bounds[depth]
            while at < inner and not _is_out(bound, least[at], kept_apart[worst], kept[worst]):
                at, far = 2 * at + 1, 2 * at + 2
                bound = _to_node(x, corners, at, power) * (1 - slack)
                beyond = _to_node(x, corners, far, power) * (1 - slack)
                if beyond < bound or (beyond == bound and least[far] < least[at]):
                    at, far, bound, beyond = far, at, beyond, bound
                waiting[depth], bounds[depth], depth = far, beyond, depth + 1
            if at < inner or _is_out(bound, least[at], kept_apart[worst], kept[worst]):
                continue
            leaf = at - inner
            _to_rows(x, values[leaf], power, totals)
            for j in range(len(totals)):
                if not _is_out(totals[j], numbers[leaf, j], kept_apart[worst], kept[worst]):
                    if is_heap:
                        _sift(totals[j], numbers[leaf, j], kept_apart, kept, k)
                    else:
                        _insert(totals[j], numbers[leaf, j], kept_apart, kept)
        if is_heap:
            for end in range(k - 1, 0, -1):
                gap, row = kept_apart[end], kept[end]
                kept_apart[end], kept[end] = kept_apart[0], kept[0]
                _sift(gap, row, kept_apart, kept, end)


@njit(cache=True, nogil=True)
def _is_out(apart, row, worst_apart, worst):
    """Whether a row is behind the last one that is kept, by distance, then by number."""
    return apart > worst_apart or (apart == worst_apart and row >= worst)


@njit(cache=True, nogil=True)
def _insert(apart, row, kept_apart, kept):
    """Put a row among the sorted ones that are kept; the last one falls out."""
    at = len(kept) - 1
    while at > 0 and not _is_out(apart, row, kept_apart[at - 1], kept[at - 1]):
        kept_apart[at], kept[at] = kept_apart[at - 1], kept[at - 1]
        at -= 1
    kept_apart[at], kept[at] = apart, row


@njit(cache=True, nogil=True)
def _sift(apart, row, kept_apart, kept, size):
    """Put a row into the heap of the first `size` that are kept; the last one, its top, falls out.

    Williams (1964).
    """
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        other = below + 1
        if other < size and _is_out(kept_apart[other], kept[other], kept_apart[below], kept[below]):
            below = other
        if _is_out(apart, row, kept_apart[below], kept[below]):
            break
        kept_apart[at], kept[at] = kept_apart[below], kept[below]
        at = below
    kept_apart[at], kept[at] = apart, row


@njit(cache=True, nogil=True)
def within(X, n, corners, values, numbers, power, bound, counts):
    """Those of n rows whose sums to a row of X are at most `bound`, for each row of X by number.

    Fills `counts`, shape (m,); returns their numbers and their sums.
    """
    rows, apart = np.empty(16 * len(X) + 16, np.int64), np.empty(16 * len(X) + 16)
    waiting, totals = np.empty(DEEPEST, np.int64), np.empty(values.shape[2])
    inner, n_near = len(corners) - len(values), 0
    for i in range(X.shape[0]):
        first, depth, waiting[0] = n_near, 1, 0
        while depth:
            depth -= 1
            at = waiting[depth]
            if _to_node(X[i], corners, at, power) > bound:
                continue
            if at < inner:
                waiting[depth], waiting[depth + 1], depth = 2 * at + 2, 2 * at + 1, depth + 2
                continue
            leaf = at - inner
            _to_rows(X[i], values[leaf], power, totals)
            if n_near + len(totals) > len(rows):
                rows, apart = np.append(rows, rows), np.append(apart, apart)
            for j in range(len(totals)):
                rows[n_near], apart[n_near] = numbers[leaf, j], totals[j]
                n_near += (totals[j] <= bound) & (numbers[leaf, j] < n)  # both may be infinite
        _in_order(rows[first:n_near], apart[first:n_near])
        counts[i] = n_near - first
    return rows[:n_near], apart[:n_near]


@njit(cache=True, nogil=True)
def _in_order(rows, apart):
    """Sort the neighbours of one query by row."""
    if len(rows) > FEW_NEAR:
        order = np.argsort(rows)
        np.positive(rows[order], rows)
        np.positive(apart[order], apart)
        return
    for k in range(1, len(rows)):
        row, gap, at = rows[k], apart[k], k
        while at > 0 and rows[at - 1] > row:
            rows[at], apart[at] = rows[at - 1], apart[at - 1]
            at -= 1
        rows[at], apart[at] = row, gap
