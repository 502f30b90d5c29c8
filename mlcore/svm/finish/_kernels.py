"""Compiled loops of the exact end of a dual: equations of the free variables, one in or out."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

SUM = {"reassoc", "contract"}  # free order of additions within one product
SMALL = 1e-8  # of the mean diagonal: added to it, for rows may be twice there
WHOLE, CUT, NO_ROOT = 0, 1, -1  # how far a step went, or why there was none


@njit(cache=True, nogil=True)
def _pick_lower(K, which, out):
    """Fill the lower half of the first f rows of `out` with the rows and columns `which`, (f,), of
    K."""
    for i in range(which.shape[0]):
        row = K[which[i]]
        for j in range(i + 1):
            out[i, j] = row[np.uint64(which[j])]  # unsigned: no place from the end


@njit(cache=True, nogil=True, fastmath=SUM)
def _four(A, i, j, a, b, c, d):
    """Put four columns from j on of L into row i of A; of their products the sums are known."""
    a = (A[i, j] - a) / A[j, j]
    b = (A[i, j + 1] - b - a * A[j + 1, j]) / A[j + 1, j + 1]
    c = (A[i, j + 2] - c - a * A[j + 2, j] - b * A[j + 2, j + 1]) / A[j + 2, j + 2]
    d = A[i, j + 3] - d - a * A[j + 3, j] - b * A[j + 3, j + 1] - c * A[j + 3, j + 2]
    A[i, j], A[i, j + 1], A[i, j + 2], A[i, j + 3] = a, b, c, d / A[j + 3, j + 3]


@njit(cache=True, nogil=True, fastmath=SUM)
def _rest(A, i, first):
    """Put the columns from `first` on of L into row i of A; whether the last has a root."""
    for j in range(first, i + 1):
        known = 0.0
        for k in range(j):
            known += A[i, k] * A[j, k]
        left = A[i, j] - known
        if j < i:
            A[i, j] = left / A[j, j]
        elif left > 0.0:
            A[i, i] = np.sqrt(left)
        else:
            return False
    return True


@njit(cache=True, nogil=True, fastmath=SUM)
def _factor(A, f):
    """Put L of A = L L' into the lower half of the first f rows and columns of A; whether there is
    one.

    A library would wake its threads for every such matrix of a few hundred rows, and where these
    have to wait for the processor, it waits for them longer than all the rest takes.
    """
    for i in range(0, f, 2):
        other, whole = min(i + 1, f - 1), i - i % 4  # of an odd number, the last row twice
        for j in range(0, whole, 4):  # eight products with one reading of six rows
            a, b, c, d, a2, b2, c2, d2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(j):
                x, y = A[i, k], A[other, k]
                p, q, r, t = A[j, k], A[j + 1, k], A[j + 2, k], A[j + 3, k]
                a += x * p
                b += x * q
                c += x * r
                d += x * t
                a2 += y * p
                b2 += y * q
                c2 += y * r
                d2 += y * t
            _four(A, i, j, a, b, c, d)
            if other > i:
                _four(A, other, j, a2, b2, c2, d2)
        if not _rest(A, i, whole) or (other > i and not _rest(A, other, whole)):
            return False
    return True


@njit(cache=True, nogil=True, fastmath=SUM)
def _substitute(L, sides):
    """Put the solutions z of L L' z = side into the rows of `sides`, (m, f); L is lower, and of it
    the first f rows and columns count."""
    m, f = sides.shape
    for i in range(f):
        for s in range(m):
            known = 0.0
            for j in range(i):
                known += L[i, j] * sides[s, j]
            sides[s, i] = (sides[s, i] - known) / L[i, i]
    for i in range(f - 1, -1, -1):
        for s in range(m):
            sides[s, i] /= L[i, i]
            for j in range(i):
                sides[s, j] -= L[i, j] * sides[s, i]


@njit(cache=True, nogil=True)
def _carry(K, these, moved, slope):
    """Add rows `these` of K, (n, n), times the changes of their variables to `slope`, (n,)."""
    n, f = K.shape[0], these.shape[0]
    whole = f - f % 4
    for k in range(0, whole, 4):  # four rows with one reading of the slopes
        i, j, r, t = these[k], these[k + 1], these[k + 2], these[k + 3]
        a, b, c, d = moved[k], moved[k + 1], moved[k + 2], moved[k + 3]
        for m in range(n):
            slope[m] += a * K[i, m] + b * K[j, m] + c * K[r, m] + d * K[t, m]
    for k in range(whole, f):
        i, a = these[k], moved[k]
        for m in range(n):
            slope[m] += a * K[i, m]


@njit(cache=True, nogil=True)
def _shifted(K, these, L):
    """Factor the rows and columns `these`, (f,), of K into L with a little more on the diagonal;
    how much more that is, or NO_ROOT."""
    n, f, mean = K.shape[0], these.shape[0], 0.0
    for i in range(n):
        mean += K[i, i] / n
    spare = SMALL * max(mean, 1e-300)
    _pick_lower(K, these, L)
    for i in range(f):
        L[i, i] += spare
    return spare if _factor(L, f) else NO_ROOT


@njit(cache=True, nogil=True)
def _dropped(L, f, at, rest):
    """Take row and column `at` out of the first f of L: what stands below right of it gets the
    outer product of its column added. `rest` is room for two numbers a row."""
    for i in range(at + 1, f):
        above, v = i - 1, L[i, at]
        for j in range(at):
            L[above, j] = L[i, j]
        for j in range(at, above):
            c, s = rest[0, j], rest[1, j]
            L[above, j], v = c * L[i, j + 1] + s * v, c * v - s * L[i, j + 1]
        length = np.hypot(L[i, i], v)
        L[above, above], rest[0, above], rest[1, above] = length, L[i, i] / length, v / length


@njit(cache=True, nogil=True, fastmath=SUM)
def _added(K, these, f, spare, L):
    """Give L a last row, of `these`[f]; whether there is a root."""
    row = K[these[f]]
    for i in range(f + 1):
        known = 0.0
        for j in range(i):
            known += L[i, j] * L[f, j]
        left = row[these[i]] - known
        if i < f:
            L[f, i] = left / L[i, i]
        elif left + spare > 0.0:
            L[f, f] = np.sqrt(left + spare)
        else:
            return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _direction(L, slope, is_second):
    """The solution d of L L' d + b = -slope, (f,), that sums to zero, with a b for the variables of
    the second group and one for the others; not finite where there is none."""
    f = len(slope)
    sides = np.zeros((3, f))
    for i in range(f):
        sides[0, i], sides[2 if is_second[i] else 1, i] = slope[i], 1.0
    many = is_second.sum()
    _substitute(L, sides)
    sums = np.zeros((3, 2))  # of each side, by group
    for i in range(f):
        for side in range(3):
            sums[side, 1 if is_second[i] else 0] += sides[side, i]
    if many == 0 or many == f:
        own = 1 if many else 0
        b = sums[0, own] / sums[1 + own, own]
        d = b * sides[1 + own] - sides[0]
    else:
        # Two equations, which elimination solves as well as they are told, however near each other
        # they are; a quotient of determinants would not.
        (p, q), (_, r), (one, two) = sums[1], sums[2], sums[0]
        b = (two - q / p * one) / (r - q / p * q)
        d = (one - q * b) / p * sides[1] + b * sides[2] - sides[0]
    left = np.zeros(2)  # by rounding, of sums that are zero; large where rows are alike
    for i in range(f):
        left[1 if is_second[i] else 0] += d[i]
    for i in range(f):
        d[i] -= left[1] / many if is_second[i] else left[0] / (f - many)
    return d


@njit(cache=True, nogil=True)
def _moved(K, low, high, beta, slope, free, these, d):
    """Move the variables `these`, (f,), by d or as far as a bound allows, which then binds those
    that meet it; whether one did."""
    f, t = len(these), 1.0
    room = np.full(f, np.inf)
    for i in range(f):
        if d[i] != 0.0:
            end = high[these[i]] if d[i] > 0.0 else low[these[i]]
            room[i] = (end - beta[these[i]]) / d[i]
            t = min(t, room[i])
    for i in range(f):
        rises = d[i] > 0.0
        d[i] *= t  # by nothing, perhaps: then it has no sign any more
        beta[these[i]] += d[i]
        if t < 1.0 and room[i] <= t:
            beta[these[i]] = high[these[i]] if rises else low[these[i]]
            free[these[i]] = False
    _carry(K, these, d, slope)
    return t < 1.0


@njit(cache=True, nogil=True)
def stepped(K, split, low, high, beta, slope, free):
    """One step to the solution for the free variables: CUT by a bound, WHOLE, or NO_ROOT."""
    these = np.flatnonzero(free)
    if len(these) < 2:
        return WHOLE
    L = np.empty((len(these), len(these)))  # of which the upper half is neither filled nor read
    if _shifted(K, these, L) == NO_ROOT:
        return NO_ROOT
    d = _direction(L, slope[these], these >= split)
    if not np.isfinite(d).all():
        return NO_ROOT
    return CUT if _moved(K, low, high, beta, slope, free, these, d) else WHOLE


@njit(cache=True, nogil=True)
def _gap(split, low, high, beta, slope):
    """By how much the conditions of a minimum are violated, in the worse of the groups that stand
    before `split` and from there on: the largest slope of what can fall less the least of what can
    rise."""
    worst = -np.inf
    for first, end in ((0, split), (split, len(beta))):
        up, down = np.inf, -np.inf
        for k in range(first, end):
            if beta[k] < high[k]:
                up = min(up, slope[k])
            if beta[k] > low[k]:
                down = max(down, slope[k])
        worst = max(worst, down - up)
    return worst


@njit(cache=True, nogil=True)
def free_worst(split, low, high, beta, slope, free):
    """Free the variable at a bound that violates the conditions most, and tell which; -1 where
    there is none."""
    worst, most = -1, -np.inf
    for first, end in ((0, split), (split, len(beta))):
        if first == end:
            continue
        own = slope[first:end]
        inner = own[free[first:end]]
        level = np.median(inner if len(inner) else own)
        for k in range(first, end):
            if not free[k]:
                rise = level - slope[k] if beta[k] < high[k] else -np.inf
                fall = slope[k] - level if beta[k] > low[k] else -np.inf
                if max(rise, fall) > most:
                    worst, most = k, max(rise, fall)
    if worst >= 0:
        free[worst] = True
    return worst


@njit(cache=True, nogil=True)
def _without_bound(L, these, f, free, rest):
    """Take what is bound now out of the first f of `these` and of L; how many are left."""
    for at in range(f - 1, -1, -1):
        if not free[these[at]]:
            _dropped(L, f, at, rest)
            for k in range(at + 1, f):
                these[k - 1] = these[k]
            f -= 1
    return f


@njit(cache=True, nogil=True)
def finish(K, split, low, high, beta, slope, most, enough):
    """At most so many steps from a point near the minimum, until the gap is small enough; how many
    variables are free in the end, or NO_ROOT.

    K is factored once: a variable that is bound leaves the factor, one that is freed joins it.
    """
    free = (beta > low) & (beta < high)
    inner = np.flatnonzero(free)
    f = len(inner)
    these, L = np.empty(f + most, np.int64), np.empty((f + most, f + most))
    rest = np.empty((2, f + most))
    np.positive(inner, these[:f])
    spare = _shifted(K, these[:f], L)
    if spare == NO_ROOT:
        return NO_ROOT
    for _ in range(most):
        if f >= 2:
            own = these[:f]
            d = _direction(L, slope[own], own >= split)
            if not np.isfinite(d).all():
                return NO_ROOT
            if _moved(K, low, high, beta, slope, free, own, d):
                f = _without_bound(L, these, f, free, rest)
                continue
        if _gap(split, low, high, beta, slope) <= enough:
            break
        worst = free_worst(split, low, high, beta, slope, free)
        if worst >= 0:
            these[f] = worst
            if not _added(K, these, f, spare, L):
                return NO_ROOT
            f += 1
    return f
