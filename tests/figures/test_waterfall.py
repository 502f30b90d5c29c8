"""The waterfall of one prediction: its words stay in the picture, however narrow it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from figures.views.explaining.contributions import Waterfall, draw


def waterfall(*values: float) -> Waterfall:
    labels = tuple(f"v{k}" for k in range(len(values)))
    none = np.zeros(len(values))
    total = 0.4 + sum(values)
    return Waterfall(
        labels, np.array(values), none, 0.4, total, "yes", "Probability of", "row 1", 1,
        ", which is yes,", True, 9,
    )  # fmt: skip


def test_the_value_of_a_bar_stands_where_there_is_more_room():
    fig = draw(waterfall(0.3, 0.2, 0.01))
    words: Any = fig.data[1]  # after the bars
    assert words.textposition == ("middle right", "middle left", "middle left")
    assert [text.strip() for text in words.text] == ["+0.30", "+0.20", "+0.010"]
    np.testing.assert_allclose(words.x, [0.7, 0.7, 0.9])


def test_a_falling_waterfall_is_named_at_its_other_end():
    fig = draw(waterfall(-0.3, -0.02))
    words: Any = fig.data[1]  # after the bars
    assert words.textposition == ("middle left", "middle right")
    np.testing.assert_allclose(words.x, [0.1, 0.1])


def test_the_names_of_both_ends_stand_towards_the_middle():
    fig: Any = draw(waterfall(0.3, 0.2))
    assert [(name.text[:4], name.xanchor) for name in fig.layout.annotations] == [
        ("mean", "left"), ("row ", "right")
    ]  # fmt: skip
