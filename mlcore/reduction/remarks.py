"""Sentences of maps about columns and directions without variance."""

from __future__ import annotations

from mlcore.maths.arrays import constant_columns
from mlcore.spine.method import Given
from mlcore.spine.wording import listed, plural


def of_constant_columns(given: Given) -> tuple[str, ...]:
    """One sentence about the columns whose values are all equal, however many they are."""
    same = constant_columns(given.X)
    names = [c.name for c, is_same in zip(given.columns, same, strict=True) if is_same]
    if len(names) == 1:
        return (f"Column {names[0]} never changes; it cannot carry variance.",)
    return (f"Columns {listed(names)} never change; they cannot carry variance.",) if names else ()


def of_fewer_directions(k: int, asked: int) -> tuple[str, ...]:
    """That k directions are all that there are, where more were asked for."""
    ways = plural(k, "direction has", "directions have")
    return (f"Only {k} {ways} any variance; showing {k}.",) if k < asked else ()
