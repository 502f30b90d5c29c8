"""Compiled loops of isolation trees: growing one at random, and adding up the paths of rows.

The nodes of a tree stand in arrays: `feature`, `cut`, `child`, the first of the two, and `length`,
in a leaf the path length of the rows that end there. A leaf leads to itself: its cut is infinite,
so that rows can take the same number of steps whatever they meet. A tree that is cut at a slant has
a `normal` a node, and `feature` means nothing.
"""

from __future__ import annotations

import numpy as np

from mlcore.spine.loops import njit

START, END, DEPTH = 0, 1, 2  # columns of `spans`, which hold the rows of each node
BLOCK = 512  # rows that pass through all trees together, so that they stay in the fast memory
# Typed: numba compiles a loop that is handed a bare number or truth once more, for that alone.
ONE = np.int64(1)


@njit(cache=True, nogil=True)
def grow(S, lots, limit, mean_length, feature, cut, child, length):
    """Grow a tree on the rows of S, shape (p, m); returns how many nodes it has.

    `lots`, shape (N, 2), says for each node which column and where; `mean_length[s]` is what the
    path of s rows that are not parted would still have on average.
    """
    p, m = S.shape
    spans, rows, columns = np.empty((len(cut), 3), np.int64), np.arange(m), np.arange(p)
    spans[0, START], spans[0, END], spans[0, DEPTH] = 0, m, 0
    n_nodes, at = ONE, 0
    while at < n_nodes:
        start, end, depth = spans[at, START], spans[at, END], spans[at, DEPTH]
        feature[at], cut[at], child[at] = 0, np.inf, at
        length[at] = depth + mean_length[end - start]
        if end - start > 1 and depth < limit:
            j, low, high = _column(S, rows, columns, start, end, lots[at, 0])
            if low < high:
                where = low + lots[at, 1] * (high - low)
                if where >= high:  # by rounding; the highest rows go to the other side
                    where = low
                middle = _parted(S[j], rows, start, end, where)
                feature[at], cut[at], child[at] = j, where, n_nodes
                _enter(spans, n_nodes, start, middle, end, depth)
                n_nodes += 2
        at += 1
    return n_nodes


@njit(cache=True, nogil=True)
def _enter(spans, at, start, middle, end, depth):
    spans[at, START], spans[at, END], spans[at, DEPTH] = start, middle, depth + 1
    spans[at + 1, START], spans[at + 1, END], spans[at + 1, DEPTH] = middle, end, depth + 1


@njit(cache=True, nogil=True)
def _column(S, rows, columns, start, end, lot):
    """A column in which the rows of a node differ, each alike likely, and its ends in the node."""
    left = len(columns)
    while True:
        lot *= left
        k = min(int(lot), left - 1)
        lot -= k  # what is left over of a lot is a lot again
        j = columns[k]
        low = high = S[j, rows[start]]
        for i in range(start + 1, end):
            value = S[j, rows[i]]
            low, high = min(low, value), max(high, value)
        left -= 1
        if low < high or left == 0:
            return j, low, high
        columns[k], columns[left] = columns[left], columns[k]


@njit(cache=True, nogil=True)
def _parted(values, rows, start, end, where):
    """Put the rows with values up to `where` first; returns where the others begin."""
    low, high = start, end - 1
    while low <= high:
        if values[rows[low]] <= where:
            low += 1
        else:
            rows[low], rows[high] = rows[high], rows[low]
            high -= 1
    return low


@njit(cache=True, nogil=True)
def grow_slanted(S, lots, normal, limit, mean_length, cut, child, length):
    """The same with cuts of any direction: `normal`, shape (N, p), through a point of the box of
    the rows of a node, which `lots`, shape (N, p), gives in shares of its sides."""
    p, m = S.shape
    spans, rows, values = np.empty((len(cut), 3), np.int64), np.arange(m), np.empty(m)
    spans[0, START], spans[0, END], spans[0, DEPTH] = 0, m, 0
    n_nodes, at = ONE, 0
    while at < n_nodes:
        start, end, depth = spans[at, START], spans[at, END], spans[at, DEPTH]
        cut[at], child[at] = np.inf, at
        length[at] = depth + mean_length[end - start]
        if end - start > 1 and depth < limit:
            where, differ = 0.0, False
            values[rows[start:end]] = 0.0
            for j in range(p):
                low = high = S[j, rows[start]]
                for i in range(start, end):
                    value = S[j, rows[i]]
                    low, high = min(low, value), max(high, value)
                    values[rows[i]] += normal[at, j] * value
                where += normal[at, j] * (low + lots[at, j] * (high - low))
                differ = differ or low < high
            if differ:
                middle = _parted(values, rows, start, end, where)
                cut[at], child[at] = where, n_nodes
                _enter(spans, n_nodes, start, middle, end, depth)
                n_nodes += 2
        at += 1
    return n_nodes


@njit(cache=True, nogil=True)
def paths(X, depth, feature, cut, child, length, total):
    """Add to `total`, shape (n,), the path lengths of rows in all trees, whose arrays are (B, N).

    No tree is deeper than `depth`. Four rows go at a time: while one waits for its memory, the
    others move.
    """
    n, n_trees = len(X), len(feature)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        for tree in range(n_trees):
            of, where, onward, own = feature[tree], cut[tree], child[tree], length[tree]
            i = first
            while i + 4 <= last:
                a = b = c = d = 0
                for _ in range(depth):
                    a = onward[a] + (X[i, of[a]] > where[a])
                    b = onward[b] + (X[i + 1, of[b]] > where[b])
                    c = onward[c] + (X[i + 2, of[c]] > where[c])
                    d = onward[d] + (X[i + 3, of[d]] > where[d])
                total[i] += own[a]
                total[i + 1] += own[b]
                total[i + 2] += own[c]
                total[i + 3] += own[d]
                i += 4
            while i < last:
                a = 0
                for _ in range(depth):
                    a = onward[a] + (X[i, of[a]] > where[a])
                total[i] += own[a]
                i += 1


@njit(cache=True, nogil=True)
def slanted_paths(X, normal, cut, child, length, total):
    """The same for cuts along `normal`, shape (B, N, p)."""
    n, n_trees, p = len(X), len(cut), X.shape[1]
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        for tree in range(n_trees):
            for i in range(first, last):
                at = 0
                while child[tree, at] != at:
                    value = 0.0
                    for j in range(p):
                        value += normal[tree, at, j] * X[i, j]
                    at = child[tree, at] + (value > cut[tree, at])
                total[i] += length[tree, at]
