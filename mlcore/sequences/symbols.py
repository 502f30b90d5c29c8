"""Rows as symbols of a finite alphabet: names as they are, numbers by bins."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import rough

MOST_SYMBOLS = 500
OTHER = "any other"


class Alphabet(NamedTuple):
    """How a row becomes one symbol: the combination of what stands in its columns."""

    edges: tuple[np.ndarray, ...]  # of each column, (b - 1,) between the bins; empty for names
    sizes: tuple[int, ...]  # how many values each column has
    seen: np.ndarray  # (s,) of several columns the combinations that are symbols, ascending

    @property
    def size(self) -> int:
        """The number of symbols: of several columns the last is any other combination."""
        return len(self.seen) + 1 if len(self.sizes) > 1 else sum(self.sizes)

    def codes(self, X: np.ndarray, columns: tuple[Column, ...]) -> np.ndarray:
        """The symbol of each row, (n,); -1 for a level that no one knows."""
        symbols = self.combinations(X, columns)
        if len(self.sizes) == 1:
            return symbols
        at = np.minimum(np.searchsorted(self.seen, symbols), len(self.seen) - 1)
        other = np.where(symbols < 0, -1, len(self.seen))
        return np.where(self.seen[at] == symbols, at, other)

    def combinations(self, X: np.ndarray, columns: tuple[Column, ...]) -> np.ndarray:
        """What stands in each row as one number, (n,), its digits the columns; or -1."""
        symbols = np.zeros(len(X), dtype=np.int64)
        known = np.ones(len(X), dtype=bool)
        for j, size in enumerate(self.sizes):
            if columns[j].levels:
                own = np.where((X[:, j] >= 0) & (X[:, j] < size), X[:, j], 0).astype(np.int64)
                known &= own == X[:, j]
            else:
                own = np.searchsorted(self.edges[j], X[:, j], side="right")
            symbols = symbols * size + own
        return np.where(known, symbols, -1)

    def names(self, columns: tuple[Column, ...]) -> tuple[str, ...]:
        """What each symbol is called."""
        by_column = [_names(column, edges) for column, edges in zip(columns, self.edges)]
        if len(by_column) == 1:
            return by_column[0]
        digits = np.unravel_index(self.seen, self.sizes)
        tags = [
            [f"{column.name} {own[k]}" for k in at]
            for column, own, at in zip(columns, by_column, digits, strict=True)
        ]
        return (*(", ".join(parts) for parts in zip(*tags, strict=True)), OTHER)


def alphabet(X: np.ndarray, columns: tuple[Column, ...], bins: int) -> Alphabet:
    """The symbols of rows X, (n, p): numbers are cut so that bins hold about as many rows.

    Of several columns the combinations that occur are symbols, and any other is one more. Raises
    DataError for more than 500 symbols, and for columns that could have too many combinations.
    """
    edges = tuple(
        np.empty(0) if column.levels else _edges(values, bins)
        for column, values in zip(columns, X.T, strict=True)
    )
    sizes = tuple(len(c.levels) or len(e) + 1 for c, e in zip(columns, edges, strict=True))
    symbols = Alphabet(edges, sizes, np.empty(0, dtype=np.int64))
    if np.log(sizes).sum() > np.log(2.0**62):
        raise DataError(f"{len(sizes)} columns can be combined in too many ways. Leave some out.")
    if len(sizes) > 1:
        combinations = symbols.combinations(X, columns)
        symbols = symbols._replace(seen=np.unique(combinations[combinations >= 0]))
    if symbols.size > MOST_SYMBOLS:
        raise DataError(
            f"The rows hold {symbols.size:,} different values, more than {MOST_SYMBOLS}. "
            "Leave columns out, or lower the number of bins."
        )
    return symbols


def n_values(X: np.ndarray, columns: tuple[Column, ...]) -> np.ndarray:
    """How many different values each column of numbers of X, (n, p), has, (p,); 0 for names."""
    return np.array([0 if c.levels else len(np.unique(x)) for c, x in zip(columns, X.T)])


def _edges(values: np.ndarray, bins: int) -> np.ndarray:
    """Values at which a new bin begins, ascending."""
    different = np.unique(values)
    if len(different) <= bins:
        return different[1:]
    shares = np.arange(1, bins) / bins
    edges = np.unique(np.quantile(values, shares, method="higher"))
    return edges[edges > different[0]]


def _names(column: Column, edges: np.ndarray) -> tuple[str, ...]:
    if column.levels:
        return column.levels
    if not len(edges):
        return ("any",)
    ends = [rough(float(edge)) for edge in edges]
    middle = [f"{low} to {high}" for low, high in pairwise(ends)]
    return (f"below {ends[0]}", *middle, f"from {ends[-1]}")
