"""One-hot encoding of more rows than are written at a time."""

from __future__ import annotations

import numpy as np

from mlcore.preparation.one_hot import ROWS, OneHot
from mlcore.spine.fit import Column


def test_rows_that_are_written_in_several_goes_are_those_of_each_alone():
    columns = (
        Column("age", "number", (), "age"),
        Column("town", "nominal", tuple("abc"), "town"),
        Column("answer", "nominal", tuple("vwxyz"), "answer"),
    )
    rng, n = np.random.default_rng(0), 2 * ROWS + 7
    codes = np.column_stack([rng.integers(0, 3, n), rng.integers(0, 5, n)]).astype(float)
    codes[::50, 1] = np.nan
    X = np.column_stack([rng.normal(size=n), codes])
    fit = OneHot().fit(X, columns=columns)
    Z = fit.transform(X)
    for at in (0, ROWS - 1, ROWS, 2 * ROWS, n - 1):
        np.testing.assert_array_equal(fit.transform(X[at : at + 1])[0], Z[at])
    np.testing.assert_array_equal(Z[:, 1:4], codes[:, :1] == np.arange(3))
    assert Z.shape == (n, 1 + 3 + 6) and (Z[:, 1:].sum(axis=1) == 2).all()
    np.testing.assert_array_equal(fit.inverse_transform(Z), X)
