"""Images of rows and of what fits hold: which are shown, in what order, on what scale."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.sampled import taken
from figures.view import views_where
from figures.views import image_grid
from mlcore.carry import Whole
from mlcore.component import lookup
from mlcore.data.dataset import TableData
from mlcore.data.generators.coloured_discs import ColouredDiscs
from mlcore.errors import DataError
from mlcore.preparation.chain import prepare


def fitted(data, slot, name, steps=("standardise",), **settings):
    """A fit to prepared rows."""
    made = tuple(lookup("preparation", step)() for step in steps)
    prepared = prepare(made, data.X, data.y, data.columns)
    method = lookup(slot, name)(**settings)
    y = data.y if method.card.task == "classification" else None
    return Whole(method.fit(prepared.X, y, seed=0), prepared, 0.0, 0)


@pytest.fixture(scope="module")
def digits():
    """Every digit."""
    return TableData(source="digits8").dataset({})


def test_the_first_rows_of_each_class_stand_below_one_another(digits):
    shown = image_grid.numbers(digits).shown
    assert shown.images.shape == (40, 8, 8, 1)
    assert shown.names[10:20] == digits.classes
    second_three = np.flatnonzero(digits.y == 3)[1]
    np.testing.assert_array_equal(shown.images[13].ravel(), digits.X[second_three])
    assert shown.said[13] == f"row {second_three + 1}, 3"


def test_it_is_offered_where_columns_are_pixels(digits):
    iris = TableData(source="iris").dataset({})
    assert "image_grid" in views_where(digits)
    assert "image_grid" not in views_where(iris)
    assert "image_grid" in views_where(digits, fitted(digits, "clustering", "kmeans", n_init=1))
    assert "image_grid" not in views_where(digits, fitted(digits, "classification", "constant"))
    reduced = fitted(digits, "reduction", "pca", ("standardise", "normalizer", "reduce"))
    assert "image_grid" not in views_where(digits, reduced), "its columns are no pixels"
    with pytest.raises(DataError, match="pixels of an image"):
        image_grid.numbers(iris)


def test_centers_are_turned_back_to_shades_and_directions_are_not(digits):
    whole = fitted(digits, "clustering", "kmeans", n_clusters=10, n_init=1)
    g = image_grid.numbers(digits, whole)
    means = [digits.X[whole.fit.labels == k].mean(axis=0) for k in range(10)]
    np.testing.assert_allclose(g.shown.images.reshape(10, 64), means, atol=1e-6)
    assert g.low == 0.0
    whole = fitted(digits, "reduction", "pca")
    g = image_grid.numbers(digits, whole)
    assert (g.shown.what, g.is_signed, g.low) == ("directions", True, -g.high)
    np.testing.assert_array_equal(g.shown.images[0].ravel(), whole.fit.axes[0])


def test_weights_are_named_by_their_class(digits):
    whole = fitted(digits, "classification", "lda", ("standardise", "variance_threshold"))
    assert "image_grid" not in views_where(digits, whole), "three pixels never vary"
    whole = fitted(taken(digits, np.arange(200)), "classification", "logistic")
    shown = image_grid.numbers(digits, whole).shown
    assert (shown.what, shown.names, shown.total) == ("weights", digits.classes, 10)
    np.testing.assert_array_equal(shown.images[3].ravel(), whole.fit.coefficients[3])


def test_colors_are_drawn_as_they_are():
    data = TableData(source=ColouredDiscs(n_samples=12, side=6)).dataset({})
    g = image_grid.numbers(data)
    tile = image_grid.draw(g).data[0]
    shades = (data.X[data.y == 0][0] - g.low) / (g.high - g.low)
    np.testing.assert_array_equal(np.ravel(tile.z), np.round(255 * shades))
