"""Agglomerative clustering: the two nearest clusters merge, again and again, into a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from mlcore.clustering.hierarchy import _kernels
from mlcore.clustering.hierarchy.cuts import AtNumber, Cut, left_at
from mlcore.clustering.hierarchy.linkages import MOST_ROWS, Linkage, Tree
from mlcore.clustering.hierarchy.merge_starts import MergeStart
from mlcore.clustering.restarts import parts_of_equal_rows
from mlcore.distances.metrics import Distance
from mlcore.maths.arrays import read_only, vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import part
from mlcore.spine.wording import count, plural, rough


@dataclass(frozen=True, eq=False)
class MergeState:
    """The clusters after some of the merges."""

    tree: Tree
    labels: np.ndarray  # (n,); -1 for a row that is still alone, until the last step
    n_merges: int
    n_groups: int  # before any merge


@dataclass(frozen=True, eq=False, kw_only=True)
class AgglomerativeFit(Fit):
    """The tree of all merges, and the groups that are left where it is cut."""

    children: np.ndarray  # (n - 1, 2) clusters that merge: rows 0 .. n - 1, the merge k is n + k
    heights: np.ndarray  # (n - 1,) how far apart they were, in units of the linkage
    sizes: np.ndarray  # (n - 1,) rows of the new cluster
    labels: np.ndarray  # (n,) 0..K-1; a cut elsewhere renumbers only the parts of what it divides
    n_merges: int  # that are made; n less the number of groups
    n_groups: int  # that it began with: the first n - n_groups merges, of height 0, join their rows
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether every merge takes two clusters that are there, no cluster merging twice."""
        n = len(self.labels)
        if self.children.shape != (n - 1, 2) or len(self.heights) != n - 1 or n < 1:
            return False
        made_before = (self.children < n + np.arange(n - 1)[:, None]).all()
        each_once = np.array_equal(np.sort(self.children, axis=None), np.arange(2 * (n - 1)))
        began = 1 <= self.n_groups <= n and not self.heights[: n - self.n_groups].any()
        return bool(made_before and each_once and began) and self.sizes.shape == (n - 1,)

    @property
    def inversions(self) -> np.ndarray:
        """Which merges lie lower than one that they contain, shape (n - 1,)."""
        return _inversions(self.children, self.heights, self.n_groups)

    def cut(self, k: int) -> np.ndarray:
        """The groups when all but the last k - 1 merges are made, shape (n,).

        Raises ParamError unless k is one of 1 .. n_groups.
        """
        if not 1 <= k <= self.n_groups:
            raise ParamError(
                f"A tree of {_began(self.n_groups, len(self.labels))} is cut into 1 to "
                f"{self.n_groups} clusters; got {k}."
            )
        return _cut(self.children, self.sizes, k)

    def cut_at(self, height: float) -> np.ndarray:
        """The groups before the first merge at this height or above, shape (n,)."""
        return self.cut(left_at(self.heights[len(self.labels) - self.n_groups :], height))


def _began(groups: int, n: int) -> str:
    return count(n, "row") if groups == n else count(groups, "group")


def _cut(children: np.ndarray, sizes: np.ndarray, k: int) -> np.ndarray:
    labels = np.empty(len(children) + 1, dtype=np.int64)
    _kernels.cut(read_only(children), read_only(sizes), k, labels)
    return labels


def _cost(n: int, p: int, method: Agglomerative) -> tuple[float, float]:
    linkage, k = method.linkage, method.start.most(n)
    compared = k if linkage.is_euclidean else n  # clusters, or all of their rows
    each = (1e-9 if linkage.stores else 4e-10) * compared**2 * (p + 8)
    tried = 2e-9 * k**3 * (1 + p) * n / k if linkage.most_rows < 1_000 else 0.0
    begun = 2e-8 * n * k * (p + 1) if k < n else 0.0
    memory = 8.0 * (k**2 if linkage.stores else n) + 16.0 * n * (p + 8)
    return 1e-3 + each + tried + begun, memory


@enter(
    Card(
        "agglomerative",
        "Agglomerative clustering",
        ("clustering",),
        paper="Murtagh and Contreras (2012), WIREs Data Mining and Knowledge Discovery 2(1)",
        sources=(
            "epfl:hclust_single", "epfl:hclust_complete", "epfl:hclust_average",
            "epfl:hclust_centroid", "epfl:hclust_median", "mi2:hier_single", "mi2:hier_complete",
            "mi2:hier_average", "mi2:hier_ward", "prac:agglomerative", "prac:merge_assignment",
        ),
        scores=("stability", "silhouette", "group_information"),
        cost=_cost,
        units="distances",
        formula=r"(A, B) = \arg\min_{A \ne B} d(A, B), \quad A \cup B \text{ replaces both}",
        synonyms=(
            "hierarchical clustering", "dendrogram", "linkage", "Ward's method", "UPGMA", "HAC",
            "AHC", "hclust", "AgglomerativeClustering", "cluster tree",
        ),
        line="merges the two nearest clusters, as a tree",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Agglomerative(IterativeMethod):
    r"""Starts with a cluster a row, and merges the two nearest clusters until one is left.

    $(A, B) = \arg\min d(A, B)$, where the linkage says how far apart two clusters are. The merges
    make a tree; the height of each is the distance of the two. All of them are found whatever the
    cut, so a cut elsewhere needs no other fit.

    Use it for groups within groups, and to see at which scales there are groups at all. It labels
    the rows that it was fitted to and predicts no others. O(n^2 p) time; O(n^2) memory for
    complete and averaged linkages; of many rows, merge groups that k-means has made. Fails where an
    early merge was wrong, since none is ever undone, and each linkage has its own prejudice:
    chains, or equal width, or equal size.
    """

    followed: ClassVar[str] = "height of the merge"

    linkage: Linkage = part("ward", slot="linkage", doc="How far apart two clusters are.")
    metric: Distance = part(
        "euclidean",
        slot="metric",
        label="Distance",
        doc="How far apart two rows are; Ward, centroids, medians and costs need straight lines.",
    )
    start: MergeStart = part(
        "rows", slot="merge_start", label="Begin with", doc="What is merged at first."
    )
    cut: Cut = part("number", slot="tree_cut", label="Cut at", doc="Which clusters are shown.")

    def with_groups(self, k: int) -> Agglomerative:
        """The same tree, cut where k clusters are left."""
        return replace(self, cut=AtNumber(n_clusters=k))

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more rows than the linkage can merge, and differences whose squares vanish."""
        groups = self.start.most(len(X))
        return (
            self._too_many(len(X), groups) or self.cut.applies(groups) or vanishing(X, self.title())
        )

    def _too_many(self, n: int, groups: int) -> str | None:
        linkage, who = self.linkage, f"{self.title()} with {self.linkage.title()} linkage"
        if groups > linkage.most_rows and not self.start.variables():
            return (
                f"{who} takes at most {linkage.most_rows:,} rows; there are {groups:,}. Draw some "
                "of them, or begin with groups of k-means."
            )
        if n > MOST_ROWS and not linkage.is_euclidean:
            return (
                f"{who} compares all rows of two groups, at most {MOST_ROWS:,}; there are {n:,}. "
                "Draw some of them, or choose Ward or centroid linkage, which compare means."
            )
        return None

    def untouched(self) -> tuple[str, ...]:
        """The column that holds the groups it begins with."""
        return self.start.variables()

    def _steps(self, given: Given) -> Iterator[Step]:
        tree, groups, last = self._grown(given)
        return (self._merged(tree, groups, k, last) for k in range(last + 1))

    def _end(self, given: Given) -> Step:
        tree, groups, last = self._grown(given)
        return self._merged(tree, groups, last, last)

    def _grown(self, given: Given) -> tuple[Tree, int, int]:
        """All merges, the number of groups before them, and how many of them are made."""
        X, labels = self.start.parted(given.X, given.columns)
        groups = given.n if labels is None else len(np.unique(labels))
        if groups > self.linkage.most_rows:
            raise DataError(
                f"{self.title()} with {self.linkage.title()} linkage merges at most "
                f"{self.linkage.most_rows:,} groups; there are {groups:,}. Begin with fewer."
            )
        if reason := self.cut.applies(groups):
            raise DataError(reason)
        tree = self._tree(X, labels)
        return tree, groups, groups - self.cut.clusters(tree.heights[given.n - groups :])

    def _tree(self, X: np.ndarray, labels: np.ndarray | None) -> Tree:
        frame = self.metric.frame(X, None)
        if self.linkage.is_euclidean and frame.power != 2.0:
            raise DataError(
                f"{self.linkage.title()} linkage is about means, which need distances in a "
                f"straight line; {self.metric.title()} is none. Choose Euclidean distances, or "
                "single, complete or average linkage."
            )
        return self.linkage.tree(frame.placed(X), frame, labels)

    def _merged(self, tree: Tree, groups: int, k: int, last: int) -> Step:
        """The clusters after k merges of the groups that it began with."""
        n = len(tree.heights) + 1
        made = n - groups + k
        labels = _cut(tree.children, tree.sizes, groups - k)
        if k < last:
            labels[np.bincount(labels)[labels] == 1] = -1
        height = float(tree.heights[made - 1]) if k else 0.0
        left = count(groups - k, "cluster")
        if k:
            note = f"{_merge_in_words(tree, made - 1)} {left} left."
        else:
            note = f"Each {'row' if groups == n else 'group'} is one of {left}."
        stop = Stop("converged", f"Cut: {left}.") if k == last else None
        return Step(k, height, MergeState(tree, labels, made, groups), stop, note)

    def _finished(self, given: Given, end: Step) -> AgglomerativeFit:
        state: MergeState = end.state
        return AgglomerativeFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k,
            stop=end.stop,
            children=state.tree.children,
            heights=state.tree.heights,
            sizes=state.tree.sizes,
            labels=state.labels,
            n_merges=state.n_merges,
            n_groups=state.n_groups,
            notes=(
                *_of_groups(state.n_groups, given.n),
                *_remarks(state.tree, state.n_groups),
                *filter(None, (parts_of_equal_rows(given.X, int(state.labels.max()) + 1),)),
            ),
        )


def _merge_in_words(tree: Tree, t: int) -> str:
    n = len(tree.heights) + 1
    a, b = (1 if c < n else int(tree.sizes[c - n]) for c in tree.children[t])
    return f"Clusters of {a} and {count(b, 'row')} merge at {rough(float(tree.heights[t]))}."


def _inversions(children: np.ndarray, heights: np.ndarray, groups: int) -> np.ndarray:
    below = np.concatenate([np.full(len(heights) + 1, -np.inf), heights])
    below[: 2 * (len(heights) + 1) - groups] = -np.inf  # rows, and the groups that were given
    # Rounding may turn two equal heights around.
    slack = 1e-12 * np.abs(heights).max(initial=0.0)
    return heights < below[children].max(axis=1, initial=-np.inf) - slack


def _of_groups(groups: int, n: int) -> tuple[str, ...]:
    if groups == n:
        return ()
    return (f"{count(groups, 'group')} of {count(n, 'row')} are merged; none of them is divided.",)


def _remarks(tree: Tree, groups: int) -> tuple[str, ...]:
    inverted = int(_inversions(tree.children, tree.heights, groups).sum())
    if not inverted:
        return ()
    return (
        f"{count(inverted, 'merge')} of {groups - 1} {plural(inverted, 'lies', 'lie')} "
        "lower than one before: the tree is cut by the order of merges, and heights say little.",
    )
