"""Rows by what stands in them: one condition on a column, or a formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.data import cells, dates
from mlcore.data.steps.formula import FormulaError, names_in, read, truths
from mlcore.data.steps.step import NOT_CHOSEN, Rows, TableStep
from mlcore.data.table import ColumnData, Table
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, column, levels, text
from mlcore.spine.wording import count, listed, spelled

COMPARE = {
    "is_less_than": np.less, "is_at_most": np.less_equal,
    "is_more_than": np.greater, "is_at_least": np.greater_equal,
}  # fmt: skip
ONE_OF, NONE_OF = "is_one_of", "is_none_of"
CONTAINS, MISSING, PRESENT = "contains", "is_missing", "is_not_missing"
KEEP, LEAVE_OUT = "keep", "leave_out"


def kept_or_left_out() -> str:
    """Declare what is done with the rows."""
    return choice(KEEP, KEEP, LEAVE_OUT, label="Rows", doc="What is done with these rows.")


def chosen(rows: Rows, mask: np.ndarray, keep: str) -> Rows:
    """The rows that stay where those of `mask`, shape (n,), are kept or left out, with a note."""
    after = rows.take(mask if keep == KEEP else ~mask)
    out = rows.table.n_rows - after.table.n_rows
    return after.noted(f"{count(out, 'row')} left out, {after.table.n_rows:,} kept.")


@enter(
    Card(
        "keep_rows",
        "Keep rows by a condition",
        ("table_step",),
        kind="part",
        synonyms=("filter", "where", "subset", "select rows"),
    )
)
@dataclass(frozen=True, kw_only=True)
class KeepRows(TableStep):
    """Keeps or leaves out the rows in which one column meets a condition.

    A row whose cell is missing meets no condition but `is missing`. Several steps are an "and";
    for an "or", use several values or a condition by formula.
    """

    meets_new_rows: ClassVar[bool] = False

    rows: str = kept_or_left_out()
    column: str | None = column(None, or_none=NOT_CHOSEN, doc="The column that is looked at.")
    test: str = choice(
        ONE_OF, ONE_OF, NONE_OF, *COMPARE, CONTAINS, MISSING, PRESENT,
        label="where it", doc="What has to hold of the cell.",
    )  # fmt: skip
    values: tuple[str, ...] = levels(
        (), only_if={"test": (ONE_OF, NONE_OF)}, doc="The values, as they stand in the table."
    )
    value: str = text(
        "", only_if={"test": tuple(COMPARE)}, doc="A number, a date as 2024-05-31, or a level."
    )
    part: str = text("", only_if={"test": CONTAINS}, doc="Letters inside, small or capital.")

    def needs(self) -> tuple[str | None, ...]:
        """The column, and what it is compared with."""
        if self.test in (MISSING, PRESENT):
            return (self.column,)
        compared = {CONTAINS: self.part, ONE_OF: self.values, NONE_OF: self.values}
        return (self.column, "yes" if compared.get(self.test, self.value) else None)

    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,) if self.column else ()

    def about(self) -> str:
        """Keep rows where age is at least 18."""
        compared = {
            CONTAINS: self.part, MISSING: "", PRESENT: "", ONE_OF: listed(self.values),
            NONE_OF: listed(self.values),
        }.get(self.test, self.value)  # fmt: skip
        return (
            f"{spelled(self.rows)} rows where {self.column} {spelled(self.test)} {compared}".strip()
        )

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        at = rows.column(self.column or "")
        return chosen(rows, self._meets(at), self.rows)

    def _meets(self, at: ColumnData) -> np.ndarray:
        is_missing = np.isnan(at.values)
        if self.test in (MISSING, PRESENT):
            return is_missing == (self.test == MISSING)
        if self.test in (ONE_OF, NONE_OF):
            return (_is_among(at, self.values) == (self.test == ONE_OF)) & ~is_missing
        if self.test == CONTAINS:
            sought = self.part.lower()
            return _where(at, np.array([sought in level.lower() for level in _names(at)]))
        return COMPARE[self.test](at.values, _place(at, self.value)) & ~is_missing


def _names(at: ColumnData) -> tuple[str, ...]:
    if not at.is_coded:
        raise DataError(
            f"Column {at.name!r} holds no names, so nothing stands inside them. Compare its size."
        )
    return at.levels


def _where(at: ColumnData, is_sought: np.ndarray) -> np.ndarray:
    """Where a column has one of the levels that are sought, (number of levels,)."""
    codes = np.where(np.isnan(at.values), len(at.levels), at.values).astype(np.int64)
    return np.append(is_sought, False)[codes]


def _is_among(at: ColumnData, values: tuple[str, ...]) -> np.ndarray:
    """Where a cell is one of these. Raises DataError for a value that no cell can be."""
    if at.is_coded:
        for value in values:
            if value not in at.levels:
                raise DataError(
                    f"Column {at.name!r} has no value {value!r}; it has "
                    f"{listed(map(repr, at.levels), 6)}. Take one of these."
                )
        return _where(at, np.isin(np.array(at.levels, dtype=object), values))
    return np.isin(at.values, [_place(at, value) for value in values])


def _place(at: ColumnData, text: str) -> float:
    """What a cell is compared with, as the column holds it."""
    if at.kind == "ordinal" and text in at.levels:
        return float(at.levels.index(text))
    if at.is_coded:
        raise DataError(
            f"Column {at.name!r} holds names without an order, so none is less than {text!r}. Give "
            "them an order first, or ask whether it is one of several."
        )
    is_date = at.kind == "datetime"
    value = dates.days([text])[0] if is_date else cells.numbers([text])[0]
    if np.isnan(value):
        wanted = "a date such as 2024-05-31" if is_date else "a number such as 2.5"
        raise DataError(f"Column {at.name!r} is compared with {wanted}; got {text!r}.")
    return float(value)


@enter(
    Card(
        "rows_where",
        "Keep rows by a formula",
        ("table_step",),
        kind="part",
        synonyms=("query", "filter by expression"),
    )
)
@dataclass(frozen=True, kw_only=True)
class RowsWhere(TableStep):
    """Keeps or leaves out the rows in which a formula is true.

    Where it cannot be said, because a value is missing, the row is not among them.
    """

    meets_new_rows: ClassVar[bool] = False

    rows: str = kept_or_left_out()
    formula: str = text(
        "", longest=500, label="where",
        doc="A condition such as age >= 18 and not missing(income).",
    )  # fmt: skip

    def needs(self) -> tuple[str | None, ...]:
        """The formula."""
        return (self.formula.strip(),)

    def columns(self) -> tuple[str, ...]:
        """The columns that the formula names; none where it cannot be read."""
        return columns_of(self.formula)

    def about(self) -> str:
        """Keep rows where the formula holds."""
        return f"{spelled(self.rows)} rows where {self.formula}"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        return chosen(rows, truths(self.formula, rows.table) == 1, self.rows)


def columns_of(formula: str) -> tuple[str, ...]:
    """The columns that a formula names; none where it cannot be read, which its use then says."""
    try:
        return names_in(read(formula)) if formula.strip() else ()
    except FormulaError:
        return ()
