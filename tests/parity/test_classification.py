"""Logistic regression, discriminants and the constant class against other libraries."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn import linear_model as peer
from sklearn.covariance import ledoit_wolf as their_ledoit_wolf
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid

from mlcore.classification.constant import ConstantClassifier
from mlcore.classification.lda import LDA
from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.nearest_mean import NearestMean
from mlcore.classification.priors import GivenShares
from mlcore.classification.qda import QDA
from mlcore.classification.scatter import ClassedRows, class_means, ledoit_wolf, within_classes
from mlcore.optimisation.fista import Fista
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.penalties import L1, L2, ElasticNetPenalty

RNG = np.random.default_rng(0)


def scaled(load):
    """Rows with columns of mean 0 and spread 1 (or 0), and classes."""
    X, y = load(return_X_y=True)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1), y


WIDE = RNG.normal(size=(60, 80))
TABLES = {
    "iris": load_iris(return_X_y=True),
    "wine": scaled(load_wine),
    "cancer": scaled(load_breast_cancer),
    "wide": (WIDE, (WIDE[:, 0] + WIDE[:, 1] > 0).astype(int) + (WIDE[:, 2] > 1)),
}
WEIGHTS = {name: RNG.integers(0, 4, len(y)).astype(float) for name, (_, y) in TABLES.items()}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("solver", [Newton(), LBFGS()], ids=lambda it: it.card.name)
@pytest.mark.parametrize("alpha", [0.05, 1.0, 50.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_logistic(name, solver, alpha, weighted):
    X, y = TABLES[name]
    w = WEIGHTS[name] if weighted else np.ones(len(y))
    ours = LogisticRegression(penalty=L2(alpha=alpha), solver=solver, max_iter=500, tol=3e-10)
    theirs = peer.LogisticRegression(
        C=1 / alpha, solver="newton-cholesky", tol=1e-10, max_iter=1000
    )
    fit, other = ours.fit(X, y, weights=w), theirs.fit(X, y, sample_weight=w)
    # Slopes of 3e-10 a row over a curvature of at least 0.05 leave 1e-6 of the coefficients.
    other_coefficients = other.coef_[0] if len(other.classes_) == 2 else other.coef_
    np.testing.assert_allclose(fit.coefficients, other_coefficients, atol=1e-5)
    np.testing.assert_allclose(fit.probabilities(X), other.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("name", ["iris", "wine"])
@pytest.mark.parametrize("solver", [Newton(), Fista()], ids=lambda it: it.card.name)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_logistic_with_corners(name, solver, l1_ratio):
    X, y = TABLES[name]
    penalty = L1(alpha=2.0) if l1_ratio == 1 else ElasticNetPenalty(alpha=2.0, l1_ratio=0.5)
    fit = LogisticRegression(penalty=penalty, solver=solver, max_iter=20_000).fit(X, y)
    theirs = peer.LogisticRegression(
        C=0.5, l1_ratio=l1_ratio, solver="saga", tol=1e-9, max_iter=100_000
    )
    # saga stops when coefficients change by less than 1e-9 of the largest in a pass.
    np.testing.assert_allclose(fit.coefficients, theirs.fit(X, y).coef_, atol=1e-4)


def test_one_against_the_others():
    X, y = TABLES["wine"]
    fit = LogisticRegression(loss="sigmoids").fit(X, y)
    each = OneVsRestClassifier(peer.LogisticRegression(solver="newton-cholesky", tol=1e-12))
    each.fit(X, y)
    # Each class is a problem of its own, solved to slopes of 1e-8 a row.
    W = np.vstack([one.coef_ for one in each.estimators_])
    np.testing.assert_allclose(fit.coefficients, W, atol=1e-5)
    np.testing.assert_allclose(fit.probabilities(X), each.predict_proba(X), atol=1e-6)


def test_standard_errors_of_two_classes():
    X, y = TABLES["iris"]
    X, y = X[y > 0], y[y > 0]
    fit = LogisticRegression(penalty="none").fit(X, y)
    theirs = sm.Logit((y == 2).astype(float), sm.add_constant(X)).fit(disp=0, tol=1e-12)
    # Both stop by the slope; the curvature is flat here, and spreads are its inverse root.
    np.testing.assert_allclose(fit.log_likelihood, theirs.llf, rtol=1e-9)
    np.testing.assert_allclose(fit.standard_errors, theirs.bse[1:], rtol=1e-5)
    np.testing.assert_allclose(fit.intercept_error, theirs.bse[0], rtol=1e-5)


def test_standard_errors_of_three_classes():
    X, y = load_wine(return_X_y=True)
    X = X[:, :3]
    fit = LogisticRegression(penalty="none", reference="first").fit(X, y)
    theirs = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12)
    np.testing.assert_allclose(fit.log_likelihood, theirs.llf, rtol=1e-10)
    # As above.
    np.testing.assert_allclose(fit.coefficients[1:].T, theirs.params[1:], rtol=1e-5)
    np.testing.assert_allclose(fit.standard_errors[1:].T, theirs.bse[1:], rtol=1e-6)
    np.testing.assert_allclose(fit.intercept_error[1:], theirs.bse[0], rtol=1e-6)
    assert (fit.standard_errors[0] == 0).all()


def test_standard_errors_of_contrasts_with_the_mean_of_three_classes():
    X, y = load_wine(return_X_y=True)
    X = X[:, :3]
    fit = LogisticRegression(penalty="none").fit(X, y)
    theirs = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12)
    given = np.c_[np.zeros(4), theirs.params]  # (q, K), of the first class 0
    covariance = np.asarray(theirs.cov_params()).reshape(2, 4, 2, 4)
    for k in range(3):
        line, weights = fit.odds_of(k), (np.arange(3) == k) - 1 / 3
        ours = np.r_[line.intercept, line.coefficients]
        # Both stop by the slope, and a coefficient near 0 has few digits.
        np.testing.assert_allclose(ours, given @ weights, rtol=1e-5, atol=1e-6)
        variance = np.einsum("a,ajbj,b->j", weights[1:], covariance, weights[1:])
        errors = np.r_[line.intercept_error, line.standard_errors]
        np.testing.assert_allclose(errors, variance**0.5, rtol=1e-6)


PRIORS = {"empirical": None, "equal": np.full(3, 1 / 3), "given": np.array([0.2, 0.5, 0.3])}


@pytest.mark.parametrize("name", ["iris", "wine", "wide", "digits"])
@pytest.mark.parametrize("prior", PRIORS)
def test_lda(name, prior):
    X, y = load_digits(n_class=3, return_X_y=True) if name == "digits" else TABLES[name]
    shares = GivenShares(values=tuple(PRIORS["given"])) if prior == "given" else prior
    fit = LDA(prior=shares).fit(X, y)
    settings = {"priors": PRIORS[prior], "tol": 1e-10, "store_covariance": name != "wide"}
    theirs = LinearDiscriminantAnalysis(**settings).fit(X, y)
    if prior == "empirical" and name != "wide":  # theirs weighs classes by the prior
        np.testing.assert_allclose(fit.covariance, theirs.covariance_, rtol=0, atol=1e-12)
    # Two decompositions of the same scatter, whose condition number is below 1e4 once scaled.
    np.testing.assert_allclose(fit.probabilities(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_array_equal(fit.predict(X), theirs.predict(X))
    if prior == "empirical":  # theirs weighs the classes of the axes by the prior, ours by rows
        shares = theirs.explained_variance_ratio_
        np.testing.assert_allclose(fit.shares, shares, atol=1e-12)
        Z, other = fit.transform(X), theirs.transform(X)
        np.testing.assert_allclose(Z * np.sign((Z * other).sum(axis=0)), other, atol=1e-9)


@pytest.mark.parametrize("name", ["iris", "wine", "cancer"])
@pytest.mark.parametrize("prior", PRIORS)
def test_qda(name, prior):
    X, y = TABLES[name]
    if name == "cancer" and prior == "given":
        pytest.skip("three shares for two classes")
    theirs = QuadraticDiscriminantAnalysis(
        priors=None if prior == "empirical" else PRIORS[prior][: y.max() + 1] * 3 / (y.max() + 1),
        tol=1e-12,
    ).fit(X, y)
    shares = GivenShares(values=tuple(PRIORS["given"])) if prior == "given" else prior
    fit = QDA(prior=shares).fit(X, y)
    # Cholesky factors against singular values, of condition numbers below 1e4 once scaled.
    np.testing.assert_allclose(fit.probabilities(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_array_equal(fit.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", TABLES)
def test_nearest_mean(name):
    X, y = TABLES[name]
    fit, theirs = NearestMean().fit(X, y), NearestCentroid().fit(X, y)
    # The same means, summed in another order.
    np.testing.assert_allclose(fit.means, theirs.centroids_, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(fit.predict(X), theirs.predict(X))


def test_automatic_shrinkage():
    for X, y in (TABLES["wine"], TABLES["wide"]):
        _, means = class_means(X, y, None, 3)
        left = X - means[y]
        theirs = their_ledoit_wolf(left / left.std(axis=0), assume_centered=True)[1]
        ours = ledoit_wolf(within_classes(ClassedRows(X, y, None, means)))
        # The same ratio of sums, added in another order.
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (ConstantClassifier(), DummyClassifier(strategy="prior")),
        (ConstantClassifier(strategy="majority"), DummyClassifier(strategy="most_frequent")),
        (
            ConstantClassifier(strategy="given", number=2),
            DummyClassifier(strategy="constant", constant=1),
        ),
    ],
)
def test_constants(ours, theirs):
    X, y = TABLES["wide"]
    fit, other = ours.fit(X, y), theirs.fit(X, y)
    np.testing.assert_array_equal(fit.predict(X), other.predict(X))
    np.testing.assert_allclose(fit.probabilities(X), other.predict_proba(X), rtol=1e-15)
