"""What is asked of a whole table, by a worker: rows found by a formula or written as CSV, and the
findings. It takes as long as a table that somebody brought is large, and a page of the server must
not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.data.audit import audit
from mlcore.data.findings import Finding
from mlcore.data.steps.formula import truths
from mlcore.data.table import Table
from mlcore.spine.errors import DataError
from service import jobs, limits, reading
from service.fair_queue import Person
from service.pool import AT_ONCE
from service.tasks import JobError, Stored, task

FINDING, WRITING, AUDITING = "finding rows", "writing rows", "looking through a table"
FEW_CELLS = 1_000_000  # are looked through in a tenth of a second: less than a worker is asked in


def rows_where(
    formula: str, table: Table, *, owner: str = "", person: Person | None = None
) -> np.ndarray:
    """The rows in which a formula is true, rising. Raises DataError where it cannot be said."""
    return _carried_out(_rows_where, formula, table, FINDING, owner, person)


def csv_of(rows: np.ndarray, table: Table, *, owner: str = "", person: Person | None = None) -> str:
    """These rows as CSV. Raises DataError where that takes more than a run may."""
    return _carried_out(_csv_of, rows, table, WRITING, owner, person)


def audited(
    table: Table, target: str | None, *, owner: str = "", person: Person | None = None
) -> tuple[Finding, ...]:
    """The findings on a table. Raises DataError where that takes more than a run may."""
    if table.n_rows * len(table.columns) <= FEW_CELLS:
        return audit(table, target)
    return _carried_out(_audited, target, table, AUDITING, owner, person)


def _audited(target: str | None, table: Table) -> tuple[Finding, ...]:
    return audit(table, target)


def _rows_where(formula: str, table: Table) -> np.ndarray:
    return np.flatnonzero(truths(formula, table) == 1)


def _csv_of(rows: np.ndarray, table: Table) -> str:
    return table.take(rows).to_csv()


def _carried_out(
    function: Any, what: Any, table: Table, place: str, owner: str, person: Person | None
) -> Any:
    most = limits.current_limits()
    most = replace(most, seconds=min(most.seconds, reading.SECONDS))
    wanted: Any = Stored(table.digest(), table)
    job = jobs.pool().submit(
        task(function, what, wanted), owner=owner, person=person, replaces=place,
        priority=AT_ONCE, limits=most,
    )  # fmt: skip
    try:
        return job.result()
    except JobError as error:
        raise DataError(error.failed.sentence) from error
