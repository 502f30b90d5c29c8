"""Codes of class labels: counted where labels are close whole numbers, sorted else, and alike."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.spine import checks

RNG = np.random.default_rng(0)
LABELS = {
    "codes": RNG.integers(0, 3, 500),
    "with gaps": RNG.choice([-7, 0, 3, 90], 500),
    "all of a byte": RNG.integers(-128, 128, 500).astype(np.int8),
    "no sign": RNG.choice([200, 255], 500).astype(np.uint8),
    "far apart": RNG.choice([-(2**62), 0, 2**62], 500),
    "largest": RNG.choice([2**64 - 1, 2**64 - 3], 500),
    "fractions of none": RNG.integers(0, 3, 500).astype(float),
    "truth": RNG.integers(0, 2, 500).astype(bool),
    "words": RNG.choice(["a", "b"], 500),
    "one row": np.array([4]),
}


@pytest.mark.parametrize("name", LABELS)
def test_codes_are_ranks_of_the_labels(name):
    y = LABELS[name]
    codes, labels = checks.classes(y, len(y), "A test")
    values, ranks = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(codes, ranks)
    np.testing.assert_array_equal(labels, values)
    assert labels.dtype == y.dtype
    assert codes.dtype == np.int64


def test_close_whole_numbers_are_not_sorted(monkeypatch):
    monkeypatch.setattr(checks, "_sorted", None)
    codes, labels = checks.classes(LABELS["with gaps"], 500, "A test")
    np.testing.assert_array_equal(labels[codes], LABELS["with gaps"])
