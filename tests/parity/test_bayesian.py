"""Bayesian linear regression against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import BayesianRidge

from mlcore.regression.bayesian_linear import BayesianLinearRegression

RNG = np.random.default_rng(0)
TABLES = {
    "diabetes": load_diabetes(return_X_y=True),
    "noisy": (RNG.normal(size=(80, 10)), RNG.normal(size=80) + 3.0),
}


@pytest.mark.parametrize("name", TABLES)
def test_variances_coefficients_and_bands(name):
    X, y = TABLES[name]
    if name == "noisy":
        y = y + X[:, 0]
    ours = BayesianLinearRegression(intercept=False, tol=1e-11, max_iter=5000).fit(X, y)
    theirs = BayesianRidge(
        alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, tol=1e-13, max_iter=5000, fit_intercept=False
    ).fit(X, y)
    # The same fixed point, without their prior of the variances and with no offset.
    np.testing.assert_allclose(ours.noise_variance, 1 / theirs.alpha_, rtol=1e-8)
    np.testing.assert_allclose(ours.prior_variance, 1 / theirs.lambda_, rtol=1e-6)
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coefficients, theirs.coef_, atol=1e-7 * scale)
    np.testing.assert_allclose(ours.covariance, theirs.sigma_, atol=1e-6 * theirs.sigma_.max())
    np.testing.assert_allclose(
        ours.predictive_deviation(X), theirs.predict(X, return_std=True)[1], rtol=1e-7
    )


def test_with_an_offset_ours_has_no_smaller_evidence():
    X, y = TABLES["diabetes"]
    ours, theirs = BayesianLinearRegression().fit(X, y), BayesianRidge().fit(X, y)
    at_theirs = BayesianLinearRegression(
        hyper="fixed", noise_variance=1 / theirs.alpha_, prior_variance=1 / theirs.lambda_
    ).fit(X, y)
    assert ours.log_evidence >= at_theirs.log_evidence
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coefficients, theirs.coef_, atol=1e-2 * scale)
