"""Where a step of the preparation may stand, for tests that give each what it is for."""

from __future__ import annotations

from typing import Any


def takes_any_table(step: Any) -> bool:
    """Whether it takes rows as a table has them: missing values, and columns of names.

    Steps that choose variables bear missing values too, and stand behind the encoding.
    """
    return "missing" in step.card.takes and step.card.stage != "select"
