"""Images of rows and of what fits hold: which are shown, in what order, on what scale."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.sampled import taken
from figures.view import views, views_for, views_of_steps, views_where
from figures.views.data import image_grid
from figures.views.preparation import image_pairs
from mlcore.data.dataset import TableData
from mlcore.data.generators.pictures.coloured_discs import ColouredDiscs
from mlcore.preparation.augmenter import Augmenter
from mlcore.preparation.chain import prepare
from mlcore.preparation.image_vectorizer import ImageVectorizer
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup


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


def test_images_keep_a_width_in_which_they_can_be_made_out(digits):
    """Ten digits side by side were 24 pixels each on a phone, in a picture twice as high."""
    grid = image_grid.numbers(digits)
    least = image_grid.draw(grid).layout.meta["least"]
    assert (least - image_grid.BESIDE) / grid.shown.across >= 50


def test_the_first_rows_of_each_class_stand_below_one_another(digits):
    shown = image_grid.numbers(digits).shown
    assert shown.images.shape == (40, 8, 8, 1)
    assert shown.names[10:20] == digits.classes
    second_three = np.flatnonzero(digits.y == 3)[1]
    np.testing.assert_array_equal(shown.images[13].ravel(), digits.X[second_three])
    assert shown.hover_texts[13] == f"row {second_three + 1}, 3"


def test_images_of_a_fit_stand_beside_its_map_and_not_below_all_other_pictures(digits):
    whole = fitted(digits, "reduction", "pca", n_components=4)
    names = [
        n for n in views_for(("reduction",), digits, whole) if views()[n].allowed_by(whole.fit)
    ]
    assert names[:3] == ["embedding_scatter", "image_grid", "rebuilt_images"]
    plain = TableData(source="iris").dataset({})
    last = views_for(("classification",), plain, fitted(plain, "classification", "logistic"))[-1]
    assert views()[last].when and not views()[last].order


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


def test_parts_that_only_add_up_have_no_second_colour(digits):
    whole = fitted(digits, "reduction", "nmf")
    g = image_grid.numbers(digits, whole)
    assert (g.shown.what, g.is_signed, g.low) == ("directions", False, 0.0)
    tile = image_grid.draw(g).data[0]
    assert [color for _, color in tile.colorscale] == [color for _, color in image_grid.GREY]
    assert tile.colorbar.title.text == "weight"
    # Below and at the left: at the right of what a phone pulls sideways the numbers were cut off.
    assert (tile.colorbar.orientation, tile.colorbar.x) == ("h", 0)
    assert tile.colorbar.len < 300
    text = image_grid.reading(g)
    assert "orange" not in text and "The brighter a pixel, the more it counts" in text


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


def test_images_before_and_after_stand_below_one_another(digits):
    step = ImageVectorizer(size=4, blur=1.0)
    p = image_pairs.numbers(digits, prepare((step,), digits.X, digits.y, digits.columns))
    assert p.lines == ("before", "after")
    assert [line.shape for line in p.images] == [(8, 8, 8, 1), (8, 4, 4, 1)]
    assert sorted(digits.y[p.rows]) == list(range(8)), "a row of each class in turn"
    np.testing.assert_array_equal(p.images[0].reshape(8, 64), digits.X[p.rows])
    drawn = image_pairs.draw(p)
    assert len(drawn.data) == 16
    z = drawn.data[-1].z
    np.testing.assert_array_equal(z[::2, ::2], z[1::2, 1::2])  # drawn as large as before
    assert "after, 4 by 4 pixels with shades from" in image_pairs.reading(p)


def test_copies_of_a_row_stand_below_it(digits):
    steps = (Standardise(scale="none"), Augmenter(kinds=("flip", "shift"), copies=5))
    prepared = prepare(steps, digits.X, digits.y, digits.columns)
    p = image_pairs.numbers(digits, prepared)
    assert p.lines == ("before", "copy 1", "copy 2", "copy 3")
    copies = np.flatnonzero(prepared.rows == p.rows[2])
    np.testing.assert_array_equal(p.images[3][2].ravel(), prepared.X[copies[3]])
    assert "altered copies" in image_pairs.reading(p)


def test_noise_alone_moves_no_image(digits):
    prepared = prepare((Augmenter(),), digits.X, digits.y, digits.columns)
    assert "image_pairs" not in views_of_steps(prepared)
    assert image_pairs.table(image_pairs.numbers(digits, prepared))[0].values == []
