"""Workbooks of spreadsheet programs: the cells of a sheet as delimited text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, NamedTuple

from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from mlcore.data import cells
from mlcore.data.importing import archive, extent
from mlcore.data.importing.bounds import Bounds
from mlcore.data.importing.errors import as_file_error
from mlcore.data.importing.report import CHOSEN, LIKELY, SURE, Decision, Note
from mlcore.data.importing.unseen import unseen
from mlcore.spine.errors import FileError

OLD_EXCEL = b"\xd0\xcf\x11\xe0"
CONTENTS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}  # Excel's, and OpenDocument's
# What of reading a text is known, because the text is written here.
HOW_WRITTEN = {
    "encoding": "utf-8",
    "delimiter": ",",
    "quote": '"',
    "escape": "",
    "decimal": ".",
    "thousands": "",
    "unclosed": (), "inner": (),
}  # fmt: skip
SURELY = {
    name: Decision(name, value, "A workbook keeps its cells apart itself.", SURE)
    for name, value in HOW_WRITTEN.items()
}


class Sheet(NamedTuple):
    """The text of a sheet, why that sheet, and the names of all."""

    text: bytes
    taken: Decision
    names: tuple[str, ...]
    notes: tuple[Note, ...]


def is_workbook(data: bytes) -> bool:
    """Whether the bytes are a workbook of Excel, old or new, or of OpenDocument."""
    return data.startswith(OLD_EXCEL) or bool(CONTENTS & archive.names(data))


def sheets(data: bytes, asked: str | None, bounds: Bounds) -> Iterator[Sheet]:
    """The sheet that was asked for, or all in turn, those with several columns first.

    Raises FileError if the bytes are no workbook, or have no sheet of that name.
    """
    book = _opened(data, bounds)
    # Hidden sheets come last; a sheet of a chart holds no cells.
    worksheets = [
        metadata for metadata in book.sheets_metadata if metadata.typ == SheetTypeEnum.WorkSheet
    ]
    worksheets.sort(key=lambda metadata: metadata.visible != SheetVisibleEnum.Visible)
    names = tuple(metadata.name for metadata in worksheets)
    if asked is not None and asked not in names:
        raise FileError(f"The workbook has no sheet {asked!r}; it has {', '.join(names)}.")
    later = []  # sheets of one column: they may be tables, but any other comes first
    for name in names if asked is None else [asked]:
        part = extent.sheet_part(data, name, bounds)
        extent.check_sheet(data, part, bounds)
        rows, merged = _rows(book, name)
        notes = (*_filled(rows, merged), *_broken(rows), *unseen(part))
        sheet = Sheet(_text(rows), _why(name, names, asked), names, notes)
        if _has_columns(rows):
            yield sheet
        else:
            later.append(sheet)
    yield from later


def _opened(data: bytes, bounds: Bounds) -> CalamineWorkbook:
    if data.startswith(archive.BEGIN):
        archive.check(data, bounds)
        extent.check_open_document(data, bounds)
    with as_file_error("workbook", archive.AS_CSV):
        return CalamineWorkbook.from_filelike(io.BytesIO(data))


def _rows(book: CalamineWorkbook, name: str) -> tuple[list[list[Any]], list[Any]]:
    """The cells of a sheet, and the ranges that are merged, as far as they lie among them."""
    with as_file_error("workbook", archive.AS_CSV):
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=False)
        merged = sheet.merged_cell_ranges or []
    width = len(rows[0]) if rows else 0
    merged = [span for span in merged if span[0][0] < len(rows) and span[0][1] < width]
    if sum(min(end, len(rows)) - top for (top, _), (end, _) in merged) > len(rows) * width:
        raise FileError(f"The sheet {name!r} merges some cells many times over. {archive.AS_CSV}")
    return rows, merged


def _has_columns(rows: list[list[Any]]) -> bool:
    """Whether two rows or more have several cells."""
    return sum(sum(cell != "" for cell in row) > 1 for row in rows) > 1


def _why(name: str, names: tuple[str, ...], asked: str | None) -> Decision:
    if asked is not None:
        return Decision("sheet", name, "You chose it.", CHOSEN)
    if len(names) == 1:
        return Decision("sheet", name, "The workbook has one sheet.", SURE)
    return Decision("sheet", name, f"It is the first of {len(names)} that holds a table.", LIKELY)


def _filled(rows: list[list[Any]], merged: list[Any]) -> tuple[Note, ...]:
    """Write what stands in cells merged downwards into each of them, and say so.

    Cells merged to the right are titles or names of groups, which are read as such.
    """
    count = 0
    for (top, left), (bottom, right) in merged:
        below = rows[top + 1 : bottom + 1] if left == right else []
        for row in below:
            row[left] = rows[top][left]
        count += len(below)
    if not count:
        return ()
    sentence = f"Cells are merged; what they hold was written into the {count} below the first."
    return (Note(sentence),)


def _broken(rows: list[list[Any]]) -> tuple[Note, ...]:
    """A note on cells of several lines: with them, lines would not count rows."""
    broken = [at for at, row in enumerate(rows, 1) for cell in row if "\n" in str(cell)]
    if not broken:
        return ()
    sentence = (
        f"Line breaks within cells were read as blanks, in {len(broken)} of them, the first in row "
        f"{broken[0]} of the sheet."
    )
    return (Note(sentence, line=broken[0]),)


def _text(rows: list[list[Any]]) -> bytes:
    """Comma-separated text; a row without cells is a blank line, so that lines count rows."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in rows:
        texts = [_cell(value) for value in row]
        if any(texts):
            writer.writerow(texts)
        else:
            lines.write("\n")
    return lines.getvalue().encode()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return cells.number_text(value)
    if isinstance(value, datetime):
        return value.isoformat().removesuffix("T00:00:00")
    return value.isoformat() if isinstance(value, date) else " ".join(str(value).splitlines())
