"""Alternating iterations from several starts: the best run is found, then played step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from mlcore.maths.arrays import distinct_rows
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.pool import side_by_side


class Half(NamedTuple):
    """What half an iteration did."""

    phase: str
    note: str
    stop: Stop | None = None


class AlternatingRun(Protocol):
    """One run from one start, each iteration in two halves."""

    def halves(self) -> Iterator[Half]: ...
    def last(self) -> tuple[int, Half]:
        """The number of the last half, and what it did: `ended` of them, or the same by less."""
        ...

    def step(self, k: int, half: Half, ends: np.ndarray) -> Step:
        """Half k as a step; `ends` holds the final objectives of all runs, shape (n_runs,)."""
        ...


class Problem(Protocol):
    """What all runs share, and how the end of one is compared with that of another."""

    @property
    def n_runs(self) -> int: ...
    def run(self, number: int) -> AlternatingRun: ...
    def merit(self, end: Step) -> Any: ...


@dataclass(frozen=True, kw_only=True)
class RestartedMethod(IterativeMethod):
    """A method whose fit is the end of the best of several runs."""

    def _problem(self, given: Given) -> Problem:
        # Each method has an objective of its own; starting anew is shared.
        raise NotImplementedError(f"{type(self).__name__} declares no problem")

    def _steps(self, given: Given) -> Iterator[Step]:
        return _played(self._problem(given))

    def _end(self, given: Given) -> Step:
        # The end of the best run is the last step of playing it; it need not be run again.
        return best_run(self._problem(given))[1]


def best_run(problem: Problem) -> tuple[int, Step]:
    """The number and the last step of the run of most merit, on ties the first.

    The state of the step holds the final objectives of all runs, shape (n_runs,).
    """
    ends, best, best_number = np.empty(problem.n_runs), None, 0
    steps = side_by_side(lambda number: _end(problem, number, ends), range(problem.n_runs))
    for number, step in enumerate(steps):
        ends[number] = step.objective
        if best is None or problem.merit(step) > problem.merit(best):
            best, best_number = step, number
    assert best is not None  # there is at least one run
    return best_number, best


def final_objectives(end: Step) -> np.ndarray:
    """The objective at the end of every run, shape (n_runs,), from the last step of the best."""
    ends = end.state.restarts
    return ends if len(ends) else np.array([end.objective])


def _played(problem: Problem) -> Iterator[Step]:
    """The best run once more, half an iteration a step."""
    best, ends = 0, np.empty(0)
    if problem.n_runs > 1:
        best, end = best_run(problem)
        ends = end.state.restarts
    run = problem.run(best)
    for k, half in enumerate(run.halves()):
        yield run.step(k, half, ends)


def _end(problem: Problem, number: int, ends: np.ndarray) -> Step:
    """The last step of a run."""
    run = problem.run(number)
    k, half = run.last()
    return run.step(k, half, ends)


def ended(halves: Iterator[Half]) -> tuple[int, Half]:
    """The number of the last half, and what it did."""
    return deque(enumerate(halves), maxlen=1)[0]


def too_few(k: int, n: int, what: str = "clusters") -> str:
    """The sentence for n rows that cannot give k clusters."""
    rows = "there is 1" if n == 1 else f"there are {n}"
    return f"{k} {what} need at least {k} rows; {rows}. Lower the number of {what}."


def parts_of_equal_rows(X: np.ndarray, asked: int) -> str:
    """The sentence for rows X, (n, p), cut into more clusters than there are rows that differ."""
    k = len(distinct_rows(X, asked))
    differ = f"Only {k} rows differ" if k > 1 else "All rows are equal"
    return f"{differ}, so some of {asked} clusters hold equal rows." if k < asked else ""


def fewer_than_asked(k: int, asked: int, what: str) -> str:
    """The sentence for k groups made where more were asked for, with a blank before; else ""."""
    if k == 1 < asked:
        return f" All rows are equal, so there is one {what}."
    return f" Only {k} rows differ, so there are {k} {what}s." if k < asked else ""
