"""A new column by a formula, and another name for a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from mlcore.data import schema
from mlcore.data.steps.formula import LONGEST, worked_out
from mlcore.data.steps.formula.functions import help_of_functions
from mlcore.data.steps.formula.values import as_column
from mlcore.data.steps.keep_rows import columns_of
from mlcore.data.steps.step import NOT_CHOSEN, Rows, TableStep
from mlcore.data.table import ColumnData, Table
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import column, text
from mlcore.spine.wording import count

FORMULA_HELP = (
    "Numbers, texts in quotation marks, names of columns (in backquotes where they have blanks or "
    "signs), + - * / ^, comparisons, and, or, not, brackets and functions: "
    f"{help_of_functions()}."
)


def typed(at: ColumnData) -> ColumnData:
    """The column with the kind that is proposed for its values; a column of names stays one."""
    kind = "number" if at.is_coded or at.kind == "datetime" else schema.propose_kind(at).value
    return replace(at, kind=kind) if kind in ("number", "count") and not at.is_coded else at


@enter(
    Card(
        "new_column",
        "New column by a formula",
        ("table_step",),
        kind="part",
        synonyms=("mutate", "assign", "compute", "derived column", "calculated field"),
    )
)
@dataclass(frozen=True, kw_only=True)
class NewColumn(TableStep):
    """Adds a column that a formula gives, row by row, or puts it in the place of an old one.

    A value that is missing makes the result missing, and so does one that is not finite, such as
    1 / 0 or the logarithm of a negative number; how many of these there are is noted.
    """

    name: str = text("new", doc="Name of the column; one that exists is replaced.")
    formula: str = text("", longest=LONGEST, doc=FORMULA_HELP)

    def needs(self) -> tuple[str | None, ...]:
        """Name and formula."""
        return (self.name.strip(), self.formula.strip())

    def columns(self) -> tuple[str, ...]:
        """The columns that the formula names."""
        return columns_of(self.formula)

    def about(self) -> str:
        """The name and its formula."""
        return f"{self.name} = {self.formula}"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        n, name = rows.table.n_rows, self.name.strip()
        at = as_column(name, worked_out(self.formula, rows.table), n)
        after = rows.with_columns(typed(at))
        return (
            after.noted(f"{name} is missing in {count(at.missing, 'row')}.")
            if at.missing
            else after
        )


@enter(
    Card(
        "rename_column",
        "Rename a column",
        ("table_step",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class RenameColumn(TableStep):
    """Gives a column another name, in its place."""

    takes_any_kind: ClassVar[bool] = True

    column: str | None = column(None, or_none=NOT_CHOSEN, doc="The column.")
    name: str = text("", doc="Its new name, which no other column has.")

    def needs(self) -> tuple[str | None, ...]:
        """The column and its name."""
        return (self.column, self.name.strip())

    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,) if self.column else ()

    def about(self) -> str:
        """The old name and the new one."""
        return f"{self.column} is called {self.name}"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        old, name = rows.column(self.column or ""), self.name.strip()
        if name != old.name and name in rows.table.names:
            raise DataError(f"There is a column {name!r} already. Take another name.")
        columns = (replace(c, name=name) if c is old else c for c in rows.table.columns)
        return replace(rows, table=Table.of(*columns))
