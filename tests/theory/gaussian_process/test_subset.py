"""A Gaussian process of some of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.gaussian_process.approximations import Subset
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.spine.errors import DataError
from tests.theory.gaussian_process.test_gp_regression import curve


@pytest.mark.parametrize("pick", ["spread", "random"])
def test_it_is_the_process_of_the_rows_kept(pick):
    X, y = curve(200)
    # As it comes, so that the target is not scaled by rows that are forgotten.
    method = GPRegressor(approximation=Subset(n_kept=40, pick=pick), scaling="none")
    fit = method.fit(X, y, seed=3)
    assert fit.rows.shape == (40, 1)
    alone = GPRegressor(scaling="none").fit(fit.rows, fit.target)
    new = np.linspace(-4, 4, 9)[:, None]
    np.testing.assert_allclose(fit.predict(new), alone.predict(new))
    np.testing.assert_allclose(fit.predictive_deviation(new), alone.predictive_deviation(new))
    np.testing.assert_array_equal(method.fit(X, y, seed=3).rows, fit.rows)
    other = method.fit(X, y, seed=4).rows
    assert np.array_equal(other, fit.rows) == (pick == "spread")


def test_spread_rows_leave_no_gaps_where_rows_at_random_do():
    X, y = curve(300)
    gaps = {}
    for pick in ("spread", "random"):
        method = GPRegressor(approximation=Subset(n_kept=15, pick=pick), learn="none")
        kept = np.sort(method.fit(X, y, seed=0).rows[:, 0])
        gaps[pick] = np.diff([-3.0, *kept, 3.0]).max()
    assert gaps["spread"] < 0.8 < gaps["random"]


def test_of_few_rows_all_are_kept():
    X, y = curve(30)
    fit = GPRegressor(approximation=Subset(n_kept=30)).fit(X, y)
    np.testing.assert_array_equal(fit.predict(X), GPRegressor().fit(X, y).predict(X))


def test_more_rows_than_there_is_room_for_are_refused():
    method = GPRegressor(approximation=Subset(n_kept=5000))
    with pytest.raises(DataError, match="at most 20000 rows"):
        method.fit(np.zeros((20_001, 1)), np.zeros(20_001))
