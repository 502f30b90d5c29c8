"""Altered copies: what is changed, and by how much."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.preparation.augmenter import Augmenter
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column


def bar() -> np.ndarray:
    """One image, 9 by 9, of an upright bar left of the middle."""
    image = np.zeros((9, 9))
    image[2:7, 3] = 1.0
    return image.reshape(1, -1)


def copies(X: np.ndarray, n: int, **settings) -> np.ndarray:
    """n altered copies of the first row."""
    X = np.repeat(X, n, axis=0)
    return Augmenter(**settings).fit(X).resample(X, None).X[n:]


def test_the_rows_come_first_and_each_copy_says_whose_it_is():
    X = np.random.default_rng(0).normal(size=(5, 3))
    found = Augmenter(copies=3).fit(X).resample(X, None)
    np.testing.assert_array_equal(found.X[:5], X)
    np.testing.assert_array_equal(found.rows, np.tile(np.arange(5), 4))


def test_noise_is_a_share_of_the_spread_and_leaves_codes_alone():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(0, 10, 4000), np.arange(4000) % 3, rng.random(4000) < 0.5])
    columns = (Column("a"), Column("b", "nominal", ("x", "y", "z")), Column("c", "binary"))
    found = Augmenter(strength=0.2).fit(X, columns=columns).resample(X, None)
    change = found.X[4000:] - X
    assert change[:, 0].std() == pytest.approx(0.2 * X[:, 0].std(), rel=0.05)
    assert not change[:, 1:].any()


def test_scaling_keeps_the_direction_of_a_row():
    X = np.random.default_rng(0).normal(size=(50, 4))
    found = Augmenter(kinds=("scale",), strength=0.1).fit(X).resample(X, None).X[50:]
    factors = found / X
    np.testing.assert_allclose(factors, factors[:, :1] * np.ones(4))
    assert 0.05 < factors[:, 0].std() < 0.15


def test_a_flipped_image_is_the_image_or_its_mirror():
    made = copies(bar(), 40, kinds=("flip",)).reshape(-1, 9, 9)
    image = bar().reshape(9, 9)
    is_mirror = np.array([np.array_equal(one, image[:, ::-1]) for one in made])
    assert 10 < is_mirror.sum() < 30
    assert all(np.array_equal(one, image) for one in made[~is_mirror])


def test_a_shifted_image_moves_by_no_more_than_its_share():
    made = copies(bar(), 60, kinds=("shift",), strength=0.2).reshape(-1, 9, 9)
    np.testing.assert_allclose(made.sum(axis=(1, 2)), 5.0)  # nothing leaves the frame
    columns = (made * np.arange(9)).sum(axis=(1, 2)) / 5.0
    assert np.abs(columns - 3.0).max() <= 0.2 * 9
    assert np.ptp(columns) > 0.2 * 9


def test_a_turn_goes_about_the_middle_and_no_farther_than_asked():
    image = np.zeros((9, 9))
    image[0, 4] = image[8, 4] = 1.0
    made = copies(image.reshape(1, -1), 60, kinds=("rotate",), strength=0.1).reshape(-1, 9, 9)
    down, across = np.mgrid[:9, :9] - 4.0
    upper = made * (down < 0)
    angles = np.arctan2((upper * across).sum(axis=(1, 2)), -(upper * down).sum(axis=(1, 2)))
    assert np.abs(angles).max() <= np.pi * 0.1 + 0.05
    assert angles.std() > 0.1
    np.testing.assert_allclose((made * across).sum(axis=(1, 2)), 0.0, atol=1e-9)


def test_other_shapes_are_said_and_others_refused():
    wide = np.random.default_rng(0).normal(size=(4, 6))
    assert Augmenter(kinds=("flip",), height=2).fit(wide).shape == (2, 3)
    with pytest.raises(DataError, match=r"6 columns make none\. Give the height"):
        Augmenter(kinds=("flip",)).fit(wide)
    named = (Column("weight"), *(Column(f"pixel_{k // 3}_{k % 3}") for k in range(6)))
    X = np.column_stack([wide[:, :1], wide])
    flipped = Augmenter(kinds=("flip",), copies=9).fit(X, columns=named).resample(X, None).X
    np.testing.assert_array_equal(flipped[:, 0], np.tile(X[:, 0], 10))
    mirrored = wide.reshape(4, 2, 3)[:, :, ::-1].reshape(4, 6)
    assert any(np.array_equal(row, mirrored[0]) for row in flipped[4::4, 1:])
    names = tuple(Column(f"c{j}", "nominal", ("a", "b")) for j in range(4))
    with pytest.raises(DataError, match="one-hot encoding"):
        Augmenter(kinds=("shift",)).fit(np.zeros((3, 4)), columns=names)
    with pytest.raises(ParamError, match="at least one kind of change"):
        Augmenter(kinds=())
