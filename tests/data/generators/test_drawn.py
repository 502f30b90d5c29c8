"""Drawn points: what was drawn comes back out of the link, and nothing else gets in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.data.drawn import MOST, Drawn, packed, unpacked
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError

POINTS = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.integers(0, 7)), min_size=1, max_size=60
)


@given(POINTS)
def test_points_come_back_within_a_place(points):
    x, y, klass = (np.array(values) for values in zip(*points, strict=True))
    back = unpacked(packed(x, y, klass))
    np.testing.assert_allclose(back[0], x, atol=1e-4)  # 65,536 places and four decimals
    np.testing.assert_allclose(back[1], y, atol=1e-4)
    np.testing.assert_array_equal(back[2], klass)


def test_a_point_takes_five_bytes_in_network_order():
    text = packed(np.array([1.0]), np.array([-1.0]), np.array([3]))
    assert text == "__8AAAM"  # ff ff 00 00 03


def test_points_outside_are_moved_to_the_edge():
    x, y, _ = unpacked(packed(np.array([7.0]), np.array([-7.0]), np.array([0])))
    assert (x[0], y[0]) == (1.0, -1.0)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ("AAAA", "ends in the middle of a point"),
        ("not base64!", "is not text that points were packed into"),
        ("ü", "is not text that points were packed into"),
        ("AAAAAAk", "has a class beyond H"),
        (packed(np.zeros(MOST + 1), np.zeros(MOST + 1), np.zeros(MOST + 1)), "at most 800"),
    ],
)
def test_other_text_is_refused_in_a_sentence(points, says):
    with pytest.raises(ParamError, match=says):
        Drawn(points=points)


def test_nothing_drawn_is_a_sentence():
    with pytest.raises(DataError, match="Nothing is drawn yet"):
        Drawn(points="").origin({})


def test_classes_are_those_that_were_used():
    points = packed(np.zeros(3), np.zeros(3), np.array([3, 1, 3]))
    table = Drawn(points=points).origin({}).table
    assert table.column("class").levels == ("B", "D")
    assert table.column("class").texts() == ["D", "B", "D"]


def test_the_height_can_be_the_target():
    origin = Drawn(target="height").origin({})
    assert (origin.table.names, origin.target) == (("x1", "x2"), "x2")


def test_the_most_that_can_be_drawn_fits_into_a_link():
    rng = np.random.default_rng(0)
    points = packed(*rng.uniform(-1, 1, (2, MOST)), rng.integers(0, 4, MOST))
    link = Run.from_link({"data": "drawn", "data.source.points": points, "v": "1"})[0].to_link()
    assert sum(len(k) + len(v) for k, v in link.items()) < 6 * 1024
    assert Run.from_link(link) == (Run.from_link(link)[0], ())
