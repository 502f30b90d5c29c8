"""Kernel ridge regression: numbers by hand, and what the theory says of it."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = X[:, 0] ** 2 + 5.0 + RNG.normal(size=30)
BELL = RBF(gamma=0.3)


def test_three_points_by_hand():
    """K = [[1, a, 0], [a, 1, a], [0, a, 1]] with a so small a width that ends do not meet."""
    rows, y, a = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 0.0]), np.exp(-4.0)
    kernel = RBF(gamma=4.0)
    fit = KernelRidge(kernel=kernel, alpha=1.0, offset=False).fit(rows, y)
    ends = np.exp(-16.0)
    K = np.array([[1, a, ends], [a, 1, a], [ends, a, 1]])
    np.testing.assert_allclose(fit.duals, np.linalg.solve(K + np.eye(3), y), rtol=1e-12)


@pytest.mark.parametrize("offset", [False, True])
def test_a_linear_kernel_is_ridge_regression(offset):
    fit = KernelRidge(kernel=Linear(), alpha=2.0, offset=offset).fit(X, Y)
    plain = Ridge(alpha=2.0, offset="centering" if offset else "none").fit(X, Y)
    np.testing.assert_allclose(fit.predict(X), plain.predict(X), rtol=1e-10)


def test_it_is_the_mean_of_a_gaussian_process_with_that_noise():
    fit = KernelRidge(kernel=BELL, alpha=0.2, offset=False).fit(X, Y)
    process = GPRegressor(kernel=BELL, noise=0.2, learn="none", scaling="none").fit(X, Y)
    np.testing.assert_allclose(fit.predict(X), process.predict(X), rtol=1e-9)
    np.testing.assert_allclose(
        fit.contributions(X).sum(axis=1), process.contributions(X).sum(axis=1), rtol=1e-9
    )


@pytest.mark.parametrize("offset", [False, True])
def test_the_closed_form_of_rows_left_out_is_that_of_new_fits(offset):
    method = KernelRidge(kernel=BELL, alpha=0.5, offset=offset)
    left = [
        Y[i] - method.fit(np.delete(X, i, 0), np.delete(Y, i)).predict(X[i : i + 1])[0]
        for i in range(30)
    ]
    np.testing.assert_allclose(method.fit(X, Y).left_one_out(), left, atol=1e-10)


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("weights", [None, np.arange(30) % 3])
def test_the_chosen_strength_has_the_least_error_of_rows_left_out(offset, weights):
    method = KernelRidge(kernel=BELL, alpha_rule="loo", offset=offset, n_alphas=9)
    fit = method.fit(X, Y, weights=weights)
    counts = np.ones(30) if weights is None else weights[weights > 0]
    fixed = [KernelRidge(kernel=BELL, alpha=float(a), offset=offset) for a in fit.tried]
    left = [one.fit(X, Y, weights=weights).left_one_out() for one in fixed]
    errors = np.array([np.average(e**2, weights=counts) for e in left])
    np.testing.assert_allclose(fit.tried_errors, errors, rtol=1e-6)
    assert fit.alpha == fit.tried[errors.argmin()]


def test_generalised_cross_validation_by_its_definition():
    fit = KernelRidge(kernel=BELL, alpha_rule="gcv", n_alphas=5).fit(X, Y)
    one = KernelRidge(kernel=BELL, alpha=float(fit.tried[3])).fit(X, Y)
    moved = [
        one.made_by.fit(X, Y + np.eye(30)[i]).predict(X)[i] - one.predict(X)[i] for i in range(30)
    ]
    df = float(np.sum(moved))
    assert fit.tried_df[3] == pytest.approx(df, rel=1e-8)
    assert fit.tried_errors[3] == pytest.approx((one.residuals**2).mean() / (1 - df / 30) ** 2)


@pytest.mark.parametrize("offset", [False, True])
def test_conjugate_gradients_reach_the_solution(offset):
    exact = KernelRidge(kernel=BELL, alpha=0.5, offset=offset).fit(X, Y)
    walked = KernelRidge(kernel=BELL, alpha=0.5, offset=offset, solver="cg", tol=1e-12).fit(X, Y)
    assert walked.n_iter < 40
    np.testing.assert_allclose(walked.predict(X), exact.predict(X), rtol=1e-9)


def test_duals_sum_to_zero_with_a_free_offset_and_residuals_are_alpha_times_them():
    fit = KernelRidge(kernel=BELL, alpha=0.5).fit(X, Y)
    assert fit.duals.sum() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(fit.residuals, 0.5 * fit.duals, atol=1e-10)
    np.testing.assert_allclose(fit.residuals, Y - fit.predict(X), atol=1e-10)


def test_the_level_of_the_target_does_not_matter_with_a_free_offset():
    method = KernelRidge(kernel=BELL, alpha=0.5)
    np.testing.assert_allclose(
        method.fit(X, Y + 1000.0).predict(X), method.fit(X, Y).predict(X) + 1000.0, rtol=1e-10
    )


def test_weights_are_repeated_rows():
    w, method = RNG.integers(0, 3, 30), KernelRidge(kernel=BELL, alpha=0.5)
    repeated = method.fit(np.repeat(X, w, 0), np.repeat(Y, w))
    np.testing.assert_allclose(method.fit(X, Y, weights=w).predict(X), repeated.predict(X))


def test_a_strength_that_rounding_swallows_is_refused():
    rows = np.repeat(X[:3], 5, axis=0)
    with pytest.raises(DataError, match="Raise alpha"):
        KernelRidge(kernel=Linear(), alpha=1e-12, offset=False).fit(1e6 * rows, np.arange(15.0))
