"""Compiled loops of Shapley values: all ways through a tree on which two rows can be mixed."""

from __future__ import annotations

import numpy as np
from numba import njit

FREE, FROM_ROW, FROM_OTHER = 0, 1, 2  # from where a variable takes its value on a way


@njit(cache=True, nogil=True)
def share_out(rows_left, others_left, left, group, answers, gains, losses, values):
    """Add the Shapley values of m rows against each of B others to `values`, shape (m, v, K).

    `rows_left`, shape (m, t), and `others_left`, shape (B, t): where each row goes at each of t
    nodes.
    `group` is the variable that a node asks about. `gains` and `losses`, shape (v + 1, v + 1), are
    what a leaf gives to each variable that must come from the row, or from the other, by how many
    must come from either. Where both go the same way, or the variable is settled above, there is
    one way on; else there are two, so that a leaf is met once for all sets that lead there.
    """
    state = np.zeros(values.shape[1], dtype=np.int8)
    # Of a node on the way: itself, and how many of its ways were gone. -1: one way only.
    stack, gone = np.empty(left.shape[0], dtype=np.int64), np.empty(left.shape[0], dtype=np.int8)
    n_others = others_left.shape[0]
    for pair in range(rows_left.shape[0] * n_others):
        i, b = pair // n_others, pair % n_others
        state[:] = FREE
        top, from_row, from_other = 0, 0, 0
        stack[0], gone[0] = 0, 0
        while top >= 0:
            node = stack[top]
            below = left[node]
            if below < 0:
                _settle(stack, gone, top, group, answers[node], gains[from_row, from_other],
                        losses[from_row, from_other], values[i])  # fmt: skip
                top -= 1
                continue
            v, by_row, by_other = group[node], rows_left[i, node], others_left[b, node]
            visit = gone[top]
            if visit == 0 and (by_row == by_other or state[v] != FREE):
                gone[top] = -1
                goes = by_other if state[v] == FROM_OTHER else by_row
            elif visit == 0:
                gone[top], state[v], goes = 1, FROM_ROW, by_row
                from_row += 1
            elif visit == 1:
                gone[top], state[v], goes = 2, FROM_OTHER, by_other
                from_row -= 1
                from_other += 1
            else:
                if visit == 2:
                    state[v] = FREE
                    from_other -= 1
                top -= 1
                continue
            top += 1
            stack[top], gone[top] = below + (0 if goes else 1), 0


@njit(cache=True, nogil=True)
def _settle(stack, gone, top, group, answer, gain, loss, values):
    """What one leaf gives to the variables that were settled on the way to it.

    Each was settled at a node with two ways: of the first of them by the row, else by the other.
    """
    for at in range(top):
        if gone[at] < 0:
            continue
        v = group[stack[at]]
        weight = gain if gone[at] == 1 else -loss
        for k in range(answer.shape[0]):
            values[v, k] += weight * answer[k]
