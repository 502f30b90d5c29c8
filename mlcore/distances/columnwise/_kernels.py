"""Compiled loops over columns: each value of a center meets many rows at once.

Inputs are read-only and C-ordered, outputs filled in place. The loops over rows are functions of
their own that take slices: where a row is addressed by a sum, they take one row at a time. Each sum
is added in the order of the columns, so that distances have the bits of the plain loop.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TILE = 256  # rows taken at once: a few columns of them stay in the nearest cache
SUM = {"reassoc", "contract", "nsz", "arcp"}  # free order of additions in a pure sum
LOST = 1e-150  # distances so short lose digits in their squares
STRIP = 64  # rows of a table that are turned at once


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


@njit(cache=True, nogil=True)
def _keep_nearer(squares, j, best, second, nearest):
    for b in range(squares.shape[0]):
        nearest[b] = j if squares[b] < best[b] else nearest[b]
        second[b] = min(second[b], max(best[b], squares[b]))
        best[b] = min(best[b], squares[b])


@njit(cache=True, nogil=True)
def _two_nearest(columns, start, C, squares, best, second, nearest):
    """Fill `nearest` with the nearest row of C to the rows from `start` on, the lowest on ties, and
    `best` and `second` with the squared distances to it and to the next."""
    nearest = nearest[: squares.shape[0]]
    best[:], second[:], nearest[:] = np.inf, np.inf, 0
    for j in range(C.shape[0]):
        _squares_to(columns, start, C, j, squares)
        _keep_nearer(squares, j, best, second, nearest)


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
def _label(rows, best, second, nearest, slack, labels, upper, lower):
    """Write what was found of some rows where it belongs; returns how many labels changed."""
    changed = 0
    for b in range(rows.shape[0]):
        i = rows[b]
        upper[i] = np.sqrt(best[b]) * (1 + slack) + LOST
        lower[i] = np.sqrt(second[b]) * (1 - slack)
        changed += labels[i] != nearest[b]
        labels[i] = nearest[b]
    return changed


@njit(cache=True, nogil=True)
def place(columns, C, before, slack, first, end, labels, upper, lower):
    """Give the rows from `first` to `end` the label of their nearest row of C, the lowest on ties;
    returns how many labels changed.

    `upper` bounds the distance to the own row of C, `lower` that to all others, as they were when C
    was `before` (Hamerly 2010, SDM): of a row that they settle, no distance is taken. `slack` is
    what rounding may take of a distance, relative. `upper` is infinite before the first assignment.
    """
    own, others, gaps = _ways(C, before, slack)
    p, most = columns.shape[0], 2 * TILE  # doubtful rows of several tiles are done together
    squares, best, second = np.empty(most), np.empty(most), np.empty(most)
    rows, nearest, few = np.empty(most, np.int64), np.empty(most, np.int64), np.empty((p, most))
    marks = np.empty(TILE, np.bool_)
    changed, count = 0, 0
    for start in range(first, end, TILE):
        stop = min(start + TILE, end)
        marked = marks[: stop - start]
        own_labels, up, low = labels[start:stop], upper[start:stop], lower[start:stop]
        _move_bounds(own_labels, own, others, gaps, slack, up, low, marked)
        count = _append(marked, start, rows, count)
        if count < TILE and stop < end:
            continue
        # All of this tile and none of those before are read where they are.
        if count == stop - start and rows[0] == start:
            _two_nearest(columns, start, C, squares[:count], best[:count], second[:count], nearest)
        else:
            for q in range(p):
                _gather(columns[q], rows[:count], few[q, :count])
            _two_nearest(few, 0, C, squares[:count], best[:count], second[:count], nearest)
        changed += _label(rows[:count], best, second, nearest, slack, labels, upper, lower)
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
        closest[:] = best


@njit(cache=True, nogil=True)
def _put(sums, rests, j, q, value):
    """Add a value to a sum of twice the precision: what rounding takes is in `rests` (Knuth)."""
    before = sums[j, q]
    total = before + value
    share = total - before
    sums[j, q] = total
    rests[j, q] += (before - (total - share)) + (value - share)


@njit(cache=True, nogil=True)
def _join(X, i, shift, weight, j, sums, rests):
    """Add row i less `shift` to the sums of group j, weighed: less than zero takes it away."""
    p = X.shape[1]
    for q in range(p):
        _put(sums, rests, j, q, weight * (X[i, q] - shift[q]))
    _put(sums, rests, j, p, weight)


@njit(cache=True, nogil=True)
def regroup(X, w, shift, labels, summed, sums, rests, counts):
    """Move rows whose label is no longer that in `summed` from one sum to the other.

    `sums` and `rests`, shape (k, p + 1), hold those of w (x - shift) and of w, in twice the
    precision: what was added can be taken away without a trace. `counts`, shape (k,), are of the
    rows with weight. `summed` is -1 for rows that are in no sum yet.
    """
    for i in range(X.shape[0]):
        old, new = summed[i], labels[i]
        if old == new:
            continue
        summed[i] = new
        if w[i] > 0:
            _join(X, i, shift, w[i], new, sums, rests)
            counts[new] += 1
            if old >= 0:
                _join(X, i, shift, -w[i], old, sums, rests)
                counts[old] -= 1


@njit(cache=True, nogil=True)
def middles(sums, rests, counts, shift, centers):
    """Move the centers to the means of their rows; one without rows stays. Returns the longest
    way of one."""
    p, longest = centers.shape[1], 0.0
    for j in range(centers.shape[0]):
        if counts[j] == 0:
            continue
        weight, square = sums[j, p] + rests[j, p], 0.0
        for q in range(p):
            mean = shift[q] + (sums[j, q] + rests[j, q]) / weight
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
        changed = place(columns, centers, before, slack, 0, X.shape[0], labels, upper, lower)
        if changed == 0 or moved <= tol or moves == most:
            break
        regroup(X, w, shift, labels, summed, sums, rests, counts)
        if anew and counts.min() == 0:
            break
        before[:] = centers
        moved = middles(sums, rests, counts, shift, centers)
        moves += 1
    return changed, moved, moves
