"""The picture of leverages against the diagnostics of a peer, and its lines by their formula."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from figures.views.regression import leverage
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError
from tests.figures import made

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 2))
X[7] = 6.0
Y = X @ [1.0, -1.0] + RNG.normal(size=40)
W = RNG.uniform(0.5, 2.0, 40)


def picture(method, X=X, Y=Y, weights=None):
    data = replace(made.dataset(X, Y), weights=weights)
    whole = made.whole(data, method)
    if weights is not None:
        whole = replace(whole, fit=method.fit(X, Y, weights=weights, columns=data.columns))
    return leverage.numbers(data, whole)


@pytest.mark.parametrize("weights", [None, W])
def test_they_are_those_of_statsmodels(weights):
    v = picture(LinearRegression(), weights=weights)
    each: Any = np.ones(40) if weights is None else weights
    peer = sm.WLS(Y, sm.add_constant(X), each).fit()
    root = 1.0 if weights is None else np.sqrt(weights)
    told = sm.OLS(peer.model.wendog, peer.model.wexog).fit().get_influence()
    np.testing.assert_allclose(v.hat, told.hat_matrix_diag, rtol=1e-9)
    np.testing.assert_allclose(v.errors, told.resid_studentized_internal, rtol=1e-9)
    np.testing.assert_allclose(v.cook, told.cooks_distance[0], rtol=1e-9)
    np.testing.assert_allclose(root * (Y - peer.fittedvalues), told.resid, rtol=1e-9)


def test_on_a_line_the_distance_is_what_it_says():
    v = picture(LinearRegression())
    lines = [t for t in leverage.draw(v).data if t.mode == "lines"]
    assert len(lines) == 4
    for line, level in zip(lines, (0.5, 0.5, 1.0, 1.0), strict=True):
        x, y = np.array(line.x), np.array(line.y)
        seen = np.isfinite(y)
        np.testing.assert_allclose(y[seen] ** 2 * x[seen] / (3 * (1 - x[seen])), level, rtol=1e-9)


def test_lines_beyond_the_picture_are_not_in_its_legend():
    near = np.random.default_rng(1).normal(size=(400, 2))
    v = picture(LinearRegression(), near, near.sum(axis=1) + RNG.normal(size=400))
    assert v.cook.max() < 0.5 and "No row has more than 0.5." in leverage.reading(v)
    assert not any(t.showlegend for t in leverage.draw(v).data if t.mode == "lines")
    assert any(t.showlegend for t in leverage.draw(picture(LinearRegression())).data)


def test_a_penalty_takes_leverage_and_the_reading_names_the_row():
    strong, none = picture(Ridge(alpha=50.0)), picture(Ridge(alpha=0.0))
    assert (strong.hat < none.hat).all()
    assert strong.df == pytest.approx(strong.hat.sum())
    k = int(none.cook.argmax())
    assert leverage.reading(none).startswith(f"Row {k + 1} moves the plane most")
    assert leverage.table(none)[0].values[0] == k + 1


def test_a_row_that_fixes_a_direction_alone_is_counted_and_left_out():
    own = np.column_stack([X[:, 0], np.arange(40) == 3])
    v = picture(LinearRegression(), own)
    assert v.alone.tolist() == [3]
    assert len(v.rows) == 39
    assert "1 row alone fixes a direction of the plane." in leverage.reading(v)


def test_a_plane_through_all_rows_is_a_sentence():
    with pytest.raises(DataError, match="leaves no errors"):
        picture(LinearRegression(), X[:3], Y[:3])
