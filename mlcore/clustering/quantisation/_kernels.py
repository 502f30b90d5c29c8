"""Compiled loops of prototypes that move row by row. Inputs are read-only, `centers` move."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

SUM = {"reassoc", "contract", "nsz", "arcp"}  # free order of additions within one distance


@njit(cache=True, nogil=True, fastmath=SUM)
def _square(X, i, centers, j, width):
    total = 0.0
    for q in range(width):
        gap = X[i, q] - centers[j, q]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _distances(X, i, centers, width, squares):
    """Fill `squares` with those of row i to all centers; returns the nearest, the first on ties.

    They are measured in the first `width` columns.
    """
    best = 0
    for j in range(centers.shape[0]):
        squares[j] = _square(X, i, centers, j, width)
        if squares[j] < squares[best]:
            best = j
    return best


@njit(cache=True, nogil=True)
def _pull(X, i, centers, j, share):
    for q in range(X.shape[1]):
        centers[j, q] += share * (X[i, q] - centers[j, q])


@njit(cache=True, nogil=True)
def move_nearest(X, rows, rates, exponent, centers, wins, squares):
    """Show rows one after the other: each pulls its nearest center by its rate.

    The rate is divided by the `wins` of that center, this one among them, to the power `exponent`.
    Returns the sum of the squared distances that the rows met.
    """
    met = 0.0
    for t in range(len(rows)):
        winner = _distances(X, rows[t], centers, X.shape[1], squares)
        met += squares[winner]
        wins[winner] += 1
        _pull(X, rows[t], centers, winner, rates[t] / wins[winner] ** exponent)
    return met


@njit(cache=True, nogil=True)
def move_shared(X, rows, rates, exponent, beta, centers, wins, squares):
    """Show rows one after the other: each pulls every center by its Gibbs share of the row.

    The share is proportional to exp(-beta squares / 2). Otherwise as `move_nearest`.
    """
    met = 0.0
    for t in range(len(rows)):
        winner = _distances(X, rows[t], centers, X.shape[1], squares)
        nearest, total = squares[winner], 0.0
        met += nearest
        wins[winner] += 1
        for j in range(len(squares)):
            squares[j] = np.exp(-0.5 * beta * (squares[j] - nearest))
            total += squares[j]
        rate = rates[t] / wins[winner] ** exponent
        for j in range(len(squares)):
            _pull(X, rows[t], centers, j, rate * squares[j] / total)
    return met


@njit(cache=True, nogil=True)
def _least_smoothed(squares, weights, levels):
    """The unit around which the squared distances, weighted by its neighbourhood, add up least."""
    best, least = 0, np.inf
    for r in range(len(squares)):
        total = 0.0
        for s in range(len(squares)):
            total += weights[levels[r, s]] * squares[s]
        if total < least:
            best, least = r, total
    return best


@njit(cache=True, nogil=True)
def _to_length_one(centers, j):
    total = 0.0
    for q in range(centers.shape[1]):
        total += centers[j, q] * centers[j, q]
    if total > 0.0:
        for q in range(centers.shape[1]):
            centers[j, q] /= np.sqrt(total)


@njit(cache=True, nogil=True)
def move_lattice(
    X, width, rows, rates, exponent, table, levels, smoothed, on_sphere, centers, wins, squares
):
    """Show rows one after the other: each pulls its winner and what is near it on the lattice.

    Unit j is pulled by the rate times table[t, levels[winner, j]]: `levels`, shape (K, K), number
    the distances on the lattice, `table`, shape (T, levels), has the neighbourhood of each step.
    Otherwise as `move_nearest`; winners are found by the first `width` columns alone. With
    `smoothed` the winner is that of `_least_smoothed`, and `on_sphere` whatever was pulled is
    brought back to length 1.
    """
    met = 0.0
    for t in range(len(rows)):
        winner = _distances(X, rows[t], centers, width, squares)
        met += squares[winner]
        if smoothed:
            winner = _least_smoothed(squares, table[t], levels)
        wins[winner] += 1
        rate = rates[t] / wins[winner] ** exponent
        for j in range(centers.shape[0]):
            near = table[t, levels[winner, j]]
            if near > 0.0:
                _pull(X, rows[t], centers, j, rate * near)
                if on_sphere:
                    _to_length_one(centers, j)
    return met


@njit(cache=True, nogil=True)
def best_two(X, centers, first, second):
    """Fill `first` and `second` with the nearest and the second nearest center of each row."""
    for i in range(X.shape[0]):
        one, two = 0, -1
        nearest, next_one = np.inf, np.inf
        for j in range(centers.shape[0]):
            square = _square(X, i, centers, j, X.shape[1])
            if square < nearest:
                one, two = j, one
                nearest, next_one = square, nearest
            elif square < next_one or two < 0:
                two, next_one = j, square
        first[i], second[i] = one, two
