"""A binary tree of questions, as flat arrays: sending rows down, collapsing nodes, reading it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, freeze
from mlcore.spine.records import function
from mlcore.trees import _kernels
from mlcore.trees.questions import question


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in the order in which they came to be: a parent before its children, the root first.

    A row goes left where its value is at most `cut`, or where its level is marked in `levels`.
    """

    feature: np.ndarray  # (t,) column that is asked about, -1 in a leaf
    cut: np.ndarray  # (t,) infinite where the question is whether a value is present
    missing_left: np.ndarray  # (t,) where a missing value goes
    left: np.ndarray  # (t,) node below, -1 in a leaf; the right one is the next
    depth: np.ndarray  # (t,) the root has 0
    rows: np.ndarray  # (t,) training rows
    weight: np.ndarray  # (t,) their weight
    risk: np.ndarray  # (t,) weight times impurity
    gain: np.ndarray  # (t,) how much the split lowers the risk, 0 in a leaf
    label: np.ndarray  # (t,) code of the class, 0 for a quantity
    values: np.ndarray  # (t, K) weight of each class, or (t, 1) the mean
    levels: np.ndarray  # (t, L + 1) levels that go left, the last missing; (1, 1) without names
    n_levels: np.ndarray  # (p,) of each column; 0 for numbers

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def right(self) -> np.ndarray:
        """The other node below, -1 in a leaf, shape (t,)."""
        return np.where(self.is_leaf, -1, self.left + 1)

    @property
    def is_leaf(self) -> np.ndarray:
        """Which nodes ask nothing, shape (t,)."""
        return self.left < 0

    @property
    def n_leaves(self) -> int:
        """How many leaves."""
        return int(self.is_leaf.sum())

    @property
    def total_risk(self) -> float:
        """Risk of the leaves together."""
        return float(self.risk[self.is_leaf].sum())

    def leaf_of(self, X: np.ndarray) -> np.ndarray:
        """The leaf in which each row ends, shape (m,)."""
        leaf = np.empty(len(X), dtype=np.int64)
        names = self.n_levels[self.feature] > 0  # of a leaf, which asks nothing, any
        asked = np.column_stack([self.feature, self.left, self.missing_left, names])
        asked = asked.astype(np.int32)  # half the memory to go through
        _kernels.route(
            read_only(X), read_only(asked), read_only(self.cut), read_only(self.n_levels),
            read_only(self.levels), leaf,
        )  # fmt: skip
        return leaf

    def answers_to(self, X: np.ndarray) -> np.ndarray:
        """Whether each row, (m, p), would go left at each node, (m, t), also where it never comes.

        Of a leaf, which asks nothing, it means nothing.
        """
        asked, nodes = X[:, self.feature], np.arange(len(self))
        is_missing = np.isnan(asked)
        goes = np.where(is_missing, self.missing_left > 0, asked <= self.cut)
        n_levels = self.n_levels[self.feature]
        names = np.flatnonzero((n_levels > 0) & ~self.is_leaf)
        codes = np.where(is_missing[:, names], n_levels[names], asked[:, names]).astype(np.int64)
        goes[:, names] = self.levels[nodes[names], codes] > 0
        return goes

    def is_walkable(self, columns: tuple[Column, ...]) -> bool:
        """Whether rows of these columns can be sent down: nodes lie below, questions apply."""
        t, inner = len(self), np.flatnonzero(~self.is_leaf)
        below, asked = self.left[inner], self.feature[inner]
        n_levels = [len(c.levels) if holds_names(c) else 0 for c in columns]
        widest = max(n_levels, default=0) + 1
        return (
            t > 0
            and all(len(getattr(self, name)) == t for name in _BY_NODE)
            and bool((below > inner).all() and (below + 1 < t).all())
            and bool((asked >= 0).all() and (asked < len(columns)).all())
            and self.n_levels.tolist() == n_levels
            and (not any(n_levels) or self.levels.shape == (t, widest))
        )

    def goes_left(self, node: int) -> np.ndarray:
        """Which levels of the column asked about go left, shape (L,)."""
        return self.levels[node, : self.n_levels[self.feature[node]]] > 0

    def collapsed(self, nodes: Any) -> Tree:
        """The tree in which these nodes are leaves, without the nodes below them."""
        left = self.left.copy()
        left[nodes] = -1
        kept = np.zeros(len(self), dtype=bool)
        kept[0] = True
        for nodes_at in self._levels():
            inner = nodes_at[kept[nodes_at] & (left[nodes_at] >= 0)]
            kept[left[inner]], kept[left[inner] + 1] = True, True
        number = np.cumsum(kept) - 1
        own = {name: getattr(self, name)[kept] for name in _BY_NODE}
        is_leaf = left[kept] < 0
        own["left"] = np.where(is_leaf, -1, number[left[kept]])
        own["feature"] = np.where(is_leaf, -1, own["feature"])
        own["gain"] = np.where(is_leaf, 0.0, own["gain"])
        if self.n_levels.any():
            own["levels"] = self.levels[kept]
        return replace(self, **own)

    def leaves_below(self) -> np.ndarray:
        """How many leaves stand below each node, itself if it is one, shape (t,)."""
        return self._summed(np.ones(len(self), dtype=np.int64))

    def risk_below(self) -> np.ndarray:
        """Risk of the leaves below each node, shape (t,)."""
        return self._summed(self.risk)

    def _summed(self, own: np.ndarray) -> np.ndarray:
        """The sum of `own` over the leaves below each node."""
        total = own.copy()
        for nodes_at in reversed(self._levels()):
            inner = nodes_at[self.left[nodes_at] >= 0]
            total[inner] = total[self.left[inner]] + total[self.left[inner] + 1]
        return total

    def parents(self) -> np.ndarray:
        """The node above each, -1 for the root, shape (t,)."""
        parent = np.full(len(self), -1)
        inner = np.flatnonzero(self.left >= 0)
        parent[self.left[inner]], parent[self.left[inner] + 1] = inner, inner
        return parent

    def _levels(self) -> list[np.ndarray]:
        """The nodes of each depth, from the root down."""
        order = np.argsort(self.depth, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.depth))[:-1])


_BY_NODE = (
    "feature", "cut", "missing_left", "left", "depth", "rows", "weight", "risk", "gain",
    "label", "values",
)  # fmt: skip


def codes_checked(X: np.ndarray, columns: tuple[Column, ...], who: str) -> None:
    """Raises DataError if a column of names in X, shape (m, p), has values that are no codes."""
    for j, column in enumerate(columns):
        if not holds_names(column):
            continue
        x = X[:, j][~np.isnan(X[:, j])]
        if len(x) and ((x != np.round(x)) | (x < 0) | (x >= len(column.levels))).any():
            raise DataError(
                f"{who} needs codes of the {len(column.levels)} levels in column {column.name}; "
                "some values are none. Give the codes with which it was read."
            )


def holds_names(column: Column) -> bool:
    """Whether the values are codes of names without an order."""
    return bool(column.levels) and column.kind != "ordinal"


class Rule(NamedTuple):
    """The way to a leaf, in words."""

    conditions: tuple[str, ...]
    leaf: int
    rows: int


@function("tree_rules", title="Rules of a tree", sources=("prac:tree_predict",))
def tree_rules(fit: Any) -> list[Rule]:
    """One rule a leaf: the questions answered on the way to it, from left to right."""
    tree: Tree = fit.tree
    rules: list[Rule] = []
    open_ways: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while open_ways:
        node, way = open_ways.pop()
        if tree.left[node] < 0:
            rules.append(Rule(way, node, int(tree.rows[node])))
            continue
        asked = question(tree, fit.columns, node)
        open_ways.append((int(tree.right[node]), (*way, f"not ({asked})")))
        open_ways.append((int(tree.left[node]), (*way, asked)))
    return rules


@function(
    "impurity_importance",
    title="Impurity-based feature importance",
    sources=("cs1:vs_tree_embedded",),
)
def impurity_importance(tree: Tree, p: int) -> np.ndarray:
    """Share of each of p columns in the total gain of the splits, shape (p,); zeros for a leaf."""
    inner = ~tree.is_leaf
    sums = np.bincount(tree.feature[inner], weights=np.maximum(tree.gain[inner], 0), minlength=p)
    return sums / (sums.sum() or 1.0)
