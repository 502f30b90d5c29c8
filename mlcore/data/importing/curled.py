"""Cells between typographic quotation marks, as word processors turn them."""

from __future__ import annotations

import re
from dataclasses import replace

from mlcore.data.importing.decisions import Decisions
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.report import Note

MARK = '"'
CURLED = "“”„«»"
ENOUGH = 3  # cells between such marks that show a habit
MOSTLY = 0.9  # of all such marks, how many must stand at the borders of cells
_CELL = re.compile(r"(?<![^,;\t|\n])(?:“[^“”\n]*+”|„[^„“”\n]*+[“”]|«[^«»\n]*+»)(?=[,;\t|\n]|\Z)")
_DELIMITER = re.compile(r"[,;\t|]")


def straightened(decoded: Decoded, decisions: Decisions) -> Decoded:
    """The text with the marks about its cells straight, where one of the cells holds a delimiter.

    A text with straight marks of its own, or whose marks are said to be letters, stays as it is.
    """
    is_open = decisions.quote in (None, MARK) and not decoded.utf8.isascii()
    is_open = is_open and MARK.encode() not in decoded.utf8
    if not is_open or not any(mark.encode() in decoded.utf8 for mark in "“„«"):
        return decoded
    text = decoded.text
    quoted = list(_CELL.finditer(text))
    if not _is_habit(quoted, sum(map(text.count, CURLED))):
        return decoded
    straight = _CELL.sub(lambda cell: f"{MARK}{cell[0][1:-1]}{MARK}", text)
    line = text.count("\n", 0, quoted[0].start()) + 1
    sentence = (
        f"Typographic quotation marks stand about {len(quoted)} cells, the first in line {line}; "
        "they were read as straight ones, so delimiters between them are letters."
    )
    note = Note(sentence, line=line, fix=("quote", ""), press="Marks are letters")
    return replace(decoded, utf8=straight.encode(), notes=(*decoded.notes, note))


def _is_habit(quoted: list[re.Match[str]], n_marks: int) -> bool:
    if len(quoted) < ENOUGH or 2 * len(quoted) < MOSTLY * n_marks:
        return False
    return any(_DELIMITER.search(cell[0]) for cell in quoted)
