"""Fisher's rule: its axis and middle are those of LDA, its thresholds those of their definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from mlcore.classification.fisher_rule import ALWAYS, FLAT, FisherRule
from mlcore.classification.lda import LDA


def clouds(K=2, n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, size=n)
    return rng.normal(size=(n, 3)) * (1.0 + y[:, None]) + 2.0 * np.eye(K, 3)[y], y


@pytest.mark.parametrize("K", [2, 3])
def test_midway_it_is_linear_discriminants_of_equal_shares(K):
    X, y = clouds(K)
    fit, peer = FisherRule().fit(X, y), LDA(prior="equal").fit(X, y)
    np.testing.assert_array_equal(fit.predict(X), peer.predict(X))
    ours = fit.coefficients - (fit.coefficients.mean(axis=0) if K > 2 else 0.0)
    theirs = peer.coefficients - (peer.coefficients.mean(axis=0) if K > 2 else 0.0)
    ratio = np.ravel(theirs) / np.ravel(ours)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-8)


def test_normal_densities_meet_at_the_threshold():
    X, y = clouds(seed=1)
    w = np.random.default_rng(2).uniform(0.5, 2.0, len(y))
    fit = FisherRule(threshold="gaussian").fit(X, y, weights=w)
    z, density = fit.decision(X), []
    for k in (0, 1):
        own = w * (y == k)
        mean = own @ z / own.sum()
        sd = np.sqrt(own @ (z - mean) ** 2 / own.sum())
        density.append(own.sum() * norm.pdf(0.0, mean, sd))
    assert density[0] == pytest.approx(density[1], rel=1e-6)


def test_no_threshold_has_fewer_errors_than_that_of_least_error():
    X, y = clouds(seed=3)
    w = np.random.default_rng(4).uniform(0.5, 2.0, len(y))
    fit = FisherRule(threshold="least_error").fit(X, y, weights=w)
    z = fit.decision(X)
    others = [w @ ((z > t) != y) for t in np.append(z, z.min() - 1.0)]
    assert w @ ((z > 0) != y) == pytest.approx(min(others))


def test_classes_that_are_parted_without_error_have_a_threshold_of_least_error():
    """Weights that are no sums of powers of two leave a least error a little below 0."""
    X, y = [[2.0], [1.0], [0.0], [10.0], [11.0], [12.0]], [0, 0, 0, 1, 1, 1]
    fit = FisherRule(threshold="least_error").fit(X, y, weights=[0.3, 0.2, 0.1, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(fit.predict(X), y)
    assert fit.predict([[5.9], [6.1]]).tolist() == [0, 1]  # midway of the rows on either side


def test_where_densities_never_meet_it_says_so_and_stays_midway():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [400, 20])
    X = rng.normal(size=(420, 1)) + 0.05 * y[:, None]
    fit = FisherRule(threshold="gaussian").fit(X, y)
    assert ALWAYS in fit.notes
    assert fit.intercept == FisherRule().fit(X, y).intercept


@pytest.mark.parametrize("first", [1.0, 1e6, 0.1 + 1e-15 * np.arange(5.0)[:, None]])
def test_where_a_class_does_not_vary_it_says_so_and_stays_midway(first):
    """Its density is a spike: at its mean without bound, elsewhere 0."""
    y = np.repeat([0, 1], 5)
    X = np.vstack([np.broadcast_to(first, (5, 1)), np.arange(3.0, 8.0)[:, None]])
    fit = FisherRule(threshold="gaussian").fit(X, y)
    assert FLAT in fit.notes and ALWAYS not in fit.notes
    assert fit.intercept == FisherRule().fit(X, y).intercept
