"""Regression tree: a quantity as a few constants, each for a box of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.capabilities_of_sums import Sum, TreeTerm
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import part
from mlcore.trees.cart import TreeFit, TreeMethod, cost_of
from mlcore.trees.criteria import Criterion


@dataclass(frozen=True, eq=False, kw_only=True)
class RegressionTreeFit(TreeFit):
    """A tree whose leaves hold the mean of their rows."""

    made_by: RegressionTree

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the leaf, in units of the target, shape (m,)."""
        return self.tree.values[self.leaf_of(X), 0]

    @property
    def as_sum(self) -> Sum:
        """The tree alone."""
        return Sum(trees=(TreeTerm(self.tree, self.tree.values),))


@enter(
    Card(
        "regression_tree",
        "Regression tree",
        ("regression",),
        paper="Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees",
        task="regression",
        peer="sklearn.tree.DecisionTreeRegressor",
        sources=(
            "cs2:cart_regression", "cs2:tree_leaf_mean", "cs2:impurity_variance",
            "s841:regression_tree",
        ),
        takes=("weights", "columns", "missing"),
        cost=cost_of,
        formula=r"\hat f(x) = \sum_t \bar y_t \, [x \in t]",
        synonyms=("CART", "decision tree", "DecisionTreeRegressor"),
        line="a few questions, then a mean",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class RegressionTree(TreeMethod):
    r"""Predicts the mean of the rows that answer a few questions alike.

    Of all leaves, columns and cuts the split that lowers the sum of squared distances to the mean
    of the own leaf most is made next; the prediction is constant in each box.

    Use it where effects jump or depend on each other, and where an answer must be explained. No
    scaling is needed. O(p n log n) and a pass over the rows for each level. It draws a slope as
    stairs, never predicts beyond the values it has seen, and repeats the noise when it is grown
    without limit.
    """

    criterion: Criterion = part(
        "squared", slot="impurity_of_numbers", doc="What a split must lower.", advanced=True
    )

    def _finished(self, given: Given, end: Step) -> RegressionTreeFit:
        return RegressionTreeFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            tree=end.state.tree,
        )
