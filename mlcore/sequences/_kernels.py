"""Compiled recursions along sequences. Inputs are read-only and C-ordered, outputs filled in place.

`ends` holds the position after the last row of each sequence; no recursion passes one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

SUM = {"reassoc", "contract", "nsz", "arcp"}  # free order of additions within one sum


@njit(cache=True, nogil=True, fastmath=SUM)
def filtered(logs, start, A, ends, forward, log_density):
    """The forward recursion, scaled row by row (Rabiner 1989, section V.A).

    Fills `forward`, shape (n, N), with P(state t | rows to t), and `log_density`, shape (n,), with
    log p(row t | rows before t). Returns the first row that no state allows, or -1.
    """
    N = len(start)
    ahead = np.empty(N)
    first = 0
    for end in ends:
        for t in range(first, end):
            if t == first:
                ahead[:] = start
            else:
                ahead[:] = 0.0
                for i in range(N):
                    before = forward[t - 1, i]
                    for j in range(N):
                        ahead[j] += before * A[i, j]
            # The largest of those that can be is taken out: densities of a remote row are all
            # zero in doubles, their ratios are not.
            top = -1.7e308
            for j in range(N):
                if ahead[j] > 0.0 and logs[t, j] > top:
                    top = logs[t, j]
            total = 0.0
            for j in range(N):
                here = ahead[j] * np.exp(logs[t, j] - top) if ahead[j] > 0.0 else 0.0
                forward[t, j] = here
                total += here
            if not total > 0.0:
                return t
            for j in range(N):
                forward[t, j] /= total
            log_density[t] = top + np.log(total)
        first = end
    return -1


@njit(cache=True, nogil=True, fastmath=SUM)
def smoothed(logs, A, ends, forward, log_density, posterior, moves):
    """The backward recursion, scaled as the forward one.

    Fills `posterior`, shape (n, N), with P(state t | all rows of its sequence), and `moves`, shape
    (N, N), with the expected number of moves, summed over all sequences but never across an end.
    """
    N = A.shape[0]
    behind, weight = np.empty(N), np.empty(N)
    moves[:] = 0.0
    first = 0
    for end in ends:
        behind[:] = 1.0
        for j in range(N):
            posterior[end - 1, j] = forward[end - 1, j]
        for t in range(end - 2, first - 1, -1):
            for j in range(N):
                weight[j] = 0.0
                if forward[t + 1, j] > 0.0:
                    weight[j] = np.exp(logs[t + 1, j] - log_density[t + 1]) * behind[j]
            whole = 0.0
            for i in range(N):
                before, total = forward[t, i], 0.0
                for j in range(N):
                    total += A[i, j] * weight[j]
                    moves[i, j] += before * weight[j]
                behind[i] = total
                posterior[t, i] = before * total
                whole += posterior[t, i]
            for i in range(N):  # 1 up to rounding
                posterior[t, i] /= whole
        first = end
    for i in range(N):
        for j in range(N):
            moves[i, j] *= A[i, j]


@njit(cache=True, nogil=True)
def likeliest_path(logs, log_start, log_A, ends, back, path, scores):
    """Viterbi's recursion in logarithms; of paths alike the one with the lowest states last.

    Fills `path`, shape (n,), and `scores`, one a sequence, with the joint log-probability of rows
    and path; `back`, shape (n, N), is room for back-pointers. Returns the first row that no path
    reaches, or -1.
    """
    N = len(log_start)
    best, new = np.empty(N), np.empty(N)
    first = 0
    for s in range(len(ends)):
        end = ends[s]
        for t in range(first, end):
            reached = False
            for j in range(N):
                at, value = 0, log_start[j] if t == first else best[0] + log_A[0, j]
                if t > first:
                    for i in range(1, N):
                        other = best[i] + log_A[i, j]
                        if other > value:
                            at, value = i, other
                back[t, j] = at
                new[j] = value + logs[t, j]
                reached = reached or new[j] > -np.inf
            if not reached:
                return t
            best[:] = new
        state = 0
        for j in range(1, N):
            if best[j] > best[state]:
                state = j
        scores[s] = best[state]
        for t in range(end - 1, first - 1, -1):
            path[t] = state
            state = back[t, state]
        first = end
    return -1
