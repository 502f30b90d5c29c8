"""The way of a perceptron's weights, checked on values."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.borders.half_planes import left_by
from figures.numbers.recordings import recording_of
from figures.recording import traces_by_name
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
    assert w.wrong.min() == 0 and "No row is wrong inside the dotted outline" in view.reading(w)


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


TOY = [[1.0, 0.5], [0.3, 1.0]]  # the first in the second class, the second in the first


def two_weights(X, y, **settings):
    data = made.dataset(X, y, classes=("no", "yes"))
    return data, made.whole(data, Perceptron(learn_bias=False, **settings))


def test_the_cone_of_two_rows_lies_between_the_lines_across_them():
    data, whole = two_weights(TOY, [1, 0])
    w = view.numbers(data, whole, "x1", "x2")
    assert w.others == 0
    first, second = (np.array(row) for row in TOY)
    assert (w.cone @ first).min() == pytest.approx(0, abs=1e-12)
    assert (w.cone @ second).max() == pytest.approx(0, abs=1e-12)
    assert np.abs(w.cone).sum(axis=1).min() == pytest.approx(0, abs=1e-12)  # its tip is the origin
    end = whole.fit.coefficients
    assert first @ end > 0 > second @ end
    # Weights on a ray from the tip are right together: the outline is that of the shade.
    ends = w.cone[np.abs(w.cone).sum(axis=1) > 1e-9]
    inside = ends.mean(axis=0)
    assert first @ inside > 0 > second @ inside


def test_a_third_row_empties_the_cone():
    third = [TOY[1][0] - TOY[0][0], TOY[1][1] - TOY[0][1]]
    data, whole = two_weights([*TOY, third], [1, 0, 1], max_iter=10)
    w = view.numbers(data, whole, "x1", "x2")
    assert w.cone.shape == (0, 2)
    said = view.reading(w)
    assert said.endswith("of the rows are wrong at the end. At the lightest place 33 % are.")


def test_the_player_walks_the_way_mistake_by_mistake():
    data, whole = carried([0, 0, 0, 1])
    drawn = view.weight_path(data, whole)
    steps = list(whole.fit.made_by.steps(data.X, data.y))
    recording = recording_of(drawn, whole, steps, data)
    at = traces_by_name(drawn.figure)
    w = view.numbers(data, whole)
    assert len(recording.frames) == len(steps) == len(w.path) - 1
    for frame, it in zip(recording.frames, steps, strict=True):
        now = [it.state.coefficients[0], it.state.coefficients[1], it.state.intercept]
        place = [now[("x1", "x2", "offset").index(name)] for name in w.names]
        np.testing.assert_allclose([frame[at["now"]][k][0] for k in "xy"], place)
        assert len(frame[at["way"]]["x"]) >= 1 + it.state.mistakes.sum()


def test_half_planes_leave_a_triangle_of_a_square():
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    left = left_by(square, np.array([[-1.0, -1.0], [1.0, 0.0]]), np.array([1.0, 0.0]))
    assert sorted(map(tuple, left)) == [(0, 0), (0, 1), (1, 0)]
    assert left_by(square, np.array([[1.0, 0.0]]), np.array([-1.0])).shape == (0, 2)  # an edge
