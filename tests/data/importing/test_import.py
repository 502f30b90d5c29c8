"""Reading: files of many habits give the right table, bad ones a sentence, all repeatably."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from mlcore.data import bundled
from mlcore.data.importing import Decisions, read

# name: (bytes, kinds by column, cells of the first two rows)
FILES: dict[str, tuple[bytes, str, str]] = {
    "plain": (b"a,b\n1,2.5\n3,4\n", "a count, b number", "1 2.5|3 4"),
    "semicolons, decimal comma": (
        b"n;x;y\nu;1,5;2\nv;2,25;3\nw;0,5;7\n",
        "n nominal, x number, y count",
        "u 1.5 2|v 2.25 3",
    ),
    "decimal comma, thousands point": (
        b"x;y\n1.234,5;1\n2.500,25;7\n",
        "x number, y count",
        "1234.5 1|2500.25 7",
    ),
    "comma between quotes as thousands": (
        b'x,y\n"1,234,567",1\n"2,500",7\n',
        "x count, y count",
        "1234567 1|2500 7",
    ),
    "blank as thousands": (
        b"x;y\n1 234;1,5\n22 500;2,5\n",
        "x count, y number",
        "1234 1.5|22500 2.5",
    ),
    "apostrophe as thousands": (b"x;y\n1'234;1\n2'500;7\n", "x count, y count", "1234 1|2500 7"),
    "decimal comma between commas": (
        b'x,y\n"1,5",3\n"2,25",4\n',
        "x number, y count",
        "1.5 3|2.25 4",
    ),
    "one column of decimal commas": (b"x\n1,5\n2,5\n3,25\n", "x number", "1.5|2.5"),
    "tabs": (b"a\tb c\n1\tx y\n3\tz\n4\tz\n", "a count, b c binary", "1 x_y|3 z"),
    "upright bars": (b"a|b\n1|x\n3|z\n4|z\n", "a count, b binary", "1 x|3 z"),
    "runs of blanks": (b"  x   y\n1.5  2\n10.25 13 \n", "x number, y count", "1.5 2|10.25 13"),
    "blanks behind commas": (b'a, b\n1, "x, y"\n4, "z"\n', "a count, b binary", "1 x,_y|4 z"),
    "single quotes": (b"a,b\n1,'x, y'\n4,'z'\n", "a count, b binary", "1 x,_y|4 z"),
    "byte order mark": (b"\xef\xbb\xbfa,b\n1,2.5\n3,4\n", "a count, b number", "1 2.5|3 4"),
    "utf-16 with mark": ("a,é\n1,ü\n3,ß\n".encode("utf-16"), "a count, é binary", "1 ü|3 ß"),
    "utf-16 without mark": (
        "ab,cd\n1,x\n3,y\n".encode("utf-16-le"),
        "ab count, cd binary",
        "1 x|3 y",
    ),
    "utf-16 big end first": (
        "ab,cd\n1,x\n3,y\n".encode("utf-16-be"),
        "ab count, cd binary",
        "1 x|3 y",
    ),
    "utf-32": ("a,b\n1,x\n3,y\n".encode("utf-32"), "a count, b binary", "1 x|3 y"),
    "cp1252": ("a;größe\n1;5 €\n3;7 €\n".encode("cp1252"), "a count, größe count", "1 5|3 7"),
    "latin-1": ("a,b\n1,é\n3,y\n".encode("latin-1"), "a count, b binary", "1 é|3 y"),
    "crlf": (b"a,b\r\n1,2\r\n3,4\r\n", "a count, b count", "1 2|3 4"),
    "cr": (b"a,b\r1,2\r3,4\r", "a count, b count", "1 2|3 4"),
    "mixed line ends": (b"a,b\r\n1,2\n3,4\r5,6", "a count, b count", "1 2|3 4"),
    "quoted line breaks": (
        b'a,b\n1,"x\ny"\n3,"say ""hi"""\n',
        "a count, b binary",
        '1 x\ny|3 say_"hi"',
    ),
    "no header": (b"1,2.5\n3,4\n5,6\n", "column_1 count, column_2 number", "1 2.5|3 4"),
    "row names without a name": (
        b"a,b\nr1,1,2\nr2,3,4\n",
        "row_name identifier, a count, b count",
        "r1 1 2|r2 3 4",
    ),
    "row names under an empty name": (
        b'"","a"\n"7",1.5\n"9",3\n',
        "row_name identifier, a number",
        "7 1.5|9 3",
    ),
    "comment lines": (b"# made by x\na,b\n1,2\n# middle\n3,4\n", "a count, b count", "1 2|3 4"),
    "names in a comment": (b"# run 7\n# x y\n1 2.5\n4 5\n", "x count, y number", "1 2.5|4 5"),
    "lines above the table": (
        b"Report of May\nby me\n\na,b,c\n1,2,3\n4,5,6\n",
        "a count, b count, c count",
        "1 2 3|4 5 6",
    ),
    "sep line": (b"sep=;\na;b\n1;2,5\n3;4\n", "a count, b number", "1 2.5|3 4"),
    "years as names": (
        b"country,2019,2020\nA,1.5,2\nB,3,4\nC,5,6\n",
        "country nominal, 2019 number, 2020 count",
        "A 1.5 2|B 3 4",
    ),
    "ragged": (b"a,b,c\n1,2,3\n4,5\n6,7,8,9\n", "a count, b count, c count", "1 2 3|4 5 -"),
    "empty column": (b"a,,c\n1,,3\n4,,6\n", "a count, c count", "1 3|4 6"),
    "named empty column": (b"a,b,c\n1,,3\n4,,6\n", "a count, b constant, c count", "1 - 3|4 - 6"),
    "delimiter at the end": (b"a,b,\n1,2,\n3,4,\n", "a count, b count", "1 2|3 4"),
    "delimiter at the end of rows": (b"a,b\n1,2,\n3,4,\n", "a count, b count", "1 2|3 4"),
    "duplicate names": (b"a,a,a_2\n1,2,3\n4,5,6\n", "a count, a_3 count, a_2 count", "1 2 3|4 5 6"),
    "all text": (
        b"n,city\nAnn,Rome\nBob,Rome\nCid,Oslo\n",
        "n nominal, city binary",
        "Ann Rome|Bob Rome",
    ),
    "one row": (b"a,b\n1,x\n", "a constant, b constant", "1 x"),
    "one row of numbers": (b"1,2\n", "column_1 constant, column_2 constant", "1 2"),
    "markers of holes": (b"a,b\nNA,x\n2,n/a\n,y\nnull,?\n7,y\n", "a count, b binary", "- x|2 -"),
    "dashes among numbers": (b"a,b\n1,-\n.,2\n3,4\n", "a count, b count", "1 -|- 2"),
    "sentinels stay": (b"a,b\n1.5,-999\n2,3\n4,-999\n", "a number, b count", "1.5 -999|2 3"),
    "iso dates": (
        b"d,x\n2020-01-31,1\n2020-02-01T12:30:00Z,7\n",
        "d datetime, x count",
        "2020-01-31 1|2020-02-01T12:30:00 7",
    ),
    "day first": (
        b"d,x\n01/02/2021,1\n31/12/2020,7\n",
        "d datetime, x count",
        "2021-02-01 1|2020-12-31 7",
    ),
    "month first": (
        b"d,x\n01/02/2021,1\n12/31/2020,7\n",
        "d datetime, x count",
        "2021-01-02 1|2020-12-31 7",
    ),
    "dates with dots": (
        b"d;x\n01.02.2020;1,5\n03.04.2021;2\n",
        "d datetime, x number",
        "2020-02-01 1.5|2021-04-03 2",
    ),
    "open dates stay names": (
        b"d,x\n01/02/2020,1\n03/04/2021,7\n",
        "d binary, x count",
        "01/02/2020 1|03/04/2021 7",
    ),
    "per cent and money": (b"p,m\n12%,$1.50\n7.5%,$20\n", "p number, m number", "12 1.5|7.5 20"),
    "zeros before codes": (
        b"zip,v\n01234,1\n10001,4\n99999,7\n",
        "zip nominal, v count",
        "01234 1|10001 4",
    ),
    "numbers too long to be exact": (
        b"k,v\n12345678901234567890,1\n12345678901234567891,7\n",
        "k binary, v count",
        "12345678901234567890 1|12345678901234567891 7",
    ),
    "a scale": (b"q,v\npoor,1\ngood,4\nfair,7\n", "q ordinal, v count", "poor 1|good 4"),
    "truth values": (b"f,v\nTRUE,1\nFALSE,4\nTRUE,7\n", "f binary, v count", "TRUE 1|FALSE 4"),
    "free text": (
        b"t\nthe first of some sentences\nand here is one more\n",
        "t binary",
        "the_first_of_some_sentences|and_here_is_one_more",
    ),
    "a hole in a single column": (b'x\n1\n""\n3\n', "x count", "1|-"),
}


def shown(table) -> tuple[str, str]:
    """Kinds and first cells of a table in the form of FILES."""
    kinds = ", ".join(f"{c.name} {c.kind}" for c in table.columns)
    rows = [
        " ".join(c.cell(row).replace(" ", "_") or "-" for c in table.columns)
        for row in range(min(2, table.n_rows))
    ]
    return kinds, "|".join(rows)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_this_habit_is_read(name):
    data, kinds, cells = FILES[name]
    assert shown(read(data, name).table) == (kinds, cells)


@pytest.mark.parametrize("name", FILES)
def test_the_decisions_taken_repeat_the_reading(name):
    first = read(FILES[name][0])
    again = read(FILES[name][0], decisions=first.report.decisions)
    assert again.table.digest() == first.table.digest()


@pytest.mark.parametrize("name", FILES)
def test_every_decision_has_a_reason(name):
    taken = read(FILES[name][0]).report.taken
    assert sorted(t.name for t in taken) == sorted(Decisions.__dataclass_fields__)
    assert all(t.reason.endswith(".") and t.confidence for t in taken)


# Four million cells as text take many seconds, and are of the same sort as those of digits8.
@pytest.mark.parametrize("name", [name for name in bundled.names() if name != "mnist5000"])
def test_bundled_tables_survive_writing_and_reading(name):
    table = bundled.load(name)
    again = read(table.to_csv().encode()).table
    assert again.names == table.names
    for one, other in zip(table.columns, again.columns, strict=True):
        assert one.texts() == other.texts()


@pytest.mark.parametrize("name", bundled.names())
def test_pandas_reads_the_same_values(name):
    frame = pd.read_csv(bundled.entry(name).path)
    table = bundled.load(name)
    for column in table.columns:
        theirs = frame[column.name]
        np.testing.assert_array_equal(np.isnan(column.values), theirs.isna())
        if column.kind in ("number", "count"):
            np.testing.assert_array_equal(column.values, theirs.to_numpy(dtype=float))
        else:
            filled = ["" if pd.isna(v) else str(v) for v in theirs]
            assert column.texts() == filled


def test_pandas_reads_the_same_values_of_a_large_file():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(3000, 4)), columns=list("abcd"))
    frame["e"] = rng.integers(-(10**6), 10**6, 3000)
    frame.loc[::7, "b"] = np.nan
    table = read(frame.to_csv(index=False).encode()).table
    theirs = pd.read_csv(io.StringIO(frame.to_csv(index=False)))
    np.testing.assert_array_equal(table.matrix(), theirs.to_numpy(dtype=float))
