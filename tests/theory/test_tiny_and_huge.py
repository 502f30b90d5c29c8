"""Numbers whose squares or exponentials vanish or overflow, and laws without any width."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.distances.metrics import Cosine
from mlcore.kernels.kernel import scale_gamma
from mlcore.optimisation.closed_form import spectrum
from mlcore.optimisation.losses import Softmax
from mlcore.regression.leave_one_out import strengths_of
from mlcore.regression.linear_regression import LinearRegression
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

RNG = np.random.default_rng(0)
COLOUR = (Column("colour", "nominal", ("red", "green", "blue")),)


@pytest.mark.parametrize("spread", [0.0, 1e-170, 1e-155])
def test_a_kernel_has_a_width_where_squares_of_differences_vanish(spread):
    assert scale_gamma(spread * RNG.normal(size=(9, 2))) == 1.0


def test_directions_whose_squares_vanish_are_kept_without_a_penalty():
    X = 1e-170 * RNG.normal(size=(8, 2))
    found = spectrum(X)
    np.testing.assert_array_equal(found.shrink(np.zeros(1)), np.ones((2, 1)))
    np.testing.assert_array_equal(found.shrink(np.ones(1)), np.zeros((2, 1)))
    np.testing.assert_allclose(X @ found.weights(X @ [1.0, 2], np.zeros(1))[:, 0], X @ [1.0, 2])


def test_least_squares_refuses_columns_whose_inverse_squares_overflow():
    with pytest.raises(DataError, match="too small"):
        LinearRegression().fit(1e-145 * RNG.normal(size=(8, 2)), RNG.normal(size=8))


def test_columns_of_zeros_have_strengths_to_try():
    strengths = strengths_of(spectrum(np.zeros((4, 2))), 5)
    assert (np.isfinite(strengths) & (strengths > 0)).all()


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_angles_do_not_depend_on_lengths(unit):
    X = RNG.normal(size=(5, 3))
    frame = Cosine().frame(X, None)
    np.testing.assert_allclose(frame.placed(unit * X), frame.placed(X), rtol=1e-12)


def test_scores_beyond_the_reach_of_the_exponential_have_a_loss():
    Z = np.array([[800.0, -800], [0, 0]])
    local = Softmax().at(np.array([1, 1]), Z)
    np.testing.assert_array_equal(local.value, [800, 0])
    np.testing.assert_array_equal(local.shape, [[1, 0], [0, 1]])


def test_a_row_far_from_every_class_has_probabilities():
    X = np.array([[0.0], [1], [2], [3]])
    P = NaiveBayes().fit(X, [0, 0, 1, 1]).probabilities([[1e4], [-1e4]])
    np.testing.assert_allclose(P, [[0, 1], [1, 0]], atol=1e-12)


def test_columns_that_never_vary_say_nothing_of_the_class():
    fit = NaiveBayes().fit(np.ones((4, 2)), [0, 0, 0, 1])
    np.testing.assert_allclose(fit.probabilities([[1.0, 1], [5, 1]]), [[0.75, 0.25]] * 2)


def test_a_level_that_no_row_had_says_nothing_of_the_class():
    fit = NaiveBayes(smoothing=0.0).fit([[0.0], [0], [1], [1]], [0, 0, 0, 1], columns=COLOUR)
    np.testing.assert_allclose(fit.probabilities([[2.0]]), [[0.75, 0.25]])


def test_a_row_that_no_class_allows_is_of_the_commonest():
    two = (*COLOUR, Column("shape", "nominal", ("round", "square")))
    X = [[0.0, 0], [1, 1], [1, 1]]
    fit = NaiveBayes(smoothing=0.0).fit(X, [0, 1, 1], columns=two)
    assert np.isnan(fit.probabilities([[0.0, 1]])).all()
    assert fit.predict([[0.0, 1]]) == 1
