"""The picture of the pruning path against the subtrees of a peer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from figures.views.trees import pruning_path
from mlcore.spine.errors import DataError
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.pruning import CostComplexity
from mlcore.trees.regression_tree import RegressionTree

IRIS: Any = load_iris()
DIABETES: Any = load_diabetes()


def test_prices_and_impurities_are_those_of_scikit_learn():
    fit = DecisionTree(max_leaf_nodes=0).fit(IRIS.data, IRIS.target)
    p = pruning_path.numbers(fit)
    peer = DecisionTreeClassifier(random_state=0)
    path = peer.cost_complexity_pruning_path(IRIS.data, IRIS.target)
    # Ties between splits are broken otherwise there: the large prices are of the same subtrees.
    np.testing.assert_allclose(p.prices[-3:], path.ccp_alphas[-3:], rtol=1e-9)
    np.testing.assert_allclose(p.risks[-3:], path.impurities[-3:], rtol=1e-9)


def test_of_a_quantity_it_is_the_variance_within_leaves():
    X, y = DIABETES.data[:, 2:3], DIABETES.target
    p = pruning_path.numbers(RegressionTree(max_leaf_nodes=8).fit(X, y))
    peer = DecisionTreeRegressor(max_leaf_nodes=8).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(p.prices, peer.ccp_alphas, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(p.risks, peer.impurities, rtol=1e-9)
    assert p.leaves[0] == 8 and p.leaves[-1] == 1
    assert pruning_path.reading(p).startswith(
        "Without a price the tree has 8 leaves and a variance"
    )


def test_each_tree_is_what_pruning_at_its_price_leaves():
    p = pruning_path.numbers(DecisionTree().fit(IRIS.data, IRIS.target))
    for k, price in enumerate(p.prices):
        alpha = price + 1e-9
        pruned = DecisionTree(pruning=CostComplexity(alpha=alpha)).fit(IRIS.data, IRIS.target)
        assert pruned.tree.n_leaves == p.leaves[k]
    stairs = pruning_path.draw(p).data[0]
    assert list(stairs.y) == [*p.leaves, 1]


def test_a_single_leaf_is_a_sentence():
    fit = DecisionTree(min_samples_leaf=100).fit(IRIS.data, IRIS.target)
    with pytest.raises(DataError, match="single leaf"):
        pruning_path.numbers(fit)
