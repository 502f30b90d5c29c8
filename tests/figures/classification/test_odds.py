"""Odds ratios as a picture, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.options import values
from figures.views.classification import odds
from mlcore.classification.logistic import LogisticRegression
from tests.figures import made

X = np.array([[0.0], [0], [1], [1]])


def fitted(X=X, y=(0, 1, 0, 1), weights=(10.0, 20, 30, 15), classes=("well", "ill"), **settings):
    data = made.dataset(X, np.array(y), classes=classes)
    method = LogisticRegression(**({"penalty": "none"} | settings))
    return data, method.fit(X, data.y, weights=np.array(weights), columns=data.columns)


def test_the_interval_of_a_fourfold_table():
    data, fit = fitted()
    o = odds.numbers(fit, data)
    error = (1 / 10 + 1 / 20 + 1 / 30 + 1 / 15) ** 0.5
    columns = {c.name: c.values for c in odds.table(o)}
    assert columns["odds ratio"][0] == pytest.approx(0.25)
    low, high = (0.25 * np.exp(sign * 1.959964 * error) for sign in (-1, 1))
    assert columns["ratio, low, 95 %"][0] == pytest.approx(low, rel=1e-5)
    assert columns["ratio, high, 95 %"][0] == pytest.approx(high, rel=1e-5)
    assert odds.reading(o) == (
        "1 of 1 interval does not hold 1: x1. A unit of x1 multiplies the odds of ill against well "
        "by 0.0938 to 0.666."
    )
    mark = odds.draw(o).data[0]
    np.testing.assert_allclose(mark.x, [0.25])
    np.testing.assert_allclose(mark.error_x.array, [high - 0.25], rtol=1e-5)


def test_a_penalty_leaves_the_ratio_and_no_interval():
    data, fit = fitted(penalty="l2")
    o = odds.numbers(fit, data)
    said = odds.reading(o)
    assert "There are no intervals: the penalty draws the coefficients towards 0" in said
    assert odds.draw(o).data[0].error_x.array.tolist() == [0.0]


def test_the_reference_has_no_odds_to_choose():
    X = np.repeat([[0.0], [1.0]], 3, axis=0)
    three = {"y": np.tile([0, 1, 2], 2), "weights": [8.0, 4, 6, 3, 9, 12]}
    data, fit = fitted(X, classes=("a", "b", "c"), reference="last", **three)
    offered = {"fit": fit, "dataset": data}
    assert values(odds.OddsOptions, offered)["of"] == {1: "a", 2: "b"}
    assert odds.numbers(fit, data, of=1).lines.factor_of == "odds of a against c"
    rest = replace(fit.made_by, reference="none", loss="sigmoids")
    fit = rest.fit(X, data.y, weights=np.array(three["weights"]), columns=data.columns)
    assert values(odds.OddsOptions, offered | {"fit": fit})["of"] == {1: "a", 2: "b", 3: "c"}
    assert odds.numbers(fit, data, of=3).lines.factor_of == "odds of c against all others"
    shared = replace(fit.made_by, loss="softmax")
    fit = shared.fit(X, data.y, weights=np.array(three["weights"]), columns=data.columns)
    o = odds.numbers(fit, data, of=3)
    assert o.lines.factor_of == "odds of c against the mean of all classes"
    assert np.isfinite(o.lines.high).all()
    assert "no intervals" not in odds.reading(o)


def test_the_largest_comes_first_where_nothing_tells_how_sure_it_is():
    X = np.array([[0.0, 1], [1, 0], [0, 3], [2, 1]])
    data, fit = fitted(X, weights=(1.0, 1, 1, 1), penalty="l2")
    lines = odds.numbers(fit, data).lines
    assert abs(lines.values[0]) > abs(lines.values[1])
