"""Small files that ask for much: each is built from its declarations, in a few lines."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="one" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
ROOT = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="xl/workbook.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    "</Relationships>"
)
LINKS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/>'
    '<Relationship Id="rId2" Target="sharedStrings.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"/>'
    "</Relationships>"
)
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'
)
TEXTS = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</sst>'
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
MANIFEST = (
    '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry '
    'm:full-path="/" m:media-type="application/vnd.oasis.opendocument.spreadsheet"/></m:manifest>'
)
CONTENT = (
    '<office:document-content '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    '<office:body><office:spreadsheet><table:table table:name="one">{}</table:table>'
    "</office:spreadsheet></office:body></office:document-content>"
)  # fmt: skip


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return out.getvalue()


def parts(data: bytes) -> dict[str, bytes]:
    """The parts of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        return {name: held.read(name) for name in held.namelist()}


def excel(rows: str, after: str = "", texts: str = "") -> bytes:
    """A workbook of Excel whose sheet has these rows, and this after them."""
    sheet = SHEET.format(f"<sheetData>{rows}</sheetData>{after}")
    return archive(
        {
            "[Content_Types].xml": TYPES,
            "_rels/.rels": ROOT,
            "xl/workbook.xml": BOOK,
            "xl/_rels/workbook.xml.rels": LINKS,
            "xl/worksheets/sheet1.xml": sheet,
            "xl/sharedStrings.xml": TEXTS.format(texts),
        }
    )


def cell(at: str, value: float = 1.0) -> str:
    """A cell of Excel that holds a number."""
    return f'<c r="{at}"><v>{value}</v></c>'


def rows_of(*cells: str) -> str:
    """A row for each cell."""
    return "".join(f"<row>{it}</row>" for it in cells)


def small_excel() -> bytes:
    """A sheet of three columns that is as it should be."""
    names = "".join(f'<c r="{c}1" t="s"><v>{at}</v></c>' for at, c in enumerate("ABC"))
    rows = [
        f'<row r="{r}">' + "".join(cell(f"{c}{r}", r * at + 0.5) for at, c in enumerate("ABC"))
        + "</row>" for r in range(2, 12)
    ]  # fmt: skip
    texts = "".join(f"<si><t>{name}</t></si>" for name in ("a", "b", "c"))
    return excel(f'<row r="1">{names}</row>{"".join(rows)}', texts=texts)


def shared(times: int, length: int) -> bytes:
    """One text that as many cells share."""
    one = '<row><c t="s"><v>0</v></c></row>'
    return excel(one * times, texts=f"<si><t>{'x' * length}</t></si>")


def open_document(table: str) -> bytes:
    """A workbook of OpenDocument whose sheet holds this."""
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": MANIFEST,
            "content.xml": CONTENT.format(table),
        }
    )


def number(columns: int = 1) -> str:
    """A cell of OpenDocument that stands in as many columns."""
    return (
        f'<table:table-cell table:number-columns-repeated="{columns}" office:value-type="float" '
        'office:value="1"><text:p>1</text:p></table:table-cell>'
    )


def line(cells: str, rows: int = 1) -> str:
    """A row of OpenDocument that stands there as many times."""
    return f'<table:table-row table:number-rows-repeated="{rows}">{cells}</table:table-row>'


def empty(columns: int) -> str:
    """As many columns of OpenDocument without anything in them."""
    return f'<table:table-cell table:number-columns-repeated="{columns}"/>'


def small_open_document() -> bytes:
    """A sheet as spreadsheet programs write it: all that is empty is said, to the far end."""
    rows = "".join(line(number() + number(2) + empty(16_381)) for _ in range(8))
    return open_document(rows + line(empty(16_384), 1_048_568))


def unpacking(size: int, *, said: int | None = None) -> bytes:
    """A workbook with a part of so many bytes, which may say another size."""
    content = archive({**parts(small_excel()), "xl/theme.xml": bytes(size)})
    if said is None:
        return content
    # The size stands 24 bytes into the entry of the directory, and 22 into the part's own header.
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = content.rindex(mark) + place
        content = content[:at] + struct.pack("<I", said) + content[at + 4 :]
    return content


def parquet(table: pa.Table, **how: object) -> bytes:
    """A Parquet file of this table."""
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", **how)  # type: ignore[arg-type]
    return out.getvalue()


def small_parquet() -> bytes:
    """A Parquet file that is as it should be, with texts, numbers, dates and a list."""
    return parquet(
        pa.table(
            {
                "n": pa.array(np.arange(20) / 7),
                "t": pa.array([f"name {i % 3}" for i in range(20)]),
                "d": pa.array(np.arange(20), pa.timestamp("s")),
                "l": pa.array([[i] * 3 for i in range(20)]),
            }
        )
    )


def one_number(rows: int) -> bytes:
    """A column of one number in as many rows."""
    return parquet(pa.table({"a": pa.array(np.zeros(rows, dtype=np.int8))}))


def one_text(rows: int, length: int) -> bytes:
    """A column of one long text in as many rows, which the file holds once."""
    codes = pa.array(np.zeros(rows, dtype=np.int32))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * length]))
    return parquet(pa.table({"a": column, "b": pa.array(np.arange(rows))}))


def lists(rows: int, length: int) -> bytes:
    """A column of lists of one number."""
    offsets = pa.array(np.arange(rows + 1, dtype=np.int64) * length)
    values = pa.array(np.zeros(rows * length, dtype=np.int8))
    return parquet(pa.table({"a": pa.LargeListArray.from_arrays(offsets, values)}))


def sparse(attributes: int, rows: int) -> bytes:
    """An ARFF file of rows that say nothing, which means all zeros."""
    head = "\n".join(f"@attribute a{at} numeric" for at in range(attributes))
    return f"@relation r\n{head}\n@data\n{'{}' + chr(10)}".encode() + b"{}\n" * (rows - 1)


def short_rows(columns: int, rows: int) -> bytes:
    """Text of many names, a few whole rows and many that leave nearly everything out."""
    names = ",".join(f"a{at}" for at in range(columns))
    return "\n".join([names, *[",".join("1" * columns)] * 3, *["1,2"] * rows]).encode()
