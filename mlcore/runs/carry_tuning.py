"""Tuning with nested cross-validation: inner folds choose the settings, outer folds score them.

The choice is repeated inside every outer fold, on its training rows alone, so the outer score is
that of the whole procedure and owes nothing to the choice. The best inner score is the largest of
many noisy ones: it is optimistic, and by how much is shown beside it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.spread import spreads
from mlcore.evaluation.summary import summary
from mlcore.runs.carry import FoldResult, scored_fold
from mlcore.runs.places import HERE, Place
from mlcore.runs.refusals import refusal_of_all
from mlcore.runs.run import Run
from mlcore.runs.stamp import versions
from mlcore.runs.tuning.judging import Problem, judge
from mlcore.runs.tuning.tuned import ALL_ROWS, Chosen, Judged, Tuned, outer_score, settings
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import returned
from mlcore.spine.records import function

TIE = 1e-12  # means closer than this are ties, which the smaller spread decides


@function(
    "nested_cross_validate",
    title="Nested cross-validation",
    sources=("cs1:nested_cv", "prac:nested_selection", "epfl:refit_final"),
)
def carry_out(
    run: Tuning,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[Judged | Chosen] = (),
) -> Generator[Judged | Chosen, None, Tuned]:
    """Search on all rows, then within each outer fold; yield every candidate and every choice.

    The events of an attempt that was stopped may be given as `before`: they are yielded again, and
    only the rest is carried out. Raises DataError if the method does not apply, or no candidate
    can be judged on all rows. An outer fold in which none can is a failed fold.
    """
    search = _Search(Problem(run, run.data.dataset(uploads)), place)
    events: list[Judged | Chosen] = []
    done = 0
    for event in search.events(before):
        done += isinstance(event, Judged)
        events.append(replace(event, done=done, total=search.total))
        yield events[-1]
    return _outcome(search.problem, events)


def carried_out(run: Tuning, uploads: Mapping[str, Table] | None = None) -> Tuned:
    """Carry out a tuning to its end."""
    return returned(carry_out(run, uploads))


def does_not_apply(run: Tuning, dataset: Dataset) -> str | None:
    """Why no candidate can be used on all rows of this data, as a sentence, or None.

    Settings that are not tuned may be refused where candidates are not.
    """
    try:
        problem = Problem(run, dataset)
    except ParamError:  # what is wrong with the search is said by its cost
        return None
    except DataError as error:
        return str(error)
    return refusal_of_all(problem.runs, dataset)


def so_far(
    run: Tuning, events: Sequence[Judged | Chosen], uploads: Mapping[str, Table] | None = None
) -> Tuned | None:
    """What is known from these events, also after a stop; None before the first."""
    return _outcome(Problem(run, run.data.dataset(uploads)), events) if events else None


def _outcome(problem: Problem, events: Sequence[Judged | Chosen]) -> Tuned:
    """Candidates and folds end in any order; here they stand in one."""
    choices = sorted((e for e in events if isinstance(e, Chosen)), key=lambda e: e.stage)
    judged = (e for e in events if isinstance(e, Judged))
    return Tuned(
        problem.tuning,
        problem.metric,
        problem.paths,
        problem.candidates,
        tuple(sorted(judged, key=lambda e: (e.stage, e.candidate))),
        next((c for c in choices if c.stage == ALL_ROWS), None),
        tuple(c for c in choices if c.stage != ALL_ROWS),
        len(problem.outer),
        versions(),
    )


class _Search:
    """Candidates that are judged in some place, and the choice wherever a stage is complete."""

    def __init__(self, problem: Problem, place: Place) -> None:
        self.problem, self._place = problem, place
        self._stages = range(ALL_ROWS, len(problem.outer))
        self.total = len(self._stages) * len(problem.candidates)
        self._judged: dict[int, dict[int, Judged]] = {stage: {} for stage in self._stages}
        self._chosen: set[int] = set()

    def events(self, before: Sequence[Judged | Chosen]) -> Generator[Judged | Chosen, None, None]:
        """What is known before, then the rest."""
        for event in before:
            self._note(event)
            yield event
        for stage in self._stages:  # stopped between the last candidate and the choice
            yield from self._choice(stage)
        tuning, dataset = self.problem.tuning, self.problem.dataset
        calls = [
            (tuning, dataset, stage, k)
            for stage in self._stages
            for k in self.problem.by_preparation()
            if k not in self._judged[stage]
        ]
        for _, event in self._place.each(judge, calls):
            self._note(event)
            yield event
            yield from self._choice(event.stage)

    def _note(self, event: Judged | Chosen) -> None:
        if isinstance(event, Judged):
            self._judged[event.stage][event.candidate] = event
        else:
            self._chosen.add(event.stage)

    def _choice(self, stage: int) -> Generator[Chosen, None, None]:
        """The choice of a stage in which every candidate is judged, and its outer fold."""
        judged = self._judged[stage]
        if stage in self._chosen or len(judged) < len(self.problem.candidates):
            return
        metric = self.problem.metric
        scores = [judged[k].scores for k in range(len(judged))]
        means, spreads = _summary(np.array(scores))
        best = chosen(means, spreads, metric.better)
        failure = (
            "" if best is not None else _commonest([j.failure for j in judged.values()], metric)
        )
        if failure and stage == ALL_ROWS:
            raise DataError(failure)
        fold = None if stage == ALL_ROWS else self._fold(stage, best, failure)
        event = Chosen(stage, best or 0, means, spreads, fold)
        self._note(event)
        yield event

    def _fold(self, stage: int, best: int | None, failure: str) -> FoldResult:
        problem, split = self.problem, self.problem.outer[stage]
        run, planned = None if best is None else problem.runs[best], len(problem.outer)
        if not isinstance(run, Run):
            return FoldResult(stage, planned, split, {}, {}, {}, failure=failure)
        call = (run, problem.dataset, problem.judge, stage, planned, split)
        return next(fold for _, fold in self._place.each(scored_fold, [call]))


def chosen(means: np.ndarray, spreads: np.ndarray, better: str) -> int | None:
    """The best mean, of ties that with the smaller spread, then the first; None where none is.

    `means` and `spreads` have shape (candidates,); NaN is a candidate without a score.
    """
    if not np.isfinite(means).any():
        return None
    worth = means if better == "higher" else -means
    ties = worth >= np.nanmax(worth) - TIE
    return int(np.where(ties, np.nan_to_num(spreads, nan=0.0), np.inf).argmin())


def _summary(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each candidate, shape (candidates,).

    A candidate that lacks a score in some fold has none: its mean would be over easier folds.
    """
    defined = np.isfinite(scores).any(axis=0)  # a fold without a score for anyone is left out
    if not defined.any():
        return np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    scored = scores[:, defined]
    spread = spreads(scored, axis=1) if scored.shape[1] > 1 else np.full(len(scored), np.nan)
    return scored.mean(axis=1), spread


def _commonest(failures: Sequence[str], metric: Metric) -> str:
    reasons = [failure for failure in failures if failure]
    why = (
        max(reasons, key=reasons.count)
        if reasons
        else f"{metric.title} is defined for none of them."
    )
    return f"No candidate can be judged. {why}"


def report(tuned: Tuned) -> str:
    """The choice and its scores in full precision."""
    name = tuned.metric.title
    lines = [f"{tuned.run.method.title()}, {len(tuned.candidates)} candidates"]
    if tuned.overall is not None:
        lines.append(f"chosen on all rows: {settings(tuned.candidates[tuned.overall.best])}")
    for stage in tuned.stages:
        assert stage.fold is not None  # only all rows have none
        score = stage.fold.failure or repr(outer_score(stage, tuned.metric.name))
        which = settings(tuned.candidates[stage.best])
        inner = float(stage.means[stage.best])
        lines.append(f"  fold {stage.stage + 1}: {score}, inner best {inner!r} with {which}")
    if tuned.scored:
        lines.append(f"{tuned.metric.heading}: mean {summary(tuned.outer).mean!r}")
        lines.append(f"{name} of the best inside: mean {summary(tuned.inner).mean!r}")
        lines.append(f"optimism {tuned.optimism!r}")
    return "\n".join(lines)
