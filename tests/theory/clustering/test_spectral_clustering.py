"""What the theory says of spectral clustering, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.spectral.affinities import KernelAffinity, NeighbourAffinity
from mlcore.clustering.spectral.assignments import KMeansLabels, RotatedLabels
from mlcore.clustering.spectral_clustering import SpectralClustering, _of_part
from mlcore.data.dataset import TableData
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError


def rings(n=200):
    """Two rings about one center, and which row lies on which."""
    angle = np.linspace(0, 2 * np.pi, n // 2, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.concatenate([ring, 3 * ring]), np.arange(n) // (n // 2)


@pytest.mark.parametrize("laplacian", ["symmetric", "random_walk", "unnormalised"])
@pytest.mark.parametrize("assign", [KMeansLabels(), RotatedLabels()])
@pytest.mark.parametrize(
    "affinity",
    [NeighbourAffinity(), NeighbourAffinity(joined="mutual"), KernelAffinity(kernel=RBF(gamma=9))],
)
def test_rings_are_told_apart(laplacian, assign, affinity):
    X, truth = rings()
    method = SpectralClustering(n_clusters=2, affinity=affinity, laplacian=laplacian, assign=assign)
    assert adjusted_rand(truth, method.fit(X).labels) == 1.0


def test_eigenvalues_of_a_complete_graph_are_known():
    # Of n rows joined alike the Laplacian has 0 once, and n / (n - 1) else.
    X = np.eye(7)
    fit = SpectralClustering(n_clusters=2, affinity=NeighbourAffinity(n_neighbors=6)).fit(X)
    np.testing.assert_allclose(fit.eigenvalues, [0, *[7 / 6] * 6], atol=1e-12)
    plain = SpectralClustering(
        n_clusters=2, affinity=NeighbourAffinity(n_neighbors=6), laplacian="unnormalised"
    )
    np.testing.assert_allclose(plain.fit(X).eigenvalues, [0, *[7.0] * 6], atol=1e-12)
    assert len(fit.edges) == 21


def test_the_eigenvalue_0_comes_once_for_each_part_of_the_graph():
    X = np.concatenate([np.eye(4)[:3] + 100 * k for k in range(3)])
    fit = SpectralClustering(n_clusters=3, affinity=NeighbourAffinity(n_neighbors=2)).fit(X)
    np.testing.assert_allclose(fit.eigenvalues[:3], 0, atol=1e-9)
    assert fit.eigenvalues[3] > 1.0
    np.testing.assert_array_equal(fit.labels, np.repeat([0, 1, 2], 3))
    assert fit.notes == ()
    two = SpectralClustering(n_clusters=2, affinity=NeighbourAffinity(n_neighbors=2)).fit(X)
    assert "falls into 3 parts" in two.notes[0]


def test_rows_of_the_coordinates_have_length_1():
    X = TableData(source="iris").dataset({}).X
    fit = SpectralClustering().fit(X)
    np.testing.assert_allclose(np.linalg.norm(fit.coordinates, axis=1), 1)


@pytest.mark.parametrize("laplacian", ["symmetric", "random_walk", "unnormalised"])
def test_two_rows_and_parts_of_two_rows_have_two_eigenvectors(laplacian):
    """Of two joined rows the second eigenvalue is the whole trace."""
    rows = np.array([[0.0], [1.0]])
    fit = SpectralClustering(n_clusters=2, laplacian=laplacian).fit(rows)
    assert fit.labels.tolist() == [0, 1]
    pairs = NeighbourAffinity(n_neighbors=1)
    fit = SpectralClustering(n_clusters=4, affinity=pairs, laplacian=laplacian)
    fit = fit.fit(np.vstack([rows, rows + 100]))
    assert fit.labels.tolist() == [0, 1, 2, 3]


def test_negative_affinities_are_refused():
    X = np.array([[1.0, 0], [-1, 0.1], [0.5, 1], [2, 2]])
    with pytest.raises(DataError, match="below 0"):
        SpectralClustering(n_clusters=2, affinity=KernelAffinity(kernel=Linear())).fit(X)


def test_products_and_factors_give_the_same_eigenvectors():
    rng = np.random.default_rng(0)
    # Near enough to be one graph: of several parts the eigenvectors are any mixture.
    X = rng.normal(size=(400, 5)) + 1.5 * rng.integers(0, 3, (400, 1))
    W = NeighbourAffinity(n_neighbors=30).weights(X)
    quick, exact = (_of_part(W, True, 4, p) for p in (5, 2))
    np.testing.assert_allclose(quick.values, exact.values, atol=1e-9)
    assert np.diff(exact.values).min() > 0.04
    overlaps = np.abs((quick.vectors * exact.vectors).sum(axis=0))
    np.testing.assert_allclose(overlaps, 1, atol=1e-6)


def test_graphs_of_few_edges_take_many_rows():
    X = np.random.default_rng(0).normal(size=(5_001, 4))
    assert SpectralClustering().applies(X) is None
    for method in (
        SpectralClustering(laplacian="unnormalised"),
        SpectralClustering(affinity="kernel_affinity"),
        SpectralClustering(affinity=NeighbourAffinity(n_neighbors=300)),
    ):
        assert "at most 5,000 rows; there are 5,001" in str(method.applies(X))
    assert SpectralClustering(laplacian="unnormalised").applies(X[:, :2]) is None


def test_more_clusters_than_rows_that_differ_are_said_to_part_equal_ones():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    said = "Only 2 rows differ, so some of 3 clusters hold equal rows."
    assert said in SpectralClustering(n_clusters=3).fit(X).notes
    assert said not in SpectralClustering(n_clusters=2).fit(X).notes


def test_a_graph_that_joins_all_rows_alike_is_told_to_say_nothing():
    X = np.random.default_rng(0).normal(size=(8, 2))
    said = "Every row is joined to every other, all alike"

    def notes(K, k):
        fit = SpectralClustering(n_clusters=K, affinity=NeighbourAffinity(n_neighbors=k)).fit(X)
        return " ".join(fit.notes)

    assert said in notes(2, 7) and said in notes(3, 10)
    assert said not in notes(2, 3) and said not in notes(1, 7)
