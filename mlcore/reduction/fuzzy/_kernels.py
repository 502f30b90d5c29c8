"""Compiled loops of UMAP. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

from math import log

from mlcore.spine.loops import njit

MASK = 0xFFFFFFFF  # draws are of 32 bits
CLIP = 4.0  # longest step along a coordinate, before the rate
NEAR = 1e-3  # added to squared distances, so that rows at one place part


@njit(cache=True, nogil=True)
def _drawn(state):
    """The next number of Marsaglia's xorshift (2003, J. Statistical Software 8), from 1."""
    state ^= (state << 13) & MASK
    state ^= state >> 17
    return state ^ ((state << 5) & MASK)


@njit(cache=True, nogil=True)
def _clipped(step):
    return min(max(step, -CLIP), CLIP)


@njit(cache=True, nogil=True)
def _square(Y, i, Z, j):
    """Squared distance of row i of Y and row j of Z."""
    square = 0.0
    for c in range(Y.shape[1]):
        square += (Y[i, c] - Z[j, c]) ** 2
    return square


@njit(cache=True, nogil=True)
def _pull(square, a, b):
    """What a difference is multiplied by where an edge draws its rows together."""
    if square == 0.0:
        return 0.0
    power = square**b
    return -2.0 * a * b * power / (square * (1.0 + a * power))


@njit(cache=True, nogil=True)
def _push(Y, i, Z, j, a, b, rate):
    """Drive row i of Y away from row j of Z; rows at one place have no direction."""
    square = _square(Y, i, Z, j)
    if square == 0.0:
        return
    force = 2.0 * b / ((NEAR + square) * (1.0 + a * square**b))
    for c in range(Y.shape[1]):
        Y[i, c] += rate * _clipped(force * (Y[i, c] - Z[j, c]))


@njit(cache=True, nogil=True)
def epochs(one, other, waits, due, pushes_due, Y, first, last, most, a, b, rate, negatives, state):
    """Carry out epochs `first` to `last` of `most` on the map Y, shape (n, q), in place.

    Edge e, from row one[e] to other[e], pulls every waits[e] epochs, from due[e] on; after that its
    first row is pushed by rows that are drawn, `negatives` times as often. Returns the state of
    the draws.
    """
    n = len(Y)
    for k in range(first, last):
        here = rate * (1.0 - k / most)
        for e in range(len(one)):
            if due[e] > k:
                continue
            i, j = one[e], other[e]
            force = _pull(_square(Y, i, Y, j), a, b)
            for c in range(Y.shape[1]):
                step = here * _clipped(force * (Y[i, c] - Y[j, c]))
                Y[i, c] += step
                Y[j, c] -= step
            due[e] += waits[e]
            pause = waits[e] / negatives
            pushes = int((k - pushes_due[e]) / pause)
            for _ in range(pushes):
                state = _drawn(state)
                j = state % n
                if j != i:
                    _push(Y, i, Y, j, a, b, here)
            pushes_due[e] += pushes * pause
    return state


@njit(cache=True, nogil=True)
def placed(rows, waits, Y, Z, most, a, b, rate, negatives, state):
    """Move other rows, Z, shape (m, q), among the rows of the map Y, shape (n, q), which stay.

    Row i is pulled by rows[i] of Y, shape (m, k), every waits[i] epochs. Each draws from the same
    state, so where it comes to lie does not depend on the others.
    """
    n, k = len(Y), rows.shape[1]
    for i in range(len(Z)):
        draws = state
        for epoch in range(most):
            here = rate * (1.0 - epoch / most)
            for e in range(k):
                # How many times it was due before this epoch and is after it.
                past = int(epoch / waits[i, e])
                if int((epoch + 1) / waits[i, e]) == past:
                    continue
                j = rows[i, e]
                force = _pull(_square(Z, i, Y, j), a, b)
                for c in range(Z.shape[1]):
                    Z[i, c] += here * _clipped(force * (Z[i, c] - Y[j, c]))
                for _ in range(negatives):
                    draws = _drawn(draws)
                    _push(Z, i, Y, draws % n, a, b, here)


@njit(cache=True, nogil=True)
def loss(one, other, weights, degrees, Y, far, a, b, negatives):
    """Fuzzy cross-entropy of the map Y, shape (n, q), as the draws weigh it, without constants.

    Edges are pulled by their weights; row i is pushed by rows far[i], shape (n, m), in place of all
    others, by `negatives` times its degree (Damrich and Hamprecht 2021, NeurIPS 34).
    """
    total, m = 0.0, far.shape[1]
    for e in range(len(one)):
        total += weights[e] * log(1.0 + a * _square(Y, one[e], Y, other[e]) ** b)
    for i in range(len(Y)):
        for s in range(m):
            power = a * (NEAR + _square(Y, i, Y, far[i, s])) ** b
            total += degrees[i] * negatives / m * log((1.0 + power) / power)
    return total
