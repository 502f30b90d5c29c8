"""Sentences of maps about columns and directions without variance."""

from __future__ import annotations

from mlcore.maths.arrays import constant_columns
from mlcore.spine.method import Given
from mlcore.spine.wording import plural


def of_constant_columns(given: Given) -> tuple[str, ...]:
    """One sentence for each column whose values are all equal."""
    same = constant_columns(given.X)
    names = [c.name for c, is_same in zip(given.columns, same, strict=True) if is_same]
    return tuple(f"Column {name} never changes; it cannot carry variance." for name in names)


def of_fewer_directions(k: int, asked: int) -> tuple[str, ...]:
    """That k directions are all that there are, where more were asked for."""
    ways = plural(k, "direction has", "directions have")
    return (f"Only {k} {ways} any variance; showing {k}.",) if k < asked else ()
