"""What the theory says of concurvity."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.additive.concurvity import concurvity
from mlcore.regression.generalised_additive import GeneralisedAdditive

RNG = np.random.default_rng(0)


def test_it_is_the_squared_correlation_of_two_lines():
    Z = RNG.normal(size=(50, 2)) @ np.array([[1.0, 0.7], [0.0, 1.0]])
    Z -= Z.mean(axis=0)
    found = concurvity(Z[:, :1], Z[:, 1:], np.array([2.0]))
    expected = np.corrcoef(Z.T)[0, 1] ** 2
    for shares in found:
        np.testing.assert_allclose(shares, expected)


def test_it_is_that_of_a_triangular_factor_by_hand():
    # As mgcv writes it: by the triangle of the others, then the curve's own columns.
    Z = RNG.normal(size=(40, 5)) @ RNG.normal(size=(5, 5))
    Z -= Z.mean(axis=0)
    beta = RNG.normal(size=5)
    found = concurvity(Z[:, :2], Z[:, 2:], beta[:2])
    r = 4  # the constant and the three others
    R = np.linalg.qr(np.column_stack([np.ones(40), Z[:, 2:], Z[:, :2]])).R[:, r:]
    inner = np.linalg.qr(R).R
    worst = np.linalg.svd(np.linalg.solve(inner.T, R[:r].T), compute_uv=False)[0] ** 2
    curve = R @ beta[:2]
    assert found.worst == pytest.approx(worst)
    assert found.observed == pytest.approx((curve[:r] ** 2).sum() / (curve**2).sum())
    assert found.estimate == pytest.approx((R[:r] ** 2).sum() / (R**2).sum())


def test_a_column_that_is_a_curve_of_another_is_seen():
    x = RNG.uniform(-1.0, 1.0, 300)
    own = RNG.uniform(-1.0, 1.0, 300)
    X = np.column_stack([x, x**2 + 0.02 * RNG.normal(size=300), own])
    y = np.sin(3 * x) + own + 0.1 * RNG.normal(size=300)
    fit = GeneralisedAdditive(n_splines=8).fit(X, y)
    found = [fit.concurvity(X, [j]) for j in range(3)]
    assert min(found[0].worst, found[1].worst) > 0.9
    assert found[2].worst < 0.3
    assert all(max(each.observed, each.estimate) <= each.worst + 1e-9 for each in found)
    assert fit.concurvity(X, [0, 1]).worst < 0.3


def test_a_flat_curve_has_no_observed_concurvity():
    Z = RNG.normal(size=(20, 2))
    found = concurvity(Z[:, 1:], Z[:, :1], np.zeros(1))
    assert np.isnan(found.observed)
    assert 0 <= found.worst <= 1
