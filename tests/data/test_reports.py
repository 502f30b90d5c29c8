"""What is said of a table: what is missing, codes, order, leaks, kinds, raters, and chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mlcore.data import bundled
from mlcore.data.codes import integer_codes
from mlcore.data.describing.chance import chance_correlation
from mlcore.data.describing.labels import decode_labels, encode_labels
from mlcore.data.describing.moments import distance_shares
from mlcore.data.describing.ratings import consensus_labels
from mlcore.data.leaks import leak_scores
from mlcore.data.missing import drop_incomplete, missing_report, recode_sentinels
from mlcore.data.proposed_roles import infer_schema
from mlcore.data.row_order import row_order_report
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator
from tests.contract.subjects import is_sentence

NAN = np.nan
INCOMPLETE = Table.of(
    numeric("a", [1.0, NAN, NAN, 4.0, 5.0]),
    numeric("b", [1.0, NAN, NAN, NAN, 5.0]),
    numeric("c", [1.0, 2.0, 3.0, 4.0, 5.0]),
)


def test_missing_values_are_counted_by_column_and_by_pattern():
    found = missing_report(INCOMPLETE)
    assert found.counts == {"a": 2, "b": 3}
    assert dict(found.patterns) == {(): 2, ("a", "b"): 2, ("b",): 1}
    assert sum(pattern.rows for pattern in found.patterns) == INCOMPLETE.n_rows
    assert found.codes == {}


def test_a_code_far_outside_is_a_candidate_and_can_be_read_as_missing():
    ages = np.append(np.linspace(20, 60, 30), [-99.0, -99.0])
    table = Table.of(numeric("age", ages), coded("town", ["x", "y"] * 16))
    assert missing_report(table).codes == {"age": (-99.0,)}
    read = recode_sentinels(table, "age", -99.0)
    assert read.missing == {"age": 2, "town": 0}
    assert missing_report(read).codes == {}
    assert table.missing["age"] == 0


def test_complete_rows_are_kept_and_the_others_named():
    found = drop_incomplete(INCOMPLETE)
    assert found.kept.tolist() == [0, 4]
    assert found.lost.tolist() == [1, 2, 3]
    assert found.table.missing == {"a": 0, "b": 0, "c": 0}
    assert drop_incomplete(INCOMPLETE, "a").lost.tolist() == [1, 2]
    assert drop_incomplete(INCOMPLETE, "c").table.n_rows == 5


def test_few_whole_numbers_may_be_names():
    codes = numeric("k", np.arange(60) % 3, "count")
    many = numeric("m", np.arange(60) % 30, "count")
    assert integer_codes(Table.of(codes, many)) == {"k": (0.0, 1.0, 2.0)}


def test_iris_is_told_by_petals_and_given_away_by_the_row_number():
    table = bundled.load("iris")
    y = np.array(table.column(bundled.entry("iris").target).texts())
    X = np.column_stack([table.matrix(*table.names[:4]), np.arange(150)])
    found = leak_scores(X, y)
    np.testing.assert_allclose(
        np.sort(found.accuracy)[::-1], [1.0, 0.96, 0.9533, 0.7467, 0.5933], atol=1e-4
    )
    assert found.suspicious.tolist() == [False] * 4 + [True]
    assert (found.chance < found.accuracy).all()


def test_with_few_rows_chance_separates_too():
    X = generator(0, "noise").normal(size=(6, 3))
    found = leak_scores(X, [0, 1, 0, 1, 0, 1])
    assert not found.suspicious.any()
    assert (found.chance == 1.0).all()


def test_chance_depends_on_ties_alone_and_a_constant_has_none():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [18, 12])
    X = np.column_stack([rng.normal(size=30), rng.exponential(size=30), np.ones(30)])
    X = np.column_stack([X, np.round(X[:, 0])])
    chance = leak_scores(X, y).chance
    assert chance[0] == chance[1] >= chance[3] >= chance[2]
    assert chance[1] > 0.6 == chance[2]


@pytest.mark.parametrize(
    ("y", "how"),
    [
        (np.repeat([0, 1, 2], 20), "sorted"),
        (np.tile(np.repeat([0, 1], 20), 4), "blocked"),
        (generator(1, "order").permutation(np.repeat([0, 1], 40)), "independent"),
        (np.arange(40.0)[::-1], "sorted"),
        (np.sin(np.arange(80) / 5), "autocorrelated"),
        (generator(0, "order").normal(size=80), "independent"),
        (["b", "b", "a", "a"], "sorted"),
    ],
)
def test_the_order_of_rows(y, how):
    assert row_order_report(y) == how


def test_kinds_and_roles_of_penguins_have_reasons():
    found = infer_schema(bundled.load("penguins"))
    assert found["species"].role.value == "target"
    assert found["species"].levels == ("Adelie", "Chinstrap", "Gentoo")
    assert found["body_mass_g"].role.value == "feature"
    assert all(is_sentence(it.kind.reason) and is_sentence(it.role.reason) for it in found.values())


def test_raters_agree_on_a_mean_or_a_majority():
    ratings = [[1, 1, 4], [2, 2, NAN], [3, 5, NAN]]
    found = consensus_labels(ratings)
    np.testing.assert_allclose(found.labels, [2, 2, 4])
    np.testing.assert_allclose(found.disagreement, [np.sqrt(2), 0, 1])
    found = consensus_labels(ratings, "majority")
    assert found.labels.tolist() == [1, 2, 3]
    np.testing.assert_allclose(found.disagreement, [1 / 3, 0, 1 / 2])
    named = consensus_labels([["b", "b", "a"], ["c", None, "a"]], "majority")
    assert named.labels.tolist() == ["b", "a"]
    np.testing.assert_allclose(named.disagreement, [1 / 3, 1 / 2])
    assert consensus_labels([[3, None, 3]], "majority").labels.tolist() == [3]


@pytest.mark.parametrize(
    ("coding", "values"),
    [
        ("from_zero", [1, 0, 1]),
        ("from_one", [2, 1, 2]),
        ("signs", [1, -1, 1]),
        ("indicator", [[0, 1], [1, 0], [0, 1]]),
    ],
)
def test_labels_become_numbers_and_come_back(coding, values):
    found = encode_labels(["yes", "no", "yes"], coding)
    assert found.values.tolist() == values
    assert decode_labels(found.values, found.classes, coding).tolist() == ["yes", "no", "yes"]


def test_chance_correlations_have_the_numbers_of_two_thousand_columns():
    found = chance_correlation(20, 2000, level=0.995)
    assert found.mean == pytest.approx(0.72325, abs=5e-6)  # an adaptive rule says the same
    assert found.low == pytest.approx(0.63, abs=0.002)  # of the largest and the least of 200 draws
    assert found.high == pytest.approx(0.86, abs=0.002)


@pytest.mark.parametrize("n", [1000, 10**6, 10**12])
def test_a_chance_correlation_of_many_rows_is_that_of_a_normal_number(n):
    assert chance_correlation(n, 1).mean == pytest.approx(np.sqrt(2 / np.pi / n), rel=1 / n + 1e-6)


def test_one_chance_correlation_follows_the_test_of_a_correlation():
    found = chance_correlation(10, 1, level=0.9)
    t = found.high * np.sqrt(8 / (1 - found.high**2))
    assert 2 * stats.t.sf(t, 8) == pytest.approx(0.05)


def test_chance_correlations_are_those_of_drawn_noise():
    rng = generator(0, "chance")
    Z = rng.normal(size=(400, 15, 30))
    Z -= Z.mean(axis=1, keepdims=True)
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    y = np.append(1.0, -np.full(14, 1 / 14))
    largest = np.abs(np.einsum("bnd,n->bd", Z, y / np.linalg.norm(y))).max(axis=1)
    found = chance_correlation(15, 30, level=0.8)
    assert largest.mean() == pytest.approx(found.mean, abs=0.02)
    assert ((largest > found.low) & (largest < found.high)).mean() == pytest.approx(0.8, abs=0.06)


def test_the_largest_unit_has_the_largest_share():
    np.testing.assert_allclose(distance_shares([[0, 0], [3, 1]]), [0.9, 0.1])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: drop_incomplete(Table.of(numeric("a", [NAN, NAN]))),
        lambda: drop_incomplete(INCOMPLETE, "z"),
        lambda: recode_sentinels(Table.of(coded("t", ["a", "b"])), "t", 0.0),
        lambda: leak_scores([[1.0], [2.0]], [1, 1]),
        lambda: leak_scores([[NAN], [2.0]], [1, 2]),
        lambda: row_order_report([1.0]),
        lambda: row_order_report([1.0, NAN]),
        lambda: consensus_labels([[1.0, NAN], [NAN, NAN]]),
        lambda: consensus_labels([[1.0]], "median"),
        lambda: encode_labels([1, 2], "one_hot"),
        lambda: encode_labels([1, 2, 3], "signs"),
        lambda: decode_labels([3], ["a", "b"]),
        lambda: decode_labels([[1, 1]], ["a", "b"], "indicator"),
        lambda: decode_labels([[1], [0]], ["a", "b"]),
        lambda: chance_correlation(2, 5),
        lambda: chance_correlation(5, 5, level=1.0),
        lambda: distance_shares([[1.0], [1.0]]),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong):
    with pytest.raises((DataError, ParamError)) as caught:
        wrong()
    assert is_sentence(str(caught.value))
