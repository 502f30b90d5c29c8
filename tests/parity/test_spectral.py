"""Spectral clustering against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering as Reference
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.manifold import spectral_embedding
from sklearn.metrics import adjusted_rand_score

from mlcore.clustering.spectral.affinities import KernelAffinity, NeighbourAffinity
from mlcore.clustering.spectral.assignments import KMeansLabels, RotatedLabels
from mlcore.clustering.spectral_clustering import SpectralClustering
from mlcore.kernels.rbf import RBF

TABLES = {
    "moons": (make_moons(250, noise=0.05, random_state=0)[0], 2, 60.0),
    "circles": (make_circles(250, factor=0.5, noise=0.03, random_state=0)[0], 2, 60.0),
    "blobs": (make_blobs(240, 4, centers=4, random_state=3)[0], 4, 0.2),
}
ASSIGN = {"kmeans": KMeansLabels(), "discretize": RotatedLabels()}


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("assign", ASSIGN)
@pytest.mark.parametrize("by_kernel", [True, False])
def test_the_same_partition(name, assign, by_kernel):
    X, k, gamma = TABLES[name]
    affinity = KernelAffinity(kernel=RBF(gamma=gamma)) if by_kernel else NeighbourAffinity()
    ours = SpectralClustering(
        n_clusters=k, affinity=affinity, laplacian="random_walk", assign=ASSIGN[assign]
    ).fit(X)
    kind = "rbf" if by_kernel else "nearest_neighbors"
    theirs = Reference(k, affinity=kind, gamma=gamma, assign_labels=assign, random_state=0).fit(X)
    assert adjusted_rand_score(ours.labels, theirs.labels_) == 1.0


def test_the_same_coordinates():
    X, k, gamma = TABLES["blobs"]
    kernel = KernelAffinity(kernel=RBF(gamma=gamma))
    ours = SpectralClustering(n_clusters=k, affinity=kernel, laplacian="random_walk").fit(X)
    W = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))
    theirs = spectral_embedding(W, n_components=k, drop_first=False, random_state=0)
    # Vectors of one length and sign each: the correlation of each with its own.
    for a, b in zip(ours.coordinates.T[1:], theirs.T[1:], strict=True):
        assert abs(np.corrcoef(a, b)[0, 1]) > 1 - 1e-6
