"""Normalisation of rows: the reference, the cosine, and extreme rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import Normalizer as Peer

from mlcore.preparation.normalizer import Normalizer
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

NORMS = ["l1", "l2", "max"]


def rows() -> np.ndarray:
    X = np.random.default_rng(0).normal(size=(50, 6)) * np.logspace(-3, 3, 50)[:, None]
    X[4] = 0
    return X


@pytest.mark.parametrize("norm", NORMS)
def test_rows_are_those_of_the_reference(norm):
    X = rows()
    wanted = Peer(norm=norm).fit_transform(X)
    np.testing.assert_allclose(Normalizer(norm=norm).fit(X).transform(X), wanted, rtol=1e-12)


@pytest.mark.parametrize("norm", NORMS)
def test_row_by_row_equals_all_at_once_and_other_rows_teach_nothing(norm):
    X = rows()
    fit, other = Normalizer(norm=norm).fit(X), Normalizer(norm=norm).fit(X[:3] + 1e6)
    one_by_one = np.vstack([other.transform(row[None]) for row in X])
    np.testing.assert_array_equal(fit.transform(X), one_by_one)


def test_products_are_cosines_and_distances_follow():
    Z = Normalizer().fit(rows()).transform(np.array([[3.0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]]))
    assert Z[0] @ Z[1] == pytest.approx(np.sqrt(0.5))
    assert ((Z[0] - Z[1]) ** 2).sum() == pytest.approx(2 - 2 * np.sqrt(0.5))


@pytest.mark.parametrize("norm", NORMS)
def test_a_row_of_zeros_stays_and_tiny_rows_do_not_vanish(norm):
    X = np.array([[0.0, 0.0], [1e-200, -1e-200], [1e-320, 1e-320]])
    Z = Normalizer(norm=norm).fit(X).transform(X)
    each = {"l1": 0.5, "l2": np.sqrt(0.5), "max": 1.0}[norm]
    np.testing.assert_allclose(Z, [[0, 0], [each, -each], [each, each]], rtol=1e-9)


def test_names_are_refused():
    column = Column("from", "nominal", ("CH", "DE"))
    with pytest.raises(DataError, match="column from holds names"):
        Normalizer().fit([[0.0], [1.0]], columns=(column,))
