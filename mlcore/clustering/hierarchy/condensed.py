"""The condensed tree: which clusters of enough rows there are at each density, and the best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.clustering.hierarchy.linkages import Tree

ROOT = 0  # the cluster of all rows
NOTHING = -1
FLOOR = 1e-10  # of the median distance: rows that are equal have a density, too


class Condensed(NamedTuple):
    """Clusters of at least m rows; c = 0 is that of all rows, parents come before children."""

    parents: np.ndarray  # (c,), -1 for the root
    births: np.ndarray  # (c,) density at which it splits off
    sizes: np.ndarray  # (c,) rows at birth
    row_clusters: np.ndarray  # (n,) the last cluster of each row
    row_densities: np.ndarray  # (n,) at which the row leaves it

    def stabilities(self) -> np.ndarray:
        """Sum over the rows of a cluster of how much density rises while they are in it, (c,)."""
        sums = np.zeros(len(self.parents))
        own = self.row_clusters
        np.add.at(sums, own, self.row_densities - self.births[own])
        born = np.arange(1, len(self.parents))
        above = self.parents[1:]
        np.add.at(sums, above, (self.births[born] - self.births[above]) * self.sizes[born])
        return sums

    def ends(self) -> np.ndarray:
        """The largest density at which something leaves a cluster, shape (c,)."""
        ends = np.zeros(len(self.parents))
        np.maximum.at(ends, self.row_clusters, self.row_densities)
        np.maximum.at(ends, self.parents[1:], self.births[1:])
        return ends

    def owners(self, chosen: np.ndarray) -> np.ndarray:
        """The chosen cluster, (c,) whether it is, that each row lies in, or -1: shape (n,)."""
        owner = np.full(len(self.parents), NOTHING)
        for c in range(len(owner)):
            above = owner[self.parents[c]] if c else NOTHING
            owner[c] = c if chosen[c] else above
        return owner[self.row_clusters]


def condensed(tree: Tree, fewest: int) -> Condensed:
    """The tree without splits that leave fewer than `fewest` rows (Campello and others 2013).

    Merges at one height are one merge of several parts: in which order they were found, and so the
    order of the rows, changes nothing.
    """
    n = len(tree.heights) + 1
    sizes = np.concatenate([np.ones(n, dtype=np.int64), tree.sizes]).tolist()
    floor = _least(tree.heights)
    densities = (1.0 / np.maximum(tree.heights, floor)).tolist()
    children = tree.children.tolist()
    parents, births, counts = [NOTHING], [0.0], [n]
    cluster, left = [ROOT] * (2 * n - 1), [-1.0] * (2 * n - 1)  # -1: has not left its cluster yet
    is_part = [False] * (n - 1)  # of a merge at the same height, with which it was handled
    for t in range(n - 2, -1, -1):  # from the top: a merge stands after those that it joins
        if is_part[t]:
            continue
        node, parts = n + t, _parts(t, n, children, densities, is_part)
        n_big = sum(sizes[part] >= fewest for part in parts)
        for part in parts:
            cluster[part], left[part] = cluster[node], left[node]
            if left[node] >= 0:
                continue
            if sizes[part] < fewest:
                left[part] = densities[t]
            elif n_big > 1:
                cluster[part] = len(parents)
                parents.append(cluster[node])
                births.append(densities[t])
                counts.append(sizes[part])
    return Condensed(
        np.array(parents), np.array(births), np.array(counts),
        np.array(cluster[:n]), np.maximum(np.array(left[:n]), 0.0),
    )  # fmt: skip


def _least(heights: np.ndarray) -> float:
    """The distance that rows count with which are equal, or only differ by rounding."""
    apart = heights[heights > 0]
    # Of the largest, one row very far away would make all others equal.
    return FLOOR * float(np.median(apart)) if len(apart) else FLOOR


def _parts(
    t: int, n: int, children: list[list[int]], densities: list[float], is_part: list[bool]
) -> list[int]:
    """What merge t puts together, with the parts of merges at the same height in their place."""
    parts, open_ones = [], list(children[t])
    while open_ones:
        node = open_ones.pop()
        below = node - n
        if below >= 0 and densities[below] == densities[t]:
            is_part[below] = True
            open_ones.extend(children[below])
        else:
            parts.append(node)
    return parts


def by_mass(tree: Condensed, allow_single: bool) -> np.ndarray:
    """Whether a cluster is chosen, (c,): no choice has more stability in sum, none holds another.

    The excess of mass. The cluster of all rows only if `allow_single`.
    """
    best = tree.stabilities()
    chosen = np.ones(len(best), dtype=bool)
    below = np.zeros(len(best))  # the best sum of what a cluster holds
    for c in range(len(best) - 1, ROOT, -1):
        if below[c] > best[c]:
            chosen[c], best[c] = False, below[c]
        below[tree.parents[c]] += best[c]
    chosen[ROOT] = allow_single and not below[ROOT] > best[ROOT]
    return _outermost(tree, chosen)


def leaves(tree: Condensed, allow_single: bool) -> np.ndarray:
    """Whether a cluster is chosen, (c,): those that do not split."""
    chosen = np.ones(len(tree.parents), dtype=bool)
    chosen[tree.parents[1:]] = False
    chosen[ROOT] &= allow_single
    return chosen


def widened(tree: Condensed, chosen: np.ndarray, epsilon: float, allow_single: bool) -> np.ndarray:
    """The choice with clusters that split off below the distance `epsilon` undone, (c,).

    Each gives way to the first above it that is born at a larger distance (Malzer and Baum 2020).
    """
    wide = np.zeros_like(chosen)
    for c in np.flatnonzero(chosen):
        while c != ROOT and tree.births[c] * epsilon > 1.0:
            if tree.parents[c] == ROOT and not allow_single:
                break
            c = tree.parents[c]
        wide[c] = True
    return _outermost(tree, wide)


def _outermost(tree: Condensed, chosen: np.ndarray) -> np.ndarray:
    """The choice without clusters inside others that are chosen, shape (c,)."""
    inside = np.zeros_like(chosen)
    for c in range(1, len(chosen)):
        inside[c] = inside[tree.parents[c]] or chosen[tree.parents[c]]
    return chosen & ~inside
