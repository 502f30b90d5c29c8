"""HDBSCAN against scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN as Reference
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from mlcore.clustering.hdbscan import HDBSCAN

rng = np.random.default_rng(0)
TABLES = {
    "iris": load_iris().data + rng.normal(scale=1e-3, size=(150, 4)),  # tenths tie
    "wine": load_wine().data,
    "breast cancer": load_breast_cancer().data,
    "blobs": make_blobs(400, 5, centers=6, cluster_std=1.8, random_state=1)[0],
}
SETTINGS = (
    {},
    {"min_cluster_size": 12},
    {"selection": "leaf", "min_cluster_size": 7},
    {"epsilon": 0.6, "min_cluster_size": 6},
    {"allow_single": True, "min_cluster_size": 20},
    {"allow_single": True, "epsilon": 0.8, "min_cluster_size": 10},
)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_same_groups_and_strengths(name, settings):
    # One row around a dense place: its core distance is 0 and no two edges are equally long. Else
    # theirs depends on the order of the rows.
    X, method = TABLES[name], HDBSCAN(min_samples=1, **settings)
    ours = method.fit(X)
    told = replace(method, epsilon=0.0).peer_settings()
    theirs = Reference(**told, cluster_selection_epsilon=method.epsilon).fit(X)
    np.testing.assert_array_equal(ours.labels < 0, theirs.labels_ < 0)
    assert adjusted_rand_score(ours.labels, theirs.labels_) == 1.0
    np.testing.assert_allclose(ours.strengths, theirs.probabilities_, rtol=1e-9)


@pytest.mark.parametrize("name", ["iris", "blobs"])
def test_groups_that_are_apart_are_the_same_with_core_distances(name):
    ours = HDBSCAN(min_cluster_size=12).fit(TABLES[name])
    theirs = Reference(12, copy=True).fit(TABLES[name])
    assert adjusted_rand_score(ours.labels, theirs.labels_) == 1.0
    np.testing.assert_allclose(ours.strengths, theirs.probabilities_, rtol=1e-9)
