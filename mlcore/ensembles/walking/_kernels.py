"""Compiled loops that send rows down many trees, laid end to end, and judge what they say.

Trees are as `mlcore.ensembles.walks.packed` packs them. Inputs are read-only.
"""

from __future__ import annotations

# The types of numba do not know its option `_nrt`.
# pyright: reportCallIssue=false
import numpy as np
from numba import njit

BLOCK = 1024  # rows that pass through all trees together, so that they stay in the fast memory
ROOM = 2**17  # values that are to stay there: fewer rows, where there are many columns
LANES = 16  # rows that step down a tree together
HALF = np.uint64(32)  # bits of what a node asks that are the node below
BELOW = np.uint64(2**32 - 1)  # which these are


@njit(cache=True, nogil=True)
def add_trees(X, columns, sides, roots, cut, asks, value, scores):
    """Add to `scores`, shape (K, m), what trees say of rows; `roots`, (T, K), is where they begin.

    Of X they ask `columns`, each of which stands `sides` times in a bundle, as `packed` says.
    """
    m, width = X.shape[0], sides * columns.shape[0]
    block = _together(m, width)
    rows, leaf = np.zeros(block * width), np.empty(LANES, np.uint64)
    for start in range(0, m, block):
        size = min(block, m - start)
        _bundle(X, columns, sides, start, size, rows)
        for t in range(roots.shape[0]):
            for k in range(roots.shape[1]):
                for first in range(0, size, LANES):
                    _walk(rows, first * width, roots[t, k], cut, asks, leaf)
                    for i in range(min(LANES, size - first)):
                        scores[k, start + first + i] += value[leaf[i]]


@njit(cache=True, nogil=True)
def add_answers(X, columns, sides, roots, cut, asks, answers, total):
    """The same for trees of a forest, whose nodes say several numbers, shape (t, K); `total` has
    shape (m, K), `roots` (T,)."""
    m, width = X.shape[0], sides * columns.shape[0]
    block = _together(m, width)
    rows, leaf = np.zeros(block * width), np.empty(LANES, np.uint64)
    for start in range(0, m, block):
        size = min(block, m - start)
        _bundle(X, columns, sides, start, size, rows)
        for root in roots:
            for first in range(0, size, LANES):
                _walk(rows, first * width, root, cut, asks, leaf)
                for i in range(min(LANES, size - first)):
                    for k in range(answers.shape[1]):
                        total[start + first + i, k] += answers[leaf[i], k]


@njit(cache=True, nogil=True, _nrt=False)
def _together(m, width):
    """How many of m rows pass through all trees together, a multiple of `LANES`."""
    most = min(m + LANES - 1, BLOCK, ROOM // width)
    return max(most // LANES, 1) * LANES


@njit(cache=True, nogil=True, _nrt=False)
def _bundle(X, columns, sides, start, size, rows):
    """Write a block of rows, from `start`, into `rows`: `LANES` of them after each other, of these
    column by column, first with missing values below all others, then perhaps with them."""
    q = columns.shape[0]
    for i in range(size):
        first = i // LANES * LANES * sides * q + i % LANES
        for j in range(q):
            x = X[start + i, columns[j]]
            rows[first + j * LANES] = -np.inf if x != x else x
            if sides > 1:
                rows[first + (q + j) * LANES] = x


@njit(cache=True, nogil=True, _nrt=False)
def _walk(rows, first, root, cut, asks, leaf):
    """Fill `leaf`, (LANES,), with where the rows that begin at `first` end in a tree.

    All take a step before any takes the next: while one waits for its memory, others go on. None
    is asked whether it has arrived: a leaf sends it to itself, until nobody moves.
    Places are unsigned, for none is counted from the end.
    """
    for i in range(LANES):
        leaf[i] = np.uint64(root)
    moved = np.uint64(1)
    while moved != 0:
        moved = np.uint64(0)
        for i in range(LANES):
            node = leaf[i]
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
