"""Cells that are put right: codes that mean missing, and numbers that stand in a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from mlcore.data import cells
from mlcore.data.steps.formula.values import by_level, of_column, recoded
from mlcore.data.steps.new_column import typed
from mlcore.data.steps.step import NOT_CHOSEN, Rows, TableStep
from mlcore.data.table import ColumnData, Table
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, column, columns, levels, text
from mlcore.spine.wording import count, listed, plural

# Digits with their marks, and a sign before them: 8, 1,5, -3.25, 1.234,5.
RUN = re.compile(r"(?<![0-9])[-+−]?[0-9]++(?:[.,'’][0-9]++)*+")
MARKS = {"point": (".", ","), "comma": (",", ".")}  # of decimals, and of thousands


@enter(
    Card(
        "codes_as_missing",
        "Read codes as missing",
        ("table_step",),
        kind="part",
        synonyms=("recode missing", "na_values", "sentinel values", "user-missing values"),
    )
)
@dataclass(frozen=True, kw_only=True)
class CodesAsMissing(TableStep):
    """Makes cells with certain values missing: -99, "k.A.", "refused".

    The values are looked for in the columns that are named, numbers as numbers and names as names.
    """

    takes_any_kind: ClassVar[bool] = True

    of: tuple[str, ...] = columns((), label="Columns", doc="The columns that are looked at.")
    codes: tuple[str, ...] = levels((), doc="The values that mean missing, such as -99.")

    def needs(self) -> tuple[str | None, ...]:
        """Columns and codes."""
        return (*self.of, *self.codes) if self.of and self.codes else ()

    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return self.of

    def about(self) -> str:
        """The codes and the columns."""
        verb = plural(len(self.codes), "is", "are")
        return f"{listed(self.codes)} {verb} missing in {listed(self.of)}"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        changed = [self._mended(rows.column(name)) for name in self.of]
        cleared = sum(c.missing - rows.column(c.name).missing for c in changed)
        return rows.with_columns(*changed).noted(f"{count(cleared, 'cell')} became missing.")

    def _mended(self, at: ColumnData) -> ColumnData:
        if at.is_coded:
            kept = ["" if level in self.codes else level for level in at.levels]
            value = recoded(of_column(at), kept)
            return typed_names(replace(at, values=value.values, levels=value.levels))
        codes = cells.numbers(self.codes)
        is_code = np.isin(at.values, codes[~np.isnan(codes)])
        return replace(at, values=np.where(is_code, np.nan, at.values))


def typed_names(at: ColumnData) -> ColumnData:
    """The column of names, as numbers where every name that is left is one."""
    numbers = cells.numbers(at.levels)
    if not len(numbers) or np.isnan(numbers).any() or at.kind == "ordinal":
        return at
    if len(at.levels) <= 2:  # two numbers may as well be two names, as they were
        return at
    return typed(ColumnData(at.name, "number", by_level(of_column(at), numbers)))


@enter(
    Card(
        "number_from_text",
        "Number out of a text",
        ("table_step",),
        kind="part",
        synonyms=("extract number", "parse_number", "regex extract", "strip units"),
    )
)
@dataclass(frozen=True, kw_only=True)
class NumberFromText(TableStep):
    """Reads the number that stands in a text: 8 of "8 hours", 1.5 of "ca. 1,5 kg".

    A text with several numbers gives the first, the last, or their mean, as of "3-5 years"; one
    without any is missing, and how many these are is noted.
    """

    takes_any_kind: ClassVar[bool] = True

    column: str | None = column(None, or_none=NOT_CHOSEN, doc="The column of texts.")
    which: str = choice("first", "first", "last", "mean", doc="Which of several numbers.")
    decimal: str = choice("point", *MARKS, label="Decimals", doc="The mark before decimals.")
    name: str = text("", label="New name", doc="Name of the column of numbers; empty to replace.")

    def needs(self) -> tuple[str | None, ...]:
        """The column."""
        return (self.column,)

    def about(self) -> str:
        """The number in a column."""
        return f"the {self.which} number in {self.column}"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        at = rows.column(self.column or "")
        name = self.name.strip() or at.name
        if at.kind == "datetime":
            raise DataError(f"Column {at.name!r} holds dates. Take year(...) of it by a formula.")
        if not at.is_coded:  # it is numbers already, in a table that was changed before
            return rows.with_columns(replace(at, name=name))
        numbers = np.array([self._number(level) for level in at.levels], dtype=np.float64)
        values = by_level(of_column(at), numbers)
        lost = int(np.isnan(values).sum()) - at.missing
        after = rows.with_columns(typed(ColumnData(name, "number", values)))
        return after.noted(f"{count(lost, 'text')} without a number.") if lost else after

    def _number(self, text: str) -> float:
        decimal, thousands = MARKS[self.decimal]
        readings = [_read(run, decimal, thousands) for run in RUN.findall(_apart(text))]
        numbers = [value for value in readings if value is not None]
        if not numbers:
            return np.nan
        return {"first": numbers[0], "last": numbers[-1]}.get(self.which, float(np.mean(numbers)))


def _apart(text: str) -> str:
    """The text with a dash between two numbers as a blank: 3-5 is no minus five."""
    return re.sub(r"(?<=[0-9])\s?[-–—]\s?(?=[0-9])", " ", text)


def _read(run: str, decimal: str, thousands: str) -> float | None:
    """A run of digits as a number; its mark as one of decimals where it is none of thousands."""
    run = run.replace("’", "'").replace("−", "-")
    for point, mark in ((decimal, thousands), (decimal, "'"), (thousands, "")):
        if (value := cells.number(run, point, mark)) is not None:
            return value
    return None
