"""Clusters measured by classes: the examples of the notes, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.cluster import contingency_matrix

from mlcore.evaluation.metrics.clusters_of_classes import class_table, clustering_f1, purity


def test_the_schematic_of_the_notes():
    """Two clusters of six rows: two of class 0 in the first, four of class 1 in the second."""
    y = np.array([0, 0, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1])
    labels = np.repeat([0, 1], 6)
    assert clustering_f1(y, labels) == pytest.approx(0.7)
    t = class_table(y, labels)
    np.testing.assert_allclose(t.recall, [[1, 0], [0, 1]])
    np.testing.assert_allclose(t.precision, [[1 / 3, 0], [0, 2 / 3]])
    np.testing.assert_allclose(t.f1, [[0.5, 0], [0, 0.8]])


def test_purity_by_hand():
    assert purity([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]) == pytest.approx(5 / 6)
    assert purity([0, 0, 1, 1], [0, 1, 2, 3]) == 1.0
    assert purity([0, 0, 1, 1], [0, 0, -1, -1]) == 0.5  # noise is of no cluster
    assert np.isnan(purity([-1, -1], [0, 1]))
    assert np.isnan(clustering_f1([-1, -1], [0, 1]))


def test_names_of_clusters_do_not_matter_and_f1_is_the_harmonic_mean():
    rng = np.random.default_rng(0)
    y, labels = rng.integers(-1, 4, 200), rng.integers(-1, 5, 200)
    t = class_table(y, labels)
    np.testing.assert_allclose(t.f1, 2 / (1 / t.recall + 1 / t.precision))
    known = (y >= 0) & (labels >= 0)
    np.testing.assert_array_equal(t.counts, contingency_matrix(y[known], labels[known]))
    other = np.where(labels < 0, -1, (labels + 2) % 5)
    assert clustering_f1(y, other) == pytest.approx(clustering_f1(y, labels))
    assert purity(y, other) == pytest.approx(purity(y, labels))


def test_everything_noise_is_worth_nothing():
    assert purity([0, 1, 1], [-1, -1, -1]) == clustering_f1([0, 1, 1], [-1, -1, -1]) == 0.0
