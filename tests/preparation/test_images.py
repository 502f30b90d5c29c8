"""Images as columns: which columns they are, what the step makes of them, how they are altered."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from mlcore.data.dataset import TableData
from mlcore.data.describing.altering import WAYS, alter_image, blur, extract_patches
from mlcore.data.generators.pictures.coloured_discs import ColouredDiscs
from mlcore.data.generators.pictures.glyphs import Glyphs
from mlcore.maths.images import images_in, named_images
from mlcore.preparation.image_vectorizer import ImageVectorizer
from mlcore.spine.errors import DataError, MlcoreError, ParamError
from mlcore.spine.fit import Column


def test_names_say_where_a_pixel_lies_in_whatever_order_they_come():
    found = named_images(["digit", "pixel_1_0", "pixel_0_0", "pixel_0_1", "pixel_1_1"])
    assert found is not None
    assert (found.at.tolist(), found.shape, found.channels) == ([2, 3, 1, 4], (2, 2), 1)
    numbered = named_images(["label", *(f"pixel{k}" for k in range(9))])
    assert numbered is not None
    assert (numbered.at.tolist(), numbered.shape) == (list(range(1, 10)), (3, 3))


@pytest.mark.parametrize(
    "names",
    [("a", "b"), ("pixel_0_0", "pixel_1_1"), ("pixel1", "pixel2"), ("pixel_0_0", "pixel_0_0_red")],
)
def test_names_of_no_whole_image_are_none(names):
    assert named_images(names) is None


def test_every_source_of_pictures_names_its_pixels():
    for source, shape, channels in (
        ("digits8", (8, 8), 1),
        ("photo_patches", (8, 8), 1),
        (Glyphs(n_samples=4, height=8, width=7), (8, 7), 1),
        (ColouredDiscs(n_samples=8, side=5), (5, 5), 3),
    ):
        data = TableData(source=source).dataset({})
        found = named_images([c.name for c in data.columns])
        assert found is not None, source
        assert (found.shape, found.channels) == (shape, channels)


def test_what_makes_no_image_is_refused_in_a_sentence():
    with pytest.raises(DataError, match="some are no column here"):
        images_in(["pixel_0_0", "pixel_1_1"], "auto", "Images")
    with pytest.raises(DataError, match="the names of the columns say 2"):
        images_in([f"pixel_{k // 2}_{k % 2}" for k in range(4)], 4, "Images")
    with pytest.raises(DataError, match="3 columns make none"):
        images_in(["a", "b", "c"], "auto", "Images")


def test_fewer_pixels_are_means_of_areas():
    X = np.arange(36.0).reshape(1, 36)
    found = ImageVectorizer(size=3, scale="none").fit(X).transform(X).reshape(3, 3)
    np.testing.assert_allclose(found, X.reshape(3, 2, 3, 2).mean(axis=(1, 3)))
    # 3 pixels onto 2: a new one has one old pixel and half of the middle one.
    row = ImageVectorizer(size=2, scale="none", height=1).fit(np.array([[3.0, 6.0, 12.0]]))
    np.testing.assert_allclose(row.transform(np.array([[3.0, 6.0, 12.0]])), [[4.0, 10.0]])


def test_shades_are_those_of_the_training_rows_and_other_columns_pass():
    columns = tuple(Column(name) for name in ("pixel_0_0", "weight", "pixel_0_1"))
    X = np.array([[10.0, 7.0, 20.0], [30.0, 8.0, 50.0]])
    fit = ImageVectorizer().fit(X, columns=columns)
    assert [c.name for c in fit.out_columns] == ["weight", "pixel_0_0", "pixel_0_1"]
    np.testing.assert_allclose(fit.transform(X), [[7, 0, 0.25], [8, 0.5, 1.0]])
    np.testing.assert_allclose(fit.transform(X * 2)[:, 1:], [[0.25, 0.75], [1.25, 2.25]])
    assert "2 columns are images of 1 by 2 pixels. weight stays" in fit.summary().note


def test_colors_become_grey_and_a_row_is_its_own_affair():
    data = TableData(source=ColouredDiscs(n_samples=20, side=6)).dataset({})
    step = ImageVectorizer(size=4, blur=0.7, scale="none")
    fit = step.fit(data.X, columns=data.columns)
    Z = fit.transform(data.X)
    assert Z.shape == (20, 16)
    one_by_one = np.vstack([fit.transform(row[None]) for row in data.X])
    np.testing.assert_array_equal(Z, one_by_one)
    plain = ImageVectorizer(scale="none").fit(data.X, columns=data.columns).transform(data.X)
    by_hand = data.X.reshape(20, 36, 3) @ [0.299, 0.587, 0.114]
    np.testing.assert_allclose(plain, by_hand)
    in_color = ImageVectorizer(size=3, grey=False).fit(data.X, columns=data.columns)
    assert in_color.out_columns[-1].name == "pixel_2_2_blue"


def test_the_blur_is_that_of_scipy_and_patches_are_windows():
    F = np.random.default_rng(0).normal(size=(6, 7))
    np.testing.assert_allclose(blur(F, 1.3), gaussian_filter(F, 1.3, mode="constant"))
    every = extract_patches(F, 3)
    assert every.shape == (20, 3, 3)
    np.testing.assert_array_equal(every[6], F[1:4, 1:4])
    some = extract_patches(F, 3, n=5, seed=1)
    assert all((every == patch).all(axis=(1, 2)).any() for patch in some)
    with pytest.raises(DataError, match="from 1 to 6"):
        extract_patches(F, 7)


@pytest.mark.parametrize("kind", WAYS)
def test_an_altered_image_lies_at_the_wanted_distance(kind):
    F = np.random.default_rng(0).uniform(size=(9, 11))
    for distance in (0.0, 0.4, 2.0, 3.5):
        assert np.linalg.norm(alter_image(F, kind, distance) - F) == pytest.approx(distance)


def test_what_cannot_be_altered_so_is_said():
    with pytest.raises(DataError, match="stays within 0"):
        alter_image(np.ones((4, 4)), "shift", 1.0)
    with pytest.raises(ParamError, match="rectangles"):
        alter_image(np.ones((4, 4)), "turn", 1.0)
    with pytest.raises(MlcoreError, match="one finite image"):
        alter_image(np.ones(4), "darkening", 1.0)
