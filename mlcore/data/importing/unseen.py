"""What a sheet of Excel does not show: rows that are hidden, formulas that nobody computed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from mlcore.data.importing.report import MOST_LEFT_OUT, Note

# A tag ends before the next begins, and blanks are not given back: each byte is read once.
_HIDDEN = re.compile(rb'<row\b[^<>]*\bhidden="(?:1|true)"[^<>]*')
_NUMBER = re.compile(rb'\br="([0-9]{1,7})"')
# A formula with no value behind it.
_NOT_COMPUTED = re.compile(rb"(?:</f>|<f\b[^<>]*/>)\s*+(?:(?:<v\s*+/>|<v></v>)\s*+)?</c>")


def unseen(part: bytes) -> tuple[Note, ...]:
    """Notes on hidden rows, which are read, and on formulas without a value, which are missing.

    `part` is the XML of the sheet.
    """
    hidden, formulas = _HIDDEN.findall(part), len(_NOT_COMPUTED.findall(part))
    notes = []
    if hidden:
        sentence = f"Hidden rows of the sheet, {len(hidden)} in all, were read like the others."
        numbers = [int(number[1]) for row in hidden if (number := _NUMBER.search(row))]
        is_told = len(numbers) == len(hidden) <= MOST_LEFT_OUT
        fix = ("left_out", tuple(sorted(numbers))) if is_told else None
        notes.append(Note(sentence, fix=fix, press="Leave them out" if fix else ""))
    if formulas:
        sentence = (
            f"Formulas were never computed, {formulas} of them, and were read as missing. Open "
            "the workbook in a spreadsheet program and save it to have their values."
        )
        notes.append(Note(sentence))
    return tuple(notes)


def beside(notes: Iterable[Note], gone: Collection[int]) -> Iterator[Note]:
    """The notes, whose press leaves lines out beside those that are `gone`; where these are all of
    them, there is nothing to note."""
    for note in notes:
        # pyrefly: ignore[bad-assignment]  # lines
        lines: tuple[int, ...] = note.fix[1] if note.fix else ()
        if not lines:
            yield note
        elif not {*lines} <= {*gone}:
            yield replace(note, fix=("left_out", tuple(sorted({*lines, *gone}))))
