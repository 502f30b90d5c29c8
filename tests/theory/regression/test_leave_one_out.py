"""Leaving out each row of a least squares fit, in closed form, is fitting without it."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.regression.leave_one_out import loo_linear
from mlcore.regression.linear_regression import LinearRegression

RNG = np.random.default_rng(11)
X = RNG.normal(size=(25, 4))
Y = X @ [1.0, -2.0, 0.5, 0.0] + RNG.normal(size=25)
W = RNG.integers(1, 4, 25).astype(float)


@pytest.mark.parametrize("offset", ["centering", "explicit", "constant_feature", "none"])
@pytest.mark.parametrize("weights", [None, W], ids=["alike", "weighted"])
def test_it_is_fitting_without_the_row(offset, weights):
    method = LinearRegression(offset=offset)
    found = method.fit(X, Y, weights=weights).influence(X, Y, weights=weights)
    for i in range(25):
        kept = np.arange(25) != i
        without = method.fit(X[kept], Y[kept], weights=None if weights is None else weights[kept])
        left = Y[i] - without.predict(X[i : i + 1])[0]
        assert found.loo_residuals[i] == pytest.approx(left, abs=1e-9)
    assert found.df == pytest.approx(4 + (offset != "none"))


def test_it_is_the_function_of_the_same_name():
    found, other = LinearRegression().fit(X, Y).influence(X, Y), loo_linear(X, Y)
    np.testing.assert_allclose(found.loo_residuals, other.loo_residuals, atol=1e-10)
    assert found.loo_error == pytest.approx(other.loo_error)


def test_a_row_that_stands_alone_is_named():
    alone = np.column_stack([X, np.arange(25) == 7])
    found = LinearRegression().fit(alone, Y).influence(alone, Y)
    assert np.isnan(found.loo_residuals[7])
    assert np.isfinite(np.delete(found.loo_residuals, 7)).all()
    assert "row 8" in found.note


def test_dependent_columns_change_nothing():
    doubled = np.hstack([X, X[:, :2]])
    found = LinearRegression().fit(doubled, Y).influence(doubled, Y)
    np.testing.assert_allclose(found.hat_diag, loo_linear(X, Y).hat_diag, atol=1e-9)
