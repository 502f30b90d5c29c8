"""A learned distance: its sums over pairs, and when its directions are those of Fisher."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from mlcore.classification.lda import LDA
from mlcore.data import bundled
from mlcore.preparation.chain import prepare
from mlcore.preparation.reduce import Reduce
from mlcore.reduction.metric_learning import MetricLearning, Orthonormal, Similar, pair_means
from mlcore.spine.errors import DataError
from mlcore.spine.fit import plain_columns


def iris(*counts):
    """The first rows of each species, and their species."""
    table = bundled.load("iris")
    names = [name for name in table.names if table.column(name).kind == "number"]
    X = np.column_stack([table.column(name).values for name in names])
    at = np.concatenate([50 * k + np.arange(count) for k, count in enumerate(counts)])
    return X[at], at // 50


def test_the_means_over_pairs_are_means_over_pairs():
    X, y = iris(9, 5, 12)
    found = pair_means(X, y)
    Z = X / found.spread
    sums, counts = np.zeros((2, 4, 4)), np.zeros(2)
    for i, j in combinations(range(len(X)), 2):
        kind = int(y[i] != y[j])
        sums[kind] += np.outer(Z[i] - Z[j], Z[i] - Z[j])
        counts[kind] += 1
    alike, apart = sums / counts[:, None, None]
    np.testing.assert_allclose(found.alike, alike, rtol=1e-10)
    np.testing.assert_allclose(found.apart, apart, rtol=1e-10)


def test_what_is_held_fixed_is_fixed():
    X, y = iris(50, 30, 20)
    scale = pair_means(X, y)
    alike = scale.alike * np.outer(scale.spread, scale.spread)
    W = MetricLearning(n_components=4, constraint=Similar(reg=0.0)).fit(X, y).axes
    np.testing.assert_allclose(W @ alike @ W.T, np.eye(4), atol=1e-9)
    turn = MetricLearning(n_components=4, constraint=Orthonormal()).fit(X, y)
    np.testing.assert_allclose(turn.metric, np.eye(4), atol=1e-12)


@pytest.mark.parametrize(
    ("counts", "degrees", "tolerance"), [((50, 50, 50), 0, 1e-4), ((50, 30, 10), 46, 1)]
)
def test_balanced_classes_give_the_directions_of_fisher(counts, degrees, tolerance):
    X, y = iris(*counts)
    ours = MetricLearning(n_components=2, constraint=Similar(reg=0.0)).fit(X, y).axes
    angles = subspace_angles(ours.T, LDA().fit(X, y).axes.T)
    assert np.degrees(angles.max()) == pytest.approx(degrees, abs=tolerance)


def test_units_do_not_matter_to_similar_pairs():
    X, y = iris(50, 50, 50)
    units = np.array([1e3, 1.0, 1e-3, 7.0])
    first, second = (MetricLearning().fit(rows, y) for rows in (X, X * units + 5))
    np.testing.assert_allclose(first.transform(X), second.transform(X * units + 5), atol=1e-7)


def test_rows_of_one_class_that_do_not_differ_need_a_ridge():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [1.0, 3.0]])
    y = [0, 0, 1, 1]
    with pytest.raises(DataError, match="Raise the ridge"):
        MetricLearning(constraint=Similar(reg=0.0)).fit(X, y)
    Z = MetricLearning(n_components=1).fit(X, y).transform(X)[:, 0]
    np.testing.assert_allclose(Z[:2], Z[0])
    assert abs(Z[2] - Z[0]) > 100 * abs(Z[1] - Z[0])


def test_a_quantity_is_no_class():
    X, _ = iris(50, 50, 50)
    with pytest.raises(DataError, match="this target is a quantity"):
        MetricLearning().fit(X, np.arange(150.0))


def test_as_a_step_it_gives_the_same_coordinates():
    X, y = iris(50, 50, 50)
    prepared = prepare((Reduce(method="metric_learning"),), X, y, plain_columns(4))
    np.testing.assert_array_equal(prepared.X, MetricLearning().fit(X, y).transform(X))
    assert [c.name for c in prepared.columns] == ["learned 1", "learned 2"]
    assert prepared.summary()[0].note.startswith("Metric learning: 4 columns became 2.")
