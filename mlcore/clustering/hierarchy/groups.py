"""Groups of rows that merges begin with: of one row each, or given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Groups(NamedTuple):
    """k groups of n rows, numbered by their first rows."""

    labels: np.ndarray  # (n,) 0 .. k - 1
    firsts: np.ndarray  # (k,) first row of each, rising

    @classmethod
    def of(cls, labels: np.ndarray) -> Groups:
        """Of rows with labels of any kind, shape (n,)."""
        _, firsts, numbers = np.unique(labels, return_index=True, return_inverse=True)
        place = np.empty(len(firsts), dtype=np.int64)
        place[np.argsort(firsts)] = np.arange(len(firsts))
        return cls(place[numbers.ravel()], np.sort(firsts).astype(np.int64))

    @classmethod
    def alone(cls, n: int) -> Groups:
        """Of n rows, each a group."""
        rows = np.arange(n)
        return cls(rows, rows)

    @property
    def are_rows(self) -> bool:
        """Whether each row is alone."""
        return len(self.firsts) == len(self.labels)

    def counts(self) -> np.ndarray:
        """Rows of each as numbers to reckon with, shape (k,)."""
        return np.bincount(self.labels).astype(np.float64)

    def means(self, X: np.ndarray) -> np.ndarray:
        """Means of the rows X, (n, p), of each, shape (k, p)."""
        if self.are_rows:
            return X
        sums = [np.bincount(self.labels, weights=column) for column in X.T]
        return np.column_stack(sums) / self.counts()[:, None]

    def inside(self) -> np.ndarray:
        """Each row that is not the first of its group, and that first, shape (n - k, 2)."""
        is_first = np.zeros(len(self.labels), dtype=bool)
        is_first[self.firsts] = True
        rows = np.flatnonzero(~is_first)
        return np.column_stack([rows, self.firsts[self.labels[rows]]])

    def chained(self) -> tuple[np.ndarray, np.ndarray]:
        """The row after each in its group, -1 after the last, (n,), and the last ones, (k,)."""
        order = np.argsort(self.labels, kind="stable")
        after = np.full(len(order), -1)
        follows = np.flatnonzero(self.labels[order][1:] == self.labels[order][:-1])
        after[order[follows]] = order[follows + 1]
        return after, order[np.cumsum(np.bincount(self.labels)) - 1]
