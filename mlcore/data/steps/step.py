"""One step of the changes to a table: rows in, rows out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import ClassVar

import numpy as np

from mlcore.data.table import ColumnData, Table
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError

MOST_CELLS = 50_000_000  # of a changed table, as of one that is read
NOT_CHOSEN = "none chosen yet"


@dataclass(frozen=True, eq=False)
class Rows:
    """A table, and the number that each of its rows has had from the beginning.

    A row keeps its number, from 0, whatever is left out before it; rows that are made by grouping
    are numbered anew. `notes` say what a person would like to know of a step.
    """

    table: Table
    numbers: np.ndarray  # (n,) rising
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table) -> Rows:
        """The rows of a table, numbered as they come."""
        return cls(table, np.arange(table.n_rows))

    def take(self, mask: np.ndarray) -> Rows:
        """The rows where `mask`, (n,), is true. Raises DataError if none is left."""
        if mask.all():
            return self
        if not mask.any():
            raise DataError("No row is left. Change what is asked of the rows, or leave it out.")
        return replace(self, table=self.table.take(mask), numbers=self.numbers[mask])

    def column(self, name: str) -> ColumnData:
        """The column of that name. Raises DataError with the nearest name if there is none."""
        if name not in self.table.names:
            near = get_close_matches(name, self.table.names, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else "Choose another column."
            raise DataError(f"The table has no column {name!r} here. {hint}")
        return self.table.column(name)

    def texts_of(self, name: str) -> ColumnData:
        """A column with levels. Raises DataError if it holds numbers or dates."""
        column = self.column(name)
        if not column.is_coded:
            raise DataError(
                f"Column {name!r} holds {'dates' if column.kind == 'datetime' else 'numbers'}, "
                "not names. Choose a column of names, or change its type to nominal."
            )
        return column

    def with_columns(self, *columns: ColumnData) -> Rows:
        """With these columns, in place of those of the same name or at the end.

        Raises DataError if the table had too many cells.
        """
        new = {column.name: column for column in columns}
        kept = [new.pop(c.name, c) for c in self.table.columns]
        every = (*kept, *new.values())
        if len(every) * self.table.n_rows > MOST_CELLS:
            raise DataError(
                f"The table would have {len(every):,} columns of {self.table.n_rows:,} rows; at "
                f"most {MOST_CELLS:,} cells are made. Leave out rows first."
            )
        return replace(self, table=Table.of(*every))

    def noted(self, note: str) -> Rows:
        """With one more note."""
        return replace(self, notes=(*self.notes, note))


@dataclass(frozen=True, kw_only=True)
class TableStep(Component):
    """A step; one whose column or formula is not chosen yet leaves the rows as they are.

    `meets_new_rows` is whether rows that are to be predicted take the step as well: those that
    choose rows do not, for who asks about a row wants its answer. `makes_rows` is whether a row is
    another thing after it, `takes_any_kind` whether it takes numbers and names alike.
    """

    meets_new_rows: ClassVar[bool] = True
    makes_rows: ClassVar[bool] = False
    takes_any_kind: ClassVar[bool] = False

    def is_ready(self) -> bool:
        """Whether everything is chosen that the step needs."""
        return all(self.needs()) and bool(self.needs())

    def needs(self) -> tuple[str | None, ...]:
        """What has to be chosen: columns, or a formula."""
        # A step that needed nothing would change the table as soon as it is added.
        raise NotImplementedError(f"{type(self).__name__} declares no needs")

    def columns(self) -> tuple[str, ...]:
        """The columns that the step takes."""
        return tuple(each for each in self.needs() if each)

    def about(self) -> str:
        """What the step does with these settings, in a few words."""
        # The list of steps, notes and scripts tell it; no words of ours would suit every step.
        raise NotImplementedError(f"{type(self).__name__} declares no words")

    def applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        """The rows after the step. Raises DataError if the table does not allow it."""
        return self._applied(rows, uploads) if self.is_ready() else rows

    def settled(self, before: Table) -> TableStep:
        """The step with what it finds in a table said by its settings; itself where it finds none.

        Rows that are to be predicted take the settled step, so their columns are the same.
        """
        return self

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        # What it does to the rows is all in which steps differ.
        raise NotImplementedError(f"{type(self).__name__} declares no change")
