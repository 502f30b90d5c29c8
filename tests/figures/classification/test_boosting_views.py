"""Pictures of AdaBoost, checked on values."""

from __future__ import annotations

import numpy as np

from figures.views.trees import boosting_bounds, boosting_rounds, margin_cdf
from mlcore.ensembles.adaboost import AdaBoost
from tests.figures import made

X = [[float(i)] for i in range(10)]
Y = [0, 0, 0, 1, 0, 1, 0, 1, 0, 1]


def whole(**settings):
    data = made.dataset(X, Y, classes=("a", "b"))
    return made.whole(data, AdaBoost(**settings))


def test_bounds_stand_where_they_are_bounds():
    b = boosting_bounds.numbers(whole(n_estimators=3).fit)
    np.testing.assert_allclose(b.loss[0], 2 * np.sqrt(0.21))
    np.testing.assert_allclose(b.bound[0], np.exp(-0.08))
    np.testing.assert_allclose(b.training[0], 0.3)
    assert "After 3 rounds" in boosting_bounds.reading(b)
    assert boosting_bounds.numbers(whole(n_estimators=3, learning_rate=0.5).fit).bound is None


def test_margins_are_sorted_and_told():
    m = margin_cdf.numbers(whole(n_estimators=4))
    assert m.rounds == (1, 2, 4)
    np.testing.assert_allclose(m.margins[0], [-1] * 3 + [1] * 7)
    assert (np.diff(m.margins, axis=1) >= 0).all()
    assert "have a margin below 0" in margin_cdf.reading(m)


def test_rows_weigh_what_the_rounds_before_left_wrong():
    w = whole(n_estimators=3)
    first = boosting_rounds.numbers(made.dataset(X, Y, classes=("a", "b")), w, round=1)
    np.testing.assert_allclose(first.shares, 0.1)
    second = boosting_rounds.numbers(made.dataset(X, Y, classes=("a", "b")), w, round=2)
    wrong = w.fit.members[0].predict(np.asarray(X)) != Y
    np.testing.assert_allclose(second.shares, np.where(wrong, 1 / 6, 1 / 14))
    # The member of a round has the error of its weights.
    miss = w.fit.members[1].predict(np.asarray(X)) != Y
    np.testing.assert_allclose(second.shares[miss].sum(), second.error)
    assert "Half of the weight lies on 3 rows of 10" in boosting_rounds.reading(second)
    areas = boosting_rounds._sizes(second.shares) ** 2
    np.testing.assert_allclose(areas[wrong][0] / areas[~wrong][0], 14 / 6, rtol=1e-5)


def test_a_round_is_drawn_with_the_border_of_all():
    rng = np.random.default_rng(0)
    at = rng.normal(size=(40, 2))
    data = made.dataset(at, (at[:, 0] * at[:, 1] > 0).astype(int), classes=("a", "b"))
    w = made.whole(data, AdaBoost(n_estimators=4))
    d = boosting_rounds.numbers(data, w)
    assert d.round == d.rounds == 4
    x, y = (np.reshape(values, (-1, 3)) for values in d.border)
    assert np.isnan(x[:, 2]).all() and len(x)
    # A little to both sides of a piece of the border the votes differ.
    is_upright = x[:, 0] == x[:, 1]
    mid = np.column_stack([(x[:, 0] + x[:, 1]) / 2, (y[:, 0] + y[:, 1]) / 2])
    cell = d.shown.plane.x.cells[1] - d.shown.plane.x.cells[0]
    side = np.where(is_upright[:, None], [cell / 2, 0], [0, cell / 2])
    step = d.shown.plane.y.cells[1] - d.shown.plane.y.cells[0]
    side[~is_upright, 1] = step / 2
    assert (w.fit.predict(mid - side) != w.fit.predict(mid + side)).all()
