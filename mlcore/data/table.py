"""The table that everything starts from: typed, read-only columns with missing values."""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mlcore.data import cells, dates
from mlcore.data.summary import Summary, summary
from mlcore.data.writing import END
from mlcore.spine.errors import DataError

NUMERIC = ("number", "count", "datetime")
CODED = ("binary", "ordinal", "nominal", "text", "identifier")
KINDS = (*NUMERIC, *CODED, "constant")


@dataclass(frozen=True, eq=False)
class ColumnData:
    """One variable. NaN is a missing value.

    number and count hold their values (count: whole numbers); datetime holds days since
    1970-01-01, fractions being the time of day in UTC; binary, ordinal, nominal, text and
    identifier hold codes into `levels`; a constant is of either sort.
    """

    name: str
    kind: str
    values: np.ndarray  # (n,), float64
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = _read_only(self.values)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "levels", tuple(self.levels))
        _check_column(self)
        values.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.values.setflags(write=False)

    @property
    def is_coded(self) -> bool:
        """Whether the values are codes into `levels`."""
        return self.kind in CODED or bool(self.levels)

    @cached_property
    def missing(self) -> int:
        """How many cells are missing values."""
        return int(np.isnan(self.values).sum())

    @cached_property
    def summary(self) -> Summary:
        """Ends, mean and counts, made once: the column never changes."""
        values = self.values[~np.isnan(self.values)] if self.missing else self.values
        return summary(values, len(self.levels) if self.is_coded else None)

    @cached_property
    def is_rising(self) -> bool:
        """Whether every row has a value, each larger than the last, or each smaller."""
        before, after = self.values[:-1], self.values[1:]
        return bool(len(after)) and bool((after > before).all() or (after < before).all())

    def cell(self, row: int) -> str:
        """One cell as text that reads back as the same value; "" for a missing value."""
        return self._text(self.values[row])

    def texts(self) -> list[str]:
        """All cells as text."""
        return [self._text(value) for value in self.values.tolist()]

    def _text(self, value: float) -> str:
        if value != value:  # NaN
            return ""
        if self.is_coded:
            return self.levels[int(value)]
        return cells.date_text(value) if self.kind == "datetime" else cells.number_text(value)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length under unique names. Nothing in it can be changed."""

    names: tuple[str, ...]
    columns: tuple[ColumnData, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "columns", tuple(self.columns))
        _check_table(self)

    @classmethod
    def of(cls, *columns: ColumnData) -> Table:
        """The table of these columns."""
        return cls(tuple(c.name for c in columns), columns)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].values)

    @property
    def missing(self) -> dict[str, int]:
        """How many missing values each column has."""
        return {c.name: c.missing for c in self.columns}

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each column stands: a table may have thousands of them."""
        return {name: at for at, name in enumerate(self.names)}

    def column(self, name: str) -> ColumnData:
        """The column of that name. Raises DataError if there is none."""
        if name not in self._places:
            raise DataError(
                f"The table has no column {name!r}; it has {', '.join(self.names[:8])}"
                f"{' and more' if len(self.names) > 8 else ''}. Choose one of these."
            )
        return self.columns[self._places[name]]

    def matrix(self, *names: str) -> np.ndarray:
        """The values of these columns (all if none are named), float64, shape (n, p)."""
        return np.column_stack([self.column(name).values for name in names or self.names])

    def take(self, rows: Any) -> Table:
        """These rows, by number or by a mask, in the order given."""
        picked = np.asarray(rows)
        return Table.of(*(replace(c, values=c.values[picked]) for c in self.columns))

    def select(self, *names: str) -> Table:
        """These columns, in the order given."""
        return Table.of(*(self.column(name) for name in names))

    def replaced(self, column: ColumnData) -> Table:
        """The table with the column of the same name exchanged."""
        self.column(column.name)
        return Table.of(*(column if c.name == column.name else c for c in self.columns))

    def with_kind(self, name: str, kind: str, levels: tuple[str, ...] = ()) -> Table:
        """The table with one column read as another kind.

        `levels` gives the order of a column of names, and must hold all that occur. Raises
        DataError if a cell forbids the kind.
        """
        return self.replaced(converted(self.column(name), kind, levels))

    def cell(self, row: int, name: str) -> str:
        """One cell as text; "" for a missing value."""
        return self.column(name).cell(row)

    def digest(self) -> str:
        """SHA-256 over names, kinds, levels and values: the name of the table in links."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        whole = hashlib.sha256()
        for c in self.columns:
            for text in (c.name, c.kind, *c.levels, str(len(c.levels))):
                # A surrogate, which no file but a caller can bring in, must not stop the digest.
                encoded = text.encode("utf-8", "surrogatepass")
                whole.update(len(encoded).to_bytes(8, "little") + encoded)
            whole.update(len(c.values).to_bytes(8, "little") + _canonical(c.values).tobytes())
        return whole.hexdigest()

    def to_csv(self) -> str:
        """Comma-separated text, with a header; missing values are empty, dates are ISO 8601.

        Text that a spreadsheet could execute gets a leading apostrophe.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator=END)
        writer.writerow([cells.safe_text(name) for name in self.names])
        writer.writerows(zip(*(_written(c) for c in self.columns), strict=True))
        return out.getvalue()


def numeric(name: str, values: Any, kind: str = "number") -> ColumnData:
    """A column of numbers, counts or days."""
    return ColumnData(name, kind, values)


def coded(name: str, texts: Any, kind: str = "nominal", levels: tuple[str, ...] = ()) -> ColumnData:
    """A column of names from one text a row ("" or None is missing); levels sorted unless given.

    Raises DataError for a text that is not among given levels.
    """
    present = [str(text) for text in texts if text not in ("", None)]
    levels = tuple(levels) or tuple(sorted(set(present)))
    code = {level: float(at) for at, level in enumerate(levels)}
    for text in present:
        if text not in code:
            raise DataError(
                f"Column {name!r} holds {text!r}, which is not among its levels. Add it to them."
            )
    values = [np.nan if text in ("", None) else code[str(text)] for text in texts]
    return ColumnData(name, kind, np.array(values, dtype=np.float64), levels)


def converted(column: ColumnData, kind: str, levels: tuple[str, ...] = ()) -> ColumnData:
    """The column read as another kind. Raises DataError with the first cell that forbids it."""
    if kind not in KINDS:
        raise DataError(f"There is no kind of column called {kind!r}. Use {', '.join(KINDS)}.")
    if kind in CODED:
        return _as_names(column, kind, levels)
    if kind == "constant":
        return _as_constant(column)
    return _as_numbers(column, kind)


def _as_names(column: ColumnData, kind: str, levels: tuple[str, ...]) -> ColumnData:
    if not column.is_coded:
        known, values = np.unique(column.values[~np.isnan(column.values)]), column.values
        codes = np.searchsorted(known, values).astype(np.float64)
        codes[np.isnan(values)] = np.nan
        names = tuple(column._text(value) for value in known)
        column = ColumnData(column.name, "nominal", codes, names)
    if levels:
        column = _reordered(column, levels)
    if kind == "binary":
        column = _reordered(column, _used(column))
        if len(column.levels) > 2:
            raise DataError(
                f"Column {column.name!r} has {len(column.levels)} different values; a binary "
                "column has two. Make it nominal or ordinal."
            )
    return replace(column, kind=kind)


def _as_numbers(column: ColumnData, kind: str) -> ColumnData:
    values = column.values
    if column.is_coded:
        values = _read_levels(column, kind)
    elif kind == "datetime" and column.kind != "datetime" and column.missing < len(values):
        raise DataError(
            f"Column {column.name!r} holds numbers, which name no calendar. Keep it a number, or "
            "write its dates as 2024-05-31."
        )
    if kind == "count":
        _check_whole(column.name, values)
    return ColumnData(column.name, kind, values)


def _read_levels(column: ColumnData, kind: str) -> np.ndarray:
    """Each code exchanged for what its level says, a number or a date."""
    read, what = (dates.days, "a date") if kind == "datetime" else (cells.numbers, "a number")
    meanings = read(column.levels)
    for level, count, meaning in zip(column.levels, _counts(column), meanings, strict=True):
        if count and not np.isfinite(meaning):
            raise DataError(
                f"Column {column.name!r} cannot become {kind}: {level!r} is not {what}. "
                "Keep it as names, or correct that cell."
            )
    return np.append(meanings, np.nan)[_codes(column)]


def _as_constant(column: ColumnData) -> ColumnData:
    present = np.unique(column.values[~np.isnan(column.values)])
    if len(present) > 1:
        raise DataError(
            f"Column {column.name!r} has {len(present)} different values, so it is not constant. "
            "Give it the role ignore instead."
        )
    if column.kind == "datetime":
        column = _as_names(column, "nominal", ())  # as a number it would no longer say its date
    return replace(column, kind="constant")


def _codes(column: ColumnData) -> np.ndarray:
    """Codes as whole numbers, shape (n,); a missing value points behind the last level."""
    return np.where(np.isnan(column.values), len(column.levels), column.values).astype(np.int64)


def _counts(column: ColumnData) -> np.ndarray:
    """How often each level occurs, shape (number of levels,)."""
    size = len(column.levels)
    return np.bincount(_codes(column), minlength=size)[:size]


def _used(column: ColumnData) -> tuple[str, ...]:
    """The levels that occur, in their order."""
    return tuple(level for level, n in zip(column.levels, _counts(column), strict=True) if n)


def _reordered(column: ColumnData, levels: tuple[str, ...]) -> ColumnData:
    """The same cells coded by `levels`, which must hold all that occur."""
    place = {level: float(at) for at, level in enumerate(levels)}
    for level in _used(column):
        if level not in place:
            raise DataError(
                f"The order given for column {column.name!r} lacks its value {level!r}. Add it."
            )
    moved = np.array([place.get(level, np.nan) for level in column.levels] + [np.nan])
    return replace(column, values=moved[_codes(column)], levels=tuple(levels))


def _read_only(values: np.ndarray) -> np.ndarray:
    """Values as float64 that nobody can change: a copy, but of those that are so already."""
    is_float = isinstance(values, np.ndarray) and values.dtype == np.float64
    if is_float and not values.flags.writeable and not isinstance(values.base, np.ndarray):
        return values
    return np.array(values, dtype=np.float64)


def _check_column(column: ColumnData) -> None:
    values, who = column.values, f"Column {column.name!r}"
    if column.kind not in KINDS:
        raise DataError(f"{who} has no kind {column.kind!r}. Use one of {', '.join(KINDS)}.")
    if values.ndim != 1:
        raise DataError(f"{who} needs one value a row; got an array of {values.ndim} dimensions.")
    if np.isinf(values).any():
        at = int(np.flatnonzero(np.isinf(values))[0])
        raise DataError(f"{who} has an infinite value in row {at + 1}. Leave that cell empty.")
    if column.kind in NUMERIC and column.levels:
        raise DataError(f"{who} is a {column.kind}, so it has no levels. Leave them out.")
    if column.kind == "count":
        _check_whole(column.name, values)
    if column.kind == "datetime":
        _check_days(column.name, values)
    if column.is_coded:
        _check_codes(column)


def _check_codes(column: ColumnData) -> None:
    who = f"Column {column.name!r}"
    if len(set(column.levels)) < len(column.levels):
        raise DataError(f"{who} names a level twice. Give each level once.")
    codes = column.values[~np.isnan(column.values)]
    outside = (codes < 0) | (codes >= len(column.levels)) | (codes != np.round(codes))
    if outside.any():
        raise DataError(
            f"{who} needs codes from 0 to {len(column.levels) - 1}, one for each level; "
            f"got {codes[outside][0]:g}."
        )


def _check_days(name: str, values: np.ndarray) -> None:
    outside = (values < dates.FIRST_DAY) | (values >= dates.LAST_DAY + 1)
    if outside.any():
        raise DataError(
            f"Column {name!r} holds a date outside the years 1 to 9999 in row "
            f"{int(np.argmax(outside)) + 1}. Leave that cell empty, or make it a number."
        )


def _check_whole(name: str, values: np.ndarray) -> None:
    broken = values != np.round(values)
    broken &= ~np.isnan(values)
    if broken.any():
        raise DataError(
            f"Column {name!r} cannot be a count: row {int(np.argmax(broken)) + 1} holds "
            f"{cells.number_text(values[broken][0])}. Make it a number."
        )


def _check_table(table: Table) -> None:
    if not table.columns:
        raise DataError("A table needs at least one column.")
    if table.names != tuple(c.name for c in table.columns):
        raise DataError("The names of a table must be those of its columns, in the same order.")
    if len(set(table.names)) < len(table.names):
        twice = next(name for name in table.names if table.names.count(name) > 1)
        raise DataError(f"Two columns are called {twice!r}. Rename one of them.")
    lengths = {len(c.values) for c in table.columns}
    if len(lengths) > 1:
        raise DataError(
            "The columns of a table need equally many rows; got "
            f"{' and '.join(str(n) for n in sorted(lengths))}."
        )


def _canonical(values: np.ndarray) -> np.ndarray:
    """Little-endian, with one bit pattern for NaN and one for zero."""
    return np.where(np.isnan(values), np.nan, values + 0.0).astype("<f8")


def _written(column: ColumnData) -> list[str]:
    if column.is_coded:
        safe = (*(cells.safe_text(level) for level in column.levels), "")
        return [safe[code] for code in _codes(column)]
    return column.texts()
