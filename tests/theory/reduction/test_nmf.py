"""What the theory says of non-negative factorisations, without a reference."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from mlcore.reduction.nmf import NMF
from mlcore.spine.errors import DataError

IRIS = load_iris().data
DIGITS = load_digits().data[:200]
RULES = ("coordinates", "multiplicative")


def plain(**settings) -> NMF:
    return NMF(origin="zero", **settings)


@pytest.mark.parametrize("init", ["nndsvda", "random"])
@pytest.mark.parametrize("updates", RULES)
def test_the_error_never_rises(updates, init):
    method = plain(n_components=5, updates=updates, init=init, max_iter=60)
    errors = [step.objective for step in method.steps(DIGITS)]
    assert (np.diff(errors) <= 1e-12 * errors[0]).all()
    assert errors[-1] < errors[0] / 2


@pytest.mark.parametrize("updates", RULES)
def test_the_error_is_that_of_the_way_back(updates):
    """Of the amounts of the last step, which the exact ones of the same parts can only lower."""
    fit = plain(n_components=3, updates=updates).fit(IRIS)
    back = fit.inverse_transform(fit.transform(IRIS))
    error = ((IRIS - back) ** 2).sum(axis=1).mean()
    assert fit.error * 0.8 < error <= fit.error * (1 + 1e-12)
    assert (fit.axes >= 0).all()
    np.testing.assert_allclose(np.linalg.norm(fit.axes, axis=1), 1)
    assert (np.diff(fit.contributions) <= 0).all()


def test_parts_that_stand_alone_are_found():
    """With rows that hold one part each, the factorisation is unique."""
    parts = np.array([[3.0, 4, 0, 0, 0], [0, 0, 5, 12, 0], [0, 0, 0, 0, 9]])
    amounts = np.vstack([np.eye(3), np.random.default_rng(0).random((60, 3))])
    fit = plain(n_components=3, tol=1e-14, max_iter=5000).fit(amounts @ parts)
    unit = parts / np.linalg.norm(parts, axis=1, keepdims=True)
    np.testing.assert_allclose(fit.axes, unit[[1, 2, 0]], atol=1e-6)
    assert fit.error < 1e-12


def test_one_part_is_the_first_direction_about_zero():
    """Of rows without negatives it has none (Perron and Frobenius)."""
    fit = plain(n_components=1, tol=1e-15).fit(IRIS)
    _, values, axes = np.linalg.svd(IRIS)
    np.testing.assert_allclose(fit.axes[0], np.abs(axes[0]), atol=1e-7)
    assert fit.error == pytest.approx((values[1:] ** 2).sum() / 150)


def test_no_factorisation_beats_the_singular_values():
    fit = plain(n_components=6).fit(DIGITS)
    values = np.linalg.svd(DIGITS, compute_uv=False)
    assert fit.error >= (values[6:] ** 2).sum() / 200


def test_amounts_solve_the_conditions_of_their_optimum():
    fit = plain(n_components=8).fit(DIGITS)
    Z = fit.transform(DIGITS)
    slopes = (Z @ fit.axes - DIGITS) @ fit.axes.T
    assert (Z >= 0).all()
    assert slopes.min() > -1e-9
    assert np.abs(slopes * Z).max() < 1e-8


def test_measured_from_the_least_value_a_shift_changes_nothing():
    one, other = (NMF(n_components=2).fit(X) for X in (IRIS, IRIS - 20))
    np.testing.assert_allclose(one.axes, other.axes, atol=1e-9)
    np.testing.assert_allclose(one.transform(IRIS), other.transform(IRIS - 20), atol=1e-9)
    # Values below the least fitted one are none of a sum of parts.
    assert (one.transform(IRIS - 30) == 0).all()


@pytest.mark.parametrize("updates", RULES)
@pytest.mark.parametrize("init", ["nndsvda", "random"])
def test_units_change_nothing(updates, init):
    method = plain(n_components=4, updates=updates, init=init, max_iter=40)
    one, other = (method.fit(DIGITS * unit) for unit in (1.0, 2.0**30))
    np.testing.assert_allclose(other.axes, one.axes, atol=1e-12)
    assert other.n_iter == one.n_iter


@pytest.mark.parametrize("updates", RULES)
def test_one_giant_row_is_a_part_of_its_own(updates):
    """Two parts hold it and what the others share; a start that drowns in the mean never parts."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 3)), [[1e3, -1e3, 1e3]]])
    fit = NMF(updates=updates).fit(X)
    assert ((fit.inverse_transform(fit.transform(X)) - X) ** 2).sum(axis=1).mean() < 10.0


def test_rows_and_columns_in_another_order_have_the_same_parts():
    rng = np.random.default_rng(3)
    rows, columns = rng.permutation(200), rng.permutation(64)
    method = plain(n_components=4, tol=1e-12, max_iter=5000)
    one, other = method.fit(DIGITS), method.fit(DIGITS[rows][:, columns])
    np.testing.assert_allclose(other.axes, one.axes[:, columns], atol=1e-6)


def test_what_cannot_be_is_refused_or_said():
    with pytest.raises(DataError, match=r"no negative values; the least here is -1\."):
        plain().fit(IRIS - 1.1)
    with pytest.raises(DataError, match="not all zero"):
        plain().fit(np.zeros((5, 3)))
    with pytest.raises(DataError, match="needs rows that differ"):
        NMF().fit(np.ones((5, 3)))
    fit = plain(n_components=9).fit(IRIS)
    assert "4 parts of 9 hold all of 150 rows in 4 columns" in fit.notes[0]
    assert fit.error < 1e-3
