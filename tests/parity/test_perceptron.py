"""The perceptron against scikit-learn, mistake by mistake."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as Peer

from mlcore.classification.perceptron import Perceptron


@pytest.mark.parametrize("passes", [1, 7])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("eta0", [1.0, 0.1])
def test_the_same_weights_after_the_same_mistakes(passes, bias, eta0):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fit = Perceptron(max_iter=passes, learn_bias=bias, eta0=eta0).fit(X, y)
    other = Peer(max_iter=passes, tol=None, shuffle=False, fit_intercept=bias, eta0=eta0).fit(X, y)
    # They learn where y f <= 0, we where the sign is wrong and 0 is positive: the same unless a
    # score is exactly 0, as for the first row without weights, which here is of the negative class.
    assert y[0] == 0
    np.testing.assert_allclose(fit.coefficients, other.coef_[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fit.intercept, np.ravel(other.intercept_)[0], atol=1e-9)


def test_the_same_weights_where_rows_weigh():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    w = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    fit = Perceptron(max_iter=3).fit(X, y, weights=w)
    other = Peer(max_iter=3, tol=None, shuffle=False).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(fit.coefficients, other.coef_[0], rtol=1e-9, atol=1e-9)
