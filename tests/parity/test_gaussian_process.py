"""Gaussian processes against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessClassifier as PeerClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as Reference
from sklearn.gaussian_process import kernels as theirs

from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.kernels.composed import Product, Scaled, Sum
from mlcore.kernels.products import Linear
from mlcore.kernels.radial import Matern, RationalQuadratic
from mlcore.kernels.rbf import RBF
from mlcore.regression.multi_output import MultiOutputRegressor

KERNELS = {
    "rbf": (RBF(gamma=0.5), theirs.RBF(1.0)),
    "scaled": (Scaled(kernel=RBF(gamma=2.0), factor=3.0), 3.0 * theirs.RBF(0.5)),
    "matern": (Matern(length_scale=0.7, smoothness="2.5"), theirs.Matern(0.7, nu=2.5)),
    "rational": (
        RationalQuadratic(length_scale=0.7, alpha=0.8),
        theirs.RationalQuadratic(length_scale=0.7, alpha=0.8),
    ),
    "sum": (Sum(first=RBF(gamma=0.5), second=Linear()), theirs.RBF() + theirs.DotProduct(1e-9)),
    "product": (
        Product(first=RBF(gamma=0.5), second=Matern(length_scale=2.0)),
        theirs.RBF() * theirs.Matern(2.0, nu=1.5),
    ),
}


def wave(n=80, seed=0):
    """A curved surface of two columns with noise, and rows that are not among them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 30, 2))
    y = 5.0 + 3.0 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=n + 30)
    return X[:n], y[:n], X[n:]


@pytest.mark.parametrize("name", KERNELS)
def test_the_posterior_is_that_of_scikit_learn(name):
    X, y, new = wave()
    kernel, their_kernel = KERNELS[name]
    fit = GPRegressor(kernel=kernel, noise=0.05, learn="none").fit(X, y)
    peer = Reference(their_kernel, alpha=0.05, optimizer=None, normalize_y=True).fit(X, y)
    mean, deviation = peer.predict(new, return_std=True)
    # Both factor the same matrix; what differs is how rounding is carried through it.
    np.testing.assert_allclose(fit.predict(new), mean, rtol=1e-8)
    np.testing.assert_allclose(fit.function_deviation(new), deviation, rtol=1e-8)
    assert fit.log_evidence == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-9)


@pytest.mark.parametrize("name", ["rbf", "scaled", "matern"])
def test_what_is_learned_is_that_of_scikit_learn(name):
    X, y, new = wave()
    kernel, their_kernel = KERNELS[name]
    fit = GPRegressor(kernel=kernel, tol=1e-6).fit(X, y)
    peer = Reference(their_kernel + theirs.WhiteKernel(0.1), normalize_y=True).fit(X, y)
    # Theirs stops where an iteration brings less than 2e-9 of the evidence.
    assert fit.log_evidence >= peer.log_marginal_likelihood_value_ - 1e-6
    mean, deviation = peer.predict(new, return_std=True)
    np.testing.assert_allclose(fit.predict(new), mean, rtol=1e-3)
    np.testing.assert_allclose(fit.predictive_deviation(new), deviation, rtol=1e-3)


def test_several_outputs_learn_the_kernel_of_scikit_learn():
    X, y, new = wave()
    Y = np.column_stack([y, 100 * X[:, 1] ** 2, X[:, 0] * X[:, 1]])
    Y += np.random.default_rng(1).normal(size=Y.shape) * [0.0, 20.0, 0.1]
    method = MultiOutputRegressor(regressor=GPRegressor(tol=1e-6), together=True)
    fit = method.fit(X, Y)
    peer = Reference(theirs.RBF() * 1.0 + theirs.WhiteKernel(0.1), normalize_y=True).fit(X, Y)
    evidence = sum(member.log_evidence for member in fit.members)
    assert evidence >= peer.log_marginal_likelihood_value_ - 1e-6
    mean, deviation = peer.predict(new, return_std=True)
    np.testing.assert_allclose(fit.predict(new), mean, rtol=1e-3)
    for j, member in enumerate(fit.members):
        np.testing.assert_allclose(member.predictive_deviation(new), deviation[:, j], rtol=1e-3)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", KERNELS)
def test_classes_are_those_of_scikit_learn(name, classes):
    X, y, Z = wave()
    y = np.searchsorted(np.quantile(y, np.arange(1, classes) / classes), y)
    kernel, covariance = KERNELS[name]
    fit = GPClassifier(kernel=kernel, learn="none").fit(X, y)
    peer = PeerClassifier(covariance, optimizer=None).fit(X, y)
    assert fit.log_evidence == pytest.approx(peer.log_marginal_likelihood_value_, abs=1e-6)
    bases = getattr(peer.base_estimator_, "estimators_", [peer.base_estimator_])
    for m, base in enumerate(bases):
        mean, variance = base.latent_mean_and_variance(Z)
        np.testing.assert_allclose(fit.latent(Z)[:, m], mean, atol=1e-6)
        np.testing.assert_allclose(fit.latent_deviation(Z)[:, m] ** 2, variance, atol=1e-6)
    # Theirs puts five error functions in place of the logistic function.
    np.testing.assert_allclose(fit.probabilities(Z), peer.predict_proba(Z), atol=1e-3)
    np.testing.assert_array_equal(fit.predict(Z), peer.predict(Z))


@pytest.mark.parametrize("classes", [2, 3])
def test_learned_evidence_of_classes_is_that_of_scikit_learn(classes):
    X, y, Z = wave()
    y = np.searchsorted(np.quantile(y, np.arange(1, classes) / classes), y)
    fit = GPClassifier(kernel=Scaled(kernel=RBF(gamma=0.5)), tol=1e-5).fit(X, y)
    peer = PeerClassifier(1.0 * theirs.RBF()).fit(X, y)
    assert fit.log_evidence >= peer.log_marginal_likelihood_value_ - 1e-6
    assert (fit.predict(Z) == peer.predict(Z)).all()
