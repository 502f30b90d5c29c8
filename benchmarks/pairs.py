"""Ours against a peer: in turns, with the same threads, medians of paired ratios.

What no peer does stands against the seconds that it may take.

What else the machine does meanwhile strikes both sides of a turn alike, so ratios are steadier
than times. No run is for nothing: what finds out how often short work is repeated is a turn if it
is not, and so is a warm-up that had nothing to warm. Memory is the peak that tracemalloc sees:
Python objects and numpy arrays of either side, but not what a compiled library takes for itself.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from statistics import median
from typing import Any, Protocol

ROUNDS = 7
LEAST_ROUNDS = 3
ENOUGH_SECONDS = 4.0  # a pair that takes long has fewer turns
LONG_SECONDS = 10.0  # two turns are enough if they took that long and agree
AGREEING = 0.1  # so much, relative, two turns may differ that agree
LEAST_SECONDS = 0.05  # shorter work is repeated within a turn: clocks and sleeping processors
# do not matter then; the first of two runs on two threads wakes the second processor

Key = tuple[str, str, str]  # name, peer and size of a row: no two rows share all three
Trial = tuple[float, float]  # seconds of one run of ours and of one of theirs


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
    took: float = 0.0  # seconds that it took to measure all of this


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
    gap, first = warm_up(pair)  # compiling, caches
    return alternated(pair, Here(pair.theirs), gap, rounds, first)


def warm_up(pair: Pair) -> tuple[float, Trial]:
    """What ours found compared with what theirs found, each having run once, and their seconds."""
    began = time.perf_counter()
    mine = pair.ours()
    between = time.perf_counter()
    other = pair.theirs()
    ended = time.perf_counter()
    return float(pair.gap(mine, other)), (between - began, ended - between)


def alternated(
    pair: Pair, theirs: Side, gap: float, rounds: int = ROUNDS, before: Trial | None = None
) -> Result:
    """Time ours and `theirs`, both of which have run `before`, in turns A B, B A, A B ..."""
    ours = Here(pair.ours)
    measured_trials = trials(ours, theirs, rounds, before)
    return Result(
        pair.name,
        pair.peer,
        pair.size,
        ratio=median(a / b for a, b in measured_trials),
        objective_gap=gap,
        memory_ratio=ours.peak() / max(theirs.peak(), 1),
        seconds=median(a for a, _ in measured_trials),
        peer_seconds=median(b for _, b in measured_trials),
    )


def trials(ours: Side, theirs: Side, rounds: int, before: Trial | None) -> list[Trial]:
    """What so many turns took, or fewer of long work; `before` is that of the warm-up."""
    first = _trial(ours, theirs, 1, ours_first=False)
    repeats = max(1, int(LEAST_SECONDS / max(min(first), 1e-6)))
    taken = [first] if repeats == 1 else []
    if taken and before and all(map(_agree, before, first)):
        taken = [before, first]
    for k in count():
        if _are_enough(taken, repeats, rounds):
            break
        taken.append(_trial(ours, theirs, repeats, ours_first=k % 2 == 0))
    return taken


def _agree(a: float, b: float) -> bool:
    return abs(a - b) <= AGREEING * b


def _are_enough(taken: list[Trial], repeats: int, rounds: int) -> bool:
    spent = repeats * sum(map(sum, taken))
    if len(taken) < min(LEAST_ROUNDS, rounds):
        ratios = [a / b for a, b in taken]
        return len(taken) == 2 and spent > LONG_SECONDS and _agree(*ratios)
    return len(taken) >= rounds or spent > ENOUGH_SECONDS


def measured_alone(work: Alone, rounds: int = LEAST_ROUNDS) -> Result:
    """The median of a few turns after a warm-up, over the allowed time.

    The time is the processor's, all threads together: with no peer to share the turn, what else
    the machine does must not count.
    """
    work.ours()
    seconds = median(_processor_time(work.ours) for _ in range(rounds))
    ratio = seconds / work.allowed
    return Result(work.name, work.peer, work.size, ratio, None, None, seconds, work.allowed)


def _trial(ours: Side, theirs: Side, repeats: int, *, ours_first: bool) -> Trial:
    """Seconds of a run of each, in either order: the second may find warmer caches."""
    if ours_first:
        mine, other = ours.timed(repeats), theirs.timed(repeats)
    else:
        other, mine = theirs.timed(repeats), ours.timed(repeats)
    return mine / repeats, other / repeats


def _processor_time(work: Callable[[], Any]) -> float:
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began
