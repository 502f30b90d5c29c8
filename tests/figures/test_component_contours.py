"""Level lines of a coordinate: the values of the cells, the arrows, and what the plane shows."""

from __future__ import annotations

import numpy as np
import pytest

from figures.view import views
from figures.views.reduction import component_contours as lines
from mlcore.clustering.som import SelfOrganisingMap
from mlcore.reduction.isomap import Isomap
from mlcore.reduction.kernel_pca import KernelPCA
from mlcore.reduction.pca import PCA
from tests.figures.made import dataset, whole

TILTED = np.array([[2, 0], [0, 2], [-2, 0], [0, -2], [1, 1], [-1, -1]], dtype=float)


def test_lines_of_a_straight_method_are_straight_and_cross_its_axis():
    data = dataset(TILTED)
    c = lines.numbers(data, whole(data, PCA()))
    x, y = np.meshgrid(c.shown.plane.x.cells[c.across], c.shown.plane.y.cells[c.up])
    assert c.cells.shape == (lines.PLACES, lines.PLACES)
    np.testing.assert_allclose(c.cells, (x + y) / np.sqrt(2.0), atol=1e-12)
    np.testing.assert_allclose(c.at_rows, TILTED.sum(axis=1) / np.sqrt(2.0), atol=1e-12)


def test_arrows_are_two_standard_deviations_long():
    """By hand: along (1, 1) the variance, divisor n, is 2, across it 4/3."""
    data = dataset(TILTED)
    c = lines.numbers(data, whole(data, PCA()))
    assert c.arrow_names == ("PC1", "PC2")
    np.testing.assert_allclose(c.arrows[:, 0], 0.0, atol=1e-12)  # from the mean
    np.testing.assert_allclose(c.arrows[0, 1], [2.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(np.hypot(*c.arrows[1, 1]), 2.0 * np.sqrt(4 / 3), atol=1e-12)
    assert "Arrows are axes" in lines.reading(c)


def test_axes_that_are_no_more_than_a_dot_on_the_plane_have_no_arrow():
    X = np.random.default_rng(0).normal(size=(200, 4)) @ np.diag([9.0, 7.0, 5.0, 1.0])
    data = dataset(X)
    c = lines.numbers(data, whole(data, PCA()), x="x1", y="x4")
    assert c.arrow_names == ("PC1",) and len(c.arrows) == 1
    assert "The arrow is the axis of PC1, two standard deviations" in lines.reading(c)


def test_a_plane_of_two_columns_shows_a_coordinate_whole_and_one_of_more_a_part():
    two = dataset(TILTED)
    assert lines.numbers(two, whole(two, KernelPCA())).told == 1.0
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * [1.0, 1.0, 3.0]  # nearly all of PC1 lies in the third column
    three = dataset(X)
    fitted = whole(three, PCA())
    hidden = lines.numbers(three, fitted, x="x1", y="x2")
    seen = lines.numbers(three, fitted, x="x2", y="x3")
    assert hidden.told < 0.1 < 0.95 < seen.told < 1.0
    assert "can be read off these two columns" in lines.reading(hidden)


def test_no_arrow_where_the_axes_are_bent_and_a_curve_over_a_single_column():
    data = dataset(TILTED)
    assert len(lines.numbers(data, whole(data, KernelPCA())).arrows) == 0
    one = dataset(TILTED[:, :1])
    c = lines.numbers(one, whole(one, PCA()))
    curve = lines.draw(c).data[0]
    np.testing.assert_allclose(np.diff(curve.y) / np.diff(curve.x), 1.0, atol=1e-9)
    assert len(lines.table(c)) == 3


@pytest.mark.parametrize("method", [SelfOrganisingMap(), Isomap(n_neighbors=3)])
def test_maps_that_place_a_row_by_its_neighbours_have_no_lines(method):
    data = dataset(np.random.default_rng(0).normal(size=(30, 2)))
    assert not views()["component_contours"].allowed_by(whole(data, method).fit)


def test_lines_are_where_nearly_all_rows_lie_and_equal_rows_have_some():
    data = dataset(np.vstack([TILTED, [[0.0, 0.0]] * 94, [[400.0, 400.0]]]))
    low, high = lines.levels(lines.numbers(data, whole(data, PCA(center=False))))
    assert 0.0 <= high - low < 10.0
    same = lines.numbers(data, whole(data, PCA()))._replace(at_rows=np.zeros(9))
    assert lines.levels(same) == (0.0, 1.0)
