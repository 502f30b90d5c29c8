"""What fitting gives: a frozen object that knows its columns and refuses rows of another shape."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from mlcore.spine import checks
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Stop


@dataclass(frozen=True)
class Column:
    """One column of X. `source` is the variable of the table that it was made from.

    kind is number, count, binary, ordinal, nominal, text or datetime; the values of a column with
    `levels` are codes into them. A one-hot block has one source, so it stays one variable.
    """

    name: str
    kind: str = "number"
    levels: tuple[str, ...] = ()
    source: str = ""

    @property
    def variable(self) -> str:
        """The variable of the table that it was made from."""
        return self.source or self.name


@cache
def plain_columns(p: int) -> tuple[Column, ...]:
    """Columns x1 ... xp, for data that came without names."""
    return tuple(Column(f"x{j + 1}") for j in range(p))


@dataclass(frozen=True, eq=False, kw_only=True)
class Fit:
    """The base of every fit. Arrays are read-only, also after a trip through a worker."""

    made_by: Component
    columns: tuple[Column, ...]
    n_iter: int = 0
    stop: Stop | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)

    @property
    def n_columns(self) -> int:
        """How many columns the rows must have."""
        return len(self.columns)

    def holds_together(self) -> bool:
        """Whether shapes and positions are such as a compiled loop trusts.

        Asked of a fit that comes from a file; a fit whose verbs run such a loop says more.
        """
        return True

    def _rows(self, X: Any) -> np.ndarray:
        """X checked, as float64 in C order: a compiled loop has no bounds check of its own."""
        who = self.made_by.title()
        missing = self.made_by.takes_missing()
        X = checks.matrix(X, who, missing=missing, names=tuple(c.name for c in self.columns))
        if X.shape[1] != self.n_columns:
            raise DataError(
                f"{who} was fitted on {self.n_columns} columns; got rows of {X.shape[1]}. "
                "Give the same columns in the same order."
            )
        return X

    def _lengths(self, lengths: Any, n: int) -> np.ndarray:
        """Lengths of the sequences in n rows, checked, (k,): for verbs that take `lengths`."""
        return checks.lengths(lengths, n, self.made_by.title())

    def options_for(self, lengths: np.ndarray | None) -> dict[str, Any]:
        """The keywords of a verb for rows in sequences of these lengths, shape (k,).

        None unless the method takes `lengths`.
        """
        is_taken = lengths is not None and "lengths" in self.made_by.card.takes
        return {"lengths": lengths} if is_taken else {}


def freeze(record: Any) -> None:
    """Make the arrays of a dataclass read-only, those inside tuples too."""
    for name in _names(type(record)):
        _seal(getattr(record, name))


@cache
def _names(of: type) -> tuple[str, ...]:
    """The fields of a dataclass; forests make hundreds of trees in milliseconds."""
    return tuple(f.name for f in fields(of))


def _seal(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple) and not (value and isinstance(value[0], Column)):
        for item in value:  # but not for thousands of columns, which hold no array
            if isinstance(item, (np.ndarray, tuple)):  # asked here: columns are many, and neither
                _seal(item)
