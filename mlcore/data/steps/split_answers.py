"""Answers to a question with several: one column of yes or no for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mlcore.data.steps.formula.values import TRUTHS, by_level, of_column
from mlcore.data.steps.step import NOT_CHOSEN, Rows, TableStep
from mlcore.data.table import ColumnData, Table
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import column, flag, levels, text
from mlcore.spine.wording import count

MOST = 200  # columns that one question may become


@enter(
    Card(
        "split_answers",
        "Split answers",
        ("table_step",),
        kind="part",
        synonyms=("multi-select", "multiple response", "get_dummies", "multi-label", "checkbox"),
    )
)
@dataclass(frozen=True, kw_only=True)
class SplitAnswers(TableStep):
    """Makes a column of no and yes for each answer of a question that allows several.

    "bus; bike" says yes to bus and to bike. A missing cell is missing in all of them, or a no
    to all where an empty cell means none. The answers are those that occur, or are named.
    """

    column: str | None = column(None, or_none=NOT_CHOSEN, doc="The column of answers.")
    mark: str = text(";", longest=10, label="Between answers", doc="What stands between two.")
    answers: tuple[str, ...] = levels((), doc="The answers that get a column; empty for all.")
    none: bool = flag(
        False, label="Empty is none", doc="Whether an empty cell means that none was chosen."
    )
    keep: bool = flag(False, label="Keep the column", doc="Whether the column itself stays.")

    def needs(self) -> tuple[str | None, ...]:
        """The column and the mark."""
        return (self.column, self.mark)

    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,) if self.column else ()

    def about(self) -> str:
        """The column and the mark."""
        return f"{self.column}, split at {self.mark}"

    def settled(self, before: Table) -> TableStep:
        """With the answers that occur in a table."""
        if self.answers or not self.is_ready():
            return self
        return replace(self, answers=self._occurring(Rows.of(before).texts_of(self.column or "")))

    def _applied(self, rows: Rows, uploads: Mapping[str, Table]) -> Rows:
        at = rows.texts_of(self.column or "")
        answers = self.answers or self._occurring(at)
        if len(answers) > MOST:
            raise DataError(
                f"Column {at.name!r} holds {len(answers):,} different answers between "
                f"{self.mark!r}; at most {MOST} become columns. Name those that matter, or choose "
                "another mark."
            )
        answered = [frozenset(self._answers_in(level)) for level in at.levels]
        made = [self._column(at, answer, answered) for answer in answers]
        return self._without(rows.with_columns(*made), at, len(made))

    def _without(self, rows: Rows, at: ColumnData, made: int) -> Rows:
        rows = rows.noted(f"{count(made, 'column')} of no and yes.")
        if self.keep:
            return rows
        left = [c for c in rows.table.columns if c.name != at.name]
        return replace(rows, table=Table.of(*left)) if left else rows

    def _answers_in(self, level: str) -> list[str]:
        return [part for part in (each.strip() for each in level.split(self.mark)) if part]

    def _occurring(self, at: ColumnData) -> tuple[str, ...]:
        """The answers that occur, most frequent first."""
        counts = np.bincount(at.values[~np.isnan(at.values)].astype(np.int64), minlength=1)
        tally: Counter[str] = Counter()
        for level, n in zip(at.levels, counts, strict=False):
            if n:
                tally.update(dict.fromkeys(self._answers_in(level), int(n)))
        return tuple(answer for answer, _ in tally.most_common())

    def _column(self, at: ColumnData, answer: str, answered: list[frozenset[str]]) -> ColumnData:
        """Whether each row gave an answer; `answered` are the answers of each level."""
        given = by_level(of_column(at), np.array([float(answer in each) for each in answered]))
        given = np.nan_to_num(given) if self.none else given
        return ColumnData(f"{at.name}: {answer}", "binary", given, TRUTHS)
