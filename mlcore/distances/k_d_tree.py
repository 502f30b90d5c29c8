"""A k-d tree: rows in boxes that halve each other, so that most need not be looked at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.distances.halved import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.pool import side_by_side, threads

LEAF = 32  # rows at most that are compared together
LANES = 8  # values that the processor takes at once
SLACK = 1e-12  # what rounding may take of a sum of powers, relative
FEW = 4096  # rows whose tree is grown sooner than a second thread begins
QUERIES = 512  # that a thread takes at a time


class Nodes(NamedTuple):
    """What the loops of `halved` know of a tree."""

    corners: np.ndarray  # (nodes, 2, p) lowest and highest values
    least: np.ndarray  # (nodes,) lowest number of a row
    values: np.ndarray  # (leaves, p, w) rows of each leaf, column by column
    numbers: np.ndarray  # (leaves, w) theirs


class KDTree:
    """The rows of S, shape (n, p), by boxes, each halved along its widest side at the middle row.

    Bentley (1975), Friedman, Bentley and Finkel (1977). All leaves have the same depth, so neither
    equal rows nor distant ones make it deeper. What it answers does not depend on the threads.
    """

    def __init__(self, S: np.ndarray) -> None:
        n, p = S.shape
        self.n = n
        inner = 2 ** max(int(n - 1) // LEAF, 0).bit_length() - 1
        spans = np.empty((2 * inner + 1, 2), dtype=np.int64)
        spans[0] = 0, n
        R = np.column_stack([S, np.arange(n)])
        self._halve(R, spans, inner)
        widest = -(-int((spans[inner:, 1] - spans[inner:, 0]).max()) // LANES) * LANES
        nodes = Nodes(
            np.empty((len(spans), 2, p)),
            np.empty(len(spans), dtype=np.int64),
            np.empty((inner + 1, p, widest)),
            np.empty((inner + 1, widest), dtype=np.int64),
        )
        _kernels.furnish(R, spans, *nodes)
        self.nodes = Nodes(*map(read_only, nodes))

    @staticmethod
    def _halve(R: np.ndarray, spans: np.ndarray, inner: int) -> None:
        parts = 2 ** (threads() - 1).bit_length() if len(R) > FEW else 1
        top = min(parts - 1, inner)
        _kernels.grow(R, spans, 0, top)
        tops = range(top, 2 * top + 1)
        list(side_by_side(lambda first: _kernels.grow(R, spans, first, inner), tops))

    def nearest(self, X: np.ndarray, power: float, apart: np.ndarray, rows: np.ndarray) -> None:
        """Fill `apart` and `rows`, shape (m, k), with the nearest rows to each row of X.

        `apart` are sums of |x - s|^power, at least 1; the largest |x - s| where it is infinite. Of
        equal ones the lower number comes first.
        """
        slack = 0.0 if power in (1.0, 2.0, np.inf) else SLACK

        def search(start: int) -> None:
            own = slice(start, start + QUERIES)
            _kernels.nearest(X[own], self.n, *self.nodes, power, slack, apart[own], rows[own])

        list(side_by_side(search, range(0, len(X), QUERIES)))

    def within(
        self, X: np.ndarray, power: float, bound: float, counts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rows whose sums to a row of X are at most `bound`, those of each row of X by number.

        Fills `counts`, shape (m,); returns their numbers and sums, as those of `nearest`.
        """
        corners, _, values, numbers = self.nodes
        return _kernels.within(X, self.n, corners, values, numbers, power, bound, counts)
