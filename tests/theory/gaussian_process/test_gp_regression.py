"""What the theory says of Gaussian process regression, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.predictive_scores import coverage, interval_score
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.kernels.evidence import Observed, Process, spectral_evidence
from mlcore.kernels.products import Linear, Sigmoid
from mlcore.kernels.radial import Laplacian
from mlcore.kernels.rbf import RBF
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import record

X4, Y4 = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([0.5, 1.0, 0.0, -0.5])
PLAIN = {"learn": "none", "scaling": "none"}


def curve(n=40, seed=0):
    """A sine with noise of standard deviation 0.2."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


def test_four_rows_by_hand():
    fit = GPRegressor(kernel=RBF(gamma=0.5), noise=0.1, **PLAIN).fit(X4, Y4)
    np.testing.assert_allclose(fit.weights, [-0.240307, 1.392321, -0.566694, -0.310948], atol=1e-6)
    assert fit.log_evidence == pytest.approx(-3.960960, abs=1e-6)
    assert fit.predict([[0.5]])[0] == pytest.approx(0.549647, abs=1e-6)
    assert fit.function_deviation([[0.5]])[0] ** 2 == pytest.approx(0.078445, abs=1e-6)
    left_out, _ = fit.left_one_out()
    np.testing.assert_allclose(left_out, [0.669642, 0.349236, 0.264870, -0.280489], atol=1e-6)


def test_leaving_one_out_in_closed_form_is_leaving_it_out():
    X, y = curve(15)
    w = np.linspace(0.5, 2.0, 15)
    method = GPRegressor(kernel=RBF(gamma=0.7), noise=0.1, **PLAIN)
    means, deviations = method.fit(X, y, weights=w).left_one_out()
    for i in range(15):
        rest = np.arange(15) != i
        alone = method.fit(X[rest], y[rest], weights=w[rest])
        assert means[i] == pytest.approx(alone.predict(X[[i]])[0])
        observed = alone.function_deviation(X[[i]])[0] ** 2 + 0.1 / w[i]
        assert deviations[i] ** 2 == pytest.approx(observed)


def test_a_linear_kernel_is_bayesian_linear_regression():
    rng = np.random.default_rng(1)
    X, new = rng.normal(size=(20, 3)), rng.normal(size=(5, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=20)
    fit = GPRegressor(kernel=Linear(), noise=0.09, **PLAIN).fit(X, y)
    precision = X.T @ X / 0.09 + np.eye(3)
    w = np.linalg.solve(precision, X.T @ y / 0.09)
    np.testing.assert_allclose(fit.predict(new), new @ w)
    variance = np.einsum("ij,ij->i", new, np.linalg.solve(precision, new.T).T)
    np.testing.assert_allclose(fit.function_deviation(new) ** 2, variance, rtol=1e-9)


def test_one_more_row_never_makes_it_less_sure():
    X, y = curve(25)
    grid = np.linspace(-4, 4, 50)[:, None]
    method = GPRegressor(kernel=RBF(gamma=1.0), noise=0.05, **PLAIN)
    before = method.fit(X[:-1], y[:-1]).function_deviation(grid)
    assert (method.fit(X, y).function_deviation(grid) <= before + 1e-12).all()


def test_a_weight_of_two_is_a_row_that_is_twice_there():
    X, y = curve(12)
    w = np.array([1.0, 2.0, 3.0] * 4)
    twice = np.repeat(np.arange(12), w.astype(int))
    weighted = Process(Observed(X, y, w), RBF(gamma=0.5), 0.1)
    repeated = Process(Observed(X[twice], y[twice], np.ones(24)), RBF(gamma=0.5), 0.1)
    assert weighted.evidence == pytest.approx(repeated.evidence, rel=1e-10)
    for path, slope in repeated.gradient().items():
        assert weighted.gradient()[path] == pytest.approx(slope, rel=1e-8)
    noises = np.array([0.01, 0.1, 1.0])
    each = [Process(Observed(X, y, w), RBF(gamma=0.5), s).evidence for s in noises]
    found = spectral_evidence(Observed(X, y, w), RBF(gamma=0.5), noises)
    np.testing.assert_allclose(found, each, rtol=1e-9)


def test_learning_climbs_to_where_no_setting_is_better():
    X, y = curve()
    steps = record(GPRegressor().steps(X, y, seed=0))
    values = [step.objective for step in steps]
    assert (np.diff(values) >= 0).all()
    fit = GPRegressor().fit(X, y)
    assert fit.log_evidence == values[-1]
    process = Process(fit.observed, fit.kernel, fit.noise)
    assert max(abs(slope) for slope in process.gradient().values()) <= 1e-3
    assert fit.noise * fit.spread**2 == pytest.approx(0.04, rel=0.5)


def test_units_of_the_target_change_nothing_but_units():
    X, y = curve()
    fit, other = GPRegressor().fit(X, y), GPRegressor().fit(X, 1000.0 * y + 5e4)
    np.testing.assert_allclose(other.predict(X), 1000.0 * fit.predict(X) + 5e4, rtol=1e-6)


def test_further_starts_find_the_better_of_two_maxima():
    X, y = curve(12, seed=4)
    far = {"kernel": RBF(gamma=1e-3), "noise": 1.0}
    alone, best = (GPRegressor(**far, n_restarts=r).fit(X, y, seed=1) for r in (0, 8))
    assert best.log_evidence > alone.log_evidence + 1.0


def test_intervals_hold_what_they_promise():
    fit = GPRegressor().fit(*curve(200))
    X, y = curve(2000, seed=9)
    assert coverage(y, fit.predictive_interval(X, 0.95)) == pytest.approx(0.95, abs=0.02)
    assert coverage(y, fit.predictive_interval(X, 0.5)) == pytest.approx(0.5, abs=0.04)


def test_drawn_functions_have_mean_and_spread_of_the_distribution():
    fit = GPRegressor(kernel=RBF(gamma=0.5), noise=0.1, **PLAIN).fit(X4, Y4)
    grid = np.linspace(-3, 4, 9)[:, None]
    draws = fit.sample_functions(grid, 4000, seed=2)
    # Four standard errors of 4,000 draws, whose deviation is at most 1.
    np.testing.assert_allclose(draws.mean(axis=0), fit.predict(grid), atol=0.06)
    np.testing.assert_allclose(draws.std(axis=0), fit.function_deviation(grid), atol=0.04)


def test_far_from_the_rows_it_returns_to_the_mean():
    X, y = curve()
    fit = GPRegressor().fit(X, y)
    assert fit.predict([[1e3]])[0] == pytest.approx(y.mean())


def test_an_interval_is_charged_for_its_width_and_for_what_it_misses():
    ends = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    y = np.array([0.5, 1.5, -0.25])
    assert coverage(y, ends) == pytest.approx(1 / 3)
    assert interval_score(y, ends, 0.5) == pytest.approx(1.0 + 4.0 * (0.5 + 0.25) / 3)


def test_a_kernel_without_a_gradient_keeps_its_settings():
    fit = GPRegressor(kernel=Laplacian(gamma=0.7)).fit(*curve())
    assert fit.learned == ("noise",)
    assert fit.kernel == Laplacian(gamma=0.7)
    assert "stay as they are" in fit.notes[-1]


def test_what_is_no_covariance_is_refused():
    with pytest.raises(DataError, match="a kernel that is a covariance"):
        GPRegressor(kernel=Sigmoid()).fit(*curve())
    with pytest.raises(DataError, match="at most 10000 rows"):
        GPRegressor().fit(np.zeros((10_001, 1)), np.zeros(10_001))


def test_a_flat_target_says_so():
    X, _ = curve()
    y = np.random.default_rng(3).normal(size=len(X))
    fit = GPRegressor(kernel=RBF(gamma=1.0)).fit(X, y)
    assert fit.predict(X).std() < 0.9 * y.std()


def test_several_outputs_of_one_kernel_are_solved_by_one_inverse():
    """Vector outputs, a process each: with settings that are given, K^-1 Y for all at once."""
    X, y = curve(25)
    Y = np.column_stack([y, np.cos(X[:, 0]), 3.0 - X[:, 0]])
    inner = GPRegressor(kernel=RBF(gamma=0.8), noise=0.1, **PLAIN)
    new = np.linspace(-3, 3, 7)[:, None]
    K, k = RBF(gamma=0.8)(X), RBF(gamma=0.8)(new, X)
    wanted = k @ np.linalg.solve(K + 0.1 * np.eye(25), Y)
    fit = MultiOutputRegressor(regressor=inner).fit(X, Y)
    np.testing.assert_allclose(fit.predict(new), wanted, atol=1e-10)


def test_one_row_without_noise_by_hand():
    """k = exp(-d^2 / 2): the mean is y k(x, 0), the variance 1 - k(x, 0)^2."""
    fit = GPRegressor(kernel=RBF(gamma=0.5), noise=1e-8, **PLAIN).fit([[0.0]], [3.0])
    x = np.array([-2.0, 0.5, 1.0])
    np.testing.assert_allclose(fit.predict(x[:, None]), 3.0 * np.exp(-(x**2) / 2), atol=1e-6)
    variance = fit.function_deviation(x[:, None]) ** 2
    np.testing.assert_allclose(variance, 1.0 - np.exp(-(x**2)), atol=1e-6)


def test_two_rows_without_noise_by_hand():
    fit = GPRegressor(kernel=RBF(gamma=0.5), noise=1e-8, **PLAIN).fit([[-1.0], [1.0]], [1.0, -1.0])
    new = np.array([[0.0], [0.5], [2.0]])
    np.testing.assert_allclose(fit.predict(new), [0.0, -0.645157, -0.688616], atol=1e-6)
    variance = fit.function_deviation(new) ** 2
    np.testing.assert_allclose(variance, [0.351946, 0.178298, 0.626989], atol=1e-6)
