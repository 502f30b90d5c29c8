"""Growing a tree best first: the split that lowers the risk most is made next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.spine.fit import Column
from mlcore.trees import _kernels as k
from mlcore.trees.tree import Tree, holds_names

NO_RANKS = read_only(np.empty((0, 0), dtype=np.int32))
NO_CODES = read_only(np.empty((0, 0), dtype=np.uint8))
NO_ENDS = read_only(np.empty((2, 0, 0)))


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


def rescaled(w: np.ndarray) -> np.ndarray:
    """Weights, shape (n,), of the same proportions and of mean 1; ones stay ones."""
    w = w / w.max()
    return w * (len(w) / w.sum())


class Planted:
    """What every tree of the same rows and rules needs.

    `K` is the number of classes, 0 for a quantity; `target` holds codes or quantities, shape (n,).
    """

    def __init__(
        self, rows: Rows, target: np.ndarray, w: np.ndarray, K: int, criterion: int, limits: Limits
    ) -> None:
        self.limits, self.K, self.criterion = limits, K, criterion
        self.X, self.n_levels = rows.X, rows.n_levels
        # About the mean and of size 1, neither a large offset nor a tiny scale loses digits.
        self.offset, self.scale = 0.0, 1.0
        if K == 0:
            self.offset = float(np.average(target, weights=w))
            target = target - self.offset
            self.scale = float(np.abs(target).max()) or 1.0
        self.y, self.w = read_only(target / self.scale), read_only(w)

    def rules(self, tried: int, anywhere: bool, max_bins: int) -> np.ndarray:
        """The rules of the compiled loops, shape (12,)."""
        limits = self.limits
        # Where every node is split in the end, the order decides only numbers of nodes and lots.
        newest_first = anywhere and not limits.max_leaf_nodes
        rules = (
            self.criterion, limits.min_samples_split, limits.min_samples_leaf, limits.max_depth,
            limits.zero_gain_splits, limits.ordered, tried, anywhere,
            bool((self.w == np.floor(self.w)).all()), limits.max_leaf_nodes, max_bins,
            newest_first,
        )  # fmt: skip
        return read_only(np.array(rules, dtype=np.int64))

    @property
    def least(self) -> float:
        """What a split must gain: weighed against the target as it was before it was scaled."""
        return self.limits.min_gain / self.scale / self.scale

    def nodes(self, room: int, at_once: int) -> tuple[np.ndarray, ...]:
        """Room for so many nodes, of which so many wait at once: heap, (at_once,), state, (2,),
        links, facts, values and levels, (room, ...)."""
        return (
            np.empty(at_once, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.empty((room, 8), dtype=np.int64),
            np.empty((room, 5)),
            np.empty((room, max(self.K, 1))),
            np.zeros((room, int(self.n_levels.max()) + 1), dtype=np.uint8),
        )

    def scratch(self, most: int, width: int) -> tuple[np.ndarray, ...]:
        """Room for `most` rows of a node that are looked at side by side, (6, most) and more, and
        for `width` names, (width,)."""
        wide = max(most, self.K, 6)  # classes and scores of a split take some too
        return (
            np.empty((6, wide)),
            np.empty((2, most), np.int64),
            np.empty((3, max(2 * most + 2, len(self.X), 257)), np.int32),
            np.zeros(width, np.uint8),
            np.empty((k.BINS, max(self.K, 1) + 2)),
        )

    def written(
        self, links: np.ndarray, facts: np.ndarray, values: np.ndarray, levels: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The fields of a `Tree` but for those of columns, of any nodes in turn, (t, ...)."""
        is_leaf = links[:, k.LEFT] < 0
        values = values.copy()
        if self.K == 0:
            values[:, 0] = facts[:, k.MEAN] * self.scale + self.offset
        square = 1.0 if self.K else self.scale**2
        return {
            "feature": np.where(is_leaf, -1, links[:, k.FEATURE]),
            "cut": np.where(is_leaf, 0.0, facts[:, k.CUT]),
            "missing_left": (links[:, k.MISSING] > 0) & ~is_leaf,
            "left": links[:, k.LEFT].copy(),
            "depth": links[:, k.DEPTH].copy(),
            "rows": links[:, k.END] - links[:, k.START],
            "weight": facts[:, k.WEIGHT].copy(),
            "risk": facts[:, k.RISK] * square,
            "gain": np.where(is_leaf, 0.0, facts[:, k.GAIN]) * square,
            "label": links[:, k.LABEL].copy(),
            "values": values,
            "levels": levels.copy(),
        }


class Growing:
    """A tree that grows: its rows in the order of each column, and the nodes so far.

    Rows of weight 0 take no part.
    """

    def __init__(self, rows: Rows, planted: Planted) -> None:
        self.planted, self.limits = planted, planted.limits
        self._presort(rows, np.flatnonzero(planted.w > 0))
        p, n = len(planted.X), self.order.shape[1]
        leaves = min(n, self.limits.max_leaf_nodes or n)
        self._nodes = planted.nodes(2 * leaves - 1, 2 * leaves - 1)
        _, self.state, self.links, *_ = self._nodes
        width = self._nodes[-1].shape[1]
        self._chance = (
            NO_RANKS, planted.n_levels, NO_CODES, NO_ENDS, np.arange(p), np.zeros(1, np.uint64),
            *planted.scratch(k.SMALL, width),
        )  # fmt: skip
        self._given = (
            planted.X, self.order, self.sorted, planted.n_levels, planted.y,
            planted.w.copy(), planted.rules(p, False, 0),
        )  # fmt: skip
        self._room = np.empty(planted.X.shape[1], np.uint8), np.empty(n, np.int32), np.empty(n)
        self.grow(0)

    def _presort(self, rows: Rows, here: np.ndarray) -> None:
        p, n = rows.X.shape
        self.order, self.sorted = np.empty((p + 1, n), dtype=np.int32), np.empty((p, n))
        self.order[:p], self.order[p] = rows.order, here
        for j in range(p):
            self.sorted[j] = rows.X[j, self.order[j]]

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
        least = self.planted.least
        return k.grow(wanted, self._given, self._chance, least, self._nodes, self._room)

    @property
    def newest(self) -> int:
        """The node that was split last."""
        children = self.n_nodes - 2
        return int(np.flatnonzero(self.links[: self.n_nodes, k.LEFT] == children)[0])

    def tree(self) -> Tree:
        """The tree as it stands."""
        t, n_levels = self.n_nodes, self.planted.n_levels
        fields = self.planted.written(*(nodes[:t] for nodes in self._nodes[2:]))
        if not n_levels.any():
            fields["levels"] = fields["levels"][:1].copy()
        return Tree(**fields, n_levels=n_levels)
