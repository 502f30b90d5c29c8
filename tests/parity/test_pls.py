"""Partial least squares against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression as Peer
from sklearn.datasets import load_diabetes

from mlcore.maths.linear import signed
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.regression.pls import PLSRegression

RNG = np.random.default_rng(0)
TABLES = {
    "diabetes": load_diabetes(return_X_y=True),
    "wide": (RNG.normal(size=(40, 120)), RNG.normal(size=40)),
}


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [1, 4, 9])
def test_components_and_predictions(name, k, scale):
    X, y = TABLES[name]
    ours = PLSRegression(n_components=k, scale=scale).fit(X, y)
    theirs = Peer(k, scale=scale).fit(X, y)
    # The same by another order of the sums: rows keep their components, theirs lose them.
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X).ravel(), rtol=1e-9)
    for own, other in (
        (ours.axes, theirs.x_weights_.T),
        (ours.loadings, theirs.x_loadings_.T),
        (ours.rotations, theirs.x_rotations_.T),
        (ours.latent(X).T, theirs.x_scores_.T),
    ):
        np.testing.assert_allclose(signed(own), signed(other), atol=1e-8 * np.abs(own).max())


@pytest.mark.parametrize("k", [1, 2, 5])
def test_components_of_several_targets(k):
    """Both divide columns and targets by their spreads, and look at what is left of the columns."""
    X = RNG.normal(size=(60, 8)) @ RNG.normal(size=(8, 8))
    Y = X[:, :3] @ RNG.normal(size=(3, 3)) + RNG.normal(size=(60, 3)) * [1.0, 10.0, 0.1]
    inside = PLSRegression(n_components=k, scale=True)
    ours = MultiOutputRegressor(regressor=inside, together=True).fit(X, Y)
    theirs = Peer(k, scale=True, tol=1e-16, max_iter=100_000).fit(X, Y)
    # Theirs iterates to each direction, ours takes it from a decomposition.
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6, atol=1e-6)
    first, *others = ours.members
    np.testing.assert_allclose(signed(first.axes), signed(theirs.x_weights_.T), atol=1e-7)
    for member in others:
        np.testing.assert_array_equal(member.axes, first.axes)
    apart = MultiOutputRegressor(regressor=inside).fit(X, Y)
    assert np.abs(apart.predict(X) - ours.predict(X)).max() > 1e-2
