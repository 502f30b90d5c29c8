"""Compiled loops of the solvers: arrays and numbers in, arrays filled in place."""

import numpy as np
from numba import njit

SUM = {"reassoc", "contract", "nsz"}  # free order of additions within one sum


@njit(cache=True, nogil=True)
def sweeps(gram, toward, yy, l1, l2, most, small_gap, small_change, w, left):
    """Coordinate descent on w'Gw/2 - toward'w + l1 |w| + l2/2 |w|^2, up to `most` sweeps.

    `left` is toward - G w, kept up to date with `w`. A sweep is the last whose duality gap is at
    most `small_gap`, or in which no coordinate was further than `small_change` from its optimum,
    measured by its slope. Returns how many sweeps were made.
    """
    p = len(w)
    for k in range(most):
        worst = 0.0
        for j in range(p):
            bend = gram[j, j]
            if bend == 0.0:
                continue
            old = w[j]
            pull = left[j] + bend * old
            new = np.sign(pull) * max(abs(pull) - l1, 0.0) / (bend + l2)
            change = new - old
            if change != 0.0:
                w[j] = new
                for i in range(p):
                    left[i] -= change * gram[j, i]
                worst = max(worst, abs(change) * (bend + l2))
        if worst <= small_change:
            return k + 1
        if small_gap >= 0.0 and _gap(toward, yy, l1, l2, w, left) <= small_gap:
            return k + 1
    return most


@njit(cache=True, nogil=True)
def gap(toward, yy, l1, l2, w, left):
    """Duality gap of the same objective, on arrays that are all inputs."""
    return _gap(toward, yy, l1, l2, w, left)


@njit(cache=True, nogil=True)
def _gap(toward, yy, l1, l2, w, left):
    """Duality gap of |y - X w|^2 / 2 + l1 |w| + l2/2 |w|^2, with toward = X'y, left = X'(y - X w).

    The better of two dual points: the residual shrunk until no column is steeper than l1, with the
    squares seen as extra rows; and, where l2 > 0, the residual itself, with the conjugate of the
    penalty.
    """
    along, across, size, length, steepest, over = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(len(w)):
        along += toward[j] * w[j]
        across += left[j] * w[j]
        size += abs(w[j])
        length += w[j] * w[j]
        steepest = max(steepest, abs(left[j] - l2 * w[j]))
        beyond = abs(left[j]) - l1
        if beyond > 0.0:
            over += beyond * beyond
    squares = max(yy - along - across, 0.0)  # |y - X w|^2
    with_y = yy - along  # y'(y - X w)
    shrink = 1.0 if steepest <= l1 else l1 / steepest
    best = 0.5 * (1.0 + shrink * shrink) * (squares + l2 * length) + l1 * size - shrink * with_y
    if l2 > 0.0:
        best = min(best, squares - with_y + l1 * size + 0.5 * l2 * length + 0.5 * over / l2)
    return max(best, 0.0)


@njit(cache=True, nogil=True)
def centred(X, mean, roots, last, rows):
    """Fill `rows`, shape (n, p + 1), with the rows of X less `mean`, `last` behind them, each times
    its entry of `roots`, shape (n,)."""
    p = X.shape[1]
    for i in range(X.shape[0]):
        root = roots[i]
        for q in range(p):
            rows[i, q] = (X[i, q] - mean[q]) * root
        rows[i, p] = last * root


@njit(cache=True, nogil=True)
def below_largest(Z, y, P, own):
    """Put Z, (m, n), less the largest of each column into P, and what stands at y, (n,), into
    `own`."""
    for i in range(Z.shape[1]):
        largest = Z[0, i]
        for c in range(1, Z.shape[0]):
            largest = max(largest, Z[c, i])
        for c in range(Z.shape[0]):
            P[c, i] = Z[c, i] - largest
        own[i] = P[y[i], i]


@njit(cache=True, nogil=True)
def shared_out(P, y, total, slope):
    """Divide P, (m, n), by the sums of its columns, which go into `total`; in `slope` one less at
    y, (n,)."""
    for i in range(P.shape[1]):
        whole = P[0, i]
        for c in range(1, P.shape[0]):
            whole += P[c, i]
        total[i] = whole
        for c in range(P.shape[0]):
            P[c, i] /= whole
            slope[c, i] = P[c, i]
        slope[y[i], i] -= 1.0


@njit(cache=True, nogil=True, fastmath=SUM)
def products(X, y, shift, first, last, turned, out):
    """Fill the lower half of `out`, (q, q), with sums of z z' over rows z = [x - shift, y, 1].

    `turned`, shape (q, r), takes r rows at a time as columns; its last q - p - 2 rows are zeros.
    """
    p, size = X.shape[1], turned.shape[1]
    out[:] = 0.0
    for start in range(first, last, size):
        count = min(size, last - start)
        for i in range(count):
            for j in range(p):
                turned[j, i] = X[start + i, j] - shift[j]
            turned[p, i] = y[start + i]
            turned[p + 1, i] = 1.0
        for i in range(0, turned.shape[0], 4):
            for j in range(0, i + 1, 4):
                _add_products(turned, i, j, count, out)


@njit(cache=True, nogil=True, fastmath=SUM)
def _add_products(turned, i, j, count, out):
    """Add to `out` the products of four rows from i on with four from j on: sixteen sums at a time,
    as many as stay in registers."""
    s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = 0.0
    s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = 0.0
    for k in range(count):
        a0, a1, a2, a3 = turned[i, k], turned[i + 1, k], turned[i + 2, k], turned[i + 3, k]
        b0, b1, b2, b3 = turned[j, k], turned[j + 1, k], turned[j + 2, k], turned[j + 3, k]
        s00, s01, s02, s03 = s00 + a0 * b0, s01 + a0 * b1, s02 + a0 * b2, s03 + a0 * b3
        s10, s11, s12, s13 = s10 + a1 * b0, s11 + a1 * b1, s12 + a1 * b2, s13 + a1 * b3
        s20, s21, s22, s23 = s20 + a2 * b0, s21 + a2 * b1, s22 + a2 * b2, s23 + a2 * b3
        s30, s31, s32, s33 = s30 + a3 * b0, s31 + a3 * b1, s32 + a3 * b2, s33 + a3 * b3
    sums = (s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23, s30, s31, s32, s33)
    for place in range(16):
        out[i + place // 4, j + place % 4] += sums[place]
