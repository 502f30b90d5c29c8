"""Odds ratios of tables of counts, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.logistic import LogisticRegression

FOUR = (10.0, 20.0, 30.0, 15.0)  # x 0: first and second class; x 1: the same


def fourfold(**settings):
    X, y = np.array([[0.0], [0], [1], [1]]), np.array([0, 1, 0, 1])
    return LogisticRegression(penalty="none", **settings).fit(X, y, weights=np.array(FOUR))


def test_the_odds_ratio_of_a_fourfold_table_is_that_of_the_products():
    a, b, c, d = FOUR
    line = fourfold().odds_of(1)
    assert np.exp(line.coefficients[0]) == pytest.approx(a * d / (b * c), rel=1e-7)
    # Woolf (1955): the variance of its logarithm is the sum of the inverse counts.
    assert line.standard_errors[0] == pytest.approx((1 / a + 1 / b + 1 / c + 1 / d) ** 0.5)
    assert line.intercept_error == pytest.approx((1 / a + 1 / b) ** 0.5)
    assert line.against == (0,)
    assert line.missing == ""


def test_the_odds_of_the_first_class_are_the_inverse():
    fit = fourfold()
    first, second = fit.odds_of(0), fit.odds_of(1)
    np.testing.assert_allclose(first.coefficients, -second.coefficients)
    np.testing.assert_array_equal(first.standard_errors, second.standard_errors)
    assert (first.intercept, first.against) == (-second.intercept, (1,))


SIX = np.array([[8.0, 4, 6], [3, 9, 12]])  # rows: x 0 and 1; columns: classes


def of_three(**settings):
    X, y = np.repeat([[0.0], [1.0]], 3, axis=0), np.tile([0, 1, 2], 2)
    return LogisticRegression(penalty="none", **settings).fit(X, y, weights=SIX.ravel())


def test_each_of_three_classes_is_against_the_reference():
    fit = of_three(reference="first")
    for k in (1, 2):
        four = SIX[:, [0, k]]
        line = fit.odds_of(k)
        ratio = four[0, 0] * four[1, 1] / (four[0, 1] * four[1, 0])
        assert np.exp(line.coefficients[0]) == pytest.approx(ratio, rel=1e-6)
        assert line.standard_errors[0] == pytest.approx((1 / four).sum() ** 0.5, rel=1e-6)
        assert line.against == (0,)
    assert fit.with_odds == (1, 2)
    assert of_three(reference="last").odds_of(0).against == (2,)


def test_one_against_the_rest_adds_the_counts_of_the_rest():
    fit = of_three(loss="sigmoids")
    line = fit.odds_of(1)
    four = np.column_stack([SIX[:, [0, 2]].sum(axis=1), SIX[:, 1]])
    ratio = four[0, 0] * four[1, 1] / (four[0, 1] * four[1, 0])
    assert np.exp(line.coefficients[0]) == pytest.approx(ratio, rel=1e-6)
    assert line.standard_errors[0] == pytest.approx((1 / four).sum() ** 0.5, rel=1e-6)
    assert line.against == (0, 2)


@pytest.mark.parametrize("settings", [{}, {"start": 0.5}, {"solver": "lbfgs", "tol": 1e-10}])
@pytest.mark.parametrize("k", range(3))
def test_a_shared_model_is_against_the_mean_of_all_classes(k, settings):
    """The variance of a sum of logarithms of counts is that of its squared weights over them."""
    line = of_three(**settings).odds_of(k)
    weights = (np.arange(3) == k) - 1 / 3
    assert line.coefficients[0] == pytest.approx(weights @ np.log(SIX[1] / SIX[0]), abs=1e-6)
    assert line.intercept == pytest.approx(weights @ np.log(SIX[0]), abs=1e-6)
    variance = (weights**2 @ (1 / SIX).T).cumsum()  # of the intercept, then of the slope
    assert [line.intercept_error**2, line.standard_errors[0] ** 2] == pytest.approx(variance)
    assert line.against == (0, 1, 2)
    assert line.missing == ""


def test_differences_from_the_mean_agree_with_any_reference():
    """b_k less the mean of all b is ((K - 1) b_k less the others) / K, whichever is fixed at 0."""
    shared, first = of_three(), of_three(reference="first")
    for k in range(3):
        theirs = first.coefficients[k] - first.coefficients.mean(axis=0)
        np.testing.assert_allclose(shared.odds_of(k).coefficients, theirs, rtol=1e-6)


def test_columns_that_depend_on_each_other_have_no_errors():
    X, y = np.repeat([[0.0, 0.0], [1.0, 2.0]], 3, axis=0), np.tile([0, 1, 2], 2)
    line = LogisticRegression(penalty="none").fit(X, y, weights=SIX.ravel()).odds_of(0)
    assert np.isnan(line.standard_errors).all()
    assert line.missing == "The rows do not determine the coefficients."


def test_the_pairwise_loss_says_that_it_has_no_likelihood():
    line = of_three(loss="pairwise").odds_of(1)
    assert np.isnan(line.standard_errors).all()
    assert "no likelihood" in line.missing


def test_what_leaves_no_intervals_is_said():
    X, y = np.array([[0.0], [1], [2], [3]]), np.array([0, 0, 1, 1])
    shrunk = LogisticRegression().fit(X, y).odds_of(1)
    assert np.isnan(shrunk.standard_errors).all()
    assert "penalty draws the coefficients towards 0" in shrunk.missing
    assert "can be separated" in LogisticRegression(penalty="none").fit(X, y).odds_of(1).missing
