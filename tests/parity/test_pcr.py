"""Principal component regression against PCA and least squares of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from mlcore.regression.pcr import PrincipalComponentRegression

RNG = np.random.default_rng(0)
TABLES = {
    "diabetes": load_diabetes(return_X_y=True),
    "wide": (RNG.normal(size=(40, 120)), RNG.normal(size=40)),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [1, 4, 10])
def test_predictions(name, k):
    X, y = TABLES[name]
    ours = PrincipalComponentRegression(n_components=k).fit(X, y)
    theirs = make_pipeline(PCA(k, svd_solver="full"), LinearRegression()).fit(X, y)
    # The same decomposition, from a triangle of the rows and from the rows.
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
