"""Compiled loops of Shapley values of trees: ways on which two rows are mixed, ways by shares."""

from __future__ import annotations

import numpy as np
from numba import njit

FREE, FROM_ROW, FROM_OTHER = 0, 1, 2  # from where a variable takes its value on a way
REMEMBERED = 10  # variables on a way, of all whose combinations the shares are kept


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


@njit(cache=True, nogil=True)
def share_out_by_path(rows_left, left, group, weight, answers, depth, sizes, values):
    """Add the path-dependent Shapley values of m rows to `values`, shape (m, v, K).

    `rows_left`, shape (m, t), `left` and `group` as of `share_out`; `weight`, shape (t,), is what
    of the training rows came to a node; no way is longer than `depth`. `sizes`, at least of shape
    (depth + 1, depth + 1): the weight of a set of s variables among n, by n and s. Rows that agree
    in which variables of a way lead them along it are shared out once.
    """
    above = np.full(left.shape[0], -1)
    for node in range(left.shape[0]):
        if left[node] >= 0:
            above[left[node]], above[left[node] + 1] = node, node
    nodes, places = np.empty(depth, dtype=np.int64), np.empty(depth, dtype=np.int64)
    is_left, along = np.empty(depth, dtype=np.bool_), np.empty(depth, dtype=np.bool_)
    names, unknown = np.empty(depth, dtype=np.int64), np.empty(depth)
    sums = np.empty(depth + 1)
    known = min(depth, REMEMBERED)
    shares, of_leaf = np.empty((1 << known, depth)), np.full(1 << known, -1)
    for leaf in range(left.shape[0]):
        if left[leaf] >= 0:
            continue
        n, length, node = 0, 0, leaf
        while above[node] >= 0:  # up to the root: a variable has one share, of all its nodes
            parent = above[node]
            at = 0
            while at < n and names[at] != group[parent]:
                at += 1
            if at == n:
                names[n], unknown[n] = group[parent], 1.0
                n += 1
            unknown[at] *= weight[node] / weight[parent]
            nodes[length], places[length], is_left[length] = parent, at, node == left[parent]
            length += 1
            node = parent
        for i in range(rows_left.shape[0]):
            along[:n] = True
            for j in range(length):
                if rows_left[i, nodes[j]] != is_left[j]:
                    along[places[j]] = False
            code = 0
            if n <= known:
                for at in range(n):
                    code = 2 * code + along[at]
            if n > known or of_leaf[code] != leaf:
                _share_leaf_out(along, unknown, n, sizes, sums, shares[code])
                of_leaf[code] = leaf
            for at in range(n):
                for k in range(answers.shape[1]):
                    values[i, names[at], k] += shares[code, at] * answers[leaf, k]


@njit(cache=True, nogil=True)
def _share_leaf_out(along, unknown, n, sizes, sums, shares):
    """What each of n variables does for coming to a leaf: to `shares`.

    A set of them comes there with 1 for each that leads along the way, 0 for each that does not,
    and the product of the shares of the others. `sums` by size: of all sets of those that lead
    along it, the product of the shares of those that are not in the set.
    """
    others, a = 1.0, 0
    sums[0] = 1.0
    for at in range(n):
        if not along[at]:
            others *= unknown[at]
            continue
        sums[a + 1] = sums[a]
        for s in range(a, 0, -1):
            sums[s] = sums[s - 1] + unknown[at] * sums[s]
        sums[0] *= unknown[at]
        a += 1
    loss = 0.0  # of each that does not lead along it
    for s in range(a + 1 if a < n else n):
        loss += sizes[n, s] * sums[s]
    for at in range(n):
        if not along[at]:
            shares[at] = -others * loss
            continue
        gain, without = 0.0, 0.0  # sums of the others alone, from the largest size down
        for s in range(a, 0, -1):
            without = sums[s] - unknown[at] * without
            gain += sizes[n, s - 1] * without
        shares[at] = others * (1.0 - unknown[at]) * gain
