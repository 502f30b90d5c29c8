"""Pictures of the mistakes of a perceptron, checked on values."""

from __future__ import annotations

import numpy as np

from figures.views.classification import mistake_bounds, mistakes
from mlcore.classification.perceptron import Perceptron
from tests.figures import made

CORNERS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def whole(y, **settings):
    data = made.dataset(CORNERS, y, classes=("no", "yes"))
    return made.whole(data, Perceptron(**settings))


def test_passes_are_counted():
    drawn = mistakes.mistakes(whole([0, 0, 0, 1]).fit)
    np.testing.assert_array_equal(drawn.table[1].values, [2, 3, 3, 2, 1, 0])
    assert drawn.reading.startswith("11 mistakes in 6 passes, 18 % of them in the first.")


def test_the_bounds_meet_beyond_the_last_mistake():
    w = whole([0, 0, 0, 1])
    g = mistake_bounds.numbers(w.fit, w)
    # The widest margin of "and" is 1 / sqrt 17 and the longest row has length sqrt 3.
    np.testing.assert_allclose(g.bounds.most, 51)
    meeting = np.abs(g.upper - g.lower)[1:].argmin() + 1
    assert abs(g.at[meeting] - 51) < 1
    assert "11 mistakes, and no order of the rows leads to more than 51" in mistake_bounds.reading(
        g
    )


def test_without_a_hyperplane_there_is_no_lower_bound():
    w = whole([0, 1, 1, 0], max_iter=5)
    g = mistake_bounds.numbers(w.fit, w)
    assert g.lower is None
    assert "nothing bounds their number" in mistake_bounds.reading(g)
    assert len(mistake_bounds.draw(g).data) == 2
