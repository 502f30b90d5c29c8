"""What is known of generalised additive regression."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from mlcore.basis.splines import b_splines, bends
from mlcore.regression.generalised_additive import GeneralisedAdditive
from mlcore.regression.linear_regression import LinearRegression
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (150, 3))
CURVES = np.column_stack([np.sin(3 * X[:, 0]), 2 * X[:, 1] ** 2, 0.5 * X[:, 2]])
Y = CURVES.sum(axis=1) + 0.3 * RNG.normal(size=150)


def test_splines_sum_to_one_and_go_on_as_lines():
    x = np.linspace(-3, 4, 29)
    B = b_splines(x, -1.0, 2.0, 9, 3)
    np.testing.assert_allclose(B.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.diff(B[x < -1], n=2, axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.diff(B[x > 2], n=2, axis=0), 0.0, atol=1e-12)
    # Weights that rise evenly make a straight line.
    np.testing.assert_allclose(np.diff(B @ np.arange(9.0), n=2), 0.0, atol=1e-12)


@pytest.mark.parametrize("count", [5, 20])
def test_directions_are_a_line_and_bends_of_one_roughness(count):
    D = np.diff(np.eye(count), n=2, axis=0) @ bends(count)
    np.testing.assert_allclose(D.T @ D, np.diag([0.0] + [1.0] * (count - 2)), atol=1e-10)
    np.testing.assert_allclose(bends(count).sum(axis=0), 0.0, atol=1e-10)


def test_strong_smoothing_is_least_squares_and_curves_of_the_fitted_rows_have_mean_0():
    stiff = GeneralisedAdditive(smoothing="given", strength=1e9).fit(X, Y)
    np.testing.assert_allclose(stiff.predict(X), LinearRegression().fit(X, Y).predict(X), atol=1e-5)
    np.testing.assert_allclose(stiff.dof, 1.0, atol=1e-4)
    fit = GeneralisedAdditive().fit(X, Y)
    assert fit.intercept == pytest.approx(Y.mean())
    terms = np.array([fit.term(X, [j])[:, 0] for j in range(3)])
    np.testing.assert_allclose(terms.mean(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(terms.sum(axis=0) + fit.intercept, fit.predict(X))


@pytest.mark.parametrize("smoothing", ["reml", "gcv"])
def test_the_curves_are_found_and_the_line_is_left_one(smoothing):
    fit = GeneralisedAdditive(smoothing=smoothing).fit(X, Y)
    for j in range(3):
        left = fit.term(X, [j])[:, 0] - (CURVES[:, j] - CURVES[:, j].mean())
        assert left.std() < 0.15  # noise 0.3 over 150 rows and some 6 degrees of freedom a curve
    assert fit.dof[0] > 3
    assert fit.dof[2] < 2.5
    # Two and a half standard errors of a deviation of 150 rows.
    assert fit.dispersion**0.5 == pytest.approx(0.3, rel=0.15)


def test_the_strength_of_the_restricted_likelihood_maximises_it():
    x, y = X[:, :1], Y
    fit = GeneralisedAdditive(n_splines=10).fit(x, y)
    Z = b_splines(x[:, 0], x.min(), x.max(), 10, 3) @ bends(10)
    F, R = np.column_stack([np.ones(150), Z[:, 0]]), Z[:, 1:]  # fixed and random effects

    def minus(log_ratio: float) -> float:  # profile REML of y = F b + R u + e, u of variance ratio
        V = np.eye(150) + np.exp(log_ratio) * R @ R.T
        inverse = np.linalg.inv(V)
        A = F.T @ inverse @ F
        left = y - F @ np.linalg.solve(A, F.T @ inverse @ y)
        free = 148
        s2 = left @ inverse @ left / free
        return np.linalg.slogdet(V)[1] + np.linalg.slogdet(A)[1] + free * np.log(s2)

    best = minimize_scalar(minus, bounds=(-8, 4), method="bounded", options={"xatol": 1e-8}).x
    # The update has its fixed point there, with the dispersion by degrees of freedom.
    assert np.log(1 / fit.strengths[0]) == pytest.approx(best, abs=0.02)


def test_no_neighbouring_strength_has_less_generalised_cross_validation():
    fit = GeneralisedAdditive(smoothing="gcv").fit(X[:, :1], Y)
    for by in (0.7, 1.4):
        other = GeneralisedAdditive(smoothing="given", strength=float(fit.strengths[0]) * by)
        assert other.fit(X[:, :1], Y).gcv >= fit.gcv * (1 - 1e-7)
    n, left = 150, Y - fit.predict(X[:, :1])
    assert fit.gcv == pytest.approx(n * left @ left / (n - 1 - fit.dof.sum()) ** 2)


def test_bands_hold_the_truth_about_as_often_as_they_say():
    hits = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, (100, 1))
        f = np.sin(3 * x[:, 0])
        effect, deviation = GeneralisedAdditive().fit(x, f + 0.3 * rng.normal(size=100)).term(
            x, [0]
        ).T  # fmt: skip
        hits.append((np.abs(effect - (f - f.mean())) <= 2 * deviation).mean())
    assert 0.88 <= np.mean(hits) <= 1.0  # 95 in 100 over the rows (Nychka 1988)


def test_few_values_stay_a_line_and_constant_columns_say_nothing():
    Z = np.column_stack([np.tile([0.0, 1, 2], 20), np.ones(60), np.linspace(0, 1, 60)])
    fit = GeneralisedAdditive().fit(Z, Z[:, 0] + np.sin(6 * Z[:, 2]))
    np.testing.assert_array_equal(np.diff(fit.starts)[:2], 1)
    np.testing.assert_array_equal(np.isnan(fit.strengths), [True, True, False])
    np.testing.assert_allclose(fit.term(Z, [1]), 0.0, atol=1e-12)
    assert "Constant column" in fit.notes[0]


def test_counts_have_means_above_zero():
    y = RNG.poisson(np.exp(CURVES[:, 0])).astype(float)
    fit = GeneralisedAdditive(family="poisson").fit(X, y)
    assert fit.predict(3 * X).min() > 0
    assert fit.deviance < 0.8 * fit.null_deviance
    with pytest.raises(DataError, match="needs targets of at least 0"):
        GeneralisedAdditive(family="poisson").fit(X, y - 1.0)


def test_shares_rise_along_their_curve_and_stay_between_0_and_1():
    probability = 1.0 / (1.0 + np.exp(-2.0 * CURVES[:, 0]))
    y = RNG.binomial(20, probability) / 20
    fit = GeneralisedAdditive(family="binomial").fit(X, y, weights=np.full(150, 20.0))
    assert np.abs(fit.predict(X) - probability).mean() < 0.03  # one share has an error of 0.1
    assert 0 <= fit.predict(3 * X).min() <= fit.predict(3 * X).max() <= 1
    assert fit.dof[0] > 3
    assert fit.dof[2] < 1.5


def test_an_exposure_multiplies_and_is_not_fitted():
    time = RNG.uniform(0.2, 5.0, 150)
    y = RNG.poisson(5.0 * time * np.exp(CURVES[:, 0])).astype(float)
    columns = tuple(map(Column, ("a", "time", "b")))
    rows = np.column_stack([X[:, 0], time, X[:, 1]])
    fit = GeneralisedAdditive(family="poisson", exposure="time").fit(rows, y, columns=columns)
    twice = rows * [1.0, 2.0, 1.0]
    np.testing.assert_allclose(fit.predict(twice), 2.0 * fit.predict(rows))
    assert fit.dof[1] == 0.0
    np.testing.assert_array_equal(fit.term(rows, [1]), 0.0)
    # The same as counts over time with the time as weight, for Poisson's family.
    rates = GeneralisedAdditive(family="poisson").fit(rows[:, [0, 2]], y / time, weights=time)
    np.testing.assert_allclose(fit.predict(rows), time * rates.predict(rows[:, [0, 2]]), rtol=1e-6)


def test_ordered_values_have_a_step_from_each_to_the_next():
    level = np.tile(np.arange(8.0), 20)
    y = 2.0 * (level > 3) + 0.2 * RNG.normal(size=160)
    rows = np.column_stack([level, RNG.uniform(size=160)])
    at = np.column_stack([np.arange(8.0), np.full(8, 0.5)])
    fit = GeneralisedAdditive(few_values="steps").fit(rows, y)
    steps = np.diff(fit.predict(at))
    assert steps[3] == pytest.approx(2.0, abs=0.15)
    assert np.abs(np.delete(steps, 3)).max() < 0.15
    np.testing.assert_array_equal(fit.predict(at + np.array([0.4, 0.0])), fit.predict(at))
    # Charged by nothing the steps lead to the means of the levels.
    free = GeneralisedAdditive(few_values="steps", smoothing="given", strength=1e-9).fit(
        rows[:, :1], y
    )
    means = [y[level == k].mean() for k in range(8)]
    np.testing.assert_allclose(free.predict(at[:, :1]), means, atol=1e-6)


def test_a_stiff_surface_is_the_product_of_two_columns():
    stiff = GeneralisedAdditive(smoothing="given", strength=1e9, surfaces=("x1", "x3")).fit(X, Y)
    with_product = np.column_stack([X, X[:, 0] * X[:, 2]])
    expected = LinearRegression().fit(with_product, Y).predict(with_product)
    np.testing.assert_allclose(stiff.predict(X), expected, atol=1e-5)
    assert stiff.pairs.tolist() == [[0, 2]]
    np.testing.assert_allclose(stiff.dof, 1.0, atol=1e-4)


def test_a_surface_finds_what_no_sum_of_curves_can():
    rng = np.random.default_rng(3)
    Z = rng.uniform(-1, 1, (400, 3))
    truth = np.sin(3 * Z[:, 0]) * Z[:, 1] + Z[:, 2] ** 2
    y = truth + 0.1 * rng.normal(size=400)
    alone = GeneralisedAdditive().fit(Z, y)
    fit = GeneralisedAdditive(surfaces=("x1", "x2")).fit(Z, y)
    errors = [np.sqrt(np.mean((one.predict(Z) - truth) ** 2)) for one in (alone, fit)]
    assert errors[0] > 0.3
    assert errors[1] < 0.05
    curves = [fit.term(Z, [j])[:, 0] for j in range(3)]
    both = fit.term(Z, [0, 1])[:, 0]
    np.testing.assert_allclose(both + curves[2] + fit.intercept, fit.predict(Z))
    assert np.std(both - curves[0] - curves[1]) > 0.3
    assert (alone.as_sum is None, fit.as_sum is None) == (False, True)
    assert np.isfinite(fit.concurvity(Z, [0]).worst)
    idle = GeneralisedAdditive(surfaces=("x2", "x3")).fit(Z, Z[:, 0] + 0.3 * rng.normal(size=400))
    assert idle.dof[3] < 4  # of 49 weights: nothing acts together


def test_surfaces_need_two_columns_that_are_there():
    with pytest.raises(DataError, match="one is named"):
        GeneralisedAdditive(surfaces=("x1",)).fit(X, Y)
    with pytest.raises(DataError, match="found no column x9"):
        GeneralisedAdditive(surfaces=("x1", "x9")).fit(X, Y)
    two_levels = (Column("a", source="v"), Column("b", source="v"), Column("c"))
    fit = GeneralisedAdditive(surfaces=("v", "c")).fit(X, Y, columns=two_levels)
    assert fit.pairs.tolist() == [[0, 2], [1, 2]]  # levels of one variable are no pair
