"""Carrying out a prediction: the run whose model it is, each fit of which is asked about new rows.

The new table is matched to what the run learned from and never the other way round: with another
new table the fits are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.evaluation.conformal.own_intervals import LEVELS
from mlcore.evaluation.conformal.quantile import shares_of_groups
from mlcore.evaluation.intervals import Interval, none, rmse_interval, wilson_interval
from mlcore.evaluation.judge import Judge
from mlcore.evaluation.metrics.metric import LEFT_OUT, Metric
from mlcore.evaluation.splits import Split
from mlcore.preparation.chain import Prepared
from mlcore.runs import carry
from mlcore.runs.carry import ALL_ROWS, FoldResult, Whole
from mlcore.runs.fitting import case_of
from mlcore.runs.in_blocks import together
from mlcore.runs.places import HERE, Place
from mlcore.runs.predicting.asking import Answer, asked, scored
from mlcore.runs.predicting.cutting import cut_at, refuse_cut
from mlcore.runs.predicting.matching import Matching, changed_and_matched
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.predicting.promises import BY, OWN, Promises, Spoken, first_times
from mlcore.runs.predicting.wanted import wanted_of
from mlcore.runs.saved import fitted_model
from mlcore.runs.stamp import versions
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import Predicts, Transforms
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.iterate import returned
from mlcore.spine.wording import count, listed

# Numbers that the models of all folds may say of the new rows together, 32 megabytes: with them go
# the ranges over the folds, and sets and intervals of any coverage.
MOST_TOLD = 4_000_000


@dataclass(frozen=True, eq=False)
class Asked:
    """One fit of the run, as the run has it, and what it says of the new rows."""

    result: Whole | FoldResult
    answer: Answer | None = None
    truth: np.ndarray | None = None  # (n_k,) of the rows that a fold left out, one a row
    groups: np.ndarray | None = None  # (n_k,) codes of their groups, where they are of such
    group_unit: str = "row"  # what such a group is called
    matching: Matching | None = None  # of the whole fit
    scores: dict[str, float] = field(default_factory=dict)
    why_no_score: str = ""

    unit = "folds"
    where = ""

    @property
    def done(self) -> int:
        """Folds that are done."""
        return self.result.done

    @property
    def total(self) -> int:
        """Folds in all."""
        return self.result.total


def matching_of(run: Prediction, uploads: Mapping[str, Table] | None = None) -> Matching:
    """The columns of the new table beside those of the run, before anything is fitted."""
    return _matched(run, run.data.dataset(uploads), run.brought(uploads))


def _matched(run: Prediction, dataset: Dataset, table: Table) -> Matching:
    wanted = wanted_of(dataset, "lengths" in run.method.card.takes)
    return changed_and_matched(dataset.new_rows, wanted, table, dict(run.matches), dict(run.fixes))


def _refuse_another_table(matching: Matching) -> None:
    """Raises DataError where no column that the model needs was found."""
    if matching.is_of_another_table:
        raise DataError(
            "This does not look like the table that the model learned from: it has the columns "
            f"{listed(matching.names)}, and none of them is one of the model's. Choose for each "
            "column of the model which one stands for it, or bring another table."
        )


def carry_out(
    run: Prediction,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[Asked] = (),
) -> Generator[Asked, None, Predicted]:
    """Yield the whole fit, then each fold, each with its answer; return the outcome.

    Raises DataError if the run does not apply, or no column of the new table is found.
    """
    if reason := why_not(run):
        raise DataError(reason)
    asking = _Asking(run, run.brought(uploads), place)
    told = {_position(part.result): part for part in before}
    results = [part.result for part in before]
    events = []
    for result in carry.carry_out(run.run(), uploads, asking, results):
        part = (told | asking.told)[_position(result)]
        events.append(replace(part, result=result))
        yield events[-1]
    # pyrefly: ignore[bad-return]  # it began with the whole fit
    return so_far(run, events, uploads)


class _Asking:
    """A place where each fit of a run is asked about the new rows, too."""

    def __init__(self, run: Prediction, table: Table, place: Place) -> None:
        self.run, self.table, self.place = run, table, place
        self.told: dict[int, Asked] = {}

    def each(self, function: Callable, calls: Iterable[tuple]) -> Iterator[tuple[int, Any]]:
        """Carry out the parts of the run; what they say of the new rows is kept here."""
        left = iter(calls)
        if (first := next(left, None)) is None:
            return
        refuse_cut(self.run, first[1])
        matching = _matched(self.run, first[1], self.table)
        _refuse_another_table(matching)
        own = ((*call, matching, self.run.coverage) for call in chain((first,), left))
        for k, part in self.place.each(asked_part, own):
            self.told[_position(part.result)] = part
            yield k, part.result


def _position(result: Whole | FoldResult) -> int:
    return result.k if isinstance(result, FoldResult) else ALL_ROWS


def asked_part(
    run: Any,
    dataset: Dataset,
    judge: Judge,
    k: int,
    planned: int,
    split: Split | None,
    matching: Matching,
    coverage: float,
) -> Asked:
    """One part of the run, and what its fit says of the new rows."""
    if split is None:
        return _asked_whole(run, dataset, judge, planned, matching, coverage)
    answers: list[Answer] = []
    numbers = planned * matching.rows.n_rows * max(len(dataset.classes), 1)
    # Intervals of their own are two numbers a level more.
    levels = LEVELS if numbers * (2 * len(LEVELS) + 2) <= MOST_TOLD else ()

    def ask(prepared: Prepared, fit: Any) -> None:
        if numbers <= MOST_TOLD:
            answer = asked(fitted_model(run, dataset, prepared.fits, fit), matching.rows, levels)
            answers.append(answer._replace(outputs={}, told=None))

    result = carry.scored_fold(run, dataset, judge, k, planned, split, ask)
    truth, kept = _truth_left_out(result, dataset), together(run.method, dataset, run.evaluation)
    groups = None if kept.codes is None else kept.codes[result.test]
    unit = "row" if groups is None else kept.unit
    return Asked(result, answers[0] if answers else None, truth, groups, unit)


def _truth_left_out(fold: FoldResult, dataset: Dataset) -> np.ndarray | None:
    """What is true of the rows that a fold left out; None where nothing can be promised of it."""
    if dataset.y is None or fold.predictions is None or fold.predictions.ndim > 1:
        return None
    is_silent = dataset.task == "classification" and fold.probabilities is None
    return None if is_silent else dataset.y[fold.test]


def _asked_whole(
    run: Any, dataset: Dataset, judge: Judge, planned: int, matching: Matching, coverage: float
) -> Asked:
    whole = carry.whole_fit(run, dataset, planned)
    model = fitted_model(run, dataset, whole.prepared.fits, whole.fit)
    levels = tuple(sorted({*LEVELS, coverage}))
    answer = asked(model, matching.rows, levels)
    scores, why = {}, ""
    truth = truth_of(matching, dataset.target or "")
    if answer.values is not None and answer.values.ndim > 1:
        why = "Several targets are predicted together; on new rows they are not scored."
    elif truth is not None and run.method.card.task:
        rows = np.arange(dataset.n)
        case = case_of(run, whole.fit, whole.prepared, dataset, Split(rows, rows[:1]))
        try:
            scores = scored(judge, case, model, matching.rows, answer, truth)
        except MlcoreError as error:
            why = str(error)
    kept = together(run.method, dataset, run.evaluation)
    return Asked(
        whole,
        answer._replace(told=None),
        group_unit="row" if kept.codes is None else kept.unit,
        matching=matching,
        scores=scores,
        why_no_score=why,
    )


def truth_of(matching: Matching, target: str) -> np.ndarray | None:
    """What is true of the new rows, (m,) codes or numbers; None where they do not say."""
    return matching.rows.column(target).values if matching.has_target and target else None


def carried_out(run: Prediction, uploads: Mapping[str, Table] | None = None) -> Predicted:
    """Carry out a prediction to its end."""
    return returned(carry_out(run, uploads))


def so_far(
    run: Prediction, events: Sequence[Asked], uploads: Mapping[str, Table] | None = None
) -> Predicted | None:
    """What is known from these events, also after a stop; None before the first."""
    if not events:
        return None
    first, *folds = events
    matching = first.matching
    if matching is None:  # of folds alone nothing can be told
        return None
    trained = carry.so_far(run.run(), [event.result for event in events])
    assert trained is not None  # of a run that has begun
    assert first.answer is not None  # of the whole fit, which is asked always
    folds = sorted((f for f in folds if f.answer is not None), key=lambda f: _position(f.result))
    answer = first.answer
    target = next((m.name for m in matching.matches if m.role == "target"), "")
    classes = _classes(matching, target)
    truth, metric = truth_of(matching, target), trained.judge.metric()
    made = Predicted(
        run=run, trained=trained, new=matching.table, matching=matching,
        outputs=answer.outputs, values=answer.values, probabilities=answer.probabilities,
        classes=classes if run.method.card.task == "classification" else (), target=target,
        truth=truth, usable=answer.usable, scores=first.scores, metric=metric,
        remarks=tuple(filter(None, [first.why_no_score])),
        planned=trained.planned, done=len(trained.folds), versions=versions(),
        truths={_position(f.result): f.truth for f in events if f.truth is not None},
    )  # fmt: skip
    interval = interval_on(metric, first.scores, truth, answer, first.group_unit)
    made = replace(made, interval=interval)
    return cut_at(_with_folds(made, folds, first.answer), run.cut)


def _classes(matching: Matching, target: str) -> tuple[str, ...]:
    return next((m.levels for m in matching.matches if m.name == target), ())


def _with_folds(made: Predicted, folds: Sequence[Asked], whole: Answer) -> Predicted:
    """With what the models of the folds say: ranges, and sets or intervals."""
    answers = [fold.answer for fold in folds if fold.answer is not None]
    answered = [a.probabilities if made.classes else a.values for a in answers]
    known = [
        values
        for values in answered
        if values is not None and values.ndim == 1 + bool(made.classes)
    ]
    if not made.run.method.card.task:
        return made
    if not known or len(known) < made.done:
        return _by_the_method(made, whole)
    ranges = np.stack([np.min(known, axis=0), np.max(known, axis=0)], axis=-1)
    made = replace(made, ranges=ranges)
    if len(folds) < made.planned or any(fold.truth is None for fold in folds):
        return _by_the_method(made, whole)
    return replace(made, promises=_promises(made, folds, whole)).promising()


def _by_the_method(made: Predicted, whole: Answer) -> Predicted:
    """With the intervals of the method alone, where it gives some, and why there are no others."""
    own = None if whole.own_intervals is None else whole.own_intervals.at(made.run.coverage)
    if own is not None:
        made = replace(made, ends=own, ends_by=BY[OWN])
    if made.done < made.planned or made.ranges is not None or not _is_too_long(made):
        return made
    remark = (
        f"The new table is long: the models of the {count(made.planned, 'fold')} were not asked "
        "about its rows, so there are no ranges, and no label sets or intervals from them. Bring "
        "fewer rows at a time, or take fewer folds."
    )
    return replace(made, remarks=(*made.remarks, remark))


def _is_too_long(made: Predicted) -> bool:
    return made.planned * made.new.n_rows * max(len(made.classes), 1) > MOST_TOLD


def _promises(made: Predicted, folds: Sequence[Asked], whole: Answer) -> Promises:
    """What the folds said, of rows left out and of new ones."""
    truth, left_out, new, groups = [], [], [], []
    tests = [fold.result.test for fold in folds if isinstance(fold.result, FoldResult)]
    for fold, first in zip(folds, first_times(tests), strict=True):
        assert isinstance(fold.result, FoldResult)
        assert fold.answer is not None  # `_with_folds` looked
        assert fold.truth is not None
        result, answer = fold.result, fold.answer
        P, own = result.probabilities, result.own_intervals
        truth.append(fold.truth[first])
        if fold.groups is not None:
            groups.append(fold.groups[first])
        values, P = (None if v is None else v[first] for v in (result.predictions, P))
        left_out.append(Spoken(values, P, None if own is None else own.taken(first)))
        new.append(Spoken(answer.values, answer.probabilities, answer.own_intervals))
    return Promises(
        truth=tuple(truth),
        left_out=tuple(left_out),
        new=tuple(new),
        whole=whole.own_intervals,
        seed=made.run.seed,
        weights=_split(shares_of_groups(np.concatenate(groups)), groups) if groups else None,
        unit=folds[0].group_unit,
    )


def _split(values: np.ndarray, like: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Values of all rows, (n,), in parts as long as those."""
    return tuple(np.split(values, np.cumsum([len(part) for part in like])[:-1]))


def interval_on(
    metric: Metric,
    scores: Mapping[str, float],
    truth: np.ndarray | None,
    answer: Answer,
    group_unit: str = "row",
) -> Interval | None:
    """How sure the first score on the new rows is; `truth` has shape (m,).

    `group_unit` is what rows are called that are alike, "row" where each stands alone.
    """
    if not scores or truth is None or answer.values is None:
        return None
    known = answer.usable & ~np.isnan(truth)
    score, n = scores.get(metric.name, np.nan), int(known.sum())
    if group_unit != "row":
        return none(
            score,
            f"No interval: rows of one {group_unit} are alike, and of new rows it is not asked of "
            f"which {group_unit} they are.",
        )
    if metric.is_proportion and np.isfinite(score):
        return wilson_interval(round(score * n), n)
    if metric.name == "rmse":
        return rmse_interval(truth[known] - answer.values[known])
    return none(score, "No interval: for one test set there is one for accuracy and RMSE alone.")


def why_not(run: Prediction) -> str | None:
    """Why a method says nothing of new rows, as a sentence, or None."""
    if promises(run.method, Predicts) or promises(run.method, Transforms):
        return None
    return (
        f"{run.method.title()} places the rows that it was fitted to and no others, so it says "
        "nothing of new rows. Choose another method."
    )


def does_not_apply(run: Prediction, dataset: Dataset) -> str | None:
    """Why a prediction cannot be carried out on this data, as a sentence, or None."""
    return carry.does_not_apply(run.run(), dataset) or why_not(run)


def metrics_of(outcome: Predicted) -> list[Metric]:
    """The measures that the new rows have beside the cross-validated ones."""
    scores = {name: value for name, value in outcome.scores.items() if np.isfinite(value)}
    metrics = carry.judge_of(outcome.run).metrics()
    return [m for m in metrics if m.rows == LEFT_OUT and m.name in scores]


def report(outcome: Predicted) -> str:
    """The predictions and the scores in full precision."""
    n = outcome.new.n_rows
    lines = [f"{outcome.run.method.title()}, {n} new rows, {int(outcome.usable.sum())} predicted"]
    for metric in metrics_of(outcome):
        cross = outcome.trained.mean(metric.name) if outcome.trained else np.nan
        lines.append(
            f"{metric.title}: {outcome.scores[metric.name]!r} on {outcome.scored_rows} new rows, "
            f"{cross!r} cross-validated"
        )
    lines += [f"{name}: {list(map(str, column[:8]))}" for name, column in outcome.outputs.items()]
    return "\n".join(lines)
