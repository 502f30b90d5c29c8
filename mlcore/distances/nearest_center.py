"""The nearest of a few centers for each of many rows, exactly and fast."""

from __future__ import annotations

import numpy as np

from mlcore.distances import _kernels
from mlcore.maths.arrays import read_only


class SearchRows:
    """Rows prepared for searches of the nearest center, once for many searches."""

    def __init__(self, X: np.ndarray, power: float = 2.0) -> None:
        self.X = read_only(X)  # (n, p)
        self.power = power  # of the norm: sum of |x - c|^power, the largest |x - c| for infinity
        # About a common point the numbers are small, so single precision loses little.
        self.shift = read_only(X.mean(axis=0))
        if power == 2.0:
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

    The label is that of the least sum of |x - c|^power, the lowest on ties. For squares it is
    found by matrix products and by bounds that spare the rows whose label cannot have changed
    (Hamerly 2010, SDM), but is the same as that of the plain loop over all centers.
    """

    def __init__(self, rows: SearchRows) -> None:
        self.rows = rows
        self.labels = np.full(len(rows), -1)  # (n,), -1 before the first iteration
        self._centers: np.ndarray | None = None
        if rows.power == 2.0:
            self._upper, self._lower = np.empty(len(rows)), np.empty(len(rows))
            self._open = np.arange(len(rows))

    def assign(self, centers: np.ndarray) -> int:
        """Label every row by its nearest of the centers, shape (k, p); returns how many changed.

        By the bounds of Hamerly (2010) where the power is 2.
        """
        centers = read_only(centers)
        if self.rows.power != 2.0:
            rows = self.rows
            return _kernels.place_by_norm(rows.X, centers, rows.power, self.labels)
        count = self._doubtful(centers)
        self._centers = centers
        return self._place(centers, count)

    def _doubtful(self, centers: np.ndarray) -> int:
        if self._centers is None:
            return len(self.rows)
        return _kernels.doubtful(
            self.rows.X, centers, self._centers, read_only(self.labels), self._slack(),
            self._upper, self._lower, self._open,
        )  # fmt: skip

    def _place(self, centers: np.ndarray, count: int) -> int:
        rows = self.rows
        return _kernels.place(
            rows.X, rows.small, rows.squares,
            centers, *_about(centers, rows.shift),
            read_only(self._open), count, self._slack(), self.labels, self._upper, self._lower,
        )  # fmt: skip

    def _slack(self) -> float:
        """What rounding may take from a distance in p columns, relative, with room to spare."""
        return 1e-15 * (8 + self.rows.X.shape[1])


def _about(X: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows less a common point in single precision, (n, p), and their squared lengths, (n,).

    What is too large becomes infinite; such rows are done by differences, in double precision.
    """
    small, squares = np.empty(X.shape, np.float32), np.empty(len(X))
    _kernels.about(X, shift, small, squares)
    return read_only(small), read_only(squares)


def nearest(X: np.ndarray, centers: np.ndarray, power: float = 2.0) -> np.ndarray:
    """The label of the nearest center for each row of X, shape (m, p): shape (m,)."""
    search = Nearest(SearchRows(X, power))
    search.assign(centers)
    return search.labels
