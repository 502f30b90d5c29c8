"""Names beside marks."""

import numpy as np

from figures.drawing.beside import sides


def test_no_name_lies_on_another_or_on_a_mark():
    x, y = np.array([0.0, 60.0, 100.0]), np.array([0.0, 0.0, 100.0])
    names = ("helsinki", "stockholm", "oslo")
    size = (100.0, 100.0)
    assert sides(x, y, names, range(3), size) == ["top center", "middle right", "top center"]
    on_a_mark = np.array([0.0, 0.0, 100.0]), np.array([0.0, 12.0, 100.0])
    assert sides(*on_a_mark, names, range(3), size)[0] == "top center"
    assert sides(*on_a_mark, names, range(3), size, clear=4.0)[0] == "middle right"


def test_a_name_reaches_into_the_axis_only_where_no_other_side_is_free():
    x, y = np.array([36.0, 50.0, 70.0, 0.0, 300.0]), np.array([50.0, 62.0, 50.0, 0.0, 100.0])
    names = ("istanbul", "", "", "", "")
    assert sides(x, y, names, (0,), (300.0, 100.0), clear=4.0)[0] == "bottom center"
    x[3], y[3] = 40.0, 38.0  # the left alone is free, and now at the edge
    assert sides(x, y, names, (0,), (260.0, 62.0), clear=4.0)[0] == "middle left"
