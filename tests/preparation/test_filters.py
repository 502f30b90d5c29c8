"""Filters of variables: published numbers, the reference, blocks, and odd rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import feature_selection
from sklearn.datasets import load_diabetes, load_iris, load_wine

from mlcore.errors import DataError
from mlcore.fit import Column
from mlcore.preparation.selection.filters import UnivariateFilter, VarianceThreshold
from mlcore.preparation.selection.relevance import FisherScore


def table(load: Any) -> tuple[np.ndarray, np.ndarray]:
    X, y = load(return_X_y=True)
    return np.asarray(X), np.asarray(y)


def relevance(kind: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return UnivariateFilter(relevance=kind).fit(X, y).relevance


def test_the_published_scores_of_iris():
    X, y = table(load_iris)
    fisher = relevance("fisher_score", X, y)
    np.testing.assert_allclose(fisher, [1.622646, 0.668844, 16.056615, 13.061322], atol=5e-7)
    F = relevance("f_ratio", X, y)
    np.testing.assert_allclose(F, [119.2645, 49.1600, 1180.1612, 960.0071], atol=5e-5)
    np.testing.assert_allclose(F, fisher * 147 / 2, rtol=1e-12)


def test_classes_may_count_alike():
    X, y = table(load_iris)
    kept = np.r_[50:100, 100:125]  # classes of 50 and 25 rows
    by_rows = relevance(FisherScore(), X[kept], y[kept])
    alike = relevance(FisherScore(weighting="classes"), X[kept], y[kept])
    assert not np.allclose(by_rows, alike)
    means = np.array([X[kept][y[kept] == k].mean(axis=0) for k in (1, 2)])
    spreads = np.array([X[kept][y[kept] == k].var(axis=0) for k in (1, 2)])
    wanted = ((means - X[kept].mean(axis=0)) ** 2).mean(axis=0) / spreads.mean(axis=0)
    np.testing.assert_allclose(alike, wanted, rtol=1e-12)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_f_ratio_of_classes_is_that_of_the_reference(load):
    X, y = table(load)
    np.testing.assert_allclose(
        relevance("f_ratio", X, y), feature_selection.f_classif(X, y)[0], rtol=1e-10
    )


def test_quantities_are_ranked_as_by_the_reference():
    X, y = table(load_diabetes)
    np.testing.assert_allclose(
        relevance("f_ratio", X, y), feature_selection.f_regression(X, y)[0], rtol=1e-9
    )
    r = np.abs([np.corrcoef(x, y)[0, 1] for x in X.T])
    np.testing.assert_allclose(relevance("correlation", X, y), r, rtol=1e-10)
    for kind in ("correlation", "f_ratio"):
        ours = UnivariateFilter(relevance=kind, n_features=4).fit(X, y)
        theirs = feature_selection.SelectKBest(feature_selection.f_regression, k=4).fit(X, y)
        np.testing.assert_array_equal(ours.chosen, theirs.get_support())
        np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


@pytest.mark.parametrize("threshold", [0.0, 0.3, 2.0])
def test_the_variance_threshold_is_that_of_the_reference(threshold):
    X, _ = table(load_wine)
    X = np.column_stack([X, np.full(len(X), 0.1)])
    ours = VarianceThreshold(threshold=threshold).fit(X)
    theirs = feature_selection.VarianceThreshold(threshold).fit(X)
    np.testing.assert_array_equal(ours.chosen, theirs.get_support())


def test_a_limit_keeps_fewer_but_at_least_one():
    X, y = table(load_iris)
    assert UnivariateFilter(threshold=0.5).fit(X, y).chosen.sum() < 4
    top = UnivariateFilter(threshold=1.0).fit(X, y)
    assert top.chosen.sum() == 1
    assert top.relevance.argmax() == top.chosen.argmax()


def test_a_block_stays_whole_and_ties_go_to_the_first():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 90)
    X = np.column_stack([rng.normal(size=(90, 2)), level[:, None] == np.arange(3)]).astype(float)
    columns = (Column("a"), Column("b"), *(Column(f"c={k}", source="c") for k in range(3)))
    for kind in ("correlation", "f_ratio", "fisher_score"):
        fit = UnivariateFilter(relevance=kind, n_features=1).fit(X, level, columns=columns)
        assert [c.variable for c in fit.out_columns] == ["c"] * 3
    twice = np.repeat(X[:, :1], 3, axis=1)
    assert UnivariateFilter(n_features=1).fit(twice, level).kept.tolist() == [0]


def test_what_cannot_be_filtered_is_a_sentence():
    X, y = table(load_diabetes)
    with pytest.raises(DataError, match="compares classes"):
        UnivariateFilter(relevance="fisher_score").fit(X, y)
    with pytest.raises(DataError, match="No variable has a variance above 0"):
        VarianceThreshold().fit(np.full((5, 2), 0.1))
    names = (Column("a", "nominal", ("x", "y")),)
    for step in (VarianceThreshold(), UnivariateFilter()):
        with pytest.raises(DataError, match="Put one-hot encoding"):
            step.fit([[0.0], [1.0]], [0, 1], columns=names)


def test_constant_and_perfect_columns_are_ranked_last_and_first():
    y = np.arange(20) % 2
    X = np.column_stack([np.ones(20), np.random.default_rng(1).normal(size=20), y])
    for kind in ("correlation", "f_ratio", "fisher_score"):
        found = relevance(kind, X, y)
        assert found[0] == 0
        assert found.argmax() == 2
