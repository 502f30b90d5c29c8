"""Ours against a peer: interleaved in one process, two threads each, medians of paired ratios."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

TURNS = 7  # pairs of runs after the warm-up; the median of the ratios is quoted
ENOUGH_SECONDS = 20.0  # a pair that takes long is repeated fewer times
LEAST_SECONDS = 0.02  # shorter runs are repeated within a turn, so that the clock does not matter


@dataclass(frozen=True)
class Pair:
    """One comparison. `ours` and `theirs` do the same work; `gap(a, b)` compares what they return:
    ours minus theirs, of an objective or error (negative or zero is as good or better)."""

    name: str
    peer: str
    size: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    gap: Callable[[Any, Any], float]


@dataclass(frozen=True)
class Result:
    """What was measured of a pair."""

    name: str
    peer: str
    size: str
    ratio: float  # time of ours / time of theirs
    objective_gap: float
    memory_ratio: float  # peak of ours / peak of theirs, as tracemalloc counts
    seconds: float  # of ours


def measured(pair: Pair, turns: int = TURNS) -> Result:
    """Time a pair, A B A B ..., and compare what both found."""
    a, b = pair.ours(), pair.theirs()  # warm-up: compilation, caches
    repeats = _repeats(pair)
    ratios, ours = [], []
    began = time.perf_counter()
    for turn in range(turns):
        order = (pair.ours, pair.theirs) if turn % 2 == 0 else (pair.theirs, pair.ours)
        first, second = _timed(order[0], repeats), _timed(order[1], repeats)
        mine, other = (first, second) if turn % 2 == 0 else (second, first)
        ratios.append(mine / other)
        ours.append(mine / repeats)
        if turn >= 2 and time.perf_counter() - began > ENOUGH_SECONDS:
            break
    memory = _peak(pair.ours) / max(_peak(pair.theirs), 1)
    gap = float(pair.gap(a, b))
    return Result(pair.name, pair.peer, pair.size, median(ratios), gap, memory, median(ours))


def _repeats(pair: Pair) -> int:
    shortest = min(_timed(pair.ours, 1), _timed(pair.theirs, 1))
    return max(1, int(LEAST_SECONDS / max(shortest, 1e-6)))


def _timed(work: Callable[[], Any], repeats: int) -> float:
    gc.collect()
    began = time.perf_counter()
    for _ in range(repeats):
        work()
    return time.perf_counter() - began


def _peak(work: Callable[[], Any]) -> int:
    """The most bytes that were held at once beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
