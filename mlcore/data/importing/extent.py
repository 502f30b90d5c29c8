"""How many cells a sheet asks for: few bytes may name a cell far away, or repeat one."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from mlcore.data.importing import archive
from mlcore.data.importing.bounds import Bounds
from mlcore.data.importing.errors import as_file_error

BOOK, LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
TEXTS, OPEN_DOCUMENT = "xl/sharedStrings.xml", "content.xml"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PLACED = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br\s*=\s*["']([A-Za-z]{1,7})([0-9]{1,10})""")
_ROW = re.compile(rb"<(?:\w+:)?row\b")
_CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
_SHARED = re.compile(rb"""\bt\s*=\s*["']s["'][^>]*>\s*<(?:\w+:)?v>\s*([0-9]{1,9})""")
_TEXT = re.compile(rb"<(?:\w+:)?si\b")
# Of OpenDocument: tables, their rows, and cells, those with nothing in them closed at once.
_TAG = re.compile(
    rb"<table:(table|table-row|(?:covered-)?table-cell)"
    rb"((?:\s[^>]*?)?)(/?)>(\s*</table:(?:covered-)?table-cell>)?"
)
_ROWS = re.compile(rb"""table:number-rows-repeated\s*=\s*["']([0-9]{1,18})""")
_COLUMNS = re.compile(rb"""table:number-columns-repeated\s*=\s*["']([0-9]{1,18})""")
_MARKUP = re.compile(rb"<[^<>]*>")  # to the next one at most, where no tag ends
FEW = 100  # elements of other names that begin like cells; they need not be told apart
LONG = 1000  # bytes with their markup; shorter texts need no more room than their cells


def sheet_part(data: bytes, sheet: str, bounds: Bounds) -> bytes:
    """The part of the archive that holds a sheet of Excel; nothing for any other workbook."""
    if not archive.names(data) >= {BOOK, LINKS}:
        return b""
    book, links = archive.part(data, BOOK, bounds), archive.part(data, LINKS, bounds)
    with as_file_error("workbook", archive.AS_CSV):
        named = {
            element.get("name"): element.get(_LINK)
            for element in ElementTree.fromstring(book).iter()
        }
        target = {
            element.get("Id"): element.get("Target")
            for element in ElementTree.fromstring(links).iter()
        }
    path = posixpath.join("/xl", target.get(named.get(sheet)) or "").removeprefix("/")
    return archive.part(data, path, bounds)


def check_sheet(data: bytes, part: bytes, bounds: Bounds) -> None:
    """Refuse a sheet of Excel whose cells, or the texts that they share, need too much room."""
    rows, columns = _reach(part)
    bounds.check_sheet(rows, columns)
    shared = part.count(b"<v>") + part.count(b":v>")
    lengths = _lengths(archive.part(data, TEXTS, bounds)) if shared else []
    if shared * max(lengths, default=0) > bounds.unpacked:
        told = np.array([int(match[1]) for match in _SHARED.finditer(part)], dtype=np.int64)
        bounds.check_unpacked(int(np.array(lengths)[told[told < len(lengths)]].sum()))


def _reach(part: bytes) -> tuple[int, int]:
    """The last row and column with a cell; cells that do not say where they stand are counted."""
    letters, last, placed = set(), 0, 0
    for match in _PLACED.finditer(part):
        letters.add(match[1])
        last, placed = max(last, int(match[2])), placed + 1
    column = max(map(_column, letters), default=0)
    if part.count(b"<c") + part.count(b":c") - placed > column + FEW:
        column = max(column, *(len(_CELL.findall(row)) for row in _ROW.split(part)))
    return max(last, part.count(b"<row") + part.count(b":row")), column


def _column(letters: bytes) -> int:
    """The number of a column from its letters: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _lengths(texts: bytes) -> list[int]:
    """At most how long each shared text is, with its markup."""
    starts = [match.start() for match in _TEXT.finditer(texts)]
    return [end - start for start, end in pairwise([*starts, len(texts)])]


class _Cell(NamedTuple):
    """What a cell of OpenDocument asks for: how often it stands there, and bytes of a long text."""

    times: int
    size: int
    is_empty: bool


def check_open_document(data: bytes, bounds: Bounds) -> None:
    """Refuse a workbook of OpenDocument whose repeated rows and cells need too much room."""
    size = 0
    for rows in _tables(archive.part(data, OPEN_DOCUMENT, bounds)):
        last = width = above = 0
        for times, cells in rows:
            filled = [at for at, cell in enumerate(cells) if not cell.is_empty]
            above += times
            if filled:
                last, used = above, cells[: filled[-1] + 1]
                width = max(width, sum(cell.times for cell in used))
                size += times * sum(cell.times * cell.size for cell in used)
        bounds.check_sheet(last, width)
        bounds.check_unpacked(size)


def _tables(content: bytes) -> Iterator[list[tuple[int, list[_Cell]]]]:
    """Of every table its rows: how often each stands there, and its cells."""
    rows: list[tuple[int, list[_Cell]]] = []
    tags = list(_TAG.finditer(content))
    for at, tag in enumerate(tags):
        if tag[1] == b"table":
            yield rows
            rows = []
        elif tag[1] == b"table-row":
            rows.append((_times(_ROWS, tag[2]), []))
        elif rows:
            end = tags[at + 1].start() if at + 1 < len(tags) else len(content)
            rows[-1][1].append(_cell(tag, content, end))
    yield rows


def _cell(tag: re.Match[bytes], content: bytes, end: int) -> _Cell:
    times, is_empty = _times(_COLUMNS, tag[2]), bool(tag[3] or tag[4]) and b"office:" not in tag[2]
    size = end - tag.start()
    if size > LONG:
        size = len(_MARKUP.sub(b"", content[tag.end() : end])) + len(tag[2])
    return _Cell(times, 0 if is_empty or size <= LONG else size, is_empty)


def _times(pattern: re.Pattern[bytes], attributes: bytes) -> int:
    match = pattern.search(attributes)
    return int(match[1]) if match else 1
