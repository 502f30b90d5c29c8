"""Findings: each trouble is found and named, clean data has none, and it is quick."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

from mlcore.data import audit as audit_module
from mlcore.data import bundled, leaks, schema
from mlcore.data.audit import audit
from mlcore.data.findings import HARM, rows_text
from mlcore.data.table import ColumnData, Table, coded, numeric
from mlcore.regression.inference import vif
from mlcore.spine.errors import DataError

N = 200
RNG = np.random.default_rng(1)
X, Z = numeric("x", RNG.normal(size=N)), numeric("z", RNG.normal(size=N))
Y = coded("y", RNG.choice(["u", "v"], N), "binary")
CLEAN = Table.of(X, Z, Y)


def found(table: Table, target: str | None = None) -> dict[str, str]:
    """Titles of the findings, with the column."""
    return {f.title: f.column for f in audit(table, target)}


def with_column(column: ColumnData) -> Table:
    return Table.of(*CLEAN.columns, column)


def test_clean_data_has_no_findings():
    assert audit(CLEAN) == audit(CLEAN, "y") == ()


def without(values, *rows) -> np.ndarray:
    values = np.array(values, dtype=float)
    values[list(rows)] = np.nan
    return values


COLUMNS = [
    ("Constant", numeric("c", np.full(N, 7.0), "constant"), "is 7 in every row", "ignore"),
    ("Nearly constant", numeric("c", np.arange(N) == 3.0),
     "is 0 in all but 1 row. Standardised", "ignore"),
    ("No values", numeric("c", np.full(N, np.nan)), "has no value in any row", "ignore"),
    ("Names the rows", coded("c", [f"w{i}" for i in range(N)], "identifier"), "another value",
     "ignore"),
    ("Missing values", numeric("c", without(RNG.normal(size=N), 11, 39, 76, 100, 101)),
     "has 5 missing values in 200 rows (2 %): rows 12, 40, 77 and 2 more.", "impute"),
    ("Missing values", numeric("c", without(RNG.normal(size=N), *range(90))),
     "has 90 missing values in 200 rows (45 %)", "ignore"),
    ("A code for missing?", numeric("c", np.where(np.arange(N) % 50, RNG.uniform(1, 2, N), -999)),
     "is -999 in 4 rows, far from all other values", "-999"),
    ("A code for missing?", numeric("c", np.where(np.arange(N) % 50, RNG.uniform(50, 60, N), 0)),
     "is 0 in 4 rows", "0"),
    ("Integer-coded columns", numeric("c", RNG.integers(1, 5, N), "count"),
     "holds only the whole numbers 1, 2, 3, 4", "nominal"),
    ("Values seen once", coded("c", ["a"] * 99 + ["b"] * 99 + ["odd", "rare"]),
     "has 2 values in a single row: odd and rare.", None),
    ("Text", coded("c", [f"no. {i % 9} of nine" for i in range(N)], "text"),
     "With the role feature its words are counted", "feature"),
    ("Duplicate column", numeric("c", X.values), "is the same as column 'x'", "ignore"),
    ("Units differ", numeric("c", 1000 * RNG.normal(size=N)), "99.99 % of the squared",
     "standardise"),
    ("Same but for the scale", numeric("c", 1 - X.values + Z.values / 100),
     "what column 'x' says, but for its scale: their correlation is -0.99", "ignore"),
    ("Ordered in time", numeric("c", np.arange(N) / 3, "datetime"), "follow column 'c' in time",
     "order"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "column", "sentence", "fix"), COLUMNS)
def test_a_trouble_of_a_column_is_found_and_named(title, column, sentence, fix):
    # A code for a missing value is so far away that it also makes a unit of its own.
    findings = [f for f in audit(with_column(column), "y") if f.title != "Units differ"]
    findings = findings or list(audit(with_column(column), "y"))
    assert [(f.title, f.column) for f in findings] == [(title, "c")]
    assert sentence in findings[0].sentence
    assert (findings[0].fix[2] if findings[0].fix else None) == fix


def test_codes_inside_the_range_are_no_sentinels():
    values = np.where(np.arange(N) % 50, RNG.uniform(-200, 200, N), 99)
    assert "A code for missing?" not in found(with_column(numeric("c", values)))


def test_columns_that_follow_from_others_are_named_with_their_inflation():
    table = bundled.load("diabetes")
    finding = next(f for f in audit(table, "progression") if f.title == "Follows from the others")
    inflation = vif(table.matrix(*(name for name in table.names if name != "progression")))
    assert f"inflation is {inflation.max():.0f})" in finding.sentence
    assert (finding.column, finding.fix) == ("s1", ("role", "s1", "ignore"))
    whole = numeric("c", X.values + Z.values)
    sums = [f for f in audit(with_column(whole)) if f.title == "Follows from the others"]
    assert "is a sum of other columns, so that" in sums[0].sentence
    few = Table.of(*(numeric(f"x{j}", RNG.normal(size=12)) for j in range(9)))
    assert "Follows from the others" not in found(few), "chance makes sums where rows are few"


def test_duplicate_rows_are_named():
    table = CLEAN.take([*range(N), 5, 9])
    finding = audit(table)[0]
    assert finding.sentence.startswith("Rows 201, 202 repeat an earlier row.")
    assert finding.fix == ("drop", "", "duplicates")
    # Missing values are equal to each other, zero to minus zero.
    twins = Table.of(numeric("a", [np.nan, 0.0, np.nan, -0.0, 1.0]))
    sentences = [f.sentence for f in audit(twins) if f.title == "Duplicate rows"]
    assert [s.split(" an ")[0] for s in sentences] == ["Rows 3, 4 repeat"]


def test_more_columns_than_rows_are_told():
    wide = Table.of(*(numeric(f"x{j}", RNG.normal(size=5)) for j in range(9)))
    assert found(wide)["Fewer rows than columns"] is None


TARGETS = [
    (numeric("y", without(RNG.normal(size=N), 0, 3)), "Rows without target", "note",
     "2 rows of 200 have no y: rows 1, 4."),
    (numeric("y", np.full(N, np.nan)), "No target values", "stop", "Choose another target"),
    (coded("y", ["u"] * N, "constant"), "One class only", "stop", "has the class u"),
    (coded("y", RNG.permutation(["u"] * 120 + ["v"] * 75 + ["w"] * 5)), "Few rows in a class",
     "warning", "1 class of 'y' has fewer than 10 rows: w (5)."),
    (coded("y", RNG.permutation(["u"] * 188 + ["v"] * 12)), "Unequal classes", "warning",
     "Always saying u is right in 94 % of the rows"),
    (coded("y", sorted(Y.texts())), "Sorted by target", "note", "Shuffle"),
    (numeric("y", np.sort(RNG.normal(size=N))), "Sorted by target", "note", "Shuffle"),
    (coded("y", ["u" if (i // 20) % 2 else "v" for i in range(N)]), "Rows in order", "note", ""),
    (numeric("y", np.cumsum(RNG.normal(size=N))), "Rows in order", "note", "not independent"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "title", "severity", "sentence"), TARGETS)
def test_a_trouble_of_the_target_is_found_and_named(column, title, severity, sentence):
    finding = next(f for f in audit(Table.of(X, Z, column), "y") if f.title == title)
    assert (finding.severity, finding.column) == (severity, "y")
    assert sentence in finding.sentence


def test_findings_that_stop_come_first():
    order = ["stop", "warning", "note"]
    table = Table.of(numeric("c", without(X.values, 1)), X, X_AGAIN, coded("y", ["u"] * N))
    severities = [f.severity for f in audit(table, "y")]
    assert set(severities) == set(order)
    assert severities == sorted(severities, key=order.index)


def test_the_most_harmful_finding_comes_first():
    code = numeric("c", np.where(np.arange(N) % 50, RNG.uniform(1, 2, N), -999))
    table = Table.of(X, X_AGAIN, code, told("after"), Y).take([*range(N), 5])
    titles = [f.title for f in audit(table, "y") if f.severity == "warning"]
    assert titles == [
        "Gives the target away?", "Duplicate rows", "A code for missing?", "Duplicate column"
    ]  # fmt: skip


def test_every_title_of_a_finding_has_its_place_in_the_order():
    sources = Path(audit_module.__file__).parent.glob("audit*.py")
    text = "\n".join(source.read_text() for source in sources)
    written = set(re.findall(r'Finding\(\s*\w+, [^,]+, "([^"]+)"', text))
    written |= set(re.findall(r'(?:TITLE\w*|title) = "([^"]+)"', text))
    written |= set(re.findall(r'title, sentence = "([^"]+)"', text))
    assert len(written) > 20
    assert written <= set(HARM)


X_AGAIN = numeric("x_again", X.values)


def test_an_unknown_target_is_refused():
    with pytest.raises(DataError, match="no column 'w'"):
        audit(CLEAN, "w")


def test_rows_are_counted_from_one():
    assert rows_text(np.array([11])) == "row 12"
    assert rows_text(np.array([11, 39, 76])) == "rows 12, 40, 77"
    assert rows_text(np.arange(9)) == "rows 1, 2, 3 and 6 more"


# Leaks


def codes_of(name: str) -> np.ndarray:
    return bundled.load(name).column(bundled.entry(name).target).values.astype(int)


def test_golden_accuracies_of_interval_rules():
    iris, wine = bundled.load("iris"), bundled.load("wine")
    found = leaks.interval_accuracies(iris.matrix(*iris.names[:4]), codes_of("iris"), 3)
    np.testing.assert_allclose(sorted(found)[::-1], [0.96, 0.9533, 0.7467, 0.5933], atol=5e-5)
    rows = np.arange(150.0)[:, None]
    assert leaks.interval_accuracies(rows, codes_of("iris"), 3) == [1.0]
    found = leaks.interval_accuracies(wine.matrix(*wine.names[:13]), codes_of("wine"), 3)
    assert round(found.max(), 4) == 0.8315


def best_of_all_cuts(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """The same by trying every set of cuts."""
    from itertools import combinations

    values = np.unique(x)
    best = 0.0
    for pieces in range(1, k + 1):
        for cuts in combinations(range(1, len(values)), pieces - 1):
            part = np.searchsorted(cuts, np.searchsorted(values, x), side="right")
            right = sum(np.bincount(y[part == p]).max() for p in np.unique(part))
            best = max(best, right / len(x))
    return best


@pytest.mark.parametrize("seed", range(5))
def test_interval_rules_are_the_best_of_all_cuts(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 8, 25).astype(float), rng.integers(0, 3, 25)
    assert leaks.interval_accuracies(x[:, None], y, 3)[0] == best_of_all_cuts(x, y, 3)


def test_majority_leaves_the_row_itself_out():
    values, y = np.array([0.0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 0])
    # Level 0: the two of class 0 see a tie that goes to class 0, the third sees class 0.
    # Level 1: right twice. Level 2 stands alone: the rest has 2 of class 0 and 3 of class 1.
    assert leaks.majority_accuracy(values, y, 2) == 4 / 6


def test_a_column_that_gives_the_class_away_is_named():
    leak = numeric("after", np.where(Y.values == 1, 5.0, 1.0) + RNG.uniform(size=N))
    findings = [f for f in audit(with_column(leak), "y") if f.title == "Gives the target away?"]
    assert [(f.column, f.fix) for f in findings] == [("after", ("role", "after", "ignore"))]
    assert "predicts y in 100.0 % of the rows" in findings[0].sentence
    by_name = with_column(coded("result", ["good" if v else "bad" for v in Y.values]))
    assert found(by_name, "y")["Gives the target away?"] == "result"


def accused(*columns: ColumnData) -> list[str | None]:
    """The columns, beside two honest ones, of which it is asked whether they give y away."""
    table = Table.of(*CLEAN.columns, *columns)
    return [f.column for f in audit(table, "y") if f.title == "Gives the target away?"]


def told(name: str) -> ColumnData:
    return numeric(name, np.where(Y.values == 1, 5.0, 1.0) + RNG.uniform(size=N))


def test_columns_that_give_the_class_away_do_not_hide_each_other():
    assert accused(told("after"), told("later")) == ["after", "later"]
    coded_too = coded("result", ["good" if v else "bad" for v in Y.values])
    assert accused(*map(told, "abc"), coded_too) == ["a", "b", "c", "result"]
    X_leaks = np.column_stack([X.values, *(told(name).values for name in "ab")])
    assert leaks.leak_scores(X_leaks, Y.values).suspicious.tolist() == [False, True, True]


def test_another_name_of_the_class_is_told_though_an_honest_column_is_nearly_as_good():
    wrong = np.arange(N) % 16 == 0
    good = numeric("good", np.where(wrong, 1 - Y.values, Y.values) + X.values / 100)
    name = coded("result", ["good" if v else "bad" for v in Y.values])
    assert accused(good, name) == ["result"]


def test_where_every_column_tells_the_class_none_is_accused():
    apart = Table.of(told("a"), told("b"), Y)
    assert "Gives the target away?" not in found(apart, "y")


def test_a_rare_class_makes_no_column_a_name_of_it():
    rare = coded("y", ["u"] * 197 + ["v"] * 3)
    seldom = coded("seldom", ["no"] * 196 + ["yes"] * 2 + ["no"] * 2)
    assert "Gives the target away?" not in found(Table.of(X, seldom, rare), "y")


def test_only_the_row_number_of_a_sorted_file_is_suspicious():
    iris = bundled.load("iris")
    lines = ColumnData("line", "identifier", np.arange(150.0), tuple(map(str, range(150))))
    named = Table.of(*iris.columns, lines)
    names = [f.column for f in audit(named, "species") if f.title == "Gives the target away?"]
    assert names == ["line"]


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits8", "penguins", "crabs"])
def test_honest_columns_are_not_accused(name):
    assert "Gives the target away?" not in found(bundled.load(name), bundled.entry(name).target)


def test_with_many_columns_and_few_rows_chance_is_not_accused():
    rng = np.random.default_rng(4)
    noise = [numeric(f"x{j}", rng.normal(size=12)) for j in range(400)]
    table = Table.of(*noise, coded("y", ["u", "v"] * 6))
    assert "Gives the target away?" not in found(table, "y")


def test_a_number_that_follows_the_target_is_named():
    y = numeric("y", X.values)
    table = Table.of(Z, numeric("log", np.exp(X.values)), y)
    assert found(table, "y")["Gives the target away?"] == "log"
    steps = numeric("step", np.repeat(RNG.permutation(40), 5))
    table = Table.of(Z, steps, numeric("y", np.sin(steps.values)))
    assert found(table, "y")["Gives the target away?"] == "step"
    assert "Gives the target away?" not in found(bundled.load("diabetes"), "progression")


def test_a_large_table_is_audited_while_one_waits():
    rng = np.random.default_rng(0)
    numbers = [numeric(f"x{j}", rng.normal(size=50_000)) for j in range(12)]
    counts = [numeric(f"k{j}", rng.integers(0, 999, 50_000), "count") for j in range(4)]
    names = [coded_codes(f"s{j}", rng.integers(0, 4, 50_000)) for j in range(4)]
    table = Table.of(*numbers, *counts, *names)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        audit(table, "s3")
        seconds.append(time.perf_counter() - start)
    # 50 ms on an idle machine; the bound leaves room for a busy one.
    assert min(seconds) < 0.5


def coded_codes(name: str, codes: np.ndarray) -> ColumnData:
    return ColumnData(name, "nominal", codes, ("a", "b", "c", "d"))


def test_numbers_near_the_largest_are_no_trouble():
    values = np.array([1e308, -1e308] * 20)
    table = Table.of(numeric("a", values), numeric("b", -values), numeric("y", values[::-1]))
    assert schema.typed(table).names == ("a", "b", "y")
    assert all(f.sentence for f in audit(table, "y"))


def test_unequal_classes_are_balanced_by_a_step():
    y = coded("y", RNG.permutation(["u"] * 188 + ["v"] * 12))
    fixes = {f.title: f.fix for f in audit(Table.of(X, Z, y), "y")}
    assert fixes == {"Unequal classes": ("step", "y", "balancer")}
