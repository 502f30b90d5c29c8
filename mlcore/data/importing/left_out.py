"""Lines within a table that are none of its rows: names that come again, and totals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mlcore.data.importing import looks
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import records, replaced
from mlcore.data.importing.report import Note, told
from mlcore.data.importing.sniff import Layout
from mlcore.data.table import ColumnData, Table
from mlcore.spine.wording import listed, plural

TAIL = 8000  # characters in which the last line stands
MOST = 10_000  # lines of names that come again
# How a line is called that sums up those above it.
SUMMARY = re.compile(
    r"(?:(?:grand|sub|over)[ -]?)?totals?\b.{0,30}|totaux|totale?s? général|sums?|overall|all rows"
    r"|(?:gesamt|end|zwischen)?summen?\b.{0,30}|(?:ins)?gesamt|gesamtergebnis|saldo"
    r"|(?:konto|kassen)stand\b.{0,30}"
    r"|(?:end|schluss)saldo|(?:closing |ending )?balance|solde|somme|suma|soma|totaal|razem|ogółem"
    r"|celkem|итого|всего|mean|average|median|mittelwert|durchschnitt|moyenne|media",
    re.IGNORECASE,
)
SUMMED = 3  # rows above a line that is known by its sums alone


def without(decoded: Decoded, lines: Sequence[int]) -> Decoded:
    """The text with these lines blank, so that the others keep their numbers, and a note."""
    utf8, there = replaced(decoded.utf8, lines, lambda _: b"")
    if not there:
        return decoded
    words = [line.decode() for line in there.values()]
    return replace(decoded, utf8=utf8, notes=(*decoded.notes, _note(list(there), words)))


def _note(lines: Sequence[int], words: Sequence[str]) -> Note:
    n = len(lines)
    sentence = (
        f"{plural(n, 'Line', 'Lines')} {listed(lines, 3)} {plural(n, 'was', 'were')} left out; "
        f"there stands {told(words[0])!r}."
    )
    return Note(sentence, line=lines[0], fix=("left_out", ()), press="Keep as rows")


def names_again(decoded: Decoded, layout: Layout, table: Table) -> tuple[int, ...]:
    """The lines below the names that say the names once more."""
    if not any(_holds_its_name(column) for column in table.columns):
        return ()
    utf8 = decoded.utf8
    start, end = (end_of(utf8, lines) for lines in (layout.body - 1, layout.body))
    line = utf8[start:end].strip()
    again, number, upto = [], 1, 0
    while line and len(again) < MOST and (at := utf8.find(line, end)) >= 0:
        number, upto = number + utf8.count(b"\n", upto, at), at
        end = at + len(line)
        before = utf8[utf8.rfind(b"\n", 0, at) + 1 : at]
        behind = utf8[end : (utf8.find(b"\n", end) + 1 or len(utf8) + 1) - 1]
        if not (before + behind).strip():
            again.append(number)
    return tuple(again)


def _holds_its_name(column: ColumnData) -> bool:
    return column.is_coded and column.name in column.levels


def end_of(utf8: bytes, lines: int) -> int:
    """The byte behind the first lines."""
    at = 0
    for _ in range(lines):
        at = utf8.find(b"\n", at) + 1
    return at


def total(decoded: Decoded, layout: Layout, table: Table) -> tuple[int, str] | None:
    """The last line, where it sums up those above it: its number, and why."""
    tail = decoded.tail(TAIL).rstrip("\n").rsplit("\n", 1)
    if len(tail) < 2 or table.n_rows < 3:
        return None
    record = next(records(tail[1], layout.grammar), None)
    cells = [cell.strip() for cell in record.cells] if record else []
    if not 1 < len(cells) <= len(layout.names) or not any(cells[1:]):
        return None
    name, others = cells[0].rstrip(":"), [cell for cell in cells[1:] if cell]
    if SUMMARY.fullmatch(name) and all(map(_is_value, others)):
        return last_line(decoded), f"The last line is called {told(name)}."
    if name in ("", "*") and any(map(looks.is_typed, others)) and _are_sums(table):
        return last_line(decoded), "The last line holds the sums of those above it."
    return None


def last_line(decoded: Decoded) -> int:
    """The number of the last line that is not blank."""
    return decoded.utf8.rstrip(b"\n").count(b"\n") + 1


def _is_value(cell: str) -> bool:
    return looks.is_typed(cell) or looks.is_missing(cell)


def _are_sums(table: Table) -> bool:
    """Whether the last row holds the sums of its columns, as far as it holds numbers."""
    columns = [c.values for c in table.columns if not c.is_coded and c.kind != "datetime"]
    ends = [values for values in columns if not np.isnan(values[-1])]
    sums = [values for values in ends if _is_sum(values)]
    return bool(sums) and 2 * len(sums) >= len(ends)


def _is_sum(values: np.ndarray) -> bool:
    above = values[:-1][~np.isnan(values[:-1])]
    if np.count_nonzero(above) < SUMMED:
        return False
    slack = 1e-9 * np.abs(above).sum()
    return bool(abs(above.sum() - values[-1]) <= slack and values[-1] != 0)
