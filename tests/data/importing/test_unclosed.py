"""Quotation marks that open a cell and never close it swallow no rows."""

from __future__ import annotations

import pytest

from mlcore.data.importing import Decisions, read
from mlcore.spine.errors import FileError


def rows(n: int) -> str:
    """Rows under the names name, n, x, g."""
    return "".join(f"a{i},{i},{i / 8:.3f},c{i % 3}\n" for i in range(1, n + 1))


QUOTED = "".join(f'"a, {i}","b, {i}, c",{i}\n' for i in range(1, 21))
# Of each file its text, the line with the mark, its columns and rows.
OPEN = {
    "names, many rows": ('name,n,"x,g\n' + rows(600), 1, 4, 600),
    "names, few rows": ('name,n,"x,g\n' + rows(20), 1, 4, 20),
    "first row": ('name,n,x,g\n"open,3,4.5,c1\n' + rows(20), 2, 4, 21),
    "last cell of a row": ("name,n,x,g\n" + rows(20) + 'b,3,4.5,"c1\n' + rows(20), 22, 4, 41),
    "beyond the sample": ("name,n,x,g\n" + rows(600) + '"b,3,4.5,c1\n' + rows(600), 602, 4, 1201),
    "last line": ("name,n,x,g\n" + rows(20) + 'b,3,4.5,"c1', 22, 4, 21),
    "among quoted cells": ("name,say,n\n" + QUOTED + 'open,"xy,7\n' + QUOTED, 22, 3, 41),
}


@pytest.mark.parametrize("name", OPEN)
def test_a_mark_that_never_closes_is_left_out_with_its_line(name):
    text, line, columns, n_rows = OPEN[name]
    imported = read(text.encode())
    assert (len(imported.table.names), imported.table.n_rows) == (columns, n_rows)
    assert imported.report.why("unclosed").value == (line,)
    note = next(n for n in imported.report.notes if n.fix == ("unclosed", ()))
    assert note.line == line
    again = read(text.encode(), decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()


def test_two_marks_that_close_each_other_hide_no_rows():
    text = "name,n,x,g\n" + rows(20) + 'b,3,4.5,"c1\n' + rows(20) + 'c,4,5.5,"c2\n' + rows(20)
    imported = read(text.encode())
    assert imported.table.n_rows == 62
    assert imported.report.why("unclosed").value == (22, 43)


KEPT = {
    "text of several lines": 'who,said,n\n"A","one\ntwo, three\nfour",1\n"B","five\n\nsix",2\n',
    "a table within a cell": 'who,said,n\nA,"h\n1,2,3\n4,5,6",1\nB,x,2\nC,y,3\n',
    "inches": 'what,size,n\npipe,5" wide,1\nrod,6" wide,2\nbar,7,3\n',
    "one column": 'said\n"one\ntwo"\nthree\n"four\nfive"\n',
}


@pytest.mark.parametrize("name", KEPT)
def test_a_cell_that_closes_as_it_should_is_kept(name):
    report = read(KEPT[name].encode()).report
    assert report.why("unclosed").value == ()


def test_a_person_may_keep_the_mark():
    imported = read(OPEN["first row"][0].encode(), decisions=Decisions(unclosed=()))
    assert imported.table.cell(0, "name") == '"open'
    assert imported.report.why("delimiter").value == ","


def test_where_marks_are_letters_the_delimiter_stays():
    """Many of them open, so they are no mistakes; without quotes the lines are of any width."""
    body = "".join(f'"a, {i}","b{", c" * (i % 9)}",{i}\n' for i in range(1, 300))
    text = "name,say,n\n" + body + 'x,"open,,,1\ny,z,1\ny,z,2\n'
    imported = read(text.encode(), decisions=Decisions(unclosed=()))
    assert imported.report.why("delimiter").value == ","
    assert "quotation marks were read as letters" in imported.report.notes[0].sentence


def test_a_file_of_names_alone_is_told_in_a_short_sentence():
    with pytest.raises(FileError) as error:
        read(f"a{'b' * 5000},{'c' * 5000}\n".encode())
    assert len(str(error.value)) < 300
