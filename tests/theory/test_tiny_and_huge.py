"""Numbers whose squares or exponentials vanish or overflow, and laws without any width."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.lda import LDA
from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.clustering.mixtures import Mixture
from mlcore.distances.metrics import Cosine
from mlcore.distances.neighbours import Neighbours
from mlcore.kernels.kernel import scale_gamma
from mlcore.optimisation.closed_form import spectrum
from mlcore.optimisation.losses import Softmax
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.standardise import Standardise
from mlcore.preparation.whitening import Whitening
from mlcore.reduction.pca import PCA
from mlcore.reduction.solvers import Covariance, Gram, SingularValues
from mlcore.regression.inference import hat_matrix, leverage
from mlcore.regression.lars import Lars
from mlcore.regression.leave_one_out import loo_linear, strengths_of
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.ridge import Ridge
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


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-532, 2.0**450])
@pytest.mark.parametrize("settings", [{}, {"scale": "iqr"}, {"scale": "mad", "center": "median"}])
def test_standardisation_is_the_same_in_every_unit(unit, settings):
    X = RNG.normal(size=(20, 3)) + np.array([0, 5, 1e6])
    plain = Standardise(**settings).fit(X)
    np.testing.assert_array_equal(
        Standardise(**settings).fit(unit * X).transform(unit * X), plain.transform(X)
    )


@pytest.mark.parametrize("method", [Whitening(), LDA(), Lars()], ids=lambda it: it.card.name)
def test_differences_whose_squares_vanish_are_refused(method):
    with pytest.raises(DataError, match="squares differences; here the largest is"):
        method.fit(1e-160 * RNG.normal(size=(20, 3)), np.arange(20) % 2)


@pytest.mark.parametrize("unit", [2.0**100, 2.0**400])
def test_neighbours_that_overflow_in_single_precision_are_the_nearest(unit):
    S = RNG.normal(size=(300, 9))
    near = Neighbours(S, search="brute").nearest(S[:5], 3)
    far = Neighbours(unit * S, search="brute").nearest(unit * S[:5], 3)
    np.testing.assert_array_equal(far.rows, near.rows)
    np.testing.assert_allclose(far.distances, unit * near.distances)


def test_a_component_without_any_weight_takes_no_row():
    law = Mixture(np.array([1.0, 0.0]), np.array([[0.0], [5.0]]), np.ones((2, 1, 1)))
    np.testing.assert_allclose(law.shares(np.array([[0.0], [5.0]]))[0], [[1, 0]] * 2, atol=1e-12)


def test_sigmoids_of_far_rows_are_probabilities():
    X, y = RNG.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
    P = LogisticRegression(loss="sigmoids").fit(X, y).probabilities(1e6 * X)
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_the_normal_scores_of_both_ends_come_back():
    X = RNG.normal(size=(50, 2))
    fit = QuantileTransformer(output="normal").fit(X)
    back = fit.inverse_transform(fit.transform(X) + np.array([1e-4, -1e-4]))
    np.testing.assert_array_equal(back[X[:, 0].argmin(), 0], X[:, 0].min())
    np.testing.assert_array_equal(back[X[:, 1].argmax(), 1], X[:, 1].max())


def of_unlike_units():
    """Rows whose columns spread by 1e-6 and 1e8, and a target that owes as much to each."""
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(60, 2)) @ [[1, 0.14], [0, 1]]
    return Z, Z * [1e-6, 1e8], Z @ [2.0, 1.0] + 0.1 * rng.normal(size=60)


@pytest.mark.parametrize("solver", ["svd", "qr"])
@pytest.mark.parametrize("offset", ["centering", "explicit", "constant_feature", "none"])
def test_a_column_in_small_units_is_a_direction_like_any_other(solver, offset):
    Z, X, y = of_unlike_units()
    plain = LinearRegression(solver=solver, offset=offset).fit(Z, y)
    fit = LinearRegression(solver=solver, offset=offset).fit(X, y)
    assert (fit.rank, fit.notes) == (2, ())
    np.testing.assert_allclose(fit.coefficients * [1e-6, 1e8], plain.coefficients, rtol=1e-9)
    np.testing.assert_allclose(fit.standard_errors * [1e-6, 1e8], plain.standard_errors, rtol=1e-9)
    np.testing.assert_allclose(fit.vif, plain.vif, rtol=1e-9)
    np.testing.assert_allclose(
        fit.influence(X, y).hat_diag, plain.influence(Z, y).hat_diag, rtol=1e-9
    )


@pytest.mark.parametrize("solver", [Covariance(), SingularValues(), Gram()])
def test_a_column_that_no_axis_shows_is_named(solver):
    Z, X, _ = of_unlike_units()
    same = np.column_stack([X, np.full(60, 0.1)])
    (note,) = [n for n in PCA(solver=solver).fit(same).notes if "no axis shows it" in n]
    assert note.startswith("The variance of x1 is no more than rounding")
    assert not any("no axis" in n for n in PCA(solver=solver).fit(Z).notes)


def test_without_a_penalty_units_change_no_fitted_value():
    Z, X, y = of_unlike_units()
    for solver in ("auto", "svd", "qr", "cholesky"):
        fit = Ridge(alpha=0.0, solver=solver).fit
        np.testing.assert_allclose(fit(X, y).predict(X), fit(Z, y).predict(Z), rtol=1e-7)
    np.testing.assert_allclose(leverage(X), leverage(Z), rtol=1e-9)
    np.testing.assert_allclose(hat_matrix(X), hat_matrix(Z), atol=1e-9)
    np.testing.assert_allclose(
        loo_linear(X, y).loo_residuals, loo_linear(Z, y).loo_residuals, rtol=1e-7
    )


def test_raw_powers_of_a_year_all_count():
    year = np.arange(1950.0, 2020)
    X = np.column_stack([year, year**2])
    fit = LinearRegression().fit(X, (year - 1985) ** 2)
    assert fit.rank == 2
    np.testing.assert_allclose(fit.coefficients, [-2 * 1985, 1], rtol=1e-4)


def test_ten_raw_powers_keep_digits():
    x = np.linspace(-8.8, -3.1, 82)  # as in the set Filip of NIST
    X = x[:, None] ** np.arange(1, 11)
    fit = LinearRegression().fit(X, ((x + 6) / 3) ** 10)
    assert fit.rank == 10
    np.testing.assert_allclose(fit.coefficients[-1], 3.0**-10, rtol=1e-5)


@pytest.mark.parametrize("others", [1.0, 1e-9])
def test_a_column_that_varies_by_rounding_alone_is_no_direction(others):
    rng = np.random.default_rng(0)
    X = others * rng.normal(size=(30, 2))
    X[:, 1] = np.where(X[:, 0] > 0, 0.1 + 0.2, 0.3)
    fit = LinearRegression().fit(X, rng.normal(size=30))
    assert fit.rank == 1
    assert np.isinf(fit.standard_errors[1])


@pytest.mark.parametrize("units", [[1.0, 1, 1], [1.0, 1e-9, 1e12]])
def test_of_dependent_columns_the_shortest_solution_is_found_in_any_units(units):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 2))
    X = np.column_stack([X, X[:, 0] + X[:, 1]]) * units
    y, X = rng.normal(size=20), X - X.mean(axis=0)
    fit = LinearRegression().fit(X, y)
    assert fit.rank == 2
    across = np.cross(*(row / np.abs(row).max() for row in X[:2] / np.array(units)))
    across = across / units  # X across = 0
    length = np.linalg.norm(fit.coefficients) * np.linalg.norm(across)
    assert abs(fit.coefficients @ across) < 1e-7 * length
    np.testing.assert_allclose(X.T @ (y - fit.predict(X)) / units, 0, atol=1e-9)
