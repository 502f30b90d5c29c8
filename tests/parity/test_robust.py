"""Robust regression against statsmodels and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn import linear_model as peer
from sklearn.datasets import load_diabetes

from mlcore.optimisation.quantile_plane import pinball
from mlcore.regression.robust_losses import HuberErrors, QuantileErrors
from mlcore.regression.robust_regression import RobustRegression

RNG = np.random.default_rng(0)
TAILS = RNG.normal(size=(200, 6)) + 5.0
TABLES = {
    "diabetes": load_diabetes(return_X_y=True),
    "heavy tails": (TAILS, TAILS @ np.arange(6.0) + RNG.standard_t(2, size=200)),
}
NORMS = {"huber": sm.robust.norms.HuberT(), "tukey": sm.robust.norms.TukeyBiweight()}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("loss", NORMS)
def test_reweighting_with_the_median_size_as_scale(name, loss):
    X, y = TABLES[name]
    ours = RobustRegression(loss=loss, tol=1e-11, max_iter=500).fit(X, y)
    theirs = sm.RLM(y, sm.add_constant(X), M=NORMS[loss]).fit(tol=1e-11, maxiter=500)
    # Both stop at changes of 1e-11; the rate of convergence leaves a digit or two.
    np.testing.assert_allclose(ours.coefficients, theirs.params[1:], rtol=1e-6)
    np.testing.assert_allclose([ours.intercept, ours.scale], [theirs.params[0], theirs.scale],
                               rtol=1e-6)  # fmt: skip
    np.testing.assert_allclose(ours.trust, theirs.weights, atol=1e-6)


@pytest.mark.parametrize("name", TABLES)
def test_a_joint_scale_has_no_larger_objective(name):
    X, y = TABLES[name]
    fit = RobustRegression(scale="joint", tol=1e-10, max_iter=500).fit(X, y)
    theirs = peer.HuberRegressor(epsilon=1.345, alpha=0.0, max_iter=20_000, tol=1e-8).fit(X, y)

    def objective(w, b, s):
        return (s + 2 * s * HuberErrors().value((y - X @ w - b) / s)).sum()

    own = objective(fit.coefficients, fit.intercept, fit.scale)
    other = objective(theirs.coef_, theirs.intercept_, theirs.scale_)
    assert own <= other * (1 + 1e-12)
    # Theirs stops where L-BFGS makes no more progress: it has half of the digits.
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(fit.coefficients, theirs.coef_, atol=1e-3 * scale)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_quantiles_lose_no_more_than_theirs(name, level):
    X, y = TABLES[name]
    ours = RobustRegression(loss=QuantileErrors(quantile=level)).fit(X, y)
    theirs = peer.QuantileRegressor(quantile=level, alpha=0.0).fit(X, y)
    own, other = (pinball(y - fit.predict(X), level).sum() for fit in (ours, theirs))
    assert own <= other * (1 + 1e-9)
