"""Reading: bad files give a sentence, a person's decisions are followed, doubts are told."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

from mlcore.data.audit import audit
from mlcore.data.importing import Bounds, Decisions, decode, read
from mlcore.data.importing.decisions import ENCODINGS
from mlcore.spine.errors import FileError, MlcoreError, ParamError

BAD = {
    "empty": (b"", "The file is empty"),
    "blank": (b"\n \n\t\n", "The file is empty"),
    "only comments": (b"# a\n# b\n", "every line is blank or a comment"),
    "only names": (b"name,age\n", "a line of names .name, age. and no rows"),
    "zero bytes": (b"\x00\x01\x02", "not a text file"),
    "random bytes": (bytes(range(1, 32)) * 4, "not a text file"),
    "one zero byte": (b"a,b\n1,2\n3,\x004\n", "line 3 holds a zero byte"),
    "archive": (b"PK\x03\x04rest", "but a ZIP archive without a workbook in it. Unpack it"),
    "database": (b"SQLite format 3\0", "but a database of SQLite. Export"),
    "web page": (b"\n<!DOCTYPE html>\n<table><tr><td>1", "but a web page. Open it in"),
    "web page, wide": ("<html>\n<table>1,2".encode("utf-16"), "but a web page"),
    "records of JSON": (b'[{"a": 1, "b": 2},\n{"a": 3, "b": 4}]', "but JSON. Write it"),
    "lines of JSON": (b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', "but JSON"),
    "XML": (b'<?xml version="1.0"?>\n<a/>', "but XML"),
    "endless cell": (b"a,b\n" + b"x" * 200_000 + b",1\n", "a cell of more than 131,072"),
    "damaged workbook": (b"\xd0\xcf\x11\xe0rest", "The workbook cannot be read"),
    "damaged Parquet": (b"PAR1rest", "it is cut off, damaged or encrypted"),
    "picture": (b"\x89PNG\r\n", "a picture"),
    "half a letter": (b"\xff\xfea", "cannot be read as utf-16"),
    "too wide": (b"," * 20_000 + b"\n" + b"1," * 20_000, "20,001 columns; at most 20,000"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_table_gives_a_sentence(name):
    data, sentence = BAD[name]
    with pytest.raises(FileError, match=sentence):
        read(data)


def test_a_few_bytes_that_are_no_utf8_are_named_and_the_rest_is_read():
    imported = read("a,b\n1,\xe9t\xe9\n2,ZXrich\n3,\xe4\xf6\n".encode().replace(b"X", b"\xfc"))
    assert imported.table.column("b").levels == ("Z\xfcrich", "\xe4\xf6", "\xe9t\xe9")
    note = imported.report.notes[0]
    assert note.line == 3
    assert "1 of its bytes, the first in line 3" in note.sentence
    again = read(imported.table.to_csv().encode("cp1252"))
    assert again.report.why("encoding").value == "cp1252"


def test_a_file_too_large_gives_a_sentence():
    with pytest.raises(FileError, match="has 2 MB; at most 1 MB"):
        read(b"a" * 2**21, bounds=Bounds(file=2**20))


OVERRIDES = [
    (b"a,b\n1,2\n", Decisions(header="none"), "column_1 binary, column_2 binary"),
    (b"x;y\n1,234;5\n", Decisions(decimal=".", thousands=","), "x constant, y constant"),
    (b"d,x\n01/02/2020,1\n03/04/2021,7\n", Decisions(date_order="mdy"), "d datetime, x count"),
    (b"skip me,1\na,b\n1,2\n3,4\n", Decisions(skip=1), "a count, b count"),
    (b"x,y\nunit,unit\n1,2\n3,4\n", Decisions(header=1), "unit count, unit_2 count"),
    (b"a;b\n1;2\n3;4\n", Decisions(delimiter=","), "a;b binary"),
    (b"a,b\n#1,2\n#3,4\n", Decisions(comment=""), "a binary, b count"),
    (b"a,b\nNA,2\n1,4\n", Decisions(missing=()), "a binary, b count"),
    (b"a,b\n-9,2\n1,4\n8,5\n", Decisions(missing=("-9",)), "a count, b count"),
    (b"a,\xe4\n1,2\n3,5\n", Decisions(encoding="cp1251"), "a count, \u0434 count"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "decisions", "kinds"), OVERRIDES)
def test_a_decision_of_the_person_is_followed(data, decisions, kinds):
    imported = read(data, decisions=decisions)
    assert ", ".join(f"{c.name} {c.kind}" for c in imported.table.columns) == kinds
    chosen = {k: v for k, v in vars(decisions).items() if v is not None}
    for name, value in chosen.items():
        taken = imported.report.why(name)
        assert (taken.value, taken.confidence) == (value, "said by you")


def test_a_chosen_marker_of_holes_is_read_as_a_hole():
    table = read(b"a,b\n-9,2\n1,4\n8,5\n", decisions=Decisions(missing=("-9",))).table
    assert table.missing == {"a": 1, "b": 0}


NONSENSE = [
    {"encoding": "klingon"}, {"delimiter": ";;"}, {"delimiter": '"'}, {"quote": "ab"},
    {"decimal": "x"}, {"thousands": "#"}, {"decimal": ",", "thousands": ","}, {"header": -1},
    {"header": "first"}, {"header_rows": 0}, {"footer": -1}, {"escape": "x"}, {"sheet": 1},
    {"file": 1}, {"skip": -1}, {"skip": True}, {"date_order": "ydm"}, {"missing": (1,)},
    {"delimiter": ";", "quote": ";"}, {"comment": "\n"},
]  # fmt: skip


@pytest.mark.parametrize("fields", NONSENSE)
def test_decisions_that_make_no_sense_are_refused(fields):
    with pytest.raises(ParamError, match="How to read the file: "):
        Decisions(**fields)


def test_ragged_records_are_listed_with_their_lines():
    report = read(b"a,b,c\n1,2,3\n4,5\n6,7,8,9\n").report
    assert [(r.line, r.expected, r.got, r.extra) for r in report.ragged] == [
        (3, 3, 2, ()),
        (4, 3, 4, ("9",)),
    ]
    assert [n.line for n in report.notes] == [3, 4]
    assert "such as '9', is in no column" in report.notes[1].sentence


def test_line_numbers_count_preamble_comments_and_quoted_breaks():
    data = b'about\n\na,b\n# c\n1,"x\ny"\n2\n3,z\n'
    report = read(data, decisions=Decisions(comment="#")).report
    assert [r.line for r in report.ragged] == [7]


def test_new_names_and_markers_are_reported():
    report = read(b",v,v\nr,1,NA\ns,?,4\n").report
    assert report.renamed == (("", "row_name"), ("v", "v_2"))
    assert report.missing == (("v", ("?",)), ("v_2", ("NA",)))


NOTES = {
    "open decimal comma": (b"a;b\n1,234;1\n2,500;2\n", "may be a decimal mark", ("decimal", ".")),
    "open thousands comma": (
        b"a\tb\n1,234\t1\n2,500\t2\n",
        "it was read as 1234",
        ("decimal", ","),
    ),
    "open dates": (
        b"d,x\n01/02/2020,1\n03/04/2021,7\n",
        "none of them decides",
        ("date_order", "dmy"),
    ),
    "units": (b"p,m\n12%,$1.50\n7.5%,$20\n", "12% was read as 12", ("texts", ("p",))),
    "infinity": (b"a,b\n1e999,1\n2.5,2\n3,4\n", "1 cell too large for a number", ("texts", ("a",))),
    "open quote": (b'a,b\n1,"x\n2,y\n3,z\n', "In line 2 a quotation mark opens", ("unclosed", ())),
    "empty column": (b"a,,c\n1,,3\n4,,6\n", "Column 2 has neither a name nor a value", None),
}


@pytest.mark.parametrize("name", NOTES)
def test_what_is_doubtful_is_noted(name):
    data, sentence, fix = NOTES[name]
    notes = [n for n in read(data).report.notes if sentence in n.sentence]
    assert [n.fix for n in notes] == [fix]


def test_the_fix_of_few_strange_cells_makes_numbers():
    data = b"a,b\n" + b"".join(b"%d.5,x\n" % i for i in range(20)) + b"oops,y\n"
    note = read(data).report.notes[0]
    assert "numbers but for 1 cell: 'oops', the first in row 21" in note.sentence
    field, value = note.fix
    fixed = read(data, decisions=Decisions(**{field: value})).table
    assert fixed.column("a").kind == "number"
    assert fixed.missing["a"] == 1


def test_beyond_the_sample_nothing_is_taken_for_granted():
    rows = [f"{i},{i}.5,word" for i in range(1000)]
    plain = read("\n".join(["a,b,c", *rows]).encode())
    rows[900] = '"1,000",x,word'
    odd = read("\n".join(["a,b,c", *rows]).encode())
    rows[900] = "900,1.5,word,extra"
    ragged = read("\n".join(["a,b,c", *rows]).encode())
    assert odd.table.cell(900, "a") == "1000"
    assert odd.table.column("b").kind == "identifier"
    assert "'x', the first in row 901" in odd.report.notes[-1].sentence
    assert [r.line for r in ragged.report.ragged] == [902]
    np.testing.assert_array_equal(ragged.table.column("a").values, plain.table.column("a").values)


def test_long_codes_beyond_the_sample_keep_their_digits():
    rows = [f"{i},{i % 7}" for i in range(1000)] + ["12345678901234567891,1"]
    table = read("\n".join(["a,b", *rows]).encode()).table
    assert table.cell(1000, "a") == "12345678901234567891"


def test_both_parsers_give_the_same_table():
    rows = [f'{i},{i / 7},"a ""b"" {i % 5}",2020-01-{i % 28 + 1:02d}' for i in range(300)]
    regular = "\n".join(["a,b,c,d", *rows, ""])
    # A comment in the body sends the same text through the careful reader.
    careful = regular.replace("\n7,", "\n#\n7,", 1)
    one = read(regular.encode())
    other = read(careful.encode(), decisions=Decisions(comment="#"))
    assert one.table.digest() == other.table.digest()


def reads_or_says(data: bytes, decisions: Decisions | None = None) -> None:
    """A table that can be written, audited and read again the same way, or a sentence."""
    try:
        imported = read(data, "any", decisions)
    except MlcoreError as error:
        said, table = str(error), None
    else:
        said, table = "A table.", imported.table
    assert said.endswith(".")
    if table is None:
        return
    assert table.to_csv()
    assert read(data, "again", imported.report.decisions).table.digest() == table.digest()
    for target in (None, table.names[-1]):
        audit(table, target)


QUIET = settings(max_examples=75, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MARKS = st.sampled_from(list("\\()!,;\t| \"'\n\r#%.-+eE0123456789abNA:/\u00e9€\ufeff\x0b\u2028"))


@QUIET
@given(st.binary(max_size=200))
@example(b'"')
@example(b",")
@example(b"\n,\n")
@example(b"\xff\xfe\x00\xd8")
@example(b"a,b\n1e308,-1e308\n-1e308,1e308\n")
def test_any_bytes_give_a_table_or_a_sentence(data):
    reads_or_says(data)


@QUIET
@given(st.text(MARKS, max_size=120))
@example("\t\r%")
@example('a,"b\n1,2\n')
@example('"\r0 ')
@example("a,b\n9999-12-31T23:59:59-10:00,1\n0001-01-01T00:00:00+10:00,2\n")
def test_any_text_of_marks_gives_a_table_or_a_sentence(text):
    reads_or_says(text.encode())


ANY_DECISIONS = st.builds(
    dict,
    encoding=st.sampled_from([None, *ENCODINGS]),
    delimiter=st.sampled_from([None, ",", ";", " ", "a", "1"]),
    quote=st.sampled_from([None, "", '"', "'", "b"]),
    decimal=st.sampled_from([None, ".", ","]),
    thousands=st.sampled_from([None, "", ".", ",", " "]),
    escape=st.sampled_from([None, "", "\\"]),
    header=st.sampled_from([None, "none", 0, 1, 5]),
    header_rows=st.sampled_from([None, 1, 2, 4]),
    missing=st.sampled_from([None, (), ("1", "a")]),
    date_order=st.sampled_from([None, "dmy", "mdy", "ymd"]),
    skip=st.sampled_from([None, 0, 1, 4]),
    footer=st.sampled_from([None, 0, 1, 3]),
    comment=st.sampled_from([None, "", "#", "1"]),
    unclosed=st.sampled_from([None, (), (1,), (2, 3)]),
    inner=st.sampled_from([None, (), (1,), (2, 3)]),
    left_out=st.sampled_from([None, (), (1,), (2, 3)]),
    texts=st.sampled_from([None, (), ("a", "column_1")]),
    alike=st.sampled_from([None, (), ("a", "column_1")]),
    all_values=st.sampled_from([None, (), ("a", "column_1")]),
)


@QUIET
@given(st.text(MARKS, max_size=80), ANY_DECISIONS)
def test_any_decisions_give_a_table_or_a_sentence(text, fields):
    try:
        decisions = Decisions(**fields)
    except ParamError:
        return
    reads_or_says(text.encode(), decisions)


def test_every_encoding_that_can_be_chosen_is_known():
    for name in ENCODINGS:
        assert decode.decode("a,b\n1,2\n".encode(name), name).text == "a,b\n1,2\n"
