"""What is done a block of values at a time is what is done of all at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mlcore.maths.linear import DIFFERENCES, FEWEST, column_means, signed, turned_about
from mlcore.spine import checks
from mlcore.spine.errors import DataError


@pytest.mark.parametrize(("n", "p"), [(1, 3), (FEWEST, 200), (FEWEST + 1, 200), (DIFFERENCES, 3)])
def test_rows_turned_about_their_mean_by_blocks(n, p):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(n, p)) + 3.0, rng.normal(size=(2, p))
    mean = np.array([math.fsum(column) for column in X.T]) / n
    np.testing.assert_allclose(column_means(X), mean, rtol=1e-14)
    np.testing.assert_allclose(turned_about(X, mean, W), (X - mean) @ W.T, atol=1e-12)


@pytest.mark.parametrize("n", [1, checks.BLOCK - 1, checks.BLOCK, checks.BLOCK + 1])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e151])
def test_a_value_that_cannot_be_used_is_seen_wherever_it_lies(n, value):
    for at in {0, n // 2, n - 1}:
        X = np.ones((n, 1))
        checks.matrix(X, "The test")
        X[at] = value
        with pytest.raises(DataError, match=f"in row {at + 1}"):
            checks.matrix(X, "The test")


def test_of_entries_that_differ_by_rounding_the_first_is_made_positive():
    axes = np.array([[-0.5, 0.5 * (1 + 1e-12), 0.1], [0.2, -0.9, 0.8], [0.0, 0.0, 0.0]])
    wanted = [[0.5, -0.5, -0.1], [-0.2, 0.9, -0.8], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(signed(axes), wanted, rtol=1e-11)
    np.testing.assert_array_equal(signed(np.asfortranarray(axes)), signed(axes))
