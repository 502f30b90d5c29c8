"""Isolation trees as arrays: growing one at random, and the paths of rows through them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np

from mlcore.ensembles.isolation import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.fit import freeze
from mlcore.spine.pool import side_by_side, threads


@dataclass(frozen=True, eq=False)
class IsolationTrees:
    """B trees of at most N nodes; a node beyond those of a tree is never met."""

    depth: int  # of none is deeper
    feature: np.ndarray  # (B, N) int32 column that is cut
    cut: np.ndarray  # (B, N) rows up to it go to the first child; infinite in a leaf
    child: np.ndarray  # (B, N) int32 the first of the two; in a leaf itself
    length: np.ndarray  # (B, N) path length of the rows that end in a leaf
    normal: np.ndarray | None = None  # (B, N, p) directions of slanted cuts

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)

    def __len__(self) -> int:
        return len(self.feature)

    def taken(self, these: slice) -> IsolationTrees:
        """Some of the trees."""
        normal = None if self.normal is None else self.normal[these]
        return IsolationTrees(
            self.depth, self.feature[these], self.cut[these], self.child[these],
            self.length[these], normal,
        )  # fmt: skip

    def lengths(self, X: np.ndarray) -> np.ndarray:
        """The sum of the path lengths of rows X, shape (n, p), over all trees, shape (n,)."""
        feature = read_only(self.feature)
        cut, child, length = (read_only(a) for a in (self.cut, self.child, self.length))

        def part(rows: np.ndarray) -> np.ndarray:
            total = np.zeros(len(rows))
            if self.normal is None:
                _kernels.paths(read_only(rows), self.depth, feature, cut, child, length, total)
            else:
                normal = read_only(self.normal)
                _kernels.slanted_paths(read_only(rows), normal, cut, child, length, total)
            return total

        parts = np.array_split(X, min(threads(), max(len(X), 1)))
        return np.concatenate(list(side_by_side(part, parts)))

    def is_walkable(self, p: int) -> bool:
        """Whether every walk of a row of p columns ends in a leaf."""
        shape, nodes = self.feature.shape, (self.cut, self.child, self.length)
        if len(shape) != 2 or 0 in shape or any(array.shape != shape for array in nodes):
            return False
        if self.normal is not None and self.normal.shape != (*shape, p):
            return False
        own = np.arange(shape[1])
        is_leaf = (self.child == own) & np.isposinf(self.cut)
        is_inner = (self.child > own) & (self.child < shape[1] - 1)
        return bool(
            (is_leaf | is_inner).all()
            and (self.feature >= 0).all()
            and (self.feature < p).all()
            and self.depth >= 0
        )


def mean_length(sizes: np.ndarray) -> np.ndarray:
    """Mean path length of s rows, any shape, in a tree grown at random until each is alone, eq. 1.

    $c(s) = 2 H(s - 1) - 2 (s - 1) / s$ with $H(i) \\approx \\ln i + 0.5772$, as the paper has it;
    1 for two rows and 0 for one.
    """
    s = np.maximum(np.asarray(sizes, dtype=np.float64), 3.0)
    long = 2.0 * (np.log(s - 1.0) + np.euler_gamma) - 2.0 * (s - 1.0) / s
    return np.where(np.asarray(sizes) > 2, long, np.where(np.asarray(sizes) == 2, 1.0, 0.0))


def grown(X: np.ndarray, size: int, rng: np.random.Generator, *, slanted: bool) -> IsolationTrees:
    """One tree, grown on `size` rows of X, shape (n, p), that are drawn without replacement."""
    limit = ceil(log2(size)) if size > 1 else 0
    most, p = 2 ** (limit + 1) - 1, X.shape[1]
    rows = rng.choice(len(X), size, replace=False, shuffle=False)
    S = read_only(X[rows].T)
    lengths = read_only(mean_length(np.arange(size + 1)))
    feature, child = np.zeros((2, most), dtype=np.int32)
    cut, length = np.zeros((2, most))
    normal, given = None, (limit, lengths)
    if slanted:
        normal = rng.normal(size=(most, p))
        lots = read_only(rng.random((most, p)))
        n = _kernels.grow_slanted(S, lots, read_only(normal), *given, cut, child, length)
        normal = normal[None, :n]
    else:
        lots = read_only(rng.random((most, 2)))
        n = _kernels.grow(S, lots, *given, feature, cut, child, length)
    return IsolationTrees(
        limit, feature[None, :n], cut[None, :n], child[None, :n], length[None, :n], normal
    )


def together(trees: list[IsolationTrees]) -> IsolationTrees:
    """Several trees as one; where one has fewer nodes the rest are leaves that no row meets."""
    most = max(tree.feature.shape[1] for tree in trees)

    def joined(name: str, fill: Any) -> np.ndarray:
        first = getattr(trees[0], name)
        whole = np.empty((len(trees), most, *first.shape[2:]), dtype=first.dtype)
        whole[:] = fill
        for k, tree in enumerate(trees):
            whole[k, : tree.feature.shape[1]] = getattr(tree, name)[0]
        return whole

    return IsolationTrees(
        max(tree.depth for tree in trees), joined("feature", 0), joined("cut", np.inf),
        joined("child", np.arange(most)), joined("length", 0.0),
        None if trees[0].normal is None else joined("normal", 0.0),
    )  # fmt: skip
