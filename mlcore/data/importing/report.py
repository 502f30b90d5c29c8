"""What reading a file gives: the table, every decision with its reason, and what to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlcore.data.importing.decisions import Decisions
from mlcore.data.table import Table
from mlcore.spine.wording import told as told  # every reader of this package takes it from here

SURE, LIKELY, GUESS, CHOSEN = "sure", "likely", "guess", "said by you"

MOST_LEFT_OUT = 100  # lines by one press: an address has no room for more


@dataclass(frozen=True)
class Decision:
    """One decision: a field of `Decisions`, its value, why, and how sure that is.

    confidence is "sure", "likely", "guess" or "said by you".
    """

    name: str
    value: Any
    reason: str
    confidence: str


@dataclass(frozen=True)
class Note:
    """Something to look at, with the line or column it is about.

    fix is a field of `Decisions` and the value that would put it right, or None; press says in a
    few words what that does, where the field alone does not.
    """

    sentence: str
    column: str | None = None
    line: int | None = None
    fix: tuple[str, object] | None = None
    press: str = ""


@dataclass(frozen=True)
class Ragged:
    """A record with another number of cells than the table has columns; lines count from 1.

    `extra` are the cells beyond the last column, which no column holds.
    """

    line: int
    expected: int
    got: int
    extra: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """How a file was read."""

    name: str
    taken: tuple[Decision, ...]
    notes: tuple[Note, ...] = ()
    ragged: tuple[Ragged, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()  # (as in the file, as in the table)
    # (column, the markers of missing values met in it; for plain numbers, those at the top)
    missing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    form: str = "text"  # or workbook, parquet, arff: which decisions there are
    sheets: tuple[str, ...] = ()  # of a workbook
    files: tuple[str, ...] = ()  # of an archive, those that may be tables

    @property
    def decisions(self) -> Decisions:
        """Every decision spelt out: reading the same bytes with these gives the same table."""
        return Decisions(**{t.name: t.value for t in self.taken})

    def why(self, name: str) -> Decision:
        """The decision of that name."""
        return next(t for t in self.taken if t.name == name)


@dataclass(frozen=True)
class Imported:
    """A table and how it came about."""

    table: Table
    report: Report
