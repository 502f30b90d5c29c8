"""Each change of a table by itself, and all of them as a run, a link and a script have them."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.steps import Rows, applied
from mlcore.data.steps.group_rows import GroupRows
from mlcore.data.steps.keep_rows import KeepRows, RowsWhere
from mlcore.data.steps.mends import CodesAsMissing, NumberFromText
from mlcore.data.steps.names import MergeLevels, OrderLevels
from mlcore.data.steps.new_column import NewColumn, RenameColumn
from mlcore.data.steps.picked_rows import ListedRows, PickedRows
from mlcore.data.steps.row_numbers import LONGEST, inside, read, written
from mlcore.data.steps.split_answers import SplitAnswers
from mlcore.data.table import Table, coded, numeric
from mlcore.data.upload import Upload
from mlcore.runs.carry import carried_out
from mlcore.runs.hard_rows import worst
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.run import Run, from_json
from mlcore.spine import codec
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.registry import entries

nan = np.nan
TABLE = Table.of(
    numeric("age", [17, 18, nan, 40, -99, 65]),
    coded("city", ["Ulm", "Bonn", "Ulm", "Köln", "", "k.A."]),
    coded("hours", ["8 hours", "ca. 7,5 h", "3-5", "none", "", "1.200 h"]),
    coded("by", ["bus; bike", "bike", "", "car;bus", "bike ", "walks"]),
    coded("grade", ["low", "high", "mid", "mid", "low", ""]),
)


def after(*steps) -> Rows:
    return applied(steps, TABLE).rows


def column(rows: Rows, name: str) -> list:
    return [text if text else None for text in rows.table.column(name).texts()]


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        (KeepRows(column="age", test="is_at_least", value="18"), [1, 3, 5]),
        (KeepRows(column="age", test="is_less_than", value="18", rows="leave_out"), [1, 2, 3, 5]),
        (KeepRows(column="city", values=("Ulm", "Bonn")), [0, 1, 2]),
        (KeepRows(column="city", test="is_none_of", values=("Ulm",)), [1, 3, 5]),
        (KeepRows(column="age", values=("18", "40")), [1, 3]),
        (KeepRows(column="by", test="contains", part="BIKE"), [0, 1, 4]),
        (KeepRows(column="age", test="is_missing"), [2]),
        (KeepRows(column="by", test="is_not_missing"), [0, 1, 3, 4, 5]),
        (RowsWhere(formula="age > 18 or city = 'Ulm'"), [0, 2, 3, 5]),
        (RowsWhere(formula="age > 18", rows="leave_out"), [0, 1, 2, 4]),
        (PickedRows(numbers="2-3, 6"), [1, 2, 5]),
        (PickedRows(numbers="2-3,6", rows="leave_out"), [0, 3, 4]),
        (KeepRows(column="age", values=()), [0, 1, 2, 3, 4, 5]),
        (PickedRows(), [0, 1, 2, 3, 4, 5]),
    ],
)
def test_rows_that_stay(step, kept):
    assert after(step).numbers.tolist() == kept


def test_rows_keep_their_numbers_whatever_was_left_out_before():
    rows = after(KeepRows(column="age", test="is_not_missing"), PickedRows(numbers="3-4"))
    assert rows.numbers.tolist() == [3]


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (KeepRows(column="agee", test="is_missing"), "Did you mean 'age'"),
        (KeepRows(column="city", values=("Rome",)), "no value 'Rome'"),
        (KeepRows(column="city", test="is_at_most", value="b"), "without an order"),
        (KeepRows(column="age", test="is_at_most", value="old"), "a number such as"),
        (KeepRows(column="age", test="is_more_than", value="1000"), "No row is left"),
        (RowsWhere(formula="age"), "not yes or no"),
        (PickedRows(numbers="900"), "None of these rows"),
        (NewColumn(name="x", formula="age + city"), "a number is expected"),
        (MergeLevels(column="age", levels=("17",), into="x"), "holds numbers"),
        (RenameColumn(column="age", name="city"), "already"),
        (GroupRows(by=("grade",), of=("city",)), "have no mean"),
        (GroupRows(by=("grade",), of=("city",), how=("share",), level="Rome"), "no level 'Rome'"),
    ],
)
def test_what_cannot_be_done_names_the_step_and_what_to_do(step, says):
    done = applied((PickedRows(), step), TABLE)
    assert len(done.stages) == 2
    assert done.problem.startswith(f"Change 2 of the table, {step.title().lower()}: ")
    assert says in done.problem
    with pytest.raises(DataError):
        _ = done.rows


def test_a_new_column_stands_at_the_end_and_a_known_one_in_its_place():
    rows = after(NewColumn(name="old", formula="age >= 40"), NewColumn(name="age", formula="age*2"))
    assert rows.table.names == (*TABLE.names, "old")
    assert column(rows, "old") == ["no", "no", None, "yes", "no", "yes"]
    assert rows.table.column("old").kind == "binary"
    assert column(rows, "age")[1] == "36"
    assert "old is missing in 1 row." in rows.notes


def test_levels_are_merged_and_put_in_order():
    rows = after(
        MergeLevels(column="city", levels=("Bonn", "Köln"), into="Rhine"),
        OrderLevels(column="grade", levels=("low", "mid")),
    )
    assert column(rows, "city") == ["Ulm", "Rhine", "Ulm", "Rhine", None, "k.A."]
    grade = rows.table.column("grade")
    assert (grade.kind, grade.levels) == ("ordinal", ("low", "mid", "high"))
    assert column(rows, "grade") == column(Rows.of(TABLE), "grade")


def test_codes_become_missing_in_numbers_and_in_names():
    rows = after(CodesAsMissing(of=("age", "city"), codes=("-99", "k.A.")))
    assert rows.table.missing["age"] == rows.table.missing["city"] == 2
    assert rows.table.column("city").levels == ("Bonn", "Köln", "Ulm")
    assert rows.notes == ("2 cells became missing.",)


def test_names_that_are_numbers_without_their_codes_become_numbers():
    table = Table.of(coded("n", ["1", "2", "k.A.", "7"]))
    rows = applied([CodesAsMissing(of=("n",), codes=("k.A.",))], table).rows
    assert rows.table.column("n").values.tolist()[:2] == [1, 2]


@pytest.mark.parametrize(
    ("which", "decimal", "values"),
    [
        ("first", "point", [8, 7.5, 3, nan, nan, 1.2]),
        ("first", "comma", [8, 7.5, 3, nan, nan, 1200]),
        ("mean", "comma", [8, 7.5, 4, nan, nan, 1200]),
        ("last", "comma", [8, 7.5, 5, nan, nan, 1200]),
    ],
)
def test_numbers_out_of_texts(which, decimal, values):
    rows = after(NumberFromText(column="hours", which=which, decimal=decimal, name="h"))
    np.testing.assert_array_equal(rows.table.column("h").values, values)
    assert rows.notes == ("1 text without a number.",)


def test_answers_become_columns_of_yes_and_no():
    rows = after(SplitAnswers(column="by"))
    assert rows.table.names[-4:] == ("by: bike", "by: bus", "by: car", "by: walks")
    assert column(rows, "by: bike") == ["yes", "yes", None, "no", "yes", "no"]
    assert "by" not in rows.table.names
    rows = after(SplitAnswers(column="by", none=True, answers=("bike",), keep=True))
    assert column(rows, "by: bike") == ["yes", "yes", "no", "no", "yes", "no"]
    assert "by" in rows.table.names


def test_groups_are_summed_up_and_a_row_is_a_group():
    rows = after(
        CodesAsMissing(of=("age",), codes=("-99",)),
        GroupRows(by=("grade",), of=("age",), how=("mean", "median", "sum", "min", "max")),
        PickedRows(numbers="2-3", rows="keep"),
    )
    assert column(rows, "grade") == ["high", "mid"]
    assert column(rows, "rows") == ["1", "2"]
    for how in ("mean", "median", "sum", "min", "max"):
        assert column(rows, f"{how} of age") == ["18", "40"]
    assert "6 rows became 4 groups: a row is a group." in rows.notes


def test_a_share_and_a_median_are_those_of_numpy():
    rng = np.random.default_rng(1)
    x, g = np.where(rng.random(500) < 0.1, nan, rng.normal(size=500)), rng.integers(0, 7, 500)
    flag = rng.integers(0, 2, 500)
    table = Table.of(numeric("x", x), numeric("g", g), coded("f", [["no", "yes"][k] for k in flag]))
    step = GroupRows(by=("g",), of=("x",), how=("median", "mean"))
    groups = applied([step], table).rows.table
    share = applied([GroupRows(by=("g",), of=("f",), how=("share",))], table).rows.table
    for at, k in enumerate(groups.column("g").values):
        assert np.isclose(groups.column("median of x").values[at], np.nanmedian(x[g == k]))
        assert np.isclose(groups.column("mean of x").values[at], np.nanmean(x[g == k]))
        assert np.isclose(share.column("share of f").values[at], flag[g == k].mean())


def test_numbers_of_rows_survive_their_short_form():
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows = np.flatnonzero(rng.random(300) < rng.random())
        is_there = inside(read(written(rows)), np.arange(320))
        np.testing.assert_array_equal(np.flatnonzero(is_there), rows)
    assert written([2, 3, 4, 9]) == "3-5,10"
    assert read(" 5-9, 7-12,7,14").tolist() == [[4, 12], [13, 14]]


@pytest.mark.parametrize("text", ["0", "3-2", "a", "1-", "-4", "1e3", "1;2", "9" * 40])
def test_what_are_no_numbers_of_rows_is_refused(text):
    with pytest.raises(ParamError, match="counted from 1"):
        PickedRows(numbers=text)


def test_hostile_spans_are_not_written_out():
    spans = read(",".join(["1-999999999"] * (LONGEST // 12)))
    assert spans.tolist() == [[0, 999_999_999]]


def test_a_step_that_is_not_set_yet_leaves_the_rows_as_they_are():
    for cls in entries("table_step").values():
        rows = Rows.of(TABLE)
        assert cls().applied(rows, {}) is rows, cls


@pytest.mark.parametrize("rows", [[0], [4], [2, 4]])
def test_tables_of_hardly_any_row_give_rows_or_a_sentence(rows):
    for step in SET:
        done = applied([step], TABLE.take(rows))
        assert not done.problem or done.problem.endswith((".", "?"))


SET = (
    CodesAsMissing(of=("age",), codes=("-99",)),
    MergeLevels(column="city", levels=("Bonn", "Köln"), into="Rhine"),
    NumberFromText(column="hours", decimal="comma"),
    SplitAnswers(column="by"),
    NewColumn(name="minutes a:b~c", formula="hours * 60"),
    RenameColumn(column="grade", name="level"),
    OrderLevels(column="level", levels=("low", "mid", "high")),
    KeepRows(column="city", test="is_not_missing"),
    PickedRows(numbers="6", rows="leave_out", name="odd ones"),
)


def brought() -> tuple[Run, dict]:
    uploads = {TABLE.digest(): TABLE}
    data = TableData(source=Upload.of(TABLE.digest(), "answers.csv"), steps=SET, target="age")
    return Run(data=data, method="ridge"), uploads


def test_link_json_and_script_carry_the_changes():
    run, uploads = brought()
    read_back, problems = Run.from_link(run.to_link())
    assert (read_back, problems) == (run, ())
    assert from_json(run.to_json()) == run
    scope = {cls.__name__: cls for cls in codec.classes(run)}
    again = eval(codec.python(run), scope)
    changed = again.data.dataset(uploads)
    ours = run.data.dataset(uploads)
    assert changed.table.digest() == ours.table.digest()
    assert ours.numbers is not None
    assert ours.numbers.tolist() == [0, 1, 2, 3]
    assert "minutes a:b~c" in ours.table.names


def test_decisions_about_columns_are_taken_where_the_column_is():
    """On columns of the file before the changes, on those that these make after them."""
    run, uploads = brought()
    data = TableData(
        source=run.data.source,
        steps=(NewColumn(name="twice", formula="age * 2"), RenameColumn(column="by", name="way")),
        missing={"age": "-99", "twice": "130"},
        kinds={"twice": "nominal", "by": "text"},
        roles={"by": "feature", "way": "ignore"},
        target=None,
    )
    table, roles = data.columns(uploads)
    assert (table.column("twice").kind, table.column("way").kind) == ("nominal", "text")
    assert column(Rows.of(table), "twice") == ["34", "36", None, "80", None, None]
    assert roles["way"] == "ignore"


def test_rows_to_be_predicted_take_the_changes_of_columns_and_none_of_rows():
    run, uploads = brought()
    new = TABLE.take([4, 1])
    uploads |= {new.digest(): new}
    asked = Prediction.of(run, Upload.of(new.digest(), "new.csv"))
    changes = run.data.new_rows(uploads)
    table = changes.changed(asked.brought(uploads))
    assert table.n_rows == 2
    assert table.names == run.data.dataset(uploads).table.names  # the same answers, though fewer
    assert table.column("hours").values[1] == 7.5
    again = changes.changed(table)
    assert again.digest() == table.digest()  # one that is changed already may be brought


def test_a_long_list_of_rows_is_a_table_of_its_own():
    rows = Table.of(numeric("row", [1, 2, 6], "count"))
    step = ListedRows(source=Upload.of(rows.digest(), "rows.csv"), rows="leave_out")
    done = applied([step], TABLE, {rows.digest(): rows})
    assert done.rows.numbers.tolist() == [2, 3, 4]
    with pytest.raises(DataError, match="is not here"):
        _ = TableData(steps=(step,)).dataset({})
    wrong = ListedRows(source=Upload.of(TABLE.digest(), "rows.csv"))
    assert "column called 'row'" in applied([wrong], TABLE, {TABLE.digest(): TABLE}).problem


def test_the_worst_rows_are_those_farthest_from_their_predictions():
    run = Run(data="longley", method="linear_regression")
    outcome, dataset = carried_out(run), run.data.dataset()
    assert dataset.y is not None
    errors = np.full(dataset.n, nan)
    for fold in outcome.done:
        errors[fold.test] = np.abs(dataset.y[fold.test] - fold.predictions)
    expected = dataset.rows[np.argsort(-errors)[:3]]
    assert worst(outcome, dataset, 3).tolist() == expected.tolist()
