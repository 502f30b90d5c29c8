"""Pictures that are drawn: their size, what is hidden in them, and their distances."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.data.generators.pictures.altered_pictures import AlteredPictures
from mlcore.data.generators.pictures.coloured_discs import COLOURS, ColouredDiscs
from mlcore.data.generators.pictures.drawn_faces import DrawnFaces
from mlcore.data.generators.pictures.glyphs import Glyphs
from mlcore.data.generators.pictures.textures import Textures


def pixels(origin) -> np.ndarray:
    """The pictures, one a row."""
    names = [name for name in origin.table.names if name.startswith("pixel")]
    return origin.table.matrix(*names)


def test_a_shift_rectangles_and_darkness_lie_at_one_distance():
    X = pixels(AlteredPictures(change="disturbed", n_samples=40).origin({})).reshape(10, 4, -1)
    far = np.linalg.norm(X - X[:, :1], axis=2)
    np.testing.assert_allclose(far[:, 1:], far[:, 1:2] * np.ones(3), rtol=1e-9)
    assert (far[:, 1] > 0).mean() > 0.8  # a cut may be of one grey


def test_a_moved_patch_has_the_same_pixels_elsewhere():
    origin = AlteredPictures(change="moved", n_samples=30).origin({})
    X = pixels(origin)
    np.testing.assert_allclose(np.sort(X, axis=1), np.sort(X[:1], axis=1) * np.ones((30, 1)))
    same = (origin.truth.coordinates[:, None] == origin.truth.coordinates).all(axis=2)
    np.testing.assert_array_equal(np.abs(X[:, None] - X).sum(axis=2) == 0, same)


def test_mixed_pictures_are_the_mixture_of_two():
    origin = AlteredPictures(change="mixed").origin({})
    np.testing.assert_allclose(
        origin.table.matrix(), origin.truth.coordinates @ np.array([[1, 0.5], [0.4, 1]]).T
    )


def test_drawn_threes_have_644_pixels_and_vary_with_two_numbers():
    origin = Glyphs(noise=0.0).origin({})
    X = pixels(origin)
    assert X.shape == (130, 28 * 23)
    still = pixels(Glyphs(variation=0.0, n_samples=5).origin({}))
    np.testing.assert_array_equal(still, still[:1] * np.ones((5, 1)))
    # Shape alone explains the pictures, so near shapes are near pictures.
    shape = origin.truth.coordinates
    far = [np.linalg.norm(v[:, None] - v, axis=2)[np.triu_indices(130, 1)] for v in (shape, X)]
    assert np.corrcoef(*far)[0, 1] > 0.7


def test_letters_as_signs_are_hidden_by_the_flips_that_are_asked_for():
    clean = Glyphs(alphabet="unlike letters", height=10, width=10, are_signs=True, variation=0.0)
    X = pixels(clean.origin({}))
    assert set(np.unique(X)) == {-1.0, 1.0}
    assert len(np.unique(X, axis=0)) == 4
    flipped = bundled.load("letters_10x10").matrix()[:, :100] != np.resize(X[:4], (40, 100))
    assert abs(flipped.mean() - 0.1) < 4 * np.sqrt(0.09 / flipped.size)


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("two_people", (37, 560), 2),
        ("two_people_glasses", (80, 560), 4),
        ("identities", (400, 560), 40),
        ("expressions", (90, 560), 3),
        ("glyph_threes", (130, 644), 0),
    ],
)
def test_pictures_are_as_many_and_as_large_as_they_should_be(name, shape, classes):
    table = bundled.load(name)
    is_classed = table.names[-1] == "class"
    assert (table.n_rows, len(table.names) - is_classed) == shape
    assert (len(table.column("class").levels) if is_classed else 0) == classes


def test_faces_of_one_person_are_nearer_than_those_of_two():
    origin = DrawnFaces(people=5, n_samples=60).origin({})
    X, who = pixels(origin), origin.truth.labels
    far = np.linalg.norm(X[:, None] - X, axis=2)
    same = who[:, None] == who
    off = ~np.eye(60, dtype=bool)
    assert far[same & off].mean() < 0.9 * far[~same].mean()


def test_a_disc_has_the_colour_that_is_its_class():
    origin = ColouredDiscs(side=16, noise=0.0).origin({})
    X = pixels(origin).reshape(-1, 16, 16, 3)
    excess = (X - 0.5).sum(axis=(1, 2))
    assert (excess.argmax(axis=1) == origin.truth.labels).all()
    assert len(COLOURS) == 3


def test_gratings_turn_by_their_angle_and_patches_have_mean_zero():
    origin = Textures(texture="gratings", side=16, n_samples=40).origin({})
    X = pixels(origin).reshape(-1, 16, 16)
    upright, lying = (np.abs(np.diff(X, axis=axis)).mean(axis=(1, 2)) for axis in (1, 2))
    kind = origin.truth.labels
    assert (upright[kind == 0] < 1e-12).all() and (lying[kind == 2] < 1e-12).all()
    for texture in ("leaves", "clouds"):
        X = pixels(Textures(texture=texture, n_samples=50).origin({}))
        np.testing.assert_allclose(X.mean(axis=1), 0.0, atol=1e-12)


def test_the_amplitude_of_clouds_falls_as_one_over_the_frequency():
    from mlcore.data.generators.pictures.textures import clouds

    power = np.abs(np.fft.rfft2(clouds(np.random.default_rng(0)))) ** 2
    f = np.hypot(np.fft.fftfreq(256)[:, None], np.fft.rfftfreq(256))
    inside = (f > 0.02) & (f < 0.4)
    slope = np.polyfit(np.log(f[inside]), np.log(power[inside]), 1)[0]
    assert slope == pytest.approx(-2.0, abs=0.1)
