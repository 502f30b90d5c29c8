"""Where the nodes of a tree stand in a picture, and what is written at them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses, Inverts, Transforms
from mlcore.spine.capabilities_of_members import HasTree
from mlcore.spine.fit import Column
from mlcore.trees.questions import question

MOST_LEAVES = 16  # of a picture; nodes that were split later are left out


class TreePicture(NamedTuple):
    """The nodes that are drawn, each as the tree has it."""

    node: np.ndarray  # (s,) numbers in the tree, the root first
    x: np.ndarray  # (s,) leaves at 0, 1, 2 ...; others above the middle of their two
    depth: np.ndarray  # (s,)
    parent: np.ndarray  # (s,) position among these nodes, -1 for the root
    questions: tuple[str, ...]  # (s,) "" for a leaf
    is_cut: np.ndarray  # (s,) whether the tree goes on below
    rows: np.ndarray  # (s,)
    risk: np.ndarray  # (s,)
    gain: np.ndarray  # (s,)
    shares: np.ndarray  # (s, K) of the classes; (s, 0) for a quantity
    label: np.ndarray  # (s,) code of the class
    mean: np.ndarray  # (s,) of the target; NaN for classes
    classes: tuple[str, ...]  # (K,)
    target: str
    n_leaves: int  # of the whole tree
    n_depth: int  # questions in a row, of the whole tree

    @property
    def is_leaf(self) -> np.ndarray:
        """Which drawn nodes have none below them, shape (s,)."""
        return np.array([not asked for asked in self.questions]) | self.is_cut

    @property
    def leaves(self) -> int:
        """How many leaves are drawn."""
        return int(self.is_leaf.sum())

    def answer(self, s: int) -> str:
        """The class that a drawn node predicts."""
        return self.classes[self.label[s]]


def tree_picture(
    fit: Any, dataset: Dataset, whole: Whole | None = None, member: int = 1
) -> TreePicture:
    """The first nodes of the tree of a fit, or of one of its trees: those whose splits gained most.

    With the whole fit, questions are in the units that the columns had before they were scaled.
    """
    tree = fit.tree if can(fit, HasTree) else fit.member_tree(member)
    cuts, columns = (tree.cut, fit.columns) if whole is None else _unscaled(tree, whole)
    shown = np.arange(min(len(tree), 2 * MOST_LEAVES - 1))
    goes_on = tree.left[shown] >= 0
    is_cut = goes_on & (tree.left[shown] >= len(shown))
    names, labels, shares, mean = _answers(fit, tree, dataset, shown)
    return TreePicture(
        node=shown,
        x=_places(tree, len(shown)),
        depth=tree.depth[shown],
        parent=tree.parents()[shown],
        questions=tuple(
            question(
                tree, columns, t, cut, is_date=_is_date(dataset, columns[tree.feature[t]], cut)
            )
            if tree.left[t] >= 0
            else ""
            for t, cut in zip(shown.tolist(), cuts[shown].tolist(), strict=True)
        ),
        is_cut=is_cut,
        rows=tree.rows[shown],
        risk=tree.risk[shown],
        gain=tree.gain[shown],
        shares=shares,
        label=labels,
        mean=mean,
        classes=names,
        target=dataset.target or "target",
        n_leaves=tree.n_leaves,
        n_depth=int(tree.depth.max()),
    )


def _unscaled(tree: Any, whole: Whole) -> tuple[np.ndarray, tuple[Column, ...]]:
    """Cuts of all nodes before the last steps that only scaled, and the columns there."""
    columns = whole.prepared.columns
    asked = np.flatnonzero((tree.left >= 0) & np.isfinite(tree.cut))
    Z = np.tile(whole.prepared.X.mean(axis=0), (len(asked), 1))
    at = np.arange(len(asked)), tree.feature[asked]
    Z[at] = tree.cut[asked]
    for step in reversed(whole.prepared.fits):
        goes_back = all(isinstance(step, able) for able in (Inverts, Transforms))
        if not goes_back or [c.name for c in step.columns] != [c.name for c in step.out_columns]:
            break
        Z, columns = step.inverse_transform(Z), step.columns
    cuts = tree.cut.copy()
    cuts[asked] = Z[at]
    return cuts, columns


def _is_date(dataset: Dataset, column: Column, cut: float) -> bool:
    """Whether a cut is a day of a column of dates, and not one of its scaled values."""
    at = [j for j, own in enumerate(dataset.columns) if own.name == column.variable]
    if column.kind != "datetime" or not at:
        return False
    days = dataset.X[:, at[0]]
    return bool(np.nanmin(days) <= cut <= np.nanmax(days))


def _answers(fit: Any, tree: Any, dataset: Dataset, shown: np.ndarray) -> tuple:
    """Names of the classes, codes, shares and means of the shown nodes."""
    values = tree.values[shown]
    if not can(fit, HasClasses):
        return (), tree.label[shown], np.empty((len(shown), 0)), values[:, 0]
    names = tuple(dataset.classes[int(code)] for code in fit.classes)
    shares = values / values.sum(axis=1, keepdims=True)
    return names, tree.label[shown], shares, np.full(len(shown), np.nan)


def _places(tree: Any, shown: int) -> np.ndarray:
    """Leaves side by side from left to right; every other node above the middle of its two."""
    x = np.empty(shown)
    n_leaves, stack = 0, [0]
    while stack:
        t = stack.pop()
        if 0 <= tree.left[t] < shown:
            stack += [int(tree.left[t]) + 1, int(tree.left[t])]
        else:
            x[t] = n_leaves
            n_leaves += 1
    for t in range(shown - 1, -1, -1):
        if 0 <= tree.left[t] < shown:
            x[t] = (x[tree.left[t]] + x[tree.left[t] + 1]) / 2
    return x
