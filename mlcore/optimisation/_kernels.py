"""Compiled loops of the solvers: arrays and numbers in, arrays filled in place."""

import numpy as np
from numba import njit


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
