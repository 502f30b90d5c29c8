"""Facts about the nearest mean: the bisector, golden counts, weights, remote tables."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mlcore.classification.logits import discriminant_coefficients
from mlcore.classification.nearest_mean import NearestMean
from mlcore.classification.qda import QDA

IRIS, SPECIES = load_iris(return_X_y=True)
TWO = SPECIES > 0


def test_golden_counts_of_iris():
    assert (NearestMean().fit(IRIS, SPECIES).predict(IRIS) == SPECIES).sum() == 139


def test_the_border_halves_the_way_between_the_means_and_stands_upright_on_it():
    fit = NearestMean().fit(IRIS[TWO], SPECIES[TWO])
    minus, plus = fit.means
    np.testing.assert_allclose(fit.decision([(minus + plus) / 2]), 0.0, atol=1e-14)
    np.testing.assert_allclose(fit.coefficients, plus - minus)
    assert fit.intercept == pytest.approx((minus @ minus - plus @ plus) / 2, rel=1e-12)
    scores = IRIS @ fit.coefficients + fit.intercept
    np.testing.assert_allclose(fit.decision(IRIS), scores, atol=1e-12)


def test_scores_are_halves_of_squared_distances_up_to_what_all_share():
    fit = NearestMean().fit(IRIS, SPECIES)
    halves = -((IRIS[:, None] - fit.means) ** 2).sum(axis=2) / 2
    shared = fit.decision(IRIS) - halves
    np.testing.assert_allclose(shared, shared[:, [0, 0, 0]], atol=1e-12)
    plane = discriminant_coefficients(fit, 0, 2)
    difference = halves[:, 0] - halves[:, 2]
    np.testing.assert_allclose(plane.constant + IRIS @ plane.linear, difference, atol=1e-12)


def test_without_offset_the_products_with_the_means_decide():
    fit = NearestMean(offset="zero").fit(IRIS, SPECIES)
    np.testing.assert_allclose(fit.decision(IRIS), IRIS @ fit.means.T, rtol=1e-14)
    assert np.all(fit.intercept == 0)
    # Means equally far from zero: both rules are one.
    X, y = np.array([[3.0, 4], [5, 0]]), [0, 1]
    new = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_array_equal(
        NearestMean(offset="zero").fit(X, y).predict(new), NearestMean().fit(X, y).predict(new)
    )


def test_it_is_the_corner_of_regularised_discriminants_with_equal_priors():
    corner = QDA(pooling=1.0, shrinkage=1.0, prior="equal").fit(IRIS, SPECIES)
    np.testing.assert_array_equal(
        NearestMean().fit(IRIS, SPECIES).predict(IRIS), corner.predict(IRIS)
    )


def test_a_table_far_from_zero_loses_no_digits():
    far = 2.0**40  # exact beside whole numbers
    whole = np.round(10 * IRIS)
    near, remote = (NearestMean().fit(X, SPECIES).decision(X) for X in (whole, whole + far))
    np.testing.assert_allclose(remote - remote[:, :1], near - near[:, :1], rtol=1e-3, atol=1e-2)


def test_weights_count_rows():
    fit = NearestMean().fit([[0.0], [4], [10]], [0, 0, 1], weights=[1, 3, 2])
    np.testing.assert_array_equal(fit.means, [[3.0], [10.0]])
    np.testing.assert_array_equal(fit.predict([[6.4], [6.6], [6.5]]), [0, 1, 0])
