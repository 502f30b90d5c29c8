"""The base class of the fits of preparation steps, and helpers that steps share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from mlcore.preparation.chain import Met, StepSummary
from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.params import integer

MOST_COLUMNS = 2000  # that a step makes
COLUMNS_AT_ONCE, ROWS_AT_ONCE = 8, 4096  # a line of memory has 8 numbers; a tile fits the cache


def holds_names(column: Column) -> bool:
    """Whether the values are codes without an order: nominal, text, or binary with levels.

    Ordinal columns are not meant: their codes stand in the order of the levels and can be used
    as numbers.
    """
    return holds_text(column) or (bool(column.levels) and column.kind != "ordinal")


def holds_text(column: Column) -> bool:
    """Whether the values are codes of texts, which only counts of words turn into numbers."""
    return column.kind == "text"


def reading(
    columns: tuple[Column, ...], texts: Mapping[str, tuple[str, ...]]
) -> tuple[Column, ...]:
    """The columns with these levels where they hold text; none where none are given."""
    return tuple(
        replace(c, levels=texts.get(c.variable, ())) if holds_text(c) else c for c in columns
    )


def refuse_text(columns: tuple[Column, ...], who: str) -> None:
    """Refuse columns of text, whose codes mean nothing: raises DataError if there is one."""
    names = [column.name for column in columns if holds_text(column)]
    if names:
        raise DataError(
            f"{who} needs numbers; column {names[0]} holds text. "
            "Add word counts to the preparation before it."
        )


def refuse_width(width: int, who: str, what: str) -> None:
    """Refuse too wide a table: raises DataError if `width` is above `MOST_COLUMNS`."""
    if width > MOST_COLUMNS:
        raise DataError(
            f"{who} would make {width:,} columns; it makes {MOST_COLUMNS:,} at most. {what}"
        )


def coded(values: np.ndarray, column: Column, who: str) -> np.ndarray:
    """Codes of levels as whole numbers, shape (n,); the number of levels means missing.

    Raises DataError if a value, shape (n,), is no code of a level.
    """
    n_levels = len(column.levels)
    values = np.ascontiguousarray(values)  # five times read: a column of a table lies far apart
    is_missing = np.isnan(values)
    filled = np.where(is_missing, 0.0, values)
    codes = filled.astype(np.int64)
    beyond = (codes != filled) | (codes < 0) | (codes >= n_levels)
    if (beyond & ~is_missing).any():
        raise DataError(
            f"{who} needs codes from 0 to {n_levels - 1} in column {column.name}, one for each "
            "of its levels; got other values. Encode the names before numbers are changed."
        )
    codes[is_missing] = n_levels
    return codes


class Encoding(NamedTuple):
    """The numbers that the levels of one column become."""

    column: int  # its position among the columns of the step
    levels: tuple[str, ...]  # (L,) in the order of their codes
    names: tuple[str, ...]  # (q,) the new columns
    numbers: np.ndarray  # (L, q)


@dataclass(frozen=True, eq=False, kw_only=True)
class StepFit(Fit):
    """A fitted preparation step: what it learned from the training rows.

    One that transforms treats each row by itself; one that resamples leaves the columns alone.
    """

    out_columns: tuple[Column, ...]

    def summary(self) -> StepSummary:
        """What was learned from the training rows."""
        raise NotImplementedError(f"{type(self).__name__} declares no summary")

    def met(self, X: Any) -> Met | None:
        """What rows, shape (m, p), bring that no training row did; None: nothing is counted."""
        return None

    def reading(self, texts: Mapping[str, tuple[str, ...]]) -> Self:
        """The same step for rows whose columns of text hold numbers of these texts, by variable."""
        return replace(
            self,
            columns=reading(self.columns, texts),
            out_columns=reading(self.out_columns, texts),
        )

    def _prepared_rows(self, Z: Any) -> np.ndarray:
        """Rows in the new coordinates checked, as float64 in C order, shape (m, q)."""
        who = self.made_by.title()
        Z = checks.matrix(Z, who, missing=True, names=tuple(c.name for c in self.out_columns))
        if Z.shape[1] != len(self.out_columns):
            raise DataError(
                f"{who} gives {len(self.out_columns)} columns; got rows of {Z.shape[1]} to turn "
                "back. Give rows that it has transformed."
            )
        return Z


def image_height(*, advanced: bool = False) -> int:
    """Declare the height of the images that the columns hold pixel by pixel."""
    return integer(
        "auto",
        low=1,
        soft=(1, 64),
        auto="auto",
        label="Height of the images",
        doc="Pixels from top to bottom; auto: by the names of the columns, else a square.",
        advanced=advanced,
    )


def present(X: np.ndarray) -> Iterator[np.ndarray]:
    """The present values of each column of X, shape (n, p), contiguous."""
    n, p = X.shape
    for first in range(0, p, COLUMNS_AT_ONCE):
        # Transposed in small tiles, each line of memory is read once and not once a column.
        turned = np.empty((min(COLUMNS_AT_ONCE, p - first), n))
        for start in range(0, n, ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            turned[:, rows] = X[rows, first : first + COLUMNS_AT_ONCE].T
        for x in turned:
            is_missing = np.isnan(x)
            yield x[~is_missing] if is_missing.any() else x


def apply_two(
    X: np.ndarray, first: np.ufunc, a: np.ndarray, second: np.ufunc, b: np.ndarray
) -> np.ndarray:
    """second(first(X, a), b) of X, shape (n, p), and a, b, (p,), in tiles that fit the cache."""
    out = np.empty(X.shape)
    for start in range(0, len(X), ROWS_AT_ONCE):
        tile = out[start : start + ROWS_AT_ONCE]
        second(first(X[start : start + ROWS_AT_ONCE], a, out=tile), b, out=tile)
    return out


def outside_range(X: np.ndarray, low: np.ndarray, high: np.ndarray, what: str) -> Met:
    """How many values of X, shape (m, k), lie below or above the ends of their column, (k,)."""
    outside = np.less(X, low) | np.greater(X, high)
    return Met(int(outside.sum()), int((~np.isnan(X)).sum()), what)


def as_number(column: Column) -> Column:
    """The column once its values are no longer codes of levels."""
    if column.kind == "number" and not column.levels:
        return column
    return Column(column.name, "number", (), column.source)
