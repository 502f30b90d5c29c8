"""What of the changes to a table is done to rows that are to be predicted as well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from mlcore.data.steps.mends import CodesAsMissing
from mlcore.data.steps.step import Rows, TableStep
from mlcore.data.table import ColumnData, Table
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import in_sentence, listed, plural, told

HAVE_ORDER = ("ordinal", "binary")  # kinds whose levels mean something beyond those of few rows


class Asked(NamedTuple):
    """What a new table has to bring for certain columns of the changed one."""

    untouched: tuple[str, ...]  # columns that no step makes
    came: tuple[Column, ...]  # columns of the table as it came, of which the others are made


class NewRows(NamedTuple):
    """The steps that new rows take, with what they found in the table that was learned from."""

    came: tuple[Column, ...] = ()  # columns of the table as it came that some step takes
    steps: tuple[TableStep, ...] = ()
    made: tuple[tuple[str, ...], ...] = ()  # of each step the columns that it makes or replaces
    left_out: tuple[str, ...] = ()  # what is done to the table and not to new rows, in words
    groups: str = ""  # what a row is, in words, where a new row has to be a group already

    def changed(self, table: Table) -> Table:
        """A new table after the steps that it has the columns for.

        So one that is changed already may be brought, too. Raises DataError if a step cannot be
        done.
        """
        rows = Rows.of(table)
        for step in self.steps:
            if set(step.columns()) <= set(rows.table.names):
                try:
                    rows = step.applied(rows, {})
                except DataError as error:
                    raise DataError(f"{step.title()}, done to the new rows: {error}") from None
        return rows.table

    def making(self, names: Iterable[str]) -> NewRows:
        """With those steps alone on which certain columns of the changed table rest."""
        needed, kept = set(names), []
        for at in reversed(range(len(self.steps))):
            step, made = self.steps[at], self.made[at]
            if needed & set(made):
                needed = (needed - set(made)) | set(step.columns())
                kept.append(at)
        kept.reverse()
        steps = tuple(self.steps[at] for at in kept)
        taken = {name for step in steps for name in step.columns()}
        return NewRows(
            tuple(column for column in self.came if column.name in taken & needed),
            steps,
            tuple(self.made[at] for at in kept),
            self.left_out,
            self.groups,
        )

    def asked(self, names: Sequence[str]) -> Asked:
        """What a new table has to bring so that it has these columns after the steps."""
        kept = self.making(names)
        made = {name for each in kept.made for name in each}
        return Asked(tuple(name for name in names if name not in made), kept.came)

    def wanting(self, table: Table, names: Sequence[str]) -> tuple[str, ...]:
        """Why a changed table would lack some of these columns, a sentence a column."""
        after = set(table.names)
        for step, made in zip(self.steps, self.made, strict=True):
            after |= set(made) if set(step.columns()) <= after else set()
        sentences = []
        for name in names:
            asked = self.asked([name])
            lacking = [c.name for c in asked.came if c.name not in table.names]
            if name not in after and self.groups:
                sentences.append(
                    f"{told(name)} is a column of groups, which are not made of new rows: the "
                    f"model learned from the {self.groups}."
                )
            elif name not in after and lacking:
                sentences.append(
                    f"{told(name)} is made of the {plural(len(lacking), 'column')} "
                    f"{listed(map(told, lacking))}, which the table does not have."
                )
        return tuple(sentences)


AS_THEY_COME = NewRows()  # of a table that is not changed


def new_rows(
    steps: Iterable[TableStep], stages: Sequence[Rows], codes: Iterable[tuple[str, str]] = ()
) -> NewRows:
    """What new rows take of these steps; `stages` are those of the table learned from.

    `codes` are the values that mean missing, by column: looked for before the steps in the columns
    that came, after them in those that were made. Groups of rows are not made of new rows, which
    would be smaller ones: these come as groups, and what was done before is left out.
    """
    done = list(zip(steps, pairwise(stages), strict=False))
    begin = max(
        (k for k, (it, _) in enumerate(done, 1) if it.makes_rows and it.is_ready()), default=0
    )
    groups, first = done[begin - 1][0].about() if begin else "", stages[begin].table
    read = [CodesAsMissing(of=(name,), codes=tuple(text.split())) for name, text in codes]
    before = [step for step in read if step.of[0] in first.names]
    every: list[tuple[TableStep, tuple[str, ...]]] = [(step, step.of) for step in before]
    left_out = []
    for step, (rows, after) in done[begin:]:
        if not step.is_ready():
            continue
        if step.meets_new_rows:
            every.append((step.settled(rows.table), _made(rows.table, after.table)))
        else:
            left_out.append(step.about())
    every += [(step, step.of) for step in read if step not in before]
    return NewRows(
        tuple(_came(first, every)),
        tuple(step for step, _ in every),
        tuple(made for _, made in every),
        tuple(left_out),
        groups,
    )


def _made(before: Table, after: Table) -> tuple[str, ...]:
    """The columns that a step makes or replaces."""
    kept = {column.name: column for column in before.columns}
    return tuple(c.name for c in after.columns if kept.get(c.name) is not c)


def _came(first: Table, every: Iterable[tuple[TableStep, tuple[str, ...]]]) -> Iterable[Column]:
    """The columns that steps take as they came, in the order of the table."""
    taken, made = set(), set()
    for step, makes in every:
        taken |= set(step.columns()) - made
        made |= set(makes)
    return [_described(column) for column in first.columns if column.name in taken]


def _described(column: ColumnData) -> Column:
    """A column that new rows bring; levels only where few rows may not show all that count."""
    kind = column.kind if column.is_coded or column.kind == "datetime" else "number"
    return Column(column.name, kind, column.levels if kind in HAVE_ORDER else (), column.name)


def words_of(left_out: Sequence[str]) -> str:
    """What is not done to new rows, as a sentence; "" where nothing is left out."""
    if not left_out:
        return ""
    return f"Not done to new rows: {'; '.join(in_sentence(each) for each in left_out)}."
