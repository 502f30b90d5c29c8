"""Cells between typographic quotation marks are quoted where one of them holds a delimiter."""

from __future__ import annotations

import pytest

from mlcore.data.importing import Decisions, read

MARKS = ("“”", "„“", "„”", "«»")


def file(marks: str, inside: str = ", ", encoding: str = "utf-8") -> bytes:
    rows = "".join(f"a{i},{marks[0]}x{inside}{i}{marks[1]},{i}\n" for i in range(1, 12))
    return f"id,w,n\n{rows}".encode(encoding)


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_delimiter_within_them_is_a_letter(marks, encoding):
    data = file(marks, encoding=encoding)
    imported = read(data)
    assert imported.table.names == ("id", "w", "n")
    assert imported.table.cell(2, "w") == "x, 3"
    note = next(note for note in imported.report.notes if "Typographic" in note.sentence)
    assert "about 11 cells, the first in line 2" in note.sentence
    again = read(data, decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()
    undone = read(data, decisions=Decisions(**dict([note.fix])))
    assert marks[0] in str(undone.table.to_csv())


@pytest.mark.parametrize(
    "data",
    [
        file("“”", " ").decode(),
        file("“”").decode() + 'a,"b, c",3\n',
        "id,w\n" + "".join(f"{i},he said “no” and “yes, {i}” twice\n" for i in range(9)),
    ],
    ids=["no delimiter within", "straight ones too", "within the words"],
)
def test_elsewhere_they_are_letters(data):
    table = read(data.encode()).table
    assert "“" in table.to_csv()
