"""Conflicting targets at the same x: which rows they are, and who tells of them."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.maths.conflicts import conflicting
from mlcore.neighbours.knn import KNNClassifier, KNNRegression

X = np.array([[0.0, 1], [1, 1], [-0.0, 1], [2, 0], [2, 0], [3, 5]])
Y = np.array([1.0, 2, 4, 3, 3, 5])
TOLD = "2 rows have conflicting targets at the same x"


def test_only_twins_that_differ_in_their_target_conflict():
    assert conflicting(X, Y).tolist() == [True, False, True, False, False, False]
    assert not conflicting(X, np.ones(6)).any()


@pytest.mark.parametrize("seed", range(5))
def test_conflicts_are_those_that_comparing_every_two_rows_finds(seed):
    rng = np.random.default_rng(seed)
    rows, y = rng.integers(0, 4, (60, 2)).astype(float), rng.integers(0, 2, 60)
    same = (rows[:, None] == rows).all(axis=2)
    np.testing.assert_array_equal(conflicting(rows, y), (same & (y[:, None] != y)).any(axis=1))


@pytest.mark.parametrize(
    "method",
    [
        KNNClassifier(n_neighbors=1),
        KNNRegression(n_neighbors=1),
        KernelRidge(alpha=1e-9),
        GPRegressor(noise=1e-8, learn="none"),
    ],
)
def test_who_goes_through_every_row_tells_of_conflicts(method):
    y = np.array(list("abcdde")) if isinstance(method, KNNClassifier) else Y
    assert any(note.startswith(TOLD) for note in method.fit(X, y).notes)
    alone = [0, 1, 3, 4, 5]
    assert not any("conflicting" in note for note in method.fit(X[alone], y[alone]).notes)


@pytest.mark.parametrize(
    "method", [KNNRegression(n_neighbors=2), KernelRidge(alpha=1.0), GPRegressor(learn="none")]
)
def test_who_smooths_has_no_conflict_to_tell_of(method):
    assert not any("conflicting" in note for note in method.fit(X, Y).notes)
