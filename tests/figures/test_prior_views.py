"""Pictures of priors and what the rows leave of them, checked on values."""

from __future__ import annotations

import numpy as np

from figures.views.regression import prior_functions, weight_space
from figures.views.regression.prior_functions import PriorOptions
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.regression.bayesian_linear import BayesianLinearRegression
from tests.figures import made

X = np.array([[0.0], [1.0], [3.0], [4.0]])
Y = np.array([1.0, 2.0, 1.5, 3.0])


def test_functions_before_the_rows_are_as_wide_as_the_kernel_says():
    data = made.dataset(X, Y)
    w = made.whole(data, GPRegressor(learn="none", scaling="none"))
    p = prior_functions.numbers(data, w, options=PriorOptions(draws=30))
    np.testing.assert_allclose(p.mean[0], 0.0)
    np.testing.assert_allclose(p.deviation[0] ** 2, w.fit.kernel.diag(np.zeros((1, 1)))[0])
    assert (p.deviation[1] < p.deviation[0]).all()
    many = w.fit.prior_functions(np.array([[0.0], [0.5]]), 20_000)
    K = w.fit.kernel.against(np.array([[0.0], [0.5]]))(np.array([[0.0], [0.5]]))
    np.testing.assert_allclose(np.cov(many.T), K, atol=0.05)
    assert prior_functions.reading(p).startswith("Before the rows")


def test_planes_before_the_rows_turn_about_their_mean():
    it = BayesianLinearRegression(hyper="fixed", prior_variance=4.0, noise_variance=0.1)
    fit = it.fit(X, Y)
    at = np.array([[2.0], [5.0]])  # the mean of the column, and three beyond
    np.testing.assert_allclose(fit.prior_deviation(at), [0.0, 6.0])
    drawn = fit.prior_functions(at, 5000)
    np.testing.assert_allclose(drawn[:, 0], Y.mean())
    np.testing.assert_allclose(drawn[:, 1].std(), 6.0, rtol=0.05)


def test_the_intercept_goes_against_the_slope():
    it = BayesianLinearRegression(hyper="fixed", prior_variance=1e6, noise_variance=0.5)
    w = made.whole(made.dataset(X, Y), it)
    d = weight_space.numbers(w)
    assert d.names == ("x1", "intercept") and np.isinf(d.prior[1])
    # With nothing known before: sigma^2 (Z'Z)^-1 of least squares.
    Z = np.column_stack([X, np.ones(4)])
    np.testing.assert_allclose(d.covariance, 0.5 * np.linalg.inv(Z.T @ Z), rtol=1e-5)
    np.testing.assert_allclose(d.mean, np.linalg.lstsq(Z, Y, rcond=None)[0], rtol=1e-5)
    assert "Their correlation is −0.78" in weight_space.reading(d)
    fig = weight_space.draw(d)
    assert np.isnan(np.asarray(fig.data[0].y, float)).sum() == 1  # two lines: the offset was free


def test_the_coefficients_of_the_axes_are_drawn():
    rng = np.random.default_rng(0)
    at = rng.normal(size=(30, 3))
    w = made.whole(made.dataset(at, at @ [0.1, 3.0, -2.0]), BayesianLinearRegression())
    assert weight_space.numbers(w).which in ((1, 2), (2, 1))
    assert weight_space.numbers(w, "x1").which[0] == 0
    assert weight_space.numbers(w, "x3", "x1").which == (2, 0)
