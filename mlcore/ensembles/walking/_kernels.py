"""Compiled loops that send rows down many trees, laid end to end, and judge what they say.

Trees are as `mlcore.ensembles.walks.Packed` tells them. Inputs are read-only.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 1024  # rows that pass through all trees together, so that they stay in the fast memory
ROOM = 2**17  # values that are to stay there: fewer rows, where there are many columns
LANES = 16  # rows that step down a tree together
STEPS = 2  # that each takes in turn: more would be for nothing at the end
HALF = np.uint64(32)  # bits of what a node asks that are the node below
BELOW = np.uint64(2**32 - 1)  # which these are


@njit(cache=True, nogil=True, _nrt=False)
def pack(feature, cut, missing_left, left, root, sides, place, columns, known, cuts, asks):
    """Fill `cuts` and `asks` with the nodes of a tree, (t,), whose root is the node `root` of all.

    `columns`, (p,), begins with those `known` that earlier trees ask about, `place`, (p,), says
    where each of them stands there, -1 where it does not. Returns how many are known now.
    """
    for node in range(left.shape[0]):
        if left[node] < 0:
            cuts[node], asks[node] = np.inf, np.uint64(root + node)
            continue
        f = feature[node]
        if place[f] < 0:
            place[f], columns[known] = known, f
            known += 1
        # A missing value is below every cut, or beside it.
        column = sides * place[f] + int(sides > 1 and missing_left[node] == 0)
        cuts[node] = cut[node]
        asks[node] = np.uint64(column * LANES) << HALF | np.uint64(root + left[node])
    return known


@njit(cache=True, nogil=True)
def add_answers(X, columns, sides, roots, cut, asks, answers, total):
    """Add to `total`, shape (G + K - 1, m), what trees say of rows, (m, p): of each of the rounds
    in `roots`, (T, G), the node where tree g ends adds its K `answers`, (t, K), from g on.

    A forest has one tree a round, which says K numbers; boosting has a tree for each number.
    """
    m, width = X.shape[0], sides * columns.shape[0]
    block = _together(m, width)
    rows, leaf = np.zeros(block * width), np.empty(LANES, np.uint64)
    for start in range(0, m, block):
        size = min(block, m - start)
        _bundle(X, columns, sides, start, size, rows)
        for t in range(roots.shape[0]):
            for g in range(roots.shape[1]):
                for first in range(0, size, LANES):
                    _walk(rows, first * width, roots[t, g], cut, asks, leaf)
                    for k in range(answers.shape[1]):
                        for i in range(min(LANES, size - first)):
                            total[g + k, start + first + i] += answers[leaf[i], k]


@njit(cache=True, nogil=True, _nrt=False)
def _together(m, width):
    """How many of m rows pass through all trees together, a multiple of `LANES`."""
    most = min(m + LANES - 1, BLOCK, ROOM // width)
    return max(most // LANES, 1) * LANES


@njit(cache=True, nogil=True, _nrt=False)
def _bundle(X, columns, sides, start, size, rows):
    """Write a block of rows, from `start`, into `rows`: `LANES` of them after each other, of these
    column by column, each with missing values below all others, then perhaps with them."""
    q = columns.shape[0]
    for i in range(size):
        first = i // LANES * LANES * sides * q + i % LANES
        for j in range(q):
            x = X[start + i, columns[j]]
            at = first + sides * j * LANES
            rows[at] = -np.inf if x != x else x
            if sides > 1:
                rows[at + LANES] = x


@njit(cache=True, nogil=True, _nrt=False)
def _walk(rows, first, root, cut, asks, leaf):
    """Fill `leaf`, (LANES,), with where the rows that begin at `first` end in a tree.

    All take `STEPS` before any takes the next: while one waits for its memory, others go on. None
    is asked whether it has arrived: a leaf sends it to itself, until nobody moves.
    Places are unsigned, for none is counted from the end.
    """
    for i in range(LANES):
        leaf[i] = np.uint64(root)
    moved = np.uint64(1)
    while moved != 0:
        moved = np.uint64(0)
        for i in range(LANES):
            below, node = leaf[i], leaf[i]
            for _ in range(STEPS):
                node = below
                asked = asks[node]
                x = rows[np.uint64(first) + np.uint64(i) + (asked >> HALF)]
                # Not x > cut: a missing value goes right.
                below = (asked & BELOW) + np.uint64(not x <= cut[node])
            leaf[i] = below
            moved |= below ^ node


@njit(cache=True, nogil=True)
def judge(rows, leaf, ends, answers, label, target, w, K, known, errors, n_rows):
    """Add what trees say of rows that they have left out to what is `known`, one tree after the
    other: sums, votes for the commonest class `label` of a leaf, numbers of trees, losses and
    weights of all rows.

    Fills `errors` with the mean loss after each tree, NaN without rows, and `n_rows` with how many
    rows it is of. A loss is 0 or 1, or a square where K is 0.
    """
    sums, votes, counts, losses, judged = known
    start = 0
    for t in range(ends.shape[0]):
        for i in range(start, ends[t]):
            row, node = np.uint64(rows[i]), np.uint64(leaf[i])
            counts[row] += 1
            judged[row] = w[row]
            best = 0
            for k in range(sums.shape[1]):
                sums[row, k] += answers[node, k]
                best = k if sums[row, k] > sums[row, best] else best
            gap = sums[row, 0] / counts[row] - target[row]
            losses[row] = (1.0 if best != target[row] else 0.0) if K > 0 else gap * gap
            if K > 0:
                votes[row, np.uint64(label[node])] += 1.0
        start = ends[t]
        total, weight, n = 0.0, 0.0, 0
        for row in range(w.shape[0]):
            total += w[row] * losses[row]
            weight += judged[row]
            n += counts[row] > 0
        errors[t] = total / weight if weight > 0.0 else np.nan
        n_rows[t] = n
