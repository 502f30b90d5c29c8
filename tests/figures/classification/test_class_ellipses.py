"""The Gaussians of classes in the plane, checked on values."""

from __future__ import annotations

import numpy as np

from figures.views.classification import class_ellipses
from mlcore.classification.lda import LDA
from mlcore.classification.qda import QDA
from tests.figures import made

WIDE = [[-2.0, 0], [2, 0], [0, 4], [0, -4]]
NARROW = [[9.0, 0], [11, 0], [10, 2], [10, -2]]


def test_the_ellipses_are_those_of_the_covariances():
    data = made.dataset(WIDE + NARROW, [0] * 4 + [1] * 4, classes=("a", "b"))
    e = class_ellipses.numbers(data, made.whole(data, QDA()))
    np.testing.assert_allclose(e.means, [[0, 0], [10, 0]], atol=1e-12)
    np.testing.assert_allclose(e.covariances, [np.diag([2.0, 8]), np.diag([0.5, 2])], atol=1e-12)
    once, twice = np.sqrt([8.0, 2]), 2 * np.sqrt([8.0, 2])
    for outline, one, two in zip(e.outlines, once, twice, strict=True):
        np.testing.assert_allclose(np.abs(outline[:61, 1]).max(), one, rtol=1e-12)
        np.testing.assert_allclose(np.nanmax(outline[:, 1]), two, rtol=1e-12)
    assert "Those of a cover the largest area, 4 times that of b." in class_ellipses.reading(e)


def test_linear_discriminants_give_every_class_one_shape():
    data = made.dataset(WIDE + NARROW, [0] * 4 + [1] * 4, classes=("a", "b"))
    e = class_ellipses.numbers(data, made.whole(data, LDA()))
    np.testing.assert_allclose(e.means, [[0, 0], [10, 0]], atol=1e-12)
    np.testing.assert_allclose(e.covariances, [np.diag([1.25, 5])] * 2, atol=1e-12)
    assert "They cover equal areas in every class." in class_ellipses.reading(e)
