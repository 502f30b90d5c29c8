"""Rows sent down all trees of a forest, whose answers are added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlcore.ensembles.walking import _kernels
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


class Walks:
    """Trees laid end to end, and what each node says, shapes (t, K)."""

    def __init__(self, trees: Sequence[Tree], answers: Sequence[np.ndarray]) -> None:
        self.trees, self.answers = trees, answers
        self.asks_for_names = any(tree.n_levels.any() for tree in trees)
        sizes = np.array([len(tree) for tree in trees])
        roots = np.cumsum(sizes) - sizes
        left = np.concatenate([tree.left for tree in trees])
        self._roots = read_only(roots)
        self._feature = read_only(np.concatenate([tree.feature for tree in trees]).astype(np.int32))
        self._cut = read_only(np.concatenate([tree.cut for tree in trees]))
        self._missing_left = read_only(np.concatenate([tree.missing_left for tree in trees]))
        below = np.where(left < 0, -1, left + np.repeat(roots, sizes))
        self._left = read_only(below.astype(np.int32))
        self._says = read_only(np.concatenate(answers))

    def summed(self, X: np.ndarray) -> np.ndarray:
        """The sum of the answers to rows X, shape (m, p): shape (m, K)."""
        total = np.zeros((len(X), self.answers[0].shape[1]))
        if self.asks_for_names:
            for tree, answers in zip(self.trees, self.answers, strict=True):
                total += answers[tree.leaf_of(X)]
        else:
            _kernels.add_answers(
                read_only(X), self._roots, self._feature, self._cut, self._missing_left, self._left,
                self._says, total,
            )  # fmt: skip
        return total
