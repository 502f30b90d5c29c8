"""Quantile regression by hand: order statistics, shares, zeros, and planes that may cross."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.quantile_scores import pinball_loss, shares_below
from mlcore.optimisation.quantile_plane import pinball, planes
from mlcore.optimisation.smoothed_plane import smoothed_planes
from mlcore.regression.quantile_regression import QuantileRegression, _stop, in_order
from mlcore.regression.robust_losses import QuantileErrors
from mlcore.regression.robust_regression import RobustRegression
from mlcore.spine.errors import ParamError

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)


def widening(n=400, p=3, seed=0):
    """A plane whose noise grows with the first column."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 2.0, size=(n, p))
    return X, X @ np.arange(1.0, p + 1) + (0.2 + X[:, 0]) * rng.normal(size=n)


def test_without_a_column_that_varies_they_are_quantiles_of_the_target():
    y = np.arange(1.0, 12.0)
    fit = QuantileRegression(quantiles=(0.05, 0.5, 0.95)).fit(np.zeros((11, 1)), y)
    np.testing.assert_allclose(fit.predict_quantiles(np.zeros((1, 1)))[0], [1.0, 6.0, 11.0])


def test_a_share_of_the_rows_lies_below_each_and_as_many_on_it_as_it_has_parameters():
    X, y = widening()
    fit = QuantileRegression(quantiles=LEVELS, no_crossing=False).fit(X, y)
    left = y[:, None] - fit.predict_quantiles(X)
    # Koenker and Bassett (1978), theorem 3.4.
    below, at_most = (left < -1e-9).mean(axis=0), (left <= 1e-9).mean(axis=0)
    assert (below <= fit.levels).all() and (fit.levels <= at_most).all()
    np.testing.assert_array_equal((np.abs(left) <= 1e-9).sum(axis=0), 4)
    np.testing.assert_allclose(shares_below(y, fit.predict_quantiles(X)), LEVELS, atol=0.02)


def test_one_quantile_is_robust_regression_with_its_loss():
    X, y = widening()
    one = QuantileRegression(quantiles=(0.8,)).fit(X, y)
    other = RobustRegression(loss=QuantileErrors(quantile=0.8)).fit(X, y)
    np.testing.assert_allclose(one.coefficients, other.coefficients, atol=1e-9)


def test_shifting_scaling_and_turning_the_target_around_do_the_same_to_the_quantiles():
    X, y = widening()
    method = QuantileRegression(quantiles=(0.2, 0.5, 0.8))
    plain, moved, turned = (method.fit(X, t) for t in (y, 3.0 * y + X[:, 1] + 2.0, -y))
    own = plain.predict_quantiles(X)
    np.testing.assert_allclose(moved.predict_quantiles(X), 3.0 * own + X[:, [1]] + 2.0, atol=1e-8)
    np.testing.assert_allclose(turned.predict_quantiles(X), -own[:, ::-1], atol=1e-8)


def test_a_weight_of_two_is_a_row_twice():
    X, y = widening(60)
    w = np.where(np.arange(60) % 3 == 0, 2.0, 1.0)
    for alpha in (0.0, 0.05):
        method = QuantileRegression(alpha=alpha)
        once = method.fit(X, y, weights=w).planes
        twice = method.fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))).planes
        np.testing.assert_allclose(once, twice, atol=1e-8)


def test_the_penalty_sets_coefficients_to_exactly_zero_and_in_the_end_all():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6))
    y = X @ [3.0, 0, 0, -2.0, 0, 0] + rng.normal(size=200)
    counts = [
        (QuantileRegression(alpha=alpha).fit(X, y).planes != 0).sum() for alpha in (0, 0.1, 10)
    ]
    assert counts == [18, 6, 0]
    nothing = QuantileRegression(alpha=10.0, quantiles=(0.5,)).fit(X, y)
    assert nothing.intercept == pytest.approx(np.median(y), abs=np.ptp(np.sort(y)[99:101]))


def test_quantiles_stand_in_order_and_the_middle_one_is_left_alone():
    crossing = np.array([[3.0, 2.0, 1.0, 4.0, 0.0], [0.0, 1.0, 2.0, 3.0, 4.0]])
    ordered = in_order(crossing, 2)
    np.testing.assert_array_equal(ordered, [[1.0, 1.0, 1.0, 4.0, 4.0], crossing[1]])
    X, y = widening()
    far = np.array([[-50.0, 0.0, 0.0]])  # where planes that spread have crossed
    fits = [QuantileRegression(no_crossing=mend).fit(X, y) for mend in (False, True)]
    assert (np.diff(fits[0].predict_quantiles(far)) < 0).any()
    assert (np.diff(fits[1].predict_quantiles(far)) >= 0).all()
    for fit in fits:
        np.testing.assert_array_equal(fit.predict(far), fit.predict_quantiles(far)[:, 1])


def test_crossing_among_the_fitted_rows_is_told():
    x = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0])[:, None]
    y = np.array([0.0, 1.0, 0.5, 0.6, 0.0, 3.0, 1.0])
    levels = (0.4, 0.45, 0.5, 0.55, 0.6)
    fit = QuantileRegression(quantiles=levels, no_crossing=False).fit(x, y)
    crossed = (np.diff(fit.predict_quantiles(x)) < -1e-12).any()
    assert any("cross" in note for note in fit.notes) == crossed


def test_the_pinball_loss_by_hand():
    loss = pinball_loss(
        np.array([1.0, 5.0]), np.array([[2.0, 2.0], [2.0, 2.0]]), np.array([0.1, 0.5])
    )
    # Below: (1 - q) 1, above: q 3.
    assert loss == pytest.approx((0.9 + 0.3 + 0.5 + 1.5) / 4)


@pytest.mark.parametrize("quantiles", [(), (0.5, 0.5), (0.9, 0.1), (0.0,), (1.0,), (1.5,)])
def test_what_are_no_ascending_shares_is_refused(quantiles):
    with pytest.raises(ParamError, match="quantiles"):
        QuantileRegression(quantiles=quantiles)


def test_as_many_rows_as_parameters_are_fitted_exactly():
    X, y = widening(4)
    fit = QuantileRegression().fit(X, y)
    np.testing.assert_allclose(fit.predict_quantiles(X), np.tile(y[:, None], 3), atol=1e-8)
    assert fit.stop.kind == "collapsed"


def rounded(n=300, p=4):
    """Many rows on one plane, and equal ones."""
    X, y = widening(n, p)
    return np.round(X), np.round(y)


def heavy_tails(n=500, p=4):
    rng = np.random.default_rng(3)
    return rng.normal(size=(n, p)), rng.standard_cauchy(n)


TABLES = {
    "widening": widening(), "rounded": rounded(), "heavy tails": heavy_tails(),
    "few rows": widening(40, 30), "units": (widening(300, 2)[0] * [1e6, 1e-6], widening(300, 2)[1]),
    "twice": tuple(np.repeat(part, 2, axis=0) for part in widening(100)),
}  # fmt: skip


@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize("name", TABLES)
def test_both_solvers_end_at_the_least_loss(name, alpha):
    X, y = TABLES[name]
    if alpha and name == "units":
        X = X * [1e-6, 1e6]  # the penalty compares the units
    fits = [
        QuantileRegression(quantiles=(0.05, 0.5, 0.9), alpha=alpha, solver=solver).fit(X, y)
        for solver in ("interior_point", "smoothed_newton")
    ]
    losses = []
    for fit in fits:
        left = y[:, None] - X @ fit.planes.T - fit.heights
        each = np.where(left > 0, fit.levels, fit.levels - 1.0) * left
        losses.append(each.mean(axis=0) + alpha * np.abs(fit.planes).sum(axis=1))
        assert fit.stop.kind == "converged"
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-9)
    # Elsewhere several planes are best, as quantiles of 500 rows without a column are.
    if name in ("widening", "few rows", "units"):
        np.testing.assert_allclose(
            fits[1].predict_quantiles(X), fits[0].predict_quantiles(X), rtol=1e-7, atol=1e-7
        )


def test_newton_closes_its_own_gap_from_below():
    """Each plane says by how much it may be above the least loss, and never by too little."""
    X, y = widening(200)
    A = np.column_stack([X, np.ones(len(y))])
    *_, end = planes(A, y, 0.3)
    least, size = pinball(y - A @ end.w, 0.3).sum(), pinball(y, 0.3).sum()
    walk = list(smoothed_planes(A, y, 0.3))
    assert walk[-1].is_last and walk[-1].gap <= 1e-11
    assert pinball(y - A @ walk[-1].w, 0.3).sum() <= least + 1e-11 * size
    assert (np.diff([plane.gap for plane in walk]) <= 1e-15).all()


def test_a_plane_that_was_not_found_is_said_not_to_be():
    assert _stop(1e-3).kind == "limit" and "Not converged" in _stop(1e-3).why
