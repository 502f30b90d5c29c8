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
