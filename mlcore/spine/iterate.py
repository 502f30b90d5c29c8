"""Iterative algorithms as iterators of steps: running, recording and stopping live here, once."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from mlcore.spine.wording import count

KEEP_STEPS = 200  # about ten seconds at twenty frames a second
KEEP_BYTES = 32 * 2**20

R = TypeVar("R")


@dataclass(frozen=True)
class Stop:
    """Why an iteration ended: `kind` for programs, `why` the sentence for people."""

    kind: str  # converged, limit, diverged, collapsed or cycle
    why: str

    KINDS = ("converged", "limit", "diverged", "collapsed", "cycle")

    def __post_init__(self) -> None:
        if self.kind not in self.KINDS:
            raise ValueError(f"Stop has no kind {self.kind!r}")


@dataclass(frozen=True)
class Step:
    """One iteration. `state` is valid until the next step is asked for: copy what you keep."""

    k: int
    objective: float  # NaN where there is none yet
    state: Any
    stop: Stop | None = None
    note: str = ""  # one sentence: what changed in this step
    held_out: float | None = None  # the objective on training rows that only judge, if there are
    is_start: bool = False  # whether it shows where the iterations begin, before the first of them


def numbers_of(steps: Sequence[Step]) -> np.ndarray:
    """Numbers of recorded steps for people, shape (s,): from 1, or from 0 if that is the start."""
    first = 0 if steps and steps[0].is_start else 1
    return np.array([step.k + first for step in steps], dtype=np.int64)


def verdict(k: int, change: float, *, tol: float, max_iter: int, what: str) -> Stop | None:
    """Whether iteration `k` (from 0), whose progress was `change`, is the last, and why."""
    if not np.isfinite(change):
        return Stop("diverged", f"Stopped: {what} is no longer a finite number.")
    if change <= tol:
        return Stop("converged", f"Converged: {what} is {change:.3g}, not above {tol:.3g}.")
    if k + 1 >= max_iter:
        return Stop(
            "limit",
            f"Not converged after {count(max_iter, 'iteration')}: {what} is still {change:.3g}.",
        )
    return None


def last(steps: Iterator[Step]) -> Step:
    """Run to the end and return the final step; nothing in between is kept."""
    step = next(steps)
    for later in steps:
        step = later
    return step


def returned(work: Generator[Any, Any, R]) -> R:
    """Run a generator to its end, dropping what it yields, and give what it returns."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def record(
    steps: Iterator[Step], *, keep: int = KEEP_STEPS, most_bytes: int = KEEP_BYTES
) -> list[Step]:
    """Run to the end, keeping at most `keep` evenly spaced steps, the first and the last too."""
    recorded: list[Step] = []
    stride = 1
    for step in steps:
        if step.k % stride and not step.stop:
            continue
        recorded.append(replace(step, state=copied(step.state)))
        while len(recorded) > 2 and (
            len(recorded) > keep or len(recorded) * _size(step.state) > most_bytes
        ):
            stride *= 2
            recorded = [s for s in recorded if s.k % stride == 0 or s.stop]
            if stride > step.k + 1:
                break
    return recorded


def copied(state: Any) -> Any:
    """A state whose arrays nobody else writes to."""
    if isinstance(state, np.ndarray):
        return state.copy()
    if not is_dataclass(state) or isinstance(state, type):
        return state
    return replace(state, **{f.name: copied(getattr(state, f.name)) for f in fields(state)})


def _size(state: Any) -> int:
    if isinstance(state, np.ndarray):
        return state.nbytes
    if not is_dataclass(state):
        return 0
    return sum(_size(getattr(state, f.name)) for f in fields(state))
