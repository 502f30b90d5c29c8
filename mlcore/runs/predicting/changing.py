"""A new table after the changes that the table learned from went through, before it is matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlcore.data.steps.new_rows import NewRows, words_of
from mlcore.data.table import CODED, ColumnData, Table, converted
from mlcore.runs.predicting.cells import read_for
from mlcore.runs.predicting.names import BY_NAME, paired
from mlcore.spine.fit import Column


class Strange(NamedTuple):
    """Cells that a step takes and that say nothing of the kind that it takes; they are missing."""

    column: str
    rows: np.ndarray  # (k,) positions


class Changed(NamedTuple):
    """The new table after the changes, and what there is to know of them."""

    table: Table
    strange: tuple[Strange, ...] = ()
    remarks: tuple[str, ...] = ()


def changed(new_rows: NewRows, table: Table, names: Sequence[str]) -> Changed:
    """The new table with the columns that the steps make.

    Columns that a step takes are found as those of a model are, where their names differ in case,
    blanks and signs alone. `names` are the columns that the model looks for. Raises DataError if a
    step cannot be done.
    """
    named = _named(new_rows, table)
    read = read_as_came(new_rows, named)
    after = new_rows.changed(read.table)
    remarks = (*new_rows.wanting(read.table, names), words_of(new_rows.left_out))
    return Changed(after, read.strange, tuple(filter(None, remarks)))


def read_as_came(new_rows: NewRows, table: Table) -> Changed:
    """The table with the columns that steps take read as those of the table learned from.

    A column of numbers with a word in it came as names: its numbers are read, the word is told.
    """
    minded = {name for s in new_rows.steps if not s.takes_any_kind for name in s.columns()}
    strange, read = [], {}
    for column in new_rows.came:
        if column.name in minded and column.name in table.names:
            read[column.name], cells = _read(column, table.column(column.name))
            strange += [Strange(column.name, np.flatnonzero(cells))] if cells.any() else []
    return Changed(Table.of(*(read.get(c.name, c) for c in table.columns)), tuple(strange))


def _named(new_rows: NewRows, table: Table) -> Table:
    """The table with the names of the columns that steps take."""
    pairs = paired([column.name for column in new_rows.came], table.names)
    names = {source: name for name, (source, how) in pairs.items() if how == BY_NAME}
    if all(source == name for source, name in names.items()):
        return table
    return Table.of(
        *(ColumnData(names.get(c.name, c.name), c.kind, c.values, c.levels) for c in table.columns)
    )


def _read(column: Column, source: ColumnData) -> tuple[ColumnData, np.ndarray]:
    """A column as the steps met it, and which cells, (m,), it does not say."""
    if column.kind in CODED:
        kind = "ordinal" if column.kind == "ordinal" else "nominal"
        names = converted(source, "nominal")
        levels = tuple(dict.fromkeys((*column.levels, *names.levels)))
        return converted(names, kind, levels), np.zeros(len(source.values), dtype=bool)
    read = read_for(column, source)
    if not source.is_coded and source.kind != "datetime":
        return source, read.strange
    return ColumnData(column.name, column.kind, read.values), read.strange
