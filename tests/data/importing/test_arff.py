"""ARFF, the tables of Weka: declared columns, the rows below."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.io import arff as peer_arff

from mlcore.data.importing import Decisions, read
from mlcore.spine.errors import FileError

WEATHER = r"""% 1. Title: the weather
%
@RELATION 'the weather'

@ATTRIBUTE outlook {sunny, overcast, 'light rain'}
@attribute "temp, F" numeric
@attribute windy {TRUE,FALSE}
@attribute code {0,1,2}
@attribute note string
@attribute when date "yyyy-MM-dd"

@DATA
sunny,85,FALSE,0,'it\'s hot, very',2020-01-01
% a comment
'light rain' , 70.5, TRUE, 2, "said \"no\"",2020-01-02
overcast,?,TRUE,1,?,2020-01-03
{1 64, 3 2, 4 'x, y', 5 2020-01-04}
sunny	72	FALSE	1	ok	2020-01-05
sunny,71,TRUE,1,fine,2020-01-06, {2.5}
"""


def test_every_form_of_row_is_read():
    imported = read(WEATHER.encode(), "weather.arff")
    table, report = imported.table, imported.report
    assert table.names == ("outlook", "temp, F", "windy", "code", "note", "when")
    rows = [[table.cell(row, name) for name in table.names] for row in range(table.n_rows)]
    assert rows == [
        ["sunny", "85", "FALSE", "0", "it's hot, very", "2020-01-01"],
        ["light rain", "70.5", "TRUE", "2", 'said "no"', "2020-01-02"],
        ["overcast", "", "TRUE", "1", "", "2020-01-03"],
        ["sunny", "64", "TRUE", "2", "x, y", "2020-01-04"],  # what is not said is the first name
        ["sunny", "72", "FALSE", "1", "ok", "2020-01-05"],
        ["sunny", "71", "TRUE", "1", "fine", "2020-01-06"],
    ]
    assert [c.kind for c in table.columns][:4] == ["nominal", "number", "binary", "nominal"]
    assert [note.sentence for note in report.notes] == [
        "Weights in braces stand at the end of 1 row; they were left out."
    ]
    again = read(WEATHER.encode(), "weather.arff", report.decisions)
    assert again.table.digest() == table.digest()


def test_the_table_is_that_of_scipy(tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        f"{x!r},{y!r},c{k}"
        for x, y, k in zip(
            *rng.normal(size=(2, 40)).tolist(), rng.integers(3, size=40), strict=True
        )
    ]
    text = (
        "@relation r\n@attribute x real\n@attribute y NUMERIC\n@attribute kind {c0,c1,c2}\n@data\n"
    )
    path = tmp_path / "r.arff"
    path.write_text(text + "\n".join(lines))
    theirs = read_by_peer(path)
    ours = read(path.read_bytes()).table
    for name in "xy":
        np.testing.assert_array_equal(ours.column(name).values, theirs[name])
    kinds = [ours.cell(row, "kind").encode() for row in range(40)]
    assert kinds == theirs["kind"].tolist()


def read_by_peer(path: Path) -> np.ndarray:
    """The rows by scipy, which lifts a limit of the whole process that our import relies on."""
    limit = csv.field_size_limit()
    try:
        return peer_arff.loadarff(path)[0]
    finally:
        csv.field_size_limit(limit)


def test_a_row_of_another_length_is_told_by_its_line():
    declared = "@relation r\n@attribute x real\n@attribute y real\n@data\n"
    imported = read(f"{declared}1,2\n3\n4,5,6\n{{7 1}}\n{{0 1, b}}\n8,9\n".encode())
    assert [(r.line, r.expected, r.got) for r in imported.report.ragged] == [
        (6, 2, 1), (7, 2, 3), (8, 2, 1), (9, 2, 1),
    ]  # fmt: skip
    assert imported.table.n_rows == 6


@pytest.mark.parametrize(
    "text", ["@relation r\n@attribute x real\n1\n2\n", "@relation r\n@data\n1\n"]
)
def test_what_is_missing_of_the_declaration_is_said(text):
    with pytest.raises(FileError, match="begins like ARFF and lacks"):
        read(text.encode())


@pytest.mark.parametrize(
    "row", ["'" + "\\'" * 60_000, "{" + "1" * 100_000 + " 5}", "'a," * 100_000]
)
def test_a_hostile_row_is_read_in_one_walk(row):
    """Walked anew from each mark or digit this would take hours; a mark that never closes is told
    like any other row of too few or too many cells."""
    text = f"@relation r\n@attribute x string\n@attribute y real\n@data\na,1\n{row}\nb,2\n"
    imported = read(text.encode())
    assert imported.table.n_rows >= 2


def test_the_word_elsewhere_makes_no_arff():
    imported = read(b"who,mail\nAnn,@relation\nBob,@data\n")
    assert imported.table.names == ("who", "mail")


def test_a_chosen_delimiter_does_not_change_what_the_format_says():
    chosen = read(WEATHER.encode(), decisions=Decisions(delimiter=";"))
    assert chosen.table.digest() == read(WEATHER.encode()).table.digest()
