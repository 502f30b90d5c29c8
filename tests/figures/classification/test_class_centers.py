"""The means of classes in the plane, checked on values."""

from __future__ import annotations

import numpy as np

from figures.views.classification import class_centers
from mlcore.classification.nearest_mean import NearestMean
from tests.figures import made

ROWS = [[0.0, 0], [2, 0], [4, 4], [4, 2], [4, 40]]


def test_means_and_the_ways_between_them():
    data = made.dataset(ROWS, [0, 0, 1, 1, 2], classes=("a", "b", "c"))
    c = class_centers.numbers(data, made.whole(data, NearestMean()))
    np.testing.assert_allclose(c.means, [[1, 0], [4, 3], [4, 40]], atol=1e-12)
    np.testing.assert_allclose(c.distances[1], [np.sqrt(18), 0, 37])
    text = class_centers.reading(c)
    assert text.startswith("The means of a and b lie 4.24 apart, nearer than any other two")
    way = next(t for t in class_centers.draw(c).data if t.name == "middle of two means")
    np.testing.assert_allclose(way.x[:4], [1, 2.5, 4, np.nan])
    np.testing.assert_allclose(way.y[:4], [0, 1.5, 3, np.nan], atol=1e-12)


def test_ways_between_many_means_are_not_drawn():
    data = made.dataset(np.eye(6), np.arange(6), classes=tuple("abcdef"))
    c = class_centers.numbers(data, made.whole(data, NearestMean()))
    assert all(t.name != "middle of two means" for t in class_centers.draw(c).data)
