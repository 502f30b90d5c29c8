"""Several classes from rules for two against scikit-learn, on equal rules and codes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import linear_model as peer
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

from mlcore.classification.multiclass import Multiclass
from mlcore.classification.multiclass_codes import ErrorCorrecting
from mlcore.kernels.rbf import RBF
from mlcore.svm.svc import SVC

TABLES = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
RULES = {
    "logistic": ("logistic", peer.LogisticRegression(solver="newton-cholesky", tol=1e-12)),
    "lda": ("lda", LinearDiscriminantAnalysis()),
}
# Both rules are solved to slopes of 1e-8 a row, or in closed form; scores add a few of them.
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


def scaled(name):
    X, y = TABLES[name]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("rule", RULES)
def test_one_against_the_rest(name, rule):
    X, y = scaled(name)
    ours, theirs = RULES[rule]
    fit, other = Multiclass(estimator=ours).fit(X, y), OneVsRestClassifier(theirs).fit(X, y)
    np.testing.assert_allclose(fit.scores(X), other.decision_function(X), **CLOSE)
    np.testing.assert_allclose(fit.probabilities(X), other.predict_proba(X), **CLOSE)
    np.testing.assert_array_equal(fit.predict(X), other.predict(X))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("rule", RULES)
def test_one_against_one(name, rule):
    X, y = scaled(name)
    ours, theirs = RULES[rule]
    fit = Multiclass(estimator=ours, code="one_vs_one", decode="votes").fit(X, y)
    other = OneVsOneClassifier(theirs).fit(X, y)
    np.testing.assert_allclose(fit.decision(X), other.decision_function(X), **CLOSE)
    np.testing.assert_array_equal(fit.predict(X), other.predict(X))


def test_error_correcting_words():
    X, y = scaled("wine")
    rule, code = RULES["logistic"][1], ErrorCorrecting(kind="exhaustive")
    fit = Multiclass(code=code, decode="margins").fit(X, y)
    other = OutputCodeClassifier(rule).fit(X, y)
    # Theirs draws its words; it is given ours, and fits its rules to them.
    other.code_book_ = fit.code
    sides = fit.code[y] > 0
    other.estimators_ = [type(rule)(**rule.get_params()).fit(X, side) for side in sides.T]
    np.testing.assert_array_equal(fit.predict(X), other.predict(X))
    # Theirs takes the nearest word; of words without 0 that is the largest sum of margins.
    far = euclidean_distances(fit.scores(X), fit.code, squared=True)
    assert np.ptp(far + 2 * fit.decision(X), axis=1).max() < 1e-9


@pytest.mark.parametrize("name", TABLES)
def test_weights_reach_the_rules(name):
    X, y = scaled(name)
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    fit = Multiclass(code="one_vs_one", decode="votes").fit(X, y, weights=w)
    repeated = np.repeat(np.arange(len(y)), w.astype(int))
    other = OneVsOneClassifier(RULES["logistic"][1]).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(fit.decision(X), other.decision_function(X), **CLOSE)


@pytest.mark.parametrize(("own", "code"), [("ovo", "one_vs_one"), ("ovr", "one_vs_rest")])
def test_the_support_vector_classifier_by_itself_and_from_its_machines(own, code):
    X, y = scaled("wine")
    machine = SVC(kernel=RBF(gamma=0.05), multiclass=own, tol=1e-8)
    fit = Multiclass(estimator=machine, code=code, decode="votes" if own == "ovo" else "loss")
    found, direct = fit.fit(X, y), machine.fit(X, y)
    # Machines are solved to violations of 1e-8.
    np.testing.assert_allclose(found.scores(X), direct.values(X), atol=1e-6)
    np.testing.assert_array_equal(found.predict(X), direct.predict(X))
