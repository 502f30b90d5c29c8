"""Principal component regression: published numbers and what the theory says of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from mlcore.reduction.pca import PCA
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.pcr import PrincipalComponentRegression
from mlcore.spine.iterate import record

DIABETES = load_diabetes(return_X_y=True)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 5)) @ RNG.normal(size=(5, 5)) + 3.0
Y = X[:, 0] - X[:, 1] + RNG.normal(size=50)


@pytest.mark.parametrize(("k", "r2"), [(1, 0.308422), (2, 0.345955), (3, 0.372071), (10, 0.517748)])
def test_shares_explained_of_the_diabetes_data(k, r2):
    rows, y = DIABETES
    fit = PrincipalComponentRegression(n_components=k).fit(rows, y)
    found = 1 - ((y - fit.predict(rows)) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert found == pytest.approx(r2, abs=1e-6)
    assert fit.target_shares[:k].sum() == pytest.approx(r2, abs=1e-6)


def test_all_components_are_least_squares():
    fit = PrincipalComponentRegression(n_components=5).fit(X, Y)
    plain = LinearRegression().fit(X, Y)
    np.testing.assert_allclose(fit.coefficients, plain.coefficients, rtol=1e-9)
    assert fit.intercept == pytest.approx(plain.intercept)


@pytest.mark.parametrize("scale", [False, True])
def test_directions_are_those_of_pca(scale):
    fit = PrincipalComponentRegression(n_components=3, scale=scale).fit(X, Y)
    pca = PCA(n_components=3).fit(X / X.std(axis=0, ddof=1) if scale else X)
    np.testing.assert_allclose(fit.axes, pca.axes, atol=1e-9)
    np.testing.assert_allclose(fit.variances, pca.variances, rtol=1e-9)
    np.testing.assert_allclose(fit.shares, pca.shares, rtol=1e-9)


def test_with_scaling_units_do_not_matter():
    units = np.array([1e-6, 1e3, 1.0, 10.0, 1e5])
    method = PrincipalComponentRegression(n_components=2, scale=True)
    one, other = method.fit(X, Y), method.fit(X * units, Y)
    np.testing.assert_allclose(other.predict(X * units), one.predict(X), rtol=1e-9)


def test_each_step_adds_a_component_and_lowers_the_error_by_its_share():
    steps = record(PrincipalComponentRegression(n_components=4).steps(X, Y))
    fit = PrincipalComponentRegression(n_components=4).fit(X, Y)
    errors = np.array([Y.var(), *(step.objective for step in steps)])
    np.testing.assert_allclose(-np.diff(errors) / Y.var(), fit.target_shares[:4], atol=1e-12)


def test_a_target_along_the_least_variance_is_missed():
    rows = RNG.normal(size=(200, 2)) * [10.0, 0.1]
    fit = PrincipalComponentRegression(n_components=1).fit(rows, rows[:, 1])
    assert np.corrcoef(fit.predict(rows), rows[:, 1])[0, 1] ** 2 < 0.05
    assert fit.target_shares[1] > 0.95


def test_more_components_than_there_are_is_said():
    copies = np.hstack([X[:, :2], X[:, :1]])
    fit = PrincipalComponentRegression(n_components=3).fit(copies, Y)
    assert fit.notes == ("Only 2 components of 3 have any variance.",)
    assert len(fit.axes) == 2


def test_weights_are_repeated_rows():
    w = RNG.integers(0, 4, 50)
    method = PrincipalComponentRegression(n_components=2, scale=True)
    weighted, repeated = (
        method.fit(X, Y, weights=w),
        method.fit(np.repeat(X, w, 0), np.repeat(Y, w)),
    )
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-9)
    np.testing.assert_allclose(weighted.spectrum, repeated.spectrum, rtol=1e-9)


@pytest.mark.parametrize("unit", [1.0, 1e-120, 1e120])
def test_few_rows_of_many_columns_in_any_unit(unit):
    rows = np.random.default_rng(1).normal(size=(12, 30))
    plain = PrincipalComponentRegression(n_components=4).fit(rows, rows[:, 0])
    other = PrincipalComponentRegression(n_components=4).fit(unit * rows, rows[:, 0])
    np.testing.assert_allclose(other.predict(unit * rows), plain.predict(rows), rtol=1e-9)
