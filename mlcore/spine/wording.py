"""Numbers in sentences."""

from __future__ import annotations


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 row, 2,000 rows, 3 classes."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
