"""Compiled loops over tables. Inputs are read-only and C-ordered, outputs filled in place."""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit


@njit(cache=True, nogil=True)
def best_rules(labels, border, k, correct):
    """Fill `found`, (p, times), with the rows that the best rule of at most k intervals gets right.

    `labels`, (p or 1, times, n), has the classes 0..k-1 in the order of the values; `border`,
    (p, n - 1), says where an interval may end. right[i, c] counts the rows so far that the best
    i + 1 intervals, the last of class c, classify correctly.
    """
    right = np.empty((k, k), dtype=np.int64)
    n = labels.shape[2]
    for column in range(border.shape[0]):
        row = column if labels.shape[0] > 1 else 0
        for target in range(labels.shape[1]):
            right[:] = 0
            for t in range(n):
                if t > 0 and border[column, t - 1]:
                    # From the last interval down, so that each sees the one before as it was.
                    for i in range(k - 1, 0, -1):
                        best = right[i - 1].max()
                        for c in range(k):
                            right[i, c] = max(right[i, c], best)
                label = labels[row, target, t]
                for i in range(k):
                    right[i, label] += 1
            correct[column, target] = right.max()
