"""Linkages: how far apart two clusters are, and the tree of merges that follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mlcore.clustering.hierarchy import _kernels
from mlcore.clustering.hierarchy.groups import Groups
from mlcore.clustering.hierarchy.rounds import _kernels as rounds
from mlcore.distances.metrics import Frame
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice
from mlcore.spine.pool import side_by_side, threads

MOST_STORED = 10_000  # rows of which all distances are stored: 800 MB
MOST_ROWS = 30_000  # rows of which none is stored; the time grows with the square
BLOCKS = 16  # into which rows are parted to look for the nearest of each
ALONE = 1_500  # rows of which the nearest are found sooner than threads begin
FEW_COLUMNS = 4  # in which boxes around clusters spare most of their distances
MOST_TRIED = 500  # rows of which every pair of clusters is tried at every merge


class Tree(NamedTuple):
    """All merges of n rows, in their order; the first may be those of groups that were given."""

    children: np.ndarray  # (n - 1, 2) clusters: rows are 0 .. n - 1, the merge k is n + k
    heights: np.ndarray  # (n - 1,) how far apart the two were
    sizes: np.ndarray  # (n - 1,) rows of the new cluster


@dataclass(frozen=True, kw_only=True)
class Linkage(Component):
    """How far apart two clusters are.

    `stores` says whether it needs the distances of all rows at once, `is_euclidean` whether it is
    about means, which only distances in a straight line have.

    All of them begin with `groups`, each row alone unless some were given.
    """

    most_rows: ClassVar[int] = MOST_STORED
    stores: ClassVar[bool] = True
    is_euclidean: ClassVar[bool] = False
    in_order: ClassVar[bool] = False  # whether merges stay as they are found, heights or no heights

    def tree(self, X: np.ndarray, frame: Frame, given: np.ndarray | None = None) -> Tree:
        """The merges of rows X, shape (n, p), that are placed in the frame.

        Rows of one group of `given`, (n,), 0 .. k - 1, merge first, at height 0.
        """
        groups = Groups.alone(len(X)) if given is None else Groups.of(given)
        n, k = len(X), len(groups.firsts)
        pairs, heights = np.empty((k - 1, 2), dtype=np.int64), np.empty(k - 1)
        if k > 1:
            self._merge(X, frame.power, groups, pairs, heights)
        order = np.arange(k - 1) if self.in_order else np.argsort(heights, kind="stable")
        order = np.concatenate([np.arange(n - k), n - k + order])
        pairs = np.concatenate([groups.inside(), groups.firsts[pairs]])
        heights = np.concatenate([np.zeros(n - k), heights])
        children, sizes = np.empty_like(pairs), np.empty(len(pairs), dtype=np.int64)
        _kernels.number(read_only(pairs), read_only(order), children, sizes)
        return Tree(children, heights[order], sizes)

    def _merge(
        self, X: np.ndarray, power: float, groups: Groups, pairs: np.ndarray, heights: np.ndarray
    ) -> None:
        """Fill `pairs`, (k - 1, 2), with the numbers of the groups that merge, by their places."""
        # Each linkage merges in its own way; what follows from the merges is shared.
        raise NotImplementedError(f"{type(self).__name__} declares no merges")


@enter(
    Card(
        "single",
        "Single",
        ("linkage",),
        paper="Gower and Ross (1969), Applied Statistics 18(1)",
        sources=("epfl:hclust_single", "mi2:hier_single"),
        kind="part",
        formula=r"\min_{a \in A,\, b \in B} d(a, b)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Single(Linkage):
    """The distance of the two nearest rows.

    Follows clusters of any form; a few rows in between chain two of them into one.
    """

    most_rows: ClassVar[int] = MOST_ROWS
    stores: ClassVar[bool] = False

    def _merge(
        self, X: np.ndarray, power: float, groups: Groups, pairs: np.ndarray, heights: np.ndarray
    ) -> None:
        if groups.are_rows:
            _kernels.spanning_tree(read_only(X.T), power, np.zeros(len(X)), pairs, heights)
        else:
            _kernels.chain(_between(X, power, groups, 3), groups.counts(), 3, pairs, heights)


class _Chained(Linkage):
    """A linkage of which a new cluster is never nearer to a third than both of its parts."""

    rule: ClassVar[int]

    def _merge(
        self, X: np.ndarray, power: float, groups: Groups, pairs: np.ndarray, heights: np.ndarray
    ) -> None:
        if groups.are_rows:
            D = _distances(X, power)
        else:
            D = _between(X, power, groups, self.rule)
        _kernels.chain(D, groups.counts(), self.rule, pairs, heights)


@enter(
    Card(
        "complete",
        "Complete",
        ("linkage",),
        paper="Murtagh (1983), The Computer Journal 26(4)",
        sources=("epfl:hclust_complete", "mi2:hier_complete"),
        kind="part",
        formula=r"\max_{a \in A,\, b \in B} d(a, b)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Complete(_Chained):
    """The distance of the two farthest rows.

    Clusters get equally wide, whether or not they are; one stray row counts for all.
    """

    rule: ClassVar[int] = 0


@enter(
    Card(
        "average",
        "Average (UPGMA)",
        ("linkage",),
        paper="Sokal and Michener (1958), University of Kansas Science Bulletin 38",
        sources=("epfl:hclust_average", "mi2:hier_average"),
        kind="part",
        formula=r"\frac{1}{|A|\,|B|} \sum_{a \in A} \sum_{b \in B} d(a, b)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Average(_Chained):
    """The mean distance of a row of the one and a row of the other.

    Between single and complete; stray rows stay alone until late.
    """

    rule: ClassVar[int] = 1


@enter(
    Card(
        "weighted",
        "Weighted average (WPGMA)",
        ("linkage",),
        paper="Sokal and Michener (1958), University of Kansas Science Bulletin 38",
        kind="part",
        formula=r"d(A \cup B, C) = \tfrac12 \left(d(A, C) + d(B, C)\right)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Weighted(_Chained):
    """The mean of the distances of the two parts, however many rows they have.

    A small part counts as much as a large one: for groups that were sampled unequally.
    """

    rule: ClassVar[int] = 2


@enter(
    Card(
        "ward",
        "Ward (least scatter)",
        ("linkage",),
        paper="Ward (1963), Journal of the American Statistical Association 58(301)",
        sources=("mi2:hier_ward",),
        kind="part",
        formula=r"\sqrt{\frac{2\,|A|\,|B|}{|A| + |B|}}\; \|\bar a - \bar b\|",
    )
)
@dataclass(frozen=True, kw_only=True)
class Ward(Linkage):
    """By how much the merge raises the sum of squared distances to the means.

    The height is the square root of twice that increase, so that of two rows it is their distance.
    Finds compact clusters of similar size, as k-means does.
    """

    most_rows: ClassVar[int] = MOST_ROWS
    stores: ClassVar[bool] = False
    is_euclidean: ClassVar[bool] = True

    def _merge(
        self, X: np.ndarray, power: float, groups: Groups, pairs: np.ndarray, heights: np.ndarray
    ) -> None:
        if X.shape[1] > FEW_COLUMNS or not groups.are_rows:
            _by_centers(X, groups, pairs, heights, is_ward=True)
        else:
            rounds.ward(_about_the_mean(X), pairs, heights)


class _Inverting(Linkage):
    """A linkage by centers, whose merges may lie lower than those before them."""

    most_rows: ClassVar[int] = MOST_ROWS
    stores: ClassVar[bool] = False
    is_euclidean: ClassVar[bool] = True
    in_order: ClassVar[bool] = True
    is_median: ClassVar[bool]

    def _merge(
        self, X: np.ndarray, power: float, groups: Groups, pairs: np.ndarray, heights: np.ndarray
    ) -> None:
        if X.shape[1] > FEW_COLUMNS or not groups.are_rows:
            _by_centers(X, groups, pairs, heights, is_median=self.is_median)
        else:
            rounds.closest(_about_the_mean(X), self.is_median, pairs, heights)


@enter(
    Card(
        "centroid",
        "Centroid (UPGMC)",
        ("linkage",),
        paper="Muellner (2011), arXiv 1109.2378",
        sources=("epfl:hclust_centroid",),
        kind="part",
        formula=r"\|\bar a - \bar b\|",
    )
)
@dataclass(frozen=True, kw_only=True)
class Centroid(_Inverting):
    """The distance of the means.

    The mean of two clusters may lie nearer to a third than they did to each other: such a merge is
    lower than one before it, an inversion.
    """

    is_median: ClassVar[bool] = False


@enter(
    Card(
        "median",
        "Median (WPGMC)",
        ("linkage",),
        paper="Gower (1967), Biometrics 23(4)",
        sources=("epfl:hclust_median",),
        kind="part",
        formula=r"\|\tilde a - \tilde b\|, \quad \widetilde{a \cup b} = (\tilde a + \tilde b) / 2",
    )
)
@dataclass(frozen=True, kw_only=True)
class Median(_Inverting):
    """The distance of centers, of which a merge takes the point halfway.

    A small cluster moves the center as far as a large one; it has inversions as centroids have.
    """

    is_median: ClassVar[bool] = True


@enter(
    Card(
        "cost",
        "Least cost",
        ("linkage",),
        sources=("prac:agglomerative", "prac:merge_assignment"),
        kind="part",
        formula=r"\ell(A \cup B) - \ell(A) - \ell(B)",
    )
)
@dataclass(frozen=True, kw_only=True)
class Cost(Linkage):
    """By how much the merge raises a cost; the height is that rise.

    The scatter gives the tree of Ward. With plain distances a merge may lower the cost: it then
    stands below zero. Every pair is tried at each merge, O(n^3), at most 500 rows.
    """

    most_rows: ClassVar[int] = MOST_TRIED
    stores: ClassVar[bool] = False
    is_euclidean: ClassVar[bool] = True
    in_order: ClassVar[bool] = True

    measure: str = choice(
        "distance_sum",
        "distance_sum",
        "scatter",
        doc="What a cluster costs: the sum of the distances of its rows to their mean, or of their "
        "squares.",
    )

    def _merge(
        self, X: np.ndarray, power: float, groups: Groups, pairs: np.ndarray, heights: np.ndarray
    ) -> None:
        if self.measure == "distance_sum":
            rows = read_only(X - X.mean(axis=0))
            _kernels.cheapest_first(rows, groups.firsts, *groups.chained(), pairs, heights)
            return
        _by_centers(X, groups, pairs, heights, is_ward=True)
        heights[:] = heights**2 / 2


def _by_centers(
    X: np.ndarray,
    groups: Groups,
    pairs: np.ndarray,
    heights: np.ndarray,
    *,
    is_ward: bool = False,
    is_median: bool = False,
) -> None:
    """The merges of groups of rows X, (n, p), by their means, or points halfway, in their order."""
    centers = np.ascontiguousarray(groups.means(_about_the_mean(X).T).T)
    k = len(groups.firsts)
    near, gap, counts = np.empty(k, np.int64), np.empty(k), groups.counts()
    beyond, size = np.zeros(k), -(-k // BLOCKS)
    weighs = is_ward and not groups.are_rows  # of two rows Ward is no other

    def part(first: int) -> None:
        end = min(first + size, k)
        _kernels.following(centers, counts, beyond, weighs, first, end, near, gap)

    list(side_by_side(part, range(0, k, size)) if k > ALONE else map(part, range(0, k, size)))
    _kernels.closest_first(centers, counts, near, gap, is_ward, is_median, pairs, heights)


def _between(X: np.ndarray, power: float, groups: Groups, rule: int) -> np.ndarray:
    """How far every two groups are from each other, shape (k, k), by a rule of `_kernels.chain`."""
    k, order = len(groups.firsts), np.argsort(groups.labels, kind="stable")
    T, D = read_only(X[order].T), np.empty((k, k))
    starts = np.concatenate([[0], np.cumsum(groups.counts().astype(np.int64))])
    size = -(-k // BLOCKS)

    def part(first: int) -> None:
        _kernels.between(T, power, starts, rule, first, D[first : first + size])

    list(side_by_side(part, range(0, k, size)))
    return np.minimum(D, D.T)  # a sum the other way round is another in the last digit


def _about_the_mean(X: np.ndarray) -> np.ndarray:
    """The columns of X, (p, n): far from zero the means of clusters would lose digits."""
    return np.ascontiguousarray((X - X.mean(axis=0)).T)


def _distances(X: np.ndarray, power: float) -> np.ndarray:
    """Distances of every two rows, shape (n, n), as the norm of that power."""
    T, D = read_only(X.T), np.empty((len(X), len(X)))
    size = -(-len(X) // threads())

    def part(first: int) -> None:
        _kernels.distances(T, power, first, D[first : first + size])

    list(side_by_side(part, range(0, len(X), size)))
    return D
