"""The cells of a new column as the model has them: numbers, dates, codes of its levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mlcore.data import dates
from mlcore.data.cells import numbers
from mlcore.data.table import ColumnData, converted
from mlcore.spine.fit import Column

SHORT = 3  # letters of an abbreviation, such as F for female


class Read(NamedTuple):
    """Cells read for a model, NaN where there is nothing that it knows."""

    values: np.ndarray  # (m,)
    strange: np.ndarray  # (m,) bool: a cell that says something, and nothing that it knows
    words: tuple[str, ...] = ()  # the first few that are strange
    taken: tuple[tuple[str, str], ...] = ()  # (as in the table, level that it is read as)
    is_other_type: bool = False  # names where numbers are wanted


def read_for(column: Column, source: ColumnData) -> Read:
    """The cells of a column read as the model's column has them."""
    if column.levels:
        return _as_codes(column.levels, source)
    if column.kind == "datetime":
        return _as_values(source, dates.days, source.kind == "datetime")
    return _as_values(source, _numbers, not source.is_coded and source.kind != "datetime")


def _as_values(source: ColumnData, read: Callable[..., np.ndarray], is_so: bool) -> Read:
    """Numbers or dates: as they are, or as the names of the column say them."""
    if is_so:
        return Read(source.values, np.zeros(len(source.values), dtype=bool))
    names = converted(source, "nominal")
    return _looked_up(names, read(names.levels), is_other_type=True)


def _numbers(texts: Sequence[str]) -> np.ndarray:
    """What texts say as numbers, with those marks of decimals and thousands that read most."""
    readings = [numbers(texts, *marks) for marks in ((".", ","), (".", ""), (",", "."), (",", " "))]
    return max(readings, key=lambda values: int(np.isfinite(values).sum()))


def _as_codes(levels: tuple[str, ...], source: ColumnData) -> Read:
    names = converted(source, "nominal")
    places = {level: k for k, level in enumerate(levels)}
    codes, taken = np.full(len(names.levels), np.nan), []
    for at, name in enumerate(names.levels):
        level = name if name in places else _meant(name, levels)
        if level:
            codes[at] = places[level]
            taken += [(name, level)] if name != level else []
    return _looked_up(names, codes)._replace(taken=tuple(taken))


def _meant(name: str, levels: tuple[str, ...]) -> str:
    """The one level that a name in other letters, another number or a short form means, or ""."""
    bare = name.strip().casefold()
    value = numbers([bare])[0]
    for fits in (
        lambda level: level.strip().casefold() == bare,
        lambda level: np.isfinite(value) and numbers([level.strip()])[0] == value,
        lambda level: 0 < len(bare) <= SHORT and level.casefold().startswith(bare),
    ):
        meant = [level for level in levels if fits(level)]
        if meant:
            return meant[0] if len(meant) == 1 else ""
    return ""


def _looked_up(names: ColumnData, meanings: np.ndarray, *, is_other_type: bool = False) -> Read:
    """What each cell means, by what its name means, shape (m,)."""
    codes = np.where(np.isnan(names.values), len(names.levels), names.values).astype(np.int64)
    values = np.append(meanings, np.nan)[codes]
    strange = np.isnan(values) & ~np.isnan(names.values)
    words = tuple(names.levels[k] for k in np.unique(codes[strange])[:3])
    return Read(values, strange, words, is_other_type=is_other_type)
