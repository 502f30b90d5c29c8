"""Numbers and counts as people read them."""

from __future__ import annotations

import math


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 row, 2,000 rows."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def number(value: float, digits: int = 3) -> str:
    """A number with as many digits as help; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size and (size >= 1e5 or size < 1e-3):
        return f"{value:.{digits - 1}e}"
    return (
        f"{value:.{digits}f}"
        if size < 10
        else f"{value:,.{max(0, digits - len(str(int(size))) + 1)}f}"
    )


def seconds(value: float) -> str:
    """A time span: 6 ms, 1.2 s, 3 min."""
    if value < 1:
        return f"{max(1, round(value * 1000))} ms"
    return f"{value:.1f} s" if value < 60 else f"{value / 60:.0f} min"
