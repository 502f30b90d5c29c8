"""Maps of neighbours against scikit-learn: the objective that is reached, and their scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.manifold import TSNE as Reference
from sklearn.manifold import trustworthiness
from sklearn.preprocessing import scale

from mlcore.evaluation.map_neighbours import neighbours_kept
from mlcore.reduction.pca import PCA
from mlcore.reduction.tsne import TSNE
from mlcore.reduction.tsne_forces import BarnesHut

WINE, CANCER = scale(load_wine().data), scale(load_breast_cancer().data)


def test_the_divergence_is_no_higher():
    # Rounding parts the two paths; the optima in which they end are as low.
    theirs = Reference(method="exact", max_iter=600).fit(WINE)
    assert TSNE(max_iter=600).fit(WINE).divergence <= theirs.kl_divergence_ * 1.01


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
