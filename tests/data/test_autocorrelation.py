"""Features of images that do not move with the object."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.describing.autocorrelation import MASKS, local_autocorrelation
from mlcore.spine.errors import DataError
from mlcore.spine.random import generator
from tests.contract.subjects import is_sentence


def test_there_are_twenty_five_masks():
    assert [sum(len(mask) == size for mask in MASKS) for size in (1, 2, 3)] == [1, 4, 20]


def test_a_bar_of_three_pixels_by_hand():
    image = np.zeros((5, 5))
    image[2, 1:4] = 1.0
    found = dict(zip(MASKS, local_autocorrelation([image])[0], strict=True))
    across = [mask for mask in MASKS if all(row == 0 for row, _ in mask)]
    # Three pixels, two pairs side by side, one triple in a line; nothing above or below.
    assert [found[mask] for mask in sorted(across, key=len)] == [3, 2, 1]
    assert sum(found.values()) == 6


def test_shifts_change_nothing_and_turns_do():
    images = np.zeros((3, 12, 12))
    thing = generator(0, "thing").uniform(size=(4, 5))
    images[0, 2:6, 2:7] = images[1, 6:10, 5:10] = thing
    images[2, 2:7, 2:6] = thing.T
    one, moved, turned = local_autocorrelation(images)
    np.testing.assert_allclose(one, moved)
    assert one[0] == pytest.approx(turned[0])
    assert not np.allclose(one, turned)


@pytest.mark.parametrize("shape", [(5, 5), (1, 2, 5), (0, 5, 5)])
def test_what_is_no_image_is_refused_in_a_sentence(shape):
    with pytest.raises(DataError) as caught:
        local_autocorrelation(np.zeros(shape))
    assert is_sentence(str(caught.value))
