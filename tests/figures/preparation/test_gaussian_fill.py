"""Missing values filled by a Gaussian, as a picture and turn by turn."""

from __future__ import annotations

import numpy as np
import pytest

from figures.view import views_of_steps
from figures.views.preparation import gaussian_fill
from mlcore.data.dataset import TableData
from mlcore.preparation.chain import prepare
from mlcore.preparation.gaussian_imputer import GaussianImputer
from mlcore.preparation.impute import Impute
from mlcore.spine.errors import DataError
from tests.figures import made

X = np.column_stack([np.arange(1.0, 9.0), [2.1, 3.9, 6.2, 7.8, *[np.nan] * 4]])


def prepared(values, step=GaussianImputer(tol=1e-12, ridge=1e-9, max_iter=5000)):  # noqa: B008
    """A data set and the step fitted to it."""
    data = made.dataset(values)
    return data, prepare((step,), data.X, None, data.columns)


def test_missing_values_lie_on_the_line_and_the_player_ends_where_the_picture_is():
    data, fitted = prepared(X)
    drawn = gaussian_fill.gaussian_fill(data, fitted)
    f = drawn.numbers
    np.testing.assert_allclose(f.filled[:, 1], [9.85, 11.79, 13.73, 15.67], atol=1e-3)
    np.testing.assert_array_equal(f.lacks, [[False, True]] * 4)
    assert drawn.player is not None
    played = drawn.player()
    assert (np.diff(played.objective) > -1e-9).all(), "the likelihood never falls"
    first, last = played.frames[0], played.frames[-1]
    np.testing.assert_allclose(first[1]["y"], 5.0)  # the first turn starts from the means
    np.testing.assert_allclose(last[1]["y"], f.filled[:, 1], atol=1e-6)
    np.testing.assert_allclose(last[2]["x"], f.ellipses[0][:, 0], atol=1e-6)
    assert "4 rows without x1 or x2" in drawn.reading


def test_it_is_a_picture_of_that_step_alone_and_of_two_columns():
    data, fitted = prepared(X)
    assert "gaussian_fill" in views_of_steps(fitted)
    assert "gaussian_fill" not in views_of_steps(prepared(X, Impute())[1])
    assert "gaussian_fill" not in views_of_steps(prepared(X[:4])[1]), "there are no missing values"
    with pytest.raises(DataError, match="No step of the preparation fills"):
        gaussian_fill.gaussian_fill(data, prepared(X, Impute())[1])
    with pytest.raises(DataError, match="needs two columns"):
        gaussian_fill.gaussian_fill(*prepared(X[:, 1:]))


def test_the_column_with_most_missing_values_stands_beside_the_one_that_tells_most_of_it():
    data = TableData(source="penguins").dataset({})
    fitted = prepare((GaussianImputer(),), data.X, None, data.columns)
    f = gaussian_fill.gaussian_fill(data, fitted).numbers
    assert f.names == ("bill_length_mm", "flipper_length_mm")
    assert f.n_incomplete == len(f.filled_rows) == 2
