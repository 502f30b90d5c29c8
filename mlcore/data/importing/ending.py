"""Lines below a table that belong to no row: sources, notes, a count of the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mlcore.data.importing import looks
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import records
from mlcore.data.importing.report import Note
from mlcore.data.importing.sniff import Layout
from mlcore.data.importing.splitting import COMMENT_MARKS
from mlcore.spine.wording import plural

TAIL_CHARACTERS = 8000
_SUMMARY_MARK = re.compile(r"[:.*]$|^\*")
_COUNT_OF_ROWS = re.compile(
    r"\(?[0-9,]+ (?:rows?|records?)(?: affected| selected| in set.*| returned)?\.?\)?|\\\.",
    re.IGNORECASE,
)


def footer_lines(tail: str, layout: Layout) -> int:
    """How many lines of the end of a text, from the last that is not blank upwards, stand below
    the table."""
    width, lines = len(layout.names), tail.rstrip("\n").split("\n")
    if layout.grammar.delimiter == " ":
        return 0
    if _COUNT_OF_ROWS.fullmatch(lines[-1].strip()):
        return 1
    # The first line of the tail may be cut.
    below = _run(lines[1:], layout) if width > 1 else []
    if not below or _comes_above(layout.sample, len(below)):
        return 0
    if len(below) == 1 and _is_like_rows(below[0], layout):
        return 0
    has_gap = len(below) < len(lines) and not lines[-len(below) - 1].strip()
    is_padded = all(len(cells) == width and not any(cells) for cells in below)
    are_comments = all(cells and cells[0].startswith(COMMENT_MARKS) for cells in below)
    return len(below) if width > 2 or has_gap or is_padded or are_comments else 0


def _run(lines: list[str], layout: Layout) -> list[list[str]]:
    """The records at the end that no row looks like, blank lines within them as no cells."""
    below: list[list[str]] = []
    for at in range(len(lines) - 1, -1, -1):
        cells = _cells(lines[at], layout)
        behind_gap = at > 0 and not lines[at - 1].strip()
        if cells is None or not _is_below(cells, len(layout.names), behind_gap=behind_gap):
            break
        below.append(cells)
    while below and not below[-1]:
        below.pop()
    return below


def _cells(line: str, layout: Layout) -> list[str] | None:
    """The cells of a line, none for a blank one; None where a quoted cell is open."""
    if layout.grammar.quote and line.count(layout.grammar.quote) % 2:
        return None
    record = next(records(line, layout.grammar), None)
    return [cell.strip() for cell in record.cells] if record else []


def _is_below(cells: list[str], width: int, *, behind_gap: bool = False) -> bool:
    """Whether only the first cell holds something, a word; behind a gap, a few words."""
    filled = [at for at, cell in enumerate(cells) if cell]
    if behind_gap and len(cells) < width:
        return all(looks.is_word(cells[at]) for at in filled)
    return filled in ([], [0]) and (not filled or looks.is_word(cells[0]))


def _comes_above(sample: Sequence[Sequence[str]], below: int) -> bool:
    """Whether rows look like that too, which makes the last ones rows as well."""
    rows = sample[: max(len(sample) - below, 0)]
    return not rows or any(_is_below([c.strip() for c in row], len(row)) for row in rows)


def _is_like_rows(cells: Sequence[str], layout: Layout) -> bool:
    """Whether a line filled up with delimiters begins like the rows: then cells are missing."""
    first = cells[0] if cells else ""
    names = [row[0].strip() for row in layout.sample if row and row[0].strip() != first]
    if not first or len(cells) != len(layout.names) or not names or _SUMMARY_MARK.search(first):
        return False
    return len(first) <= max(map(len, names)) and len(first.split()) <= max(
        len(name.split()) for name in names
    )


def without_footer(decoded: Decoded, lines: int) -> tuple[Decoded, tuple[Note, ...]]:
    """The text without its last lines, and the words that say so."""
    if not lines:
        return decoded, ()
    cut = _last_lines(decoded.utf8, lines)
    left_out = decoded.utf8[cut:].decode().strip("\n").split("\n")
    first = decoded.utf8.count(b"\n", 0, cut) + 1
    which = f"Line {first}" if len(left_out) == 1 else f"Lines {first} to {first + lines - 1}"
    verb = plural(len(left_out), "was", "were")
    words = next((line for line in left_out if line.strip()), "")[:80]
    sentence = f"{which} below the table {verb} left out; there stands {words!r}."
    note = Note(sentence, line=first, fix=("footer", 0))
    return replace(decoded, utf8=decoded.utf8[:cut]), (note,)


def _last_lines(utf8: bytes, lines: int) -> int:
    """Where the last lines begin, blank ones at the end aside."""
    at = len(utf8.rstrip(b"\n"))
    for _ in range(lines):
        at = utf8.rfind(b"\n", 0, max(at, 0))
        if at < 0:
            return 0
    return at + 1
