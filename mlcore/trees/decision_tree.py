"""Decision tree: classes by a few questions, each about one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.capabilities_of_sums import Sum, TreeTerm
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, part
from mlcore.trees.cart import TreeFit, TreeMethod, cost_of
from mlcore.trees.criteria import Criterion


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionTreeFit(TreeFit):
    """A tree whose leaves hold the weight of each class."""

    made_by: DecisionTree
    classes: np.ndarray  # (K,) sorted labels

    def predict(self, X: Any) -> np.ndarray:
        """The heaviest class of the leaf, shape (m,); on ties that of the node above."""
        return self.classes[self.tree.label[self.leaf_of(X)]]

    def probabilities(self, X: Any) -> np.ndarray:
        """Shares of the classes in the leaf, shape (m, K).

        Of equal shares that of the predicted class is larger by one rounding.
        """
        return self._shares()[self.leaf_of(X)]

    @property
    def as_sum(self) -> Sum:
        """Probabilities: the tree alone."""
        return Sum(trees=(TreeTerm(self.tree, self._shares()),))

    def _shares(self) -> np.ndarray:
        tree = self.tree
        counts = tree.values + (1.0 if self.made_by.leaf == "laplace" else 0.0)
        shares = counts / counts.sum(axis=1, keepdims=True)
        at = np.arange(len(tree)), tree.label
        is_level = (shares >= shares[at][:, None]).sum(axis=1) > 1
        shares[at] = np.where(is_level, np.nextafter(shares.max(axis=1), 2.0), shares[at])
        return shares


@enter(
    Card(
        "decision_tree",
        "Decision tree",
        ("classification",),
        paper="Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees",
        task="classification",
        peer="sklearn.tree.DecisionTreeClassifier",
        sources=(
            "prac:tree_build", "prac:tree_prune", "prac:tree_predict", "prac:tree_cost",
            "cs2:cart_classification", "cs2:decision_stump", "cs2:weighted_tree",
            "cs2:leaf_class_proportion", "cs2:tree_extras", "s841:decision_tree", "s841:cart",
        ),
        takes=("weights", "columns", "missing"),
        cost=cost_of,
        formula=r"\max_{j, c} \; |t| I(t) - |t_{x_j \le c}| I(t_{x_j \le c}) "
        r"- |t_{x_j > c}| I(t_{x_j > c})",
        synonyms=(
            "CART", "classification tree", "C4.5", "ID3", "DecisionTreeClassifier", "pruning",
        ),
        line="a few questions, each about one column",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class DecisionTree(TreeMethod):
    r"""Predicts a class by a few questions, each about one column.

    Of all leaves, columns and cuts c the split $x_j \le c$ that lowers the risk
    $\sum_t |t| I(t)$ most is made next, while any lowers it; a leaf predicts its commonest class.

    Use it where an answer must be explained, on columns of any kind: it needs no scaling, no codes
    and no imputation. O(p n log n) and a pass over the rows for each level. A grown tree repeats
    the noise, so limit the leaves or prune; another sample gives another tree; and slanted borders
    become stairs.
    """

    criterion: Criterion = part("gini", slot="impurity", doc="What a split must lower.")
    leaf: str = choice(
        "frequency",
        "frequency",
        "laplace",
        doc="Probabilities as the shares in a leaf, or with one more row of each class, so that "
        "a small leaf is never certain.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(leaf="frequency") or super().peer_settings()

    def _finished(self, given: Given, end: Step) -> DecisionTreeFit:
        return DecisionTreeFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            tree=end.state.tree,
            classes=given.labels,
        )
