"""Distances of sequences by the cheapest way to turn one into the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlcore import checks
from mlcore.errors import ParamError
from mlcore.listing import function

Costs = Callable[[int], np.ndarray]


@function("edit_distance", sources=("mi2:distance_edit",), also=("EditDistance",))
def edit_distance(
    a: str, b: str, insert: float = 1.0, delete: float = 1.0, exchange: float = 1.0
) -> float:
    """The least total cost of inserting, deleting and exchanging letters that turns a into b.

    With equal costs for inserting and deleting it is a distance. O(len(a) len(b)).
    """
    if not all(0 < cost < np.inf for cost in (insert, delete, exchange)):
        raise ParamError(
            "An edit distance needs finite costs above 0 for inserting, deleting and exchanging; "
            f"got {insert}, {delete} and {exchange}."
        )
    letters = np.array(list(b), dtype=str)
    return _cheapest(
        len(a), len(b), lambda i: np.where(letters == a[i], 0.0, exchange), insert, delete
    )


@function(
    "spike_train_distance",
    sources=("mi2:distance_spike_train",),
    also=("SpikeTrainDistance",),
)
def spike_train_distance(a: Any, b: Any, q: float = 1.0) -> float:
    """The least cost of turning the times a into b: 1 for a new or a lost one, q |dt| for a move.

    With q = 0 only the numbers of events count, with a large q only coincidences: it pays to move
    an event by less than 2 / q (Victor and Purpura 1996, J. Neurophysiology 76).
    """
    if not 0 <= q < np.inf:
        raise ParamError(f"The cost of moving an event by one unit of time is at least 0; got {q}.")
    one, other = _times(a), _times(b)
    return _cheapest(len(one), len(other), lambda i: q * np.abs(other - one[i]), 1.0, 1.0)


def _times(values: Any) -> np.ndarray:
    """Times in order; a train may have no event."""
    times = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if len(times):
        checks.matrix(times.reshape(-1, 1), "A distance of spike trains")
    return times


def _cheapest(n: int, m: int, change: Costs, insert: float, delete: float) -> float:
    """Cost of the cheapest path; `change(i)` has the cost of making i each of the m others."""
    inserted = insert * np.arange(m + 1)
    costs = inserted.copy()
    for i in range(n):
        reached = costs + delete
        np.minimum(reached[1:], costs[:-1] + change(i), out=reached[1:])
        # Inserting k in a row costs k times as much, so the best start is a running minimum.
        costs = np.minimum.accumulate(reached - inserted) + inserted
    return float(costs[-1])
