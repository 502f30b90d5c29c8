"""The table of a web page, which some programs save as .xls."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mlcore.data.importing.bounds import Bounds
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.report import Note

# How the new text is written, so that nothing of it has to be guessed.
WRITTEN: dict[str, Any] = {
    "delimiter": ",",
    "quote": '"',
    "escape": "",
    "unclosed": (),
    "inner": (),
}
HEAD = 2000
LEAST = 2  # rows and columns of a table; a page is laid out by smaller ones
_PAGE = re.compile(r"\s*<(?:!doctype html|html|head|body|table|meta|style)\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(table|tr|td|th)\b([^<>]*)>", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")
_SPAN = re.compile(r"\b(col|row)span\s*+=\s*+[\"']?([0-9]{1,4})", re.IGNORECASE)
Rows = list[list[str]]


def table(decoded: Decoded, bounds: Bounds) -> Decoded | None:
    """The largest table of a page as delimited text; None for other texts and pages without one."""
    if not _PAGE.match(decoded.head(HEAD)):
        return None
    tables = [rows for rows in _tables(decoded.text, bounds) if _is_table(rows)]
    if not tables:
        return None
    rows = max(tables, key=len)
    bounds.check_sheet(len(rows), max(map(len, rows)))
    sentence = "The file is a web page; its table was read."
    if len(tables) > 1:
        sentence = f"The file is a web page with {len(tables)} tables; the longest was read."
    return replace(decoded, utf8=_text(rows), notes=(*decoded.notes, Note(sentence)))


def _is_table(rows: Rows) -> bool:
    return sum(len(row) >= LEAST for row in rows) >= LEAST


def _tables(text: str, bounds: Bounds) -> Iterator[Rows]:
    """The tables that stand in no other; what stands in their cells, tags aside."""
    depth, grid = 0, _Grid(bounds)
    start, spans = None, ""
    for tag in _TAG.finditer(text):
        is_end, name = bool(tag[1]), tag[2].lower()
        if depth == 1 and start is not None and (is_end or name != "table"):
            grid.add(_words(text[start : tag.start()]), spans)
            start = None
        if name == "table":
            depth = max(depth + (-1 if is_end else 1), 0)
            if depth == 0 and is_end:
                yield grid.rows
            if depth == 1 and not is_end:
                grid = _Grid(bounds)
        elif depth == 1 and not is_end and name == "tr":
            grid.open()
        elif depth == 1 and not is_end:
            start, spans = tag.end(), tag[3]
    if depth:
        yield grid.rows


class _Grid:
    """Rows of cells, those that reach over several rows written into each."""

    def __init__(self, bounds: Bounds) -> None:
        self.rows: Rows = []
        self._bounds = bounds
        self._cells = 0
        # By column: for how many rows to come, and what stands there.
        self._below: dict[int, tuple[int, str]] = {}

    def open(self) -> None:
        """Begin a row."""
        self.rows.append([])
        self._fill()

    def add(self, words: str, spans: str) -> None:
        """Put a cell at the end of the row."""
        if not self.rows:
            self.open()
        spanned = {which.lower(): int(n) for which, n in _SPAN.findall(spans)}
        row, wide, high = self.rows[-1], spanned.get("col", 1), spanned.get("row", 1)
        for at in range(max(wide, 1)):
            if high > 1:
                self._below[len(row)] = high - 1, words
            row.append("" if at else words)
        self._cells += wide
        self._fill()

    def _fill(self) -> None:
        row = self.rows[-1]
        while (left := self._below.pop(len(row), None)) is not None:
            if left[0] > 1:
                self._below[len(row)] = left[0] - 1, left[1]
            row.append(left[1])
            self._cells += 1
        self._bounds.check_sheet(self._cells, 1)


def _words(markup: str) -> str:
    return " ".join(html.unescape(_MARKUP.sub(" ", markup)).split())


def _text(rows: Rows) -> bytes:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in rows:
        writer.writerow(row) if any(row) else lines.write("\n")
    return lines.getvalue().encode()
