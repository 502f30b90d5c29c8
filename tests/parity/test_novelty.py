"""Novelty detection against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn import datasets
from sklearn.ensemble import IsolationForest as ReferenceForest

from mlcore.ensembles.isolation.trees import IsolationTrees, mean_length, together
from mlcore.ensembles.isolation_forest import IsolationForest, scores


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
