"""Local polynomials: rows of a smoother matrix, by windows around each query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from mlcore.distances.neighbours import Neighbours
from mlcore.maths.arrays import read_only
from mlcore.maths.squared_distances import sq_distances
from mlcore.regression import _kernels
from mlcore.regression.local_lines import lines, summing_to_one

WINDOWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "gaussian": lambda u: np.exp(-0.5 * u * u),
    "tricube": lambda u: np.maximum(1.0 - np.minimum(u, 1.0) ** 3, 0.0) ** 3,
    "epanechnikov": lambda u: np.maximum(1.0 - u * u, 0.0),
    "triangular": lambda u: np.maximum(1.0 - u, 0.0),
    "box": lambda u: (u <= 1.0).astype(np.float64),
}
VALUES = 2**20  # of a block of queries, rows and terms: they stay in the cache
# On slopes, of the weight of the window: decides only where rows have no slope.
RIDGE = 1e-12
# Of the farthest row, the least size of a window by which differences are divided.
SMALLEST = _kernels.SMALLEST
# Relative, by how much a widened window reaches beyond the row that it must hold.
BEYOND = _kernels.BEYOND
# Neighbours are searched where windows hold this share of many rows at most, in few columns.
MOST_SHARE, FEW_ROWS, MOST_COLUMNS = 0.4, 500, 12
PAIRS = 2**23  # pairs of a query and a row that are held at a time, were all found
TRIED_QUERIES = 100  # by which it is seen how many rows a bandwidth reaches
LINE_COLUMNS = 2  # from which on lines through all rows are found together
# Of the weights and of the squared distances in a window, what a row adds that cannot be told from
# rounding, even where `RIDGE` decides.
SAYS_NOTHING = 1e-30
UNTRUSTED = 1e-100  # how much a row counts that is not trusted: squares of it are numbers still


class Values(NamedTuple):
    """A smoother at queries."""

    fitted: np.ndarray  # (m,) the local polynomials at their own centres
    squares: np.ndarray  # (m,) sum of squares of each row of the smoother matrix, over the weights


class _Near(NamedTuple):
    """Queries and the rows that may lie in their windows."""

    at: np.ndarray  # (b,) positions of the queries
    rows: np.ndarray  # (b, k)
    u: np.ndarray  # (b, k) distances in widths of the window


class _Piece(NamedTuple):
    """Lines of the smoother matrix."""

    at: np.ndarray  # (b,) positions of the queries
    rows: np.ndarray  # (b, k), or (1, n) where all stand in each line
    L: np.ndarray  # (b, k)


class OwnValues(NamedTuple):
    """A smoother at its own rows."""

    fitted: np.ndarray  # (n,)
    squares: np.ndarray  # (n,) sum of squares of each row of the smoother matrix, over the weights
    own: np.ndarray  # (n,) diagonal of the smoother matrix


@dataclass(frozen=True)
class Smoother:
    """Rows that a polynomial of `degree` is fitted to around each query, weighted by a window.

    With a `span` the window of each query reaches to the row up to which that share of the weight
    lies; else it has the width `bandwidth`. A window with an end is widened where it holds fewer
    rows than the polynomial has terms along one column. Where the rows, by their weights, amount
    to fewer than that, `falls_back` lowers the degree.
    """

    X: np.ndarray  # (n, p)
    w: np.ndarray  # (n,) weights, all positive, by which a span is counted
    trust: np.ndarray  # (n,) in [0, 1], by which rows of the window count beside
    degree: int
    window: str
    bandwidth: float
    span: float | None = None
    ridge: float = RIDGE  # on slopes, of the weight of the window
    falls_back: bool = False

    def values(self, Q: np.ndarray, y: np.ndarray) -> Values:
        """The polynomials of targets y, (n,), at queries Q, (m, p): by sorted places in one column.

        In more columns by blocks of the smoother matrix, of the rows in the windows alone where
        these end and hold few.
        """
        if self.X.shape[1] == 1:
            return self._along(Q[:, 0], y)
        fitted, squares = np.empty(len(Q)), np.empty(len(Q))
        for at, rows, L in self._pieces(Q):
            fitted[at] = (L * y[rows]).sum(axis=1)
            squares[at] = (L**2 / self.w[rows]).sum(axis=1)
        return Values(fitted, squares)

    def at_own(self, y: np.ndarray) -> OwnValues:
        """The same of y, shape (n,), at the rows themselves, and how much each says of itself."""
        if self.X.shape[1] == 1:
            values, share = self._along_with_shares(self.X[:, 0], y)
            return OwnValues(*values, share * self._counts)
        fitted, own, squares = (np.empty(len(y)) for _ in range(3))
        for at, rows, L in self._pieces(self.X):
            fitted[at] = (L * y[rows]).sum(axis=1)
            squares[at] = (L**2 / self.w[rows]).sum(axis=1)
            own[at] = (L * (rows == at[:, None])).sum(axis=1)
        return OwnValues(fitted, squares, own)

    def _along(self, places: np.ndarray, y: np.ndarray) -> Values:
        return self._along_with_shares(places, y)[0]

    def _along_with_shares(self, places: np.ndarray, y: np.ndarray) -> tuple[Values, np.ndarray]:
        """Also what a row at the place itself would count, of trust and weight 1, shape (m,)."""
        x = self.X[:, 0]
        order = np.argsort(x, kind="stable")
        each = (x, self.w, self._counts, y)
        x, w, counts, y = (read_only(values[order]) for values in each)
        wanted = -1.0 if self.span is None else float(np.floor(self.span * self.w.sum() + 1e-10))
        fitted, share, squares = (np.empty(len(places)) for _ in range(3))
        _kernels.local_values(
            x, w, counts, y, read_only(places), self.degree, list(WINDOWS).index(self.window),
            float(self.bandwidth), wanted, bool((self.w == 1.0).all()), float(self.ridge),
            self.falls_back, fitted, share, squares,
        )  # fmt: skip
        return Values(fitted, squares), share

    def rows(self, Q: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of the smoother matrix at queries Q, (m, p): shape (b, n)."""
        is_line = self.degree == 1 and self.X.shape[1] >= LINE_COLUMNS
        size = self._block_size(len(self.X))
        if is_line:
            size = max(VALUES // max(len(self.X), self._determining**2), 1)
        for start in range(0, len(Q), size):
            at = slice(start, start + size)
            W = self._windows(Q[at]) * self._counts
            L = self._lines(Q[at], W) if is_line else self._first(self.X, Q[at], W)
            yield at, self._borne(L, self.X, Q[at], W, self._counts)

    def _lines(self, Q: np.ndarray, W: np.ndarray) -> np.ndarray:
        """As `_first` of all rows, (b, n): together where that is exact, else of few queries."""
        squares = sq_distances(Q, self.X)
        L, is_sure = lines(self.X, Q, W, squares, self.ridge)
        unsure = np.flatnonzero(~is_sure)
        weighed = (W[unsure], W[unsure] * squares[unsure])
        told = [part > SAYS_NOTHING * part.sum(axis=1, keepdims=True) for part in weighed]
        counts = told[0] | told[1]
        many = counts.sum(axis=1)
        order = np.argsort(many, kind="stable")
        while len(order):
            k = max(int(many[order[-1]]), self._determining)
            size = self._block_size(k)
            of, order = order[-size:], order[:-size]
            L[unsure[of]] = self._of_those(Q[unsure[of]], W[unsure[of]], counts[of], k)
        return L

    def _of_those(self, Q: np.ndarray, W: np.ndarray, counts: np.ndarray, k: int) -> np.ndarray:
        """As `_first` of all rows, (b, n), from k of them: all that count, (b, n), and others."""
        if 2 * k > len(self.X):
            return self._first(self.X, Q, W)
        rows = np.argpartition(~counts, k, axis=1)[:, :k]
        L = np.zeros_like(W)
        some = self._first(self.X[rows], Q, np.take_along_axis(W, rows, 1))
        np.put_along_axis(L, rows, some, 1)
        return L

    def _block_size(self, n: int) -> int:
        """How many queries are answered at a time, of n rows each."""
        return max(VALUES // (n * _terms(self.X.shape[1], self.degree)), 1)

    def _pieces(self, Q: np.ndarray) -> Iterator[_Piece]:
        """The smoother matrix at queries Q, (m, p), in pieces: of near rows, or of all."""
        left = np.ones(len(Q), dtype=bool)
        for at, rows, u in self._near(Q):
            left[at] = False
            size = self._block_size(rows.shape[1])
            for start in range(0, len(at), size):
                own, of = at[start : start + size], rows[start : start + size]
                W = WINDOWS[self.window](u[start : start + size]) * self._counts[of]
                L = self._first(self.X[of], Q[own], W)
                yield _Piece(own, of, self._borne(L, self.X[of], Q[own], W, self._counts[of]))
        rest, every = np.flatnonzero(left), np.arange(len(self.X))[None]
        for at, L in self.rows(Q[rest]):
            yield _Piece(rest[at], every, L)

    def _near(self, Q: np.ndarray) -> Iterator[_Near]:
        """Queries whose windows hold few rows, by a search for neighbours; none where all do."""
        n, p = self.X.shape
        if self.window == "gaussian" or p > MOST_COLUMNS or n < FEW_ROWS:
            return
        search, size = Neighbours(self.X), max(PAIRS // n, 1)
        if self.span is None:
            some = Q[:: -(-len(Q) // TRIED_QUERIES)]
            is_few = len(search.within(some, self.bandwidth).rows) <= MOST_SHARE * len(some) * n
        else:
            # A window that is flat counts rows at its very end, of which there may be more.
            is_few = self.window != "box" and bool((self.w == 1.0).all())
            is_few = is_few and self._determining <= self._reached <= MOST_SHARE * n
        for start in range(0, len(Q) if is_few else 0, size):
            some = Q[start : start + size]
            near_rows = (
                self._in_balls(search, some) if self.span is None else self._nearest(search, some)
            )
            yield from (near._replace(at=start + near.at) for near in near_rows)

    @property
    def _reached(self) -> int:
        """Rows up to which a span reaches, each of weight 1."""
        return int(np.floor((self.span or 0.0) * len(self.X) + 1e-10))

    def _nearest(self, search: Neighbours, Q: np.ndarray) -> Iterator[_Near]:
        """All but those around which rows at one place fill the window."""
        near_rows = search.nearest(Q, self._reached)
        h = near_rows.distances[:, -1]
        at = np.flatnonzero(near_rows.distances[:, self.degree] * (1.0 + BEYOND) < h)
        yield _Near(at, near_rows.rows[at], near_rows.distances[at] / h[at, None])

    @property
    def _determining(self) -> int:
        """Rows from which on a window determines its polynomial, not rounding and `RIDGE`."""
        return 2 * _terms(self.X.shape[1], self.degree)

    def _in_balls(self, search: Neighbours, Q: np.ndarray) -> Iterator[_Near]:
        """Those within the bandwidth, queries with about as many together."""
        h = self.bandwidth
        near_rows = search.within(Q, h)
        counts = np.diff(near_rows.starts)
        inside = np.append(0, np.cumsum(near_rows.distances * (1.0 + BEYOND) < h))
        is_determined = (
            inside[near_rows.starts[1:]] - inside[near_rows.starts[:-1]] >= self._determining
        )
        order = np.flatnonzero(is_determined)[np.argsort(counts[is_determined], kind="stable")]
        while len(order):
            most = self._block_size(int(counts[order[-1]]))
            at, order = order[-most:], order[:-most]
            places = np.arange(counts[at].max())
            is_row = places < counts[at, None]
            of = np.where(is_row, near_rows.starts[at, None] + places, 0)
            # What fills a line up lies beyond every window.
            yield _Near(at, near_rows.rows[of], np.where(is_row, near_rows.distances[of] / h, 2.0))

    def weights(self, q: np.ndarray, X: np.ndarray) -> np.ndarray:
        """How much rows X, shape (m, p), would count around one query q, (p,), the most 1: (m,)."""
        h = self._widths(np.sqrt(sq_distances(q[None], self.X)))[0]
        u = np.sqrt(sq_distances(q[None], X))[0] / h
        if self.window == "gaussian":
            return np.exp(-0.5 * (u * u - (u * u).min()))
        values = WINDOWS[self.window](u)
        return values / (values.max() or 1.0)

    def polynomial(self, q: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The polynomial around one query q, (p,), of targets y, (n,), at rows X, (m, p): (m,)."""
        W = self._windows(q[None]) * self._counts
        if (here := int(self._degrees(W, self._counts)[0])) < self.degree:
            return replace(self, degree=here, falls_back=False).polynomial(q, X, y)
        D, M, size = self._moments(self.X, q[None], W)
        mean = float(np.average(y, weights=W[0]))
        c = np.linalg.solve(M[0], D[0].T @ (W[0] * (y - mean)))
        return mean + self._design((X - q)[None] / size[0])[0] @ c

    @property
    def _counts(self) -> np.ndarray:
        # A row that is not trusted at all still decides where there is no other.
        return self.w * np.maximum(self.trust, UNTRUSTED)

    def _degrees(self, W: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The degree around each query, shape (b,), by weights W, (b, k), of rows that count so."""
        if not self.falls_back:
            return np.full(len(W), self.degree)
        rows = W.sum(axis=1) ** 2 / (W**2 / counts).sum(axis=1)
        return np.clip(np.floor(rows * (1.0 + BEYOND)) - 1, 0, self.degree).astype(int)

    def _borne(
        self, L: np.ndarray, X: np.ndarray, Q: np.ndarray, W: np.ndarray, counts: np.ndarray
    ) -> np.ndarray:
        """L, (b, k), with the lines of a lower degree where the rows amount to no more."""
        degrees = self._degrees(W, counts)
        for degree in range(self.degree):
            at = np.flatnonzero(degrees == degree)
            if len(at):
                rows = X if X.ndim == 2 else X[at]
                L[at] = replace(self, degree=degree)._first(rows, Q[at], W[at])
        return L

    def _first(self, X: np.ndarray, Q: np.ndarray, W: np.ndarray) -> np.ndarray:
        """e1' (D'WD)^-1 D'W of each query, shape (b, n), of rows X, (n, p) or (b, n, p)."""
        if self.degree == 0:
            return W / W.sum(axis=1, keepdims=True)
        D, M, _ = self._moments(X, Q, W)
        first = np.zeros((len(Q), M.shape[1], 1))
        first[:, 0] = 1.0
        return summing_to_one(W * (D @ np.linalg.solve(M, first))[:, :, 0])

    def _moments(
        self, X: np.ndarray, Q: np.ndarray, W: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The terms about each query, (b, n, q), their products under W, (b, q, q), and sizes.

        Differences are divided by the size of the window, (b,), the root of their mean square.
        """
        away = X - Q[:, None]
        total = W.sum(axis=1)
        size = np.sqrt(np.einsum("ij,ijk,ijk->i", W, away, away) / total)
        # Around a row that is nearly alone in its window, powers of far differences would overflow.
        size = np.maximum(size, SMALLEST * np.abs(away).max(axis=(1, 2)))
        size = np.where(size > 0, size, 1.0)
        D = self._design(away / size[:, None, None])
        M = np.swapaxes(D * W[:, :, None], 1, 2) @ D
        slopes = np.arange(1, M.shape[1])
        M[:, slopes, slopes] += self.ridge * np.maximum(total[:, None], M[:, slopes, slopes])
        return D, M, size

    def _design(self, U: np.ndarray) -> np.ndarray:
        """1, the columns and their products up to the degree, of U, (b, n, p): (b, n, q)."""
        parts = [np.ones(U.shape[:2])]
        for degree in range(1, self.degree + 1):
            picks = combinations_with_replacement(range(U.shape[2]), degree)
            parts += [U[:, :, list(pick)].prod(axis=2) for pick in picks]
        return np.stack(parts, axis=2)

    def _windows(self, Q: np.ndarray) -> np.ndarray:
        """Weights by distance, shape (b, n)."""
        away = np.sqrt(sq_distances(Q, self.X))
        u = away / self._widths(away)[:, None]
        if self.window == "gaussian":  # far from all rows the nearest still counts 1
            return np.exp(-0.5 * (u * u - (u * u).min(axis=1, keepdims=True)))
        return WINDOWS[self.window](u)

    def _widths(self, away: np.ndarray) -> np.ndarray:
        if self.span is not None:
            h = self._reach(away, np.floor(self.span * self.w.sum() + 1e-10))
        else:
            h = np.full(len(away), self.bandwidth)
        if self.window == "gaussian" and self.span is None:
            return h
        need = min(self.degree + 1, away.shape[1]) - 1
        least = np.partition(away, need, axis=1)[:, need] * (1.0 + BEYOND)
        h = np.where(least >= h, least, h)
        return np.where(h > 0, h, 1.0)

    def _reach(self, away: np.ndarray, wanted: float) -> np.ndarray:
        """The distance within which rows of that weight lie, of each query, shape (b,)."""
        if (self.w == 1.0).all():
            k = max(int(wanted), 1) - 1
            return np.partition(away, k, axis=1)[:, k]
        order = np.argsort(away, axis=1, kind="stable")
        reached = np.cumsum(self.w[order], axis=1)
        # A sum of weights may end below what is wanted by rounding alone.
        k = np.minimum((reached < max(wanted, 1.0)).sum(axis=1), away.shape[1] - 1)
        at = np.take_along_axis(order, k[:, None], 1)
        return np.take_along_axis(away, at, 1)[:, 0]


def _terms(p: int, degree: int) -> int:
    return 1 + (p if degree else 0) + (p * (p + 1) // 2 if degree == 2 else 0)
