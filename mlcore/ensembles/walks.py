"""Rows sent down all trees of a forest, whose answers are added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mlcore.ensembles.walking._kernels import HALF, LANES, add_answers
from mlcore.maths.arrays import read_only
from mlcore.maths.pool import side_by_side, threads_left
from mlcore.trees.tree import Tree

FEW_WALKS = 50_000  # of rows down trees: they are done before another thread has begun
PIECES = 2  # a thread: whoever is done early has more to do


def in_pieces(
    X: np.ndarray, n_trees: int, summed: Callable[[np.ndarray], np.ndarray]
) -> list[np.ndarray]:
    """What `summed` gives for rows X, shape (m, p), in pieces of them, side by side if it pays."""
    pays = len(X) * n_trees >= FEW_WALKS
    parts = np.array_split(X, min(threads_left() * PIECES, len(X)) if pays else 1)
    return list(side_by_side(summed, parts))


class Packed(NamedTuple):
    """Nodes of trees laid end to end, as the compiled loops walk them."""

    columns: np.ndarray  # (q,) that are asked about, and the first
    sides: int  # how often each of them stands in a bundle of rows
    cut: np.ndarray  # (t,) a row goes to the node below where its value is at most this
    asks: np.ndarray  # (t,) where the column begins in a bundle, then the node below, 32 bits each


def packed(
    feature: np.ndarray, cut: np.ndarray, missing_left: np.ndarray, left: np.ndarray, X: np.ndarray
) -> Packed:
    """Nodes, shape (t,) each, for rows X, shape (m, p): left is -1 in a leaf, else right is next.

    So that no step asks whether a value is missing, rows with missing values hold each column
    twice: once they are less than any cut, once they are not, and a node asks the one that sends
    them its way. A leaf asks the first column, and sends all rows to itself.
    """
    is_leaf, has_missing = left < 0, bool(np.isnan(X.min(initial=0.0)))
    feature = np.where(is_leaf, 0, feature)
    is_asked = np.bincount(feature) > 0
    column = (np.cumsum(is_asked) - 1)[feature]
    if has_missing:
        column += np.where(is_leaf | (missing_left > 0), 0, is_asked.sum())
    below = np.where(is_leaf, np.arange(len(left)), left)
    asks = (column * LANES).astype(np.uint64) << HALF | below.astype(np.uint64)
    cut = np.where(is_leaf, np.inf, cut)
    columns = np.flatnonzero(is_asked)
    return Packed(read_only(columns), 1 + has_missing, read_only(cut), read_only(asks))


class Walks:
    """Trees laid end to end, and what each node says, shapes (t, K), for rows X, shape (m, p)."""

    def __init__(self, trees: Sequence[Tree], answers: Sequence[np.ndarray], X: np.ndarray) -> None:
        self.trees, self.answers = trees, answers
        self.asks_for_names = any(tree.n_levels.any() for tree in trees)
        sizes = np.array([len(tree) for tree in trees])
        roots = np.cumsum(sizes) - sizes
        feature, cut, missing_left, left = (
            np.concatenate([getattr(tree, name) for tree in trees])
            for name in ("feature", "cut", "missing_left", "left")
        )
        left = np.where(left < 0, -1, left + np.repeat(roots, sizes))
        self._roots = read_only(roots)
        self._nodes = packed(feature, cut, missing_left, left, X)
        self._says = read_only(np.concatenate(answers))

    def summed(self, X: np.ndarray) -> np.ndarray:
        """The sum of the answers to some of the rows, shape (m, p): shape (m, K)."""
        total = np.zeros((len(X), self.answers[0].shape[1]))
        if self.asks_for_names:
            for tree, answers in zip(self.trees, self.answers, strict=True):
                total += answers[tree.leaf_of(X)]
        else:
            nodes = self._nodes
            add_answers(
                read_only(X), nodes.columns, nodes.sides, self._roots, nodes.cut, nodes.asks,
                self._says, total,
            )  # fmt: skip
        return total
