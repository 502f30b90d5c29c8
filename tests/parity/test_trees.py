"""Trees, neighbours and naive Bayes against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.neighbours.knn import KNNClassifier, KNNRegression
from mlcore.neighbours.vote_weights import InverseDistance
from mlcore.spine.fit import Column
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.pruning import CostComplexity, cost_complexity_path
from mlcore.trees.regression_tree import RegressionTree

RNG = np.random.default_rng(3)
# Exact in single precision, which the peer works in; no two values of a column are equal.
X = RNG.permuted(np.tile(np.arange(400.0), (5, 1)), axis=1).T / 8
SIGNAL = X[:, 0] - X[:, 1] + 0.3 * X[:, 2] + RNG.normal(size=400)
CLASSES = np.digitize(SIGNAL, [-15, 15])
W = RNG.integers(1, 4, 400).astype(float)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("leaves", [4, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_decision_tree(criterion, leaves, weighted):
    w = W if weighted else None
    fit = DecisionTree(criterion=criterion, max_leaf_nodes=leaves).fit(X, CLASSES, weights=w)
    theirs = DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=leaves, random_state=0)
    theirs.fit(X, CLASSES, sample_weight=w)
    their = theirs.tree_
    is_leaf = their.children_left < 0
    unit = np.log(2) if criterion == "entropy" else 1.0  # the peer counts in bits
    risk = unit * (their.weighted_n_node_samples * their.impurity)[is_leaf].sum()
    # Weights are rescaled to their number, which the peer does not do.
    scale = 400 / W.sum() if weighted else 1.0
    assert fit.tree.total_risk == pytest.approx(scale * risk, rel=1e-9)
    if leaves == 4:  # in larger trees equal gains occur, for which the peer draws lots
        np.testing.assert_allclose(fit.probabilities(X), theirs.predict_proba(X), atol=1e-12)
        np.testing.assert_allclose(fit.importances, theirs.feature_importances_, atol=1e-9)


@pytest.mark.parametrize("leaves", [4, 32])
@pytest.mark.parametrize("weighted", [False, True])
def test_regression_tree(leaves, weighted):
    w = W if weighted else None
    fit = RegressionTree(max_leaf_nodes=leaves).fit(X, SIGNAL, weights=w)
    theirs = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
    theirs.fit(X, SIGNAL, sample_weight=w)
    np.testing.assert_allclose(fit.predict(X), theirs.predict(X), atol=1e-9)


def test_missing_values_in_a_tree():
    incomplete = X.copy()
    incomplete[RNG.random(X.shape) < 0.15] = np.nan
    fit = RegressionTree(max_leaf_nodes=12).fit(incomplete, SIGNAL)
    theirs = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(incomplete, SIGNAL)
    np.testing.assert_allclose(fit.predict(incomplete), theirs.predict(incomplete), atol=1e-9)


def test_cost_complexity():
    fit = RegressionTree(max_leaf_nodes=60).fit(X, SIGNAL)
    theirs = DecisionTreeRegressor(max_leaf_nodes=60, random_state=0)
    their_path = theirs.cost_complexity_pruning_path(X, SIGNAL)
    path = cost_complexity_path(fit.tree)
    # The peer lists a price once where several links have it; here none are equal.
    np.testing.assert_allclose(path.alphas, their_path.ccp_alphas[1:], rtol=1e-8)
    np.testing.assert_allclose(path.risks, their_path.impurities, rtol=1e-8)
    alpha = float(np.median(path.alphas))
    pruned = RegressionTree(max_leaf_nodes=60, pruning=CostComplexity(alpha=alpha)).fit(X, SIGNAL)
    theirs.set_params(ccp_alpha=alpha).fit(X, SIGNAL)
    np.testing.assert_allclose(pruned.predict(X), theirs.predict(X), atol=1e-9)


METRICS = {
    "euclidean": {}, "manhattan": {"metric": "manhattan"}, "chebyshev": {"metric": "chebyshev"},
    "minkowski": {"metric": "minkowski", "p": 3},
}  # fmt: skip
NEW = RNG.normal(size=(120, 6))
STORED = RNG.normal(size=(700, 6))
STORED_Y = (STORED[:, 0] * STORED[:, 1] > 0).astype(int) + (STORED[:, 2] > 1)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("search", ["auto", "tree", "brute"])
def test_nearest_neighbours(metric, search):
    fit = KNNClassifier(n_neighbors=7, metric=metric, search=search).fit(STORED, STORED_Y)
    theirs = KNeighborsClassifier(7, **METRICS[metric]).fit(STORED, STORED_Y)
    far, rows = theirs.kneighbors(NEW)
    np.testing.assert_array_equal(fit.neighbours(NEW).rows, rows)
    np.testing.assert_allclose(fit.neighbours(NEW).distances, far, rtol=1e-12)
    np.testing.assert_allclose(fit.probabilities(NEW), theirs.predict_proba(NEW), atol=1e-15)


def test_nearest_neighbours_by_distance():
    ours = KNNRegression(n_neighbors=5, weights=InverseDistance(power=1.0)).fit(
        STORED, STORED[:, 0]
    )
    theirs = KNeighborsRegressor(5, weights="distance").fit(STORED, STORED[:, 0])
    np.testing.assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-12)
    np.testing.assert_allclose(ours.predict(STORED), STORED[:, 0])


@pytest.mark.parametrize("weighted", [False, True])
def test_naive_bayes_of_numbers(weighted):
    w = W if weighted else None
    fit = NaiveBayes().fit(X, CLASSES, weights=w)
    theirs = GaussianNB().fit(X, CLASSES, sample_weight=w)
    # Closed forms on both sides.
    np.testing.assert_allclose(fit.probabilities(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(fit.distributions.means, theirs.theta_, rtol=1e-12)


def test_naive_bayes_of_names():
    codes = RNG.integers(0, 4, size=(200, 3)).astype(float)
    y = RNG.integers(0, 3, 200)
    columns = tuple(Column(f"c{j}", "nominal", tuple("abcd")) for j in range(3))
    fit = NaiveBayes(smoothing=0.7).fit(codes, y, columns=columns)
    theirs = CategoricalNB(alpha=0.7).fit(codes, y)
    np.testing.assert_allclose(fit.probabilities(codes), theirs.predict_proba(codes), atol=1e-12)
