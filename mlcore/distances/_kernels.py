"""Compiled loops over distances. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 512  # rows a matrix product takes at most: what it reads and writes stays in the cache
# Multiplications up to which a product is done by one thread: starting more costs more than it
# saves, and restarts may run side by side.
ONE_THREAD = 2**18
CHUNK = 64  # values that are compared together
UNIT = 16  # and where there are fewer: what is left over is compared one by one
TOGETHER = 48  # queries of one product, where their neighbours are counted
TOO_LARGE = 1e36  # beyond it squares may overflow in single precision
TINY = 1e-37  # products smaller than this are lost in single precision
# Free order of additions in a pure sum: bounds and objectives are made of it, never a label.
SUM = {"reassoc", "contract", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=SUM)
def _length(X, i, C, j):
    total = 0.0
    for q in range(C.shape[1]):
        gap = X[i, q] - C[j, q]
        total += gap * gap
    return np.sqrt(total)


@njit(cache=True, nogil=True)
def _two_nearest(x, C):
    """The nearest row of C, the lowest on ties, and the squared distances to it and the next."""
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
    return label, best, second


@njit(cache=True, nogil=True)
def _half_gaps(C):
    """Half the distance of each row of C to the nearest other one, shape (k,)."""
    k = C.shape[0]
    gaps = np.full(k, np.inf)
    for i in range(k):
        for j in range(i):
            half = _length(C, i, C, j) / 2
            gaps[i] = min(gaps[i], half)
            gaps[j] = min(gaps[j], half)
    return gaps


@njit(cache=True, nogil=True)
def about(X, shift, small, squares):
    """Fill `small` with the rows less `shift` in single precision, `squares` with their lengths."""
    for i in range(X.shape[0]):
        total = 0.0
        for q in range(X.shape[1]):
            gap = X[i, q] - shift[q]
            small[i, q] = gap
            total += gap * gap
        squares[i] = total


@njit(cache=True, nogil=True)
def doubtful(X, C, before, labels, slack, upper, lower, rows):
    """Fill `rows` with those whose nearest row of C may have changed since C was `before`.

    Hamerly (2010): `upper` bounds the distance to the own center, `lower` that to the others;
    both are moved along and tightened here. `slack` is what rounding may take. Returns how many.
    """
    k = C.shape[0]
    moved = np.empty(k)
    first, second, fastest = 0.0, 0.0, -1
    for j in range(k):
        moved[j] = _length(C, j, before, j)
        if moved[j] > first:
            first, second, fastest = moved[j], first, j
        elif moved[j] > second:
            second = moved[j]
    gaps = _half_gaps(C)
    count = 0
    for i in range(X.shape[0]):
        own = labels[i]
        others = second if own == fastest else first
        lower[i] = lower[i] - others - slack * (abs(lower[i]) + others)
        upper[i] = (upper[i] + moved[own]) * (1 + slack)
        bound = max(lower[i], gaps[own] * (1 - slack))
        if upper[i] < bound:
            continue
        upper[i] = _length(X, i, C, own) * (1 + slack)
        if not upper[i] < bound:
            rows[count] = i
            count += 1
    return count


@njit(cache=True, nogil=True)
def place(X, small, squares, C, small_C, square_C, rows, count, slack, labels, upper, lower):
    """Give the first `count` of `rows` the label of their nearest row of C; returns the changes.

    `small` and `small_C` are the rows less one common point in single precision, `squares` and
    `square_C` their squared lengths. Where a matrix product of these cannot tell the nearest two
    apart for certain, the distances are taken by differences, so the labels are exact.
    """
    k, p = C.shape
    rounding = (p + 8) * 2.0**-24
    longest = square_C.max()
    offset = square_C.astype(np.float32)
    most = max(16, min(BLOCK, ONE_THREAD // (k * p)))
    block = np.zeros((most, p), np.float32)
    products = np.empty((k, most), np.float32)
    best, second = np.empty(most, np.float32), np.empty(most, np.float32)
    nearest = np.empty(most, np.int32)
    length, near, far = np.empty(most), np.empty(most), np.empty(most)
    changed = 0
    for start in range(0, count, most):
        size = min(most, count - start)
        for b in range(size):
            i = rows[start + b]
            length[b] = squares[i]
            for q in range(p):  # a copy of a slice takes several times as long
                block[b, q] = small[i, q]
        np.dot(small_C, block.T, products)
        _pick(products, offset, best, second, nearest)
        for b in range(size):
            error = rounding * (length[b] + longest) + p * TINY
            near[b] = np.sqrt(max(0.0, length[b] + best[b] + error))
            far[b] = np.sqrt(max(0.0, length[b] + second[b] - error))
        for b in range(size):
            i, label = rows[start + b], nearest[b]
            scale = length[b] + longest
            error = rounding * scale + p * TINY
            if not (scale < TOO_LARGE and second[b] - best[b] > 2 * error):
                label, least, next_least = _two_nearest(X[i], C)
                near[b], far[b] = np.sqrt(least), np.sqrt(next_least)
            upper[i], lower[i] = near[b] * (1 + slack), far[b] * (1 - slack)
            if label != labels[i]:
                labels[i] = label
                changed += 1
    return changed


@njit(cache=True, nogil=True)
def _pick(products, offset, best, second, nearest):
    """The least and second least of |c|^2 - 2 x.c over c, for each x of a block."""
    best[:], second[:], nearest[:] = np.inf, np.inf, 0
    for j in range(products.shape[0]):
        # Written without branches, so that the compiler takes many rows at once.
        for b in range(products.shape[1]):
            value = offset[j] - np.float32(2) * products[j, b]
            worse = max(best[b], value)
            second[b] = min(second[b], worse)
            nearest[b] = j if value < best[b] else nearest[b]
            best[b] = min(best[b], value)


@njit(cache=True, nogil=True)
def _apart(X, i, C, j, power):
    """Sum of |x - c|^power over the columns of row i of X and row j of C; the largest |x - c| where
    power is infinite, the number of columns that differ where it is 0."""
    total = 0.0
    if power == 2.0:  # by far the most frequent: without a choice in its loop
        for q in range(X.shape[1]):
            gap = X[i, q] - C[j, q]
            total += gap * gap
        return total
    for q in range(X.shape[1]):
        gap = abs(X[i, q] - C[j, q])
        if power == 1.0:
            total += gap
        elif power == np.inf:
            total = max(total, gap)
        elif power == 0.0:
            total += gap > 0.0
        else:
            total += gap**power
    return total


@njit(cache=True, nogil=True)
def place_by_norm(X, C, power, labels):
    """Give every row the label of its nearest row of C in the p-norm; returns the changes."""
    changed = 0
    for i in range(X.shape[0]):
        best, label = np.inf, 0
        for j in range(C.shape[0]):
            apart = _apart(X, i, C, j, power)
            if apart < best:
                best, label = apart, j
        if label != labels[i]:
            labels[i] = label
            changed += 1
    return changed


@njit(cache=True, nogil=True, fastmath=SUM)
def _square(x, c):
    total = 0.0
    for q in range(x.shape[0]):
        gap = x[q] - c[q]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def apart(X, C, labels, power, out):
    """Fill `out` with the p-th power of the p-norm between each row and its row of C."""
    if power == 2.0:
        for i in range(X.shape[0]):
            out[i] = _square(X[i], C[labels[i]])
        return
    for i in range(X.shape[0]):
        out[i] = _apart(X, i, C, labels[i], power)


@njit(cache=True, nogil=True)
def _insert(apart, row, kept_apart, kept):
    """Put a row among those that are kept, by distance, then by number; the last one falls out."""
    at = kept.shape[0] - 1
    while at > 0 and (
        kept_apart[at - 1] > apart or (kept_apart[at - 1] == apart and kept[at - 1] > row)
    ):
        kept_apart[at], kept[at] = kept_apart[at - 1], kept[at - 1]
        at -= 1
    kept_apart[at], kept[at] = apart, row


@njit(cache=True, nogil=True)
def closest(X, queries, S, power, apart, rows):
    """Fill `apart` and `rows`, shape (m, k), for some `queries`: the nearest rows of S to a row of
    X, the lower number on ties, and the sums by `_apart`. Looks at every row of S."""
    k = rows.shape[1]
    for i in queries:
        apart[i] = np.inf
        rows[i] = S.shape[0]
        for j in range(S.shape[0]):
            gap = _apart(X, i, S, j, power)
            if gap < apart[i, k - 1]:
                _insert(gap, j, apart[i], rows[i])


@njit(cache=True, nogil=True)
def ranked(X, S, candidates, bounds, power, apart, rows, doubtful):
    """The nearest among a few `candidates`, shape (m, c), exactly, as `closest` has them.

    No other row is nearer than `bounds`, shape (m,). Fills `doubtful` with the queries for which
    that does not rule all others out; returns how many.
    """
    k, count = rows.shape[1], 0
    for i in range(X.shape[0]):
        apart[i] = np.inf
        rows[i] = S.shape[0]
        for j in candidates[i]:
            gap = _apart(X, i, S, j, power)
            if gap <= apart[i, k - 1]:
                _insert_last(gap, j, apart[i], rows[i])
        if not apart[i, k - 1] < bounds[i]:
            doubtful[count] = i
            count += 1
    return count


@njit(cache=True, nogil=True)
def _insert_last(apart, row, kept_apart, kept):
    """As `_insert`, where the row may also be behind the last one."""
    last = kept.shape[0] - 1
    if apart < kept_apart[last] or row < kept[last]:
        _insert(apart, row, kept_apart, kept)


@njit(cache=True, nogil=True)
def sift(Q, S, squares, values, kept):
    """Keep for each query the rows of S with the least |s|^2 - 2 q.s, in single precision.

    `squares` are the |s|^2; fills `values` and `kept`, shape (m, c), ascending.
    """
    m, p = Q.shape
    step = ONE_THREAD // (m * p)
    unit = CHUNK if step >= CHUNK else UNIT
    step = max(UNIT, step // unit * unit)
    products = np.empty((m, step), np.float32)
    values[:], kept[:] = np.inf, S.shape[0]
    for first in range(0, S.shape[0], step):
        size = min(step, S.shape[0] - first)
        if size < step:
            products = np.empty((m, size), np.float32)
        np.dot(Q, S[first : first + size].T, products)
        _keep(products, squares, first, values, kept)


@njit(cache=True, nogil=True, _nrt=False)
def _keep(products, squares, first, values, kept):
    """What `sift` keeps of the rows from `first` on, of which `products`, shape (m, step), tell.

    Nobody counts who holds a part of an array: that would take longer than to look at it.
    """
    for i in range(products.shape[0]):
        worst = values[i, -1]
        for start in range(0, products.shape[1], CHUNK):
            end = min(start + CHUNK, products.shape[1])
            # Most blocks hold nothing near: one look without a branch, many rows at once.
            near, lengths = products[i, start:end], squares[first + start : first + end]
            is_near = False
            for j in range(near.shape[0]):
                is_near |= lengths[j] - np.float32(2) * near[j] < worst
            if not is_near:
                continue
            for j in range(near.shape[0]):
                value = lengths[j] - np.float32(2) * near[j]
                if value < worst:
                    _insert(value, first + start + j, values[i], kept[i])
                    worst = values[i, -1]


@njit(cache=True, nogil=True)
def _length_of(total, power, p):
    """The norm whose sum by `_apart` over p columns is `total`."""
    if power == 2.0:
        return np.sqrt(total)
    if power == 0.0:
        return total / p
    if power == 1.0 or power == np.inf:
        return total
    return total ** (1.0 / power)


@njit(cache=True, nogil=True)
def at_most(rows, apart, counts, power, radius, p, ahead):
    """Keep of the `rows` of queries, one after the other, those at most `radius` away.

    `apart` are sums over p columns, which become distances; what is kept moves to the front, and
    `counts` says how many of each query that are. Query i has no rows before `ahead` + i. Returns
    how many in all.
    """
    n_near, first = 0, 0
    for i in range(len(counts)):
        behind, start = first + counts[i], n_near
        for j in range(first, behind):
            far = _length_of(apart[j], power, p)
            if far <= radius and rows[j] >= ahead + i:
                rows[n_near], apart[n_near], n_near = rows[j], far, n_near + 1
        first, counts[i] = behind, n_near - start
    return n_near


@njit(cache=True, nogil=True)
def _longer(values):
    """The values in an array of twice the length."""
    room = np.empty(2 * len(values), values.dtype)
    np.positive(values, room[: len(values)])
    return room


@njit(cache=True, nogil=True)
def within_all(X, S, power, radius, bound, counts, ahead):
    """The rows of S at most `radius` from each row of X, by looking at each; none of them has a sum
    above `bound`. Query i has no rows before `ahead` + i. Fills `counts`; returns rows and
    distances, those of a query by row."""
    rows, apart = np.empty(len(S) + 16, np.int64), np.empty(len(S) + 16)
    n_near = 0
    for i in range(X.shape[0]):
        first = n_near
        while n_near + len(S) > len(rows):
            rows, apart = _longer(rows), _longer(apart)
        for j in range(max(0, ahead + i), S.shape[0]):
            total = _apart(X, i, S, j, power)
            if total <= bound:
                far = _length_of(total, power, X.shape[1])
                if far <= radius:
                    rows[n_near], apart[n_near], n_near = j, far, n_near + 1
        counts[i] = n_near - first
    return rows[:n_near].copy(), apart[:n_near].copy()


@njit(cache=True, nogil=True)
def within_sifted(X, Q, lengths, S, small, squares, errors, radius, bound, counts, ahead):
    """As `within_all` for the Euclidean distance, by matrix products in single precision.

    Q and `small` are the rows less one common point, `lengths` and `squares` their squared
    lengths; `errors` bounds what rounding takes of a query. Only what that leaves open is looked
    at by differences.
    """
    rows, apart = np.empty(len(S) + 16, np.int64), np.empty(len(S) + 16)
    n_near, p, most = 0, X.shape[1], TOGETHER
    step = min(len(S), max(CHUNK, ONE_THREAD // (most * p) // CHUNK * CHUNK))
    room, kept = np.empty(most * (len(S) + step), np.float32), np.empty(step + 1, np.int64)
    for start in range(0, X.shape[0], most):
        end, begin = min(start + most, X.shape[0]), max(0, ahead + start)
        width = min(step, len(S) - begin)
        parts = -(-(len(S) - begin) // width)
        products = room[: (end - start) * parts * width].reshape((parts, end - start, width))
        for k in range(parts):  # the last one sees some of the one before again
            low = min(begin + k * width, len(S) - width)
            np.dot(Q[start:end], small[low : low + width].T, products[k])
        for i in range(start, end):
            first = n_near
            while n_near + len(S) > len(rows):
                rows, apart = _longer(rows), _longer(apart)
            far_out = np.float32(bound + errors[i] - lengths[i])
            for k in range(parts):
                low = min(begin + k * width, len(S) - width)
                unseen = max(begin + k * width, ahead + i)
                for j in kept[: _open(products, k, i - start, squares, low, far_out, kept)]:
                    if low + j < unseen:
                        continue
                    total = _apart(X, i, S, low + j, 2.0)
                    if total <= bound:
                        far = np.sqrt(total)
                        if far <= radius:
                            rows[n_near], apart[n_near], n_near = low + j, far, n_near + 1
            counts[i] = n_near - first
    return rows[:n_near].copy(), apart[:n_near].copy()


@njit(cache=True, nogil=True, _nrt=False)
def _open(products, part, query, squares, low, far_out, kept):
    """Put into `kept` where squares - 2 products of a query, of the rows from `low` on, is not
    above `far_out`; what overflowed is no number and stays. Returns how many."""
    count = 0
    for start in range(0, products.shape[2], CHUNK):
        end = min(start + CHUNK, products.shape[2])
        near, lengths = products[part, query, start:end], squares[low + start : low + end]
        is_open = False
        for j in range(near.shape[0]):
            is_open |= not lengths[j] - np.float32(2) * near[j] > far_out
        if not is_open:
            continue
        for j in range(near.shape[0]):
            kept[count] = start + j
            count += not lengths[j] - np.float32(2) * near[j] > far_out
    return count
