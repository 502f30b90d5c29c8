"""A target learned in units of its spread: what that changes, and what it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.regression.ridge import Ridge
from mlcore.regression.scaled_target import ScaledTarget
from mlcore.runs import carry
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = 4000 + 800 * (X @ [1.0, -0.5, 0.2] + 0.3 * RNG.normal(size=60))


def test_least_squares_do_not_depend_on_the_units_of_the_target():
    plain = LinearRegression().fit(X, Y).predict(X)
    scaled = ScaledTarget(regressor=LinearRegression()).fit(X, Y).predict(X)
    np.testing.assert_allclose(scaled, plain, rtol=1e-10)


def test_the_model_learns_a_target_of_mean_0_and_spread_1_and_answers_in_its_units():
    fit = ScaledTarget(regressor=Ridge(alpha=5.0)).fit(X, Y)
    z = (Y - Y.mean()) / Y.std()
    by_hand = Y.mean() + Y.std() * Ridge(alpha=5.0).fit(X, z).predict(X)
    np.testing.assert_allclose(fit.predict(X), by_hand, rtol=1e-12)


def test_a_logarithm_is_learned_as_a_ratio_and_needs_positive_numbers():
    y = np.exp(X @ [2.0, 1.0, 0.0])
    fit = ScaledTarget(regressor=LinearRegression(), logarithm=True).fit(X, y)
    np.testing.assert_allclose(fit.predict(X), y, rtol=1e-8)
    with pytest.raises(DataError, match="must be positive; the least value is 0"):
        ScaledTarget(logarithm=True).fit(X, y - y.min())


def test_a_constant_target_is_predicted_as_it_is():
    np.testing.assert_allclose(ScaledTarget().fit(X, np.full(60, 7.0)).predict(X), 7.0)


def test_a_weight_of_two_is_a_row_that_stands_there_twice():
    w = RNG.integers(1, 3, 60).astype(float)
    weighted = ScaledTarget().fit(X, Y, weights=w)
    at = np.repeat(np.arange(60), w.astype(int))
    np.testing.assert_allclose(weighted.predict(X), ScaledTarget().fit(X[at], Y[at]).predict(X))


def test_a_fold_scales_by_its_own_rows_and_scores_in_units_of_the_target():
    run = Run(data="cars", method=ScaledTarget())
    dataset = run.data.dataset()
    split = carry.splits_of(run, dataset)[0]
    fit = carry.fitted(run, dataset, split.train)[1]
    assert fit.mean == pytest.approx(dataset.y[split.train].mean())
    assert fit.mean != pytest.approx(dataset.y.mean())
    fold: Any = carry.carried_part(run, dataset, carry.judge_of(run), 0, 1, split)
    error = np.sqrt(np.mean((fold.predictions - dataset.y[split.test]) ** 2))
    assert fold.scores["rmse"] == pytest.approx(error)


def test_several_outputs_go_around_it_and_not_into_it():
    with pytest.raises(ParamError, match="Put the scaled target inside it"):
        ScaledTarget(regressor=MultiOutputRegressor())
    fit = MultiOutputRegressor(regressor=ScaledTarget()).fit(X, np.column_stack([Y, -Y]))
    np.testing.assert_allclose(fit.predict(X).sum(axis=1), 0.0, atol=1e-8)
