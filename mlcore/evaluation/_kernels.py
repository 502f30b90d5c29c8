"""Compiled loop of neighbours kept: how far claimed neighbours come in the order of distances."""

from __future__ import annotations

from mlcore.spine.loops import njit


@njit(cache=True, nogil=True)
def ranks_beyond(squares, first, claimed, k):
    """Sum of the ranks beyond k of claimed neighbours, (m, c), by distances, (m, n).

    Row i of both is row `first + i` of all n, which is no neighbour of itself. The rank of a
    neighbour is 1 more than the number of rows that are nearer.
    """
    m, n = squares.shape
    beyond = 0
    for i in range(m):
        row = squares[i]
        for a in range(claimed.shape[1]):
            reach, nearer = row[claimed[i, a]], 0
            for j in range(n):  # without a branch, so that several are compared at a time
                nearer += row[j] < reach
            nearer -= row[first + i] < reach
            beyond += max(nearer + 1 - k, 0)
    return beyond
