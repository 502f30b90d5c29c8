"""Distances of sequences: the least total cost of the edits that make one into the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlcore.distances.aligning._kernels import WORD, cheapest, fewest
from mlcore.maths.arrays import read_only
from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function


@function("edit_distance", sources=("mi2:distance_edit",), also=("EditDistance",))
def edit_distance(
    a: str, b: str, insert: float = 1.0, delete: float = 1.0, exchange: float = 1.0
) -> float:
    """The least total cost of inserting, deleting and exchanging letters that turns a into b.

    With equal costs for inserting and deleting it is a distance. O(len(a) len(b)).
    """
    return float(edit_distances([a], [b], insert, delete, exchange)[0, 0])


@function("edit_distances", sources=("mi2:distance_edit",))
def edit_distances(
    texts: Sequence[str],
    others: Sequence[str] | None = None,
    insert: float = 1.0,
    delete: float = 1.0,
    exchange: float = 1.0,
) -> np.ndarray:
    """The edit distance of each of n texts to each of m others, or of each other: shape (n, m).

    Without others and with equal costs for inserting and deleting each pair is compared once; where
    all three cost the same, 64 letters at a time. Levenshtein (1966), Soviet Physics Doklady 10;
    Myers (1999), Journal of the ACM 46. Raises ParamError if a cost is not positive.
    """
    if not all(0 < cost < np.inf for cost in (insert, delete, exchange)):
        raise ParamError(
            "An edit distance needs finite costs above 0 for inserting, deleting and exchanging; "
            f"got {insert}, {delete} and {exchange}."
        )
    # Letters are equal or they are not: one step of their numbers costs as much as any.
    one, other = _coded(texts), None if others is None else _coded(others)
    if insert == delete == exchange:
        return exchange * _fewest(one, other)
    return _cheapest(one, other, exchange, exchange, insert, delete)


def _coded(texts: Sequence[str]) -> list[np.ndarray]:
    """The number of each letter, shape (len(text),)."""
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(f"An edit distance compares texts; number {row + 1} is {text!r}.")
    return [np.array([ord(letter) for letter in text], dtype=np.float64) for text in texts]


@function(
    "spike_train_distance",
    sources=("mi2:distance_spike_train",),
    also=("SpikeTrainDistance",),
)
def spike_train_distance(a: Any, b: Any, q: float = 1.0) -> float:
    """The least cost of turning the times a into b: 1 for a new or a lost one, q |dt| for a move.

    With q = 0 only the numbers of events count, with a large q only coincidences: it pays to move
    an event by less than 2 / q (Victor and Purpura 1996, J. Neurophysiology 76). Raises ParamError
    if q is negative or infinite.
    """
    if not 0 <= q < np.inf:
        raise ParamError(f"The cost of moving an event by one unit of time is at least 0; got {q}.")
    one, other = _times(a), _times(b)
    return float(_cheapest([one], [other], q, np.inf, 1.0, 1.0)[0, 0])


def _times(values: Any) -> np.ndarray:
    """Times in order; a train may have no event."""
    times = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if len(times):
        checks.matrix(times.reshape(-1, 1), "A distance of spike trains")
    return times


def _cheapest(
    texts: list[np.ndarray],
    others: list[np.ndarray] | None,
    slope: float,
    most: float,
    insert: float,
    delete: float,
) -> np.ndarray:
    """Cost of the cheapest way from each of n sequences to each of m others, shape (n, m).

    Making a into b costs `slope` |a - b|, at most `most`.
    """
    longest = max(map(len, texts if others is None else others), default=0)
    costs, room = (float(slope), float(most), float(insert), float(delete)), np.empty(longest + 1)

    def fill(one: np.ndarray, values: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
        cheapest(one, values, starts, *costs, room, out)

    return _each(texts, others, insert == delete, fill)


def _fewest(texts: list[np.ndarray], others: list[np.ndarray] | None) -> np.ndarray:
    """How many edits make each of n sequences each of m others, shape (n, m)."""
    letters = np.unique(np.concatenate([np.zeros(0), *texts, *(others or [])]))
    words = -(-max(map(len, texts), default=0) // WORD)
    places = np.zeros((len(letters), words), dtype=np.uint64)
    room = np.empty((2, words), dtype=np.uint64)

    def fill(one: np.ndarray, values: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
        fewest(one, values, starts, places, room, out)

    def codes(these: list[np.ndarray]) -> list[np.ndarray]:
        return [np.searchsorted(letters, one) for one in these]

    return _each(codes(texts), None if others is None else codes(others), True, fill)


def _each(
    texts: list[np.ndarray],
    others: list[np.ndarray] | None,
    is_same_back: bool,
    fill: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], None],
) -> np.ndarray:
    """What `fill` says of each of n sequences and each of m others, shape (n, m).

    It is given one, the others in a row and where each of them starts. Without others there and
    back are the same way: if both directions cost the same, one half is that of the other.
    """
    to = texts if others is None else others
    is_twice = others is None and is_same_back
    lengths = np.array([len(one) for one in to], dtype=np.int64)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    kind = texts[0].dtype if texts else np.dtype(np.float64)
    values = read_only(np.concatenate([np.zeros(0, kind), *to]))
    total = np.zeros((len(texts), len(to)))
    for k, one in enumerate(texts):
        first = k + 1 if is_twice else 0
        fill(read_only(one), values, read_only(starts[first:]), total[k, first:])
    return total + total.T if is_twice else total
