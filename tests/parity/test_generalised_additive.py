"""Generalised additive regression against statsmodels, with the same splines and penalty."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.gam.api import GLMGam
from statsmodels.gam.smooth_basis import GenericSmoothers, UnivariateGamSmoother

from mlcore.basis.splines import b_splines
from mlcore.regression.generalised_additive import GeneralisedAdditive

RNG = np.random.default_rng(2)
X = RNG.uniform(-1, 1, (120, 2))
LINKED = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
TARGETS = {
    "gaussian": (LINKED + 0.3 * RNG.normal(size=120), sm.families.Gaussian()),
    "poisson": (RNG.poisson(np.exp(LINKED)).astype(float), sm.families.Poisson()),
    "gamma": (
        RNG.gamma(2.0, np.exp(LINKED) / 2), sm.families.Gamma(sm.families.links.Log())
    ),
    "binomial": (
        (RNG.random(120) < 1.0 / (1.0 + np.exp(-LINKED))).astype(float), sm.families.Binomial()
    ),
}  # fmt: skip


class Splines(UnivariateGamSmoother):
    """Ten cubic B-splines without the last, and squared second differences of the ten."""

    def _smooth_basis_for_single_variable(self):
        x = self.x
        B = b_splines(x, x.min(), x.max(), 10, 3)
        D = np.diff(np.eye(10), n=2, axis=0)
        # Equal weights are a constant, which the intercept has: fixing one at 0 loses nothing.
        return B[:, :-1], B[:, :-1], B[:, :-1], (D.T @ D)[:-1, :-1]


@pytest.mark.parametrize("strength", [0.1, 5.0])
@pytest.mark.parametrize("family", TARGETS)
def test_fitted_values_and_freedom_are_theirs(family, strength):
    y, theirs = TARGETS[family]
    ours = GeneralisedAdditive(
        family=family,
        smoothing="given",
        strength=2 * strength,
        n_splines=10,  # theirs is doubled
    ).fit(X, y)
    smoothers = GenericSmoothers(X, [Splines(X[:, j]) for j in range(2)])
    model = GLMGam(y, exog=np.ones((120, 1)), smoother=smoothers, alpha=[strength] * 2,
                   family=theirs)  # fmt: skip
    fit = model.fit(maxiter=200, tol=1e-12)
    np.testing.assert_allclose(ours.predict(X), fit.fittedvalues, rtol=1e-6)
    if family != "gamma":  # theirs are by the observed curvature there, ours by its expectation
        assert ours.dof.sum() + 1 == pytest.approx(fit.edf.sum(), rel=1e-6)
