"""What a sheet of Excel does not show: rows that are hidden, formulas that nobody computed."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from xml.etree import ElementTree

from mlcore.data.importing.report import Note

BOOK, LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_NAME = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
# A tag ends before the next begins, and blanks are not given back: each byte is walked once.
_HIDDEN = re.compile(rb'<row\b[^<>]*\bhidden="(?:1|true)"')
# A formula with no value behind it.
_NOT_COMPUTED = re.compile(rb"(?:</f>|<f\b[^<>]*/>)\s*+(?:(?:<v\s*+/>|<v></v>)\s*+)?</c>")


def unseen(data: bytes, sheet: str) -> tuple[Note, ...]:
    """A word on hidden rows, which are read, and on formulas without a value, which are missing."""
    part = _part(data, sheet)
    hidden, formulas = (len(p.findall(part)) for p in (_HIDDEN, _NOT_COMPUTED))
    notes = []
    if hidden:
        sentence = f"Hidden rows of the sheet, {hidden} in all, were read like the others."
        notes.append(Note(sentence))
    if formulas:
        sentence = (
            f"Formulas were never computed, {formulas} of them, and were read as missing. Open "
            "the workbook in a spreadsheet program and save it to have their values."
        )
        notes.append(Note(sentence))
    return tuple(notes)


def _part(data: bytes, sheet: str) -> bytes:
    """The part of the archive that holds the sheet; nothing for a workbook of another form."""
    if not data.startswith(b"PK"):
        return b""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.namelist()
        if BOOK not in parts or LINKS not in parts:
            return b""
        named = {it.get("name"): it.get(_NAME) for it in _all(archive.read(BOOK))}
        target = {it.get("Id"): it.get("Target") for it in _all(archive.read(LINKS))}
        path = posixpath.join("/xl", target.get(named.get(sheet)) or "").removeprefix("/")
        return archive.read(path) if path in parts else b""


def _all(xml: bytes) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(xml).iter())
