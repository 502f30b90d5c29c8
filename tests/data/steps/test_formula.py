"""Formulas: what they give, what they refuse and where, and that nothing hostile gets through."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.steps.formula import LONGEST, FormulaError, names_in, read, truths, worked_out
from mlcore.data.steps.formula.reading import DEEPEST
from mlcore.data.table import Table, coded, numeric

nan = np.nan
DAYS = [19723.0, 19782.25, nan, 19843.0]  # 2024-01-01 Monday, 2024-02-29 06:00, 2024-04-30
TABLE = Table.of(
    numeric("x", [1, 2, nan, 4]),
    numeric("a b", [10, 20, 30, 40]),
    coded("city", ["Bonn", "Ulm", "", "bonn"]),
    coded("grade", ["low", "high", "low", "mid"], "ordinal", ("low", "mid", "high")),
    coded("flag", ["0", "1", "1", ""], "binary"),
    numeric("day", DAYS, "datetime"),
)


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("x + 2 * `a b`", [21, 42, nan, 84]),
        ("-2 ^ 2", -4),
        ("2 ^ 3 ^ 2", 512),
        ("2 ^ -1", 0.5),
        ("(1 + 2) * 3 - 4 / 2", 7),
        ("1 - 2 - 3", -4),
        ("x / (x - 1)", [nan, 2, nan, 4 / 3]),
        ("log(x - 2)", [nan, nan, nan, np.log(2)]),
        ("round(2.5)", 3),
        ("round(-2.345, 2)", -2.35),
        ("min(x, 3, `a b`)", [1, 2, nan, 3]),
        ("max(x, 3)", [3, 3, nan, 4]),
        ("x > 1 and x < 4", [0, 1, nan, 0]),
        ("missing(x) or x = 1", [1, 0, 1, 0]),
        ("not x = 1", [0, 1, nan, 1]),
        ("x > 1 or `a b` > 25", [0, 1, 1, 1]),
        ("if(x >= 2, x * 10, 0 - 1)", [-1, 20, nan, 40]),
        ("flag + 1", [1, 2, 2, nan]),
        ("flag and x > 0", [0, 1, nan, nan]),
        ('city = "Bonn"', [1, 0, nan, 0]),
        ("lower(city) = 'bonn'", [1, 0, nan, 1]),
        ("contains(city, 'onn')", [1, 0, nan, 1]),
        ("length(city)", [4, 3, nan, 4]),
        ("grade >= 'mid'", [0, 1, 0, 1]),
        ("year(day)", [2024, 2024, nan, 2024]),
        ("month(day)", [1, 2, nan, 4]),
        ("day(day)", [1, 29, nan, 30]),
        ("weekday(day)", [1, 4, nan, 2]),
        ("hour(day)", [0, 6, nan, 0]),
        ("day > '2024-02-01'", [0, 1, nan, 1]),
        ("day - date('2024-01-01')", [0, 59.25, nan, 120]),
        ("1 / 0", nan),
        ("sqrt(-1)", nan),
        ("1e308 * 10", nan),
    ],
)
def test_what_a_formula_gives(formula, values):
    got = np.broadcast_to(worked_out(formula, TABLE).values, (4,))
    np.testing.assert_allclose(got, np.broadcast_to(values, (4,)))


@pytest.mark.parametrize(
    ("formula", "at", "says"),
    [
        ("x + * 3", 4, "expected"),
        ("x +", 3, "the end"),
        ("(x + 1", 6, "not closed"),
        ("wieght + 1", 0, "no column"),
        ("1 + City", 4, "did you mean 'city'"),
        ("lgo(x)", 0, "did you mean 'log'"),
        ("log(x, 2)", 0, "takes 1"),
        ("x $ 2", 2, "means nothing"),
        ("'abc", 0, "never closed"),
        ("1 < x < 3", 6, "Join them by and"),
        ("city + 1", 0, "a number is expected"),
        ("x = 'a'", 2, "cannot be compared"),
        ("city < 'a'", 5, "by = and !="),
        ("if(x > 1, 1, 'a')", 0, "both must be alike"),
        ("day > 'soon'", 6, "no date"),
        ("x y", 2, "operator"),
        ("x > 2,5", 5, "Write the decimal mark of a number as a point"),
        ("", 0, "expected"),
    ],
)
def test_errors_point_to_their_place(formula, at, says):
    with pytest.raises(FormulaError) as error:
        worked_out(formula, TABLE)
    assert error.value.at == at
    assert says in str(error.value)
    assert str(error.value).endswith((".", "?"))


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os').system('true')", "().__class__.__bases__", "x.__class__",
        "[x for x in x]", "lambda: 0", "open('/etc/passwd')", "x; y", "x := 3", "globals()",
        "`x`.values", "eval('1')", "(" * 400 + "x", "-" * 400 + "x", "not " * 120 + "x",
        "^".join(["9"] * 240), "f(" * 100, "1" * (LONGEST + 1), "+".join(["x"] * 240), "\x00",
        "x\n\x00+1", "`" * 99, "'" * 99,
    ],
)  # fmt: skip
def test_hostile_formulas_are_refused_in_a_sentence(formula):
    with pytest.raises(FormulaError) as error:
        worked_out(formula, TABLE)
    assert str(error.value).endswith((".", "?"))


def test_any_letters_give_values_or_a_sentence():
    """Nothing but a FormulaError comes of letters, marks and names thrown together."""
    rng = np.random.default_rng(0)
    words = [
        "x", "`a b`", "city", "day", "flag", "grade", "log", "if", "min", "date", "contains", "(",
        ")", ",", "+", "-", "*", "/", "^", "<", "=", "and", "or", "not", "1", ".5", "'a'", "1e999",
        "year", "lower", "round", "missing", "true",
    ]  # fmt: skip
    worked = 0
    for _ in range(4000):
        formula = " ".join(rng.choice(words, rng.integers(1, 9)))
        try:
            values = worked_out(formula, TABLE).values
        except FormulaError:
            continue
        worked += 1
        assert values.dtype == np.float64
        assert values.shape in ((1,), (4,))
    assert worked > 100


def test_what_lies_inside_each_other_is_bounded():
    assert worked_out("(" * (DEEPEST - 1) + "1" + ")" * (DEEPEST - 1), TABLE).values == 1
    with pytest.raises(FormulaError, match="inside each other"):
        read("(" * DEEPEST + "1" + ")" * DEEPEST)


def test_the_columns_of_a_formula_are_known_before_it_is_worked_out():
    assert names_in(read("log(x) + `a b` * if(x > 1, y, 'z')")) == ("x", "a b", "y")


def test_a_condition_gives_yes_or_no():
    assert truths("x > 1", TABLE).tolist()[:2] == [0, 1]
    with pytest.raises(FormulaError, match="not yes or no"):
        truths("x + 1", TABLE)
