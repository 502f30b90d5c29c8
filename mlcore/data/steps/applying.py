"""Steps one after the other, each error in the name of its step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mlcore.data.steps.step import Rows, TableStep
from mlcore.data.table import Table
from mlcore.spine.errors import DataError


class Applied(NamedTuple):
    """What came of the steps; `stages[k]` are the rows before step k, the last those after all.

    Where a step cannot be done, `problem` is why, and the stages end before it.
    """

    stages: tuple[Rows, ...]
    problem: str = ""

    @property
    def rows(self) -> Rows:
        """The rows after all steps. Raises DataError with the step that cannot be done."""
        if self.problem:
            raise DataError(self.problem)
        return self.stages[-1]


def applied(
    steps: Sequence[TableStep], table: Table, uploads: Mapping[str, Table] | None = None
) -> Applied:
    """The steps done to a table in their order, as far as they can be."""
    stages = [Rows.of(table)]
    for k, step in enumerate(steps):
        try:
            stages.append(step.applied(stages[-1], uploads or {}))
        except DataError as error:
            problem = f"Change {k + 1} of the table, {step.title().lower()}: {error}"
            return Applied(tuple(stages), problem)
    return Applied(tuple(stages))
