"""Records with too few or too many cells: brought to the width of the others."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from mlcore.data.importing.lines import Grammar, Record, records
from mlcore.data.importing.report import Ragged

PLAIN = Grammar(",", '"')
Read = Callable[[pa.Buffer, Grammar, Callable[[Any], str] | None], pa.Table]


def fitted(record: Record, width: int) -> tuple[list[str] | None, Ragged | None]:
    """The cells of a record of that width, None for a blank one, and what does not fit, if any.

    Short records end in missing values; cells beyond the width are in no column.
    """
    row, extra = record.cells, tuple(record.cells[width:])
    if len(row) == 1 and width > 1 and not row[0].strip():
        return None, None
    is_odd = len(row) < width or any(cell.strip() for cell in extra)
    ragged = Ragged(record.line, width, len(row), extra) if is_odd else None
    return row[:width] + [""] * (width - len(row)), ragged


def mended(
    read: Read, body: pa.Buffer, grammar: Grammar, lines: tuple[int, int], width: int
) -> tuple[pa.Table, tuple[Ragged, ...]] | None:
    """What `read` makes of a text with some ragged records, and these.

    `lines` says how many lines there are before the text and in it.

    Arrow hands the ragged ones out and reads the others; they are read like it, made to fit, and
    put back. None where it cannot be told in which line each record begins.
    """
    odd: list[Any] = []

    def aside(record: Any) -> str:
        odd.append(record)
        return "skip"

    regular = read(body, grammar, aside)
    n = regular.num_rows + len(odd)
    starts = np.arange(n) if lines[1] == n else begins(body, grammar)
    if starts is None or len(starts) != n:
        return None
    cells, ragged = [], []
    order = np.full(n, -1, dtype=np.int64)  # which row of both parts stands at which place
    for record in odd:
        line = lines[0] + 1 + int(starts[record.number - 1])
        row, misfit = _alone(record.text, grammar, line, width)
        ragged += [misfit] if misfit else []
        order[record.number - 1] = -2 if row is None else regular.num_rows + len(cells)
        cells += [] if row is None else [row]
    order[order == -1] = np.arange(regular.num_rows)
    whole = [regular, read(_written(cells), PLAIN, None)] if cells else [regular]
    table = pa.concat_tables(whole).unify_dictionaries().combine_chunks()
    return table.take(pa.array(order[order >= 0])), tuple(ragged)


def begins(body: pa.Buffer | bytes, grammar: Grammar) -> np.ndarray | None:
    """The lines, from 0, in which records begin, shape (n_records,): behind an even number of
    quotation marks, and with something in them. None where a mark may be escaped."""
    if grammar.escape or not grammar.quote:
        return None
    signs = np.frombuffer(body, dtype=np.uint8)
    ends = np.flatnonzero(signs == ord("\n"))
    marks = np.flatnonzero(signs == ord(grammar.quote))
    is_outside = np.searchsorted(marks, ends) % 2 == 0
    is_filled = np.diff(ends, prepend=-1) > 1
    has_rest = not len(ends) or ends[-1] + 1 < len(signs)
    after = np.concatenate([[True], is_outside])[: len(ends) + has_rest]
    return np.flatnonzero(after & np.concatenate([is_filled, [True]])[: len(after)])


def _alone(
    text: str, grammar: Grammar, line: int, width: int
) -> tuple[list[str] | None, Ragged | None]:
    """A record by itself, made to fit."""
    for record in records(text, grammar):
        return fitted(record._replace(line=line), width)
    return None, None


def _written(rows: list[list[str]]) -> pa.Buffer:
    """The rows as plain comma-separated text."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return pa.py_buffer(out.getvalue().encode())
