"""Compiled loops that send rows down many trees, laid end to end, and judge what they say.

The right node is the one after the left; -1 as left is a leaf. Inputs are read-only.
"""

from __future__ import annotations

# The types of numba do not know its option `_nrt`.
# pyright: reportCallIssue=false
import numpy as np
from numba import njit

BLOCK = 1024  # rows that pass through all trees together, so that they stay in the fast memory


@njit(cache=True, nogil=True)
def add_trees(X, roots, feature, cut, missing_left, left, value, scores):
    """Add to `scores`, shape (K, m), what trees say of rows; `roots`, (T, K), is where they begin.

    The right node is the one after the left; -1 as left is a leaf.
    """
    m, leaf, walking = X.shape[0], np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32)
    for start in range(0, m, BLOCK):
        size = min(BLOCK, m - start)
        for t in range(roots.shape[0]):
            for k in range(roots.shape[1]):
                _walk(X, start, size, roots[t, k], feature, cut, missing_left, left, leaf, walking)
                for i in range(size):
                    scores[k, start + i] += value[leaf[i]]


@njit(cache=True, nogil=True)
def add_answers(X, roots, feature, cut, missing_left, left, answers, total):
    """The same for trees of a forest, whose nodes say several numbers, shape (t, K); `total` has
    shape (m, K), `roots` (T,)."""
    m, leaf, walking = X.shape[0], np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int32)
    for start in range(0, m, BLOCK):
        size = min(BLOCK, m - start)
        for root in roots:
            _walk(X, start, size, root, feature, cut, missing_left, left, leaf, walking)
            for i in range(size):
                for k in range(answers.shape[1]):
                    total[start + i, k] += answers[leaf[i], k]


@njit(cache=True, nogil=True, _nrt=False)
def _walk(X, start, size, root, feature, cut, missing_left, left, leaf, walking):
    """Fill `leaf` with where a block of rows ends in a tree.

    All rows take a step before any takes the next: while one waits for its memory, others go on.
    No branch is mispredicted: a row that has arrived is written over by the next that walks.
    Places are unsigned, for none is counted from the end.
    """
    for i in range(size):
        leaf[i], walking[i] = root, i
    n_walking = size if left[root] >= 0 else 0
    while n_walking > 0:
        still = np.uint64(0)
        for j in range(n_walking):
            i = np.uint64(walking[j])
            node = np.uint64(leaf[i])
            x = X[np.uint64(start) + i, np.uint64(feature[node])]
            goes = (x <= cut[node]) | ((x != x) & missing_left[node])
            below = left[node] + 1 - goes
            leaf[i], walking[still] = below, i
            still += np.uint64(left[np.uint64(below)] >= 0)
        n_walking = np.int64(still)


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
