"""Partial least squares of several targets at once: what theory says of shared components."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.regression.pls import PLSRegression
from mlcore.runs.presets import presets

RNG = np.random.default_rng(3)
X = RNG.normal(size=(50, 6)) @ RNG.normal(size=(6, 6))
Y = X[:, :2] @ [[1.0, 3.0], [-2.0, 1.0]] + RNG.normal(size=(50, 2)) * [1.0, 4.0]
WIDE = RNG.normal(size=(20, 70)), RNG.normal(size=(20, 3))
GAMMAS = (1.0, 0.4, 0.0)


def together(**settings):
    return MultiOutputRegressor(regressor=PLSRegression(**settings), together=True)


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("rows", [(X, Y), WIDE])
def test_copies_of_one_target_are_learned_as_that_one(gamma, rows):
    """Whatever their units: each output is measured in its own spread."""
    A, y = rows[0], rows[1][:, 0]
    one = PLSRegression(n_components=3, gamma_x=gamma).fit(A, y)
    copies = np.column_stack([1e3 * y + 7, -y, 1e-3 * y])
    several = together(n_components=3, gamma_x=gamma).fit(A, copies)
    wanted = one.predict(A)
    scaled = np.column_stack([1e3 * wanted + 7, -wanted, 1e-3 * wanted])
    np.testing.assert_allclose(several.predict(A), scaled, rtol=1e-7, atol=1e-9 * np.abs(y).max())
    np.testing.assert_allclose(several.members[0].column_shares[:3], one.column_shares[:3])
    np.testing.assert_allclose(several.members[2].target_shares[:3], one.target_shares[:3])


@pytest.mark.parametrize("gamma", GAMMAS)
def test_all_components_are_least_squares_of_each(gamma):
    fit = together(n_components=6, gamma_x=gamma).fit(X, Y)
    exact = np.column_stack([LinearRegression().fit(X, y).predict(X) for y in Y.T])
    if gamma:
        np.testing.assert_allclose(fit.predict(X), exact, rtol=1e-7, atol=1e-7)
        return
    # By correlation two targets need two components and no more.
    two = together(n_components=2, gamma_x=0.0).fit(X, Y)
    np.testing.assert_allclose(two.predict(X), exact, rtol=1e-7, atol=1e-7)
    assert fit.members[0].n_used == 2


def test_the_first_direction_covaries_most_with_both():
    """The first singular vector of the covariances with the targets over their spreads."""
    fit = together(n_components=1).fit(X, Y)
    centred = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    wanted = np.linalg.svd(centred.T @ (X - X.mean(axis=0)))[2][0]
    assert abs(fit.members[1].axes[0] @ wanted) == pytest.approx(1.0)


def test_components_are_uncorrelated_and_shares_are_of_least_squares_on_them():
    fit = together(n_components=3).fit(X, Y)
    T = fit.members[0].latent(X)
    gram = T.T @ T
    np.testing.assert_allclose(gram, np.diag(np.diagonal(gram)), atol=1e-9 * gram.max())
    for member, y in zip(fit.members, Y.T, strict=True):
        left = ((y - member.predict(X)) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        assert member.target_shares[:3].sum() == pytest.approx(1 - left)


def test_a_constant_output_teaches_nothing():
    beside = np.column_stack([Y, np.full(50, 5.0)])
    fit, plain = (together(n_components=2).fit(X, Z) for Z in (beside, Y))
    np.testing.assert_allclose(fit.predict(X)[:, :2], plain.predict(X), rtol=1e-9)
    np.testing.assert_allclose(fit.predict(X)[:, 2], 5.0)


def test_weights_are_repeated_rows():
    w = np.arange(50) % 3
    weighed = together(n_components=2).fit(X, Y, weights=w)
    repeated = together(n_components=2).fit(np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0))
    np.testing.assert_allclose(weighed.predict(X), repeated.predict(X), rtol=1e-9)


def test_components_of_both_outputs_cost_a_little_of_each():
    by_name = {p.name: p for p in presets("regression")}
    assert by_name["components_of_both"].run().method.shares
