"""One table inside an archive, and that of a web page, are read; bombs and nests are refused."""

from __future__ import annotations

import gzip
import io
import zipfile
from contextlib import suppress

import pytest

from mlcore.data.importing import Bounds, Decisions, read
from mlcore.spine.errors import FileError
from tests.data.importing.test_patterns import limited

CSV = b"name,n\nAnn,1\nBob,2\nCid,4\n"


def zipped(**files: bytes) -> bytes:
    """An archive of files, by their names without dots."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name.replace("_dot_", "."), content)
    return out.getvalue()


PACKED = {
    "gzip": gzip.compress(CSV),
    # As programs write it that pack in parallel: the first piece alone is a table, too.
    "gzip in pieces": b"".join(gzip.compress(CSV[at : at + 7]) for at in range(0, len(CSV), 7)),
    "gzip with padding": gzip.compress(CSV) + bytes(512),
    "zip": zipped(t_dot_csv=CSV),
    "zip of a Mac": zipped(**{"a/t_dot_csv": CSV, "__MACOSX/a/._t_dot_csv": b"x", "a/": b""}),
}


@pytest.mark.parametrize("name", PACKED)
def test_the_one_table_of_an_archive_is_read(name):
    imported = read(PACKED[name])
    assert imported.table.digest() == read(CSV).table.digest()
    assert "unpacked" in imported.report.notes[0].sentence or "t.csv" in str(imported.report.notes)
    again = read(PACKED[name], decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()


SEVERAL = zipped(
    a_dot_txt=b"About these tables: they are made up.\n",
    z_dot_csv=CSV,
    **{"in/b_dot_csv": b"u\n1\n2\n"},
)


def test_of_several_files_the_first_table_is_read_and_others_can_be_chosen():
    imported = read(SEVERAL)
    assert imported.table.digest() == read(CSV).table.digest()
    assert imported.report.files == ("in/b.csv", "z.csv", "a.txt")
    assert imported.report.why("file").reason == "It is the first of 3 that holds a table."
    again = read(SEVERAL, decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()
    other = read(SEVERAL, decisions=Decisions(file="in/b.csv"))
    assert (other.table.names, other.table.n_rows) == (("u",), 2)
    with pytest.raises(
        FileError, match=r"has no table 'c\.csv'; it has in/b\.csv, z\.csv and a\.txt"
    ):
        read(SEVERAL, decisions=Decisions(file="c.csv"))


def test_of_files_of_one_column_the_first_is_read():
    both = zipped(a_dot_csv=b"u\n1\n2\n", b_dot_csv=b"v\n1\n2\n")
    assert read(both).table.names == ("u",)


REFUSED = {
    "files that are no tables": (zipped(a_dot_xml=CSV, b_dot_png=CSV), "without a workbook in it"),
    "tables that cannot be read": (zipped(a_dot_csv=b"", b_dot_csv=b"\0"), "."),
    "archive in archive": (gzip.compress(gzip.compress(CSV)), "holds another archive"),
    "cut off": (gzip.compress(CSV)[:-9], "cut off"),
    "cut off in its last piece": (gzip.compress(CSV) + gzip.compress(CSV)[:-9], "cut off"),
    "bomb in pieces": (gzip.compress(bytes(2**19)) * 6, "unpacks to more than"),
    "bomb of gzip": (gzip.compress(bytes(3 * 2**20)), "unpacks to more than"),
    "bomb of ZIP": (zipped(a_dot_csv=bytes(3 * 2**20)), "unpacks to more than"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_archives_are_refused_in_a_sentence(name):
    data, words = REFUSED[name]
    with pytest.raises(FileError, match=words):
        read(data, bounds=Bounds(file=2**20, unpacked=2**21))


PAGE = (
    "<html><head><meta charset='utf-8'><style>td {{}}</style></head><body><h1>Report</h1>"
    "<table border=1><tr><th>name<th>n</th></tr>{}</table></body></html>"
)
ROWS = "".join(f"<tr><td>a &amp; <b>{i}</b></td>\n<td>{i},5</td></tr>" for i in range(9))


def test_the_table_of_a_page_saved_as_xls_is_read():
    imported = read(PAGE.format(ROWS).encode(), "report.xls")
    assert imported.table.names == ("name", "n")
    assert imported.table.n_rows == 9
    assert imported.table.cell(3, "name") == "a & 3"
    assert imported.table.column("n").values.tolist() == [i + 0.5 for i in range(9)]
    assert "web page" in imported.report.notes[0].sentence
    again = read(PAGE.format(ROWS).encode(), decisions=imported.report.decisions)
    assert again.table.digest() == imported.table.digest()


def test_cells_over_several_rows_or_columns_are_written_out():
    rows = "<tr><td rowspan=2>x</td><td>1</td></tr><tr><td>2</td></tr><tr><td colspan=2>y</td></tr>"
    table = read(PAGE.format(rows + "<tr><td>z<td>4</tr>").encode()).table
    assert [table.cell(row, "name") for row in range(4)] == ["x", "x", "y", "z"]


@pytest.mark.parametrize("body", ["<p>Hello", "<table><tr><td>menu</td></tr></table>"])
def test_a_page_without_a_table_is_refused(body):
    with pytest.raises(FileError, match="a web page"):
        read(f"<html><body>{body}</body></html>".encode())


def test_a_page_whose_cells_reach_far_is_refused():
    wide = "<table>" + "<tr>" + "<td rowspan=9999 colspan=999>x" * 9 + "<tr>" * 9000
    with pytest.raises(FileError, match="at most"):
        read(wide.encode())


@pytest.mark.parametrize("pad", ["<td", "<", "<table>", "<tr>", "</td>", "<td>", " colspan=", "&"])
def test_a_long_page_is_read_in_proportion_to_its_length(pad):
    page = "<table><tr><td>a<td>b<tr><td>1<td>" + pad * (400_000 // len(pad))
    with limited(10.0), suppress(FileError):
        read(page.encode())
