"""A second table below the first in one file: where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlcore.data.importing import looks
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.heading import is_header
from mlcore.data.importing.left_out import last_line
from mlcore.data.importing.lines import Record, records
from mlcore.data.importing.report import Ragged
from mlcore.data.importing.sniff import Layout

GAPS = 20  # blank lines below which a table is looked for; a file with more has them as its habit
TITLES = 3  # lines that may stand between a gap and the names
LOOKED_AT = 20_000  # characters below a gap
ENOUGH = 2  # rows that a table has


class Second(NamedTuple):
    """The first line below the first table, the line with the names of the second, and these."""

    begin: int
    line: int
    names: tuple[str, ...]


def behind_gap(decoded: Decoded, layout: Layout) -> Second | None:
    """The table behind a blank line, under names of its own."""
    utf8, at = decoded.utf8, 0
    for _ in range(GAPS):
        at = utf8.find(b"\n\n", at)
        if at < 0:
            return None
        line = utf8.count(b"\n", 0, at) + 2
        at += 1
        if line > layout.body and _is_outside(utf8[:at], layout):
            part = utf8[at : at + LOOKED_AT].decode("utf-8", "ignore")
            if header := _named(list(records(part, layout.grammar)), layout):
                return Second(line, line + header.line - 1, tuple(header.cells))
    return None


def ragged(decoded: Decoded, layout: Layout, misfits: Sequence[Ragged]) -> Second | None:
    """The table that follows at once: its rows, to the end of the file, have other widths."""
    last, run = last_line(decoded), 0
    for misfit in reversed(misfits):
        if misfit.line != last - run or misfit.got != misfits[-1].got:
            break
        run += 1
    if run <= ENOUGH:
        return None
    first = misfits[-run].line
    lines = decoded.text.split("\n")[first - 1 :][:LOOKED_AT]
    header = _named(list(records("\n".join(lines), layout.grammar)), layout)
    return Second(first, first + header.line - 1, tuple(header.cells)) if header else None


def _is_outside(above: bytes, layout: Layout) -> bool:
    """Whether a blank line stands in no quoted cell."""
    quote = layout.grammar.quote
    return not quote or above.count(quote.encode()) % 2 == 0


def _named(rows: list[Record], layout: Layout) -> Record | None:
    """The record that names the columns of another table than the one above."""
    for at in range(min(TITLES + 1, len(rows) - ENOUGH)):
        first, below = rows[at].cells, [row.cells for row in rows[at + 1 :]]
        width = len(first)
        filled = [cell.strip() for cell in first]
        are_names = width > 1 and all(map(looks.is_word, filled)) and len({*filled}) == width
        are_rows = [len(row) == width for row in below[:ENOUGH]]
        if not (are_names and all(are_rows)) or not is_header(first, below[:60], width):
            continue
        if width != len(layout.names) or _stands_out(first, layout):
            return rows[at]
    return None


def _stands_out(first: Sequence[str], layout: Layout) -> bool:
    """Whether words stand where the table above has numbers or dates, and not its names again."""
    typed = looks.typed_columns(layout.sample, len(layout.names))
    are_same = tuple(cell.strip() for cell in first) == tuple(n.strip() for n in layout.names)
    return bool(typed) and not are_same
