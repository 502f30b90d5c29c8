"""Linear regressions against scikit-learn and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn import linear_model as peer
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from statsmodels.stats.outliers_influence import variance_inflation_factor

from mlcore.regression import inference
from mlcore.regression.constant import ConstantRegressor
from mlcore.regression.elastic_net import ElasticNet
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.ridge import Ridge

RNG = np.random.default_rng(0)
DIABETES = load_diabetes(return_X_y=True)
COMMON = RNG.normal(size=(120, 1))
TABLES = {
    "diabetes": DIABETES,
    "wide": (RNG.normal(size=(40, 150)), RNG.normal(size=40)),
    "correlated": (COMMON + 0.3 * RNG.normal(size=(120, 20)), RNG.normal(size=120)),
    "far from zero": (1e3 + RNG.normal(size=(200, 6)), 1e4 + RNG.normal(size=200)),
}
WEIGHTS = {name: RNG.integers(0, 4, len(y)).astype(float) for name, (_, y) in TABLES.items()}

# ours, theirs, tolerance relative to the largest coefficient: why
RIDGE = [
    # Both solve the same positive definite system; its condition number is below 1e5.
    *((Ridge(alpha=a, solver=s), peer.Ridge(a), 1e-9)
      for a in (0.01, 1.0, 100.0) for s in ("auto", "svd", "cholesky", "qr")),
    (Ridge(alpha=1.0, offset="none"), peer.Ridge(1.0, fit_intercept=False), 1e-9),
    # Conjugate gradients stop at a relative gradient of 1e-10, times the condition number.
    (Ridge(alpha=1.0, solver="cg", tol=1e-13), peer.Ridge(1.0), 1e-8),
]  # fmt: skip
NETS = [
    # Solved to gaps of 1e-13 and 1e-12 of the variance: an error of coefficients is the root.
    *((ElasticNet(alpha=a, l1_ratio=r, tol=1e-13, max_iter=100_000),
       peer.ElasticNet(a, l1_ratio=r, tol=1e-12, max_iter=200_000), 1e-5)
      for a in (0.02, 0.3) for r in (1.0, 0.5, 0.1)),
    # Proximal gradients are slow; a gap of 1e-9 leaves coefficients at its root.
    (ElasticNet(alpha=0.3, solver="fista", tol=1e-9, max_iter=100_000),
     peer.Lasso(0.3, tol=1e-12, max_iter=200_000), 1e-3),
]  # fmt: skip
CONSTANTS = [
    ConstantRegressor(),
    ConstantRegressor(strategy="median"),
    ConstantRegressor(strategy="given", value=3.5),
]


def agree(ours, theirs, tolerance):
    """Compare coefficients and intercept at the scale of the largest coefficient."""
    scale = max(np.abs(theirs.coef_).max(), 1e-12)
    np.testing.assert_allclose(ours.coefficients, theirs.coef_, atol=tolerance * scale)
    level = np.abs(theirs.intercept_) + scale * np.abs(ours.coefficients).sum()
    np.testing.assert_allclose(ours.intercept, theirs.intercept_, atol=tolerance * level * 10)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("ours", "theirs", "tolerance"), RIDGE)
def test_ridge(name, ours, theirs, tolerance):
    X, y = TABLES[name]
    agree(ours.fit(X, y), theirs.fit(X, y), tolerance)
    w = WEIGHTS[name]
    agree(ours.fit(X, y, weights=w), theirs.fit(X, y, sample_weight=w), tolerance)


def test_ridge_by_leave_one_out_chooses_the_same_alpha():
    X, y = DIABETES
    fit = Ridge(alpha_rule="loo").fit(X, y)
    theirs = peer.RidgeCV(fit.curve.alphas, store_cv_results=True).fit(X, y)
    assert fit.alpha == theirs.alpha_
    # The same closed form on both sides, from different decompositions.
    np.testing.assert_allclose(fit.curve.loo, theirs.cv_results_.mean(axis=0), rtol=1e-8)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("ours", "theirs", "tolerance"), NETS)
def test_elastic_net(name, ours, theirs, tolerance):
    X, y = TABLES[name]
    agree(ours.fit(X, y), theirs.fit(X, y), tolerance)


def test_the_lasso_without_an_intercept():
    X, y = DIABETES
    ours = ElasticNet(alpha=0.3, tol=1e-13, intercept=False)
    agree(ours.fit(X, y), peer.Lasso(0.3, tol=1e-12, fit_intercept=False).fit(X, y), 1e-5)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_elastic_net_with_weights(l1_ratio):
    X, y = DIABETES
    ours = ElasticNet(alpha=0.1, l1_ratio=l1_ratio, tol=1e-14)
    theirs = peer.ElasticNet(0.1, l1_ratio=l1_ratio, tol=1e-13, max_iter=100_000)
    w = WEIGHTS["diabetes"]
    agree(ours.fit(X, y, weights=w), theirs.fit(X, y, sample_weight=w), 1e-5)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_the_path_is_the_same(l1_ratio):
    X, y = DIABETES
    path = ElasticNet(l1_ratio=l1_ratio, tol=1e-12).path(X, y)
    alphas, W, _ = peer.enet_path(
        X - X.mean(axis=0), y - y.mean(), l1_ratio=l1_ratio, tol=1e-12, max_iter=200_000
    )
    np.testing.assert_allclose(path.alphas, alphas, rtol=1e-12)
    np.testing.assert_allclose(path.coefficients, W.T, atol=1e-5 * np.abs(W).max())


@pytest.mark.parametrize("rule", ["aic", "bic"])
def test_the_criterion_is_the_same(rule):
    X, y = DIABETES
    fit = ElasticNet(alpha_rule=rule, n_alphas=300).fit(X, y)
    theirs = peer.LassoLarsIC(criterion=rule).fit(X, y)
    # Theirs knows only the corners of the path, so ours can only be better, and only by little:
    # both criteria are the same function up to a constant.
    nearest = np.abs(np.log(fit.curve.alphas / theirs.alpha_)).argmin()
    assert fit.curve.score.min() <= fit.curve.score[nearest]
    assert fit.curve.score[nearest] - fit.curve.score.min() < 1.0


def test_cross_validation_chooses_nearly_the_same_alpha():
    X, y = DIABETES
    fit = ElasticNet(alpha_rule="cv").fit(X, y)
    theirs = peer.LassoCV(cv=5, alphas=fit.curve.alphas).fit(X, y)
    # Other folds, so only the level of the curve can agree: within two standard errors.
    apart = np.abs(fit.curve.score - theirs.mse_path_.mean(axis=1))
    assert (apart < 2 * fit.curve.spread).all()


@pytest.mark.parametrize("solver", ["svd", "qr", "normal"])
@pytest.mark.parametrize("offset", ["centering", "explicit", "constant_feature"])
@pytest.mark.parametrize("weighted", [False, True])
def test_least_squares_and_its_inference(solver, offset, weighted):
    X, y = DIABETES
    w = WEIGHTS["diabetes"] if weighted else np.ones(len(y))
    fit = LinearRegression(solver=solver, offset=offset).fit(X, y, weights=w)
    theirs = sm.WLS(y[w > 0], sm.add_constant(X[w > 0]), weights=w[w > 0]).fit()
    # The condition number of the columns is 22, so the normal equations lose three digits.
    np.testing.assert_allclose(fit.coefficients, theirs.params[1:], rtol=1e-9)
    np.testing.assert_allclose(fit.intercept, theirs.params[0], rtol=1e-10)
    np.testing.assert_allclose(fit.standard_errors, theirs.bse[1:], rtol=1e-9)
    np.testing.assert_allclose(fit.intercept_error, theirs.bse[0], rtol=1e-9)
    np.testing.assert_allclose([fit.r2, fit.rss], [theirs.rsquared, theirs.ssr], rtol=1e-10)
    assert fit.df_residual == theirs.df_resid
    lines = inference.regression_summary(fit)
    order = [*range(1, 11), 0]
    np.testing.assert_allclose([line.p for line in lines], theirs.pvalues[order], atol=1e-12)
    np.testing.assert_allclose(
        [(line.low, line.high) for line in lines], theirs.conf_int()[order], rtol=1e-8
    )


def test_leverage_distance_inflation_and_intervals():
    X, y = DIABETES
    fit, Z = LinearRegression().fit(X, y), sm.add_constant(X)
    theirs = sm.OLS(y, Z).fit()
    known = theirs.get_influence()
    np.testing.assert_allclose(inference.leverage(X), known.hat_matrix_diag, rtol=1e-9)
    ours = inference.cooks_distance(fit, X, y)
    np.testing.assert_allclose(ours, known.cooks_distance[0], atol=1e-12)
    inflation = [variance_inflation_factor(Z, j + 1) for j in range(10)]
    np.testing.assert_allclose(inference.vif(X), inflation, rtol=1e-9)
    np.testing.assert_allclose(fit.vif, inflation, rtol=1e-9)
    band = theirs.get_prediction(Z[:7]).summary_frame(alpha=0.1)
    mean = inference.prediction_interval(fit, X[:7], 0.9)
    new = inference.prediction_interval(fit, X[:7], 0.9, "new")
    np.testing.assert_allclose(mean.low, band.mean_ci_lower, rtol=1e-10)
    np.testing.assert_allclose(new.high, band.obs_ci_upper, rtol=1e-10)


@pytest.mark.parametrize("ours", CONSTANTS, ids=lambda it: it.strategy)
def test_constants(ours):
    X, y = DIABETES
    strategy = "constant" if ours.strategy == "given" else ours.strategy
    theirs = DummyRegressor(strategy=strategy, constant=3.5)
    # Sums in another order.
    np.testing.assert_allclose(ours.fit(X, y).value, theirs.fit(X, y).predict(X)[0], rtol=1e-12)


def pinball(y, value, q):
    """Sum of tilted absolute differences."""
    return np.where(y > value, q * (y - value), (1 - q) * (value - y)).sum()


@pytest.mark.parametrize("q", [0.0, 0.05, 0.3, 0.5, 0.75, 1.0])
def test_quantiles_lose_no_more_than_theirs(q):
    X, y = DIABETES
    ours = ConstantRegressor(strategy="quantile", quantile=q).fit(X, y).value
    theirs = DummyRegressor(strategy="quantile", quantile=q).fit(X, y).predict(X)[0]
    # A quantile is a convention between two neighbours; all of them minimise the loss.
    assert pinball(y, ours, q) <= pinball(y, theirs, q) * (1 + 1e-12)
