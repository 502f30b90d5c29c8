"""Generalised linear regression against scikit-learn and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn import linear_model as peer

from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.spine.fit import Column

FAMILIES = {"gaussian": 0, "poisson": 1, "tweedie": 1.5, "gamma": 2, "inverse_gaussian": 3}
LOG = sm.families.links.Log()
THEIRS = {
    "gaussian": sm.families.Gaussian(),
    "poisson": sm.families.Poisson(),
    "tweedie": sm.families.Tweedie(LOG, var_power=1.5),
    "gamma": sm.families.Gamma(LOG),
    "inverse_gaussian": sm.families.InverseGaussian(LOG),
}


def rows(family: str, n: int = 150) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4)) + 1.0
    mean = np.exp(X @ [0.3, -0.2, 0.1, 0.0] + 0.5)
    drawn = {
        "gaussian": lambda: mean + rng.normal(size=n),
        "poisson": lambda: rng.poisson(mean).astype(float),
        "tweedie": lambda: np.array([rng.gamma(2, 0.5, k).sum() for k in rng.poisson(mean)]),
        "gamma": lambda: rng.gamma(2.0, mean / 2),
        "inverse_gaussian": lambda: rng.wald(mean, 3.0),
    }
    return X, drawn[family](), rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("family", FAMILIES)
def test_coefficients_are_those_of_scikit_learn(family, alpha):
    X, y, w = rows(family)
    ours = GeneralisedLinear(family=family, alpha=alpha).fit(X, y, weights=w)
    settings = {"power": FAMILIES[family], "alpha": alpha, "tol": 1e-10, "max_iter": 10_000}
    theirs = peer.TweedieRegressor(**settings).fit(X, y, sample_weight=w)
    # Theirs stops where L-BFGS makes no more progress.
    np.testing.assert_allclose(ours.coefficients, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept, theirs.intercept_, atol=1e-6)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    explained = 1 - ours.deviance / ours.null_deviance
    np.testing.assert_allclose(explained, theirs.score(X, y, sample_weight=w), atol=1e-8)


@pytest.mark.parametrize("family", FAMILIES)
def test_errors_and_dispersion_are_those_of_statsmodels(family):
    X, y, w = rows(family)
    ours = GeneralisedLinear(family=family, tol=1e-10).fit(X, y, weights=w)
    model = sm.GLM(y, sm.add_constant(X), family=THEIRS[family], var_weights=w)
    theirs = model.fit(tol=1e-12, maxiter=200)
    errors = np.append(ours.intercept_error, ours.standard_errors)
    np.testing.assert_allclose(errors, theirs.bse, rtol=1e-7)
    np.testing.assert_allclose(ours.dispersion, theirs.scale, rtol=1e-7)
    np.testing.assert_allclose(ours.deviance, theirs.deviance, rtol=1e-9)
    np.testing.assert_allclose(ours.null_deviance, theirs.null_deviance, rtol=1e-9)
    np.testing.assert_allclose(ours.pearson_dispersion, theirs.pearson_chi2 / 145, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:The Identity link")  # the peer's way to say what ours holds
@pytest.mark.parametrize("family", ["poisson", "gamma"])
def test_the_identity_as_link(family):
    X, y, _ = rows(family)
    X = np.abs(X)
    y = y + 2.0
    ours = GeneralisedLinear(family=family, link="identity").fit(X, y)
    identity = type(THEIRS[family])(sm.families.links.Identity())
    params = sm.GLM(y, sm.add_constant(X), family=identity).fit(tol=1e-13, maxiter=500).params
    np.testing.assert_allclose(np.append(ours.intercept, ours.coefficients), params, atol=1e-6)


@pytest.mark.parametrize("family", ["poisson", "gamma", "tweedie", "inverse_gaussian"])
def test_an_exposure_is_the_offset_of_statsmodels(family):
    X, y, w = rows(family)
    time = np.random.default_rng(4).uniform(0.2, 5.0, len(X))
    Z = np.insert(X, 2, time, axis=1)
    columns = tuple(map(Column, ("a", "b", "time", "c", "d")))
    ours = GeneralisedLinear(family=family, exposure="time", tol=1e-11)
    fit = ours.fit(Z, y, columns=columns, weights=w)
    model = sm.GLM(y, sm.add_constant(X), family=THEIRS[family], exposure=time, var_weights=w)
    theirs = model.fit(tol=1e-13, maxiter=300)
    own = np.append(fit.intercept, np.delete(fit.coefficients, 2))
    np.testing.assert_allclose(own, theirs.params, atol=1e-7)
    errors = np.append(fit.intercept_error, np.delete(fit.standard_errors, 2))
    np.testing.assert_allclose(errors, theirs.bse, rtol=1e-5)
    np.testing.assert_allclose(fit.predict(Z), theirs.fittedvalues, rtol=1e-6)
    np.testing.assert_allclose(fit.null_deviance, theirs.null_deviance, rtol=1e-9)


def test_shares_by_their_trials_are_those_of_statsmodels():
    rng = np.random.default_rng(5)
    X, trials = rng.normal(size=(120, 3)), rng.integers(1, 15, 120)
    y = rng.binomial(trials, 1.0 / (1.0 + np.exp(-X @ [1.0, -0.5, 0.0]))) / trials
    ours = GeneralisedLinear(family="binomial", tol=1e-11).fit(X, y, weights=trials)
    counts = np.column_stack([y * trials, trials - y * trials])
    theirs = sm.GLM(counts, sm.add_constant(X), family=sm.families.Binomial()).fit(tol=1e-14)
    np.testing.assert_allclose(np.append(ours.intercept, ours.coefficients), theirs.params,
                               rtol=1e-7)  # fmt: skip
    np.testing.assert_allclose(ours.standard_errors, theirs.bse[1:], rtol=1e-7)
    np.testing.assert_allclose(ours.deviance, theirs.deviance, rtol=1e-9)
    np.testing.assert_allclose(ours.null_deviance, theirs.null_deviance, rtol=1e-9)
    np.testing.assert_allclose(ours.pearson_dispersion, theirs.pearson_chi2 / 116, rtol=1e-7)
