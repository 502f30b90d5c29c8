"""What a list says of each set is true of the set, and every picture can be drawn."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from figures.thumbnails import thumbnail
from mlcore.data.dataset import TableData
from mlcore.data.glimpses import SCALE, every_name, glimpse, glimpses, makers

STALE = "Run python -m mlcore.data.glimpses, and commit what it writes."


def test_every_set_and_generator_has_its_glimpse_and_no_other():
    assert list(glimpses()) == every_name(), STALE


# Size and task of every example are held in test_examples, where it is drawn anyway.
@pytest.mark.parametrize(
    "name",
    ["penguins", "cars", "linnerud", "co2", "three_blobs", "single_1d", "noisy_sine", "ripple",
     "gates", "documents", "letter_confusions", "digits8_three", "two_people", "temperature_days",
     "one_max", "five_alone", "char_corpus", *makers()],
)  # fmt: skip
def test_a_glimpse_is_that_of_the_rows(name):
    assert glimpses()[name] == glimpse(name), STALE


@pytest.mark.parametrize("name", glimpses())
def test_a_picture_is_small_and_well_formed(name):
    drawn = thumbnail(glimpses()[name])
    assert len(drawn) < 12_000
    assert not drawn or ElementTree.fromstring(drawn).tag.endswith("svg")


def test_points_lie_where_the_rows_do():
    known = glimpses()["noisy_line"]
    data = TableData(source="noisy_line").dataset()
    x = np.array([SCALE.index(letter) for letter in known.across])
    share = (data.X[:, 0] - data.X.min()) / np.ptp(data.X)
    assert np.abs(x / 63 - share).max() <= 0.5 / 63 + 1e-9
