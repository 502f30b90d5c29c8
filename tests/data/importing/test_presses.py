"""What the import leaves out, joins, guesses or turns into another type is told in a note, and a
press of the note undoes it."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from mlcore.data.importing import Decisions, read
from mlcore.spine.errors import FileError
from tests.data.importing.test_left_out import NAMES, SECOND, SUMS
from tests.data.importing.test_unclosed import OPEN, rows

ROOT = Path(__file__).parents[3]


def cells(write: Callable[[int], str]) -> str:
    """A column v of twenty cells beside names of rows."""
    return "k;v\n" + "".join(f"r{i};{write(i)}\n" for i in range(1, 21))


LONG = NAMES + rows(9) + "b,1,2,c1,lost\n" + rows(9)
SHORT = NAMES + rows(9) + "b,1\n" + rows(9)
# By what the import did: a file, the decision that undoes it, and what the note says.
DONE = {
    "mark of the names": (OPEN["names, few rows"][0], "unclosed", "never closes"),
    "mark of a cell": (OPEN["among quoted cells"][0], "unclosed", "never closes"),
    "title": ("Title,,,\n" + NAMES + rows(9), "header", "was left out; there stands"),
    "comment": ("# of me\na,b\n1,2\n# and\n3,4\n", "comment", "as comments"),
    "no names": (rows(9), "header", "called column_1 to column_4"),
    "guessed names": (
        "name,city\n" + "".join(f"u{i},v{i % 3}\n" for i in range(20)), "header", "was taken for"
    ),
    "fewer names than cells": ("name,n\n" + rows(9), "header", "have no name"),
    "more names than cells": ("name,n,x,g,more\n" + rows(9), "header", "no column is called"),
    "joined names": (
        "name,n,x\n,cm,kg\n" + "".join(f"a{i},{i},{i / 4}\n" for i in range(9)),
        "header_rows", "joined to names",
    ),
    "total": (f"name,n,x\n{SUMS}Total,210,52.5\n", "left_out", "Total"),
    "names again": (NAMES + (rows(9) + NAMES) * 2 + rows(9), "left_out", "there stands"),
    "second table": (NAMES + rows(20) + SECOND["fewer columns behind a gap"][0], "skip", "table"),
    "footer": (NAMES + rows(20) + "\nSource: a friend\n", "footer", "was left out"),
    "short line": (SHORT, "left_out", "fewer than 4 cells"),
    "long line": (LONG, "left_out", "more than 4 cells"),
    "a bad date": (cells(lambda i: "soon" if i == 7 else f"2020-01-{i:02d}"), "missing", "soon"),
    "days in digits": (cells(lambda i: f"202001{i:02d}"), "texts", "read as dates"),
    "either order of dates": (cells(lambda i: f"0{i % 9 + 1}/0{i % 7 + 1}/2020"), "date_order",
                              "Column 'v'"),
    "unit": (cells(lambda i: f"{i} kg"), "texts", "numbers with"),
    "flags": (cells(lambda i: f"{i}.0{' b' if i % 2 else ''}"), "texts", "numbers with"),
    "currencies": (cells(lambda i: f"{'$€£'[i % 3]}{i}"), "texts", "not one quantity"),
    "too large": (cells(lambda i: "1e999" if i == 7 else f"{i}.5"), "texts", "too large"),
    "before the calendar": (
        cells(lambda i: f" {'0000' if i == 7 else '2020'}-01-{i:02d} "), "texts", "the years"
    ),
    "losses": (cells(lambda i: f"({i})" if i % 3 else f"{i}"), "texts", "losses as accounts do"),
    "per cent beside shares": (cells(lambda i: f"{i} %" if i % 2 else f"0.{i}"), "texts",
                               "not one quantity"),
}  # fmt: skip


@pytest.mark.parametrize("name", DONE)
def test_a_press_undoes_it(name):
    text, decision, words = DONE[name]
    first = read(text.encode())
    note = next(note for note in first.report.notes if note.fix and note.fix[0] == decision)
    assert words in note.sentence
    assert note.line or note.column or decision in ("comment", "header")
    assert note.fix is not None
    how: dict[str, Any] = {decision: note.fix[1]}
    now = Decisions(**how)
    if name == "mark of the names":  # with it, no line is left that could be a row
        with pytest.raises(FileError, match="and no rows"):
            read(text.encode(), decisions=now)
        return
    other = read(text.encode(), decisions=now)
    assert other.table.digest() != first.table.digest()
    assert note not in other.report.notes


def test_lines_without_end_are_no_press():
    """An address has no room for the numbers of all of them."""
    text = NAMES + (rows(3) + "b,1\n") * 150
    (note,) = (note for note in read(text.encode()).report.notes if "fewer than" in note.sentence)
    assert note.fix is None


def test_hidden_rows_of_a_sheet_are_left_out_by_a_press_beside_what_was():
    made = openpyxl.Workbook()
    rows = [[f"a{k}", k, k / 4] for k in range(1, 21)]
    for row in [["name", "n", "x"], *rows]:
        made.worksheets[0].append(row)
    for line in (4, 9):
        made.worksheets[0].row_dimensions[line].hidden = True
    content = io.BytesIO()
    made.save(content)
    first = read(content.getvalue(), decisions=Decisions(left_out=(2,)))
    assert first.table.n_rows == 19
    (note,) = (note for note in first.report.notes if "Hidden rows" in note.sentence)
    assert note.fix == ("left_out", (2, 4, 9)) and note.press
    other = read(content.getvalue(), decisions=Decisions(left_out=(2, 4, 9)))
    assert {*other.table.column("n").texts()} == {str(k) for k in range(2, 21)} - {"3", "8"}
    assert not [note for note in other.report.notes if "Hidden rows" in note.sentence]


# Notes that have no press, by the function that writes them: why is said in
# docs/decisions/0240-what-a-press-cannot-undo.md.
WITHOUT = {
    "_broken", "_filled", "_in_seconds", "_kept", "_left_out", "_of_weights", "_patched",
    "_without", "_without_padding", "_without_quotes", "_named_columns", "_lost", "gunzipped",
    "table", "taken", "unseen", "unwrapped",
}  # fmt: skip


def test_a_note_without_a_press_is_one_of_those_that_say_why():
    """A new one gets a press, or its reason stands in the decision."""
    told = (ROOT / "docs" / "decisions" / "0240-what-a-press-cannot-undo.md").read_text()
    without = set()
    for file in (ROOT / "mlcore" / "data" / "importing").glob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                calls = (call for call in ast.walk(function) if isinstance(call, ast.Call))
                notes = [call for call in calls if getattr(call.func, "id", "") == "Note"]
                if any("fix" not in {word.arg for word in call.keywords} for call in notes):
                    without.add(function.name)
                    assert f"`{file.name}`" in told
    assert without == WITHOUT
