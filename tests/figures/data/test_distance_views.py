"""The distance matrix as a picture: its order, its histogram, and what points cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from figures.view import views_where
from figures.views.data import distance_matrix, distance_spread
from mlcore.data.dataset import TableData
from mlcore.spine.errors import DataError
from tests.figures import made


@pytest.fixture(scope="module")
def iris():
    """Three classes of fifty rows."""
    return TableData(source="iris").dataset({})


def test_rows_of_a_class_stand_together_and_distances_are_euclidean(iris):
    d = distance_matrix.numbers(iris)
    assert (np.diff(d.klass) >= 0).all()
    Z = (iris.X - iris.X.mean(axis=0)) / iris.X.std(axis=0)
    np.testing.assert_allclose(d.D, squareform(pdist(Z[d.rows])), atol=1e-9)
    assert len(d.within) + len(d.between) == 150 * 149 / 2
    bars: Any = distance_spread.draw(d).data
    assert [sum(trace.y) for trace in bars] == [len(d.within), len(d.between)]
    assert d.within.mean() < 0.6 * d.between.mean()
    shares = {name: held.negative for name, held in d.checks}
    assert shares["euclidean"] == 0 < shares["manhattan"]


def test_near_rows_of_a_class_stand_side_by_side(iris):
    D = distance_matrix.numbers(iris).D
    beside = np.diag(D, 1)[np.arange(149) % 50 != 49]
    assert beside.mean() < 0.7 * D[:50, :50][np.triu_indices(50, 1)].mean()


def test_a_button_puts_the_rows_in_another_order(iris):
    d = distance_matrix.numbers(iris)
    fig = distance_matrix.draw(d)
    said = {b.label: b.args[0] for b in fig.layout.updatemenus[0].buttons}
    assert list(said) == ["By class", "By likeness", "As in the table"]
    assert said["As in the table"]["xaxis.categoryarray"] == [str(k) for k in range(1, 151)]
    for changes in said.values():
        assert sorted(changes["xaxis.categoryarray"], key=int) == [str(k) for k in range(1, 151)]
        assert changes["xaxis.categoryarray"] == changes["yaxis.categoryarray"]
    along = [np.flatnonzero(d.rows == int(name) - 1)[0] for name in
             said["By likeness"]["xaxis.categoryarray"]]  # fmt: skip
    assert np.diag(d.D[np.ix_(along, along)], 1).mean() < 0.5 * d.D.mean()
    plain = distance_matrix.draw(distance_matrix.numbers(made.dataset(iris.X)))
    assert [b.label for b in plain.layout.updatemenus[0].buttons] == list(said)[1:]


def test_a_table_of_distances_is_shown_as_it_is():
    # A star: three ends lie 2 from each other and 1 from the middle, as no points of a plane do.
    D = np.array([[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0.0]])
    d = distance_matrix.numbers(made.dataset(D))
    assert sorted(d.D.ravel()) == sorted(D.ravel())
    said = distance_matrix.reading(d)
    assert "No points of a plain space lie like this: negative eigenvalues make up" in said
    plane = squareform(pdist(np.array([[0.0, 0], [3, 0], [0, 4], [3, 4]])))
    d = distance_matrix.numbers(made.dataset(plane))
    assert distance_matrix.reading(d).endswith("points of a plain space can lie like this.")
    # From 1 by 3 to 2 and to 4, and from 2 by 4 to 3, is nearer than the straight way.
    table = TableData(source="distance_table").dataset({})
    said = distance_matrix.reading(distance_matrix.numbers(table))
    assert "mirrored entries differ by up to 0.690, 3 pairs would be nearer by a detour" in said


def test_missing_values_are_left_out_and_many_rows_are_a_sample():
    X = np.random.default_rng(0).normal(size=(400, 3))
    X[::2, 1] = np.nan
    d = distance_matrix.numbers(made.dataset(X))
    assert (d.n, len(d.D)) == (200, 200)
    assert set(d.rows.tolist()) == set(range(1, 400, 2))
    big = distance_matrix.distance_matrix(made.dataset(np.nan_to_num(X)))
    assert big.note.startswith("250 of 400 rows")
    with pytest.raises(DataError, match="two rows without missing values"):
        distance_matrix.numbers(made.dataset(X[:3:2]))


def test_it_is_offered_for_rows_and_not_for_fits(iris):
    assert "distance_matrix" in views_where(iris)
    names = made.dataset(np.zeros((3, 1)), kinds=(("nominal", ("a",)),))
    assert "distance_matrix" not in views_where(names)
