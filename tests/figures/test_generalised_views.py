"""The pictures of intervals of coefficients and of residuals of a family, by hand."""

import re
from dataclasses import replace

import numpy as np
import pytest

from figures.views.regression import coefficient_intervals, deviance_residuals
from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.regression.linear_regression import LinearRegression
from tests.figures import made

X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]])
Y = np.array([1.0, 2.0, 3.0, 5.0, 9.0])


def fitted(method=None, X=X, Y=Y):
    data = made.dataset(X, Y, rows=range(10, 10 + len(Y)))
    return data, made.whole(data, method or GeneralisedLinear(family="poisson"))


def test_the_interval_of_a_log_ratio_of_counts():
    _, whole = fitted()
    i = coefficient_intervals.numbers(whole.fit, factors=True)
    error = (1 / 6 + 1 / 14) ** 0.5
    assert i.names == ("x1", "(intercept)")
    assert i.low[0] == pytest.approx(np.log(3.5) - 1.959964 * error, abs=1e-5)
    assert i.p[0] == pytest.approx(0.0103, abs=1e-4)  # of a normal variable beyond 2.567
    said = coefficient_intervals.reading(i)
    assert "1 of 1 interval does not hold 1: x1. A unit of x1 multiplies the mean by 1.3" in said
    assert coefficient_intervals.draw(i).layout.xaxis.type == "log"


def test_factors_are_drawn_for_logarithms_only_and_least_squares_has_intervals_too():
    _, whole = fitted(LinearRegression())
    i = coefficient_intervals.numbers(whole.fit, factors=True)
    assert i.factor_of == ""
    assert i.high[0] - i.low[0] == pytest.approx(2 * 3.182446 * whole.fit.standard_errors[0])


def test_what_a_unit_adds_it_adds_to_what_is_linear():
    ends = r"A unit of x1 adds \S+ to \S+"
    for method, y, scale in (
        (GeneralisedLinear(family="gamma"), Y, " to the logarithm"),
        (GeneralisedLinear(family="binomial"), np.array([0, 1, 0, 1.0, 0]), " to the log-odds"),
        (LinearRegression(), Y, ""),
    ):
        said = coefficient_intervals.reading(
            coefficient_intervals.numbers(fitted(method, Y=y)[1].fit)
        )
        assert re.search(rf"{ends}{scale}\.$", said), said


def test_of_shares_a_factor_is_one_of_the_odds():
    _, whole = fitted(GeneralisedLinear(family="binomial"), Y=np.array([0, 1, 0, 1.0, 0]))
    i = coefficient_intervals.numbers(whole.fit, factors=True)
    assert i.values[0] == pytest.approx(np.log(2))  # odds of 1 in 2 and 1 in 1
    assert "multiplies the odds by" in coefficient_intervals.reading(i)
    assert coefficient_intervals.draw(i).layout.xaxis.title.text == "Factor of the odds"


def test_a_penalty_leaves_no_errors():
    _, whole = fitted(GeneralisedLinear(family="poisson", alpha=1.0))
    i = coefficient_intervals.numbers(whole.fit)
    assert "shrunk by a penalty" in coefficient_intervals.reading(i)


def test_residuals_in_the_spread_of_the_family():
    data, whole = fitted()
    d = deviance_residuals.numbers(data, whole, kind="pearson")
    mean = np.array([2.0, 2, 2, 7, 7])
    np.testing.assert_allclose(d.residual, (Y - mean) / mean**0.5, atol=1e-7)
    d = deviance_residuals.numbers(data, whole)
    expected = np.sqrt(2 * (Y * np.log(Y / mean) - Y + mean)) * np.sign(Y - mean)
    np.testing.assert_allclose(d.residual, expected, atol=1e-7)
    assert d.explained == pytest.approx(1 - whole.fit.deviance / whole.fit.null_deviance)
    assert "0 rows of 5 lie more than 2 standard deviations off" in deviance_residuals.reading(d)


def test_residuals_of_shares_are_those_of_their_trials():
    trials = np.array([4.0, 4, 4, 5, 5])
    data = made.dataset(X, np.array([0.25, 0.25, 0.5, 0.8, 0.6]))
    data = replace(data, weights=trials)
    method = GeneralisedLinear(family="binomial")
    fit = method.fit(X, data.y, weights=trials)
    whole = replace(made.whole(data, method), fit=fit)
    d = deviance_residuals.numbers(data, whole, kind="pearson")
    mean = np.array([1 / 3, 1 / 3, 1 / 3, 0.7, 0.7])
    expected = (data.y - mean) / np.sqrt(mean * (1 - mean) / trials)
    np.testing.assert_allclose(d.residual, expected, atol=1e-7)
    squares = deviance_residuals.numbers(data, whole).residual ** 2
    assert squares.sum() == pytest.approx(fit.deviance)
