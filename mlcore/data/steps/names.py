"""The levels of a column of names: several as one, and their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mlcore.data.steps.formula.values import of_column, recoded
from mlcore.data.steps.step import NOT_CHOSEN, Rows, TableStep
from mlcore.data.table import Table, converted
from mlcore.spine.component import Card, enter
from mlcore.spine.params import column, levels, text
from mlcore.spine.wording import listed


@enter(
    Card(
        "merge_levels",
        "Merge levels",
        ("table_step",),
        kind="part",
        synonyms=("collapse factor levels", "recode", "replace values", "map values"),
    )
)
@dataclass(frozen=True, kw_only=True)
class MergeLevels(TableStep):
    """Makes one level of several of a column, or gives one level another name.

    An ordinal column stays in its order, the merged level where the first of them was.
    """

    column: str | None = column(None, or_none=NOT_CHOSEN, doc="The column of names.")
    levels: tuple[str, ...] = levels((), doc="The levels that become one.")
    into: str = text(
        "", label="Become", doc="The level that they become, new or one of the others."
    )

    def needs(self) -> tuple[str | None, ...]:
        """The column, the levels and what becomes of them."""
        return (self.column, "".join(self.levels), self.into.strip())

    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,) if self.column else ()

    def about(self) -> str:
        """The levels and what they become."""
        return f"{listed(self.levels)} of {self.column} become {self.into}"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        at, into = rows.texts_of(self.column or ""), self.into.strip()
        merged = [into if level in self.levels else level for level in at.levels]
        value = recoded(of_column(at), merged)
        after = rows.with_columns(replace(at, values=value.values, levels=value.levels))
        strange = [level for level in self.levels if level not in at.levels]
        return after.noted(f"No row has {listed(map(repr, strange))}.") if strange else after


@enter(
    Card(
        "order_levels",
        "Order levels",
        ("table_step",),
        kind="part",
        synonyms=("ordinal", "factor levels", "relevel", "sort categories"),
    )
)
@dataclass(frozen=True, kw_only=True)
class OrderLevels(TableStep):
    """Gives the levels of a column an order, lowest first: the column becomes ordinal.

    Levels that are not named follow those that are, in the order that they had.
    """

    column: str | None = column(None, or_none=NOT_CHOSEN, doc="The column of names.")
    levels: tuple[str, ...] = levels((), doc="The levels in their order, lowest first.")

    def needs(self) -> tuple[str | None, ...]:
        """The column and its levels."""
        return (self.column, "".join(self.levels))

    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,) if self.column else ()

    def about(self) -> str:
        """The levels in their order."""
        return f"{self.column}: {' < '.join(self.levels)}"

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        at = rows.texts_of(self.column or "")
        order = tuple(dict.fromkeys((*self.levels, *at.levels)))
        return rows.with_columns(converted(at, "ordinal", order))
