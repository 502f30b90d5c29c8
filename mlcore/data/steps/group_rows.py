"""Rows grouped by what they share, and the others summed up: a row is then a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.data.steps.new_column import typed
from mlcore.data.steps.step import Rows, TableStep
from mlcore.data.table import ColumnData, Table
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choices, columns, text
from mlcore.spine.wording import count, listed

SUMMARIES = ("mean", "median", "sum", "min", "max", "share")
ROWS = "rows"  # the column that counts


@enter(
    Card(
        "group_rows",
        "Group and aggregate",
        ("table_step",),
        kind="part",
        synonyms=("groupby", "summarise", "aggregate", "pivot table", "collapse"),
    )
)
@dataclass(frozen=True, kw_only=True)
class GroupRows(TableStep):
    """Makes one row of all rows that share a value, or two: what a row is changes.

    Everything after it, scores too, is about groups and no longer about the rows that were
    brought. Columns of numbers are summed up over the values that are there; of a column of names
    there is the share of one level. The count of rows is always there.
    """

    makes_rows: ClassVar[bool] = True

    by: tuple[str, ...] = columns((), most=2, doc="One or two columns whose values make a group.")
    of: tuple[str, ...] = columns((), label="Sum up", doc="The columns that are summed up.")
    how: tuple[str, ...] = choices(
        ("mean",), *SUMMARIES, label="As", doc="What is worked out of each column in a group."
    )
    level: str = text("", label="Share of", doc="The level whose share is meant, for names.")

    def needs(self) -> tuple[str | None, ...]:
        """The columns that make a group."""
        return self.by

    def columns(self) -> tuple[str, ...]:
        """The columns that make a group and those that are summed up."""
        return (*self.by, *self.of)

    def about(self) -> str:
        """What a row is after it."""
        what = f"{listed(self.how)} of {listed(self.of)}" if self.of and self.how else "their count"
        return f"{what} by {listed(self.by)}; a row is a group"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        keys = [rows.column(name) for name in dict.fromkeys(self.by)]
        first, group = _groups(keys)
        n = len(first)
        made = [ColumnData(ROWS, "count", np.bincount(group, minlength=n))]
        for name in dict.fromkeys(self.of):
            if name not in self.by:
                made += self._summed(rows.column(name), group, n)
        groups = Table.of(*(c for c in keys)).take(first)
        after = Rows.of(groups).with_columns(*(_free(c, groups) for c in made))
        note = f"{count(rows.table.n_rows, 'row')} became {count(n, 'group')}: a row is a group."
        return Rows(after.table, after.numbers, (*rows.notes, note))

    def _summed(self, at: ColumnData, group: np.ndarray, n: int) -> list[ColumnData]:
        made = []
        for how in self.how:
            values = self._share(at, group, n) if how == "share" else _worked(at, how, group, n)
            kind = "datetime" if at.kind == "datetime" and how in KEEP_DATES else "number"
            column = ColumnData(f"{how} of {at.name}", kind, values)
            made.append(typed(column))
        return made

    def _share(self, at: ColumnData, group: np.ndarray, n: int) -> np.ndarray:
        """Share of one level, or of the value 1, among the values that are there."""
        level = self.level.strip() or ("yes" if "yes" in at.levels else "1")
        if at.is_coded and level not in at.levels:
            raise DataError(
                f"Column {at.name!r} has no level {level!r}; it has "
                f"{listed(map(repr, at.levels), 6)}. Say the share of which of them is meant."
            )
        sought = float(at.levels.index(level)) if at.is_coded else _number(at, level)
        is_level = np.where(np.isnan(at.values), np.nan, at.values == sought)
        return _means(is_level, group, n)


KEEP_DATES = ("mean", "median", "min", "max")  # of dates these are dates


def _number(at: ColumnData, level: str) -> float:
    try:
        return float(level)
    except ValueError:
        raise DataError(
            f"Column {at.name!r} holds numbers; the share of {level!r} is that of none of them. "
            "Say a number."
        ) from None


def _free(at: ColumnData, groups: Table) -> ColumnData:
    """The column, under a name that no column of the groups has."""
    name = at.name
    while name in groups.names:
        name += " in group"
    return ColumnData(name, at.kind, at.values, at.levels)


def _groups(keys: list[ColumnData]) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each group, in the order they come, and the group of each row.

    Missing values are a value of their own.
    """
    codes = np.zeros(len(keys[0].values), dtype=np.int64)
    for key in keys:
        _, each = np.unique(key.values, return_inverse=True)
        codes = np.unique(codes * (each.max() + 1) + each, return_inverse=True)[1]
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[group]


def _worked(at: ColumnData, how: str, group: np.ndarray, n: int) -> np.ndarray:
    """One summary of each group, (n,), over the values that are there; NaN where none are."""
    if at.is_coded:
        raise DataError(
            f"Column {at.name!r} holds names, which have no {how}. Ask for the share of one of "
            "its levels, or take the column out."
        )
    if how == "mean":
        return _means(at.values, group, n)
    return _ordered(at.values, group, n, how)


def _means(values: np.ndarray, group: np.ndarray, n: int) -> np.ndarray:
    is_there = ~np.isnan(values)
    counts = np.bincount(group[is_there], minlength=n)
    sums = np.bincount(group[is_there], values[is_there], minlength=n)
    return np.where(counts, sums / np.maximum(counts, 1), np.nan)


def _ordered(values: np.ndarray, group: np.ndarray, n: int, how: str) -> np.ndarray:
    """Sum, median, least or greatest: rows lie group by group, each in the order of its values."""
    is_there = ~np.isnan(values)
    values, group = values[is_there], group[is_there]
    counts = np.bincount(group, minlength=n)
    if how == "sum":
        return np.where(counts, np.bincount(group, values, minlength=n), np.nan)
    values = np.append(values[np.lexsort((values, group))], np.nan)
    first = np.cumsum(counts) - counts
    low, high = {
        "min": (first, first),
        "max": (first + counts - 1, first + counts - 1),
        "median": (first + (counts - 1) // 2, first + counts // 2),
    }[how]
    return np.where(counts, (values[low] + values[high]) / 2, np.nan)
