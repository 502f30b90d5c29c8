"""Rows without target: held apart in the data set, for methods that take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.registry import made


def dataset(name, **decided):
    """A bundled data set with some decisions."""
    data: Any = made("data", name)
    return type(data)(source=data.source, **decided).dataset({})


def test_rows_without_target_are_held_apart():
    semi = dataset("students_semi")
    table = semi.table
    assert (semi.n, len(semi.unlabelled), table.n_rows) == (15, 285, 300)
    every = np.concatenate([semi.rows, semi.unlabelled_rows])
    np.testing.assert_array_equal(np.sort(every), np.arange(300))
    columns = np.column_stack([table.column(c.name).values for c in semi.columns])
    np.testing.assert_array_equal(semi.unlabelled, columns[semi.unlabelled_rows])
    assert np.isnan(table.column("wrestler").values[semi.unlabelled_rows]).all()
    assert not semi.unlabelled.flags.writeable
    assert semi.notes[0].startswith("285 rows have no wrestler: they are never scored")


def test_rows_that_are_left_out_are_left_out_without_target_too():
    kept, complete = dataset("airquality"), dataset("airquality", drop=("incomplete",))
    incomplete = np.isnan(kept.unlabelled).any(axis=1)
    assert 0 < incomplete.sum() < len(incomplete)
    np.testing.assert_array_equal(complete.unlabelled, kept.unlabelled[~incomplete])
    np.testing.assert_array_equal(complete.X, kept.X[~np.isnan(kept.X).any(axis=1)])


def test_a_table_whose_rows_all_have_a_target_has_none():
    assert dataset("iris").unlabelled is None
    assert dataset("airquality", target=None).unlabelled is None
