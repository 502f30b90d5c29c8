"""What maps say of rows that have fewer neighbours or directions than were asked for."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.spectral.affinities import KernelAffinity, NeighbourAffinity
from mlcore.clustering.spectral_clustering import SpectralClustering
from mlcore.reduction.fast_ica import FastICA
from mlcore.reduction.fuzzy.supervised import SupervisedUMAP
from mlcore.reduction.fuzzy.umap import UMAP
from mlcore.reduction.isomap import Isomap
from mlcore.reduction.kernel_pca import KernelPCA
from mlcore.reduction.laplacian_eigenmaps import LaplacianEigenmaps
from mlcore.reduction.lle import LLE
from mlcore.reduction.mds import MDS
from mlcore.reduction.pca import PCA

SIX = np.random.default_rng(0).normal(size=(6, 3))
LINE = np.random.default_rng(1).normal(size=(30, 1)) * [1.0, 2.0, -3.0]
ALL = "Of 6 rows each has 5 neighbours; all are used."
GRAPHS = [Isomap, LLE, LaplacianEigenmaps]


@pytest.mark.parametrize("cls", [*GRAPHS, UMAP, SupervisedUMAP])
def test_that_there_are_fewer_neighbours_than_asked_for(cls):
    more, enough = (7, 6) if "UMAP" in cls.__name__ else (6, 5)  # of UMAP with the row itself
    y = np.arange(6) % 2 if cls is SupervisedUMAP else None
    assert ALL in cls(n_neighbors=more).fit(SIX, y).notes
    assert ALL not in cls(n_neighbors=enough).fit(SIX, y).notes
    if cls in GRAPHS:
        assert ALL not in cls(n_neighbors=more, radius=9.0).fit(SIX).notes


def test_that_a_graph_of_clusters_joins_all_rows():
    fit = SpectralClustering(affinity=NeighbourAffinity(n_neighbors=6)).fit(SIX)
    assert ALL in fit.notes
    for affinity in (NeighbourAffinity(n_neighbors=5), KernelAffinity()):
        assert ALL not in SpectralClustering(affinity=affinity).fit(SIX).notes


@pytest.mark.parametrize(
    "method", [PCA(n_components=2), FastICA(n_components=2), MDS(), Isomap(n_neighbors=29)]
)
def test_that_rows_vary_in_fewer_directions_than_asked_for(method):
    fit = method.fit(LINE)
    assert "Only 1 direction has any variance; showing 1." in fit.notes
    assert fit.transform(LINE).shape == (30, 1)
    assert not any("direction" in note for note in method.fit(LINE[:, :1] + LINE**2).notes)


@pytest.mark.parametrize("cls", [LLE, LaplacianEigenmaps])
def test_that_few_rows_have_fewer_coordinates_than_asked_for(cls):
    fit = cls(n_components=4).fit(SIX[:4])
    assert fit.coordinates.shape == (4, 3)
    assert "The map of 4 rows has at most 3 coordinates." in fit.notes
    assert not any("coordinates" in note for note in cls(n_components=3).fit(SIX[:4]).notes)


def test_that_a_gaussian_kernel_is_never_called_indefinite_for_its_rounding():
    """A column far from zero makes its kernel nearly 1 everywhere: what is left is rounded."""
    X = np.column_stack([np.random.default_rng(0).normal(size=(40, 2)), np.full(40, 1e6)])
    fit = KernelPCA().fit(X)
    assert np.isfinite(fit.scores).all()
    assert (fit.variances > 0).all()
