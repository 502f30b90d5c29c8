"""Consensus clustering: how often rows are together in groups of several draws of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.records import function


class Blocks(NamedTuple):
    """Rows in an order in which those that are mostly together lie side by side."""

    order: np.ndarray  # (r,) positions in the consensus matrix
    groups: np.ndarray  # (r,) consensus group of each position, 0 for the first in the order


@function(
    "consensus_matrix",
    title="Consensus matrix",
    synonyms=("consensus clustering", "Monti", "co-association matrix", "evidence accumulation"),
)
def consensus_matrix(draws: Sequence[tuple[Any, Any]], rows: Any) -> np.ndarray:
    """Share of the draws with both of two rows in which they are in one group (Monti et al. 2003).

    `draws` are pairs of positions, sorted, and groups of the rows at these, each of shape (m,);
    `rows` are the positions asked for, shape (r,). Shape (r, r); NaN where no draw has both rows.
    A row of noise, -1, is together with itself only.
    """
    rows = np.asarray(rows)
    drawn = np.zeros((len(rows), len(draws)))
    members = [np.zeros((len(rows), 0))]  # a column a group of a draw
    for d, (at, labels) in enumerate(draws):
        _, mine, theirs = np.intersect1d(rows, at, assume_unique=True, return_indices=True)
        drawn[mine, d] = 1.0
        some = np.asarray(labels)[theirs]
        inside = np.zeros((len(rows), len(groups := np.unique(some[some >= 0]))))
        inside[mine] = some[:, None] == groups
        members.append(inside)
    both, columns = drawn @ drawn.T, np.hstack(members)
    together = columns @ columns.T
    np.fill_diagonal(together, np.diag(both))
    return np.divide(together, both, out=np.full(both.shape, np.nan), where=both > 0)


@function(
    "consensus_area",
    title="Area under the distribution of the consensus",
    synonyms=("consensus clustering", "delta area", "Monti"),
)
def consensus_area(consensus: Any) -> float:
    """Area under the cumulative distribution of a consensus matrix over its pairs, within 0 and 1.

    A = integral over [0, 1] of the share of pairs with a consensus of at most c (Monti et al.
    2003); it is one less the mean of the consensus. It grows with the number of groups, and what it
    gains falls off where further groups divide none that are there. NaN without a defined pair.
    """
    pairs = _pairs(consensus)
    return float(1 - pairs.mean()) if len(pairs) else float("nan")


@function(
    "consensus_distribution",
    title="Distribution of the consensus",
    synonyms=("consensus CDF", "Monti", "consensus clustering"),
)
def consensus_distribution(consensus: Any, at: Any) -> np.ndarray:
    """Share of the pairs with a consensus of at most each value of `at`, shape (c,).

    It is flat between 0 and 1 where every pair is always together or never: then the groups come
    again in every draw. NaN without a defined pair.
    """
    pairs, at = np.sort(_pairs(consensus)), np.asarray(at, dtype=np.float64)
    if not len(pairs):
        return np.full(at.shape, np.nan)
    return np.searchsorted(pairs, at, side="right") / len(pairs)


@function(
    "ambiguous_pairs",
    title="Proportion of ambiguous clustering",
    synonyms=("PAC", "Senbabaoglu", "consensus clustering"),
)
def ambiguous_pairs(consensus: Any, low: float = 0.1, high: float = 0.9) -> float:
    """Share of the pairs with a consensus above `low` and at most `high`: neither yes nor no.

    Senbabaoglu, Michailidis and Li (2014). The lower, the surer are the groups. NaN without a
    defined pair.
    """
    below, above = consensus_distribution(consensus, [low, high])
    return float(above - below)


@function("consensus_gains", title="Delta area", synonyms=("delta K", "Monti", "relative change"))
def consensus_gains(areas: Any) -> np.ndarray:
    """What each number of groups adds to the area below the distribution, as a share of it, (K,).

    Delta(2) = A(2), beyond it (A(k) - A(k - 1)) / A(k - 1) (Monti et al. 2003), from the areas
    A(1) ... A(K), shape (K,), of which the first says nothing. NaN where an area is not known.
    """
    areas = np.asarray(areas, dtype=np.float64)
    gains = np.full(len(areas), np.nan)
    gains[1:2] = areas[1:2]
    before, after = areas[1:-1], areas[2:]
    np.divide(after - before, before, out=gains[2:], where=before > 0)
    return gains


@function(
    "consensus_blocks",
    title="Consensus clusters",
    synonyms=("ordered consensus matrix", "consensus clustering", "Monti", "seriation"),
)
def consensus_blocks(consensus: Any, k: int) -> Blocks:
    """Rows of a consensus matrix, shape (r, r), in the order of a tree, cut into k groups.

    The tree joins by average linkage at the distance 1 less the consensus (Monti et al. 2003). A
    pair that no draw has both of counts as the mean of all. Groups are numbered along the order;
    there are fewer than k where rows cannot be told apart.
    """
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage  # takes a moment to import

    consensus = np.asarray(consensus, dtype=np.float64)
    if len(consensus) < 2:
        return Blocks(np.arange(len(consensus)), np.zeros(len(consensus), dtype=np.int64))
    defined = _pairs(consensus)
    middle = defined.mean() if len(defined) else 0.5
    apart = 1.0 - np.nan_to_num(consensus[np.triu_indices(len(consensus), 1)], nan=middle)
    tree = linkage(apart, "average")
    order, cut = leaves_list(tree), fcluster(tree, k, "maxclust")
    named = {int(group): g for g, group in enumerate(dict.fromkeys(cut[order].tolist()))}
    return Blocks(order.astype(np.int64), np.array([named[int(group)] for group in cut]))


@function(
    "item_consensus",
    title="Item and cluster consensus",
    synonyms=("consensus clustering", "Monti", "cluster consensus"),
)
def item_consensus(consensus: Any, groups: Any) -> np.ndarray:
    """Mean consensus of each row with the rows of each group, itself left out, shape (r, K).

    `consensus` has shape (r, r), `groups`, (r,), numbers 0 .. K - 1. The mean of the entries of a
    group's rows with their own group is the consensus of the group. NaN for a group without
    another row, and where no draw has both of two rows for any of them.
    """
    consensus, groups = np.array(consensus, dtype=np.float64), np.asarray(groups)
    np.fill_diagonal(consensus, np.nan)
    member = groups[:, None] == np.arange(groups.max() + 1)
    known = np.isfinite(consensus).astype(np.float64)
    total, number = np.nan_to_num(consensus) @ member, known @ member
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def _pairs(consensus: Any) -> np.ndarray:
    """The defined entries above the diagonal."""
    consensus = np.asarray(consensus, dtype=np.float64)
    pairs = consensus[np.triu_indices(len(consensus), 1)]
    return pairs[np.isfinite(pairs)]
