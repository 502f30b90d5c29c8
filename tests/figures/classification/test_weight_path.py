"""The way of a perceptron's weights, checked on values."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.classification import weight_path as view
from mlcore.classification.perceptron import Perceptron
from tests.figures import made

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def carried(y, **settings):
    data = made.dataset(CORNERS, y, classes=("no", "yes"))
    return data, made.whole(data, Perceptron(**settings))


def test_the_way_begins_at_nothing_and_ends_where_the_fit_stands():
    data, whole = carried([0, 0, 0, 1])
    w = view.numbers(data, whole, "x1", "x2")
    assert w.names == ("x1", "x2") and w.others == 1
    np.testing.assert_array_equal(w.path[0], 0)
    np.testing.assert_allclose(w.path[-1], whole.fit.coefficients)
    # An update adds a corner of the square, or takes it away.
    moves = np.diff(w.path, axis=0)
    assert set(np.unique(moves)) <= {-1.0, 0.0, 1.0}
    assert w.at_end == 0 and w.n_steps == 0


def test_the_shade_counts_the_rows_that_other_weights_get_wrong():
    data, whole = carried([0, 0, 0, 1])
    w = view.numbers(data, whole, "x1", "x2")
    (a, b), y = w.axes, np.array([0, 0, 0, 1])
    for i, j in ((0, 0), (20, 45), (60, 60)):
        scores = np.array(CORNERS) @ [a[i], b[j]] + whole.fit.intercept
        assert w.wrong[j, i] == ((scores >= 0) != y).mean()
    assert w.wrong.min() == 0 and "No row is wrong where it is lightest" in view.reading(w)


def test_rows_that_no_line_parts_are_wrong_everywhere():
    data, whole = carried([0, 1, 1, 0], max_iter=5)
    w = view.numbers(data, whole)
    assert w.wrong.min() > 0 and "At the lightest place" in view.reading(w)


@pytest.mark.parametrize(
    ("settings", "fits"),
    [({}, True), ({"order": "shuffled"}, False), ({"keep": "averaged"}, False),
     ({"start": "random"}, False), ({"rule": "smooth"}, True)],
)  # fmt: skip
def test_it_is_offered_where_the_way_can_be_gone_again(settings, fits):
    assert view.is_repeatable(*carried([0, 0, 0, 1], **settings)) == fits


@pytest.mark.parametrize("of", [1, 2, 3])
def test_of_three_classes_the_weights_of_one_are_moved_and_all_ways_drawn(of):
    X, y = np.array([*CORNERS, [2.0, 2.0]]), np.array([0, 1, 2, 1, 0])
    data = made.dataset(X, y, classes=("a", "b", "c"))
    whole = made.whole(data, Perceptron(max_iter=3))
    w = view.numbers(data, whole, "x1", "x2", of)
    ends = {w.of: w.path[-1]} | {way.name: way.path[-1] for way in w.beside}
    np.testing.assert_allclose([ends[name] for name in "abc"], whole.fit.coefficients)
    for i, j in ((0, 0), (20, 45), (60, 60)):
        W = whole.fit.coefficients.copy()
        W[of - 1] = w.axes[0][i], w.axes[1][j]
        said = (X @ W.T + whole.fit.intercept).argmax(axis=1)
        assert w.wrong[j, i] == pytest.approx((said != y).mean())
    assert w.at_end == pytest.approx((whole.fit.predict(X) != y).mean())
