"""How long runs take on this machine beside what their cards say: a range, learned as they end.

Cards know the work, not the processor, the compiler's first turn or who else is at work. What is
learned is the ratio of the time that runs took to what was expected: of all runs, and of those of
one method. Both begin with what is known of cards: right but for a factor.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

LEAST = 0.5  # seconds expected: what is quicker is mostly the way to a worker and back
KEPT = 50  # runs of one method that are remembered, and of all of them
# Standard deviation of the logarithm of a ratio before any run. It is never more: runs that lie far
# apart, such as one that compiled, would make a range that says nothing.
DOUBT = math.log(2.5)
SUREST = math.log(1.25)  # no run is foretold better than this
Z = 1.2816  # four of five runs lie within so many standard deviations


class Range(NamedTuple):
    """Seconds that a run will likely take: four of five lie between."""

    low: float
    high: float


class Pace:
    """What the runs of this process took. Safe to use from any thread."""

    def __init__(self) -> None:
        self._every: deque[float] = deque(maxlen=KEPT)
        self._of: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def learn(self, what: str, expected: float, took: float) -> None:
        """A run of `what`, such as a method, took so many seconds where others were expected."""
        if expected < LEAST or took <= 0:
            return
        ratio = math.log(took / expected)
        with self._lock:
            self._every.append(ratio)
            self._of.setdefault(what, deque(maxlen=KEPT)).append(ratio)

    def range(self, what: str, expected: float) -> Range:
        """What a run will take of which a card says `expected` seconds."""
        with self._lock:
            machine, doubt = _updated(0.0, DOUBT, self._every)
            # A method is one of those on this machine, until it has shown itself.
            center, doubt = _updated(machine, max(doubt, DOUBT / 2), self._of.get(what, ()))
        reach = Z * min(max(doubt, SUREST), DOUBT)
        return Range(expected * math.exp(center - reach), expected * math.exp(center + reach))


def _updated(center: float, doubt: float, ratios: Iterable[float]) -> tuple[float, float]:
    """Mean and standard deviation of logarithms of ratios: what was thought counts as one more."""
    known = list(ratios)
    n = len(known) + 1
    mean = (center + sum(known)) / n
    squares = doubt**2 + (center - mean) ** 2 + sum((ratio - mean) ** 2 for ratio in known)
    return mean, math.sqrt(squares / n)


@cache
def pace() -> Pace:
    """That of this server process."""
    return Pace()
