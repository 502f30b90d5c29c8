"""Cuts of one axis between two classes, on numbers that are known."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.axis_cuts import axis_cuts, errors_at


def test_with_equal_spreads_and_shares_all_rules_cut_half_way():
    low = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    cuts = axis_cuts(low, low + 10)
    assert cuts == pytest.approx((5.0, 5.0, 5.0))
    assert errors_at(5.0, low, low + 10) == 0


def test_the_crossing_is_where_the_weighted_densities_are_equal():
    rng = np.random.default_rng(0)
    low, high = rng.normal(0, 1, 300), rng.normal(4, 2, 100)
    x = axis_cuts(low, high).gaussian
    logs = [
        np.log(len(z)) - np.log(z.std()) - (x - z.mean()) ** 2 / (2 * z.var()) for z in (low, high)
    ]
    assert logs[0] == pytest.approx(logs[1])
    assert low.mean() < x < high.mean()
    assert np.isnan(axis_cuts(low, np.full(3, 9.0)).gaussian)  # no spread, no density
    assert np.isnan(axis_cuts(rng.normal(0, 5, 10_000), np.array([0.5, 0.6])).gaussian)


def test_no_cut_has_fewer_errors():
    rng = np.random.default_rng(1)
    low, high = rng.normal(0, 1, 40), rng.normal(1, 3, 30)
    own = errors_at(axis_cuts(low, high).least_error, low, high)
    every = [errors_at(float(c), low, high) for c in np.concatenate([low, high])]
    assert own == min(every)
    assert axis_cuts(np.zeros(3), np.zeros(2)).least_error == 0.0
