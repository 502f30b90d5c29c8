"""What stands above the rows: titles, names that are joined, lacking or too many, and guesses."""

from __future__ import annotations

import pytest

from mlcore.data.importing import Decisions, read
from mlcore.data.importing.report import Imported
from tests.data.importing.test_unclosed import rows

PADDED = "".join(f"{line},,,\n" for line in rows(20).strip().split("\n"))
WORDS = "".join(f"u{i},v{i % 3}\n" for i in range(20))


def imported(text: str) -> Imported:
    """The table, which what was decided gives again."""
    first = read(text.encode())
    again = read(text.encode(), decisions=first.report.decisions)
    assert again.table.digest() == first.table.digest()
    return first


NAMES = {
    "fewer names than cells": ("name,n\n" + rows(20), ("name", "n", "column_3", "column_4")),
    "rows that end in delimiters": ("name,n,x,g\n" + PADDED, ("name", "n", "x", "g")),
    "a title of two columns": (f"Report 2020,\nname,city\n{WORDS}", ("name", "city")),
    "a year below a title": ("Sales,,,\n2020,,,\nname,n,x,g\n" + rows(9), ("name", "n", "x", "g")),
    "a shifted first row": ("name,n,x,g\n,a1,one,c1\n" + rows(20), ("name", "n", "x", "g")),
    "a row of whole numbers": ("1,2,3\n4,5,6\n7,8,9\n", ("column_1", "column_2", "column_3")),
    "a row like years": (
        "1950,1990,2001\n" + "".join(f"{i * 97},{i * 31},{i}\n" for i in range(9)),
        ("column_1", "column_2", "column_3"),
    ),
    "years in even steps": ("2001,2002,2003\n4,5,6\n7,8,9\n", ("2001", "2002", "2003")),
    "counted columns": ("0,1,2,3,4\n" + "4,5,6,7,8\n" * 3, ("0", "1", "2", "3", "4")),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_names_are_those_of_the_file(name):
    text, names = NAMES[name]
    assert imported(text).table.names == names


# What was guessed, the line and the press that undoes it.
NOTES = {
    "titles": ("Title,,,\nname,n,x,g\n" + rows(9), "there stands 'Title", 1, ("header", 0)),
    "comments": ("# of me\na,b\n1,2\n# and\n3,4\n", "2 lines that begin", None, ("comment", "")),
    "no names": (rows(9), "called column_1 to column_4", None, ("header", 0)),
    "names on a guess": (f"name,city\n{WORDS}", "Line 1 was taken", 1, ("header", "none")),
    "joined names": (
        "name,n,x\n,cm,kg\n" + "".join(f"a{i},{i},{i / 4}\n" for i in range(9)),
        "joined to names such as 'n cm'", 1, ("header_rows", 1),
    ),
    "too few names": (
        "name,n\n" + rows(9), "columns 3 and 4 have no name", 1, ("header", "none")
    ),
    "too many names": (
        "name,n,x,g,more\n" + rows(9), "no column is called 'more'", 1, ("header", "none")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTES)
def test_a_guess_is_told_with_its_line_and_can_be_undone(name):
    text, words, line, fix = NOTES[name]
    first = imported(text)
    note = next(note for note in first.report.notes if words in note.sentence)
    assert (note.line, note.fix) == (line, fix)
    other = read(text.encode(), decisions=Decisions(**{fix[0]: fix[1]}))
    assert other.table.digest() != first.table.digest()
    assert all(note.fix != fix for note in other.report.notes)


def test_what_is_sure_is_not_told():
    assert imported("name,n,x,g\n" + rows(20)).report.notes == ()
