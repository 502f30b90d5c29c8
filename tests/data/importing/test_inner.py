"""Quotation marks within quoted cells that were neither doubled nor marked."""

from __future__ import annotations

import pytest

from mlcore.data.importing import Decisions, inner, read
from mlcore.data.importing.lines import Grammar

AROUND = [f'{i},"name {i}",{i / 4}\n' for i in range(1, 21)]
LETTERS = {
    '7,"he said "yes" to it",2\n': 'he said "yes" to it',
    '7,"he said "yes, no" to it",2\n': 'he said "yes, no" to it',
    '7,"he said "yes"",2\n': 'he said "yes"',
    '7,"5" pipe",2\n': '5" pipe',
}


def around(line: str) -> bytes:
    return "".join(["id,say,x\n", *AROUND, line, *AROUND]).encode()


@pytest.mark.parametrize("line", LETTERS)
def test_marks_within_a_quoted_cell_are_letters(line):
    imported = read(around(line))
    assert imported.table.cell(20, "say") == LETTERS[line]
    assert imported.table.column("x").kind == "number"
    assert not imported.report.ragged
    note = next(n for n in imported.report.notes if n.fix == ("inner", ()))
    assert note.line == 22
    again = read(around(line), decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()
    other = read(around(line), decisions=Decisions(inner=()))
    assert other.table.digest() != imported.table.digest()
    assert not any(n.fix == ("inner", ()) for n in other.report.notes)


def test_words_behind_a_closed_cell_are_told():
    imported = read(around('7,"Oslo" Norway,2\n'))
    note = next(n for n in imported.report.notes if n.fix == ("quote", ""))
    assert note.line == 22
    kept = read(around('7,"Oslo" Norway,2\n'), decisions=Decisions(quote="")).table
    assert kept.cell(20, "say") == '"Oslo" Norway'


def test_a_line_of_marks_is_walked_over_once():
    grammar = Grammar(",")
    assert inner.as_letters('"a "b" c","",d,"e"', grammar) == '"a ""b"" c","",d,"e"'
    for line in (',"a' * 300_000, 'b,"a "c"",' * 100_000):  # hours, were each mark tried from each
        assert len(inner.as_letters(line, grammar)) >= len(line)


FINE = ('7,"a ""b"" c",2\n', '7,5" pipe,2\n', '7,"a\nb ""x"" c",2\n', '7,"",2\n')


@pytest.mark.parametrize("line", FINE)
def test_nothing_is_said_of_marks_that_are_written_well(line):
    report = read(around(line)).report
    assert report.why("inner").value == ()
    assert not any(n.fix and n.fix[0] in ("inner", "quote") for n in report.notes)
