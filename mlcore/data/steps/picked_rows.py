"""Rows by their numbers: selected in a picture, among the mistakes, or typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.data.steps.formula.values import as_numbers, of_column
from mlcore.data.steps.keep_rows import chosen, kept_or_left_out
from mlcore.data.steps.row_numbers import LONGEST, inside, read
from mlcore.data.steps.step import Rows, TableStep
from mlcore.data.table import Table
from mlcore.data.upload import Upload
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.params import part, text
from mlcore.spine.wording import spelled

LISTED = "row"  # the column of a table that lists rows


@enter(
    Card(
        "picked_rows",
        "Keep rows by their numbers",
        ("table_step",),
        kind="part",
        synonyms=("selection", "lasso", "exclude rows", "index", "iloc"),
    )
)
@dataclass(frozen=True, kw_only=True)
class PickedRows(TableStep):
    """Keeps or leaves out rows by the numbers that they had in the table as it came.

    Numbers count from 1. Rows that were made by grouping are numbered anew by it.
    """

    meets_new_rows: ClassVar[bool] = False

    rows: str = kept_or_left_out()
    numbers: str = text("", longest=LONGEST, doc="Rows such as 3-7, 12, 40-52, counted from 1.")
    name: str = text("", doc="What the selection is called, for people.")

    def conflict(self) -> str | None:
        """Refuse what are no numbers of rows."""
        try:
            read(self.numbers)
        except ParamError as error:
            return f"{self.title()}: {error}"
        return None

    def needs(self) -> tuple[str | None, ...]:
        """The numbers."""
        return (self.numbers,)

    def columns(self) -> tuple[str, ...]:
        """None: a row is known by its number."""
        return ()

    def about(self) -> str:
        """Leave out rows 3-7, 12."""
        return _about(self.rows, self.name, self.numbers)

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        return _picked(rows, inside(read(self.numbers), rows.numbers), self.rows)


@enter(Card("listed_rows", "Keep rows of a list", ("table_step",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class ListedRows(TableStep):
    """Keeps or leaves out rows whose numbers stand in a table of their own, in its column `row`.

    So many rows fit no link: the list is named by its digest, like an uploaded table.
    """

    meets_new_rows: ClassVar[bool] = False

    rows: str = kept_or_left_out()
    source: Any = part("upload", slot="source", label="List", doc="The table with the numbers.")
    name: str = text("", doc="What the selection is called, for people.")

    def needs(self) -> tuple[str | None, ...]:
        """The list."""
        return (self.source.digest if isinstance(self.source, Upload) else "of a set",)

    def columns(self) -> tuple[str, ...]:
        """None: a row is known by its number."""
        return ()

    def about(self) -> str:
        """Leave out the rows of a list."""
        return _about(self.rows, self.name, "of a list")

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        table = self.source.origin(uploads).table
        if LISTED not in table.names:
            raise DataError(
                f"A list of rows needs a column called {LISTED!r} with their numbers; the table "
                f"has {', '.join(table.names[:4])}. Bring a list of rows."
            )
        # A file of numbers that all differ is read as names of rows.
        numbers = as_numbers(of_column(table.column(LISTED)))
        if numbers is None:
            raise DataError(
                f"A list of rows needs numbers in its column {LISTED!r}, and there is something "
                "else. Write one number in each line, counted from 1."
            )
        return _picked(rows, np.isin(rows.numbers, numbers - 1), self.rows)


def _about(rows: str, name: str, which: str) -> str:
    which = which if len(which) < 40 else which[:37] + "..."
    return f"{spelled(rows)} {f'the rows of {name}' if name else f'rows {which}'}"


def _picked(rows: Rows, mask: np.ndarray, keep: str) -> Rows:
    if not mask.any():
        raise DataError(
            "None of these rows is in the table here. Rows keep the numbers that they had in the "
            "table as it came; select them again."
        )
    return chosen(rows, mask, keep)
