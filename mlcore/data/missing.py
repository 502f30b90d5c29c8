"""Missing values in a table: where they are, what may stand for one, and the rows without any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mlcore.data.table import ColumnData, Table
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

SENTINELS = (-9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0)
FEW_ROWS = 10


class Pattern(NamedTuple):
    """Columns that are missing together, and in how many rows exactly these are."""

    columns: tuple[str, ...]
    rows: int


class MissingReport(NamedTuple):
    """Where a table has missing values."""

    counts: dict[str, int]  # by column, those with missing values only
    patterns: tuple[Pattern, ...]  # most frequent first; complete rows are the one of no columns
    codes: dict[str, tuple[float, ...]]  # by column, values that may stand for a missing value


class MissingPatterns(NamedTuple):
    """Rows grouped by which of their cells are missing, the most frequent group first."""

    patterns: np.ndarray  # (q, c) bool: the cell is missing
    counts: np.ndarray  # (q,) rows with this pattern
    which: np.ndarray  # (n,) the pattern of each row


class Complete(NamedTuple):
    """The rows without missing values."""

    table: Table
    kept: np.ndarray  # row numbers of the first table
    lost: np.ndarray


@function("missing_report", title="Missing values", sources=("cs1:missing_detect",))
def missing_report(table: Table) -> MissingReport:
    """Missing values by column, the patterns they form, and codes such as -9 that may mean missing.

    A code is named where two rows or more have it and it lies far outside all other values.
    """
    missing = missing_patterns([c.values for c in table.columns])
    codes = {c.name: candidate_codes(c) for c in table.columns if not c.is_coded}
    return MissingReport(
        {name: count for name, count in table.missing.items() if count},
        tuple(
            Pattern(_named(table, pattern), int(rows))
            for pattern, rows in zip(missing.patterns, missing.counts, strict=True)
        ),
        {name: values for name, values in codes.items() if values},
    )


def missing_patterns(columns: Sequence[np.ndarray]) -> MissingPatterns:
    """Which cells of columns, each of shape (n,), are missing together."""
    which = np.zeros(len(columns[0]), dtype=np.int64)
    patterns = np.zeros((1, len(columns)), dtype=bool)
    # Column by column: only those with missing values cost anything; no row is compared whole.
    for at, values in enumerate(columns):
        is_missing = np.isnan(values)
        if is_missing.any():
            both = 2 * which + is_missing
            rows = np.bincount(both, minlength=2 * len(patterns))
            is_met = rows > 0
            which = (np.cumsum(is_met) - 1)[both]
            patterns = np.repeat(patterns, 2, axis=0)
            patterns[1::2, at] = True
            patterns = patterns[is_met]
    counts = np.bincount(which, minlength=len(patterns))
    order = np.argsort(-counts, kind="stable")
    return MissingPatterns(patterns[order], counts[order], np.argsort(order)[which])


def _named(table: Table, mask: np.ndarray) -> tuple[str, ...]:
    return tuple(table.names[at] for at in np.flatnonzero(mask))


def candidate_codes(c: ColumnData) -> tuple[float, ...]:
    """Values of a column of numbers that two rows or more have, far outside all others."""
    if c.kind not in ("number", "count"):
        return ()
    ends = (c.summary.low, c.summary.high)  # what lies outside all others is one of them
    return tuple(code for code in (*SENTINELS, 0.0) if code in ends and _is_candidate(c, code))


def _is_candidate(c: ColumnData, code: float) -> bool:
    is_code = c.values == code
    if is_code.sum() < 2:
        return False
    rest = c.values[~is_code & ~np.isnan(c.values)]
    return len(rest) >= FEW_ROWS and _is_far(code, rest)


def _is_far(code: float, rest: np.ndarray) -> bool:
    """More than three quartile distances outside, or the only negative value; a zero only below."""
    if rest.min() <= code <= rest.max():
        return False
    if code < 0.0 <= rest.min():
        return True
    low, high = np.quantile(rest, (0.25, 0.75))
    reach = 3 * (high - low)
    return bool(code < low - reach or (code > high + reach and code != 0.0))


@function("recode_sentinels", title="Recoding of sentinel values", sources=("cs1:missing_detect",))
def recode_sentinels(table: Table, name: str, *codes: float) -> Table:
    """The table in which these values of one column of numbers are missing.

    Raises DataError if the column holds names.
    """
    column = table.column(name)
    if column.is_coded:
        raise DataError(f"Column {name!r} holds names, not numbers. Name a column of numbers.")
    values = np.where(np.isin(column.values, codes), np.nan, column.values)
    return table.replaced(replace(column, values=values))


@function("drop_incomplete", title="Complete rows", sources=("cs1:impute_drop",))
def drop_incomplete(table: Table, *names: str) -> Complete:
    """The rows without a missing value in the named columns, in all of them if none is named.

    Each row is judged by itself, so it may be done before a split. Raises DataError if no row is
    left.
    """
    is_incomplete = np.isnan(table.matrix(*names)).any(axis=1)
    if is_incomplete.all():
        raise DataError(
            "Every row has a missing value, so none is left. Fill them in, or leave out the "
            "columns with most of them."
        )
    kept = np.flatnonzero(~is_incomplete)
    return Complete(table.take(kept), kept, np.flatnonzero(is_incomplete))
