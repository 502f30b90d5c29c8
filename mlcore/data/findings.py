"""Findings about a table, and the words they are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STOP, WARNING, NOTE = "stop", "warning", "note"
SHOWN = 3
# Every title, the most harmful first: what makes scores wrong, then what costs rows or columns,
# then what is good to know.
HARM = (
    "No target values", "One class only",
    "Gives the target away?", "Duplicate rows", "A code for missing?", "Hardly any rows",
    "Fewer rows than columns", "Few rows in a class", "Unequal classes", "Missing values",
    "No values", "Duplicate column", "Same but for the scale",
    "Rows in order", "Ordered in time", "Sorted by target", "Rows without target",
    "Integer-coded columns", "Many different names", "Units differ", "Nearly constant",
    "Follows from the others", "Values seen once", "Text", "Names the rows", "Constant",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One thing to look at.

    severity is "stop" where nothing can be fitted, else "warning" or "note". fix is what would
    put it right, as (what, column, value): ("role", "id", "ignore"), ("kind", "zip", "nominal"),
    ("missing", "age", "-9") to read that value as missing, ("drop", "", "duplicates"),
    ("step", "age", "impute") to have that step in the preparation; ("together", "player", "30") to
    learn from it with the names in fewer than 30 rows as one; or None, where no decision about the
    table mends it: the sentence then says what does.
    """

    severity: str
    column: str | None
    title: str
    sentence: str
    fix: tuple[str, str, str] | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """Where it stands in a list: the gravest first, among equals the most harmful."""
        return (STOP, WARNING, NOTE).index(self.severity), HARM.index(self.title)


def rows_text(rows: np.ndarray) -> str:
    """Row positions, shape (m,), as words that count from 1: "rows 12, 40, 77 and 6 more"."""
    shown = ", ".join(str(row + 1) for row in rows[:SHOWN])
    if len(rows) == 1:
        return f"row {shown}"
    return f"rows {shown}" + (f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else "")
