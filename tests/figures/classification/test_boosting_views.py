"""Pictures of AdaBoost, checked on values."""

from __future__ import annotations

import numpy as np

from figures.views.trees import boosting_bounds, margin_cdf
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
