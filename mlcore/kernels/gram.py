"""Gram matrices: whole, or by rows as solvers ask for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.maths.arrays import picked, read_only
from mlcore.maths.squared_distances import beside
from mlcore.spine import checks
from mlcore.spine.pool import side_by_side
from mlcore.spine.records import function

STRIP = 128  # rows that are mirrored at a time
VALUES = 2**23  # with new rows that are there at a time
BLOCK = 2**19  # values of a block that are worked on together, so that they stay in the cache


class _Source:
    """What every source of rows of a Gram matrix can do."""

    @property
    def n(self) -> int:
        """Number of rows."""
        # A source counts what it has.
        raise NotImplementedError(f"{type(self).__name__} has no rows")

    def rows(self, index: np.ndarray) -> np.ndarray:
        """The rows of the matrix at these places, shape (q, n)."""
        # A source computes them, has them, or has them twice.
        raise NotImplementedError(f"{type(self).__name__} gives no rows")

    def whole(self) -> np.ndarray:
        """All rows, shape (n, n), which nobody may write to: they may be the source's own."""
        return read_only(self.rows(np.arange(self.n)))

    def times(self, index: np.ndarray, by: np.ndarray) -> np.ndarray:
        """The rows of the matrix at these places, (q,), times `by`, (q,), added up: shape (n,)."""
        return by @ self.rows(index)


class GramSource(_Source):
    """Rows of the Gram matrix of some rows, computed when asked for.

    The interface of a kernel for solvers. The kernel is resolved; X has shape (n, p).
    """

    copies = 1  # variables a row

    def __init__(self, kernel: Kernel, X: np.ndarray, dtype: Any = np.float64) -> None:
        self.kernel, self.X, self.dtype = kernel, X, dtype
        self.diag = kernel.diag(X)  # (n,)
        self._against = kernel.against(X, dtype)
        self._room = np.empty((max(BLOCK // len(X), 1), len(X)), dtype)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    def rows(self, index: np.ndarray) -> np.ndarray:
        """The rows of the Gram matrix at these places, shape (q, n)."""
        out = np.empty((len(index), self.n), self.dtype)
        self.fill(index, out, np.arange(len(index)))
        return out

    def fill(self, index: np.ndarray, out: np.ndarray, at: np.ndarray) -> None:
        """Put the rows of the Gram matrix at these places, (q,), into the rows `at` of `out`."""
        size = len(self._room)
        for start in range(0, len(index), size):
            part = index[start : start + size]
            block = self._against(self.X[part], self._room[: len(part)])
            out[at[start : start + size]] = block
        # What rounding makes of a distance from a row to itself would not be exactly zero.
        out[at, index] = self.diag[index]

    def whole(self) -> np.ndarray:
        """All rows, shape (n, n), which nobody may write to; strips of them side by side."""
        out, size = np.empty((self.n, self.n), self.dtype), len(self._room)

        def fill(start: int) -> None:
            room = out[start : start + size]
            block = self._against(self.X[start : start + size], room)
            if not np.may_share_memory(block, room):
                room[...] = block

        deque(side_by_side(fill, range(0, self.n, size)), maxlen=0)
        np.fill_diagonal(out, self.diag)
        return read_only(out)

    def times(self, index: np.ndarray, by: np.ndarray) -> np.ndarray:
        """The rows of the matrix at these places, (q,), times `by`, (q,), added up: shape (n,).

        No value leaves the cache: a strip of columns at a time, strips side by side.
        """
        block, factors = self.kernel.against(self.X[index], self.dtype), by.astype(self.dtype)
        out, size = np.empty(self.n), max(BLOCK // max(2 * len(index), 1), 1)

        def add(start: int) -> None:
            out[start : start + size] = block(self.X[start : start + size]) @ factors

        deque(side_by_side(add, range(0, self.n, size)), maxlen=0)
        return out

    def sub(self, index: np.ndarray) -> GramSource:
        """The source of the rows `index`, shape (q,), among themselves."""
        return GramSource(self.kernel, self.X[index], self.dtype)

    def single(self) -> GramSource:
        """The same rows in single precision, where the kernel is bounded; itself where it is not.

        Half the memory, so twice the rows in a cache; exact enough for the tolerance of a solver.
        """
        if not self.kernel.bounded:
            return self
        return GramSource(self.kernel, self.X, np.float32)


class GramMatrix(_Source):
    """A Gram matrix that was computed before, with the interface of `GramSource`."""

    copies = 1

    def __init__(self, K: np.ndarray) -> None:
        self.K, self.diag = K, K.diagonal().copy()
        self.dtype = K.dtype

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.K)

    def rows(self, index: np.ndarray) -> np.ndarray:
        """The rows of the Gram matrix at these places, shape (q, n)."""
        return self.K[index]

    def fill(self, index: np.ndarray, out: np.ndarray, at: np.ndarray) -> None:
        """Put the rows of the Gram matrix at these places, (q,), into the rows `at` of `out`."""
        out[at] = self.K[index]

    def whole(self) -> np.ndarray:
        """The matrix itself, (n, n), which nobody may write to."""
        return read_only(self.K)

    def single(self) -> GramMatrix:
        """The matrix itself: it is computed already."""
        return self

    def sub(self, index: np.ndarray) -> GramMatrix:
        """The Gram matrix of the rows `index`, shape (q,)."""
        return GramMatrix(picked(self.K, index))


class TwiceGram(_Source):
    """The Gram matrix of rows that all are there twice, with the interface of `GramSource`.

    Variable i and variable n + i belong to row i. Each block is computed once.
    """

    copies = 2

    def __init__(self, once: Any) -> None:
        self.once, self.dtype = once, once.dtype
        self.diag = np.concatenate([once.diag, once.diag])

    @property
    def n(self) -> int:
        """Number of variables."""
        return 2 * self.once.n

    def rows(self, index: np.ndarray) -> np.ndarray:
        """The rows of the matrix at these places, shape (q, 2n)."""
        n = self.once.n
        own, back = np.unique(index % n, return_inverse=True)
        half = self.once.rows(own)[back]
        return np.concatenate([half, half], axis=1)

    def fill(self, index: np.ndarray, out: np.ndarray, at: np.ndarray) -> None:
        """Put the rows of the matrix at these places, (q,), into the rows `at` of `out`."""
        out[at] = self.rows(index)

    def times(self, index: np.ndarray, by: np.ndarray) -> np.ndarray:
        """The rows of the matrix at these places, (q,), times `by`, (q,), added up: shape (2n,)."""
        own, back = np.unique(index % (self.n // 2), return_inverse=True)
        return np.tile(self.once.times(own, np.bincount(back, by)), 2)

    def sub(self, index: np.ndarray) -> GramMatrix:
        """The Gram matrix of the variables `index`, shape (q,)."""
        own, back = np.unique(index % (self.n // 2), return_inverse=True)
        return GramMatrix(picked(self.once.sub(own).whole(), back))

    def single(self) -> TwiceGram:
        """The same rows in single precision, where the kernel is bounded."""
        return TwiceGram(self.once.single())


class Bordered(_Source):
    """The Gram matrix of some rows and of one of no features, with the interface of `GramSource`.

    The last row and the last column are zeros: in a dual, a variable that stands for itself alone.
    """

    def __init__(self, inner: Any) -> None:
        self.inner, self.dtype, self.copies = inner, inner.dtype, inner.copies
        self.diag = np.append(inner.diag, 0.0)

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.inner.n + 1

    def rows(self, index: np.ndarray) -> np.ndarray:
        """The rows of the matrix at these places, shape (q, n)."""
        out = np.empty((len(index), self.n), self.dtype)
        self.fill(index, out, np.arange(len(index)))
        return out

    def fill(self, index: np.ndarray, out: np.ndarray, at: np.ndarray) -> None:
        """Put the rows of the matrix at these places, (q,), into the rows `at` of `out`."""
        is_own = index < self.inner.n
        if is_own.any():
            self.inner.fill(index[is_own], out[:, :-1], at[is_own])
        out[at[~is_own]] = 0.0
        out[at, -1] = 0.0

    def times(self, index: np.ndarray, by: np.ndarray) -> np.ndarray:
        """The rows of the matrix at these places, (q,), times `by`, (q,), added up: shape (n,)."""
        is_own = index < self.inner.n
        return np.append(self.inner.times(index[is_own], by[is_own]), 0.0)

    def sub(self, index: np.ndarray) -> Any:
        """The source of the rows `index`, ascending, shape (q,), among themselves."""
        if index[-1] < self.inner.n:
            return self.inner.sub(index)
        return Bordered(self.inner.sub(index[:-1]))

    def single(self) -> Bordered:
        """The same rows in single precision, where the kernel is bounded."""
        return Bordered(self.inner.single())


@function("gram", title="Gram matrix", sources=("prac:kernel_matrix", "cs1:gram_matrix"))
def gram(kernel: Kernel, X: Any, Z: Any = None) -> np.ndarray:
    """k(x, z) for every row of X, shape (n, p), with every row of Z, (m, p): shape (n, m).

    Settings that the data decide are decided by X. Without Z the matrix is exactly symmetric and
    its diagonal is k(x, x).
    """
    X = checks.matrix(X, "A Gram matrix")
    fixed = kernel.resolve(X)
    if Z is not None:
        return fixed.against(X)(beside(Z, X, "A Gram matrix")).T
    if fixed.stationary:
        return mirrored(_upper(fixed, X))
    return mirrored(GramSource(fixed, X).rows(np.arange(len(X))))


def with_rows(kernel: Kernel, rows: np.ndarray, X: np.ndarray) -> Iterator[np.ndarray]:
    """k(x, z) of new rows, some of X, (m, p), at a time, with all `rows`, (n, p): shape (b, n).

    At most 64 MiB are there at a time, however many rows are asked about.
    """
    block = kernel.against(rows)
    some = max(VALUES // max(len(rows), 1), 1)
    return (block(X[i : i + some]) for i in range(0, len(X), some))


def _upper(kernel: Kernel, X: np.ndarray) -> np.ndarray:
    """The upper half of the matrix of rows X, (n, n): the lower one is not computed.

    Of kernels of differences, for which rows that are known cost next to nothing.
    """
    K = np.empty((len(X), len(X)))
    for start in range(0, len(X), STRIP):
        some = slice(start, start + STRIP)
        K[some, start:] = kernel.against(X[start:])(X[some])
    K[np.diag_indices_from(K)] = kernel.diag(X)
    return K


def mirrored(K: np.ndarray) -> np.ndarray:
    """K, shape (n, n), made symmetric in place: its halves differ by rounding."""
    for start in range(0, len(K), STRIP):
        end = start + STRIP
        K[end:, start:end] = K[start:end, end:].T
        own = K[start:end, start:end]
        K[start:end, start:end] = (own + own.T) / 2.0
    return K
