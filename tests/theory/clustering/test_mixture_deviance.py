"""Facts about the deviance information criterion of Gaussian mixtures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mlcore.clustering.deviance import deviance_of_mixture
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.runs.counting.parts import _information
from mlcore.spine.errors import DataError
from mlcore.spine.random import generator

RNG = np.random.default_rng(0)
PLANE = RNG.normal(size=(500, 2)) @ [[2.0, 0.3], [0.0, 0.5]]
APART = np.repeat([[0.0, 0.0], [9.0, 9.0]], 100, axis=0) + RNG.normal(size=(200, 2))


@pytest.mark.parametrize(("p", "known"), [(1, 2.4), (2, 5.7)])
def test_one_gaussian_counts_about_its_parameters(p, known):
    of = deviance_of_mixture(GaussianMixture(n_components=1).fit(PLANE[:, :p]), PLANE[:, :p])
    # 2.4 and 5.7 were computed apart, of other rows: 200 draws leave p_D a spread of a sixth.
    assert of.p_d == pytest.approx(known, rel=0.4)
    assert of.dic == pytest.approx(of.mean + of.p_d) == 2 * of.mean - of.at_mean


def test_one_gaussian_is_refitted_in_closed_form():
    X, n = PLANE[:60], 60
    fit = GaussianMixture(n_components=1, reg_covar=0.0).fit(X)
    of = deviance_of_mixture(fit, X, n_draws=5, seed=3)
    rng, each = generator(3, "deviance"), []
    for _ in range(5):
        w = n * rng.dirichlet(np.ones(n))
        mean = np.average(X, axis=0, weights=w)
        shape = np.cov(X.T, aweights=w, ddof=0)
        each.append(multivariate_normal(mean, shape).logpdf(X))
    mean = -2 * np.sum(each, axis=1).mean()
    assert of.mean == pytest.approx(mean, rel=1e-10)
    at_mean = -2 * np.log(np.exp(each).mean(axis=0)).sum()
    assert of.at_mean == pytest.approx(at_mean, rel=1e-10)


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "spherical"])
def test_components_far_apart_count_about_their_free_parameters(covariance):
    fit = GaussianMixture(n_components=2, covariance=covariance).fit(APART)
    of = deviance_of_mixture(fit, APART, n_draws=60)
    assert of.p_d == pytest.approx(fit.n_parameters, rel=0.6)
    assert of.dic == pytest.approx(fit.aic, abs=fit.n_parameters)
    one = GaussianMixture(n_components=1, covariance=covariance).fit(APART)
    assert of.dic < deviance_of_mixture(one, APART, n_draws=20).dic - 100


def test_weights_are_rows_and_gaps_and_seeds_are_kept():
    fit = GaussianMixture(n_components=2).fit(APART)
    assert deviance_of_mixture(fit, APART, n_draws=5) == deviance_of_mixture(fit, APART, n_draws=5)
    gaps = APART.copy()
    gaps[::7, 1] = np.nan
    of = deviance_of_mixture(GaussianMixture(n_components=2).fit(gaps), gaps, n_draws=20)
    assert np.isfinite(of).all() and of.p_d > 0
    w = np.repeat([2.0, 0.0], 100)
    own = GaussianMixture(n_components=1).fit(APART, weights=w)
    of = own.deviance_information(APART, w)
    assert of.mean == pytest.approx(-2 * own.log_likelihood, rel=0.02)


def test_a_row_of_weight_four_counts_as_four_rows_in_p_d():
    X, w = PLANE[:100], np.full(100, 4.0)
    own = GaussianMixture(n_components=1).fit(X, weights=w)
    of = deviance_of_mixture(own, X, w, n_draws=100)
    rows = np.repeat(X, 4, axis=0)
    known = deviance_of_mixture(GaussianMixture(n_components=1).fit(rows), rows, n_draws=100).p_d
    assert of.p_d == pytest.approx(known, rel=0.4)
    assert of.p_d < 10  # and not four times the five parameters


def test_a_tolerance_a_row_stops_no_refit_of_many_rows_before_it_begins():
    X = PLANE[:, :1]
    close, loose = (
        deviance_of_mixture(GaussianMixture(n_components=1, tol=tol).fit(X), X, n_draws=50)
        for tol in (1e-6, 1e-2)  # of 500 rows: five nats, more than both parameters are worth
    )
    assert loose.p_d == pytest.approx(close.p_d, rel=0.1)


def test_a_draw_that_cannot_be_fitted_has_no_criterion_and_keeps_the_groups():
    X, w = PLANE[:20], np.full(20, 1e-4)  # of nearly no rows: nearly all weight is on one
    fit = GaussianMixture(n_components=1, reg_covar=0.0).fit(X, weights=w)
    with pytest.raises(DataError, match="no inverse"):
        fit.deviance_information(X, w)
    assert set(_information(fit, X, fit.labels, w)) == {"bic", "aic"}
