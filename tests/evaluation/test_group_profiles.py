"""What sets groups apart: shares, scores and words by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from mlcore.evaluation.group_profiles import plain_name, profiles, words
from mlcore.spine.fit import Column

LENGTH, ISLAND = Column("bill_length_mm"), Column("island", "nominal", ("Biscoe", "Dream"))


def one(values, column, labels):
    (trait,) = profiles(np.array(values, float)[:, None], (column,), np.array(labels))
    return trait


def test_a_column_of_numbers_by_hand():
    trait = one([0, 2, 10, 12], LENGTH, [0, 0, 1, 1])
    sd = np.sqrt(26)  # of 0, 2, 10, 12 about 6
    np.testing.assert_allclose(trait.means, [1, 11])
    np.testing.assert_allclose(trait.scores, np.array([-5, 5]) / sd)
    np.testing.assert_allclose(trait.spreads, np.array([1, 1]) / sd)
    assert trait.share == pytest.approx(100 / 104)
    assert words((trait,), 0) == (("short bill", pytest.approx(-5 / sd)),)
    assert words((trait,), 1)[0][0] == "long bill"


def test_a_column_of_names_tells_the_level_that_stands_out():
    codes, labels = [0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]
    trait = one(codes, ISLAND, labels)
    assert trait.levels == ("Biscoe", "Dream")
    np.testing.assert_allclose(trait.means, [0.75, 1.0])
    sd = np.sqrt(3 / 8 * 5 / 8)
    np.testing.assert_allclose(trait.scores, [(0.75 - 3 / 8) / sd, (1 - 5 / 8) / sd])
    # Of two levels tau is chi squared over n.
    table = np.array([[3, 1], [0, 4]])
    chi_squared = chi2_contingency(table, correction=False)[0]
    assert trait.share == pytest.approx(chi_squared / 8)
    assert words((trait,), 0)[0][0] == "island Biscoe"


def test_noise_is_the_last_group_and_has_no_part_in_the_share():
    trait = one([0, 2, 10, 12, 1000], LENGTH, [0, 0, 1, 1, -1])
    assert trait.share == pytest.approx(100 / 104)
    assert trait.means[-1] == 1000


def test_missing_values_and_constant_columns():
    assert profiles(np.ones((4, 1)), (LENGTH,), np.array([0, 0, 1, 1])) == ()
    trait = one([0, 2, np.nan, np.nan], LENGTH, [0, 0, 1, 1])
    assert np.isnan(trait.scores[1])
    assert words((trait,), 1) == ()


def test_columns_come_by_their_share_and_words_by_their_strength():
    X = np.array([[0, 0], [1, 5], [0, 10], [1, 11.0]])
    weak, strong = Column("price"), Column("age")
    traits = profiles(X, (weak, strong), np.array([0, 0, 1, 1]))
    assert [t.column.name for t in traits] == ["age", "price"]
    assert [what for what, _ in words(traits, 1)] == ["old"]


@pytest.mark.parametrize(
    ("name", "plain"),
    [("bill_length_mm", "bill length"), ("Body mass", "Body mass"), ("x1", "x1"), ("m", "m")],
)
def test_names_in_the_habit_of_code_are_read_as_words(name, plain):
    assert plain_name(name) == plain
