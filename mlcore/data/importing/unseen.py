"""What a sheet of Excel does not show: rows that are hidden, formulas that nobody computed."""

from __future__ import annotations

import re

from mlcore.data.importing.report import Note

# A tag ends before the next begins, and blanks are not given back: each byte is read once.
_HIDDEN = re.compile(rb'<row\b[^<>]*\bhidden="(?:1|true)"')
# A formula with no value behind it.
_NOT_COMPUTED = re.compile(rb"(?:</f>|<f\b[^<>]*/>)\s*+(?:(?:<v\s*+/>|<v></v>)\s*+)?</c>")


def unseen(part: bytes) -> tuple[Note, ...]:
    """Notes on hidden rows, which are read, and on formulas without a value, which are missing.

    `part` is the XML of the sheet.
    """
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
