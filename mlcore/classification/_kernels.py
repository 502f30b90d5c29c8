"""Compiled loops over rows and classes. Missing values are left out."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

ANY_ORDER = {"reassoc"}  # of additions within one sum
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
FIRST = np.int64(0)


@njit(cache=True, nogil=True)
def grouped_sums(X, codes, w, counts, sums):
    """Add to `counts` and `sums`, shape (K, p), the weights and weighted values of each class."""
    for i in range(X.shape[0]):
        k, weight = codes[i], w[i]
        for j in range(X.shape[1]):
            x = X[i, j]
            if x == x:
                counts[k, j] += weight
                sums[k, j] += weight * x


@njit(cache=True, nogil=True)
def grouped_squares(X, codes, w, means, squares):
    """Add to `squares`, shape (K, p), the weighted squares about the mean of the own class."""
    for i in range(X.shape[0]):
        k, weight = codes[i], w[i]
        for j in range(X.shape[1]):
            gap = X[i, j] - means[k, j]
            if gap == gap:
                squares[k, j] += weight * gap * gap


@njit(cache=True, nogil=True)
def gaussian_logs(X, means, halves, levels, out):
    """Add to `out`, shape (m, K), the sum over columns of level - half x (x - mean)^2."""
    for i in range(X.shape[0]):
        for k in range(means.shape[0]):
            total = 0.0
            for j in range(X.shape[1]):
                gap = X[i, j] - means[k, j]
                if gap == gap:
                    total += levels[k, j] - halves[k, j] * gap * gap
            out[i, k] += total


@njit(cache=True, nogil=True)
def _wrong(X, codes, weights, W, most):
    """What the rows weigh that the linear scores get wrong; counting ends above `most`."""
    wrong = 0.0
    for i in range(X.shape[0]):
        if _class_of(X, i, W) != codes[i]:
            wrong += weights[i]
            if wrong > most:
                break
    return wrong


@njit(cache=True, nogil=True, fastmath=ANY_ORDER)
def _score(X, i, W, k):
    """The linear score of a row; several sums at once, so that none waits for another."""
    p, total = X.shape[1], 0.0
    for j in range(p):
        total += W[k, j] * X[i, j]
    return total + W[k, p]


@njit(cache=True, nogil=True)
def _class_of(X, i, W):
    """The class that linear scores give to a row; of two classes by the sign, 0 is the second."""
    if W.shape[0] == 1:
        return 1 if _score(X, i, W, FIRST) >= 0.0 else 0
    best, most = 0, -np.inf
    for k in range(W.shape[0]):
        score = _score(X, i, W, k)
        if score > most:
            best, most = k, score
    return best


@njit(cache=True, nogil=True)
def _moved(X, i, W, k, by, with_bias, clock, sums):
    """Add a multiple of row i to weights k, and to `sums`, if there are, as often as `clock`."""
    p = X.shape[1]
    for j in range(p):
        W[k, j] += by * X[i, j]
    if with_bias:
        W[k, p] += by
    for j in range(sums.shape[1] - 1):
        sums[k, j] += clock * by * X[i, j]
    if with_bias and sums.shape[1]:
        sums[k, p] += clock * by


@njit(cache=True, nogil=True)
def mistakes(
    X, codes, weights, order, begin, most, with_bias, pocketed, W, sums, pocket, lengths, at, least
):
    """Go through the rows in `order` from place `begin` and learn from those that are wrong.

    A wrong row adds `weights` times itself. W, shape (R, p + 1), holds the weights and the offset
    of each class, of two classes of their difference. Ends after `most` updates or with the last
    row. `sums` has the shape of W, or no columns; the mean of the weights over all rows met is
    W - sums / rows met. `pocket` has the weights with the lightest wrong rows of those that ended a
    pass or stayed right the longest, and `least` what these weigh. `lengths` is filled with the
    length of W after each update, as far as it goes. `at` counts on: rows met, updates, row of the
    last update, the present run of right rows, and the longest that was looked at. Returns the
    place after the last row that was met.
    """
    made = 0
    for place in range(begin, order.shape[0]):
        i = order[place]
        if W.shape[0] == 1:  # here, not in `_class_of`: in the loop the call takes half of its time
            answer = 1 if _score(X, i, W, FIRST) >= 0.0 else 0
        else:
            answer = _class_of(X, i, W)
        if answer == codes[i]:
            at[0] += 1
            at[3] += 1
            continue
        if pocketed and at[3] > at[4]:
            _kept(X, codes, weights, W, pocket, at, least)
        if W.shape[0] == 1:
            by = weights[i] if codes[i] == 1 else -weights[i]
            _moved(X, i, W, FIRST, by, with_bias, at[0], sums)
        else:
            _moved(X, i, W, codes[i], weights[i], with_bias, at[0], sums)
            _moved(X, i, W, answer, -weights[i], with_bias, at[0], sums)
        at[0] += 1
        at[1] += 1
        at[2] = i
        at[3] = 0
        if at[1] < lengths.shape[0]:
            total = 0.0
            for w in W.flat:
                total += w * w
            lengths[at[1]] = np.sqrt(total)
        made += 1
        if made >= most:
            return place + 1
    if pocketed:
        _kept(X, codes, weights, W, pocket, at, least)
    return order.shape[0]


@njit(cache=True, nogil=True)
def _kept(X, codes, weights, W, pocket, at, least):
    """Put the weights into the pocket if they get fewer rows wrong than those that are there."""
    at[4] = max(at[3], at[4])
    wrong = _wrong(X, codes, weights, W, least[0])
    if wrong < least[0]:
        np.positive(W, pocket)
        least[0] = wrong


@njit(cache=True, nogil=True)
def shared_out(F, otherwise, P, reached):
    """Fill the rows of P, shape (n, K), with those of F divided by their sums, or with `otherwise`,
    shape (K,), where nothing is to be shared; `reached` says where something was."""
    for i in range(F.shape[0]):
        total = 0.0
        for k in range(F.shape[1]):
            total += F[i, k]
        reached[i] = total > 0.0
        for k in range(F.shape[1]):
            P[i, k] = F[i, k] / total if total > 0.0 else otherwise[k]


@njit(cache=True, nogil=True)
def largest_change(F, before):
    """The largest |F - before|, both of shape (n, K)."""
    most = 0.0
    for i in range(F.shape[0]):
        for k in range(F.shape[1]):
            most = max(most, abs(F[i, k] - before[i, k]))
    return most
