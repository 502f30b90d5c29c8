"""Rows of a Gram matrix for a solver: kept while there is room, or computed afresh each time."""

from __future__ import annotations

from typing import Any

import numpy as np


class Afresh:
    """Rows of which none is kept: what a solver needs of them is computed when it asks.

    `ridge`, shape (n,), is added to the diagonal.
    """

    def __init__(self, source: Any, ridge: np.ndarray) -> None:
        self.source, self.ridge = source, ridge

    def among(self, index: np.ndarray) -> np.ndarray:
        """The matrix of the rows `index`, ascending, shape (q,), among themselves: (q, q)."""
        K, own = self.source.sub(index).whole(), self.ridge[index]
        return K + np.diag(own.astype(K.dtype)) if own.any() else K

    def carry(self, index: np.ndarray, by: np.ndarray, slope: np.ndarray) -> None:
        """Add the rows `index` times `by`, shape (q,) both, to `slope`, (n,)."""
        slope += self.source.times(index, by)
        slope[index] += self.ridge[index] * by


class RowCache:
    """As many rows of a Gram matrix as fit into `megabytes`, at least `least` of them.

    `ridge`, shape (n,), is added to the diagonal. A solver marks in `used` which rows it needed,
    by numbers that grow.
    """

    def __init__(self, source: Any, ridge: np.ndarray, megabytes: int, least: int) -> None:
        self.source, self.ridge = source, ridge
        size = source.n * np.dtype(source.dtype).itemsize
        room = min(max(megabytes * 2**20 // size, least), source.n)
        self.rows = np.empty((room, source.n), source.dtype)
        self.slot = np.full(source.n, -1)  # where each row of the matrix stands, -1 for nowhere
        self.used = np.zeros(source.n, dtype=np.int64)
        self.is_whole = False  # whether each row is here, at its own number
        self._filled = 0
        self._owner = np.empty(room, dtype=np.int64)  # the row of the matrix in each slot

    @classmethod
    def whole(cls, source: Any, ridge: np.ndarray) -> RowCache:
        """All rows, computed at once, with `ridge`, shape (n,), on the diagonal."""
        cache = cls(source, ridge, 0, 0)
        cache.rows = source.whole()
        cache.slot, cache.is_whole = np.arange(source.n), True
        if ridge.any():
            cache.rows = cache.rows.copy()
            cache.rows[cache.slot, cache.slot] += ridge
        return cache

    @property
    def is_full(self) -> bool:
        """Whether a new row takes the place of another."""
        return self._filled >= len(self.rows)

    def slots(self, index: np.ndarray) -> np.ndarray:
        """The slots of these rows, shape (q,); rows that are missing are computed."""
        now = self.now() + 1
        self.used[index] = now
        missing = index[self.slot[index] < 0]
        if len(missing):
            self.bring(missing, now)
        return self.slot[index]

    def among(self, index: np.ndarray) -> np.ndarray:
        """The matrix of the rows `index`, shape (q,), among themselves, (q, q); they are kept."""
        return self.rows[self.slots(index)[:, None], index].astype(np.float64)

    def carry(self, index: np.ndarray, by: np.ndarray, slope: np.ndarray) -> None:
        """Add the rows `index` times `by`, shape (q,) both, to `slope`, (n,); no row is copied."""
        one = np.empty(len(slope), self.rows.dtype)
        for slot, each in zip(self.slots(index), by, strict=True):
            slope += np.multiply(self.rows[slot], each, out=one)

    def now(self) -> int:
        """The largest number in `used`."""
        return int(self.used.max())

    def bring(self, index: np.ndarray, now: int) -> None:
        """Compute the rows `index`, shape (q,), none of which is in the cache, as one block.

        They count as used at `now`, or they would be the first to go.
        """
        fresh = np.arange(self._filled, min(self._filled + len(index), len(self.rows)))
        self._filled += len(fresh)
        self._owner[fresh], self.used[index] = index[: len(fresh)], now
        slots = np.concatenate([fresh, self._emptied(len(index) - len(fresh))])
        self.source.fill(index, self.rows, slots)
        self.rows[slots, index] += self.ridge[index]
        self.slot[index] = slots
        self._owner[slots] = index

    def _emptied(self, count: int) -> np.ndarray:
        """The slots of the rows that were not used for longest."""
        if count <= 0:
            return np.empty(0, dtype=self.slot.dtype)
        last = self.used[self._owner]
        oldest = (
            np.argpartition(last, count - 1)[:count] if count > 1 else np.array([last.argmin()])
        )
        self.slot[self._owner[oldest]] = -1
        return oldest
