"""Rows that sum up others: which rows of a table, and in which lines they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from mlcore.data.importing import left_out, mending
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.report import Note, told
from mlcore.data.importing.sniff import Layout
from mlcore.data.table import ColumnData, Table
from mlcore.spine.wording import listed, plural

COLUMNS = 3  # the first ones, in which a row is named
MOST = 200  # rows looked at, and levels of a name
MOST_LEVELS = 20_000
REACH = 10_000  # rows above or below that a row may sum up
Numbers = Sequence[np.ndarray]
# How rows are called that sum up others, without a word more: these need no proof.
_BARE = re.compile(
    r"(?:(?:grand|sub|over)[ -]?)?totals?|(?:gesamt|end|zwischen)?summe|insgesamt|gesamtergebnis"
    r"|totale?s? général|somme|suma|soma|totaal|razem|ogółem|celkem|итого|всего",
    re.IGNORECASE,
)
# So are subtotals called, and films: the sums tell.
_NAMED = re.compile(
    rf"{left_out.SUMMARY.pattern}|.{{1,40}}\b(?:sub)?totals?|.{{1,40}} (?:summe|gesamt|ergebnis)",
    re.IGNORECASE,
)


def note(
    table: Table, decoded: Decoded, layout: Layout, *, has_gaps: bool, gone: tuple[int, ...]
) -> Note | None:
    """What is to be said of rows that sum up others; `gone` are the lines left out already."""
    rows = sums(table)
    if not rows:
        return None
    lines = _lines(rows, table.n_rows, decoded, layout, has_gaps=has_gaps)
    n, where = len(rows), lines or tuple(row + 1 for row in rows)
    what = plural(n, "Line", "Lines") if lines else plural(n, "Row", "Rows")
    name = next(filter(None, (_name(table, row) for row in rows)), "")
    called = f", called {told(name)!r}, " if name else " "
    sentence = (
        f"{what} {listed(where, 3)}{called}{plural(n, 'seems', 'seem')} to sum up other rows, "
        f"and {plural(n, 'was', 'were')} read as {plural(n, 'a row', 'rows')}."
    )
    fix = ("left_out", tuple(sorted({*gone, *lines}))) if lines else None
    press = plural(n, "Leave it out", "Leave them out")
    return Note(sentence, line=lines[0] if lines else None, fix=fix, press=press if fix else "")


def sums(table: Table) -> tuple[int, ...]:
    """The rows, from 0, that are called totals or hold the sums of those beside them."""
    numbers = [c.values for c in table.columns if not c.is_coded and c.kind != "datetime"]
    if table.n_rows <= COLUMNS or not numbers:
        return ()
    rows = {row for column in table.columns[:COLUMNS] for row in _called(column, numbers)}
    rows |= set(_unnamed(table.columns[0], numbers))
    return tuple(sorted(rows)) if 2 * len(rows) <= table.n_rows else ()


def _called(column: ColumnData, numbers: Numbers) -> Iterator[int]:
    """The rows whose name says so, and of doubtful names those whose numbers say so too."""
    if not column.is_coded or len(column.levels) > MOST_LEVELS:
        return
    names = {
        code: bool(_BARE.fullmatch(bare))
        for code, level in enumerate(column.levels)
        if _NAMED.fullmatch(bare := level.strip().rstrip(":"))
    }
    rows = np.flatnonzero(np.isin(column.values, list(names)[:MOST]))
    for row in rows[:MOST].tolist():
        has_number = any(not np.isnan(values[row]) for values in numbers)
        if has_number and (names[int(column.values[row])] or _sums_up(numbers, row)):
            yield row


def _unnamed(column: ColumnData, numbers: Numbers) -> Iterator[int]:
    """The rows without a name that hold the sums of all since the last such row."""
    if not column.is_coded:
        return
    rows = np.flatnonzero(np.isnan(column.values))
    if not 0 < len(rows) <= min(MOST, len(column.values) // COLUMNS):
        return
    begin = 0
    for row in rows.tolist():
        *above, own = _part(numbers, begin, row + 1)
        if len(above) >= left_out.SUMMED and _agree(np.sum(above, axis=0), own):
            yield row
        begin = row + 1


def _sums_up(numbers: Numbers, row: int) -> bool:
    """Whether the numbers are the sums of some rows right above, or right below."""
    above = _part(numbers, max(row - REACH, 0), row)[::-1]
    own, *below = _part(numbers, row, row + 1 + REACH)
    return any(
        len(part) > 1 and _agree(np.nancumsum(part, axis=0)[1:], own) for part in (above, below)
    )


def _part(numbers: Numbers, start: int, end: int) -> np.ndarray:
    """Some rows of the columns of numbers, shape (n, p)."""
    return np.column_stack([values[start:end] for values in numbers])


def _agree(sums_: np.ndarray, row: np.ndarray) -> bool:
    """Whether at least half of the numbers of a row are sums, all of them of the same rows."""
    is_there = ~np.isnan(row) & (row != 0)
    alike = np.isclose(sums_[..., is_there], row[is_there], rtol=1e-9, atol=0)
    return bool(is_there.any() and (2 * alike.sum(axis=-1) >= is_there.sum()).any())


def _name(table: Table, row: int) -> str:
    texts = (table.cell(row, c.name) for c in table.columns[:COLUMNS] if c.is_coded)
    return next((str(text) for text in texts if text and _NAMED.fullmatch(str(text))), "")


def _lines(
    rows: tuple[int, ...], n_rows: int, decoded: Decoded, layout: Layout, *, has_gaps: bool
) -> tuple[int, ...]:
    """In which lines the rows begin; none where that cannot be told."""
    if not has_gaps:
        return tuple(layout.body + 1 + row for row in rows)
    body = decoded.utf8[left_out.end_of(decoded.utf8, layout.body) :]
    begins = mending.begins(body, layout.grammar)
    if begins is None or len(begins) != n_rows:
        return ()
    return tuple(layout.body + 1 + int(begins[row]) for row in rows)
