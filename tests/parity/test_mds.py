"""Maps of distances against scikit-learn, from the same start."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.manifold import MDS as Reference
from sklearn.manifold import ClassicalMDS

from mlcore.reduction.mds import MDS
from mlcore.reduction.mds_kinds import Metric

TABLES = {"iris": load_iris().data, "wine": load_wine().data[::2]}


@pytest.mark.parametrize("name", TABLES)
def test_the_same_classical_map(name):
    X = TABLES[name]
    ours, theirs = MDS().fit(X), ClassicalMDS(n_components=2).fit(X)
    # Eigenvectors have no sign; those of wine span five orders of magnitude.
    scale = np.abs(ours.coordinates).max()
    np.testing.assert_allclose(
        np.abs(ours.coordinates), np.abs(theirs.embedding_), atol=1e-8 * scale
    )


@pytest.mark.parametrize("name", TABLES)
def test_the_same_map_after_as_many_guttman_transforms(name):
    X = TABLES[name]
    ours = MDS(kind=Metric(max_iter=50, tol=0.0)).fit(X)
    theirs = Reference(
        2, init="classical_mds", n_init=1, max_iter=50, eps=0.0, normalized_stress=False
    ).fit(X)
    # The same sums in another order; the axes of the start have no sign.
    assert ours.stress == pytest.approx(theirs.stress_, rel=1e-8)
    np.testing.assert_allclose(
        np.abs(ours.embedding), np.abs(theirs.embedding_), atol=1e-7 * np.ptp(X)
    )
