"""Rows sent down all trees of a forest, whose answers are added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from mlcore.ensembles.walking._kernels import add_answers, pack
from mlcore.maths.arrays import read_only
from mlcore.spine.pool import side_by_side, threads_left
from mlcore.trees.tree import Tree

FEW_WALKS = 50_000  # of rows down trees: they are done before another thread has begun
PIECES = 8  # a thread at most: whoever is done early has more to do, and nobody waits for long


def in_pieces(
    X: np.ndarray, n_trees: int, summed: Callable[[np.ndarray], np.ndarray]
) -> list[np.ndarray]:
    """What `summed` gives for rows X, shape (m, p), in pieces of them, side by side if it pays."""
    worth_it, own = len(X) * n_trees // FEW_WALKS, threads_left()
    pieces = min(max(worth_it, own), own * PIECES, len(X)) if worth_it else 1
    return list(side_by_side(summed, np.array_split(X, pieces)))


class Nodes(Protocol):
    """What the nodes of a tree ask, or of trees that are laid end to end already, (t,) each."""

    @property
    def feature(self) -> np.ndarray:
        """The column that is asked about; of a leaf anything."""
        ...

    @property
    def cut(self) -> np.ndarray:
        """A row goes left where its value is at most this."""
        ...

    @property
    def missing_left(self) -> np.ndarray:
        """Where a missing value goes."""
        ...

    @property
    def left(self) -> np.ndarray:
        """The node below, -1 in a leaf; the right one is the next."""
        ...


class Packed(NamedTuple):
    """Nodes of trees laid end to end, as the compiled loops walk them.

    So that no step asks whether a value is missing, rows with missing values hold each column
    twice: once they are less than any cut, once they are not, and a node asks the one that sends
    them its way. A leaf asks the first column, and sends all rows to itself.
    """

    columns: np.ndarray  # (q,) that are asked about
    sides: int  # how often each of them stands in a bundle of rows
    cut: np.ndarray  # (t,) a row goes to the node below where its value is at most this
    asks: np.ndarray  # (t,) where the column begins in a bundle, then the node below, 32 bits each

    def add_answers(
        self, X: np.ndarray, roots: np.ndarray, answers: np.ndarray, total: np.ndarray
    ) -> None:
        """Add to `total`, (G + K - 1, m), what rows X, (m, p), are told: by tree g of each of the
        rounds in `roots`, (T, G), the K `answers`, (t, K), of the node where it ends, from g on."""
        add_answers(
            read_only(X), self.columns, self.sides, _places(roots), self.cut, self.asks,
            read_only(answers), total,
        )  # fmt: skip


def starts_of(trees: Sequence[Nodes]) -> np.ndarray:
    """Where each tree begins when they are laid end to end, (T,)."""
    sizes = np.array([len(tree.left) for tree in trees])
    return np.cumsum(sizes) - sizes


def packed(trees: Sequence[Nodes], X: np.ndarray) -> Packed:
    """The nodes of trees, for rows X, shape (m, p)."""
    sides = 1 + bool(np.isnan(X.min(initial=0.0)))
    t = sum(len(tree.left) for tree in trees)
    cut, asks = np.empty(t), np.empty(t, np.uint64)
    place, columns, known = np.full(X.shape[1], -1), np.zeros(X.shape[1], np.int64), 0
    for tree, root in zip(trees, starts_of(trees).tolist(), strict=True):
        known = pack(
            _places(tree.feature), read_only(tree.cut), read_only(tree.missing_left),
            _places(tree.left), root, sides, place, columns, known, cut[root:], asks[root:],
        )  # fmt: skip
    # Where no tree asks anything, leaves still read a column.
    columns = read_only(columns[: max(known, 1)])
    return Packed(columns, sides, read_only(cut), read_only(asks))


def _places(values: np.ndarray) -> np.ndarray:
    """As all loops take them: those of boosting are half as large where they are kept."""
    return read_only(values.astype(np.int64, copy=False))


class Walks:
    """Trees, and what the nodes of all of them say, (t, K), for rows X, shape (m, p)."""

    def __init__(self, trees: Sequence[Tree], answers: np.ndarray, X: np.ndarray) -> None:
        self.trees, self.answers = trees, read_only(answers)
        self.roots = starts_of(trees)
        self.nodes = None if any(tree.n_levels.any() for tree in trees) else packed(trees, X)

    def summed(self, X: np.ndarray) -> np.ndarray:
        """The sum of the answers to some of the rows, shape (m, p): shape (K, m)."""
        total = np.zeros((self.answers.shape[1], len(X)))
        if self.nodes is None:  # some columns hold names
            for tree, root in zip(self.trees, self.roots, strict=True):
                total += self.answers[root + tree.leaf_of(X)].T
        else:
            self.nodes.add_answers(X, self.roots[:, None], self.answers, total)
        return total
