"""What the theory says of HDBSCAN, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.hdbscan import HDBSCAN
from mlcore.clustering.hierarchy.condensed import by_mass, condensed, leaves
from mlcore.clustering.hierarchy.linkages import Single
from mlcore.distances.metrics import Frame
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.spine.errors import DataError

TWO = np.array([[0.0], [1], [2], [10], [11], [12], [50]])  # two groups of three, and one far away


def clouds(seed=0):
    """A dense and a thin cloud, and rows between them."""
    rng = np.random.default_rng(seed)
    thick, thin = 0.2 * rng.normal(size=(80, 2)), [8, 0] + 1.5 * rng.normal(size=(80, 2))
    return np.concatenate([thick, thin, rng.uniform(-6, 14, (20, 2))])


def test_the_condensed_tree_by_hand():
    # Single linkage: all within a group at 1, the groups at 8, the far row at 38.
    tree = condensed(Single().tree(TWO, Frame()), 2)
    np.testing.assert_array_equal(tree.parents[:3], [-1, 0, 0])
    np.testing.assert_allclose(tree.births[:3], [0, 1 / 8, 1 / 8])
    np.testing.assert_array_equal(np.sort(tree.sizes[:3]), [3, 3, 7])
    assert tree.row_densities[6] == pytest.approx(1 / 38)
    # A group of three loses one row at 1, then both others: each rises from 1/8 to 1.
    np.testing.assert_allclose(tree.stabilities()[:3], [1 / 38 + 6 / 8, 3 * 7 / 8, 3 * 7 / 8])
    np.testing.assert_array_equal(by_mass(tree, False), [False, True, True])
    np.testing.assert_array_equal(leaves(tree, True), [False, True, True])


def test_two_groups_and_a_row_far_away():
    fit = HDBSCAN(min_cluster_size=2, min_samples=1).fit(TWO)
    np.testing.assert_array_equal(fit.labels[:6] == fit.labels[0], np.arange(6) < 3)
    assert fit.labels[6] == -1
    np.testing.assert_allclose(fit.strengths, [1, 1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(fit.outlier_scores, [*[0] * 6, 1 - 1 / 38])
    np.testing.assert_array_equal(HDBSCAN(min_cluster_size=2).fit(TWO).core_distances[:3], 1)


def test_groups_of_different_density_are_found_where_one_radius_finds_one():
    X = clouds()
    fit = HDBSCAN(min_cluster_size=15).fit(X)
    assert fit.labels.max() == 1
    for own in (fit.labels[:80], fit.labels[80:160]):
        assert np.bincount(own + 1, minlength=3)[1:].max() > 60
    for eps in (0.1, 0.2, 0.4):
        noise = DBSCAN(eps=eps, min_samples=15).fit(X).labels[80:160] < 0
        assert noise.mean() > 0.9


def test_each_chosen_group_is_what_dbscan_finds_at_its_birth():
    X = clouds()
    fit = HDBSCAN(min_cluster_size=10, min_samples=6).fit(X)
    for label, c in enumerate(np.flatnonzero(fit.chosen)):
        below = np.nextafter(1 / fit.births[c], 0) * (1 - 1e-9)
        flat = DBSCAN(eps=below, min_samples=6).fit(X)
        own = (fit.labels == label) & (fit.core_distances <= below)
        assert len(np.unique(flat.labels[own])) == 1


def test_a_larger_least_distance_joins_groups_and_leaves_split_them():
    X = clouds()
    few = HDBSCAN(epsilon=1.0).fit(X).labels.max()
    some = HDBSCAN().fit(X).labels.max()
    many = HDBSCAN(selection="leaf").fit(X).labels.max()
    assert few <= some <= many
    assert few < many


def test_a_giant_outlier_is_noise_and_leaves_the_groups():
    fit = HDBSCAN(min_cluster_size=15).fit(np.vstack([X := clouds(), [[1e14, -1e14]]]))
    np.testing.assert_array_equal(fit.labels[:-1], HDBSCAN(min_cluster_size=15).fit(X).labels)
    assert fit.labels[-1] == -1


def test_equal_rows_are_as_dense_as_can_be():
    X = np.repeat(np.array([[0.0, 0], [5, 5]]), 10, axis=0)
    fit = HDBSCAN().fit(X)
    np.testing.assert_array_equal(fit.labels == fit.labels[0], np.arange(20) < 10)
    assert np.isfinite(fit.stabilities).all()


def test_rows_that_differ_by_rounding_alone_are_equal_rows():
    rng = np.random.default_rng(0)
    clouds = np.vstack([rng.normal(size=(30, 2)), rng.normal([9.0, 0.0], size=(30, 2))])
    same = np.tile([4.3, 6.3], (12, 1))
    off = same + np.spacing(4.3) * rng.integers(0, 2, same.shape)
    one, other = (HDBSCAN().fit(np.vstack([clouds, rows])) for rows in (same, off))
    np.testing.assert_allclose(*(np.sort(fit.stabilities) for fit in (one, other)), rtol=0.1)


def test_one_cloud_is_noise_unless_one_group_is_allowed():
    X = np.random.default_rng(0).normal(size=(60, 2))
    strict = HDBSCAN(min_cluster_size=40, min_samples=5).fit(X)
    assert (strict.labels == -1).all()
    assert "every row is noise" in strict.notes[0]
    loose = HDBSCAN(min_cluster_size=40, min_samples=5, allow_single=True, epsilon=1.0).fit(X)
    assert (loose.labels == 0).mean() > 0.8
    np.testing.assert_array_equal(loose.labels == 0, loose.row_densities >= 1)


@pytest.mark.parametrize("settings", [{}, {"selection": "leaf"}, {"epsilon": 0.5}])
def test_the_order_of_the_rows_changes_nothing(settings):
    # Many edges are as long as the core distance that they share, so the tree is not unique.
    X = np.random.default_rng(2).normal(size=(200, 2))
    order = np.random.default_rng(3).permutation(200)
    one, other = (HDBSCAN(**settings).fit(rows) for rows in (X, X[order]))
    assert adjusted_rand(one.labels[order], other.labels) == 1.0
    np.testing.assert_allclose(one.strengths[order], other.strengths)


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="Lower the least size"):
        HDBSCAN(min_cluster_size=9).fit(TWO)
