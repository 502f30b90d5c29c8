"""Columns cut into bins: how gradient boosting sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.ensembles.binning import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.pool import Crew

SHARED = 2**20  # values from which on threads share the columns


@dataclass(frozen=True, eq=False)
class Bins:
    """The edges of each column, learned on training rows: a value lies above so many of them."""

    edges: np.ndarray  # (p, e), ascending, padded by infinity
    n_edges: np.ndarray  # (p,)

    @property
    def widths(self) -> np.ndarray:
        """How many bins each column has, without that of missing values, shape (p,)."""
        return self.n_edges + 1

    @property
    def missing(self) -> int:
        """The bin of missing values, the last of every column."""
        return int(self.n_edges.max()) + 1

    def of(self, X: np.ndarray, crew: Crew | None = None) -> np.ndarray:
        """The bin of each value of rows, shape (p, n): column by column, as the loops read it."""
        crew = crew or Crew()
        codes = np.empty((X.shape[1], len(X)), dtype=np.uint8)
        given = read_only(X), read_only(self.edges), read_only(self.n_edges), self.missing
        crew.do(
            lambda at: _kernels.binned(*given, at.start, at.stop, codes), crew.parts(len(codes))
        )
        return codes

    def cut(self, column: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Where a column is cut after bin `code`, shapes (t,): infinite after the last."""
        padded = np.column_stack([self.edges, np.full(len(self.edges), np.inf)])
        return padded[column, np.minimum(code, self.edges.shape[1])]


def learned_bins(X: np.ndarray, most: int, crew: Crew | None = None) -> Bins:
    """At most `most` bins a column of about as many rows each, shape (n, p).

    A column of few different values has a bin for each.
    """
    crew, of_columns = crew or Crew(), [np.empty(0)] * X.shape[1]

    def learn(at: slice) -> None:
        of_columns[at] = [_edges(x, most) for x in X[:, at].T]

    crew.do(learn, crew.parts(X.shape[1]) if X.size >= SHARED else [slice(X.shape[1])])
    n_edges = np.array([len(own) for own in of_columns], dtype=np.int64)
    edges = np.full((len(of_columns), max(int(n_edges.max()), 1)), np.inf)
    for own, line in zip(of_columns, edges, strict=True):
        line[: len(own)] = own
    return Bins(edges, n_edges)


def _edges(x: np.ndarray, most: int) -> np.ndarray:
    """Midpoints between the values where bins meet, ascending."""
    x = np.sort(x[~np.isnan(x)])
    new = np.flatnonzero(x[1:] > x[:-1])  # the last place of each value but the greatest
    if len(new) >= most:
        places = np.arange(1, most) * len(x) // most - 1
        # A value is not parted: an edge that falls within equal ones moves to their end.
        new = np.unique(new[np.minimum(np.searchsorted(new, places), len(new) - 1)])
    low, high = x[new], x[new + 1]
    middle = 0.5 * low + 0.5 * high
    return np.where((low <= middle) & (middle < high), middle, low)
