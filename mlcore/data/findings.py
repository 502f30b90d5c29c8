"""Findings about a table, and the words they are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STOP, WARNING, NOTE = "stop", "warning", "note"
SHOWN = 3


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


def rows_text(rows: np.ndarray) -> str:
    """Row positions, shape (m,), as words that count from 1: "rows 12, 40, 77 and 6 more"."""
    shown = ", ".join(str(row + 1) for row in rows[:SHOWN])
    if len(rows) == 1:
        return f"row {shown}"
    return f"rows {shown}" + (f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else "")
