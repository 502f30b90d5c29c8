"""Ours against a peer: interleaved in one process, the same threads, medians of paired ratios.

What no peer does stands against the seconds that it may take.

What else the machine does meanwhile strikes both sides of a turn alike, so ratios are steadier
than times. Memory is the peak that tracemalloc sees: Python objects and numpy arrays of either
side, but not what a compiled library takes for itself.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

ROUNDS = 7  # after the warm-up
LEAST_ROUNDS = 3
ENOUGH_SECONDS = 20.0  # a pair that takes long has fewer turns
LEAST_SECONDS = 0.02  # shorter work is repeated within a turn, so that the clock does not matter


@dataclass(frozen=True)
class Pair:
    """One comparison: `ours` and `theirs` do the same work with the same data.

    `gap(a, b)` compares what they return: our objective or error less theirs.
    """

    name: str
    peer: str
    size: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    gap: Callable[[Any, Any], float]


@dataclass(frozen=True)
class Alone:
    """Work that no peer does, and the seconds of a processor that it may take."""

    name: str
    size: str
    ours: Callable[[], Any]
    allowed: float

    @property
    def peer(self) -> str:
        """What it is compared with."""
        return f"at most {self.allowed:g} s"


@dataclass(frozen=True)
class Result:
    """What was measured of a pair, or of work alone: then without a gap and a peer's memory."""

    name: str
    peer: str
    size: str
    ratio: float  # time of ours / time of theirs, or the allowed one
    objective_gap: float | None
    memory_ratio: float | None  # peak of ours / peak of theirs
    seconds: float  # one run of ours


def measured(pair: Pair, rounds: int = ROUNDS) -> Result:
    """Time a pair in turns A B, B A, A B ... and compare what both found."""
    results = pair.ours(), pair.theirs()  # the warm-up: compiling, caches
    repeats = _repeats(pair)
    ours, ratios = [], []
    began = time.perf_counter()
    for k in range(rounds):
        mine, other = _round(pair, repeats, ours_first=k % 2 == 0)
        ours.append(mine / repeats)
        ratios.append(mine / other)
        if len(ratios) >= LEAST_ROUNDS and time.perf_counter() - began > ENOUGH_SECONDS:
            break
    return Result(
        pair.name,
        pair.peer,
        pair.size,
        ratio=median(ratios),
        objective_gap=float(pair.gap(*results)),
        memory_ratio=_peak(pair.ours) / max(_peak(pair.theirs), 1),
        seconds=median(ours),
    )


def measured_alone(work: Alone, rounds: int = LEAST_ROUNDS) -> Result:
    """The median of a few turns after a warm-up, over the allowed time.

    The time is the processor's, all threads together: with no peer to share the turn, what else
    the machine does must not count.
    """
    work.ours()
    seconds = median(_processor_time(work.ours) for _ in range(rounds))
    return Result(work.name, work.peer, work.size, seconds / work.allowed, None, None, seconds)


def _repeats(pair: Pair) -> int:
    shortest = min(_timed(pair.ours, 1), _timed(pair.theirs, 1))
    return max(1, int(LEAST_SECONDS / max(shortest, 1e-6)))


def _round(pair: Pair, repeats: int, *, ours_first: bool) -> tuple[float, float]:
    """Seconds of ours and of theirs, in either order: the second may find warmer caches."""
    if ours_first:
        return _timed(pair.ours, repeats), _timed(pair.theirs, repeats)
    theirs = _timed(pair.theirs, repeats)
    return _timed(pair.ours, repeats), theirs


def _timed(work: Callable[[], Any], repeats: int) -> float:
    gc.collect()
    began = time.perf_counter()
    for _ in range(repeats):
        work()
    return time.perf_counter() - began


def _processor_time(work: Callable[[], Any]) -> float:
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began


def _peak(work: Callable[[], Any]) -> int:
    """The most bytes held at once beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
