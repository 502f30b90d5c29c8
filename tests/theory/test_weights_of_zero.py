"""A row of weight 0 is as if it were not there, also where it would be first or last."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.maths.arrays import weighted_median
from mlcore.optimisation.rows import means
from mlcore.regression.constant import weighted_quantile
from mlcore.regression.linear_regression import LinearRegression
from mlcore.spine.errors import DataError
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.regression_tree import RegressionTree

LINE = np.arange(5.0)[:, None]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "gain_ratio"])
def test_a_tree_of_classes_makes_no_side_of_them_alone(criterion):
    fit = DecisionTree(criterion=criterion).fit(LINE, [1, 0, 1, 1, 0], weights=[0, 1, 1, 1, 0])
    np.testing.assert_array_equal(fit.tree.cut[~fit.tree.is_leaf], [1.5])
    assert (fit.tree.weight > 0).all()


def test_a_tree_of_quantities_makes_no_side_of_them_alone():
    fit = RegressionTree().fit(LINE, [9.0, 0, 1, 1, 9], weights=[0, 1, 1, 1, 0])
    np.testing.assert_array_equal(fit.tree.cut[~fit.tree.is_leaf], [1.5])
    assert (fit.tree.weight > 0).all()


@pytest.mark.parametrize("tree", [DecisionTree, RegressionTree])
def test_a_weight_that_vanishes_in_the_sum_makes_no_side_of_a_tree_alone(tree):
    x = np.array([[0.0], [3], [1], [2], [4]])
    for weights in ([1, 1, 1, 1, 1e-20], [0.3, 0.1, 0.7, 0.2, 1e-20], [0.1, 0.2, 0.3, 0.4, 1e-20]):
        fit = tree().fit(x, [0, 1, 0, 1, 0], weights=weights)
        np.testing.assert_array_equal(fit.tree.cut[~fit.tree.is_leaf], [1.5])


def test_a_column_that_is_constant_in_the_others_has_their_value_as_mean():
    X, w = np.array([[7.0], [0.1], [0.1], [0.1]]), np.array([0.0, 1, 1, 1])
    assert np.full(3, 0.1).sum() / 3 != 0.1  # what a mean would be
    assert means(X, w)[0] == 0.1


def test_a_coefficient_does_not_see_them():
    X, y = np.array([[9.0, 1], [5, 2], [5, 3], [5, 5]]), np.array([50.0, 1, 2, 4])
    fit = LinearRegression().fit(X, y, weights=[0, 1, 1, 1])
    np.testing.assert_allclose(fit.coefficients, [0, 1], atol=1e-12)
    np.testing.assert_allclose(fit.predict(X[1:]), y[1:], atol=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_they_are_no_quantile(share):
    y, w = np.array([-99.0, 1, 2, 3, 99]), np.array([0.0, 1, 1, 1, 0])
    assert weighted_quantile(y, w, share) == weighted_quantile(y[1:4], w[1:4], share)


def test_they_are_no_median():
    X, w = np.array([[-9.0], [0], [5], [10], [99]]), np.array([0.0, 1, 0, 1, 0])
    np.testing.assert_array_equal(weighted_median(X, w), [5])
    np.testing.assert_array_equal(weighted_median(X[:3], w[:3]), [0])


def test_they_move_no_center():
    X, w = np.array([[0.0], [2], [4], [90], [94], [99]]), np.array([1.0, 1, 0, 1, 1, 0])
    fit = KMeans(n_clusters=2, center="median").fit(X, weights=w)
    np.testing.assert_array_equal(np.sort(fit.centers[:, 0]), [1, 92])


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_weights_whose_squares_are_no_numbers_are_refused(unit):
    with pytest.raises(DataError, match="Divide all weights by it"):
        LinearRegression().fit(LINE, LINE[:, 0], weights=np.full(5, unit))
    LinearRegression().fit(LINE, LINE[:, 0], weights=np.array([1.0, 1, 1, 1, 1e-200]))
