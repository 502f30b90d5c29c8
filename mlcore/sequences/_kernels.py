"""Compiled recursions along sequences. Inputs are read-only and C-ordered, outputs filled in place.

`ends` holds the position after the last row of each sequence; no recursion passes one.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

SUM = {"reassoc", "contract", "nsz", "arcp"}  # free order of additions within one sum
SMALL = 1e-100  # a share below it is followed in logarithms as well: doubles may be losing it
BACK = -400.0  # the logarithm of a share with which what was lost has come back
RETURNED = -2  # in place of a row: shares that doubles had lost came back


@njit(cache=True, nogil=True)
def _reached(deep, log_A, j):
    """At most the log of what comes to state `j` from states whose shares are followed in logs."""
    top, count = -np.inf, 0
    for i in range(len(deep)):
        here = deep[i] + log_A[i, j]
        if here > -np.inf:
            top, count = max(top, here), count + 1
    return top + np.log(count) if count else top


@njit(cache=True, nogil=True)
def _come_back(ahead, row, forward, level, log_A, deep):
    """Follow shares below SMALL in logs, `deep`, (N,), by one row; whether one of them matters.

    `row` holds the log densities, `level` what was taken from them, `ahead` the shares before the
    row, `forward` those after it. A state that others lead to is reached anew and loses nothing.
    """
    N = len(row)
    came = np.full(N, -np.inf)
    for j in range(N):
        if ahead[j] < SMALL:
            came[j] = _reached(deep, log_A, j)
        if ahead[j] > 0.0:
            came[j] = max(came[j], np.log(ahead[j]))
    for j in range(N):
        share = came[j] + row[j] - level
        if ahead[j] < SMALL and share > BACK:
            return True
        deep[j] = share if forward[j] < SMALL else -np.inf
    return False


@njit(cache=True, nogil=True, fastmath=SUM)
def filtered(logs, start, A, ends, forward, log_density):
    """The forward recursion, scaled row by row (Rabiner 1989, section V.A).

    Fills `forward`, shape (n, N), with P(state t | rows to t), and `log_density`, shape (n,), with
    log p(row t | rows before t). Returns the first row that no state allows, or -1; RETURNED where
    a state that no double can hold any more is the one that later rows are from.
    """
    N = len(start)
    ahead, deep, log_A = np.empty(N), np.empty(N), np.log(A)
    can_lose = A.min() < SMALL  # or every state is reached anew at once, from any other
    first = 0
    for end in ends:
        is_deep = False
        deep[:] = -np.inf
        for t in range(first, end):
            if t == first:
                np.positive(start, ahead)
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
            total, least = 0.0, 1.0
            for j in range(N):
                here = ahead[j] * np.exp(logs[t, j] - top) if ahead[j] > 0.0 else 0.0
                forward[t, j] = here
                total += here
                if ahead[j] > 0.0 and here < least:
                    least = here
            if not total > 0.0:
                for j in range(N):
                    if logs[t, j] > -np.inf and _reached(deep, log_A, j) > -np.inf:
                        return RETURNED
                return t
            for j in range(N):
                forward[t, j] /= total
            log_density[t] = top + np.log(total)
            if can_lose and (is_deep or least < SMALL * total):
                is_deep = True
                if _come_back(ahead, logs[t], forward[t], log_density[t], log_A, deep):
                    return RETURNED
        first = end
    return -1


@njit(cache=True, nogil=True)
def _log_sum(values):
    """Log of the sum of what `values` are the logs of."""
    top = values.max()
    return top + np.log(np.exp(values - top).sum()) if top > -np.inf else top


@njit(cache=True, nogil=True)
def filtered_in_logs(logs, log_start, log_A, ends, forward, log_density):
    """The forward recursion as `filtered`, with logs in `forward`: slower, and nothing is lost."""
    N = len(log_start)
    ahead, came = np.empty(N), np.empty(N)
    first = 0
    for end in ends:
        for t in range(first, end):
            for j in range(N):
                if t > first:
                    for i in range(N):
                        came[i] = forward[t - 1, i] + log_A[i, j]
                    ahead[j] = _log_sum(came) + logs[t, j]
                else:
                    ahead[j] = log_start[j] + logs[t, j]
            total = _log_sum(ahead)
            if total == -np.inf:
                return t
            log_density[t] = total
            for j in range(N):
                forward[t, j] = ahead[j] - total
        first = end
    return -1


@njit(cache=True, nogil=True)
def smoothed_in_logs(logs, log_A, ends, forward, log_density, posterior, moves):
    """The backward recursion as `smoothed`, by what `filtered_in_logs` filled."""
    N = log_A.shape[0]
    behind, weight, onward = np.empty(N), np.empty(N), np.empty(N)
    moves[:] = 0.0
    first = 0
    for end in ends:
        behind[:] = 0.0
        for j in range(N):
            posterior[end - 1, j] = np.exp(forward[end - 1, j])
        for t in range(end - 2, first - 1, -1):
            for j in range(N):
                weight[j] = logs[t + 1, j] - log_density[t + 1] + behind[j]
            whole = 0.0
            for i in range(N):
                for j in range(N):
                    onward[j] = log_A[i, j] + weight[j]
                behind[i] = _log_sum(onward)
                posterior[t, i] = np.exp(forward[t, i] + behind[i])
                whole += posterior[t, i]
            for i in range(N):  # the whole is 1 up to rounding
                posterior[t, i] /= whole
                for j in range(N):
                    moves[i, j] += np.exp(forward[t, i] + log_A[i, j] + weight[j]) / whole
        first = end


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
            best, new = new, best
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
