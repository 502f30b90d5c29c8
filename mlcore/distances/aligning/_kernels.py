"""Compiled loops over sequences. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

# Typed: a bare number would make a float of a word.
ZERO, ONE, LAST = np.uint64(0), np.uint64(1), np.uint64(63)
WORD = 64  # letters


@njit(cache=True, nogil=True)
def cheapest(one, others, starts, slope, most, insert, delete, costs, totals):
    """Fill `totals`, (m,), with the cost of the cheapest way from `one` to each of m sequences.

    These lie in `others` one after the other, from `starts`, (m + 1,). Making a into b costs
    `slope` |a - b|, at most `most`. `costs` is room for the longest sequence and one more.
    """
    for k in range(len(totals)):
        other = others[starts[k] : starts[k + 1]]
        for j in range(len(other) + 1):
            costs[j] = j * insert
        for value in one:
            before = costs[0]
            costs[0] += delete
            for j in range(len(other)):
                changed = before + min(most, slope * abs(value - other[j]))
                before = costs[j + 1]
                costs[j + 1] = min(changed, before + delete, costs[j] + insert)
        totals[k] = costs[len(other)]


@njit(cache=True, nogil=True)
def fewest(one, others, starts, places, room, totals):
    """Fill `totals`, (m,), with the fewest edits from `one` to each of m sequences of codes.

    These lie in `others` as in `cheapest`. Of the table of costs, neighbours differ by at most 1:
    a column is kept as the bits of where they rise and where they fall, 64 rows a word. `places`,
    (letters, words), are zeros, and are again in the end; `room` has shape (2, words).
    """
    words, last = -(-len(one) // WORD), np.uint64((len(one) - 1) % WORD)
    for i in range(len(one)):
        places[one[i], i // WORD] |= ONE << np.uint64(i % WORD)
    for k in range(len(totals)):
        other = others[starts[k] : starts[k + 1]]
        if len(one) == 0:
            totals[k] = len(other)
            continue
        room[0, :words], room[1, :words] = ~ZERO, ZERO
        cost = len(one)
        for letter in other:
            cost += _next_column(places[letter], room, words, last)
        totals[k] = cost
    for letter in one:
        places[letter] = ZERO


@njit(cache=True, nogil=True)
def _next_column(same, room, words, last):
    """The next column of the table in place; by how much its last row is above the one before.

    Hyyro (2003), Nordic Journal of Computing 10: `same` are the rows of its letter.
    """
    rise, fall, by = ONE, ZERO, 0  # the row above the table costs one more
    for w in range(words):
        up, down, equal = room[0, w], room[1, w], same[w]
        stays = equal | down
        equal |= fall
        level = (((equal & up) + up) ^ up) | equal
        rises, falls = down | ~(level | up), up & level
        if w == words - 1:
            by = np.int64((rises >> last) & ONE) - np.int64((falls >> last) & ONE)
        next_rise, next_fall = rises >> LAST, falls >> LAST
        rises, falls = (rises << ONE) | rise, (falls << ONE) | fall
        room[0, w], room[1, w] = falls | ~(stays | rises), rises & stays
        rise, fall = next_rise, next_fall
    return by
