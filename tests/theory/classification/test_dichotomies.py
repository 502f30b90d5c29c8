"""How many labelings of points a hyperplane can part, by counting and by Cover's formula."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.separability import count_dichotomies, cover_count
from mlcore.spine.errors import DataError, ParamError


def test_golden_shares_of_points_in_the_plane():
    shares = [cover_count(n, 3) / 2**n for n in range(4, 11)]
    golden = [14 / 16, 0.6875, 0.5, 0.3438, 0.2266, 0.1445, 0.0898]
    np.testing.assert_allclose(shares, golden, atol=5e-5)
    assert cover_count(12, 5) / 2**12 == pytest.approx(0.274, abs=5e-4)


def test_half_are_parted_where_points_are_twice_the_weights_and_all_where_they_are_as_many():
    for d in range(1, 9):
        assert cover_count(2 * d, d) == 2 ** (2 * d - 1)
        assert cover_count(d, d) == 2**d


def test_fourteen_of_sixteen_gates_are_parted():
    assert count_dichotomies([[0, 0], [0, 1], [1, 0], [1, 1]]) == 14


@pytest.mark.parametrize(("n", "p"), [(5, 1), (5, 2), (6, 3)])
def test_points_in_general_position_are_counted_by_the_formula(n, p):
    X = np.random.default_rng(n + p).normal(size=(n, p))
    assert count_dichotomies(X) == cover_count(n, p + 1)


def test_points_on_a_line_have_fewer():
    line = np.column_stack([np.arange(5.0), 2 * np.arange(5.0)])
    assert count_dichotomies(line) == cover_count(5, 2) < cover_count(5, 3)


def test_what_cannot_be_counted_is_said():
    with pytest.raises(DataError, match="at most 12 rows"):
        count_dichotomies(np.zeros((13, 1)))
    with pytest.raises(ParamError, match="got 0 and 3"):
        cover_count(0, 3)
