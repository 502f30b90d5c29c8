"""Names beside marks."""

import time

import numpy as np

from figures.drawing.beside import sides


def test_no_name_lies_on_another_or_on_a_mark():
    x, y = np.array([0.0, 60.0, 100.0]), np.array([0.0, 0.0, 100.0])
    names = ("helsinki", "stockholm", "oslo")
    size = (100.0, 100.0)
    assert sides(x, y, names, range(3), size) == ["top center", "middle right", "top center"]
    on_a_mark = np.array([0.0, 0.0, 100.0]), np.array([0.0, 12.0, 100.0])
    alone = ("helsinki", "", "")
    assert sides(*on_a_mark, alone, (0,), size)[0] == "top center"
    assert sides(*on_a_mark, alone, (0,), size, clear=4.0)[0] == "middle right"


def test_a_name_makes_room_for_one_that_comes_later():
    """Stockholm has marks on all other sides, and Oslo stands in its way above."""
    around = [(98, 10), (124, -2), (60, 22), (195, 22), (60, -2), (195, -2), (0, 99), (220, 99)]
    x, y = np.array([(150.0, 4.0), (124.0, 10.0), *around]).T
    names = ("oslo", "stockholm", *[""] * len(around))
    for first in ((0, 1), (1, 0)):
        where = sides(x, y, names, first, (220.0, 101.0), clear=4.0)
        assert where[:2] == ["middle right", "top center"]


def test_a_name_reaches_into_the_axis_only_where_it_would_cover_more():
    x, y = np.array([36.0, 50.0, 70.0, 0.0, 300.0]), np.array([50.0, 62.0, 50.0, 0.0, 100.0])
    names = ("istanbul", "", "", "", "")
    assert sides(x, y, names, (0,), (300.0, 100.0), clear=4.0)[0] == "bottom center"
    around = [(dx, dy) for dx in (16, 26, 38, 50) for dy in (38, 43, 50, 57, 62)]
    around += [(dx, dy) for dx in (-14, 0, 24) for dy in (38, 62)]
    x, y = np.array([(24.0, 50.0), (300.0, 100.0), (0.0, 0.0), *around]).T
    names = ("istanbul", *[""] * (len(x) - 1))
    where = [sides(x, y, names, (0,), (300.0, 100.0), clear=c)[0] for c in (0.0, 4.0)]
    assert where == ["top center", "middle left"]


def test_a_thousand_names_are_placed_while_a_page_waits():
    """As many as a person may have queries asked: each looked at all others took two seconds."""
    x, y = np.random.default_rng(0).normal(size=(2, 1000))
    began = time.process_time()
    where = sides(x, y, [str(k) for k in range(1000)], range(1000))
    assert time.process_time() - began < 0.7
    assert len(set(where)) == 8
