"""Bayesian linear regression by hand and by what the theory says of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.kernels.products import Linear
from mlcore.regression.bayesian_linear import BayesianLinearRegression
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.ridge import Ridge
from mlcore.spine.iterate import record

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4)) @ np.diag([1.0, 3.0, 0.2, 1.0]) + 2.0
Y = X @ np.array([1.0, -2.0, 0.5, 0.0]) + 0.7 * RNG.normal(size=40) + 5.0
FIXED = BayesianLinearRegression(hyper="fixed", prior_variance=0.8, noise_variance=0.5)


def test_three_rows_by_hand():
    method = BayesianLinearRegression(hyper="fixed", intercept=False)
    fit = method.fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 2.0])
    assert fit.coefficients[0] == pytest.approx(11 / 15)
    np.testing.assert_allclose(fit.function_deviation([[2.0], [4.0]]) ** 2, [4 / 15, 16 / 15])
    np.testing.assert_allclose(fit.predictive_deviation([[2.0]]) ** 2, [4 / 15 + 1])
    assert fit.log_evidence == pytest.approx(-4.577507, abs=1e-6)


def test_the_mean_is_ridge_with_the_ratio_of_the_variances():
    ridge = Ridge(alpha=0.5 / 0.8).fit(X, Y)
    fit = FIXED.fit(X, Y)
    np.testing.assert_allclose(fit.coefficients, ridge.coefficients, rtol=1e-10)
    assert fit.intercept == pytest.approx(ridge.intercept)


def test_a_prior_without_end_is_least_squares_and_its_standard_errors():
    plain = LinearRegression().fit(X, Y)
    fit = replace(FIXED, prior_variance=1e12, noise_variance=plain.sigma**2).fit(X, Y)
    np.testing.assert_allclose(fit.coefficients, plain.coefficients, rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diag(fit.covariance)), plain.standard_errors, rtol=1e-9)


@pytest.mark.parametrize("rows", [40, 3])
def test_the_evidence_is_the_density_of_the_target(rows):
    A, y = X[:rows], Y[:rows]
    law = multivariate_normal(np.zeros(rows), 0.8 * A @ A.T + 0.5 * np.eye(rows))
    fit = replace(FIXED, intercept=False).fit(A, y)
    assert fit.log_evidence == pytest.approx(law.logpdf(y), rel=1e-10)


@pytest.mark.parametrize("rows", [40, 3])
def test_it_is_a_gaussian_process_with_a_linear_kernel(rows):
    A, y = X[:rows], Y[:rows]
    process = GPRegressor(kernel=Linear(), noise=0.5, learn="none", scaling="none").fit(A, y)
    fit = replace(FIXED, prior_variance=1.0, intercept=False).fit(A, y)
    np.testing.assert_allclose(fit.predict(X), process.predict(X), rtol=1e-8)
    np.testing.assert_allclose(fit.function_deviation(X), process.function_deviation(X), rtol=1e-6)


def test_row_by_row_ends_where_all_rows_at_once_do():
    steps = record(FIXED.steps(X, Y))
    fit = FIXED.fit(X, Y)
    np.testing.assert_array_equal(steps[-1].state.coefficients, fit.coefficients)
    np.testing.assert_array_equal(steps[0].state.coefficients, np.zeros(4))  # one row: the prior
    spreads = [(step.state.axis_variances.sum() + 0.8 * (4 - len(step.state.axes.T)))
               for step in steps]  # fmt: skip
    assert np.diff(spreads).max() < 1e-12  # no row makes the coefficients less sure


def test_no_other_variances_have_a_larger_evidence():
    fit = BayesianLinearRegression(tol=1e-10).fit(X, Y)
    best = replace(FIXED, prior_variance=fit.prior_variance, noise_variance=fit.noise_variance)
    assert best.fit(X, Y).log_evidence == pytest.approx(fit.log_evidence)
    for factor in (0.9, 1.1):
        for name in ("prior_variance", "noise_variance"):
            other = replace(best, **{name: factor * getattr(best, name)})
            assert other.fit(X, Y).log_evidence < fit.log_evidence


def test_drawn_planes_have_the_mean_and_the_spread_that_are_promised():
    for A, y in ((X, Y), (X[:3], Y[:3])):  # 3 rows leave directions to the prior
        fit = FIXED.fit(A, y)
        drawn = fit.sample_functions(X, 4000, seed=1)
        off = np.abs(drawn.mean(axis=0) - fit.predict(X)) / fit.function_deviation(X)
        assert off.max() < 5 / np.sqrt(4000)
        # Five standard errors of a deviation of 4,000 draws.
        np.testing.assert_allclose(drawn.std(axis=0), fit.function_deviation(X), rtol=0.06)


@pytest.mark.parametrize("hyper", ["fixed", "evidence"])
def test_weights_are_repeated_rows(hyper):
    w = RNG.integers(0, 4, 40)
    method = replace(FIXED, hyper=hyper)
    weighted, repeated = (
        method.fit(X, Y, weights=w),
        method.fit(np.repeat(X, w, 0), np.repeat(Y, w)),
    )
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-9)
    np.testing.assert_allclose(
        weighted.predictive_deviation(X), repeated.predictive_deviation(X), rtol=1e-9
    )


def test_a_target_that_is_fitted_exactly_or_not_at_all_is_said():
    exact = BayesianLinearRegression().fit(X, X @ [1.0, 2, 3, 4])
    assert "fits the rows exactly" in exact.stop.why
    np.testing.assert_allclose(exact.coefficients, [1, 2, 3, 4], rtol=1e-6)
    parity = np.tile([1.0, -1, -1, 1], 10)[:, None]
    silent = BayesianLinearRegression().fit(np.tile([1.0, 1, -1, -1], 10)[:, None], parity[:, 0])
    assert abs(silent.coefficients[0]) < 1e-6
    assert silent.noise_variance == pytest.approx(40 / 39, rel=1e-3)


def test_the_height_of_the_target_changes_no_variance():
    """At 1e7 numbers have nine digits after the point for noise of 0.7: it is none of rounding."""
    low, high = BayesianLinearRegression().fit(X, Y), BayesianLinearRegression().fit(X, Y + 1e7)
    assert high.stop.kind == "converged"
    np.testing.assert_allclose(high.noise_variance, low.noise_variance, rtol=1e-6)
    np.testing.assert_allclose(high.coefficients, low.coefficients, rtol=1e-6)
    exact = BayesianLinearRegression().fit(X, X @ [1.0, -2.0, 0.5, 0.0] + 1e7)
    assert exact.stop.kind == "collapsed"
