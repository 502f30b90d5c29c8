"""Files of many habits give the table that a careful person reads in them, and say how."""

from __future__ import annotations

from functools import cache

import pytest

from mlcore.data.importing import Decisions, Imported, parse, read
from tests.data.habits import adversary, held_out, seen
from tests.data.habits.file import File
from tests.data.habits.judge import cells_of, is_right

FILES = [*seen.FILES, *held_out.FILES, *adversary.FILES]


def _id(file: File) -> str:
    return f"{file.kind}-{file.name}"


@cache
def _read(file: File) -> Imported:
    """As it is read by itself, once for all tests."""
    return read(file.content, file.name)


@pytest.mark.parametrize("file", FILES, ids=_id)
def test_a_file_is_read_right_and_again_by_what_was_decided(file):
    imported = _read(file)
    assert is_right(file, *cells_of(imported.table))
    again = read(file.content, file.name, imported.report.decisions)
    assert again.table.digest() == imported.table.digest()


@pytest.mark.parametrize("file", FILES, ids=_id)
def test_typed_reading_gives_the_table_of_careful_reading(file, monkeypatch):
    typed = _read(file).table
    monkeypatch.setattr(parse, "_is_regular", lambda *_: False)
    assert typed.digest() == read(file.content).table.digest()


def test_typed_reading_of_many_rows_gives_the_table_of_careful_reading(monkeypatch):
    """Holes of several kinds, codes, days, moments and what only shows beyond the sample."""
    rows = [
        f"{i},{i / 7},{'NA' if i % 9 else i},c{i % 5},2020-01-{i % 28 + 1:02d},"
        f"{'null' if i % 11 == 0 else f'2021-03-04 05:{i % 60:02d}:00'},{'' if i % 4 else ' w'}"
        for i in range(1500)
    ]
    content = "\n".join(["a,b,c,d,e,f,g", *rows, "9,?,7,c1,NA,,w", ""]).encode()
    typed = read(content).table
    monkeypatch.setattr(parse, "_is_regular", lambda *_: False)
    careful = read(content).table
    assert [c.kind for c in typed.columns] == [c.kind for c in careful.columns]
    assert typed.digest() == careful.digest()


def test_the_judge_sees_a_wrong_cell_name_or_row():
    names, rows = cells_of(read(seen.FILES[0].content).table)
    assert is_right(seen.FILES[0], names, rows)
    assert not is_right(seen.FILES[0], ("other", *names[1:]), rows)
    assert not is_right(seen.FILES[0], names, rows[1:])
    assert not is_right(seen.FILES[0], names, [(None, *rows[0][1:]), *rows[1:]])


FOOTERS = {
    "source": (b"city,n,m\nRome,1,2\nOslo,3,5\n\nSource: me\n", "Line 5", "Source: me"),
    "padded": (b"city,n,m\nRome,1,2\nOslo,3,5\n,,\nNote,,\n", "Lines 4 to 5", ",,"),
    "count": (b"n|m\n1|2\n3|5\n7|8\n(3 rows)\n", "Line 5", "(3 rows)"),
}


@pytest.mark.parametrize("name", FOOTERS)
def test_lines_below_the_table_are_named_and_can_be_had_back(name):
    data, which, words = FOOTERS[name]
    imported = read(data)
    note = imported.report.notes[0]
    assert note.sentence.startswith(f"{which} below the table w")
    assert words in note.sentence
    assert note.fix == ("footer", 0)
    back = read(data, decisions=Decisions(footer=0)).table
    assert back.n_rows > imported.table.n_rows


NO_FOOTERS = {
    "rows with holes like the last": b"city,n,m\nRome,1,2\nBern,,\nOslo,3,5\nParis,,\n",
    "a short last row": b"a,b,c\n1,2,3\n4,5,6\n7\n",
    "two columns without a gap": b"who,n\nAnn,1\nBob,2\nCid\n",
}


@pytest.mark.parametrize("name", NO_FOOTERS)
def test_what_may_be_a_row_is_kept(name):
    data = NO_FOOTERS[name]
    assert read(data).table.n_rows == data.count(b"\n") - 1


NO_SECOND_NAMES = {
    "one column of numbers": b"who,n\nAnn,few\nBob,2\nCid,3\nEve,4\n",
    "markers of holes": b"a,b\nmissing,n.a.\n1,2\n3,5\n7,8\n",
    "words all the way": b"a,b\nu,v\nw,x\ny,z\n",
}


@pytest.mark.parametrize("name", NO_SECOND_NAMES)
def test_a_first_row_is_not_taken_for_units(name):
    report = read(NO_SECOND_NAMES[name]).report
    assert report.why("header_rows").value == 1


def test_units_of_a_few_columns_are_no_row():
    rows = "".join(f"{i};{i / 8:.1f};{i % 5};{i}.1.2020;S{i % 3}\n" for i in range(1, 29))
    table = read(f"id;size;mass;day;city\n;cm;kg;;\n{rows}".encode()).table
    assert table.names == ("id", "size cm", "mass kg", "day", "city")
    assert [c.kind for c in table.columns][1:3] == ["number", "count"]
    kept = read(f"id;size;mass;day;city\n7;cm;kg;;\n{rows}".encode()).table
    assert kept.n_rows == 29, "a row with a number is one"


def test_no_answer_is_a_hole_among_numbers_alone():
    rows = "".join(f"{i / 4},{'k.A.' if i % 5 == 0 else i},w{i % 3}\n" for i in range(1, 40))
    table = read(f"a,b,c\n{rows}1,2,k.A.\n".encode()).table
    assert table.missing == {"a": 0, "b": 7, "c": 0}
    assert "k.A." in table.column("c").levels


def test_lines_of_names_can_be_said():
    data = b"a,b\nm,s\n1,x\n2,y\n"
    table = read(data, decisions=Decisions(header=0, header_rows=2)).table
    assert table.names == ("a m", "b s")
    assert table.n_rows == 2
