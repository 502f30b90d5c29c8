"""HDBSCAN: the clusters that live longest as the density rises, at no single radius."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.clustering.hierarchy import _kernels
from mlcore.clustering.hierarchy.condensed import (
    ROOT,
    Condensed,
    by_mass,
    condensed,
    leaves,
    widened,
)
from mlcore.clustering.hierarchy.linkages import MOST_ROWS, Tree
from mlcore.distances.metrics import Distance, Frame
from mlcore.distances.neighbours import Neighbours
from mlcore.maths.arrays import read_only, vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, flag, integer, part, real


@dataclass(frozen=True, eq=False, kw_only=True)
class HDBSCANFit(Fit):
    """The groups, how firmly rows belong to them, and the tree that they were chosen from."""

    labels: np.ndarray  # (n,), -1 for noise
    strengths: np.ndarray  # (n,) in [0, 1], 0 for noise
    outlier_scores: np.ndarray  # (n,) in [0, 1]
    core_distances: np.ndarray  # (n,) to the neighbour that makes a place dense
    parents: np.ndarray  # (c,) of the clusters of the tree; -1 for that of all rows
    births: np.ndarray  # (c,) densities
    sizes: np.ndarray  # (c,)
    stabilities: np.ndarray  # (c,)
    chosen: np.ndarray  # (c,) whether it labels rows
    row_clusters: np.ndarray  # (n,)
    row_densities: np.ndarray  # (n,)
    notes: tuple[str, ...] = ()

    @property
    def enough(self) -> int:
        """Rows that are counted for the core distance of a row, itself among them."""
        method = self.made_by
        assert isinstance(method, HDBSCAN)
        return method.min_samples or method.min_cluster_size

    @property
    def radius(self) -> float:
        """NaN: every radius is tried."""
        return float("nan")

    def reaches(self, X: Any, at: np.ndarray) -> np.ndarray:
        """The core distances of rows `at` of the fitted rows X, (n, p): shape (m,)."""
        return self.core_distances[at]


def _cost(n: int, p: int, method: HDBSCAN) -> tuple[float, float]:
    return 2e-3 + 1.1e-10 * n**2 * (p + 4) + 3e-6 * n, 16.0 * n * (2 * p + 30)


@enter(
    Card(
        "hdbscan",
        "HDBSCAN",
        ("clustering",),
        paper="Campello, Moulavi and Sander (2013), PAKDD; McInnes and Healy (2017), ICDM "
        "Workshops",
        peer="sklearn.cluster.HDBSCAN",
        scores=("stability", "silhouette", "noise_share", "group_information"),
        cost=_cost,
        units="distances",
        formula=r"d_m(x, z) = \max\{c(x), c(z), d(x, z)\}, \quad "
        r"S(C) = \sum_{i \in C} (\lambda_i - \lambda_C)",
        synonyms=("hierarchical DBSCAN", "density-based clustering", "GLOSH", "condensed tree"),
        line="dense regions of any density",
    )
)
@dataclass(frozen=True, kw_only=True)
class HDBSCAN(Method):
    r"""Finds dense groups of different density, and calls the rest noise.

    Two rows are as far apart as they are, but no nearer than the distance of either to its m-th
    nearest row. With this distance a tree of single linkage says which groups of at least the least
    size there are at each density $\lambda$, 1 over a distance. Of all groups, none inside another,
    those are chosen whose stability is largest in sum: rows times the densities they last through.

    Use it in place of DBSCAN where one radius does not serve all groups. It labels the rows that it
    was fitted to and predicts no others. O(n^2 p) time, O(n p) memory. Fails in many columns, where
    all distances are alike, and on a single group, unless that is allowed.
    """

    peer_differs = (
        "Theirs takes edges of equal length one by one, so that its groups may depend on the order "
        "of the rows."
    )

    min_cluster_size: int = integer(
        5,
        low=2,
        soft=(2, 50),
        label="Least size",
        doc="Rows below which a part that splits off is no group.",
    )
    min_samples: int | None = integer(
        None,
        low=1,
        soft=(1, 30),
        or_none="as the least size",
        symbol="m",
        label="Rows around a dense place",
        doc="The neighbour, itself among them, that must be near: more means fewer, denser groups.",
    )
    selection: str = choice(
        "excess_of_mass",
        "excess_of_mass",
        "leaf",
        label="Groups",
        doc="Those that last longest, or all that do not split, which are many and small.",
    )
    epsilon: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 2.0),
        symbol=r"\varepsilon",
        label="Least distance",
        doc="Groups that part at smaller distances stay together, in units of the columns.",
        advanced=True,
    )
    allow_single: bool = flag(
        False, label="One group", doc="Whether all rows may be one group.", advanced=True
    )
    metric: Distance = part(
        "euclidean", slot="metric", label="Distance", doc="How far apart two rows are."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        # With a least distance theirs raises where a group splits off below no other.
        if missing := self.beyond_peer(metric=("euclidean", "manhattan"), epsilon=0.0):
            return missing
        how = "eom" if self.selection == "excess_of_mass" else "leaf"
        return {
            "min_cluster_size": self.min_cluster_size, "min_samples": self.min_samples,
            "cluster_selection_method": how,
            "allow_single_cluster": self.allow_single, "metric": self.metric.card.name,
            "copy": True,  # else it warns that this will change
        }  # fmt: skip

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows that are too few or too many, and differences whose squares vanish."""
        fewest = max(self.min_cluster_size, self.min_samples or 1, 2)
        if len(X) < fewest:
            return (
                f"{self.title()} needs at least {fewest} rows with these settings; there are "
                f"{len(X)}. Lower the least size."
            )
        if len(X) > MOST_ROWS:
            return (
                f"{self.title()} takes at most {MOST_ROWS:,} rows; there are {len(X):,}. Draw some "
                "of them."
            )
        return vanishing(X, self.title())

    def _fit(self, given: Given) -> HDBSCANFit:
        frame = self.metric.frame(given.X, None)
        cores, tree = _reachability(frame, given.X, self.min_samples or self.min_cluster_size)
        clusters = condensed(tree, self.min_cluster_size)
        choose = by_mass if self.selection == "excess_of_mass" else leaves
        chosen = choose(clusters, self.allow_single)
        if self.epsilon > 0 and not chosen[ROOT]:
            chosen = widened(clusters, chosen, self.epsilon, self.allow_single)
        owner = self._owners(clusters, chosen)
        notes = (frame.note, "" if chosen.any() else _no_groups(self))
        return HDBSCANFit(
            made_by=self,
            columns=given.columns,
            labels=np.where(owner < 0, -1, np.cumsum(chosen)[owner] - 1),
            strengths=_strengths(clusters, owner),
            outlier_scores=_outlier_scores(clusters),
            core_distances=cores,
            parents=clusters.parents,
            births=clusters.births,
            sizes=clusters.sizes,
            stabilities=clusters.stabilities(),
            chosen=chosen,
            row_clusters=clusters.row_clusters,
            row_densities=clusters.row_densities,
            notes=tuple(note for note in notes if note),
        )

    def _owners(self, clusters: Condensed, chosen: np.ndarray) -> np.ndarray:
        """The chosen cluster of each row, -1 for noise, shape (n,)."""
        owner = clusters.owners(chosen)
        if not chosen[ROOT]:
            return owner
        # All rows lie in the cluster of all rows: noise are those that leave it early.
        enough = 1.0 / self.epsilon if self.epsilon > 0 else float(clusters.ends()[ROOT])
        return np.where(clusters.row_densities < enough, -1, owner)


def _reachability(frame: Frame, X: np.ndarray, m: int) -> tuple[np.ndarray, Tree]:
    """Core distances, shape (n,), and the tree of single linkage of the distances above them."""
    S, power = frame.placed(X), frame.power
    n, p = S.shape
    cores = np.ascontiguousarray(Neighbours(S, power).nearest(S, min(m, n)).distances[:, -1])
    sums = cores * p if power == 0.0 else cores if power == np.inf else cores**power
    pairs, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    _kernels.spanning_tree(read_only(S.T), power, sums, pairs, heights)
    order = np.argsort(heights, kind="stable")
    children, sizes = np.empty_like(pairs), np.empty(n - 1, dtype=np.int64)
    _kernels.number(read_only(pairs), read_only(order), children, sizes)
    return cores, Tree(children, heights[order], sizes)


def _strengths(tree: Condensed, owner: np.ndarray) -> np.ndarray:
    """The density at which a row leaves, by the largest of its cluster, shape (n,)."""
    most = tree.ends()[owner]
    return np.where(owner < 0, 0.0, np.minimum(tree.row_densities, most) / np.where(most, most, 1))


def _outlier_scores(tree: Condensed) -> np.ndarray:
    """How much earlier each row leaves than the densest row that it was together with, (n,).

    GLOSH: 1 less the ratio of the two densities (Campello and others 2015, ACM TKDD 10(1)).
    """
    ends = tree.ends()
    for c in range(len(ends) - 1, ROOT, -1):
        ends[tree.parents[c]] = max(ends[tree.parents[c]], ends[c])
    most = ends[tree.row_clusters]
    return 1.0 - tree.row_densities / np.where(most > 0, most, 1.0)


def _no_groups(method: HDBSCAN) -> str:
    return (
        f"No density parts the rows into two groups of {method.min_cluster_size} or more, so every "
        "row is noise. Lower the least size, or allow one group."
    )
