"""Values of a formula over all rows at once: numbers, dates, truths and texts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.data import cells
from mlcore.data.table import ColumnData

NUMBER, DATE, TRUTH, TEXT = "number", "date", "truth", "text"
TRUTHS = ("no", "yes")


class Value(NamedTuple):
    """One value a row, or one for all; NaN is a missing value.

    Truths are 0 and 1, dates days since 1970-01-01, texts codes into `levels`.
    """

    kind: str
    values: np.ndarray  # (n,) or (1,)
    levels: tuple[str, ...] = ()
    in_order: bool = False  # whether the levels are those of an ordinal column


def of_column(column: ColumnData) -> Value:
    """The values of a column."""
    if column.is_coded:
        return Value(TEXT, column.values, column.levels, column.kind == "ordinal")
    return Value(DATE if column.kind == "datetime" else NUMBER, column.values)


def as_numbers(value: Value) -> np.ndarray | None:
    """The values as numbers, shape (n,) or (1,), where they are some or say some; else None."""
    if value.kind != TEXT:
        return value.values if value.kind != DATE else None
    meanings = cells.numbers(value.levels)
    is_used = np.zeros(len(meanings), dtype=bool)
    is_used[value.values[~np.isnan(value.values)].astype(np.int64)] = True
    if not is_used.any() or np.isnan(meanings[is_used]).any():
        return None
    return by_level(value, meanings)


def as_truths(value: Value) -> np.ndarray | None:
    """The values as truths, shape (n,) or (1,), where they are some or say some; else None."""
    if value.kind == TEXT and set(value.levels) == set(TRUTHS):
        return by_level(value, np.array([float(level == "yes") for level in value.levels]))
    numbers = as_numbers(value) if value.kind != TRUTH else value.values
    is_truth = numbers is not None and (np.isnan(numbers) | (numbers == 0) | (numbers == 1)).all()
    return numbers if is_truth else None


def by_level(value: Value, meanings: np.ndarray) -> np.ndarray:
    """What is said of each level, (number of levels,), for each row, shape (n,); missing stays."""
    is_missing = np.isnan(value.values)
    codes = np.where(is_missing, len(meanings), value.values).astype(np.int64)
    return np.append(meanings, np.nan)[codes]


def recoded(value: Value, texts: list[str]) -> Value:
    """The texts, each level with another text; equal ones become one level, empty ones missing."""
    levels = tuple(dict.fromkeys(text for text in texts if text))
    place = {"": np.nan} | {level: float(at) for at, level in enumerate(levels)}
    return Value(TEXT, by_level(value, np.array([place[text] for text in texts])), levels)


def together(first: Value, second: Value) -> tuple[Value, Value]:
    """Two texts, coded by the same levels."""
    levels = tuple(dict.fromkeys((*first.levels, *second.levels)))
    place = {level: float(at) for at, level in enumerate(levels)}

    def moved(value: Value) -> Value:
        codes = by_level(value, np.array([place[level] for level in value.levels]))
        return Value(TEXT, codes, levels)

    return moved(first), moved(second)


def as_column(name: str, value: Value, n: int) -> ColumnData:
    """A column of n rows; truths become no and yes."""
    values = np.broadcast_to(value.values, (n,))
    if value.kind == DATE:
        return ColumnData(name, "datetime", values)
    if value.kind == NUMBER:
        return ColumnData(name, "number", np.where(np.isfinite(values), values, np.nan))
    if value.kind == TRUTH:
        return ColumnData(name, "binary", values, TRUTHS)
    texts = recoded(value._replace(values=values), list(value.levels))  # without an empty level
    return ColumnData(name, "nominal", texts.values, texts.levels)
