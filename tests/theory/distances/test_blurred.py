"""A blur makes a shifted image the nearest one."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.distances.blurred import blurred_distances
from mlcore.distances.pairwise import pairwise_distances
from mlcore.spine.errors import DataError, ParamError
from tests.contract.subjects import is_sentence

TABLE = bundled.load("digits8_three")
DIGITS = TABLE.matrix(*TABLE.names[1:])
PAIRS = ((0, 0, 1), (1, 2, 2))


def test_the_shifted_twin_becomes_the_nearest():
    plain = blurred_distances(DIGITS, (8, 8), 0.0)
    np.testing.assert_allclose(plain, pairwise_distances(DIGITS))
    np.testing.assert_allclose(plain[PAIRS] ** 2, 20.0)
    blurred = blurred_distances(DIGITS, (8, 8), 1.0)
    np.testing.assert_allclose(blurred[PAIRS] ** 2, [3.3709, 4.1532, 3.4364], atol=5e-5)


def test_a_wider_blur_forgives_more():
    found = [blurred_distances(DIGITS[:1], (8, 8), s, DIGITS[1:2])[0, 0] for s in (0, 0.5, 1, 2, 4)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: blurred_distances(DIGITS, (8, 7)),
        lambda: blurred_distances(DIGITS, (-8, -8)),
        lambda: blurred_distances(DIGITS, (8, 8), -1.0),
        lambda: blurred_distances(DIGITS, (8, 8), 1e9),
        lambda: blurred_distances(DIGITS, (8, 8), 1.0, DIGITS[:, :9]),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong):
    with pytest.raises((DataError, ParamError)) as caught:
        wrong()
    assert is_sentence(str(caught.value))
