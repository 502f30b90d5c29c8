"""The Gaussian mixture against scikit-learn, from the same parameters."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Reference

from benchmarks.rows.mixture import KINDS, precisions
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.mixture_starts import GivenParameters

TABLES = {"iris": load_iris().data, "wine": load_wine().data}
TURNS = 20


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 5])
def test_the_same_likelihood_in_every_turn(name, kind, k):
    X = TABLES[name]
    means = X[np.random.default_rng(k).permutation(len(X))[:k]]
    variances = np.tile(X.var(axis=0) if kind != "spherical" else X.var(axis=0).mean(), (k, 1))
    variances = np.broadcast_to(variances, means.shape)
    theirs = Reference(
        k, covariance_type=kind, means_init=means, weights_init=np.full(k, 1 / k),
        precisions_init=precisions(kind, 1 / variances), tol=0, max_iter=TURNS,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as many turns as are compared
        theirs.fit(X)
    start = GivenParameters(
        means=tuple(means.ravel()), shares=(1,) * k, spreads=tuple(variances.ravel())
    )
    method = GaussianMixture(
        n_components=k, covariance=kind, init=start, collapse="keep", tol=0, max_iter=TURNS
    )
    # Theirs goes on at the maximum, where ours stops: a turn there adds rounding alone.
    ours = np.array([step.objective for step in method.steps(X)])[::2][:TURNS] / len(X)
    # All turns, or as many as there are until the maximum, which rounding decides.
    assert len(ours) == TURNS or ours[-1] - ours[-2] < 1e-12
    # Sums of the same numbers in another order; the covariances of 5 components are thin.
    np.testing.assert_allclose(ours, theirs.lower_bounds_[: len(ours)], atol=1e-8, rtol=0)
    fit = method.fit(X)
    if fit.stop.kind != "limit":
        return
    np.testing.assert_allclose(fit.log_density(X), theirs.score_samples(X), atol=1e-7)
    np.testing.assert_allclose(fit.responsibilities(X), theirs.predict_proba(X), atol=1e-7)
    assert fit.aic == pytest.approx(theirs.aic(X), rel=1e-9)
    assert fit.bic == pytest.approx(theirs.bic(X), rel=1e-9)
