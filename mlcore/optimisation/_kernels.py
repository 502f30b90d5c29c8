"""Compiled loops of the solvers: arrays and numbers in, arrays filled in place."""

import numpy as np

from mlcore.spine.loops import njit

FEW_ROWS = 128  # of X, that stay in the first cache while all outputs use them
MORE_ROWS = 2048  # that stay in the second
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
def products(X, y, shift, weights, first, last, turned, weighted, out):
    """Fill `out`, (q, q), with sums of w z z' over rows z = [x - shift, y, 1].

    `turned`, shape (q, r), takes r rows at a time as columns, in its own precision; its last
    q - p - 2 rows are zeros. `weighted` is like it and takes them times their weights. It is
    `turned` itself where the weights, (n,), are none.
    """
    size = turned.shape[1]
    out[:] = 0.0
    for start in range(first, last, size):
        count = min(size, last - start)
        _transpose(X, y, shift, start, count, turned)
        if len(weights):
            for q in range(X.shape[1] + 2):
                for i in range(count):
                    weighted[q, i] = turned[q, i] * weights[start + i]
        for i in range(0, turned.shape[0], 4):
            for j in range(0, i + 1, 4):
                _add_products(weighted, turned, i, j, count, out)
    for i in range(len(out)):
        for j in range(i):
            out[j, i] = out[i, j]


@njit(cache=True, nogil=True, fastmath=SUM)
def _transpose(X, y, shift, start, count, turned):
    """Four rows at a time, so that each line of the cache is written to a quarter as often."""
    p, even = X.shape[1], count - count % 4
    for i in range(0, even, 4):
        k = start + i
        for j in range(p):
            turned[j, i], turned[j, i + 1] = X[k, j] - shift[j], X[k + 1, j] - shift[j]
            turned[j, i + 2], turned[j, i + 3] = X[k + 2, j] - shift[j], X[k + 3, j] - shift[j]
    for i in range(even, count):
        for j in range(p):
            turned[j, i] = X[start + i, j] - shift[j]
    for i in range(count):
        turned[p, i] = y[start + i]
        turned[p + 1, i] = 1.0


@njit(cache=True, nogil=True, fastmath=SUM)
def _add_products(left, right, i, j, count, out):
    """Add to `out` the products of four rows of `left` from i on with four of `right` from j on:
    sixteen sums at a time, as many as stay in registers."""
    s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = left.dtype.type(0.0)
    s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = left.dtype.type(0.0)
    for k in range(count):
        a0, a1, a2, a3 = left[i, k], left[i + 1, k], left[i + 2, k], left[i + 3, k]
        b0, b1, b2, b3 = right[j, k], right[j + 1, k], right[j + 2, k], right[j + 3, k]
        s00, s01, s02, s03 = s00 + a0 * b0, s01 + a0 * b1, s02 + a0 * b2, s03 + a0 * b3
        s10, s11, s12, s13 = s10 + a1 * b0, s11 + a1 * b1, s12 + a1 * b2, s13 + a1 * b3
        s20, s21, s22, s23 = s20 + a2 * b0, s21 + a2 * b1, s22 + a2 * b2, s23 + a2 * b3
        s30, s31, s32, s33 = s30 + a3 * b0, s31 + a3 * b1, s32 + a3 * b2, s33 + a3 * b3
    sums = (s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23, s30, s31, s32, s33)
    for place in range(16):
        out[i + place // 4, j + place % 4] += sums[place]


@njit(cache=True, nogil=True, fastmath=SUM)
def predicted(X, W, start, first, last, Z):
    """Put some rows of X, (n, p), times those of W, (m, p), plus `start`, (m,), into Z, (m, n)."""
    for begin in range(first, last, FEW_ROWS):
        end = min(begin + FEW_ROWS, last)
        for c in range(W.shape[0]):
            _multiply(X, W[c], start[c], begin, end, Z[c])


@njit(cache=True, nogil=True, fastmath=SUM)
def _multiply(X, w, start, first, last, z):
    """Four rows at a time, whose sums do not wait for each other."""
    even = last - (last - first) % 4
    for i in range(first, even, 4):
        a0 = a1 = a2 = a3 = start
        for j in range(X.shape[1]):
            a0, a1 = a0 + X[i, j] * w[j], a1 + X[i + 1, j] * w[j]
            a2, a3 = a2 + X[i + 2, j] * w[j], a3 + X[i + 3, j] * w[j]
        z[i], z[i + 1], z[i + 2], z[i + 3] = a0, a1, a2, a3
    for i in range(even, last):
        a0 = start
        for j in range(X.shape[1]):
            a0 += X[i, j] * w[j]
        z[i] = a0


@njit(cache=True, nogil=True, fastmath=SUM)
def gathered(X, S, first, last, out):
    """Add to `out`, (m, p + 1), sums over some rows of X, (n, p), with a one behind them, each
    times its entry of S, (m, n)."""
    for begin in range(first, last, FEW_ROWS):
        end = min(begin + FEW_ROWS, last)
        for c in range(S.shape[0]):
            _add_rows(X, S[c], begin, end, out[c])


@njit(cache=True, nogil=True, fastmath=SUM)
def _add_rows(X, s, first, last, out):
    """Four rows at a time, so that sums are read and written a quarter as often."""
    p, even, total = X.shape[1], last - (last - first) % 4, 0.0
    for i in range(first, even, 4):
        s0, s1, s2, s3 = s[i], s[i + 1], s[i + 2], s[i + 3]
        total += (s0 + s1) + (s2 + s3)
        for j in range(p):
            two = s0 * X[i, j] + s1 * X[i + 1, j]
            out[j] += two + (s2 * X[i + 2, j] + s3 * X[i + 3, j])
    for i in range(even, last):
        total += s[i]
        for j in range(p):
            out[j] += s[i] * X[i, j]
    out[p] += total


@njit(cache=True, nogil=True, fastmath=SUM)
def squares(X, mean, weights, out):
    """Add to `out`, (p,), the squares of the rows of X, (n, p), less `mean`, by their weights."""
    for i in range(X.shape[0]):
        w = weights[i]
        for j in range(X.shape[1]):
            apart = X[i, j] - mean[j]
            out[j] += w * (apart * apart)


ROUND = 6755399441055744.0  # 1.5 2^52: a number to which this was added is rounded to an integer
LN2, LN2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # sum ln 2; k LN2 is exact
LEAST_POWER = -708.0  # of e: that of less is no longer a normal number
MOST_POWER = 709.0  # of e that is still a number
TOGETHER = 256  # rows of all classes that stay in the first cache


@njit(cache=True, nogil=True, fastmath={"contract"}, no_cpython_wrapper=False)
def _exp(x):
    """e^x for x at most 709, to an ulp and at least e^-708: without a branch or a call, so that a
    compiler takes several at a time."""
    x = max(x, LEAST_POWER)
    k = (x * 1.4426950408889634 + ROUND) - ROUND
    r = (x - k * LN2) - k * LN2_REST  # at most ln 2 / 2: thirteen terms of the series are enough
    e = (r / 6227020800.0 + 1.0 / 479001600.0) * r + 1.0 / 39916800.0
    e = ((e * r + 1.0 / 3628800.0) * r + 1.0 / 362880.0) * r + 1.0 / 40320.0
    e = ((e * r + 1.0 / 5040.0) * r + 1.0 / 720.0) * r + 1.0 / 120.0
    e = (((e * r + 1.0 / 24.0) * r + 1.0 / 6.0) * r + 0.5) * r * r + r + 1.0
    return e * np.int64((np.int64(k) + 1023) << 52).view(np.float64)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"}, no_cpython_wrapper=False)
def _log1p(u):
    """log(1 + u) for u at least 0, to two ulps, as `_exp`."""
    v = 1.0 + u
    bits = np.float64(v).view(np.int64)
    k, m = (bits >> 52) - 1023, np.int64((bits & 0xFFFFFFFFFFFFF) | (1023 << 52)).view(np.float64)
    above = m > 1.4142135623730951
    m, k = (0.5 * m if above else m), (k + 1 if above else k)
    s = (m - 1.0) / (m + 1.0)
    q = s * s  # at most 0.0295: ten terms of the series are enough
    a = ((q / 21.0 + 1.0 / 19.0) * q + 1.0 / 17.0) * q + 1.0 / 15.0
    a = ((a * q + 1.0 / 13.0) * q + 1.0 / 11.0) * q + 1.0 / 9.0
    a = (((a * q + 1.0 / 7.0) * q + 1.0 / 5.0) * q + 1.0 / 3.0) * q
    lost = (u - (v - 1.0)) / v  # by rounding 1 + u
    return k * LN2 + (2.0 * s + (2.0 * s * a + (k * LN2_REST + lost)))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def logistic(z, value, p):
    """Fill value and p, shape (n,), with log(1 + e^z) and 1 / (1 + e^-z), without overflow."""
    for i in range(len(z)):
        # What is no normal number any more is 0, as exp has it: Newton's method sees no curvature.
        small = 0.0 if abs(z[i]) > -LEAST_POWER else _exp(-abs(z[i]))
        p[i] = (1.0 if z[i] >= 0.0 else small) / (1.0 + small)
        value[i] = max(z[i], 0.0) + _log1p(small)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=SUM)
def logistic_along(y, weights, Z, by, t, first, last, there, slopes, out):
    """Some rows of the logistic loss at Z + t by, (1, n) all: these go into `there`, slopes by them
    times the weights into `slopes`, and value and derivative by t into `out`, (2,)."""
    value, rise = 0.0, 0.0
    y, w, z_from, along = y[first:last], weights[first:last], Z[0][first:last], by[0][first:last]
    z_there, s_there = there[0][first:last], slopes[0][first:last]
    for i in range(last - first):
        z = z_from[i] + t * along[i]
        small = _exp(-abs(z))
        p = (1.0 if z >= 0.0 else small) / (1.0 + small)
        s = (p - y[i]) * w[i]
        z_there[i], s_there[i] = z, s
        value += w[i] * ((max(z, 0.0) - y[i] * z) + _log1p(small))
        rise += s * along[i]
    out[0], out[1] = value, rise


@njit(cache=True, nogil=True, error_model="numpy", fastmath=SUM)
def softmax_along(y, weights, Z, by, t, first, last, there, slopes, out):
    """The same of the softmax loss, for Z and the like of shape (m, n) and codes y."""
    value, rise = 0.0, 0.0
    top, total = np.empty(TOGETHER), np.empty(TOGETHER)
    for start in range(first, last, TOGETHER):
        end = min(start + TOGETHER, last)
        own, w = y[start:end], weights[start:end]
        top[:], total[:] = -np.inf, 0.0
        for c in range(Z.shape[0]):
            _move(Z[c][start:end], by[c][start:end], t, there[c][start:end], top)
        for c in range(Z.shape[0]):
            _add_shares(there[c][start:end], top, slopes[c][start:end], total)
        for i in range(end - start):
            value -= w[i] * (there[own[i], start + i] - top[i])
        for i in range(end - start):
            value += w[i] * _log1p(total[i] - 1.0)
            total[i] = w[i] / total[i]
        for c in range(Z.shape[0]):
            rise += _scale(slopes[c][start:end], total, by[c][start:end])
        for i in range(end - start):
            slopes[own[i], start + i] -= w[i]
            rise -= w[i] * by[own[i], start + i]
    out[0], out[1] = value, rise


@njit(cache=True, nogil=True, fastmath=SUM)
def _move(z, by, t, there, top):
    for i in range(len(z)):
        there[i] = z[i] + t * by[i]
        top[i] = max(top[i], there[i])


@njit(cache=True, nogil=True, fastmath=SUM)
def _add_shares(z, top, share, total):
    for i in range(len(z)):
        share[i] = _exp(z[i] - top[i])
        total[i] += share[i]


@njit(cache=True, nogil=True, fastmath=SUM)
def _scale(share, by_total, by):
    rise = 0.0
    for i in range(len(share)):
        share[i] *= by_total[i]
        rise += share[i] * by[i]
    return rise


@njit(cache=True, nogil=True, error_model="numpy", fastmath=SUM, no_cpython_wrapper=False)
def _tweedie_along(power, y, weights, Z, by, t, first, last, there, slopes, out):
    """The same of half the deviance of means e^z, less its part in y alone, of a power of at least
    1: with a = y e^((1 - power) z) and b = e^((2 - power) z) the slope is b - a."""
    of_a, of_b, of_z, of_yz = 0.0, 0.0, 0.0, 0.0
    if power == 1.0:
        of_b, of_yz = 1.0, -1.0
    elif power == 2.0:
        of_a, of_z = 1.0, 1.0
    else:
        of_a, of_b = 1.0 / (power - 1.0), 1.0 / (2.0 - power)
    value, rise = 0.0, 0.0
    y, w, z_from, along = y[first:last], weights[first:last], Z[0][first:last], by[0][first:last]
    z_there, s_there = there[0][first:last], slopes[0][first:last]
    for i in range(last - first):
        z = z_from[i] + t * along[i]
        a, b = y[i] * _power_of_e((1.0 - power) * z), _power_of_e((2.0 - power) * z)
        s = (b - a) * w[i]
        z_there[i], s_there[i] = z, s
        value += w[i] * ((of_a * a + of_b * b) + (of_z + of_yz * y[i]) * z)
        rise += s * along[i]
    out[0], out[1] = value, rise


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"}, no_cpython_wrapper=False)
def _power_of_e(x):
    """e^x as `_exp`, infinite beyond 709."""
    return np.inf if x > MOST_POWER else _exp(min(x, MOST_POWER))


@njit(cache=True, nogil=True, fastmath=SUM)
def evaluated(power, X, y, weights, W, start, first, last, Z, there, again, slopes, out, sums):
    """Value, `out[0]`, and sums of slopes times rows, `sums`, (1, p + 1), of some rows of a loss at
    W X' + start, which goes into Z, (1, n); `there` is Z, to be read.

    Of `_tweedie_along` with a power of at least 1, of `logistic_along` with any less. The predictor
    of some rows, the loss and the sums follow each other while the rows are in the cache.
    """
    value = 0.0
    for begin in range(first, last, MORE_ROWS):
        end = min(begin + MORE_ROWS, last)
        _multiply(X, W[0], start[0], begin, end, Z[0])
        if power < 1.0:
            logistic_along(y, weights, there, there, 0.0, begin, end, again, slopes, out)
        else:
            _tweedie_along(power, y, weights, there, there, 0.0, begin, end, again, slopes, out)
        value += out[0]
        _add_rows(X, slopes[0], begin, end, sums[0])
    out[0] = value
