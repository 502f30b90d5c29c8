"""Kernel ridge regression against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge as Peer

from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.kernels.products import Polynomial
from mlcore.kernels.rbf import RBF

X, Y = load_diabetes(return_X_y=True)
KERNELS = {
    "rbf": (RBF(gamma=30.0), {"kernel": "rbf", "gamma": 30.0}),
    "poly": (
        Polynomial(degree=3, gamma=20.0, coef0=1.0),
        {"kernel": "poly", "degree": 3, "gamma": 20.0, "coef0": 1.0},
    ),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("weights", [None, np.arange(442) % 3])
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_predictions(name, weights, alpha):
    kernel, theirs = KERNELS[name]
    ours = KernelRidge(kernel=kernel, alpha=alpha, offset=False).fit(X, Y, weights=weights)
    other = Peer(alpha=alpha, **theirs).fit(X, Y, sample_weight=weights)
    # One system of equations, factored by both.
    np.testing.assert_allclose(ours.predict(X), other.predict(X), rtol=1e-8)
