"""Support vector machines and kernels against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import datasets
from sklearn.metrics import pairwise
from sklearn.svm import SVC as Reference
from sklearn.svm import LinearSVC

from mlcore.kernels.columnwise import ChiSquare
from mlcore.kernels.gram import gram
from mlcore.kernels.kernel import scale_gamma
from mlcore.kernels.products import Linear, Polynomial, Sigmoid
from mlcore.kernels.radial import Laplacian
from mlcore.kernels.rbf import RBF
from mlcore.svm.smo import SMO
from mlcore.svm.svc import SVC

KERNELS = {
    "rbf": (RBF(gamma=0.3), {"gamma": 0.3}),
    "linear": (Linear(), {"kernel": "linear"}),
    "polynomial": (
        Polynomial(degree=2, gamma=0.5, coef0=1.0),
        {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0},
    ),
    "scale": (RBF(), {}),
}


def unbalanced():
    """Ninety rows of one class and ten of the other, which lie among them."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(100, 4)) + 1.2 * (np.arange(100) >= 90)[:, None], np.arange(100) >= 90


def twice():
    """Every row twice there."""
    X, y = datasets.make_moons(60, noise=0.3, random_state=0)
    return np.repeat(X, 2, axis=0), np.repeat(y, 2)


def wide():
    """More columns than rows."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 90)) / 5
    return X, (X[:, :3].sum(axis=1) > 0).astype(int)


DATA = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "moons": lambda: datasets.make_moons(300, noise=0.25, random_state=1),
    "unbalanced": unbalanced,
    "twice": twice,
    "wide": wide,
}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("name", KERNELS)
def test_decisions_are_those_of_scikit_learn(name, C, data):
    X, y = DATA[data]()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernel, settings = KERNELS[name]
    fit = SVC(kernel=kernel, C=C).fit(X, y)
    peer = Reference(C=C, tol=1e-9, decision_function_shape="ovr", **settings).fit(X, y)
    # Ours is exact; theirs keeps the kernel in single precision, whose rounding every multiplier
    # carries on. Where no row is free, both take the middle of the offsets that are as good.
    rounding = 1e-7 * np.abs(fit.duals).sum() * np.abs(kernel.resolve(X).diag(X)).max()
    np.testing.assert_allclose(
        fit.decision(X), peer.decision_function(X), rtol=0, atol=1e-6 + rounding
    )
    np.testing.assert_allclose(fit.primal, fit.dual, rtol=1e-8)


@pytest.mark.parametrize("C", [1.0, 50.0])
def test_many_rows_stop_at_the_same_objective(C):
    X, y = datasets.make_moons(1500, noise=0.3, random_state=2)
    fit = SVC(kernel=RBF(gamma=1.0), C=C, solver=SMO(working_set=128)).fit(X, y)
    peer = Reference(gamma=1.0, C=C).fit(X, y)
    # Both stop where no pair violates the conditions by more than 1e-3; far from the border that
    # leaves more.
    np.testing.assert_allclose(fit.decision(X), peer.decision_function(X), atol=2e-2)
    beta = peer.dual_coef_[0]
    K = pairwise.rbf_kernel(X[peer.support_], gamma=1.0)
    theirs = np.abs(beta).sum() - beta @ K @ beta / 2
    np.testing.assert_allclose(fit.dual, theirs, rtol=1e-5)


@pytest.mark.parametrize("balance", [None, "balanced"])
def test_weights_are_those_of_scikit_learn(balance):
    X, y = unbalanced()
    w = np.random.default_rng(0).uniform(0.2, 2.0, len(X))
    fit = SVC(class_weight=balance or "none", kernel=RBF(gamma=0.3)).fit(X, y, weights=w)
    if balance is None:
        peer = Reference(gamma=0.3, tol=1e-9).fit(X, y, sample_weight=w)
    else:  # theirs balances the counts of the rows, ours their weights
        own = np.bincount(y, weights=w)
        peer = Reference(gamma=0.3, tol=1e-9).fit(
            X, y, sample_weight=w * (w.sum() / (2 * own))[y.astype(int)]
        )
    np.testing.assert_allclose(fit.decision(X), peer.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        (RBF(gamma=0.7), lambda X, Z: pairwise.rbf_kernel(X, Z, gamma=0.7)),
        (Linear(), pairwise.linear_kernel),
        (
            Polynomial(degree=3, gamma=0.5, coef0=2.0),
            lambda X, Z: pairwise.polynomial_kernel(X, Z, degree=3, gamma=0.5, coef0=2.0),
        ),
        (
            Sigmoid(gamma=0.2, coef0=0.1),
            lambda X, Z: pairwise.sigmoid_kernel(X, Z, gamma=0.2, coef0=0.1),
        ),
        (
            Laplacian(gamma=0.4, metric="l1"),
            lambda X, Z: pairwise.laplacian_kernel(X, Z, gamma=0.4),
        ),
        (ChiSquare(gamma=0.3), lambda X, Z: pairwise.chi2_kernel(X, Z, gamma=0.3)),
    ],
)
def test_gram_matrices_are_those_of_scikit_learn(kernel, theirs):
    rng = np.random.default_rng(0)
    X, Z = np.abs(rng.normal(size=(30, 4))), np.abs(rng.normal(size=(20, 4)))
    np.testing.assert_allclose(gram(kernel, X, Z), theirs(X, Z), atol=1e-12, rtol=1e-12)
    np.testing.assert_allclose(gram(kernel, X), theirs(X, X), atol=1e-12, rtol=1e-12)


def test_the_scale_of_rows_is_that_of_scikit_learn():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 10, 0.1] + [5, 0, -1]
    np.testing.assert_allclose(scale_gamma(X), 1.0 / (3 * X.var()), rtol=1e-12)
    w = np.random.default_rng(1).integers(1, 4, 50)
    np.testing.assert_allclose(scale_gamma(X, w), scale_gamma(np.repeat(X, w, axis=0)), rtol=1e-12)


# A fixed seed: with some orders of the rows theirs goes round at the end and never stops.
LIBLINEAR = {"tol": 1e-10, "max_iter": 10**6, "random_state": 0}


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("data", ["iris", "unbalanced"])
def test_one_machine_of_all_classes_is_that_of_liblinear(data, C):
    X, y = DATA[data]()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fit = SVC(kernel="linear", C=C, multiclass="crammer_singer", tol=1e-9).fit(X, y)
    peer = LinearSVC(C=C, multi_class="crammer_singer", fit_intercept=False, **LIBLINEAR).fit(X, y)
    np.testing.assert_allclose(fit.decision(X), peer.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_without_an_intercept_it_is_that_of_liblinear(loss):
    X, y = DATA["moons"]()
    fit = SVC(kernel="linear", loss=loss, C=0.5, intercept=False).fit(X, y)
    price = 0.5 if loss == "hinge" else 0.25  # theirs does not halve squares
    peer = LinearSVC(C=price, loss=loss, fit_intercept=False, **LIBLINEAR).fit(X, y)
    np.testing.assert_allclose(fit.decision(X), peer.decision_function(X), atol=1e-6)


def test_a_hard_margin_is_that_of_scikit_learn():
    X, y = DATA["wide"]()
    fit = SVC(kernel="linear", C=None).fit(X, y)
    peer = Reference(kernel="linear", C=1e10, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(fit.decision(X), peer.decision_function(X), atol=1e-6)
