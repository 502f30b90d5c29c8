"""Partial least squares: published numbers and what the theory says of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from mlcore.reduction.cca import canonical_pairs, whitened
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.pcr import PrincipalComponentRegression
from mlcore.regression.pls import PLSRegression
from mlcore.runs.carry import carried_out
from mlcore.runs.presets import presets
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


def test_shrinkage_goes_from_covariance_to_correlation():
    """The first direction is that of canonical correlation with the same shrinkage."""
    rows, y = X - X.mean(axis=0), (Y - Y.mean())[:, None]
    for gamma in (0.0, 0.3, 0.9):
        fit = PLSRegression(n_components=1, gamma_x=gamma).fit(X, Y)
        pairs = canonical_pairs(whitened(rows, gamma, 0.0), whitened(y, 1.0, 0.0))
        sign = np.sign(fit.axes[0] @ pairs.first[0])
        np.testing.assert_allclose(fit.axes[0], sign * pairs.first[0], rtol=1e-9)
    near = PLSRegression(n_components=3, gamma_x=1 - 1e-13).fit(X, Y)
    plain = PLSRegression(n_components=3).fit(X, Y)
    for name in ("axes", "loadings", "rotations", "column_shares", "coefficients"):
        np.testing.assert_allclose(getattr(near, name), getattr(plain, name), rtol=1e-6, atol=1e-9)


def test_one_direction_of_correlation_is_least_squares_and_there_is_no_other():
    fit = PLSRegression(n_components=3, gamma_x=0.0).fit(X, Y)
    np.testing.assert_allclose(fit.coefficients, LinearRegression().fit(X, Y).coefficients)
    assert fit.n_used == 1 and "Only 1 component of 3 varies with the target." in fit.notes
    wide = np.column_stack([X, X[:, 0] + X[:, 1]])  # dependent columns have no covariance to invert
    np.testing.assert_allclose(
        PLSRegression(n_components=1, gamma_x=0.0).fit(wide, Y).predict(wide), fit.predict(X)
    )


def test_shrunken_components_are_uncorrelated_and_measured_by_their_metric():
    w = RNG.integers(1, 4, 50).astype(float)
    fit = PLSRegression(n_components=4, gamma_x=0.4).fit(X, Y, weights=w)
    centred = X - np.average(X, axis=0, weights=w)
    C = (centred * w[:, None]).T @ centred / w.sum()
    metric = fit.axes @ (0.6 * C + 0.4 * np.eye(5)) @ fit.axes.T
    np.testing.assert_allclose(metric, np.eye(4), atol=1e-9)
    T = fit.latent(X)
    between = (T * w[:, None]).T @ T
    assert np.abs(between - np.diag(np.diag(between))).max() < 1e-9 * between.max()
    explained = np.diag(between) * (fit.loadings**2).sum(axis=1)
    np.testing.assert_allclose(fit.column_shares[:4], explained / (C.trace() * w.sum()))
    twice = PLSRegression(n_components=4, gamma_x=0.4)
    rows = np.repeat(np.arange(50), w.astype(int))
    np.testing.assert_allclose(twice.fit(X[rows], Y[rows]).coefficients, fit.coefficients)


def test_the_shrinkage_of_the_examples_lies_between_what_misses_and_what_overfits():
    """One component of fifteen powers: by covariance, partway, and by correlation."""
    run = next(p for p in presets("regression") if p.name == "partway_to_correlation").run()
    errors = []
    for gamma in (1.0, 0.1, 0.0):
        outcome = carried_out(replace(run, method=replace(run.method, gamma_x=gamma)))
        errors.append(np.mean([fold.scores["rmse"] for fold in outcome.done]))
    np.testing.assert_allclose(errors, [0.735, 0.321, 0.659], atol=0.005)
