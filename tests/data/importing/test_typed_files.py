"""Workbooks and Parquet files: the same table as from text, every decision shown."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mlcore.data.importing import Decisions, read, read_sheets
from mlcore.data.upload import uploads
from mlcore.spine.errors import FileError


def book(*sheets: tuple[str, list[list]]) -> bytes:
    """A workbook of these sheets."""
    made = openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for name, rows in sheets:
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


ROWS = [
    ["day", "height", "city", "code", "ok"],
    [dt.date(2020, 1, 31), 1.5, "Rome", "007", True],
    [dt.datetime(2020, 2, 1, 12, 30), 1 / 3, "a, \"b\"", "012", False],
    [None, None, "two\nlines", "100", True],
]  # fmt: skip
TEXT = (
    'day,height,city,code,ok\n2020-01-31,1.5,Rome,007,True\n'
    '2020-02-01T12:30:00,0.3333333333333333,"a, ""b""",012,False\n,,"two lines",100,True\n'
)  # fmt: skip


def test_a_sheet_gives_the_table_of_the_same_text():
    table = read(book(("data", ROWS))).table
    assert table.digest() == read(TEXT.encode()).table.digest()
    assert table.column("day").kind == "datetime"
    assert table.cell(1, "height") == "0.3333333333333333"
    assert table.cell(0, "code") == "007"


def test_the_decisions_of_a_workbook_repeat_it():
    content = book(
        ("notes", [["About this book"]]), ("data", [["Title"], [], *ROWS, [], ["Source: me"]])
    )
    first = read(content, "a.xlsx")
    report = first.report
    assert report.why("sheet").value == "data"
    assert (report.form, report.sheets) == ("workbook", ("notes", "data"))
    assert "in 1 of them, the first in row 6 of the sheet" in report.notes[0].sentence
    assert (report.why("skip").value, report.why("footer").value) == (2, 1)
    assert "Lines 1 to 2 above the table" in report.notes[1].sentence
    assert "Line 8 below the table" in report.notes[2].sentence
    assert sorted(t.name for t in report.taken) == sorted(Decisions.__dataclass_fields__)
    assert read(content, "a.xlsx", report.decisions).table.digest() == first.table.digest()
    assert first.table.digest() == read(book(("data", ROWS))).table.digest()


def test_a_sheet_of_one_column_comes_after_one_of_several():
    content = book(("about", [["About"], ["Measured in spring"]]), ("data", ROWS))
    assert read(content).report.why("sheet").value == "data"
    assert read(content, decisions=Decisions(sheet="about")).table.names == ("About",)
    assert read(book(("one", [["a"], [1], [2]]))).table.names == ("a",)


def test_hidden_sheets_come_last_and_what_a_sheet_does_not_show_is_said():
    made = openpyxl.load_workbook(io.BytesIO(book(("secret", [["k", "v"], [1, 2], [3, 4]]))))
    made.worksheets[0].sheet_state = "hidden"
    made.create_chartsheet("chart", 0)
    shown = made.create_sheet("shown")
    for row in [["group", "n", "m"], ["A", 1, 4], [None, 2, 5], ["B", 3, 7], [None, "=B2", 9]]:
        shown.append(row)
    shown.merge_cells("A2:A3")
    shown.merge_cells("A4:A5")
    shown.row_dimensions[3].hidden = True
    content = io.BytesIO()
    made.save(content)
    imported = read(content.getvalue())
    assert (imported.report.why("sheet").value, imported.report.sheets) == (
        "shown",
        ("shown", "secret"),
    )
    assert imported.table.column("group").texts() == ["A", "A", "B", "B"]
    assert imported.table.column("n").texts() == ["1", "2", "3", ""]
    sentences = " ".join(note.sentence for note in imported.report.notes)
    for word in ("the 2 below the first", "1 in all", "never computed, 1 of them"):
        assert word in sentences


def test_each_sheet_can_be_chosen_and_is_found_by_its_digest(tmp_path):
    content = book(("one", ROWS), ("two", [["a", "b"], [1, "x"], [2, "y"]]), ("empty", []))
    two = read(content, decisions=Decisions(sheet="two"))
    assert two.table.names == ("a", "b")
    assert two.report.why("sheet").confidence == "said by you"
    assert [it.table.digest() for it in read_sheets(content, read(content))] == [two.table.digest()]
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    assert two.table.digest() in uploads([str(path)])


BAD_BOOKS = {
    "no such sheet": (book(("one", ROWS)), "three", "has no sheet 'three'; it has one"),
    "an empty sheet": (book(("one", ROWS), ("two", [])), "two", "'two' holds no cells"),
    "no cells": (book(("one", [])), None, "holds no cells"),
    "cut off": (book(("one", ROWS))[:-2000], None, "ZIP archive|cannot be read"),
}


@pytest.mark.parametrize("name", BAD_BOOKS)
def test_a_bad_workbook_gives_a_sentence(name):
    content, sheet, sentence = BAD_BOOKS[name]
    with pytest.raises(FileError, match=sentence):
        read(content, decisions=Decisions(sheet=sheet))


FRAME: pd.DataFrame = pd.DataFrame(
    {
        "n": [1, 2, 3],
        "x": [1.5, np.nan, 0.1 + 0.2],
        "text": ["1,5", "NA", "2,25"],
        "day": pd.to_datetime(["2020-01-31", None, "2021-03-04"]),
        "zoned": pd.to_datetime(["2020-01-31T01:00", None, "2021-03-04T01:00"]).tz_localize(
            "Etc/GMT-2"
        ),
        "flag": [True, False, True],
        "kind": pd.Categorical(["u", "v", "u"]),
        "long": [2**60 + 1, 2**60 + 2, 2**60 + 1],
        "list": [[1], [2], [3]],
    }
)


def parquet(frame: pd.DataFrame) -> bytes:
    """A Parquet file of the frame."""
    content = io.BytesIO()
    frame.to_parquet(content)
    return content.getvalue()


def test_a_parquet_file_gives_its_columns():
    imported = read(parquet(FRAME), "a.parquet")
    table = imported.table
    texts = {c.name: c.texts() for c in table.columns}
    assert texts == {
        "n": ["1", "2", "3"],
        "x": ["1.5", "", "0.30000000000000004"],
        "text": ["1.5", "", "2.25"],
        "day": ["2020-01-31", "", "2021-03-04"],
        "zoned": ["2020-01-30T23:00:00", "", "2021-03-03T23:00:00"],
        "flag": ["true", "false", "true"],
        "kind": ["u", "v", "u"],
        "long": [str(2**60 + 1), str(2**60 + 2), str(2**60 + 1)],
    }
    assert any("'list' holds values of the type list" in n.sentence for n in imported.report.notes)
    assert sorted(t.name for t in imported.report.taken) == sorted(Decisions.__dataclass_fields__)
    again = read(parquet(FRAME), "a.parquet", imported.report.decisions)
    assert again.table.digest() == table.digest()


def test_parts_spans_bytes_and_long_decimals_of_parquet_are_kept():
    table = pa.table(
        {
            "part": pa.array([{"x": 1, "in": {"y": "p"}}, {"x": 2, "in": {"y": "q"}}, None]),
            "span": pa.array([dt.timedelta(seconds=1.5), None, dt.timedelta(days=1)]),
            "text": pa.array([b"a", b"b", None]),
            "bytes": pa.array([b"\xff\xfe", b"b", None]),
            "id": pa.array([Decimal(2**60 + 1), None, Decimal(2**60 + 2)], pa.decimal128(20, 0)),
            "when": pa.array([10**14, 0, None]).cast(pa.timestamp("s")),
        }
    )
    content = io.BytesIO()
    pq.write_table(table, content)
    imported = read(content.getvalue())
    assert {c.name: c.texts() for c in imported.table.columns} == {
        "part.x": ["1", "2", ""],
        "part.in.y": ["p", "q", ""],
        "span": ["1.5", "", "86400"],
        "text": ["a", "b", ""],
        "id": [str(2**60 + 1), "", str(2**60 + 2)],
        "when": ["", "1970-01-01", ""],
    }
    sentences = " ".join(note.sentence for note in imported.report.notes)
    for word in ("read as seconds", "'bytes' holds values of the type binary", "the years 1 to"):
        assert word in sentences


BAD_PARQUET = {
    "no rows": (parquet(FRAME.head(0)), "no rows"),
    "cut off": (parquet(FRAME)[:-20], "cut off, damaged"),
    "only lists": (parquet(FRAME.filter(["list"])), "no rows of numbers"),
}


@pytest.mark.parametrize("name", BAD_PARQUET)
def test_a_bad_parquet_file_gives_a_sentence(name):
    content, sentence = BAD_PARQUET[name]
    with pytest.raises(FileError, match=sentence):
        read(content)


def test_what_is_kept_as_text_of_parquet_is_kept_again():
    cells = [f"{('$', '€')[i % 2]}{i}" for i in range(1, 21)]
    data = parquet(pd.DataFrame({"v": cells, "w": range(20)}))
    first = read(data)
    assert first.report.decisions.texts == ("v",)
    assert read(data, decisions=first.report.decisions).table.digest() == first.table.digest()
