"""Novelty detection against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn import datasets
from sklearn.ensemble import IsolationForest as ReferenceForest
from sklearn.neighbors import LocalOutlierFactor as ReferenceFactor
from sklearn.svm import OneClassSVM as ReferenceMachine

from mlcore.distances.metrics import Euclidean, Manhattan
from mlcore.ensembles.isolation.trees import IsolationTrees, mean_length, together
from mlcore.ensembles.isolation_forest import IsolationForest, scores
from mlcore.kernels.rbf import RBF
from mlcore.novelty.local_outlier_factor import LocalOutlierFactor
from mlcore.svm.one_class_svm import OneClassSVM
from mlcore.svm.smo import SMO
from tests.parity.test_svm import KERNELS, twice


def rows(name):
    """Standardised columns of a set."""
    X = {
        "wine": lambda: datasets.load_wine().data,
        "moons": lambda: datasets.make_moons(400, noise=0.1, random_state=0)[0],
        "diabetes": lambda: datasets.load_diabetes().data,
    }[name]()
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wine", "moons", "diabetes"])
def test_many_trees_rank_rows_as_theirs_do(name):
    X = rows(name)
    fit = IsolationForest(n_trees=2000).fit(X)
    peer = ReferenceForest(n_estimators=1000, random_state=0, contamination=0.05).fit(X)
    # Both draw lots: two forests of theirs agree no better.
    assert spearmanr(fit.usualness(X), peer.score_samples(X))[0] > 0.98
    assert fit.threshold == pytest.approx(peer.offset_, abs=0.01)


def test_their_trees_score_rows_as_ours_would():
    X = np.float32(rows("wine")).astype(float)  # they look at columns in single precision
    peer = ReferenceForest(n_estimators=30, random_state=1).fit(X)
    ours = together([taken(tree.tree_) for tree in peer.estimators_])
    size = np.array(peer.max_samples_)
    theirs = peer.score_samples(X)
    np.testing.assert_allclose(
        scores(ours.lengths(X) / 30, float(mean_length(size))), theirs, rtol=1e-12
    )


def taken(tree):
    """A tree of theirs in our arrays, whose two children stand side by side."""
    order, at = [0], 0
    place = {0: 0}
    while at < len(order):
        left, right = tree.children_left[order[at]], tree.children_right[order[at]]
        if left >= 0:
            place[left], place[right] = len(order), len(order) + 1
            order += [left, right]
        at += 1
    order, own = np.array(order), np.arange(len(order))
    depth = np.zeros(len(order))
    is_leaf = tree.children_left[order] < 0
    child = np.array([own[k] if leaf else place[tree.children_left[order[k]]]
                      for k, leaf in enumerate(is_leaf)])  # fmt: skip
    for k in own[~is_leaf]:
        depth[[child[k], child[k] + 1]] = depth[k] + 1
    length = depth + mean_length(tree.n_node_samples[order])
    cut = np.where(is_leaf, np.inf, tree.threshold[order])
    feature = np.where(is_leaf, 0, tree.feature[order])
    return IsolationTrees(
        int(depth.max()), feature[None].astype(np.int32), cut[None],
        child[None].astype(np.int32), length[None],
    )  # fmt: skip


@pytest.mark.parametrize("data", ["wine", "moons", "twice"])
# No share of a set is a whole number of rows: else none may be on the border, and rho is not
# one number.
@pytest.mark.parametrize("nu", [0.073, 0.513])
@pytest.mark.parametrize("name", ["rbf", "scale", "linear"])
def test_one_class_machines_decide_as_theirs(name, nu, data):
    X = twice()[0] if data == "twice" else rows(data)
    if name == "linear":
        X = (
            X + 6.0
        )  # rows about the origin cannot be parted from it, and many solutions are as good
    kernel, settings = KERNELS[name]
    fit = OneClassSVM(kernel=kernel, nu=nu).fit(X)
    peer = ReferenceMachine(nu=nu, tol=1e-7, **settings).fit(X)
    # Ours is exact; theirs keeps the kernel in single precision, whose rounding every multiplier
    # carries on.
    rounding = 1e-7 * np.abs(fit.duals).sum() * np.abs(kernel.resolve(X).diag(X)).max()
    decided = fit.usualness(X) - fit.rho
    np.testing.assert_allclose(decided, peer.decision_function(X), rtol=0, atol=1e-6 + rounding)


def test_one_class_machines_of_many_rows_and_weights_decide_as_theirs():
    X = np.random.default_rng(5).normal(size=(900, 3))
    w = np.random.default_rng(6).uniform(0.2, 2.0, size=900)
    ours = OneClassSVM(nu=0.2, kernel=RBF(gamma=0.3), tol=1e-7, solver=SMO(working_set=128))
    fit = ours.fit(X, weights=w)
    peer = ReferenceMachine(nu=0.2, gamma=0.3, tol=1e-7).fit(X, sample_weight=w)
    np.testing.assert_allclose(
        fit.usualness(X) - fit.rho, peer.decision_function(X), atol=1e-5 * fit.rho
    )


@pytest.mark.parametrize("data", ["wine", "moons", "diabetes"])
@pytest.mark.parametrize(
    ("k", "metric", "name"), [(5, Euclidean(), "euclidean"), (20, Manhattan(), "manhattan")]
)
def test_factors_are_theirs(k, metric, name, data):
    X = rows(data)
    first, new = X[:-30], X[-30:]
    fit = LocalOutlierFactor(n_neighbors=k, metric=metric).fit(first)
    peer = ReferenceFactor(n_neighbors=k, metric=name, contamination=0.05, novelty=True).fit(first)
    np.testing.assert_allclose(fit.own_usualness, peer.negative_outlier_factor_, rtol=1e-10)
    np.testing.assert_allclose(fit.usualness(new), peer.score_samples(new), rtol=1e-10)
    assert fit.threshold == pytest.approx(peer.offset_, rel=1e-10)
    np.testing.assert_array_equal(fit.predict(new), peer.predict(new))
