"""Rows along a coordinate: densities by class, the normal curve, what is said of its shape."""

from __future__ import annotations

import numpy as np
import pytest

from figures.drawing.histograms import normal_curve
from figures.view import views
from figures.views.reduction import projection_histogram as along
from mlcore.clustering.som import SelfOrganisingMap
from mlcore.reduction.fast_ica import FastICA
from mlcore.reduction.isomap import Isomap
from mlcore.reduction.pca import PCA
from tests.figures.made import dataset, whole


def numbers(values, y=None, classes=()):
    """Of the first axis of rows that have a second column of nothing but a little noise."""
    noise = 1e-6 * np.sin(np.arange(len(values)))
    data = dataset(np.column_stack([values, noise]), y, classes)
    return along.numbers(data, whole(data, PCA(n_components=1)))


def test_bars_and_curve_are_densities():
    h = numbers(np.random.default_rng(0).normal(size=900))
    assert (h.heights.sum(axis=0) * np.diff(h.edges)).sum() == pytest.approx(1.0)
    assert len(h.edges) == 31  # as many bins as the root of the rows
    curve = normal_curve(2.0, 3.0)
    x, y = np.asarray(curve.x), np.asarray(curve.y)
    assert np.trapezoid(y, x) == pytest.approx(0.99994, abs=1e-5)  # within four deviations
    assert (x * y).sum() / y.sum() == pytest.approx(2.0)
    assert y.max() == pytest.approx(1 / (3 * np.sqrt(2 * np.pi)))


def test_classes_stand_on_one_another_and_make_the_whole():
    values = np.concatenate([np.linspace(-1, 1, 100), np.linspace(8, 10, 300)])
    h = numbers(values, np.repeat([0, 1], [100, 300]), ("a", "b"))
    assert h.classes == ("a", "b") and h.heights.shape == (2, 20)
    np.testing.assert_allclose((h.heights * np.diff(h.edges)).sum(axis=1), [0.25, 0.75])
    assert not (h.heights[0] * h.heights[1]).any()
    fig = along.draw(h)
    assert [t.name for t in fig.data] == ["a", "b", "normal"]
    assert fig.layout.barmode == "stack"


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda rng: rng.normal(size=400), "no farther from normal than chance"),
        (lambda rng: rng.uniform(size=400), "is flatter, or has several humps, more than"),
        (lambda rng: rng.laplace(size=400), "has longer tails"),
        (lambda rng: rng.exponential(size=400), "leans to one side and has longer tails"),
    ],
)
def test_what_is_said_of_the_shape(draw, said):
    assert said in along.reading(numbers(draw(np.random.default_rng(1))))


def test_moments_by_hand():
    """Nine rows at 0 and one at 10: skewness 8/3, kurtosis 73/9."""
    h = numbers(np.array([0.0] * 9 + [10.0]))
    assert abs(h.skewness) == pytest.approx(8 / 3, abs=1e-4)
    assert h.excess == pytest.approx(73 / 9 - 3, abs=1e-3)


def test_it_stands_where_a_coordinate_is_a_direction():
    data = dataset(np.random.default_rng(0).normal(size=(40, 3)))
    view = views()["projection_histogram"]
    assert view.allowed_by(PCA().fit(data.X))
    for other in (FastICA(), Isomap(n_neighbors=5), SelfOrganisingMap()):
        assert not view.allowed_by(other.fit(data.X))
