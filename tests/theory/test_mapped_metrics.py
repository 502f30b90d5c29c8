"""Distances after a map: what a blur forgives, and that rows keep the distances of a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.mapped_metrics import BlurredEuclidean, KernelDistance
from mlcore.classification.neighbours import KNNClassifier
from mlcore.errors import DataError
from mlcore.kernels.blurred import blurred_distances
from mlcore.kernels.centring import kernel_distance
from mlcore.kernels.pairwise import pairwise_distances
from mlcore.kernels.products import Polynomial
from mlcore.kernels.rbf import RBF

RNG = np.random.default_rng(4)
X, NEW = RNG.standard_normal((40, 4)), RNG.standard_normal((9, 4))
Y = (X[:, 0] * X[:, 1] > 0).astype(int)


def test_a_blur_as_metric_is_the_blurred_distance():
    """One matrix does what the filter does: equal to rounding."""
    images = RNG.random((12, 64))
    for sigma in (0.0, 0.7, 2.0):
        wanted = blurred_distances(images, (8, 8), sigma)
        found = pairwise_distances(images, metric=BlurredEuclidean(sigma=sigma))
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("kernel", [Polynomial(degree=2), RBF(gamma=0.3)])
def test_rows_keep_the_distances_of_the_kernel(kernel):
    """From any row to a fitted one, also from rows outside the span of the fitted features."""
    frame = KernelDistance(kernel=kernel).frame(X, None)
    found = np.linalg.norm(frame.placed(NEW)[:, None] - frame.placed(X)[None], axis=2)
    np.testing.assert_allclose(found, kernel_distance(kernel, NEW, X), atol=1e-6)


def test_neighbours_by_a_kernel_differ_from_those_by_the_plain_distance():
    fit = KNNClassifier(n_neighbors=3, metric=KernelDistance(kernel=Polynomial(degree=2))).fit(X, Y)
    wanted = kernel_distance(Polynomial(degree=2), NEW, X).argsort(axis=1)[:, :3]
    np.testing.assert_array_equal(fit.neighbours(NEW).rows, wanted)
    plain = KNNClassifier(n_neighbors=3).fit(X, Y)
    assert (plain.neighbours(NEW).rows != wanted).any()


def test_what_is_no_image_and_what_is_no_kernel_is_said():
    with pytest.raises(DataError, match="4 columns do not make such"):
        KNNClassifier(metric=BlurredEuclidean(height=3)).fit(X, Y)
    with pytest.raises(DataError, match="7 columns make none"):
        BlurredEuclidean().frame(np.zeros((5, 7)), None)
    with pytest.raises(DataError, match="positive semidefinite"):
        KernelDistance(kernel="sigmoid").frame(10 * X - 3, None)
