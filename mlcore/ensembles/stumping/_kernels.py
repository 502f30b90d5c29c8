"""The compiled loop over all cuts of all columns."""

from __future__ import annotations

from mlcore.spine.loops import njit

SLACK = 1e-11


@njit(cache=True, nogil=True)
def best_stump(values, order, signed, best):
    """Write the cut of least weighted error of two classes into `best`: score, column and cut.

    `values` and `order`, shape (p, n), are sorted by column; `signed`, shape (n,), holds the weight
    of each row, negative for the first class. A parting into sides of sums a and b is told with
    an error of half of all weight less |a| + |b|. `best[3]` is the sum of the left side.
    """
    p, n = values.shape
    total = 0.0
    for i in range(n):
        total += signed[i]
    best[0], best[1] = abs(total), -1.0
    slack = 0.0
    for i in range(n):
        slack += abs(signed[i])
    slack *= SLACK
    for j in range(p):
        own, rows = values[j], order[j]
        if own[0] == own[n - 1]:
            continue
        left, most = 0.0, best[0] + slack
        for k in range(n - 1):
            left += signed[rows[k]]
            score = abs(left) + abs(total - left)
            if score > most and own[k + 1] != own[k]:
                most = score + slack
                cut = 0.5 * own[k] + 0.5 * own[k + 1]
                best[0], best[1] = score, j
                best[2], best[3] = cut if cut < own[k + 1] else own[k], left
