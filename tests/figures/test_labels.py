"""Names beside points: none lies on another or on a point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures.drawing.labels import LINE, TIP, labels
from figures.drawing.labels import _box as box


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.text(min_size=1, max_size=20)),
        min_size=1,
        max_size=12,
    )
)
def test_no_name_lies_on_another(drawn):
    points = np.array([d[:2] for d in drawn])
    names = tuple(d[2] for d in drawn)
    placed = labels(points, names, 100.0)
    boxes = [box(points[p.index] * 100.0, p, names[p.index]) for p in placed]
    assert not any(a.meets(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_a_name_that_gave_way_is_not_drawn_onto_by_a_larger_picture():
    points, names = np.array([[0.0, 1.0], [0.06, 0.9]]), ("pixel_3_2", "pixel_2_2")
    placed = labels(points, names, 130.0)
    for size in (1.0, 1.5, 2.0, 3.0):
        boxes = [box(points[p.index] * 130.0 * size, p, names[p.index]) for p in placed]
        assert not any(a.meets(b) for k, a in enumerate(boxes) for b in boxes[:k])
    assert labels(points[1:], names[1:], 130.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_name_gives_way_away_from_the_origin_and_a_fourth_has_no_room(sign):
    placed = labels(np.full((4, 2), sign), ("alcohol",) * 4, 100.0)
    assert [p.index for p in placed] == [0, 1, 2]
    assert [p.shift / LINE for p in placed] == [0, sign, 2 * sign]


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=2, max_size=12))
def test_no_name_lies_on_a_point(drawn):
    points = 100.0 * np.array(drawn)
    placed = labels(np.array(drawn), ("alcohol",) * len(drawn), 100.0)
    for p in placed:
        its = box(points[p.index], p, "alcohol")
        for x, y in np.delete(points, p.index, axis=0):
            across = its.left < x + TIP and x - TIP < its.right
            assert not (across and its.low < y + TIP and y - TIP < its.high)


def test_a_name_at_a_flat_arrow_goes_to_its_other_side():
    placed = labels(np.array([[1.0, 0.1], [1.0, 0.25]]), ("ash", "hue"), 100.0)
    assert [(p.index, p.y_sign, p.shift) for p in placed] == [(0, -1, 0.0), (1, 1, 0.0)]


def test_names_that_are_apart_stay_where_they_are():
    placed = labels(np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]]), ("a", "b", "c"), 100.0)
    assert [(p.y_sign, p.shift) for p in placed] == [(1, 0), (1, 0), (-1, 0)]
