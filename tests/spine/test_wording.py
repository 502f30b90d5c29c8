"""Words for texts that stand beside each other."""

from __future__ import annotations

import pytest

from mlcore.data.dataset import TableData
from mlcore.runs.labels import value_in_words
from mlcore.spine.params import params_of
from mlcore.spine.wording import (
    adding_up,
    deviation,
    estimated,
    number,
    percent,
    rough,
    rough_beside,
    rough_value,
    seconds,
    shortened,
    typeset,
    with_formulas,
)

LONG = ", ".join(f"column {k}" for k in range(40))


def test_long_texts_are_cut_about_the_place_where_they_differ():
    before, after = shortened((f"{LONG}, age", f"{LONG}, pay, {LONG}"), 60)
    assert "age" in before and "pay" in after
    assert before.startswith("…") and after.startswith("…") and after.endswith("…")
    assert len(before) <= len(after) == 60


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (("short", "shore"), ["short", "shore"]),
        (("", "x" * 9), ["", "xxxx…"]),
        (("a" * 9, "b"), ["aaaa…", "b"]),
        (("a" * 9, "a" * 9 + "b"), ["…aaa", "…aaab"]),
        ((), []),
    ],
)
def test_what_is_short_empty_or_alone_keeps_its_beginning(texts, shown):
    assert shortened(texts, 5) == shown


def test_a_digest_takes_no_room_from_the_name_behind_it():
    texts = (f"Uploaded table, digest {'c1' * 32}, name survey.csv", "Iris")
    assert shortened(texts, 80)[0] == "Uploaded table, digest c1c1c1c1c1c1…, name survey.csv"


def test_pairs_are_told_as_pairs():
    roles = params_of(TableData)["roles"]
    assert value_in_words(roles, (("age", "ignore"), ("pay", "feature"))) == (
        "age: ignore, pay: feature"
    )
    assert value_in_words(roles, ()) == "none"


@pytest.mark.parametrize(
    ("span", "told"),
    [(0.0061, "6 ms"), (0.9996, "1.0 s"), (1.24, "1.2 s"), (59.94, "59.9 s"), (59.96, "1 min"),
     (119.6 * 60, "2 h"), (47.6 * 3600, "2 days"), (180, "3 min"), (7_100, "118 min"),
     (18_000, "5 h"), (3_456_000, "40 days"), (1e9, "11,574 days"), (1e12, "over 1,000 years"),
     (float("inf"), "over 1,000 years")],
)  # fmt: skip
def test_a_time_span_is_told_in_a_unit_that_fits_it(span, told):
    assert seconds(span) == told


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rows. O(n^2 p) and more.", r"rows. $O(n^{2} p)$ and more."),
        ("O(n (k + q)^2).", r"$O(n (k + q)^{2})$."),
        ("O(n\nlog n)", r"$O(n \log n)$"),
        ("O(folds) fits, few steps of p^3", r"$O(\text{folds})$ fits, few steps of $p^{3}$"),
        ("known $O(n^2)$ and `x^2` stay", "known $O(n^2)$ and `x^2` stay"),
    ],
)
def test_orders_of_growth_are_set_as_formulas(text, shown):
    assert with_formulas(text) == shown


@pytest.mark.parametrize(
    ("value", "spread", "told"),
    [(-4.44e-16, 1.0, "0.0"), (4.44e-16, None, "4.44·10⁻¹⁶"), (3e-5, 1e-4, "3·10⁻⁵"),
     (0.123456, 0.5, "0.12"), (0.0, 0.0, "0.00"),
     (8.77e-4, 2.8e-3, "0.0009"), (4e-4, 0.5, "0.0004"),
     (6.48e-4, 6.48e-4, "0.00065"), (-7.24e-4, 6.48e-4, "−0.00072"), (6.48e-4, None, "0.000648")],
)  # fmt: skip
def test_a_number_that_is_rounding_beside_its_spread_is_nothing(value, spread, told):
    assert rough(value, spread) == told


@pytest.mark.parametrize(
    ("value", "spread", "told"),
    [(-26758.2, None, "−26,758"), (12345.6, 20.0, "12,346"), (1011.3, None, "1,011"),
     (999.7, None, "1,000"), (1234.5, 0.12, "1,234.50")],
)  # fmt: skip
def test_a_long_number_has_its_thousands_apart(value, spread, told):
    assert rough(value, spread) == told


@pytest.mark.parametrize(
    ("value", "told"), [(1987.0, "1987"), (-1987.2, "−1987"), (9999.7, "10,000"), (3.5, "3.50")]
)
def test_a_value_of_a_column_may_be_a_year(value, told):
    assert rough_value(value) == told


@pytest.mark.parametrize(
    ("sd", "mean", "told"),
    [(4.532, 54.16, "4.53"), (6.66e-4, 0.996, "0.001"), (4e-4, 0.996, "0.0004"),
     (0.0, 0.5, "0.000"),
     (0.01, 0.985, "0.010"), (2.04e-5, 77.03, "0.00002"), (3e-9, 1.0, "3.00·10⁻⁹"),
     (1234.5, 26758.0, "1,234"), (float("nan"), 1.0, "–"), (0.2, float("nan"), "0.200"),
     (3.0, 1.5e7, "3.000"), (1e299, 1e300, "1.00·10²⁹⁹"), (1e9, 5.0, "1.00·10⁹")],
)  # fmt: skip
def test_a_deviation_has_the_digits_of_its_mean(sd, mean, told):
    assert deviation(sd, mean) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.747, "750 ms"), (21.7, "22 s"), (5.04, "5 s"), (7.34, "7.3 s"), (0.0123, "12 ms"),
     (61.0, "1 min"), (0.998, "1 s")],
)  # fmt: skip
def test_an_estimate_has_two_digits(value, told):
    assert estimated(value) == told


def test_a_sentence_and_a_table_set_the_same_thousands_apart():
    for value in (1011.3, 26758.2, 4321.0):
        assert rough(value) == number(value)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (1160.0, "1,160"),
        (26800.0, "26,800"),
        (3.2e5, "320,000"),
        (4e6, "4·10⁶"),
        (1.5e-6, "1.5·10⁻⁶"),
    ],
)
def test_what_python_writes_with_an_e_has_its_digits_below_a_million(value, told):
    assert typeset(f"not above {value:.3g}.") == f"not above {told}."


@pytest.mark.parametrize(
    ("value", "size", "told"), [(1e-10, 0.7, "0.00"), (-8e-16, 22.4, "0.00"), (0.01, 1.0, "0.0100")]
)
def test_beside_a_larger_number_what_cannot_be_seen_is_nothing(value, size, told):
    assert rough_beside(value, size) == told


@pytest.mark.parametrize(
    ("parts", "texts", "total"),
    [((5.7449, 2.9449), ["5.745", "2.945"], "8.690"), ((5.74, 2.94), ["5.74", "2.94"], "8.68"),
     ((0.00295, -0.0036, 0.00578), ["0.00295", "−0.00360", "0.00578"], "0.00513"),
     ((0.0, 0.0), ["0.00", "0.00"], "0.00"), ((1500.4, 2500.4), ["1,500.4", "2,500.4"], "4,000.8"),
     ((1e-17, -1e-17, 0.25), ["0.000", "0.000", "0.250"], "0.250")],
)  # fmt: skip
def test_what_is_read_adds_up(parts, texts, total):
    assert adding_up(parts) == (texts, total)


def test_a_share_of_next_to_nothing_may_begin_a_sentence():
    few = percent(1e-6)
    assert typeset(f"It ends. {few} of them, {few} of all.") == (
        "It ends. Under 0.01 % of them, under 0.01 % of all."
    )
