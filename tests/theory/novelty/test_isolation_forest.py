"""Isolation trees: paths by hand, lengths that are known on average, cuts of both kinds."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.ensembles.isolation.trees import grown, mean_length
from mlcore.ensembles.isolation_forest import IsolationForest
from mlcore.spine.errors import DataError


def test_two_rows_are_parted_by_one_cut():
    fit = IsolationForest(n_trees=3).fit([[0.0], [1.0]])
    np.testing.assert_array_equal(fit.path_lengths([[0.0], [1.0], [9.0]], 1), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(fit.usualness([[0.0], [1.0]]), [-0.5, -0.5])


def test_mean_lengths_are_those_of_the_formula():
    harmonic = np.log(255) + np.euler_gamma
    assert mean_length(np.array(256)) == pytest.approx(2 * harmonic - 2 * 255 / 256)
    np.testing.assert_array_equal(mean_length(np.array([0, 1, 2])), [0.0, 0.0, 1.0])


@pytest.mark.parametrize("slanted", [False, True])
def test_every_row_is_in_a_leaf_and_no_tree_too_deep(slanted):
    X = np.random.default_rng(0).normal(size=(64, 3))
    one = grown(X, 64, np.random.default_rng(1), slanted=slanted)
    lengths = one.lengths(X)
    assert one.depth == 6
    assert lengths.min() >= 1
    assert one.is_walkable(3)
    is_leaf = one.child[0] == np.arange(one.child.shape[1])
    assert is_leaf.sum() == (~is_leaf).sum() + 1  # of a tree that parts in two


def test_the_mean_path_of_rows_on_a_line_is_near_that_of_the_formula():
    """The formula is of rows of equal gaps, which a random cut parts like a search tree."""
    X = np.arange(256.0)[:, None]
    fit = IsolationForest(n_trees=400).fit(X)
    mean = np.mean([fit.path_lengths(X, k).mean() for k in range(1, 401)])
    assert mean == pytest.approx(fit.mean_path, rel=0.03)
    ends = fit.usualness([[0.0], [128.0], [255.0]])
    assert ends[1] > max(ends[0], ends[2])


def test_a_scale_of_a_column_does_not_matter_to_straight_cuts():
    X = np.random.default_rng(2).normal(size=(100, 3))
    scores = IsolationForest(n_trees=20).fit(X, seed=1).usualness(X)
    times = np.array([4.0, 0.25, 1024.0])  # powers of two round alike
    np.testing.assert_array_equal(
        IsolationForest(n_trees=20).fit(X * times, seed=1).usualness(X * times), scores
    )


def test_slanted_cuts_leave_no_bands_beside_the_rows():
    """Hariri and others: beside two crowds, where only one column is usual, straight cuts score
    higher than at a place as far away on the diagonal."""
    rng = np.random.default_rng(3)
    crowd = np.array([[0.0, 10.0], [10.0, 0.0]])
    X = rng.normal(size=(500, 2)) + np.repeat(crowd, 250, axis=0)
    ghost = np.array([[0.0, 0.0], [10.0, 10.0]])
    gaps = []
    for extended in (False, True):
        fit = IsolationForest(n_trees=200, extended=extended).fit(X)
        gaps.append((fit.usualness(crowd) - fit.usualness(ghost)).min())
    assert gaps[1] > 1.3 * gaps[0] > 0


def test_the_last_step_is_the_fit():
    X = np.random.default_rng(4).normal(size=(60, 2))
    method = IsolationForest(n_trees=5)
    steps = list(method.steps(X, seed=2))
    assert [step.stop is None for step in steps] == [True] * 4 + [False]
    fit = method.fit(X, seed=2)
    np.testing.assert_allclose(fit.own_usualness, fit.usualness(X), rtol=1e-12)


def test_equal_rows_are_refused():
    with pytest.raises(DataError, match="cuts rows apart"):
        IsolationForest().fit(np.ones((5, 2)))
