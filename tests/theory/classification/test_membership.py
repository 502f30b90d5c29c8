"""Membership: the figure of the notes, and the rule written out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.students import Students
from mlcore.distances.neighbourhoods import neighbour_distance
from mlcore.neighbours.membership import NeighbourMembership
from mlcore.spine.errors import DataError

NOBODY = np.array([[100.0, 120.0]])  # kg, cm


@pytest.mark.parametrize("seed", range(0, 50, 5))
def test_the_students_of_the_notes(seed):
    data = TableData(source=Students(seed=seed)).dataset({})
    assert neighbour_distance(data.X, NOBODY)[0] > 7
    assert (neighbour_distance(data.X) <= 7).mean() >= 0.95
    fit = NeighbourMembership().fit(data.X, data.y)
    assert data.classes[fit.predict(NOBODY)[0]] == "yes"  # no member of those who do not wrestle


def test_the_rule_written_out():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], (30, 10, 20))
    new = rng.normal(size=(200, 3)) * 1.5
    fit = NeighbourMembership(n_neighbors=3, threshold=1.2).fit(X, y)
    near = [
        NearestNeighbors(n_neighbors=3).fit(X[y == k]).kneighbors(new)[0].mean(axis=1)
        for k in (0, 2)
    ]
    expected = np.where(np.min(near, axis=0) > 1.2, 1, np.where(near[0] <= near[1], 0, 2))
    assert set(expected) == {0, 1, 2}
    np.testing.assert_array_equal(fit.predict(new), expected)


def test_the_rare_class_is_never_looked_at():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], (30, 10))
    moved = np.where((y == 1)[:, None], X + 1e3, X)
    new = rng.normal(size=(50, 2)) * 3
    first, second = (NeighbourMembership(threshold=1.0).fit(rows, y) for rows in (X, moved))
    np.testing.assert_array_equal(first.decision(new), second.decision(new))


def test_a_row_exactly_at_the_threshold_is_a_member():
    fit = NeighbourMembership(n_neighbors=1, threshold=2.0).fit([[0.0], [0.0], [9.0]], [0, 0, 1])
    np.testing.assert_array_equal(fit.predict([[2.0], [-2.0], [2.0 + 1e-12]]), [0, 0, 1])


def test_too_few_rows_are_named():
    with pytest.raises(DataError, match=r"one has 1\. Lower n_neighbors"):
        NeighbourMembership().fit(np.arange(4.0)[:, None], [0, 0, 1, 2])
