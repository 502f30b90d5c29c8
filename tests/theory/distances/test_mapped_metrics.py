"""Distances after a map: what a blur forgives, and that rows keep the distances of a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.distances.blurred import blurred_distances
from mlcore.distances.given import Precomputed
from mlcore.distances.mapped_metrics import BlurredEuclidean, KernelDistance
from mlcore.distances.pairwise import pairwise_distances
from mlcore.kernels.centring import kernel_distance
from mlcore.kernels.products import Polynomial
from mlcore.kernels.rbf import RBF
from mlcore.neighbours.knn import KNNClassifier
from mlcore.spine.errors import DataError

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


def test_given_distances_are_taken_as_they_are_and_of_the_rows_learned_from_alone():
    """Folds cut rows, never columns; the distances to test rows must change nothing."""
    near = KNNClassifier(n_neighbors=3).fit(X[:30], Y[:30])
    D = pairwise_distances(X)
    fit = KNNClassifier(n_neighbors=3, metric=Precomputed()).fit(D[:30], Y[:30])
    for one, other in zip(near.neighbours(X[30:]), fit.neighbours(D[30:]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_array_equal(near.loo_predictions(), fit.loo_predictions())
    spoiled = D.copy()
    spoiled[:, 30:] = 1.0
    again = KNNClassifier(n_neighbors=3, metric=Precomputed()).fit(spoiled[:30], Y[:30])
    np.testing.assert_array_equal(again.predict(spoiled[30:]), fit.predict(D[30:]))


def test_a_table_of_distances_may_have_equal_rows_and_another_order():
    rows = np.vstack([X[:20], X[:5]])
    order = RNG.permutation(25)
    D = pairwise_distances(rows)
    found = pairwise_distances(D[:, order], metric="precomputed")
    np.testing.assert_allclose(found, D, rtol=1e-12)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (1.0 + pairwise_distances(X), "the least of row 1 is 1. Take out"),
        (pairwise_distances(X) - np.outer(np.arange(40) == 2, np.ones(40)), "of row 3 is -1"),
        ([[0, 1.0], [2.0, 0]], "differ by 1. Take the mean"),
        ([[0, 1, 9.0], [1, 0, 2], [9, 2, 0]], "1 and 3 are 9 apart, and 3 over row 2"),
        (np.zeros((1001, 2)), "at most 1,000 rows; got 1,001"),
    ],
    ids=["no own", "negative", "one way", "detour", "many"],
)
def test_what_is_no_table_of_distances_is_said(table, said):
    with pytest.raises(DataError, match=said):
        pairwise_distances(table, metric="precomputed")


def test_what_is_no_image_and_what_is_no_kernel_is_said():
    with pytest.raises(DataError, match="4 columns do not make such"):
        KNNClassifier(metric=BlurredEuclidean(height=3)).fit(X, Y)
    with pytest.raises(DataError, match="7 columns make none"):
        BlurredEuclidean().frame(np.zeros((5, 7)), None)
    with pytest.raises(DataError, match="positive semidefinite"):
        KernelDistance(kernel="sigmoid").frame(10 * X - 3, None)
