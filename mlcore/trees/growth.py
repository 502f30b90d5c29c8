"""Growing a tree best first: the split that lowers the risk most is made next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.spine.fit import Column
from mlcore.trees import _kernels as k
from mlcore.trees.tree import Tree, holds_names

NOTHING = np.empty((0, 0))
NO_RANKS = read_only(np.empty((0, 0), dtype=np.int32))


@dataclass(frozen=True)
class Limits:
    """When a node is not split; 0 is no limit where a limit makes sense."""

    max_leaf_nodes: int = 0
    max_depth: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_gain: float = 0.0
    zero_gain_splits: bool = False
    ordered: bool = True  # levels by mean response; else each level against the rest


class Lots(NamedTuple):
    """What a node of a forest leaves to chance."""

    tried: int  # columns of which the best is taken, among those that differ in the node
    anywhere: bool  # one cut a column, anywhere; else the best of all
    seed: int  # below 2^64


class Rows:
    """The rows that one or many trees learn from, column by column."""

    def __init__(self, X: np.ndarray, columns: tuple[Column, ...]) -> None:
        self.X = read_only(X.T)  # (p, n)
        self.n_levels = read_only(
            np.array([len(c.levels) if holds_names(c) else 0 for c in columns], dtype=np.int64)
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.X.shape[1]

    @cached_property
    def order(self) -> np.ndarray:
        """For each column the rows by ascending value, missing ones last, shape (p, n)."""
        order = np.empty(self.X.shape, dtype=np.int32)
        for j, x in enumerate(self.X):
            order[j] = np.argsort(x, kind="stable")
        return order

    @cached_property
    def ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """The rank of each value in its column, equal for equal values, shape (p, n); how many
        ranks of each column are not of missing values, shape (p,)."""
        ranks = np.empty(self.X.shape, dtype=np.int32)
        known = np.zeros(len(self.X), dtype=np.int64)
        for j, (x, order) in enumerate(zip(self.X, self.order, strict=True)):
            ranks[j, order[:1]] = 0
            ranks[j, order[1:]] = np.cumsum(x[order[1:]] != x[order[:-1]])
            known[j] = ranks[j].max(initial=-1) + 1 - np.count_nonzero(np.isnan(x))
        return read_only(ranks), read_only(known)


def rescaled(w: np.ndarray) -> np.ndarray:
    """Weights, shape (n,), of the same proportions and of mean 1; ones stay ones."""
    w = w / w.max()
    return w * (len(w) / w.sum())


class Growing:
    """A tree that grows: its rows in the order of each column, and the nodes so far.

    `K` is the number of classes, 0 for a quantity; `target` holds codes or quantities, shape (n,).
    Rows of weight 0 take no part. Without `lots` every node tries all columns and all cuts.
    """

    def __init__(
        self,
        rows: Rows,
        target: np.ndarray,
        w: np.ndarray,
        K: int,
        criterion: int,
        limits: Limits,
        lots: Lots | None = None,
    ) -> None:
        self.limits, self.K, self.criterion = limits, K, criterion
        self.X, self.n_levels = rows.X, rows.n_levels
        self._presort(rows, np.flatnonzero(w > 0), lots is not None)
        # About the mean and of size 1, neither a large offset nor a tiny scale loses digits.
        self.offset, self.scale = 0.0, 1.0
        if K == 0:
            self.offset = float(np.average(target, weights=w))
            target = target - self.offset
            self.scale = float(np.abs(target).max()) or 1.0
        self._y = read_only(target / self.scale)
        self._w = read_only(w)
        p = len(self.X)
        self.lots = lots or Lots(p, False, 0)
        needs_ranks = lots is not None and not lots.anywhere
        ranks, known = rows.ranks if needs_ranks else (NO_RANKS, rows.n_levels)
        seed = np.array([self.lots.seed], dtype=np.uint64)
        self._nodes(self.order.shape[1])
        self._chance = ranks, known, np.arange(p), seed, *self._room(lots is not None)
        given, chance, least = self._given()
        k.plant(given, chance, least, self._state())

    def _presort(self, rows: Rows, here: np.ndarray, by_lot: bool) -> None:
        if by_lot:
            self.order, self.sorted = here.astype(np.int32)[None], NOTHING
            return
        p, n = rows.X.shape
        self.order, self.sorted = np.empty((p + 1, n), dtype=np.int32), np.empty((p, n))
        self.order[:p], self.order[p] = rows.order, here
        for j in range(p):
            self.sorted[j] = rows.X[j, self.order[j]]

    def _room(self, by_lot: bool) -> tuple[np.ndarray, ...]:
        """Room for the rows of a node that are looked at side by side."""
        most = self.order.shape[1] if by_lot else k.SMALL
        wide = max(most, self.K, 6)  # classes and scores of a split take some too
        return (
            np.empty((6, wide)),
            np.empty((2, most), np.int64),
            np.empty((3, max(2 * most + 2, len(self.X), 257)), np.int32),
            np.zeros(self.levels.shape[1], np.uint8),
        )

    def _nodes(self, n: int) -> None:
        leaves = min(n, self.limits.max_leaf_nodes or n)
        room = 2 * leaves - 1
        self.heap, self.state = np.empty(room, dtype=np.int64), np.zeros(2, dtype=np.int64)
        self.links = np.empty((room, 8), dtype=np.int64)
        self.facts = np.empty((room, 5))
        self.values = np.empty((room, max(self.K, 1)))
        width = int(self.n_levels.max()) + 1
        self.levels = np.zeros((room, width), dtype=np.uint8)

    def _given(self) -> tuple[tuple, tuple, float]:
        limits = self.limits
        rules = (
            self.criterion, limits.min_samples_split, limits.min_samples_leaf, limits.max_depth,
            limits.zero_gain_splits, limits.ordered, self.lots.tried, self.lots.anywhere,
            bool((self._w == np.floor(self._w)).all()),
        )  # fmt: skip
        # A gain is weighed against the target as it was before it was scaled.
        least = limits.min_gain / self.scale / self.scale
        rows = self.X, self.order, self.sorted, self.n_levels, self._y, self._w
        return (*rows, read_only(np.array(rules, dtype=np.int64))), self._chance, least

    def _state(self) -> tuple:
        return self.heap, self.state, self.links, self.facts, self.values, self.levels

    @property
    def n_nodes(self) -> int:
        """Nodes so far."""
        return int(self.state[k.NODES])

    @property
    def n_leaves(self) -> int:
        """Leaves so far."""
        return (self.n_nodes + 1) // 2

    @property
    def is_done(self) -> bool:
        """Whether no further split is possible or allowed."""
        return self.state[k.WAITING] == 0 or self._spare() == 0

    def _spare(self) -> int:
        most = self.limits.max_leaf_nodes or self.order.shape[1]
        return max(most - self.n_leaves, 0)

    def grow(self, splits: int | None = None) -> int:
        """Make so many splits, or all; returns how many were made."""
        wanted = self._spare() if splits is None else min(splits, self._spare())
        given, chance, least = self._given()
        return k.grow(wanted, given, chance, least, self._state())

    @property
    def newest(self) -> int:
        """The node that was split last."""
        children = self.n_nodes - 2
        return int(np.flatnonzero(self.links[: self.n_nodes, k.LEFT] == children)[0])

    def tree(self) -> Tree:
        """The tree as it stands."""
        t = self.n_nodes
        links, facts = self.links[:t], self.facts[:t]
        is_leaf = links[:, k.LEFT] < 0
        values = self.values[:t].copy()
        if self.K == 0:
            values[:, 0] = facts[:, k.MEAN] * self.scale + self.offset
        square = 1.0 if self.K else self.scale**2
        return Tree(
            feature=np.where(is_leaf, -1, links[:, k.FEATURE]),
            cut=np.where(is_leaf, 0.0, facts[:, k.CUT]),
            missing_left=(links[:, k.MISSING] > 0) & ~is_leaf,
            left=links[:, k.LEFT].copy(),
            depth=links[:, k.DEPTH].copy(),
            rows=links[:, k.END] - links[:, k.START],
            weight=facts[:, k.WEIGHT].copy(),
            risk=facts[:, k.RISK] * square,
            gain=np.where(is_leaf, 0.0, facts[:, k.GAIN]) * square,
            label=links[:, k.LABEL].copy(),
            values=values,
            levels=self.levels[: t if self.n_levels.any() else 1].copy(),
            n_levels=self.n_levels,
        )
