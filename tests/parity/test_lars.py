"""Least angle regression against scikit-learn, the lasso, and its own definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import linear_model as peer
from sklearn.datasets import load_diabetes

from mlcore.regression.elastic_net import ElasticNet
from mlcore.regression.lars import Lars
from mlcore.spine.iterate import record


def mixed(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns, so that coefficients cross zero on the way."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    return X, X[:, 0] + rng.normal(size=n)


TABLES = {"diabetes": load_diabetes(return_X_y=True), "mixed": mixed(40, 30), "wide": mixed(20, 50)}


@pytest.mark.parametrize("name", TABLES)
def test_the_lasso_path_is_that_of_the_reference(name):
    X, y = TABLES[name]
    path = Lars().path(X, y)
    alphas, _, W = peer.lars_path(X - X.mean(axis=0), y - y.mean(), method="lasso")
    np.testing.assert_allclose(path.alphas, alphas, atol=1e-12 * alphas[0])
    # Columns that are nearly sums of others cost digits on both sides.
    np.testing.assert_allclose(path.coefficients, W.T, atol=1e-8 * np.abs(W).max())


@pytest.mark.parametrize("method", ["lasso", "lar"])
def test_the_wanted_number_of_columns_is_let_in(method):
    X, y = TABLES["diabetes"]
    ours = Lars(method=method, n_nonzero=4).fit(X, y)
    make: Any = peer.Lars if method == "lar" else peer.LassoLars
    theirs = make(n_nonzero_coefs=4) if method == "lar" else make(alpha=0.0, max_iter=4)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.coefficients, theirs.coef_, atol=1e-9)
    np.testing.assert_allclose(ours.intercept, theirs.intercept_, atol=1e-9)
    assert np.count_nonzero(ours.coefficients) == 4


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("method", ["lasso", "lar"])
def test_columns_that_are_in_go_equally_well_with_what_is_left(name, method):
    X, y = TABLES[name]
    about = X - X.mean(axis=0)
    path = Lars(method=method).path(X, y)
    for alpha, w, b in zip(path.alphas, path.coefficients, path.intercepts, strict=True):
        level = np.abs(about.T @ (y - X @ w - b)) / len(X)
        assert level.max() <= alpha + 1e-9 * path.alphas[0]
        np.testing.assert_allclose(level[w != 0], alpha, atol=1e-9 * path.alphas[0])


def test_between_two_knots_lies_the_lasso():
    X, y = mixed(60, 8, seed=2)
    path = Lars().path(X, y)
    k = len(path.alphas) // 2
    alpha = path.alphas[k : k + 2].mean()
    w = path.coefficients[k : k + 2].mean(axis=0)
    lasso = ElasticNet(alpha=float(alpha), tol=1e-14, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(lasso.coefficients, w, atol=1e-6 * np.abs(w).max())


def test_the_end_is_least_squares_and_every_column_is_named_as_it_comes():
    X, y = TABLES["diabetes"]
    steps = record(Lars(method="lar").steps(X, y))
    np.testing.assert_allclose(
        steps[-1].state.coefficients, peer.LinearRegression().fit(X, y).coef_, rtol=1e-8
    )
    assert len(steps) == 11
    assert steps[0].note.startswith("x3 comes in next")  # the body mass index
    assert np.diff([step.objective for step in steps]).max() < 0


def test_weights_are_repeated_rows():
    X, y = mixed(30, 6)
    w = np.random.default_rng(0).integers(1, 4, 30)
    weighted = Lars().path(X, y, weights=w)
    repeated = Lars().path(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.alphas, repeated.alphas, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, atol=1e-9)


def test_copies_and_sums_of_columns_stay_out():
    X, y = mixed(40, 4)
    more = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2], np.ones(40)])
    fit, plain = Lars().fit(more, y), Lars().fit(X, y)
    np.testing.assert_allclose(fit.predict(more), plain.predict(X), atol=1e-8)
    assert np.count_nonzero(fit.coefficients) == 4
    assert fit.notes == ("Constant column x7: coefficient 0.",)
