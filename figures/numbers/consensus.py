"""Consensus of the resamples of a count: how often two rows fall into one cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from figures.options import Offered
from mlcore.evaluation.consensus import ambiguous_pairs, consensus_blocks, item_consensus
from mlcore.runs.counting.counted import LEVELS, Counted
from mlcore.runs.counting.parts import RESAMPLE
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count

LOW, HIGH = 0.1, 0.9  # of a consensus: between them two rows are neither together nor apart


class ConsensusMap(NamedTuple):
    """Rows in the order of their consensus tree, the rows of a cluster together."""

    matrix: np.ndarray  # (r, r) NaN where no resample has both
    rows: np.ndarray  # (r,) positions among the fitted rows
    groups: np.ndarray  # (r,) consensus cluster, rising
    own: np.ndarray  # (r,) mean consensus with the other rows of its cluster
    next: np.ndarray  # (r,) with the rows of the cluster that comes next; NaN where there is one
    within: np.ndarray  # (g,) mean of `own` in each cluster
    k: int  # clusters that were asked for
    ambiguous: float  # share of the pairs between LOW and HIGH


class ConsensusCurves(NamedTuple):
    """The distribution of the consensus for each number of clusters, and what each adds."""

    ks: tuple[int, ...]  # those with a consensus
    levels: np.ndarray  # (c,) within 0 and 1
    below: np.ndarray  # (K, c) share of pairs of at most that consensus
    gains: np.ndarray  # (K,) delta area
    ambiguous: np.ndarray  # (K,) share of the pairs between LOW and HIGH
    here: int | None  # the number of clusters now


def known(counted: Counted) -> tuple[int, ...]:
    """The numbers of clusters that have a consensus."""
    return tuple(k for k, a in zip(counted.numbers, counted.areas, strict=True) if np.isfinite(a))


def choices(offered: Offered) -> dict[int | None, str]:
    """The numbers of clusters whose consensus can be looked at."""
    there: Counted | None = offered.get("counted")
    ks = known(there) if there is not None else ()
    return {None: "as now"} | {k: count(k, "cluster") for k in ks}


def drawn_from(counted: Counted) -> str:
    """Of how many draws and rows it is."""
    draws = count(len(counted.of(RESAMPLE)), RESAMPLE)
    return f"{draws}, {count(len(counted.consensus_rows), 'row')}"


def consensus_map(counted: Counted, here: int | None, asked: int | None) -> ConsensusMap:
    """The consensus of as many clusters as asked for, as there are now, or the surest.

    Raises DataError where no two resamples were grouped.
    """
    ks = _known(counted)
    k = next((k for k in (asked, here) if k in ks), None) or _surest(counted, ks)
    matrix = counted.consensus(k)
    blocks = consensus_blocks(matrix, k)
    order = blocks.order
    groups, items = blocks.groups[order], item_consensus(matrix, blocks.groups)[order]
    at = np.arange(len(order))
    own = items[at, groups]
    others = items.copy()
    others[at, groups] = -np.inf
    others = np.where(np.isfinite(others), others, -np.inf).max(axis=1)
    within = [_mean(own[groups == g]) for g in range(groups.max() + 1)]
    return ConsensusMap(
        matrix[np.ix_(order, order)],
        counted.consensus_rows[order],
        groups,
        own,
        np.where(np.isfinite(others), others, np.nan),
        np.array(within),
        k,
        ambiguous_pairs(matrix, LOW, HIGH),
    )


def consensus_curves(counted: Counted, here: int | None) -> ConsensusCurves:
    """Every number of clusters that has a consensus."""
    ks = _known(counted)
    at = [counted.numbers.index(k) for k in ks]
    below = counted.distributions[at]
    low, high = (int(np.abs(LEVELS - value).argmin()) for value in (LOW, HIGH))
    return ConsensusCurves(
        ks, LEVELS, below, counted.gains[at], below[:, high] - below[:, low], here
    )


def _known(counted: Counted) -> tuple[int, ...]:
    if ks := known(counted):
        return ks
    raise DataError(
        "The consensus is that of two resamples or more, grouped into the same number of clusters; "
        "there are not two. Raise the resamples."
    )


def _surest(counted: Counted, ks: tuple[int, ...]) -> int:
    """The number of clusters with the fewest pairs that are neither together nor apart."""
    return ks[int(np.argmin(consensus_curves(counted, None).ambiguous))]


def _mean(values: np.ndarray) -> float:
    """Of those that are defined; a cluster of one row has no pair."""
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else float("nan")
