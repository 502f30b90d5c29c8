"""Compiled loops over columns: each value of a center meets many rows at once.

Inputs are read-only and C-ordered, outputs filled in place. The loops over rows are functions of
their own that take slices: where a row is addressed by a sum, they take one row at a time. Each sum
is added in the order of the columns, so that distances have the bits of the plain loop.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

TILE = 1024  # rows taken at once: all columns of them stay in a cache
SUM = {"reassoc", "contract", "nsz", "arcp"}  # free order of additions in a pure sum
LOST = 1e-150  # distances so short lose digits in their squares
UNIT = 2.0**-24  # of rounding in single precision, relative
LARGEST = 3e38  # squares in single precision
VANISHED = 1e-20  # distances so short lose digits in their squares in single precision
WHOLE = 2  # a tile is done as a whole where one of so many rows is doubtful
STRIP = 64  # rows of a table that are turned at once
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
FIRST = np.int64(0)


@njit(cache=True, nogil=True)
def by_column(X, columns):
    """Fill `columns`, shape (p, n), with the rows of X, shape (n, p)."""
    for start in range(0, X.shape[0], STRIP):
        rows = X[start : start + STRIP]
        for q in range(X.shape[1]):
            column = columns[q, start : start + STRIP]
            for b in range(column.shape[0]):
                column[b] = rows[b, q]


@njit(cache=True, nogil=True)
def middle(X, mean):
    """Fill `mean`, shape (p,), with the mean of the rows of X, added up in their order."""
    mean[:] = 0.0
    for i in range(X.shape[0]):
        row = X[i]
        for q in range(row.shape[0]):
            mean[q] += row[q]
    mean /= X.shape[0]


@njit(cache=True, nogil=True)
def about(X, shift, columns):
    """As `by_column`, of the rows less `shift`, in single precision."""
    for start in range(0, X.shape[0], STRIP):
        rows = X[start : start + STRIP]
        for q in range(X.shape[1]):
            column, middle = columns[q, start : start + STRIP], shift[q]
            for b in range(column.shape[0]):
                column[b] = rows[b, q] - middle


@njit(cache=True, nogil=True)
def _add(x, c, squares):
    for b in range(squares.shape[0]):
        gap = x[b] - c
        squares[b] += gap * gap


@njit(cache=True, nogil=True)
def _add_four(x, y, z, v, c, d, e, f, squares):
    for b in range(squares.shape[0]):
        first, second, third, fourth = x[b] - c, y[b] - d, z[b] - e, v[b] - f
        total = (squares[b] + first * first) + second * second
        squares[b] = (total + third * third) + fourth * fourth


@njit(cache=True, nogil=True)
def _squares_to(columns, start, C, j, squares):
    """Fill `squares`, shape (b,), with the squared distances of the rows from `start` on to row j
    of C."""
    p, end = columns.shape[0], start + squares.shape[0]
    squares[:] = 0.0
    q = 0
    while q + 3 < p:  # four columns a pass spare three of four ways to memory
        _add_four(
            columns[q, start:end], columns[q + 1, start:end],
            columns[q + 2, start:end], columns[q + 3, start:end],
            C[j, q], C[j, q + 1], C[j, q + 2], C[j, q + 3], squares,
        )  # fmt: skip
        q += 4
    while q < p:
        _add(columns[q, start:end], C[j, q], squares)
        q += 1


@njit(cache=True, nogil=True, fastmath=SUM)
def _add_to_two(x, y, z, v, C, j, other, q, squares, others):
    """Add four columns, of which the first is q, to squared distances to two rows of C."""
    c, d, e, f = C[j, q], C[j, q + 1], C[j, q + 2], C[j, q + 3]
    g, h, k, m = C[other, q], C[other, q + 1], C[other, q + 2], C[other, q + 3]
    for b in range(squares.shape[0]):
        first, second, third, fourth = x[b] - c, y[b] - d, z[b] - e, v[b] - f
        squares[b] += first * first + second * second + third * third + fourth * fourth
        first, second, third, fourth = x[b] - g, y[b] - h, z[b] - k, v[b] - m
        others[b] += first * first + second * second + third * third + fourth * fourth


@njit(cache=True, nogil=True, fastmath=SUM)
def _add_one_to_two(x, c, d, squares, others):
    for b in range(squares.shape[0]):
        first, second = x[b] - c, x[b] - d
        squares[b] += first * first
        others[b] += second * second


@njit(cache=True, nogil=True)
def _nearly_to_two(small, start, C, j, other, squares, others):
    """Fill `squares` and `others` with the squared distances of the rows from `start` on to two
    rows of C, in single precision and any order of additions."""
    p, end = small.shape[0], start + squares.shape[0]
    squares[:], others[:] = 0.0, 0.0
    q = FIRST
    while q + 3 < p:
        _add_to_two(
            small[q, start:end], small[q + 1, start:end],
            small[q + 2, start:end], small[q + 3, start:end], C, j, other, q, squares, others,
        )  # fmt: skip
        q += 4
    while q < p:
        _add_one_to_two(small[q, start:end], C[j, q], C[other, q], squares, others)
        q += 1


@njit(cache=True, nogil=True)
def _keep_nearer(squares, j, best, second, nearest):
    for b in range(squares.shape[0]):
        nearest[b] = j if squares[b] < best[b] else nearest[b]
        second[b] = min(second[b], max(best[b], squares[b]))
        best[b] = min(best[b], squares[b])


@njit(cache=True, nogil=True)
def _two_nearest(small, start, C, squares, others, best, second, nearest):
    """Fill `nearest` with the row of C that is nearest to the rows from `start` on, as single
    precision sees it, and `best` and `second` with the squared distances to it and to the next."""
    best[:], second[:], nearest[:] = np.inf, np.inf, 0
    k = C.shape[0]
    for j in range(0, k, 2):  # an odd last one is seen twice, but kept once
        other = min(j + 1, k - 1)
        _nearly_to_two(small, start, C, j, other, squares, others)
        _keep_nearer(squares, np.int32(j), best, second, nearest)
        if other > j:
            _keep_nearer(others, np.int32(other), best, second, nearest)


@njit(cache=True, nogil=True)
def _exactly(x, C):
    """The nearest row of C to x, the lowest on ties, and the distances to it and the next."""
    best, second, label = np.inf, np.inf, 0
    for j in range(C.shape[0]):
        square = 0.0
        for q in range(C.shape[1]):
            gap = x[q] - C[j, q]
            square += gap * gap
        if square < best:
            best, second, label = square, best, j
        elif square < second:
            second = square
    return label, np.sqrt(best), np.sqrt(second)


@njit(cache=True, nogil=True)
def _ways(C, before, slack):
    """How far each row of C is from where it was `before`, the farthest that any other row went,
    and half the distance to the nearest other row, each of shape (k,), with room for rounding."""
    k, p = C.shape
    own, others, gaps = np.zeros(k), np.zeros(k), np.full(k, np.inf)
    for j in range(k):
        for q in range(p):
            own[j] += (C[j, q] - before[j, q]) ** 2
        own[j] = np.sqrt(own[j]) * (1 + slack)
        for i in range(j):
            square = 0.0
            for q in range(p):
                square += (C[j, q] - C[i, q]) ** 2
            half = np.sqrt(square) / 2 * (1 - slack)
            gaps[i], gaps[j] = min(gaps[i], half), min(gaps[j], half)
    for j in range(k):
        for i in range(k):
            if i != j:
                others[j] = max(others[j], own[i])
    return own, others, gaps


@njit(cache=True, nogil=True)
def _move_bounds(labels, own, others, gaps, slack, upper, lower, doubtful):
    """Move the bounds along with the centers; marks the rows whose label they do not settle."""
    for b in range(labels.shape[0]):
        j = labels[b]
        lower[b] = (lower[b] - others[j]) - slack * (abs(lower[b]) + others[j])
        upper[b] = (upper[b] + own[j]) * (1 + slack)
        doubtful[b] = not (upper[b] < max(lower[b], gaps[j]))


@njit(cache=True, nogil=True)
def _append(marks, start, rows, count):
    """Put the marked rows, of which the first is number `start`, behind the first `count` rows."""
    for b in range(marks.shape[0]):
        rows[count] = start + b
        count += marks[b]
    return count


@njit(cache=True, nogil=True)
def _gather(column, rows, out):
    for b in range(rows.shape[0]):
        out[b] = column[rows[b]]


@njit(cache=True, nogil=True)
def _bounds(best, second, share, off, near, far):
    """Fill `near` with what the distances to the nearest center are at most, `far` with what those
    to the next are at least; returns whether some row may be as near to both."""
    in_doubt = False
    for b in range(best.shape[0]):
        near[b] = np.sqrt(np.float64(best[b])) * (1 + share) + off
        far[b] = np.sqrt(min(np.float64(second[b]), LARGEST)) * (1 - share) - off
        in_doubt |= not near[b] < far[b]
    return in_doubt


@njit(cache=True, nogil=True)
def _seen(small, start, C, share, off, room, nearest, near, far):
    """`_two_nearest` of some rows, and what `_bounds` makes of it; returns whether it doubts."""
    size = len(nearest)
    squares, others = room[0][:size], room[1][:size]
    best, second = room[2][:size], room[3][:size]
    _two_nearest(small, start, C, squares, others, best, second, nearest)
    return _bounds(best, second, share, off, near, far)


@njit(cache=True, nogil=True)
def _mend(X, rows, C, slack, nearest, near, far):
    """Do those rows in double precision whose nearest row of C is in doubt."""
    for b in range(rows.shape[0]):
        if not near[b] < far[b]:
            nearest[b], least, next_least = _exactly(X[rows[b]], C)
            near[b], far[b] = least * (1 + slack) + LOST, next_least * (1 - slack)


@njit(cache=True, nogil=True)
def _label(rows, nearest, near, far, labels, upper, lower):
    """Write what was seen of some rows where it belongs; returns how many labels changed."""
    changed = 0
    for b in range(rows.shape[0]):
        i = rows[b]
        upper[i], lower[i] = near[b], far[b]
        changed += labels[i] != nearest[b]
        labels[i] = nearest[b]
    return changed


@njit(cache=True, nogil=True)
def _label_all(nearest, near, far, labels, upper, lower):
    """As `_label`, of rows that lie side by side."""
    changed = 0
    for b in range(near.shape[0]):
        upper[b], lower[b] = near[b], far[b]
        changed += labels[b] != nearest[b]
        labels[b] = nearest[b]
    return changed


@njit(cache=True, nogil=True)
def _about(C, shift):
    """The rows of C less `shift` in single precision, and the length of the longest."""
    small, longest = np.empty(C.shape, np.float32), 0.0
    for j in range(C.shape[0]):
        square = 0.0
        for q in range(C.shape[1]):
            gap = C[j, q] - shift[q]
            small[j, q] = gap
            square += gap * gap
        longest = max(longest, square)
    return small, np.sqrt(longest)


@njit(cache=True, nogil=True)
def place(X, small, shift, C, before, slack, first, end, labels, upper, lower):
    """Give the rows from `first` to `end` the label of their nearest row of C, the lowest on ties;
    returns how many labels changed.

    `upper` bounds the distance to the own row of C, `lower` that to all others, as they were when C
    was `before` (Hamerly 2010, SDM): of a row that they settle, no distance is taken. `slack` is
    what rounding may take of a distance, relative. `upper` is infinite before the first assignment.

    `small` are the columns less `shift` in single precision, of unit u = 2^-24. Rounding x and c
    moves a distance d by at most u (|x| + |c|) <= u (d + 2 |c|); differences, squares and their sum
    take (p / 2 + 2) u d. Where these leave open which is nearest, double precision decides.
    """
    own, rest, gaps = _ways(C, before, slack)
    small_C, longest = _about(C, shift)
    p, tile = small.shape[0], min(TILE, end - first)
    most = 2 * tile  # doubtful rows of several tiles are done together
    share, off = (p / 2 + 8) * UNIT, 4 * UNIT * longest + VANISHED
    room, few = np.empty((4, most), np.float32), np.empty((p, most), np.float32)
    rows, nearest = np.empty(most, np.int64), np.empty(most, np.int32)
    near, far = np.empty(most), np.empty(most)
    every, marks = np.arange(tile), np.empty(tile, np.bool_)
    changed, count = 0, FIRST
    for start in range(first, end, TILE):
        stop = min(start + TILE, end)
        size, waiting = stop - start, count
        own_labels, up, low = labels[start:stop], upper[start:stop], lower[start:stop]
        _move_bounds(own_labels, own, rest, gaps, slack, up, low, marks[:size])
        count = _append(marks[:size], start, rows, count)
        if WHOLE * (count - waiting) >= size:
            # Reading all rows where they are is quicker than gathering most of them.
            count = waiting
            seen = nearest[:size], near[:size], far[:size]
            if _seen(small, start, small_C, share, off, room, *seen):
                _mend(X[start:stop], every[:size], C, slack, *seen)
            changed += _label_all(*seen, own_labels, up, low)
        if count and (count >= TILE or stop == end):
            for q in range(p):
                _gather(small[q], rows[:count], few[q, :count])
            seen = nearest[:count], near[:count], far[:count]
            if _seen(few, FIRST, small_C, share, off, room, *seen):
                _mend(X, rows[:count], C, slack, *seen)
            changed += _label(rows[:count], *seen, labels, upper, lower)
            count = 0
    return changed


@njit(cache=True, nogil=True, fastmath=SUM)
def _lower(squares, closest, w, lowered):
    """Fill `lowered` with the lesser of `squares` and `closest`; returns their weighted sum."""
    total = 0.0
    for b in range(squares.shape[0]):
        lowered[b] = min(closest[b], squares[b])
        total += w[b] * lowered[b]
    return total


@njit(cache=True, nogil=True)
def _lowered(X, columns, w, row, closest, lowered):
    """Fill `lowered` with what `closest` becomes beside a center at a row of X; returns its sum."""
    total, n = 0.0, X.shape[0]
    room = np.empty(TILE)
    for start in range(0, n, TILE):
        end = min(start + TILE, n)
        squares = room[: end - start]
        _squares_to(columns, start, X, row, squares)
        total += _lower(squares, closest[start:end], w[start:end], lowered[start:end])
    return total


@njit(cache=True, nogil=True)
def plus_plus(X, columns, w, draws, chosen):
    """Fill `chosen` with rows for k-means++: each drawn by its squared distance to those before.

    `draws`, shape (k, L), are uniform in [0, 1): of L rows drawn for a place the one is taken that
    lowers the sum of squared distances most. `columns` are those of X, shape (p, n).
    """
    n, (k, tries) = X.shape[0], draws.shape
    upto = np.cumsum(w)
    chosen[0] = np.searchsorted(upto, draws[0, 0] * upto[-1], side="right")
    closest = np.full(n, np.inf)
    _lowered(X, columns, w, chosen[0], closest, closest)
    best, tried = closest.copy(), closest.copy()
    for j in range(1, k):
        upto = np.cumsum(w * closest)
        least = np.inf
        for t in range(tries):
            row = min(np.searchsorted(upto, draws[j, t] * upto[-1], side="right"), n - 1)
            total = _lowered(X, columns, w, row, closest, tried)
            if t == 0 or total < least:
                least, chosen[j] = total, row
                best, tried = tried, best
        closest, best = best, closest


@njit(cache=True, nogil=True)
def _put(sums, rests, q, value):
    """Add a value to a sum of twice the precision: what rounding takes is in `rests` (Knuth)."""
    before = sums[q]
    total = before + value
    share = total - before
    sums[q] = total
    rests[q] += (before - (total - share)) + (value - share)


@njit(cache=True, nogil=True)
def _join(X, i, shift, weight, j, sums, rests):
    """Add row i less `shift` to the sums of group j, weighed: less than zero takes it away."""
    p = X.shape[1]
    row, own, own_rests = X[i], sums[j], rests[j]  # addressed once, not at each column
    for q in range(p):
        _put(own, own_rests, q, weight * (row[q] - shift[q]))
    _put(own, own_rests, p, weight)


@njit(cache=True, nogil=True)
def regroup(X, w, shift, labels, summed, first, end, sums, rests, counts):
    """Move rows whose label is no longer that in `summed` from one sum to the other, of the parts
    of the table from `first` to `end`; then `summed` are their labels.

    `sums` and `rests`, shape (parts, k, p + 1), hold those of w (x - shift) and of w, in twice the
    precision: what was added can be taken away without a trace. `counts`, shape (parts, k), are of
    the rows with weight. `summed` is -1 for rows in no sum yet.
    """
    n, parts = X.shape[0], sums.shape[0]
    for part in range(first, end):
        # Threads that write side by side into the same lines of memory would wait for each other.
        own, own_rests, own_counts = sums[part].copy(), rests[part].copy(), counts[part].copy()
        for i in range(n * part // parts, n * (part + 1) // parts):
            old, new = summed[i], labels[i]
            if old == new:
                continue
            summed[i] = new
            if not w[i] > 0:
                continue
            _join(X, i, shift, w[i], new, own, own_rests)
            own_counts[new] += 1
            if old >= 0:
                _join(X, i, shift, -w[i], old, own, own_rests)
                own_counts[old] -= 1
        np.positive(own, sums[part])
        np.positive(own_rests, rests[part])
        np.positive(own_counts, counts[part])


@njit(cache=True, nogil=True)
def middles(sums, rests, counts, shift, centers):
    """Move the centers to the means of their rows; one without rows stays. Returns the longest
    way of one."""
    p, longest = centers.shape[1], 0.0
    for j in range(centers.shape[0]):
        if counts[:, j].sum() == 0:
            continue
        # The parts stand one after the other: their order is always the same.
        weight, square = sums[:, j, p].sum() + rests[:, j, p].sum(), 0.0
        for q in range(p):
            mean = shift[q] + (sums[:, j, q].sum() + rests[:, j, q].sum()) / weight
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
        changed = place(
            X, columns, shift, centers, before, slack, FIRST, X.shape[0], labels, upper, lower
        )
        if changed == 0 or moved <= tol or moves == most:
            break
        regroup(X, w, shift, labels, summed, FIRST, len(sums), sums, rests, counts)
        if anew and counts.sum(axis=0).min() == 0:
            break
        np.positive(centers, before)
        moved = middles(sums, rests, counts, shift, centers)
        moves += 1
    return changed, moved, moves
