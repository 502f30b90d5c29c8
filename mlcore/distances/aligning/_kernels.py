"""Compiled loops over sequences. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

from numba import njit


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
