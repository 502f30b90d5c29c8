"""Ours against a peer: in turns, with the same threads, medians of paired ratios.

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
from typing import Any, Protocol

ROUNDS = 7  # after the warm-up
LEAST_ROUNDS = 3
ENOUGH_SECONDS = 6.0  # a pair that takes long has fewer turns
LEAST_SECONDS = 0.02  # shorter work is repeated within a turn, so that the clock does not matter

Key = tuple[str, str, str]  # name, peer and size of a row: no two rows share all three


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
    package: str = ""  # that the peer imports when it is called, and that may be absent


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
    peer_seconds: float  # one run of theirs, or the allowed time


class Side(Protocol):
    """One side of a pair, in this process or in another."""

    def timed(self, repeats: int) -> float:
        """Seconds of so many runs."""
        ...

    def peak(self) -> int:
        """The most bytes held at once in a run, beyond what was there before."""
        ...


@dataclass(frozen=True)
class Here:
    """Work in this process."""

    work: Callable[[], Any]

    def timed(self, repeats: int) -> float:
        """Seconds of so many runs."""
        gc.collect()
        began = time.perf_counter()
        for _ in range(repeats):
            self.work()
        return time.perf_counter() - began

    def peak(self) -> int:
        """The most bytes held at once in a run, beyond what was there before."""
        gc.collect()
        tracemalloc.start()
        try:
            self.work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def measured(pair: Pair, rounds: int = ROUNDS) -> Result:
    """Time a pair in turns A B, B A, A B ... and compare what both found."""
    gap = gap_of(pair)  # and the warm-up: compiling, caches
    return alternated(pair, Here(pair.theirs), gap, rounds)


def gap_of(pair: Pair) -> float:
    """What ours found compared with what theirs found, each having run once."""
    return float(pair.gap(pair.ours(), pair.theirs()))


def alternated(pair: Pair, theirs: Side, gap: float, rounds: int = ROUNDS) -> Result:
    """Time ours and `theirs`, both of which have run before, in turns A B, B A, A B ..."""
    ours = Here(pair.ours)
    repeats = _repeats(ours, theirs)
    pairs_of_seconds: list[tuple[float, float]] = []
    began = time.perf_counter()
    for k in range(rounds):
        mine, other = _round(ours, theirs, repeats, ours_first=k % 2 == 0)
        pairs_of_seconds.append((mine / repeats, other / repeats))
        if len(pairs_of_seconds) >= LEAST_ROUNDS and time.perf_counter() - began > ENOUGH_SECONDS:
            break
    return Result(
        pair.name,
        pair.peer,
        pair.size,
        ratio=median(a / b for a, b in pairs_of_seconds),
        objective_gap=gap,
        memory_ratio=ours.peak() / max(theirs.peak(), 1),
        seconds=median(a for a, _ in pairs_of_seconds),
        peer_seconds=median(b for _, b in pairs_of_seconds),
    )


def measured_alone(work: Alone, rounds: int = LEAST_ROUNDS) -> Result:
    """The median of a few turns after a warm-up, over the allowed time.

    The time is the processor's, all threads together: with no peer to share the turn, what else
    the machine does must not count.
    """
    work.ours()
    seconds = median(_processor_time(work.ours) for _ in range(rounds))
    ratio = seconds / work.allowed
    return Result(work.name, work.peer, work.size, ratio, None, None, seconds, work.allowed)


def _repeats(ours: Side, theirs: Side) -> int:
    shortest = min(ours.timed(1), theirs.timed(1))
    return max(1, int(LEAST_SECONDS / max(shortest, 1e-6)))


def _round(ours: Side, theirs: Side, repeats: int, *, ours_first: bool) -> tuple[float, float]:
    """Seconds of ours and of theirs, in either order: the second may find warmer caches."""
    if ours_first:
        return ours.timed(repeats), theirs.timed(repeats)
    other = theirs.timed(repeats)
    return ours.timed(repeats), other


def _processor_time(work: Callable[[], Any]) -> float:
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began
