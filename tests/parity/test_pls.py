"""Partial least squares against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression as Peer
from sklearn.datasets import load_diabetes

from mlcore.maths.linear import signed
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
