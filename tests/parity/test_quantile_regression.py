"""Quantile regression against scikit-learn's linear programme and statsmodels' reweighting."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.datasets import load_diabetes
from sklearn.linear_model import QuantileRegressor

from mlcore.optimisation.quantile_plane import pinball
from mlcore.regression.quantile_regression import QuantileRegression

LEVELS = (0.1, 0.5, 0.9)
RNG = np.random.default_rng(0)
TAILS = RNG.normal(size=(200, 6)) + 5.0
DIABETES, PROGRESS = load_diabetes(return_X_y=True)
TABLES = {
    "diabetes": (20 * DIABETES, PROGRESS),
    "heavy tails": (TAILS, TAILS @ np.arange(6.0) + RNG.standard_t(2, size=200)),
}


def objective(X, y, w, b, level, alpha):
    return pinball(y - X @ w - b, level).mean() + alpha * np.abs(w).sum()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.3, 100.0])
def test_a_linear_programme_loses_no_less(name, alpha):
    X, y = TABLES[name]
    ours = QuantileRegression(quantiles=LEVELS, alpha=alpha).fit(X, y)
    for j, level in enumerate(LEVELS):
        theirs = QuantileRegressor(quantile=level, alpha=alpha).fit(X, y)
        own = objective(X, y, ours.planes[j], ours.heights[j], level, alpha)
        other = objective(X, y, theirs.coef_, theirs.intercept_, level, alpha)
        assert own <= other * (1 + 1e-10)
        np.testing.assert_array_equal(ours.planes[j] == 0, theirs.coef_ == 0)


@pytest.mark.parametrize("name", TABLES)
def test_reweighting_comes_near(name):
    X, y = TABLES[name]
    ours = QuantileRegression(quantiles=LEVELS).fit(X, y)
    for j, level in enumerate(LEVELS):
        theirs = sm.QuantReg(y, sm.add_constant(X)).fit(q=level, max_iter=5000, p_tol=1e-8)
        b, *w = theirs.params
        own = objective(X, y, ours.planes[j], ours.heights[j], level, 0.0)
        other = objective(X, y, np.array(w), b, level, 0.0)
        # Theirs moves errors away from zero, so it stops beside the corner that is the optimum.
        assert own <= other * (1 + 1e-12)
        assert other <= own * (1 + 1e-4)
