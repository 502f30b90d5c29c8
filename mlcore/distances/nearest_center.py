"""The nearest of a few centers for each of many rows, exactly and fast."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mlcore.distances import _kernels
from mlcore.distances.columnwise import _kernels as columnwise
from mlcore.maths.arrays import read_only
from mlcore.spine.pool import Crew, threads_left

FEW = 256  # values of all centers up to which every distance is taken: quicker than any bound
SHARED = 2_000_000  # differences of an assignment from which it pays to share it among threads


def by_column(X: np.ndarray) -> np.ndarray:
    """The table X, shape (n, p), column by column: shape (p, n), C-ordered."""
    columns = np.empty(X.shape[::-1])
    columnwise.by_column(read_only(X), columns)
    return read_only(columns)


class SearchRows:
    """Rows prepared for searches of the nearest of k centers, once for many searches."""

    def __init__(self, X: np.ndarray, k: int, power: float = 2.0) -> None:
        self.X = read_only(X)  # (n, p)
        self.power = power  # of the norm: sum of |x - c|^power, the largest |x - c| for infinity
        self.shift = _middle(self.X)
        self.columns: np.ndarray | None = None  # (p, n), where every distance is taken
        # About a common point the numbers are small, so single precision loses little.
        if power == 2.0 and k * X.shape[1] <= FEW:
            columns = np.empty(X.shape[::-1], np.float32)
            columnwise.about(self.X, self.shift, columns)
            self.columns = read_only(columns)
        elif power == 2.0:
            self.small, self.squares = _about(self.X, self.shift)  # (n, p) and (n,)

    def __len__(self) -> int:
        return len(self.X)

    def apart(self, centers: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """|x - c|^power between each row and its center, shape (n,)."""
        out = np.empty(len(self))
        _kernels.apart(self.X, read_only(centers), read_only(labels), self.power, out)
        return out


class Nearest:
    """The nearest center of each row, updated while the centers move.

    The label is that of the least sum of |x - c|^power, the lowest on ties. For squares to many
    centers it is found by matrix products and by bounds that spare the rows whose label cannot have
    changed (Hamerly 2010, SDM), but is the same as that of the plain loop over all centers.
    """

    def __init__(self, rows: SearchRows) -> None:
        self.rows = rows
        self.labels = np.full(len(rows), -1)  # (n,), -1 before the first iteration
        self._centers: np.ndarray | None = None
        if rows.power == 2.0:
            self.upper, self.lower = np.full(len(rows), np.inf), np.zeros(len(rows))
        if rows.power == 2.0 and rows.columns is None:
            self._open = np.arange(len(rows))

    @cached_property
    def crew(self) -> Crew:
        """The threads that share a long assignment, and what follows it."""
        return Crew()

    @property
    def slack(self) -> float:
        """What rounding may take from a distance in p columns, relative, with room to spare."""
        return 1e-15 * (8 + self.rows.X.shape[1])

    def assign(self, centers: np.ndarray) -> int:
        """Label every row by its nearest of the centers, shape (k, p); returns how many changed."""
        centers = read_only(centers)
        if self.rows.columns is not None:
            return self._place_all(self.rows.columns, centers)
        if self.rows.power != 2.0:
            rows = self.rows
            return _kernels.place_by_norm(rows.X, centers, rows.power, self.labels)
        count = self._doubtful(centers)
        self._centers = centers
        return self._place(centers, count)

    def _place_all(self, columns: np.ndarray, centers: np.ndarray) -> int:
        """Column by column, the rows shared among threads where that pays."""
        n, bounded = len(self.rows), (self.labels, self.upper, self.lower)
        centers = centers.copy()  # writable, as where the loop calls itself: one compiled variant
        before, self._centers = centers if self._centers is None else self._centers, centers
        given = self.rows.X, columns, self.rows.shift, centers, before, self.slack
        if not shares(n, centers.size):
            return columnwise.place(*given, 0, n, *bounded)
        parts = self.crew.parts(n, columnwise.TILE)
        changed = np.zeros(len(parts), dtype=np.int64)

        def place(part: int) -> None:
            ends = parts[part].start, parts[part].stop
            changed[part] = columnwise.place(*given, *ends, *bounded)

        self.crew.do(place, range(len(parts)))
        return int(changed.sum())

    def _doubtful(self, centers: np.ndarray) -> int:
        if self._centers is None:
            return len(self.rows)
        return _kernels.doubtful(
            self.rows.X, centers, self._centers, read_only(self.labels), self.slack,
            self.upper, self.lower, self._open,
        )  # fmt: skip

    def _place(self, centers: np.ndarray, count: int) -> int:
        rows = self.rows
        return _kernels.place(
            rows.X, rows.small, rows.squares,
            centers, *_about(centers, rows.shift),
            read_only(self._open), count, self.slack, self.labels, self.upper, self.lower,
        )  # fmt: skip


def _middle(X: np.ndarray) -> np.ndarray:
    """The mean of the rows of X, shape (p,)."""
    mean = np.empty(X.shape[1])
    columnwise.middle(X, mean)
    return read_only(mean)


def shares(n: int, values: int) -> bool:
    """Whether n rows are shared among threads, for centers of so many values in all."""
    return n * values >= SHARED and threads_left() > 1


def _about(X: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows less a common point in single precision, (n, p), and their squared lengths, (n,).

    What is too large becomes infinite; such rows are done by differences, in double precision.
    """
    small, squares = np.empty(X.shape, np.float32), np.empty(len(X))
    _kernels.about(X, shift, small, squares)
    return read_only(small), read_only(squares)


def nearest(X: np.ndarray, centers: np.ndarray, power: float = 2.0) -> np.ndarray:
    """The label of the nearest center for each row of X, shape (m, p): shape (m,)."""
    search = Nearest(SearchRows(X, len(centers), power))
    search.assign(centers)
    return search.labels
