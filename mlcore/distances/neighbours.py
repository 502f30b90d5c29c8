"""The nearest of many rows, exactly: by a tree in few dimensions, by matrix products in many."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mlcore.distances import _kernels
from mlcore.distances.k_d_tree import SLACK, KDTree
from mlcore.maths.arrays import read_only
from mlcore.spine.errors import DataError
from mlcore.spine.pool import Crew, side_by_side, threads
from mlcore.spine.wording import count

# Columns up to which a tree is quicker: in more dimensions it visits most rows anyway, and for the
# Euclidean distance matrix products are faster.
MOST_COLUMNS, MOST_EUCLIDEAN = 12, 6
LITTLE = 2**21  # differences; so few are taken one by one
SPARE = 8  # candidates beyond k, so that rounding rarely leaves a doubt
QUERIES, LEAST_QUERIES = 80, 64  # of one matrix product, which is small enough for one thread


def search_seconds(n: int, p: int) -> float:
    """What it takes to look for the nearest of n rows of p columns, n times: by a tree in few
    dimensions, else by products."""
    return 1e-5 * n if p <= 6 else n * n * (2e-10 + 3e-11 * p)


class NearestRows(NamedTuple):
    """The nearest rows of each query, by distance, then by number."""

    distances: np.ndarray  # (m, k) norms of the difference
    rows: np.ndarray  # (m, k)


class Within(NamedTuple):
    """The rows in a ball around each query, query by query, by number."""

    starts: np.ndarray  # (m + 1,) the rows of query i stand at starts[i]:starts[i + 1]
    rows: np.ndarray
    distances: np.ndarray  # norms of the difference


def all_used(asked: int, n: int) -> str:
    """The sentence for n rows, none of which has as many others as are asked for; else ""."""
    few = f"Of {count(n, 'row')} each has {count(n - 1, 'neighbour')}; all are used."
    return few if asked > n - 1 else ""


class Neighbours:
    """Rows among which the nearest are searched.

    The distance is the norm of the given power: 2 Euclidean, 1 sums, infinity the largest
    difference, 0 the share of columns that differ. `search` is tree, brute or auto, whichever is
    quicker; the answer does not depend on it.
    """

    def __init__(self, S: np.ndarray, power: float = 2.0, search: str = "auto") -> None:
        self.S, self.power, self.search = read_only(S), power, search

    def nearest(self, X: np.ndarray, k: int) -> NearestRows:
        """The k nearest rows to each row of X, shape (m, p); k is at most the number of rows.

        Raises DataError for a row that is too far away for its distances to be numbers.
        """
        X = read_only(X)
        apart, rows = np.empty((len(X), k)), np.empty((len(X), k), dtype=np.int64)
        way = self._way(len(X), k)
        doubtful = np.arange(len(X)) if way is None else way(X, k, apart, rows)
        self._one_by_one(X, doubtful, apart, rows)
        if len(lost := np.flatnonzero(~np.isfinite(apart).all(axis=1))):
            raise DataError(
                f"Row {lost[0] + 1} of those asked lies so far from the others that some of its "
                "distances are no numbers. Look at its values, or scale the columns."
            )
        if self.power == 0.0:
            apart /= self.S.shape[1]
        elif self.power < np.inf and self.power != 1.0:
            apart = np.sqrt(apart) if self.power == 2.0 else apart ** (1 / self.power)
        return NearestRows(apart, rows)

    def _way(self, m: int, k: int) -> Any:
        """How m queries are answered, or None for looking at every difference."""
        n, p = self.S.shape
        is_little = self.search == "auto" and m * n * p <= LITTLE
        if is_little or n <= k + SPARE:
            return None
        most = MOST_EUCLIDEAN if self.power == 2.0 else MOST_COLUMNS
        by_tree = self.search == "tree" or (self.search == "auto" and p <= most)
        if by_tree and self.power >= 1:
            return self._by_tree
        return self._by_products if self.power == 2.0 else None

    def within(self, X: np.ndarray, radius: float, crew: Crew | None = None) -> Within:
        """The rows at most `radius` away from each row of X, shape (m, p).

        Who asks many times has a `crew`, so that threads need not begin each time.
        """
        return self._in_balls(read_only(X), -len(X), radius, crew or Crew())

    def within_ahead(self, first: int, end: int, radius: float, crew: Crew | None = None) -> Within:
        """The rows at most `radius` away from each of the rows from `first` to before `end`, itself
        and later ones alone: of two rows the earlier tells."""
        return self._in_balls(self.S[first:end], first, radius, crew or Crew())

    def _in_balls(self, X: np.ndarray, ahead: int, radius: float, crew: Crew) -> Within:
        """The rows around each row of X, around row i those of number `ahead` + i and later."""
        radius = float(radius)
        if self.power == 0.0:
            bound = radius * self.S.shape[1]
        else:
            bound = radius if self.power == np.inf else radius**self.power
        counts = np.empty(len(X), dtype=np.int64)
        way, parts = self._way(len(X), 1), crew.parts(len(X))
        if way == self._by_tree:
            search = partial(self._tree_within, self._tree)  # grown before, by all threads
        else:
            search = self._all_within if way is None else self._sifted_within
            parts = parts if ahead < 0 else _even(len(X), len(self.S) - ahead, crew.size)
        near: list[Any] = [None] * len(parts)

        def part(k: int) -> None:
            own = parts[k]
            # Raising to a power multiplies what rounding took.
            limits = radius, bound * (1 + SLACK)
            near[k] = search(X[own], *limits, counts[own], ahead + own.start)

        crew.do(part, range(len(parts)))
        rows, apart = (np.concatenate([one[k] for one in near]) for k in (0, 1))
        return Within(np.concatenate([[0], np.cumsum(counts)]), rows, apart)

    def _all_within(
        self, X: np.ndarray, radius: float, bound: float, counts: np.ndarray, ahead: int
    ) -> Any:
        return _kernels.within_all(X, self.S, self.power, radius, bound, counts, ahead)

    def _tree_within(
        self, tree: KDTree, X: np.ndarray, radius: float, bound: float, counts: np.ndarray,
        ahead: int,
    ) -> Any:  # fmt: skip
        rows, apart = tree.within(X, self.power, bound, counts)
        near = _kernels.at_most(rows, apart, counts, self.power, radius, X.shape[1], ahead)
        return rows[:near], apart[:near]

    def _sifted_within(
        self, X: np.ndarray, radius: float, bound: float, counts: np.ndarray, ahead: int
    ) -> Any:
        shift, small, squares = self._small
        Q = X - shift
        lengths = (Q**2).sum(axis=1)
        with np.errstate(over="ignore"):  # what is too large stays in doubt
            Q = read_only(Q.astype(np.float32))
        errors = 2 * (X.shape[1] + 8) * 2.0**-24 * (lengths + squares.max())
        return _kernels.within_sifted(
            X, Q, read_only(lengths), self.S, small, squares, read_only(errors), radius, bound,
            counts, ahead,
        )  # fmt: skip

    def others(self, k: int) -> NearestRows:
        """The k nearest other rows to each of the rows themselves."""
        nearest = self.nearest(self.S, k + 1)
        own = np.equal(nearest.rows, np.arange(len(self.S))[:, None])
        # Among many equal rows the own one may be missing; then the last is one too many.
        own[~own.any(axis=1), k] = True
        return NearestRows(
            nearest.distances[~own].reshape(-1, k), nearest.rows[~own].reshape(-1, k)
        )

    def _one_by_one(
        self, X: np.ndarray, queries: np.ndarray, apart: np.ndarray, rows: np.ndarray
    ) -> None:
        is_much = len(queries) * self.S.size > LITTLE
        parts = np.array_split(queries, threads()) if is_much else [queries]

        def search(part: np.ndarray) -> None:
            _kernels.closest(X, read_only(part), self.S, self.power, apart, rows)

        list(side_by_side(search, [part for part in parts if len(part)]))

    @cached_property
    def _tree(self) -> KDTree:
        return KDTree(self.S)

    def _by_tree(self, X: np.ndarray, k: int, apart: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Exact at once: leaves no query in doubt."""
        self._tree.nearest(X, self.power, apart, rows)
        return np.empty(0, dtype=np.int64)

    def _by_products(
        self, X: np.ndarray, k: int, apart: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        """Candidates by single precision about the mean; returns the queries left in doubt."""
        shift, small, squares = self._small
        most = _kernels.ONE_THREAD // (_kernels.UNIT * X.shape[1])
        size = min(QUERIES, max(most, LEAST_QUERIES))

        def search(start: int) -> np.ndarray:
            own = slice(start, start + size)
            Q = X[own] - shift
            lengths = (Q**2).sum(axis=1)
            values = np.empty((len(Q), k + SPARE), dtype=np.float32)
            candidates = np.empty(values.shape, dtype=np.int64)
            with np.errstate(over="ignore"):  # what is too large stays in doubt
                _kernels.sift(read_only(Q.astype(np.float32)), small, squares, values, candidates)
            error = (X.shape[1] + 8) * 2.0**-24 * (lengths + squares.max())
            with np.errstate(invalid="ignore"):  # infinity less infinity: in doubt as well
                bounds = values[:, -1] + lengths - 2 * error
            return start + self._ranked(X[own], candidates, bounds, apart[own], rows[own])

        return np.concatenate(list(side_by_side(search, range(0, len(X), size))))

    @cached_property
    def _small(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shift = self.S.mean(axis=0)
        near = self.S - shift
        with np.errstate(over="ignore"):  # what is too large stays in doubt
            small = near.astype(np.float32)
            squares = (near**2).sum(axis=1).astype(np.float32)
        return shift, read_only(small), read_only(squares)

    def _ranked(
        self, X: np.ndarray, candidates: np.ndarray, bounds: np.ndarray, apart: Any, rows: Any
    ) -> np.ndarray:
        """Exact distances to the candidates; returns the queries that they do not settle."""
        doubtful = np.empty(len(X), dtype=np.int64)
        here = np.max(candidates, axis=1) < len(self.S)  # fewer candidates where numbers overflowed
        safe = np.where(here[:, None], candidates, 0)
        bounds = np.where(here & np.isfinite(bounds), bounds, -np.inf)
        count = _kernels.ranked(
            read_only(X), self.S, read_only(safe), read_only(bounds), self.power, apart, rows,
            doubtful,
        )  # fmt: skip
        return doubtful[:count]


def _even(m: int, longest: int, count: int) -> list[slice]:
    """So many ranges of m rows, the first of which is compared with `longest` rows and each with
    one fewer than that before, about equal in comparisons."""
    shares = np.arange(count + 1) / count
    left = np.sqrt(longest**2 - shares * (longest**2 - (longest - m) ** 2))
    ends = np.rint(longest - left).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(ends) if a < b]
