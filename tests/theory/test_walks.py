"""Rows sent down many trees together end where each would by itself."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.ensembles.boosted import Boosted
from mlcore.ensembles.extra_trees import ExtraTreesRegression
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression
from mlcore.ensembles.walks import packed

RNG = np.random.default_rng(3)


def with_holes(X: np.ndarray) -> np.ndarray:
    """The same rows, a tenth of whose values are missing."""
    return np.where(RNG.random(X.shape) < 0.1, np.nan, X)


def as_they_are(X: np.ndarray) -> np.ndarray:
    """The same rows."""
    return X


def leaf(trees: Boosted, node: int, x: np.ndarray) -> int:
    """Where one row ends."""
    while trees.left[node] >= 0:
        value = x[trees.feature[node]]
        goes = trees.missing_left[node] if np.isnan(value) else value <= trees.cut[node]
        node = trees.left[node] + (not goes)
    return node


@pytest.mark.parametrize("learned", [as_they_are, with_holes])
@pytest.mark.parametrize("new", [as_they_are, with_holes])
def test_of_more_columns_than_the_fast_memory_holds_of_many_rows(learned, new):
    X, y = learned(RNG.normal(size=(60, 400))), RNG.normal(size=60)
    fit = ExtraTreesRegression(n_estimators=30, min_samples_leaf=1).fit(X, y)
    asked = np.unique(np.concatenate([tree.feature[~tree.is_leaf] for tree in fit.trees]))
    assert len(asked) > 200  # a block of 1024 rows has no room
    rows = new(RNG.normal(size=(1100, 400)))
    alone = [tree.values[tree.leaf_of(rows)] for tree in fit.trees]
    mean = sum(alone, start=np.zeros((1100, 1))) / 30
    for m in (1, 15, 16, 17, 1100):
        np.testing.assert_array_equal(fit._mean(rows[:m]), mean[:m])


@pytest.mark.parametrize("learned", [as_they_are, with_holes])
@pytest.mark.parametrize("new", [as_they_are, with_holes])
def test_trees_of_boosting_too(learned, new):
    X = learned(RNG.normal(size=(200, 4)))
    fit = GradientBoostingRegression(n_estimators=5, max_leaf_nodes=8, min_samples_leaf=5).fit(
        X, np.nansum(X, axis=1)
    )
    rows, trees = new(RNG.normal(size=(50, 4))), fit.trees
    scores = np.zeros((1, 50))
    trees.added_to(scores, rows, len(trees), packed([trees], rows))
    alone = [sum(trees.value[leaf(trees, root, x)] for root in trees.roots[:, 0]) for x in rows]
    np.testing.assert_array_equal(scores[0], alone)


def test_a_tree_without_a_question_says_the_same_of_all_rows():
    fit = ExtraTreesRegression(n_estimators=2).fit(np.ones((5, 2)), np.arange(5.0))
    np.testing.assert_array_equal(fit.predict(with_holes(np.ones((40, 2)))), 2.0)
