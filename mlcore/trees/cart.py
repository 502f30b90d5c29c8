"""What trees of classes and of quantities share: settings, growing, pruning, steps, the fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, part, real
from mlcore.spine.wording import count
from mlcore.trees.criteria import Criterion
from mlcore.trees.growth import Growing, Limits, Planted, Rows, rescaled
from mlcore.trees.pruning import Collapse, Pruning
from mlcore.trees.questions import question
from mlcore.trees.settings import (
    max_depth_of,
    max_leaf_nodes_of,
    min_samples_leaf_of,
    too_few_leaves,
)
from mlcore.trees.tree import Tree, codes_checked, impurity_importance

MOST_SINGLE = 100  # leaves, or collapses, up to which a step is a single one; then a hundredth


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeState:
    """The tree after a split or a collapse."""

    tree: Tree


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeFit(Fit):
    """A grown and pruned tree."""

    made_by: TreeMethod
    tree: Tree

    @property
    def importances(self) -> np.ndarray:
        """Share of each column in what the splits gain, shape (p,); zeros for a single leaf."""
        return impurity_importance(self.tree, self.n_columns)

    def holds_together(self) -> bool:
        """Whether every walk from the root ends in a leaf, and asks about columns that exist."""
        return self.tree.is_walkable(self.columns)

    def leaf_of(self, X: Any) -> np.ndarray:
        """The number of the leaf in which each row ends, shape (m,)."""
        X = self._rows(X)
        self.made_by.checked(X, self.columns)
        return self.tree.leaf_of(X)


def cost_of(n: int, p: int, method: TreeMethod) -> tuple[float, float]:
    """Seconds and bytes: sorting once, then a pass over the rows a level."""
    levels = min(method.max_depth or 60, method.max_leaf_nodes or 60, 2 * np.log2(n + 1) + 2)
    folds = 1 + getattr(method.pruning, "folds", 0)
    return folds * (1e-3 + n * p * (1e-7 + 6e-9 * levels)), 28.0 * n * (p + 4)


@dataclass(frozen=True, kw_only=True)
class TreeMethod(IterativeMethod):
    """A tree that is grown best first and then pruned."""

    peer_differs = "Of splits that gain the same, theirs takes one at random and ours the first."
    sums_trees: ClassVar[bool] = True

    if TYPE_CHECKING:
        criterion: Criterion  # each declares its own, of another slot

    max_leaf_nodes: int = max_leaf_nodes_of(16, soft=(2, 64))
    max_depth: int = max_depth_of(0)
    min_samples_split: int = integer(
        2,
        low=2,
        soft=(2, 100),
        symbol="l",
        label="Minimum rows to split",
        doc="A node with fewer rows is not split.",
        advanced=True,
    )
    min_samples_leaf: int = min_samples_leaf_of(1)
    min_gain: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 5.0),
        label="Minimum gain",
        doc="A split must lower the risk (weight times impurity) by more than this.",
        advanced=True,
    )
    zero_gain_splits: bool = flag(
        False,
        label="Splits without gain",
        doc="Split also where nothing is gained, in the hope that a later split gains.",
        advanced=True,
    )
    pruning: Pruning = part("none", slot="pruning", doc="What is collapsed once it is grown.")
    categories: str = choice(
        "ordered",
        "ordered",
        "one_hot",
        doc="How names are parted: in the order of their mean response, where there are two "
        "classes or a quantity, or one level against the rest.",
        advanced=True,
    )
    missing: str = choice(
        "learned_side",
        "learned_side",
        "refuse",
        doc="Missing values go to the side that gains more, or are refused.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(
            criterion=("gini", "entropy", "squared"),
            pruning=("none", "cost_complexity"),
            min_gain=0.0,
        ):
            return missing
        names = {"squared": "squared_error"}
        criterion = self.criterion.card.name
        return {
            "criterion": names.get(criterion, criterion),
            "max_leaf_nodes": self.max_leaf_nodes or None,
            "max_depth": self.max_depth or None,
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "ccp_alpha": getattr(self.pruning, "alpha", 0.0),
        }

    def conflict(self) -> str | None:
        """Refuse a single leaf."""
        return too_few_leaves(self.title(), self.max_leaf_nodes)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse missing values where the setting says so."""
        if self.missing == "refuse" and np.isnan(X).any():
            return (
                f"{self.title()} is set to refuse missing values, and there are some. Set missing "
                "to learned_side, or add an imputation step."
            )
        return None

    def checked(self, X: np.ndarray, columns: tuple) -> None:
        """Raises DataError if rows X, shape (m, p), have missing values or codes not allowed."""
        if reason := self.applies(X):
            raise DataError(reason)
        codes_checked(X, columns, self.title())

    def growing(self, given: Given, sorted_rows: Rows | None = None) -> Growing:
        """A tree that begins to grow on the rows that have weight."""
        here = given.w > 0
        out = self.pruning.held_out(given)
        if out is not None:
            here &= ~out
        X, target, w = given.X, given.target, given.w
        if sorted_rows is not None:
            w = np.where(here, w, 0.0)  # rows that are sorted already stay where they are
        elif not here.all():
            X, target, w = X[here], target[here], w[here]
        K = 0 if given.classes is None else len(given.classes)
        rows = sorted_rows or Rows(X, given.columns)
        some = Planted(rows, target, rescaled(w), K, self._criterion(), self._limits())
        return Growing(rows, some)

    def _criterion(self) -> int:
        return self.criterion.code

    def _limits(self) -> Limits:
        return Limits(
            max_leaf_nodes=self.max_leaf_nodes,
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            min_gain=self.min_gain,
            zero_gain_splits=self.zero_gain_splits,
            ordered=self.categories == "ordered",
        )

    def _steps(self, given: Given) -> Iterator[Step]:
        codes_checked(given.X, given.columns, self.title())
        return self._played(given, self.growing(given))

    def _played(self, given: Given, grown: Growing) -> Iterator[Step]:
        """The root, a split a step, then a collapse a step; known one step ahead of the end."""
        tree, note, k = grown.tree(), _root_note(grown.tree()), 0
        while not grown.is_done:
            yield Step(k, tree.total_risk, TreeState(tree=tree), note=note)
            k += grown.grow(max(grown.n_leaves // MOST_SINGLE, 1))
            tree = grown.tree()
            note = _split_note(tree, grown.newest, given)
        start = k
        for smaller, gone, reason in self._pruned(given, tree):
            yield Step(k, tree.total_risk, TreeState(tree=tree), note=note)
            tree, note, k = smaller, reason, start + gone
        yield Step(k, tree.total_risk, TreeState(tree=tree), self._stop(grown, tree), note)

    def _pruned(self, given: Given, tree: Tree) -> Iterator[tuple[Tree, int, str]]:
        """The tree after collapses, how many there were, and what was collapsed last."""
        collapses = self._collapses(given, tree)
        stride = max(len(collapses) // MOST_SINGLE, 1)
        for k, (node, why) in enumerate(collapses, 1):
            if k % stride == 0 or k == len(collapses):
                gone = [collapse.node for collapse in collapses[:k]]
                asked = question(tree, given.columns, node)
                yield tree.collapsed(gone), k, f"Collapsed the question whether {asked}, {why}."

    def _collapses(self, given: Given, tree: Tree) -> list[Collapse]:
        return self.pruning.collapses(self, given, tree)

    def _end(self, given: Given) -> Step:
        """The last step at once, without a copy of the tree after each split."""
        codes_checked(given.X, given.columns, self.title())
        return self._grown_out(given, self.growing(given))

    def fit_sorted(self, given: Given, rows: Rows) -> Fit:
        """As `fit`, for who fits many trees to the same checked rows and sorts them once."""
        return self._finished(given, self._grown_out(given, self.growing(given, rows)))

    def _grown_out(self, given: Given, grown: Growing) -> Step:
        splits = grown.grow()
        tree = grown.tree()
        gone = [node for node, _ in self._collapses(given, tree)]
        tree = tree.collapsed(gone) if gone else tree
        k, state = splits + len(gone), TreeState(tree=tree)
        return Step(k, tree.total_risk, state, self._stop(grown, tree))

    def _stop(self, grown: Growing, tree: Tree) -> Stop:
        if self.max_leaf_nodes and grown.n_leaves >= self.max_leaf_nodes:
            why = f"Stopped at {grown.n_leaves} leaves, the most that are allowed."
        else:
            leaves = count(grown.n_leaves, "leaf", "leaves")
            why = f"No split of the {leaves} gains more, or the limits forbid it."
        if tree.n_leaves < grown.n_leaves:
            why += f" Pruning kept {tree.n_leaves}."
        return Stop("converged", why)


def _root_note(tree: Tree) -> str:
    return f"All {tree.rows[0]} rows stand in one leaf, with a risk of {tree.risk[0]:.4g}."


def _split_note(tree: Tree, node: int, given: Given) -> str:
    left, right = tree.rows[tree.left[node]], tree.rows[tree.right[node]]
    return (
        f"Asked whether {question(tree, given.columns, node)}: of {tree.rows[node]} rows {left} "
        f"go left and {right} right, which lowers the risk by {tree.gain[node]:.4g}."
    )
