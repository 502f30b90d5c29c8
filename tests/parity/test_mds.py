"""Maps of distances against scikit-learn, from the same start."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris, load_wine
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import MDS as Reference
from sklearn.manifold import ClassicalMDS

from mlcore.reduction.mds import MDS
from mlcore.reduction.mds_kinds import Metric
from mlcore.reduction.mds_nonmetric import Nonmetric
from mlcore.reduction.orders import Order

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


def test_the_same_rising_values():
    X, rng = TABLES["iris"], np.random.default_rng(0)  # of its distances many tie
    aims, apart = pdist(X), pdist(X[:, :2]) + rng.uniform(size=len(X) * (len(X) - 1) // 2)
    aims = aims.round(6)  # equal ones that differ in the last bit are two to scikit-learn
    theirs = IsotonicRegression().fit_transform(aims, apart)
    np.testing.assert_allclose(Order(aims, parts_ties=False).disparities(apart), theirs, rtol=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_the_order_is_kept_as_well(name):
    X = TABLES[name]
    ours = MDS(kind=Nonmetric(ties="secondary", tol=1e-9, max_iter=1000)).fit(X)
    theirs = Reference(
        2, metric_mds=False, init="classical_mds", n_init=1, max_iter=1000, eps=1e-9
    ).fit(X)
    # Theirs begins with a metric iteration, and measures the map by the values before it.
    assert ours.stress <= theirs.stress_ * 1.01
