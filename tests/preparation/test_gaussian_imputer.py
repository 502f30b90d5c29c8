"""Imputation by a Gaussian: closed forms, the likelihood, and odd patterns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from mlcore.preparation.gaussian_imputer import GaussianImputer
from mlcore.spine.fit import Column
from mlcore.spine.iterate import record

EXACT = GaussianImputer(tol=1e-13, ridge=1e-12, max_iter=500)


def incomplete(n: int = 120, *, share: float = 0.2) -> np.ndarray:
    """Incomplete rows of three dependent columns of very different scales, shape (n, 3)."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3)) @ [[1, 0.8, 0.3], [0, 1, -0.6], [0, 0, 0.5]]
    X = X * [1, 1e4, 1e-3] + [3, -1e5, 0]
    X[rng.random(X.shape) < share] = np.nan
    return X


def test_the_closed_form_of_missing_values_at_the_end_of_one_column():
    y = [2.1, 3.9, 6.2, 7.8, *[np.nan] * 4]
    X = np.column_stack([np.arange(1.0, 9.0), y])
    fit = EXACT.fit(X)
    assert fit.covariance[0, 1] / fit.covariance[0, 0] == pytest.approx(1.94, abs=1e-9)
    np.testing.assert_allclose(fit.mean, [4.5, 8.88], atol=1e-8)
    assert fit.covariance[1, 1] == pytest.approx(19.7794, abs=5e-5)
    assert fit.covariance[0, 1] == pytest.approx(10.185, abs=1e-7)
    np.testing.assert_allclose(fit.transform(X)[4:, 1], [9.85, 11.79, 13.73, 15.67], atol=1e-7)


def test_the_default_comes_as_near_as_its_ridge_lets_it():
    y = [2.1, 3.9, 6.2, 7.8, *[np.nan] * 4]
    X = np.column_stack([np.arange(1.0, 9.0), y])
    fit, end = GaussianImputer().fit(X), GaussianImputer(tol=1e-12).fit(X)
    np.testing.assert_allclose(fit.transform(X)[4:, 1], [9.85, 11.79, 13.73, 15.67], atol=1e-4)
    assert fit.stop.kind == "converged"
    left = (fit.covariance - end.covariance) / np.outer(fit.scale, fit.scale)
    assert np.abs(left).max() < 1.1e-6


@pytest.mark.parametrize("ridge", [1e-6, 1e-2])
def test_the_objective_never_falls(ridge):
    steps = record(GaussianImputer(ridge=ridge, tol=1e-9).steps(incomplete()))
    gains = np.diff([step.objective for step in steps])
    assert len(gains) > 5
    assert gains.min() > -1e-9


def test_the_objective_is_the_likelihood_of_what_is_seen():
    X = incomplete(40) / [2, 1e4, 1e-3]  # the reference takes scales too far apart for singular
    before, after = list(EXACT.steps(X))[-2:]
    wanted = 0.0
    for row in X:
        at = np.flatnonzero(~np.isnan(row))
        if len(at):
            S = before.state.covariance[np.ix_(at, at)]
            wanted += multivariate_normal(before.state.mean[at], S).logpdf(row[at])
    assert after.objective == pytest.approx(wanted, rel=1e-9)


def test_no_other_gaussian_is_likelier():
    X = incomplete(60)[:, :2] / [1, 1e4]
    patterns = [(~np.isnan(X)).all(axis=1), ~np.isnan(X[:, 0]), ~np.isnan(X[:, 1])]
    whole, first, second = patterns[0], patterns[1] & ~patterns[0], patterns[2] & ~patterns[0]

    def loss(theta: np.ndarray) -> float:
        L = np.array([[np.exp(theta[2]), 0], [theta[3], np.exp(theta[4])]])
        S, mean = L @ L.T, theta[:2]
        of = [(whole, [0, 1]), (first, [0]), (second, [1])]
        parts = (
            multivariate_normal(mean[at], S[np.ix_(at, at)]).logpdf(X[rows][:, at]).sum()
            for rows, at in of
        )
        return -sum(parts)

    fit = EXACT.fit(X)
    L = np.linalg.cholesky(fit.covariance)
    ours = np.array([*fit.mean, np.log(L[0, 0]), L[1, 0], np.log(L[1, 1])])
    best = minimize(loss, ours + 0.05, method="BFGS", options={"gtol": 1e-6})
    assert loss(ours) <= best.fun + 1e-7
    np.testing.assert_allclose(ours, best.x, atol=1e-4)


def test_without_missing_values_one_step_gives_the_moments_of_the_sample():
    X = incomplete(share=0.0)
    fit = EXACT.fit(X)
    assert fit.n_iter == 1
    np.testing.assert_allclose(fit.mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(fit.covariance, np.cov(X.T, bias=True), rtol=1e-9)


def test_units_do_not_matter():
    X, units = incomplete(), np.array([1e3, 1e-4, 7.0])
    first, second = (GaussianImputer().fit(rows).transform(rows) for rows in (X, X * units))
    np.testing.assert_allclose(second, first * units, rtol=1e-9)


def test_copies_constants_and_fewer_rows_than_columns_are_filled():
    X = np.repeat(incomplete(12), 5, axis=1)
    X[:, 0] = 2.5
    X[0] = np.nan
    fit = GaussianImputer().fit(X)
    Z = fit.transform(X)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(Z[0], fit.mean)
    assert Z[0, 0] == 2.5


def test_names_pass_and_a_column_without_values_is_named():
    X = np.array([[1.0, 0, np.nan], [np.nan, np.nan, np.nan], [3, 1, np.nan]])
    columns = (Column("a"), Column("sex", "binary", ("f", "m")), Column("b"))
    fit = GaussianImputer().fit(X, columns=columns)
    np.testing.assert_allclose(fit.transform(X), [[1, 0, 0], [2, np.nan, 0], [3, 1, 0]])
    assert fit.summary().values == (("a", "mean", 2.0),)
    assert fit.summary().note == "No training row has a value of b: filled with 0."


def test_a_fit_that_did_not_converge_says_so():
    fit = GaussianImputer(max_iter=2).fit(incomplete())
    assert fit.stop.kind == "limit"
    assert "Not converged after 2 iterations" in fit.summary().note
