"""Trees grown at random to the same rows: many in one compiled call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.spine.fit import Column
from mlcore.spine.pool import side_by_side
from mlcore.trees import _kernels as k
from mlcore.trees.growth import NO_CODES, NO_ENDS, NO_RANKS, Limits, Planted, Rows
from mlcore.trees.tree import Tree

SHARED = 2**14  # values from which on threads share the columns that are sorted
NODES_AT_ONCE = 2**17  # for which there is room in a call, unless a single tree may have more


@dataclass(frozen=True)
class Lots:
    """What a tree leaves to chance: its rows, and in each node the columns that are tried."""

    drawn: int  # rows, of all n
    again: bool  # a row may be drawn twice
    tried: int  # columns of which the best is taken, among those that differ in the node
    anywhere: bool  # one cut a column, anywhere; else the best of all
    max_bins: int = 0  # in nodes of more rows a cut stands between two of so many bins; 0: anywhere


class Ranked(Rows):
    """Rows with the rank of each value, for trees that sort the rows of a node."""

    def __init__(self, X: np.ndarray, columns: tuple[Column, ...]) -> None:
        super().__init__(X, columns)
        self.ranks = np.empty(self.X.shape, dtype=np.int32)  # equal for equal values
        self.known = np.zeros(len(self.X), dtype=np.int64)  # ranks that are not of missing values
        of_columns = range(len(self.X))
        for _ in (side_by_side if self.X.size >= SHARED else map)(self._rank, of_columns):
            pass

    def _rank(self, j: int) -> None:
        x = self.X[j]
        order = np.argsort(x)  # whichever of equal ones comes first, their rank is the same
        steps = x[order[1:]] != x[order[:-1]]
        self.ranks[j, order[:1]] = 0
        self.ranks[j, order[1:]] = np.cumsum(steps)
        missing = np.flatnonzero(np.isnan(x))
        self.known[j] = known = 1 + np.count_nonzero(steps) - len(missing)
        self.ranks[j, missing] = np.arange(known, known + len(missing))

    def binned(self, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The bin of each value, (p, n), at most `most` of about as many rows each, BINS - 1 where
        it is missing; and the least and the largest value of each bin, (2, p, BINS).

        A column of few different values has a bin for each.
        """
        codes = np.empty(self.X.shape, dtype=np.uint8)
        ends = np.zeros((2, len(self.X), k.BINS))
        for j, (x, ranks, known) in enumerate(zip(self.X, self.ranks, self.known, strict=True)):
            of_ranks = _bins_of(np.bincount(ranks, minlength=known)[:known], most)
            of_ranks = np.append(of_ranks, np.full(len(x) + 1 - known, k.BINS - 1))
            codes[j] = of_ranks[ranks]
            value = np.empty(known)
            there = ranks < known
            value[ranks[there]] = x[there]
            first = np.flatnonzero(np.diff(of_ranks[:known], prepend=-1))
            last = np.append(first[1:], known)[: len(first)] - 1
            ends[0, j, : len(first)], ends[1, j, : len(first)] = value[first], value[last]
        return codes, ends


def _bins_of(counts: np.ndarray, most: int) -> np.ndarray:
    """The bin of each value, told by how many rows have it, (r,): rising, one by one."""
    if len(counts) <= most:
        return np.arange(len(counts))
    share = (np.cumsum(counts) - counts) * most // counts.sum()
    return np.cumsum(np.diff(share, prepend=0) > 0)


class Stand(NamedTuple):
    """Trees, and where the rows end that each of them has not learned from."""

    trees: tuple[Tree, ...]  # (c,)
    values: np.ndarray  # (t, K) of the nodes of all, one tree after the other
    label: np.ndarray  # (t,)
    left_out: np.ndarray  # (r,) rows, those of one tree after those of the other
    leaf: np.ndarray  # (r,) nodes, counted through all trees
    ends: np.ndarray  # (c,) how many rows the trees up to each have left out

    def rows_of(self, tree: int) -> slice:
        """Where the rows stand that a tree has left out."""
        return slice(self.ends[tree - 1] if tree else 0, self.ends[tree])


class Grove:
    """Rows to which trees are grown, each by a seed of its own; threads may grow side by side."""

    def __init__(
        self,
        rows: Rows,
        target: np.ndarray,
        w: np.ndarray,
        K: int,
        criterion: int,
        limits: Limits,
        lots: Lots,
    ) -> None:
        self.planted = Planted(rows, target, w, K, criterion, limits)
        self.n, self.lots = rows.n, lots
        self._ranks = NO_RANKS, self.planted.n_levels, NO_CODES, NO_ENDS
        if isinstance(rows, Ranked):
            ranks, known = read_only(rows.ranks), read_only(rows.known)
            in_bins = 0 < lots.max_bins < rows.n
            codes, ends = rows.binned(lots.max_bins) if in_bins else (NO_CODES, NO_ENDS)
            self._ranks = ranks, known, read_only(codes), read_only(ends)
        planted = self.planted
        self._given = (
            planted.X, np.empty((1, 0), np.int32), np.empty((0, 0)), planted.n_levels, planted.y,
            planted.w.copy(), planted.rules(lots.tried, lots.anywhere, lots.max_bins),
        )  # fmt: skip
        self._rooms: list[tuple] = []  # used again: fresh memory costs as much as a small tree

    @cached_property
    def _most_nodes(self) -> int:
        """Nodes that a tree has at most."""
        limits, n = self.planted.limits, self.n
        return 2 * min(limits.max_leaf_nodes or n, max(n // limits.min_samples_leaf, 1)) - 1

    @property
    def at_once(self) -> int:
        """How many trees a call may grow."""
        return max(NODES_AT_ONCE // self._most_nodes, 1)

    def grown(self, seeds: np.ndarray) -> Stand:
        """A tree for each seed, shape (c,), of at most `at_once`."""
        c, planted = len(seeds), self.planted
        chance, nodes, left_out = self._rooms.pop() if self._rooms else self._room(c)
        if left_out.shape[1] < c * self.n:
            chance, nodes, left_out = self._room(c)
        ends = np.zeros((2, c), np.int64)
        drawn, again = self.lots.drawn, self.lots.again
        given, least = self._given, planted.least
        k.grow_at_random(
            read_only(seeds), drawn, again, given, chance, least, nodes, left_out, ends
        )  # fmt: skip
        t, r = ends[:, -1]
        fields = planted.written(*(each[:t] for each in nodes[2:]))
        rows, leaf = left_out[:, :r].copy()
        self._rooms.append((chance, nodes, left_out))
        trees = _parted(fields, np.append(0, ends[0]), planted.n_levels)
        return Stand(trees, fields["values"], fields["label"], rows, leaf, ends[1])

    def _room(self, c: int) -> tuple:
        """Room for a call of c trees: what chance needs, the nodes, the rows that are left out."""
        planted = self.planted
        nodes = planted.nodes(c * self._most_nodes, self._most_nodes)
        lots = np.arange(len(planted.X)), np.zeros(1, np.uint64)
        chance = *self._ranks, *lots, *planted.scratch(self.n, nodes[-1].shape[1])
        return chance, nodes, np.empty((2, c * self.n), np.int32)


def _parted(
    fields: dict[str, np.ndarray], ends: np.ndarray, n_levels: np.ndarray
) -> tuple[Tree, ...]:
    """The trees whose nodes follow each other."""
    has_names = n_levels.any()
    trees = []
    for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        own = {name: values[a:b] for name, values in fields.items()}
        if not has_names:
            own["levels"] = own["levels"][:1]
        trees.append(Tree(**own, n_levels=n_levels))
    return tuple(trees)
