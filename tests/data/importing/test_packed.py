"""One table inside an archive, and that of a web page, are read; bombs and nests are refused."""

from __future__ import annotations

import gzip
import io
import zipfile
from contextlib import suppress

import pytest

from mlcore.data.importing import Bounds, read
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


REFUSED = {
    "two files": (zipped(a_dot_csv=CSV, b_dot_csv=CSV), "without a workbook in it"),
    "archive in archive": (gzip.compress(gzip.compress(CSV)), "holds another archive"),
    "cut off": (gzip.compress(CSV)[:-9], "cut off"),
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
