"""Carrying out a trial: every method on the same problem, over replicates that share their chance.

Replicate r of every method meets the same world: the same rewards of an arm, the same numbers
that decide where a move leads. Each method draws its own chance from a stream that is named by its
settings, so adding a method changes no other curve.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil
from typing import Any

import numpy as np

from mlcore.data.table import Table
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.spread import spread
from mlcore.runs.labels import told_apart
from mlcore.runs.places import HERE, Place
from mlcore.runs.run import Trial
from mlcore.runs.stamp import versions
from mlcore.spine.asking import Asked, can
from mlcore.spine.capabilities import Iterates
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.iterate import Step, record, returned
from mlcore.spine.registry import lookup

MOST_CHUNKS = 25  # of the replicates: how often a trial says how far it is
AN_ATTEMPT = 8e3  # bytes of its fit; most take less, and what takes more takes long
LEAST_FOR_INTERVAL = 10  # replicates; with fewer there are dots and no interval


@dataclass(frozen=True, eq=False)
class Attempts:
    """Some replicates of one method. `method` is its position in the trial, -1 the baseline."""

    method: int
    first: int  # of the replicates
    tried: int  # how many of them
    fits: tuple[Any, ...]  # one a replicate that came to its end
    failures: tuple[str, ...]
    seconds: float
    done: int = 0  # attempts of all methods that are over
    total: int = 0

    unit = "attempts"
    where = ""


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What one method did: a fit a replicate."""

    method: Any
    label: str
    fits: tuple[Any, ...]
    failures: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def scores(self) -> np.ndarray:
        """The score of each replicate, shape (R,)."""
        return np.array([fit.score for fit in self.fits])

    def stacked(self, field: str) -> np.ndarray:
        """One array of every replicate, shape (R, ...)."""
        return np.array([getattr(fit, field) for fit in self.fits])

    def can(self, *asked: Asked) -> bool:
        """Whether its fits have all these capabilities."""
        return bool(self.fits) and can(self.fits[0], *asked)


@dataclass(frozen=True, eq=False)
class TrialOutcome:
    """Everything that carrying out a trial gave. After a stop some replicates are missing."""

    run: Trial
    baseline: MethodResult
    results: tuple[MethodResult, ...]  # one a method, in the order of the trial
    done: int
    planned: int  # attempts
    versions: tuple[tuple[str, str], ...]

    @property
    def world(self) -> Any:
        """The `World` that they acted in, with all that one of its class has."""
        return self.run.problem.world()

    @property
    def metric(self) -> Metric:
        """By what they are judged."""
        return self.world.metric

    @property
    def rows(self) -> tuple[MethodResult, ...]:
        """The baseline, then every method."""
        return (self.baseline, *self.results)


def carry_out(
    run: Trial,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[Attempts] = (),
) -> Generator[Attempts, None, TrialOutcome]:
    """Yield some replicates of one method after the other; return the outcome.

    The events of an attempt that was stopped may be given as `before`: they are yielded again, and
    only the rest is carried out. A replicate that fails is counted with its reason. Raises
    DataError if a method does not suit the problem.
    """
    if reason := does_not_apply(run):
        raise DataError(reason)
    done_before = {(event.method, event.first) for event in before}
    calls = [
        (run, k, first, end) for k, first, end in _chunks(run) if (k, first) not in done_before
    ]
    events: list[Attempts] = []
    done, total = 0, planned(run)
    for event in chain(before, (event for _, event in place.each(tried, calls))):
        done += event.tried
        events.append(replace(event, done=done, total=total))
        yield events[-1]
    outcome = so_far(run, events)
    assert outcome is not None  # there was at least the baseline
    return outcome


def tried(run: Trial, method: int, first: int, end: int) -> Attempts:
    """Replicates `first` to `end` - 1 of one method of a trial, independent of all others."""
    began = time.perf_counter()
    agent, world = _method(run, method), run.problem.world()
    fits, failures = [], []
    for r in range(first, end):
        try:
            fits.append(agent.fit(world, run.budget, seed=run.seed, replicate=r))
        except MlcoreError as error:
            failures.append(str(error))
    seconds = time.perf_counter() - began
    return Attempts(method, first, end - first, tuple(fits), tuple(failures), seconds)


def carried_out(run: Trial, uploads: Mapping[str, Table] | None = None) -> TrialOutcome:
    """Carry out a trial to its end."""
    return returned(carry_out(run))


def so_far(
    run: Trial, events: Sequence[Attempts], uploads: Mapping[str, Table] | None = None
) -> TrialOutcome | None:
    """The outcome of what is done, also after a stop; None before every method has a replicate."""
    names = labels(run.methods)
    rows = [
        _joined(_method(run, k), names[k] if k >= 0 else _method(run, k).title(), events, k)
        for k in range(-1, len(run.methods))
    ]
    if not all(row.fits or row.failures for row in rows):
        return None
    done = sum(event.tried for event in events)
    return TrialOutcome(run, rows[0], tuple(rows[1:]), done, planned(run), versions())


def does_not_apply(run: Trial) -> str | None:
    """Why a method of this trial does not suit its problem, as a sentence, or None."""
    world = run.problem.world()
    reasons = (method.applies(world) for method in run.methods)
    return next((reason for reason in reasons if reason), None)


def replicates_of(run: Trial, method: Any) -> int:
    """How often a method is tried: what leaves nothing to chance, once."""
    return run.replicates if method.card.random else 1


def planned(run: Trial) -> int:
    """Attempts in all, the baseline among them."""
    return sum(replicates_of(run, _method(run, k)) for k in range(-1, len(run.methods)))


def labels(methods: Sequence[Any]) -> tuple[str, ...]:
    """What to call the methods of a trial: those of one name by the settings that differ."""
    return told_apart([method.label for method in methods], methods)


def estimate(run: Trial) -> tuple[float, float]:
    """What carrying out a trial will take: (seconds, bytes), from the costs on the cards."""
    world = run.problem.world()
    seconds, largest = 0.001, 0.0
    for method in run.methods:
        took, size = method.card.cost(run.budget, world.size, method)
        seconds += replicates_of(run, method) * (took + 2e-4)  # a fit costs that whatever it does
        largest = max(largest, size)
    return seconds, largest + kept(run)


def kept(run: Trial) -> float:
    """Bytes of the outcome: the fits of all attempts."""
    return AN_ATTEMPT * planned(run)


def recording(run: Trial, which: int) -> tuple[Any, tuple[Step, ...]]:
    """The fit and the steps of one method in the first replicate.

    Raises DataError if it has no steps or does not suit the problem.
    """
    method = run.methods[which]
    if not can(method, Iterates):
        raise DataError(f"{method.title()} has no steps to show.")
    world = run.problem.world()
    if reason := method.applies(world):
        raise DataError(reason)
    options = {"budget": run.budget} if method.card.random else {}
    fit = method.fit(world, run.budget, seed=run.seed)
    return fit, tuple(record(method.steps(world, seed=run.seed, **options)))


def report(outcome: TrialOutcome) -> str:
    """The scores of an outcome in full precision, one line a method and one a replicate."""
    run, metric = outcome.run, outcome.metric
    lines = [f"{outcome.world.name}, {metric.title.lower()}, seed {run.seed}"]
    for row in outcome.rows:
        scores = row.scores
        apart = repr(spread(scores)) if len(scores) > 1 else "none"
        mean = repr(float(scores.mean())) if len(scores) else "none"
        lines.append(f"{row.label}: mean {mean}, sd {apart}, replicates {len(scores)}")
        lines += [f"  replicate {r + 1}: {float(score)!r}" for r, score in enumerate(scores)]
        lines += [f"  failed: {reason}" for reason in row.failures]
    return "\n".join(lines)


def _method(run: Trial, k: int) -> Any:
    if k >= 0:
        return run.methods[k]
    return lookup("baseline", run.problem.world().baseline)()


def _chunks(run: Trial) -> Generator[tuple[int, int, int], None, None]:
    """Method and replicates from first to end, round the methods: after a stop all have about as
    many."""
    size = ceil(run.replicates / MOST_CHUNKS)
    for first in range(0, run.replicates, size):
        for k in range(-1, len(run.methods)):
            end = min(first + size, replicates_of(run, _method(run, k)))
            if first < end:
                yield k, first, end


def _joined(method: Any, label: str, events: Sequence[Attempts], k: int) -> MethodResult:
    own = sorted((event for event in events if event.method == k), key=lambda event: event.first)
    return MethodResult(
        method,
        label,
        tuple(fit for event in own for fit in event.fits),
        tuple(reason for event in own for reason in event.failures),
        sum(event.seconds for event in own),
    )
