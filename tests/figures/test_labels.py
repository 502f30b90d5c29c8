"""Names beside points: none lies on another, and the first points are named first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from figures.drawing.labels import LINE, labels
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
    assert placed[0].index == 0
    assert not any(a.meets(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_a_name_gives_way_by_a_line_and_a_sixth_at_one_point_has_no_room():
    placed = labels(np.ones((6, 2)), ("alcohol",) * 6, 100.0)
    assert [p.index for p in placed] == [0, 1, 2, 3, 4]
    assert [p.shift / LINE for p in placed] == [0, 1, -1, 2, -2]


def test_names_that_are_apart_stay_where_they_are():
    placed = labels(np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]]), ("a", "b", "c"), 100.0)
    assert [(p.y_sign, p.shift) for p in placed] == [(1, 0), (1, 0), (-1, 0)]
