"""Maps of neighbours against scikit-learn: the objective that is reached, and their scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine, make_swiss_roll
from sklearn.manifold import TSNE as Reference
from sklearn.manifold import Isomap as IsomapReference
from sklearn.manifold import LocallyLinearEmbedding as LLEReference
from sklearn.manifold import SpectralEmbedding as SpectralReference
from sklearn.manifold import trustworthiness
from sklearn.preprocessing import scale

from mlcore.distances.graphs import KNNGraph
from mlcore.distances.metrics import Chebyshev, Manhattan, Minkowski
from mlcore.evaluation.map_neighbours import neighbours_kept
from mlcore.reduction.isomap import Isomap
from mlcore.reduction.laplacian_eigenmaps import LaplacianEigenmaps
from mlcore.reduction.lle import LLE
from mlcore.reduction.pca import PCA
from mlcore.reduction.tsne import TSNE
from mlcore.reduction.tsne_forces import BarnesHut

WINE, CANCER = scale(load_wine().data), scale(load_breast_cancer().data)


def test_the_same_descent():
    # Exaggerated steps throw rows about, and rounding then decides on the optimum; without them
    # both go the same way. Theirs says the divergence before its last step.
    X = WINE[::2]
    pace = {"perplexity": 20, "learning_rate": 10.0, "max_iter": 300}
    ours = TSNE(exaggeration=1.0, **pace).fit(X)
    theirs = Reference(method="exact", early_exaggeration=1.0, **pace).fit(X)
    assert ours.divergence == pytest.approx(theirs.kl_divergence_, rel=1e-3)


@pytest.mark.slow
def test_cells_end_as_low():
    # Both simplify far rows, each in its own way: other digits, optima of the same height.
    ours = TSNE(forces=BarnesHut()).fit(CANCER)
    theirs = Reference().fit(CANCER)
    assert ours.divergence <= theirs.kl_divergence_ * 1.05


@pytest.mark.parametrize("k", [1, 5, 12])
def test_the_same_trustworthiness(k):
    X = np.random.default_rng(k).normal(size=(120, 6))
    Y = PCA(n_components=2).fit(X).transform(X)
    kept = neighbours_kept(X, Y, k)
    assert kept.trustworthiness == pytest.approx(trustworthiness(X, Y, n_neighbors=k), abs=1e-12)
    # What is false in one direction is missing in the other.
    assert kept.continuity == pytest.approx(trustworthiness(Y, X, n_neighbors=k), abs=1e-12)


def test_rows_far_from_zero_are_judged_alike():
    X = np.random.default_rng(0).normal(size=(90, 4))
    near = neighbours_kept(X, X[:, :2])
    np.testing.assert_allclose(neighbours_kept(X + 1e6, X[:, :2] - 1e6), near, atol=1e-12)


@pytest.mark.parametrize("metric", [Manhattan(), Chebyshev(), Minkowski(p=3.0)])
def test_the_same_paths_by_other_distances(metric):
    X, _ = make_swiss_roll(120, random_state=1)
    new, words = X[:20] + 0.1, metric.peer_settings()
    iso = Isomap(metric=metric).fit(X)
    theirs = IsomapReference(n_neighbors=10, **words).fit(X)
    np.testing.assert_allclose(np.abs(iso.coordinates), np.abs(theirs.embedding_), atol=1e-9)
    np.testing.assert_allclose(np.abs(iso.transform(new)), np.abs(theirs.transform(new)), atol=1e-9)


@pytest.mark.parametrize("n", [120, 500])
def test_the_same_maps_of_a_graph(n):
    """Of all eigenvalues and of a few; axes have no sign."""
    X, _ = make_swiss_roll(n, random_state=1)
    new = X[:20] + 0.1
    iso, theirs = Isomap().fit(X), IsomapReference(n_neighbors=10).fit(X)
    np.testing.assert_allclose(np.abs(iso.coordinates), np.abs(theirs.embedding_), atol=1e-9)
    np.testing.assert_allclose(np.abs(iso.transform(new)), np.abs(theirs.transform(new)), atol=1e-9)
    lle = LLE(n_neighbors=12).fit(X)
    reference = LLEReference(n_neighbors=12, eigen_solver="dense").fit_transform(X)
    # The eigenvalues are near zero and their gaps small: vectors keep fewer digits.
    np.testing.assert_allclose(np.abs(lle.coordinates), np.abs(reference) * n**0.5, atol=1e-3)
    W = KNNGraph(n_neighbors=10).weights(X).toarray()
    spectral = SpectralReference(2, affinity="precomputed").fit_transform(W)
    ours = LaplacianEigenmaps().fit(X).coordinates
    np.testing.assert_allclose(np.abs(ours), np.abs(spectral), atol=1e-7)
