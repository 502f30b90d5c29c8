"""Agglomerative clustering: the two nearest clusters merge, again and again, into a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mlcore.clustering.hierarchy import _kernels
from mlcore.clustering.hierarchy.cuts import AtNumber, Cut, left_at
from mlcore.clustering.hierarchy.linkages import Linkage, Tree
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


@dataclass(frozen=True, eq=False, kw_only=True)
class AgglomerativeFit(Fit):
    """The tree of all merges, and the groups that are left where it is cut."""

    children: np.ndarray  # (n - 1, 2) clusters that merge: rows 0 .. n - 1, the merge k is n + k
    heights: np.ndarray  # (n - 1,) how far apart they were, in units of the linkage
    sizes: np.ndarray  # (n - 1,) rows of the new cluster
    labels: np.ndarray  # (n,) 0..K-1; a cut elsewhere renumbers only the parts of what it divides
    n_merges: int  # that are made; n less the number of groups
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether every merge takes two clusters that are there, no cluster merging twice."""
        n = len(self.labels)
        if self.children.shape != (n - 1, 2) or len(self.heights) != n - 1 or n < 1:
            return False
        made_before = (self.children < n + np.arange(n - 1)[:, None]).all()
        each_once = np.array_equal(np.sort(self.children, axis=None), np.arange(2 * (n - 1)))
        return bool(made_before and each_once) and self.sizes.shape == (n - 1,)

    @property
    def inversions(self) -> np.ndarray:
        """Which merges lie lower than one that they contain, shape (n - 1,)."""
        return _inversions(self.children, self.heights)

    def cut(self, k: int) -> np.ndarray:
        """The groups when all but the last k - 1 merges are made, shape (n,).

        Raises ParamError unless k is one of 1 .. n.
        """
        n = len(self.labels)
        if not 1 <= k <= n:
            raise ParamError(f"A tree of {count(n, 'row')} is cut into 1 to {n} clusters; got {k}.")
        return _cut(self.children, self.sizes, k)

    def cut_at(self, height: float) -> np.ndarray:
        """The groups before the first merge at this height or above, shape (n,)."""
        return self.cut(left_at(self.heights, height))


def _cut(children: np.ndarray, sizes: np.ndarray, k: int) -> np.ndarray:
    labels = np.empty(len(children) + 1, dtype=np.int64)
    _kernels.cut(read_only(children), read_only(sizes), k, labels)
    return labels


def _cost(n: int, p: int, method: Agglomerative) -> tuple[float, float]:
    linkage = method.linkage
    each = (1e-9 if linkage.stores else 2e-10) * n**2 * (p + 8)
    tried = 2e-9 * n**3 * (1 + p) if linkage.most_rows < 1_000 else 0.0
    return 1e-3 + each + tried, 8.0 * (n**2 if linkage.stores else n) + 16.0 * n * (p + 8)


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
        scores=("stability", "silhouette"),
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
    complete and averaged linkages. Fails where an early merge was wrong, since none is ever undone,
    and each linkage has its own prejudice: chains, or equal width, or equal size.
    """

    linkage: Linkage = part("ward", slot="linkage", doc="How far apart two clusters are.")
    metric: Distance = part(
        "euclidean",
        slot="metric",
        label="Distance",
        doc="How far apart two rows are; Ward, centroids, medians and costs need straight lines.",
    )
    cut: Cut = part("number", slot="tree_cut", label="Cut at", doc="Which clusters are shown.")

    def with_groups(self, k: int) -> Agglomerative:
        """The same tree, cut where k clusters are left."""
        return replace(self, cut=AtNumber(n_clusters=k))

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more rows than the linkage can merge, and differences whose squares vanish."""
        if len(X) > (most := self.linkage.most_rows):
            return (
                f"{self.title()} with {self.linkage.title()} linkage takes at most {most:,} rows; "
                f"there are {len(X):,}. Draw some of them, or find centers by k-means first."
            )
        return self.cut.applies(len(X)) or vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        tree = self._tree(given)
        last = given.n - self.cut.clusters(tree.heights)
        return (self._merged(tree, k, last) for k in range(last + 1))

    def _end(self, given: Given) -> Step:
        tree = self._tree(given)
        last = given.n - self.cut.clusters(tree.heights)
        return self._merged(tree, last, last)

    def _tree(self, given: Given) -> Tree:
        frame = self.metric.frame(given.X, None)
        if self.linkage.is_euclidean and frame.power != 2.0:
            raise DataError(
                f"{self.linkage.title()} linkage is about means, which need distances in a "
                f"straight line; {self.metric.title()} is none. Choose Euclidean distances, or "
                "single, complete or average linkage."
            )
        return self.linkage.tree(frame.placed(given.X), frame)

    def _merged(self, tree: Tree, k: int, last: int) -> Step:
        """The clusters after k merges."""
        n = len(tree.heights) + 1
        labels = _cut(tree.children, tree.sizes, n - k)
        if k < last:
            labels[np.bincount(labels)[labels] == 1] = -1
        height = float(tree.heights[k - 1]) if k else 0.0
        left = count(n - k, "cluster")
        note = (
            f"{_merge_in_words(tree, k - 1)} {left} left." if k else f"Each row is one of {left}."
        )
        stop = Stop("converged", f"Cut: {left}.") if k == last else None
        return Step(k, height, MergeState(tree, labels, k), stop, note)

    def _finished(self, given: Given, end: Step) -> AgglomerativeFit:
        state: MergeState = end.state
        return AgglomerativeFit(
            made_by=self,
            columns=given.columns,
            n_iter=state.n_merges,
            stop=end.stop,
            children=state.tree.children,
            heights=state.tree.heights,
            sizes=state.tree.sizes,
            labels=state.labels,
            n_merges=state.n_merges,
            notes=_remarks(state.tree),
        )


def _merge_in_words(tree: Tree, t: int) -> str:
    n = len(tree.heights) + 1
    a, b = (1 if c < n else int(tree.sizes[c - n]) for c in tree.children[t])
    return f"Clusters of {a} and {count(b, 'row')} merge at {rough(float(tree.heights[t]))}."


def _inversions(children: np.ndarray, heights: np.ndarray) -> np.ndarray:
    below = np.concatenate([np.full(len(heights) + 1, -np.inf), heights])
    # Rounding may turn two equal heights around.
    slack = 1e-12 * np.abs(heights).max(initial=0.0)
    return heights < below[children].max(axis=1, initial=-np.inf) - slack


def _remarks(tree: Tree) -> tuple[str, ...]:
    inverted = int(_inversions(tree.children, tree.heights).sum())
    if not inverted:
        return ()
    return (
        f"{count(inverted, 'merge')} of {len(tree.heights)} {plural(inverted, 'lies', 'lie')} "
        "lower than one before: the tree is cut by the order of merges, and heights say little.",
    )
