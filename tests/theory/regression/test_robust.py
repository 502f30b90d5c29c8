"""Robust regression by hand, and what its losses promise."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.optimisation.quantile_plane import pinball, planes
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.ridge import Ridge
from mlcore.regression.robust_losses import HuberErrors, QuantileErrors, TukeyErrors
from mlcore.regression.robust_regression import RobustRegression
from mlcore.spine.errors import ParamError
from mlcore.spine.iterate import record

LINE = np.arange(11.0)[:, None]
WILD = 2 * LINE[:, 0] + 1 + 0.5 * (-1.0) ** np.arange(11)
WILD[-1] = 60
FIVE, LAST = np.arange(-2.0, 3)[:, None], np.array([-2.0, -1, 0, 1, 52])


def heavy(n=300, p=4, seed=0):
    """A plane with noise of three degrees of freedom."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 3.0
    return X, X @ np.arange(1.0, p + 1) + rng.standard_t(3, size=n)


@pytest.mark.parametrize(
    ("loss", "slope"), [("huber", 2.042210), ("tukey", 1.967050), ("absolute", 2.0)]
)
def test_a_wild_row_moves_the_line_little(loss, slope):
    assert LinearRegression().fit(LINE, WILD).coefficients[0] == pytest.approx(3.75)
    fit = RobustRegression(loss=loss).fit(LINE, WILD)
    assert fit.coefficients[0] == pytest.approx(slope, abs=1e-6)
    assert fit.stop.kind == "converged"


def test_where_most_rows_are_fitted_exactly_the_line_stays():
    assert LinearRegression().fit(FIVE, LAST).coefficients[0] == pytest.approx(11)
    fit = RobustRegression().fit(FIVE, LAST)
    np.testing.assert_allclose([fit.coefficients[0], fit.intercept], [1, 0], atol=1e-12)
    assert "More than half of the rows are fitted exactly" in fit.stop.why
    np.testing.assert_array_equal(fit.trust, [1, 1, 1, 1, 0])


def test_from_least_squares_reweighting_crawls_there():
    fit = RobustRegression(start="least_squares", max_iter=50).fit(FIVE, LAST)
    assert fit.coefficients[0] == pytest.approx(10.83, abs=0.01)
    assert fit.stop.kind == "limit"


@pytest.mark.parametrize("scale", ["given", "joint"])
def test_reweighting_never_raises_a_convex_loss(scale):
    X, y = heavy()
    method = RobustRegression(scale=scale, start="least_squares", tol=1e-10)
    objective = [step.objective for step in record(method.steps(X, y))]
    assert len(objective) > 5
    # Beyond the last steps, which move by rounding.
    assert np.diff(objective).max() <= 1e-12 * objective[0]


def test_at_the_minimum_no_slope_is_left():
    X, y = heavy()
    fit = RobustRegression(tol=1e-12).fit(X, y)
    pull = fit.trust * fit.scaled_errors
    np.testing.assert_allclose([*(pull @ X), pull.sum()], 0, atol=1e-8)
    assert np.median(np.abs(y - fit.predict(X))) == pytest.approx(0.6744897501960817 * fit.scale)


def test_a_joint_scale_makes_the_mean_of_clipped_squares_one():
    X, y = heavy()
    fit = RobustRegression(scale="joint", tol=1e-12).fit(X, y)
    assert np.mean(np.minimum(fit.scaled_errors**2, 1.345**2)) == pytest.approx(1.0, abs=1e-9)


def test_errors_that_are_all_small_are_least_squares_or_ridge():
    X, y = heavy()
    wide = HuberErrors(threshold=1e6)
    ours = RobustRegression(loss=wide).fit(X, y)
    np.testing.assert_allclose(
        ours.coefficients, LinearRegression().fit(X, y).coefficients, rtol=1e-10
    )
    ours = RobustRegression(loss=wide, alpha=7.0).fit(X, y)
    np.testing.assert_allclose(
        ours.coefficients, Ridge(alpha=7.0).fit(X, y).coefficients, rtol=1e-9
    )


@pytest.mark.parametrize("loss", ["huber", "tukey", "absolute"])
def test_weights_are_repeated_rows(loss):
    X, y = heavy(80)
    w = np.random.default_rng(1).integers(0, 4, 80)
    weighted = RobustRegression(loss=loss, tol=1e-12).fit(X, y, weights=w)
    repeated = RobustRegression(loss=loss, tol=1e-12).fit(np.repeat(X, w, 0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-7)


@pytest.mark.parametrize("loss", ["huber", "tukey", "absolute", "quantile"])
def test_units_do_not_matter(loss):
    X, y = heavy(80)
    method, units = RobustRegression(loss=loss, tol=1e-11), np.array([1e-6, 1e3, 1.0, 1e5])
    plain, other = method.fit(X, y), method.fit(X * units, 1e4 * y - 3e5)
    np.testing.assert_allclose(other.coefficients * units / 1e4, plain.coefficients, rtol=1e-6)


def test_copies_of_columns_change_no_prediction():
    X, y = heavy(80)
    twice = np.hstack([X, X[:, :2], np.ones((80, 1))])
    for loss in ("huber", "absolute"):
        one, two = (RobustRegression(loss=loss).fit(A, y).predict(A) for A in (X, twice))
        np.testing.assert_allclose(one, two, atol=1e-6)


def test_a_share_of_the_targets_lies_below_a_quantile():
    X, y = heavy(400)
    fit = RobustRegression(loss=QuantileErrors(quantile=0.9)).fit(X, y)
    left = y - fit.predict(X)
    # Of an optimum at most that share lies below and at most the rest above (Koenker 1978).
    assert (left < -1e-9).sum() <= 0.9 * 400 <= (left <= 1e-9).sum()
    assert (np.abs(left) < 1e-9).sum() == 5  # it goes through as many rows as it has parameters


def test_the_gap_is_above_what_is_lost():
    X, y = heavy(200)
    walk = list(planes(X, y, 0.3))
    loss = np.array([pinball(y - X @ plane.w, 0.3).sum() for plane in walk])
    size = pinball(y, 0.3).sum()
    assert all(plane.gap * size >= lost - 1e-9 for plane, lost in zip(walk, loss - loss[-1]))
    assert walk[-1].is_last
    assert walk[-1].gap < 1e-11


def test_weights_of_a_loss_are_its_slope_over_the_error():
    u = np.linspace(-7, 7, 141)[np.arange(141) != 70]
    for loss in (HuberErrors(), TukeyErrors()):
        slope = (loss.value(u + 1e-6) - loss.value(u - 1e-6)) / 2e-6
        np.testing.assert_allclose(loss.weights(u), slope / u, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"loss": "absolute", "alpha": 1.0}, "no penalty"),
        ({"scale": "joint", "loss": "tukey"}, "Huber's loss"),
        ({"scale": "joint", "loss": HuberErrors(threshold=0.5)}, "above 1"),
        ({"scale": "joint", "alpha": 1.0}, "no penalty"),
    ],
)
def test_settings_that_contradict_each_other(settings, says):
    with pytest.raises(ParamError, match=says):
        RobustRegression(**settings)
