"""Compiled loops of the clusterers. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

SUM = {
    "reassoc",
    "contract",
    "nsz",
    "arcp",
}  # free order of additions within one distance


@njit(cache=True, nogil=True, fastmath=SUM)
def _square(X, i, j):
    total = 0.0
    for q in range(X.shape[1]):
        gap = X[i, q] - X[j, q]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def means(X, w, shift, labels, before, centers, weights):
    """Fill `centers` with the weighted mean of the rows of each label, `weights` with their sums.

    A center without rows stays as it was `before`. The sums are those of w (x - shift): small
    numbers lose little when the rows lie far from zero.
    """
    centers[:] = 0.0
    weights[:] = 0.0
    for i in range(X.shape[0]):
        own = labels[i]
        weights[own] += w[i]
        for q in range(X.shape[1]):
            centers[own, q] += w[i] * (X[i, q] - shift[q])
    for j in range(centers.shape[0]):
        for q in range(centers.shape[1]):
            full = weights[j] > 0
            centers[j, q] = shift[q] + centers[j, q] / weights[j] if full else before[j, q]


@njit(cache=True, nogil=True)
def nearer(X, i, closest):
    """Lower `closest` to the squared distance from row i, wherever that is less."""
    for a in range(X.shape[0]):
        closest[a] = min(closest[a], _square(X, a, i))


@njit(cache=True, nogil=True)
def _root(above, i):
    """The lowest row that i is joined to; what is passed on the way is moved up."""
    while above[i] != i:
        above[i] = above[above[i]]
        i = above[i]
    return i


@njit(cache=True, nogil=True)
def around(first, starts, rows, w, sums):
    """Add to `sums` the weights of the rows around each row, those of a block, row k of it being
    `first` + k.

    The rows around it that are no earlier, itself the first, stand in `rows` from starts[k] to
    starts[k + 1]: of two rows that are near each other the earlier tells.
    """
    for k in range(len(starts) - 1):
        i = first + k
        for at in range(starts[k], starts[k + 1]):
            j = rows[at]
            sums[i] += w[j]
            if j != i:
                sums[j] += w[i]


@njit(cache=True, nogil=True)
def join(first, starts, rows, core, above):
    """Join the core rows of a block, as `around` has it, with those around them.

    `above` leads from a row to a lower one that it is joined to, or to itself.
    """
    for k in range(len(starts) - 1):
        if not core[first + k]:
            continue
        one = _root(above, first + k)
        for at in range(starts[k], starts[k + 1]):
            if core[rows[at]]:
                other = _root(above, rows[at])
                above[max(one, other)] = one = min(one, other)


@njit(cache=True, nogil=True)
def number(core, above, labels):
    """Give core rows that are joined one label, numbered by the lowest row of each group."""
    count = 0
    for i in range(len(core)):
        if core[i]:
            root = _root(above, i)
            if root == i:
                labels[i], count = count, count + 1
            else:
                labels[i] = labels[root]


@njit(cache=True, nogil=True)
def border(first, starts, rows, core, labels):
    """Give rows that are not core the lowest label of core rows around, by a block as `around`."""
    for k in range(len(starts) - 1):
        i = first + k
        for at in range(starts[k], starts[k + 1]):
            j = rows[at]
            if core[i] != core[j]:
                inner, outer = (i, j) if core[i] else (j, i)
                if labels[outer] < 0 or labels[inner] < labels[outer]:
                    labels[outer] = labels[inner]


@njit(cache=True, nogil=True)
def mirrored(starts, rows):
    """All rows around each, by number, where of two rows the earlier tells: starts and rows."""
    n = len(starts) - 1
    ends = np.zeros(n + 1, np.int64)
    for i in range(n):
        for j in rows[starts[i] : starts[i + 1]]:
            ends[i + 1] += 1
            ends[j + 1] += j != i
    ends = np.cumsum(ends)
    free, every = ends[:-1].copy(), np.empty(ends[-1], np.int64)
    for i in range(n):
        for j in rows[starts[i] : starts[i + 1]]:
            every[free[i]], free[i] = j, free[i] + 1
            if j != i:
                every[free[j]], free[j] = i, free[j] + 1
    return ends, every


@njit(cache=True, nogil=True)
def shares(log_joint, resp, log_density):
    """Fill `resp` with exp(log_joint) divided by its sum over each row, and the log of that sum."""
    n, k = log_joint.shape
    for i in range(n):
        top = log_joint[i, 0]
        for j in range(1, k):
            top = max(top, log_joint[i, j])
        # The largest is taken out first: exp of a log-density below about -745 is zero.
        total = 0.0
        for j in range(k):
            resp[i, j] = np.exp(log_joint[i, j] - top)
            total += resp[i, j]
        for j in range(k):
            resp[i, j] /= total
        log_density[i] = top + np.log(total)


@njit(cache=True, nogil=True)
def _root_of(cov, at, q, L):
    """Fill L[:q, :q] with the Cholesky factor of cov at the numbers at[:q]; False if there is none.

    Returns half the logarithm of the determinant beside it.
    """
    half = 0.0
    for i in range(q):
        for j in range(i + 1):
            value = cov[at[i], at[j]]
            for t in range(j):
                value -= L[i, t] * L[j, t]
            if j < i:
                L[i, j] = value / L[j, j]
            elif value > 0.0:
                L[i, i] = np.sqrt(value)
                half += np.log(L[i, i])
            else:
                return False, half
    return True, half


@njit(cache=True, nogil=True)
def _split(seen, at):
    """Fill `at` with the numbers of what is seen, then of what is not; returns how many are."""
    q, p = 0, len(seen)
    for j in range(p):
        if seen[j]:
            at[q] = j
            q += 1
    end = q
    for j in range(p):
        if not seen[j]:
            at[end] = j
            end += 1
    return q


@njit(cache=True, nogil=True)
def seen_logs(X, order, starts, seen, means, covariances, out):
    """Fill `out`, (n, K), with the log-density of what each row shows; False without an inverse.

    Rows order[starts[g]] up to order[starts[g + 1]] show the columns seen[g], (p,).
    """
    p = X.shape[1]
    L, at, z = np.empty((p, p)), np.empty(p, np.int64), np.empty(p)
    for g in range(len(starts) - 1):
        q = _split(seen[g], at)
        for k in range(len(means)):
            exists, half = _root_of(covariances[k], at, q, L)
            if not exists:
                return False
            level = -half - 0.5 * q * np.log(2.0 * np.pi)
            for place in range(starts[g], starts[g + 1]):
                i = order[place]
                square = 0.0
                for a in range(q):
                    value = X[i, at[a]] - means[k, at[a]]
                    for t in range(a):
                        value -= L[a, t] * z[t]
                    z[a] = value / L[a, a]
                    square += z[a] * z[a]
                out[i, k] = level - 0.5 * square
    return True


@njit(cache=True, nogil=True)
def expected_sums(X, order, starts, seen, resp, means, covariances, firsts, seconds):
    """Add up r (x - mean) in `firsts`, (K, p), and r (x - mean)(x - mean)^T in `seconds`.

    Both as they are expected, (K, p, p), given what each row shows; rows as in `seen_logs`. Returns
    False without an inverse.
    """
    p = X.shape[1]
    L, W, at, d = np.empty((p, p)), np.empty((p, p)), np.empty(p, np.int64), np.empty(p)
    firsts[:] = 0.0
    seconds[:] = 0.0
    for g in range(len(starts) - 1):
        q = _split(seen[g], at)
        for k in range(len(means)):
            cov = covariances[k]
            exists, _ = _root_of(cov, at, q, L)
            if not exists:
                return False
            heavy = 0.0
            for place in range(starts[g], starts[g + 1]):
                heavy += resp[order[place], k]
            for b in range(q, p):
                for a in range(q):  # L w = covariances of what is seen with what is not
                    value = cov[at[a], at[b]]
                    for t in range(a):
                        value -= L[a, t] * W[t, b]
                    W[a, b] = value / L[a, a]
                for c in range(q, b + 1):
                    left = cov[at[b], at[c]]
                    for a in range(q):
                        left -= W[a, b] * W[a, c]
                    seconds[k, at[b], at[c]] += heavy * left
                    if c < b:
                        seconds[k, at[c], at[b]] += heavy * left
            for b in range(q, p):
                for a in range(q - 1, -1, -1):  # L^T v = w: the slopes
                    value = W[a, b]
                    for t in range(a + 1, q):
                        value -= L[t, a] * W[t, b]
                    W[a, b] = value / L[a, a]
            for place in range(starts[g], starts[g + 1]):
                i = order[place]
                for a in range(q):
                    d[at[a]] = X[i, at[a]] - means[k, at[a]]
                for b in range(q, p):
                    value = 0.0
                    for a in range(q):
                        value += W[a, b] * d[at[a]]
                    d[at[b]] = value
                r = resp[i, k]
                for a in range(p):
                    firsts[k, a] += r * d[a]
                    for b in range(p):
                        seconds[k, a, b] += r * d[a] * d[b]
    return True
