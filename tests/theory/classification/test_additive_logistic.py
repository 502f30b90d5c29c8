"""What is known of additive logistic regression."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.additive_logistic import AdditiveLogistic
from mlcore.classification.logistic import LogisticRegression
from mlcore.optimisation.penalties import L2
from mlcore.regression.families import BinomialFamily
from mlcore.regression.generalised_additive import GeneralisedAdditive

RNG = np.random.default_rng(3)
X = RNG.normal(size=(150, 2))
LOG_ODDS = 2.0 - 2.0 * X[:, 0] ** 2 + X[:, 1]
Y = (RNG.random(150) < 1.0 / (1.0 + np.exp(-LOG_ODDS))).astype(int)
GIVEN = {"smoothing": "given", "n_splines": 8}


def test_two_classes_are_the_binomial_family_of_the_regression():
    # Which has its parity with statsmodels.
    ours = AdditiveLogistic(alpha=0.0, strength=2.0, **GIVEN).fit(X, Y)
    other = GeneralisedAdditive(family=BinomialFamily(), strength=2.0, **GIVEN).fit(
        X, Y.astype(float)
    )
    np.testing.assert_allclose(ours.probabilities(X)[:, 1], other.predict(X), rtol=1e-9)


def test_strong_smoothing_is_logistic_regression_with_a_penalty():
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    stiff = AdditiveLogistic(alpha=3.0, strength=1e9, **GIVEN).fit(Z, Y)
    plane = LogisticRegression(penalty=L2(alpha=3.0)).fit(Z, Y)
    np.testing.assert_allclose(stiff.decision(Z), plane.decision(Z), atol=1e-5)


def test_the_hump_is_seen_and_the_terms_add_up():
    fit = AdditiveLogistic().fit(X, Y)
    first, second = fit.terms_of(1), fit.terms_of(0)
    terms = [first.term(X, [j])[:, 0] for j in range(2)]
    np.testing.assert_allclose(first.intercept + sum(terms), fit.decision(X))
    np.testing.assert_allclose(second.term(X, [0])[:, 0], -terms[0])
    assert np.corrcoef(terms[0], -(X[:, 0] ** 2))[0, 1] > 0.97  # 150 rows of 0 and 1
    assert first.dof[0] > 2


def test_classes_that_can_be_separated_have_finite_odds():
    labels = np.digitize(X[:, 0], [-0.5, 0.5])
    fit = AdditiveLogistic(n_splines=8).fit(X, labels)
    P = fit.probabilities(X)
    assert np.abs(fit.decision(X)).max() < 100
    assert P.sum(axis=1) == pytest.approx(1.0)
    assert (fit.predict(X) == labels).mean() > 0.95
    loose = AdditiveLogistic(n_splines=8, alpha=0.0).fit(X, labels)
    assert "classes that can be separated have no best curves" in loose.notes[0]
