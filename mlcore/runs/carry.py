"""Carrying out a run: fitted to all rows, and fold by fold to the rows that are not left out.

`carry_out` is a generator, so that whoever runs it can show what is done, and stop. Everything
that is learned from data is learned inside the training rows of the fold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.steps import Applied
from mlcore.data.table import Table
from mlcore.evaluation.conformal.own_intervals import OwnIntervals, own_intervals_of
from mlcore.evaluation.judge import Judge, judge_by
from mlcore.evaluation.splits import Split, Splits
from mlcore.evaluation.summary import Summary, rows_left_out, summary
from mlcore.preparation.chain import Met, Prepared, StepSummary
from mlcore.preparation.once import prepared_once
from mlcore.runs.fitting import (
    arranged,
    case_of,
    fit_prepared,
    fitted,
    keywords,
    learned,
    seen_rows,
    steps_of,
    weights_of,
    without_names,
)
from mlcore.runs.in_blocks import out_of_order, together
from mlcore.runs.places import HERE, Place
from mlcore.runs.refusals import refusal
from mlcore.runs.run import Run
from mlcore.runs.stamp import versions
from mlcore.spine.asking import can
from mlcore.spine.capabilities import Iterates, Predicts
from mlcore.spine.errors import DataError, MlcoreError, in_names
from mlcore.spine.fit import Column
from mlcore.spine.iterate import record, returned

ALL_ROWS = -1  # the position of the whole fit, before that of the first fold
DEFAULT_SCORES = {
    "classification": ("classification_scores",),
    "regression": ("regression_scores",),
}


@dataclass(frozen=True, eq=False)
class Whole:
    """The method fitted to all rows: for pictures, never for scores."""

    fit: Any
    prepared: Prepared
    seconds: float
    planned: int  # folds that follow
    lengths: np.ndarray | None = None  # (k,) of the sequences that the rows of the data set are

    @property
    def done(self) -> int:
        """Folds that are done: how far the run is."""
        return 0

    @property
    def total(self) -> int:
        """Folds in all."""
        return self.planned

    unit = "folds"
    where = ""

    def labels(self, X: np.ndarray) -> np.ndarray:
        """The group of each row X of the data set, shape (n,); -1 for noise.

        Where the preparation made other rows, a group is what the fit predicts for the row as it
        came, or else that of the first row made from it, -1 where there is none.
        """
        rows = self.prepared.rows
        if rows is None:
            return np.asarray(self.fit.labels, dtype=np.int64)
        fit: Any = self.fit
        if isinstance(fit, Predicts):
            # What predicts is a fit.
            options = fit.options_for(self.lengths)  # pyrefly: ignore[missing-attribute]
            return np.asarray(fit.predict(self.prepared.transform(X), **options), dtype=np.int64)
        labels = np.full(len(X), -1)
        sources, first = np.unique(rows, return_index=True)
        labels[sources] = self.fit.labels[first]
        return labels


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One fold: what was fitted on the other rows, and how well it does on these."""

    k: int
    planned: int  # folds in all
    split: Split  # positions among the rows of the data set
    scores: Mapping[str, float]  # on the rows that each metric names, most on the test rows
    fitted_scores: Mapping[str, float]  # of those on test rows: the same on the training rows
    baseline: Mapping[str, float]  # of the baseline, on the same rows as `scores`
    predictions: np.ndarray | None = None  # (m,) codes or numbers; (m, q) of several outputs
    probabilities: np.ndarray | None = None  # (m, K)
    own_intervals: OwnIntervals | None = (
        None  # of a method of numbers that says how far off it may be
    )
    summary: tuple[StepSummary, ...] = ()
    met: tuple[Met | None, ...] = ()  # what the test rows brought to each step that was new
    columns: tuple[Column, ...] = ()  # as the method got them
    seconds: float = 0.0
    failure: str = ""
    done: int = 0  # folds of the run that have ended, this one too
    n_units: int = 0  # groups or sequences that the test rows are of; 0 where each stands alone

    unit = "folds"
    where = ""

    @property
    def train(self) -> np.ndarray:
        """Positions of the rows that were fitted, (n_train,)."""
        return self.split.train

    @property
    def test(self) -> np.ndarray:
        """Positions of the rows that were left out, (m,)."""
        return self.split.test

    @property
    def total(self) -> int:
        """Folds in all."""
        return self.planned


@dataclass(frozen=True, eq=False)
class Outcome:
    """Everything that carrying out a run gave. `folds` may be fewer than planned after a stop."""

    run: Run
    whole: Whole
    folds: tuple[FoldResult, ...]
    planned: int
    judge: Judge
    versions: tuple[tuple[str, str], ...]

    @property
    def done(self) -> tuple[FoldResult, ...]:
        """The folds that have scores."""
        return tuple(fold for fold in self.folds if not fold.failure)

    def values(self, metric: str, of: str = "scores") -> np.ndarray:
        """One metric of every fold that has scores, shape (folds,)."""
        return np.array([getattr(fold, of).get(metric, np.nan) for fold in self.done])

    def summary(self, metric: str, of: str = "scores") -> Summary:
        """One metric over the folds where it is defined."""
        return summary(self.values(metric, of))

    def mean(self, metric: str, of: str = "scores") -> float:
        """Mean over the folds where the metric is defined; NaN where it never is."""
        return self.summary(metric, of).mean

    def spread(self, metric: str, of: str = "scores") -> float:
        """Standard deviation over the folds, divisor folds - 1; NaN for fewer than two."""
        return self.summary(metric, of).sd


def carry_out(
    run: Run,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[Whole | FoldResult] = (),
) -> Generator[Whole | FoldResult, None, Outcome]:
    """Yield the whole fit, then each fold as it ends; return the outcome.

    The events of an attempt that was stopped may be given as `before`: they are yielded again, and
    only the rest is carried out. A fold that fails is a result with a reason. Raises DataError if
    the run does not apply to the data.
    """
    dataset: Dataset = run.data.dataset(uploads)
    if reason := does_not_apply(run, dataset):
        raise DataError(reason)
    judge, splits = judge_of(run), splits_of(run, dataset)
    positions = {_position(event) for event in before}
    calls = (
        (run, dataset, judge, k, len(splits), None if k == ALL_ROWS else splits[k])
        for k in range(ALL_ROWS, len(splits))
        if k not in positions
    )
    ended = (event for _, event in place.each(carried_part, calls))
    events: list[Whole | FoldResult] = []
    for event in _whole_first(chain(before, ended)):
        events.append(_counted(event, len(events)))
        yield events[-1]
    return so_far(run, events)  # pyrefly: ignore[bad-return]  # it began with the whole fit


def carried_part(
    run: Run, dataset: Dataset, judge: Judge, k: int, planned: int, split: Split | None
) -> Whole | FoldResult:
    """One part of a run, independent of the others: fold k, or the whole fit without a split."""
    if split is None:
        return whole_fit(run, dataset, planned)
    return scored_fold(run, dataset, judge, k, planned, split)


def _position(event: Whole | FoldResult) -> int:
    return event.k if isinstance(event, FoldResult) else ALL_ROWS


def _whole_first(events: Iterable[Whole | FoldResult]) -> Iterator[Whole | FoldResult]:
    """The same; folds that ended before the whole fit come after it."""
    early: list[Whole | FoldResult] | None = []
    for event in events:
        if early is None:
            yield event
        elif isinstance(event, FoldResult):
            early.append(event)
        else:
            yield from (event, *early)
            early = None


def _counted(event: Whole | FoldResult, done: int) -> Whole | FoldResult:
    """The event with the number of folds that are done."""
    return replace(event, done=done) if isinstance(event, FoldResult) else event


def dataset_of(data: Any, uploads: Mapping[str, Table] | None = None) -> Dataset:
    """The rows of a data component."""
    return data.dataset(uploads)


def columns_of(
    data: Any, uploads: Mapping[str, Table] | None = None
) -> tuple[Table, dict[str, str]]:
    """The columns of a data component and their roles, also where no rows can be learned from."""
    return data.columns(uploads)


def changes_of(data: Any, uploads: Mapping[str, Table] | None = None) -> Applied:
    """The rows of a data component before and after each change of its table."""
    return data.changes(uploads)


def so_far(
    run: Run,
    events: Sequence[Whole | FoldResult],
    uploads: Mapping[str, Table] | None = None,
    judge: Judge | None = None,
) -> Outcome | None:
    """The outcome of what is done, also after a stop; None before the first event.

    `judge` is the one that the folds were scored by, where it is not that of the method alone.
    """
    if not events:
        return None
    whole, *folds = events
    assert isinstance(whole, Whole)  # carry_out yields it first
    ended = (fold for fold in folds if isinstance(fold, FoldResult))
    done = tuple(sorted(ended, key=lambda fold: fold.k))  # folds end in any order
    return Outcome(run, whole, done, whole.planned, judge or judge_of(run), versions())


def carried_out(run: Run, uploads: Mapping[str, Table] | None = None) -> Outcome:
    """Carry out a run to its end."""
    return returned(carry_out(run, uploads))


def does_not_apply(run: Run, dataset: Dataset) -> str | None:
    """Why this run cannot be carried out on this data, as a sentence, or None.

    Of what is refused by fitting, it says what is known before.
    """
    return does_not_suit(run, dataset) or refusal(run, dataset)


def does_not_suit(run: Run, dataset: Dataset) -> str | None:
    """Why no settings of the method suit the target or order of this data, or None."""
    title, task = run.method.title(), run.method.card.task
    if task in ("classification", "regression") and not dataset.task:
        why = f" Column {dataset.target} cannot be predicted." if dataset.target else ""
        return f"{title} learns from a target; choose the column that is to be predicted.{why}"
    if task == "classification" and dataset.task == "regression":
        return (
            f"{title} predicts classes; {dataset.target} is a quantity. Choose another target, "
            "a regression method, or set the kind of the column to nominal."
        )
    if task == "regression" and dataset.task == "classification":
        return (
            f"{title} predicts a quantity; {dataset.target} holds {len(dataset.classes)} classes. "
            "Choose another target or a classification method."
        )
    if task == "classification" and len(dataset.classes) < 2:
        return (
            f"{title} needs at least two classes; every row of {dataset.target} is "
            f"{', '.join(dataset.classes)!r}. Choose another target."
        )
    return out_of_order(run.method, dataset)


def judge_of(run: Run) -> Judge:
    """The judge of the method of a run: the scorings of its card, or those of its task.

    Raises DataError if there are none.
    """
    card = run.method.card
    names = card.scores or DEFAULT_SCORES.get(card.task, ())
    if not names:
        raise DataError(f"{card.title} names no score, so it cannot be judged.")
    return judge_by(names)


def splits_of(run: Run, dataset: Dataset) -> Splits:
    """The folds: the same for every method of a kind on this data with this seed."""
    y = dataset.y if dataset.task == "classification" else None
    kept = together(run.method, dataset, run.evaluation)
    folds = run.evaluation.splits(
        dataset.n, y=y, groups=kept.codes, order=dataset.order, seed=run.seed, unit=kept.unit
    )
    return arranged(run.method, dataset, folds)


def whole_fit(run: Run, dataset: Dataset, planned: int) -> Whole:
    """The method fitted to all rows, with its time; `planned` folds follow."""
    rows = np.arange(dataset.n)
    prepared = prepared_once(steps_of(run), dataset, rows, run.seed)
    began = time.perf_counter()
    fit = fit_prepared(run.method, prepared, dataset, rows, run.seed)
    seconds = prepared.seconds + time.perf_counter() - began
    return Whole(fit, prepared, seconds, planned, dataset.lengths_of(rows))


def scored_fold(
    run: Run,
    dataset: Dataset,
    judge: Judge,
    k: int,
    planned: int,
    split: Split,
    then: Callable[[Prepared, Any], None] | None = None,
) -> FoldResult:
    """One fold of a run; where it fails, a result with the reason.

    `then` is called with what was fitted, which is not kept.
    """
    began = time.perf_counter()
    result: dict[str, Any]
    try:
        prepared, fit, result = _scored(run, dataset, judge, split)
        if then is not None:
            then(prepared, fit)
    except MlcoreError as error:
        result = {"scores": {}, "fitted_scores": {}, "baseline": {}, "failure": str(error)}
        result["seconds"] = time.perf_counter() - began
    codes = together(run.method, dataset, run.evaluation).codes
    result["n_units"] = 0 if codes is None else len(np.unique(codes[split.test]))
    return FoldResult(k, planned, split, **result)


def _scored(
    run: Run, dataset: Dataset, judge: Judge, split: Split
) -> tuple[Prepared, Any, dict[str, Any]]:
    """What was fitted to the training rows, and how well it does on the others."""
    prepared = prepared_once(steps_of(run), dataset, split.train, run.seed)
    began = time.perf_counter()
    fit = fit_prepared(run.method, prepared, dataset, split.train, run.seed)
    case = case_of(run, fit, prepared, dataset, split)
    unchanged, training_rows = seen_rows(run, prepared, dataset, split.train)
    scored, baseline = judge.scored(case), {}
    for simple, scorings in judge.baselines(run.method):
        learned_from = training_rows._replace(weights=weights_of(simple, dataset, split.train))
        rows, beside = without_names(simple, unchanged, replace(case, train=learned_from))
        base = fit_prepared(simple, rows, dataset, split.train, run.seed)
        baseline |= scorings.scored(replace(beside, method=simple, fit=base)).scores
    result = {
        "scores": scored.scores,
        "fitted_scores": judge.of_rows.scored(case.on(training_rows)).scores,
        "baseline": {metric.name: baseline[metric.name] for metric in judge.metrics()},
        "predictions": scored.predictions,
        "probabilities": scored.probabilities,
        "own_intervals": own_intervals_of(fit, case.test.X),
        "summary": prepared.summary(),
        "met": prepared.met(dataset.X[split.test]),
        "columns": prepared.columns,
        "seconds": prepared.seconds + time.perf_counter() - began,
    }
    return prepared, fit, result


def report(outcome: Outcome) -> str:
    """The scores of an outcome in full precision, one line a metric and one a fold."""
    run, left = outcome.run, rows_left_out(outcome.done)
    folds = f"{len(outcome.done)} of {outcome.planned} folds"
    lines = [f"{run.method.title()}, {folds}, {left.rows} rows{left.again}"]
    for metric in outcome.judge.metrics():
        lines.append(
            f"{metric.title}: mean {outcome.mean(metric.name)!r}, "
            f"sd {outcome.spread(metric.name)!r}, "
            f"baseline {outcome.mean(metric.name, 'baseline')!r}"
        )
        lines += [f"  fold {f.k + 1}: {f.scores.get(metric.name)!r}" for f in outcome.done]
    lines += [f"fold {f.k + 1} failed: {f.failure}" for f in outcome.folds if f.failure]
    return "\n".join(lines)


def recording(
    run: Run, uploads: Mapping[str, Table] | None = None
) -> tuple[Whole, tuple[Any, ...]]:
    """The fit to all rows and the steps towards it, for the player.

    Raises DataError if the run does not apply to the data, or the method has no steps.
    """
    dataset: Dataset = run.data.dataset(uploads)
    if reason := does_not_apply(run, dataset):
        raise DataError(reason)
    if not can(run.method, Iterates):
        raise DataError(f"{run.method.title()} is not iterative; it has no steps to show.")
    rows = np.arange(dataset.n)
    prepared, fit = fitted(run, dataset, rows)
    options = keywords(run.method, prepared, dataset, rows)
    y = learned(run.method, prepared, dataset, rows)
    steps = run.method.steps(prepared.X, y, seed=run.seed, **options)
    named = (replace(it, note=in_names(it.note, dataset.classes)) for it in record(steps))
    return Whole(fit, prepared, 0.0, 0, dataset.lengths_of(rows)), tuple(named)
