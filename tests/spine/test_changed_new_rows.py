"""Rows to be predicted go through the changes of the table, also by a model that was taken away."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mlcore.__main__ import main
from mlcore.data.dataset import TableData
from mlcore.data.steps.group_rows import GroupRows
from mlcore.data.steps.keep_rows import KeepRows, RowsWhere
from mlcore.data.steps.mends import CodesAsMissing, NumberFromText
from mlcore.data.steps.names import MergeLevels, OrderLevels
from mlcore.data.steps.new_column import NewColumn, RenameColumn
from mlcore.data.steps.split_answers import SplitAnswers
from mlcore.data.table import Table, coded, numeric
from mlcore.data.upload import Upload
from mlcore.interop.serving.answering import answer
from mlcore.interop.serving.described import served
from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.replies import CSV, JSON
from mlcore.runs import carry_prediction, saved
from mlcore.runs.carry import carried_out
from mlcore.runs.predicting import opened
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.predicting.wanted import brought_for, wanted_by
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, FileError
from service.tables import csv, new_rows

N = 80
AGES = np.arange(N) % 47 + 18.0
RIDES = [["bus; bike", "car", "bike", "bus"][k % 4] for k in range(N)]
HOURS = [f"ca. {k % 7},5 h" for k in range(N)]
CITIES = [["Ulm", "Bonn", "Köln"][k % 3] for k in range(N)]
TABLE = Table.of(
    numeric("age", AGES),
    numeric("pay", np.where(np.arange(N) % 9 == 0, -99.0, 1500 + 31.0 * (np.arange(N) % 13))),
    coded("hours", HOURS),
    coded("by", RIDES),
    coded("city", CITIES),
    coded("grade", [["low", "mid", "high"][k % 3] for k in range(N)]),
    coded("buys", ["yes" if age > 40 else "no" for age in AGES]),
)
STEPS = (
    KeepRows(column="age", test="is_more_than", value="19"),
    NumberFromText(column="hours", decimal="comma"),
    SplitAnswers(column="by"),
    MergeLevels(column="city", levels=("Ulm", "Bonn"), into="south"),
    OrderLevels(column="grade", levels=("low", "mid", "high")),
    NewColumn(name="ratio", formula="log(pay) / age"),
    NewColumn(name="age", formula="age * 2"),  # done twice it would be another number
    RenameColumn(column="hours", name="time"),
    RowsWhere(formula="grade < 'high' or age > 50"),
)
RUN = Run(
    data=TableData(
        source=Upload.of(TABLE.digest(), "mine.csv"), steps=STEPS, missing=(("pay", "-99"),),
        target="buys",
    ),
    preparation=("impute",), method="decision_tree", evaluation="hold_out",
)  # fmt: skip
NEW = TABLE.take([3, 9, 60, 1, 0])  # the last two are of an age that the filter leaves out


def model(run: Run = RUN, table: Table = TABLE) -> saved.Model:
    """The model of a run, taken away and read again."""
    uploads = {table.digest(): table}
    made = saved.model_of(carried_out(run, uploads), run.data.dataset(uploads))
    return saved.read(saved.written(made))


@pytest.fixture(scope="module")
def kept() -> saved.Model:
    return model()


def predicted(new: Table) -> Any:
    """By the page of the run."""
    asked = Prediction.of(RUN, Upload.of(new.digest(), "new.csv"))
    return carry_prediction.carried_out(asked, {t.digest(): t for t in (TABLE, new)})


def served_rows(it: saved.Model, body: bytes, kind: str = CSV) -> Any:
    asked = {"type": kind, "wants": kind, "model": "m", "rows": 100, "threshold": None}
    return answer(it, asked, body)


def test_every_door_gives_the_same_for_a_table_as_it_came(kept, tmp_path, capsys):
    """The page, the model that was taken away, its page, the command and the service."""
    known = predicted(NEW)
    assert known.matching.sentence() == f"{len(known.matching.matches)} columns matched"
    said = kept.outputs_of(NEW)
    for name, column in known.outputs.items():
        np.testing.assert_array_equal(said[name], column)
    again = opened.predicted(saved.written(kept), RUN.data.source, NEW, {}, {})
    np.testing.assert_array_equal(again.values, known.values)
    assert again.scores["accuracy"] == known.scores["accuracy"]
    archive, rows = tmp_path / "model.zip", tmp_path / "rows.csv"
    archive.write_bytes(saved.written(kept))
    rows.write_text(NEW.to_csv(), encoding="utf-8")
    assert main(["predict", str(archive), str(rows)]) == 0
    printed = capsys.readouterr()
    assert "Not done to new rows: keep rows where age is more than 19;" in printed.err
    assert served_rows(kept, rows.read_bytes()).body.decode() == printed.out
    cells = [
        {c.name: c.cell(k) if c.is_coded else c.values[k] for c in NEW.columns if c.name != "buys"}
        for k in range(NEW.n_rows)
    ]
    rows_said = json.loads(served_rows(kept, json.dumps({"rows": cells}).encode(), JSON).body)
    assert [r["predicted buys"] for r in rows_said["rows"]] == said["predicted buys"].tolist()


def test_the_file_of_predictions_has_the_columns_as_they_were_brought():
    known = predicted(NEW)
    made = new_rows(known)
    assert list(made.columns)[: len(NEW.names)] == list(NEW.names)
    assert made["hours"].tolist() == [HOURS[k] for k in (3, 9, 60, 1, 0)]
    assert made["age"].tolist() == [AGES[k] for k in (3, 9, 60, 1, 0)]
    assert "predicted buys" in made.columns
    first = csv(made).splitlines()[1]
    assert first.startswith(f"{AGES[3]:.0f},") and not first.startswith(f"{AGES[3]:.0f}.0")
    again = opened.predicted(saved.written(model()), RUN.data.source, NEW, {}, {})
    assert list(new_rows(again).columns)[: len(NEW.names)] == list(NEW.names)
    assert set(known.matching.extra) <= set(NEW.names)


def test_a_code_for_missing_that_was_decided_is_one_in_new_rows(kept):
    """Without a change of the table, too: -99 is no pay."""
    plain = replace(RUN, data=replace(RUN.data, steps=()))
    asked = Prediction.of(plain, Upload.of(NEW.digest(), "new.csv"))
    matching = carry_prediction.matching_of(asked, {t.digest(): t for t in (TABLE, NEW)})
    assert np.isnan(matching.rows.column("pay").values).tolist() == [False, True] + [False] * 2 + [
        True
    ]
    after = model(plain).changed(NEW)
    assert after.column("pay").missing == 2
    assert kept.changed(NEW).column("ratio").missing == 2


def test_the_served_model_asks_for_the_columns_as_they_came(kept):
    card = served(saved.written(kept), Limits()).card
    columns = {each["name"]: each["kind"] for each in card["columns"]}
    assert columns == {
        "age": "number", "pay": "number", "hours": "text", "by": "text", "city": "text",
        "grade": "text",
    }  # fmt: skip
    assert "ratio = log(pay) / age" in card["changes"]
    assert len(card["not_done"]) == 2
    reply = served_rows(kept, b"age;pay\n1;2\n")
    assert reply.status == 422 and b"no columns hours, by, city and grade" in reply.body


def test_a_table_that_is_changed_already_may_be_brought(kept):
    changed = kept.changed(NEW)
    taken = changed.select(*(c.name for c in kept.columns if c.name != "age"))
    assert kept.new_rows.changed(taken).digest() == taken.digest()


def test_what_a_step_lacks_or_cannot_read_is_told(kept):
    without = NEW.select(*(name for name in NEW.names if name != "hours"))
    with pytest.raises(DataError, match="time is made of the column hours, which the table does"):
        kept.outputs_of(without)
    assert "time is made of the column hours" in predicted(without).matching.remarks[0]
    ages = ["30", "old", "31", "32", "33"]
    strange = NEW.replaced(coded("age", ages))
    with pytest.raises(DataError, match="Row 2 has 'old' in column age"):
        kept.outputs_of(strange)
    reply = served_rows(kept, strange.to_csv().encode())
    assert json.loads(reply.body)["problems"][0]["row"] == 2
    flags = predicted(strange).flags()
    assert flags[1][0] == "unreadable: age"
    assert predicted(strange).matching.rows.column("age").values[0] == 60


def test_columns_are_found_whose_names_differ_in_capitals():
    names = {"age": "Age", "hours": "HOURS"}
    columns = [replace(c, name=names.get(c.name, c.name)) for c in NEW.columns]
    assert predicted(Table.of(*columns)).values.tolist() == predicted(NEW).values.tolist()


def test_rows_that_are_groups_are_brought_as_groups():
    steps = (
        NewColumn(name="half", formula="age / 2"),
        GroupRows(by=("city", "grade"), of=("half", "age"), how=("mean", "max")),
        NewColumn(name="twice", formula="2 * `mean of half`"),
    )
    table = TABLE.replaced(coded("city", [f"c{k % 20}" for k in range(N)]))
    data = TableData(source=Upload.of(table.digest(), "g.csv"), steps=steps, target="max of age")
    it = model(Run(data=data, method="linear_regression", preparation=("one_hot",)), table)
    assert [step.card.name for step in it.new_rows.steps] == ["new_column"]
    assert "a row is a group" in it.new_rows.groups
    groups = it.new_rows.changed(data.changes({table.digest(): table}).stages[2].table)
    assert len(it.outputs_of(groups)["row"]) == groups.n_rows
    with pytest.raises(DataError, match="is a column of groups, which are not made of new"):
        it.outputs_of(table)
    uploads = {each.digest(): each for each in (table, groups)}
    run = Run(data=data, method="linear_regression", preparation=("one_hot",))
    on_page = [
        carry_prediction.matching_of(Prediction.of(run, Upload.of(t.digest(), "t.csv")), uploads)
        for t in (groups, table)
    ]
    assert not on_page[0].remarks and on_page[0].rows.n_rows == groups.n_rows
    assert any("which are not made of new rows" in remark for remark in on_page[1].remarks)
    assert on_page[1].rows.n_rows == table.n_rows, "rows that were brought stay rows"
    asked = {w.column.name for w in brought_for(it.new_rows, wanted_by(it))}
    assert "mean of half" in asked, "a column of groups of which another is made"


def test_a_column_that_is_added_does_not_take_the_place_of_the_target():
    """The last column of a table is proposed as its target; a new one is the last."""
    proposed = replace(RUN.data, target="proposed")
    assert proposed.dataset({TABLE.digest(): TABLE}).target == "buys"
    gone = replace(proposed, steps=(RenameColumn(column="buys", name="bought"),))
    assert gone.dataset({TABLE.digest(): TABLE}).target == "bought"


def test_a_model_of_before_asks_for_the_changed_columns(kept):
    document, arrays = _parts(kept)
    del document["model"]["new_rows"]
    old = saved.read(_archive(document, arrays))
    changed = kept.changed(NEW)
    assert old.outputs_of(changed)["predicted buys"].tolist() == (
        kept.outputs_of(NEW)["predicted buys"].tolist()
    )


@pytest.mark.parametrize(
    "step",
    [
        KeepRows(column="age", test="is_more_than", value="19"),
        GroupRows(by=("city",)),
    ],
)
def test_a_strangers_model_does_not_choose_or_join_rows(kept, step):
    document, arrays = _parts(kept)
    steps = document["model"]["new_rows"]["fields"]["steps"]
    steps[0] = saved.Packing().plain(step)
    with pytest.raises(FileError, match="leave out or join rows"):
        saved.read(_archive(document, arrays))
    steps[0] = saved.Packing().plain(CodesAsMissing(of=("age",), codes=("1",)))
    steps[:] = [steps[0]] * 300
    with pytest.raises(FileError, match="more than 200 changes"):
        saved.read(_archive(document, arrays))


def _parts(it: saved.Model) -> tuple[dict[str, Any], bytes]:
    parts = saved._parts(saved.written(it))
    return json.loads(parts[saved.DOCUMENT]), parts[saved.ARRAYS]


def _archive(document: dict[str, Any], arrays: bytes) -> bytes:
    out = saved.io.BytesIO()
    with saved.zipfile.ZipFile(out, "w") as archive:
        archive.writestr(saved.DOCUMENT, json.dumps(document))
        archive.writestr(saved.ARRAYS, arrays)
    return out.getvalue()
