"""Partial least squares: published numbers and what the theory says of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.pcr import PrincipalComponentRegression
from mlcore.regression.pls import PLSRegression
from mlcore.spine.iterate import record

DIABETES = load_diabetes(return_X_y=True)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 5)) @ RNG.normal(size=(5, 5)) + 3.0
Y = X[:, 0] - X[:, 1] + RNG.normal(size=50)


@pytest.mark.parametrize(("k", "r2"), [(1, 0.406360), (2, 0.508324), (3, 0.513413), (10, 0.517748)])
def test_shares_explained_of_the_diabetes_data(k, r2):
    rows, y = DIABETES
    fit = PLSRegression(n_components=k).fit(rows, y)
    found = 1 - ((y - fit.predict(rows)) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert found == pytest.approx(r2, abs=1e-6)
    assert fit.target_shares[:k].sum() == pytest.approx(found, abs=1e-9)


def test_the_first_weights_are_the_covariances_with_the_target():
    fit = PLSRegression(n_components=1).fit(X, Y)
    toward = (X - X.mean(axis=0)).T @ Y
    np.testing.assert_allclose(fit.axes[0], toward / np.linalg.norm(toward), rtol=1e-10)


def test_all_components_are_least_squares():
    fit = PLSRegression(n_components=5).fit(X, Y)
    plain = LinearRegression().fit(X, Y)
    np.testing.assert_allclose(fit.coefficients, plain.coefficients, rtol=1e-9)
    assert fit.intercept == pytest.approx(plain.intercept)
    assert fit.column_shares.sum() == pytest.approx(1.0)


def test_weights_are_orthonormal_and_components_are_uncorrelated():
    fit = PLSRegression(n_components=4).fit(X, Y)
    np.testing.assert_allclose(fit.axes @ fit.axes.T, np.eye(4), atol=1e-12)
    covariance = np.cov(fit.latent(X).T)
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() < 1e-12 * covariance.max()
    explained = np.diag(covariance) * (fit.loadings**2).sum(axis=1)
    np.testing.assert_allclose(
        fit.column_shares[:4], explained / X.var(axis=0, ddof=1).sum(), rtol=1e-10
    )


def test_it_finds_a_target_along_the_least_variance_where_pca_does_not():
    rows = RNG.normal(size=(200, 2)) * [10.0, 0.1]
    latent, principal = (
        method(n_components=1).fit(rows - rows.mean(axis=0), rows[:, 1])
        for method in (PLSRegression, PrincipalComponentRegression)
    )
    assert latent.target_shares[0] > principal.target_shares[0]


def test_each_step_adds_a_component_and_lowers_the_error_by_its_share():
    steps = record(PLSRegression(n_components=4).steps(X, Y))
    fit = PLSRegression(n_components=4).fit(X, Y)
    errors = np.array([Y.var(), *(step.objective for step in steps)])
    np.testing.assert_allclose(-np.diff(errors) / Y.var(), fit.target_shares[:4], atol=1e-12)
    left = Y - X @ steps[1].state.coefficients - steps[1].state.intercept
    assert (left**2).mean() == pytest.approx(steps[1].objective)


def test_more_components_than_there_are_is_said():
    copies = np.hstack([X[:, :2], X[:, :1]])
    fit = PLSRegression(n_components=3).fit(copies, Y)
    assert fit.notes == ("Only 2 components of 3 vary with the target.",)
    assert len(fit.axes) == fit.n_used == 2


def test_no_more_components_are_found_than_the_target_needs():
    fit = PLSRegression(n_components=3).fit(np.eye(4)[:, :3], np.eye(4)[:, :3].sum(axis=1))
    assert fit.n_used == 1
    assert fit.target_shares[0] == pytest.approx(1.0)


def test_a_constant_target_has_no_component():
    fit = PLSRegression().fit(X, np.full(50, 2.0))
    assert fit.n_used == 0
    np.testing.assert_array_equal(fit.predict(X), 2.0)


def test_with_scaling_units_do_not_matter():
    units = np.array([1e-6, 1e3, 1.0, 10.0, 1e5])
    method = PLSRegression(n_components=2, scale=True)
    one, other = method.fit(X, Y), method.fit(X * units, Y)
    np.testing.assert_allclose(other.predict(X * units), one.predict(X), rtol=1e-9)


def test_weights_are_repeated_rows():
    w = RNG.integers(0, 4, 50)
    method = PLSRegression(n_components=2, scale=True)
    weighted = method.fit(X, Y, weights=w)
    repeated = method.fit(np.repeat(X, w, 0), np.repeat(Y, w))
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-9)
    np.testing.assert_allclose(weighted.target_shares, repeated.target_shares, rtol=1e-9)
