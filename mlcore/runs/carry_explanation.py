"""Carrying out an explanation: the model of each fold is asked about the rows that it left out."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.evaluation.splits import Split
from mlcore.runs.carry import FoldResult, splits_of
from mlcore.runs.carry import does_not_apply as run_does_not_apply
from mlcore.runs.cost import A_COLUMN, A_FOLD
from mlcore.runs.cost import estimate as estimate_run
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.left_out import FoldLeftOut
from mlcore.runs.explaining.model import model_of
from mlcore.runs.explaining.question import ALL_ROWS
from mlcore.runs.fingerprint import Fingerprint, sha256
from mlcore.runs.places import HERE, Place, each_counted
from mlcore.runs.stamp import versions
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import Predicts
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.iterate import returned
from mlcore.spine.wording import count

PREDICTING = 0.1  # of the time of a fit that predicting as many rows takes, at most methods
A_VALUE = 2e-8  # seconds to prepare one value of one row
A_SCORING = 1e-3  # seconds to prepare, predict and judge the rows of a fold, however few
A_WALK = 4  # predictions: on a way through trees both rows go on wherever they part
NO_PREDICTIONS = "The method gives no predictions to be scored."
ORDERING = "Its rows are predicted in their order; a variable cannot be changed in one of them."


@dataclass(frozen=True, eq=False)
class Asked:
    """What the model of one fold said, or why it said nothing."""

    k: int  # from 0; -1 is the model of all rows
    planned: int
    answer: Any  # a named tuple; None where it failed
    failure: str = ""
    done: int = 0

    unit = "models"
    where = ""

    @property
    def total(self) -> int:
        """Models that are asked in all."""
        return self.planned


@dataclass(frozen=True, eq=False)
class ExplanationOutcome:
    """The answers of the models that were asked. After a stop some are missing."""

    run: Explanation
    asked: tuple[Asked, ...]  # in order of the folds
    planned: int
    joined: Any  # the answers as one; None where there is none
    versions: tuple[tuple[str, str], ...]

    @property
    def answered(self) -> tuple[Asked, ...]:
        """The models that answered."""
        return tuple(one for one in self.asked if not one.failure)

    @property
    def failure(self) -> str:
        """The first reason why a model did not answer; "" if all did."""
        return next((one.failure for one in self.asked if one.failure), "")


def carry_out(
    run: Explanation,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[Asked] = (),
) -> Generator[Asked, None, ExplanationOutcome]:
    """Yield what each model says as it has answered; return the answers as one.

    The events of an attempt that was stopped may be given as `before`. A model that cannot be
    fitted or asked is an answer with a reason. Raises DataError if the question does not apply.
    """
    dataset: Dataset = run.data.dataset(uploads)
    if reason := does_not_apply(run, dataset):
        raise DataError(reason)
    splits = splits_of(run.run(), dataset)
    asked = run.question.models(dataset, splits)
    known = {event.k for event in before}
    calls = (
        (run, dataset, k, len(asked), _rows(dataset, splits, k)) for k in asked if k not in known
    )
    events = yield from each_counted(place, asked_model, calls, before)
    return _outcome(run, dataset, events)


def asked_model(run: Explanation, dataset: Dataset, k: int, planned: int, split: Split) -> Asked:
    """One model, independent of the others: fitted to the training rows of a fold, and asked."""
    try:
        answer = run.question.answer(model_of(run.run(), dataset, split), k)
    except MlcoreError as error:
        return Asked(k, planned, None, str(error))
    return Asked(k, planned, answer)


def carried_out(run: Explanation, uploads: Mapping[str, Table] | None = None) -> ExplanationOutcome:
    """Carry out an explanation to its end."""
    return returned(carry_out(run, uploads))


def of_folds(
    run: Explanation, folds: Sequence[FoldResult], uploads: Mapping[str, Table] | None = None
) -> ExplanationOutcome:
    """The answer to a question about predictions alone, of those that the folds of a run made.

    The same to the last bit as carrying it out, without fitting anything. `folds` are those of
    `run.run()`. Raises DataError where the question does not fit, or no fold has predictions.
    """
    dataset: Dataset = run.data.dataset(uploads)
    run.question.check(dataset)
    events = [_of_fold(run, fold) for fold in folds]
    if all(event.failure for event in events):
        raise DataError(events[0].failure if events else "No fold has predictions yet.")
    return _outcome(run, dataset, events)


def _of_fold(run: Explanation, fold: FoldResult) -> Asked:
    if fold.failure or fold.predictions is None:
        return Asked(fold.k, fold.planned, None, fold.failure or NO_PREDICTIONS, fold.done)
    answer = FoldLeftOut(fold.k, fold.test, fold.predictions, fold.probabilities)
    try:
        run.question.check_answer(answer)
    except DataError as error:
        return Asked(fold.k, fold.planned, None, str(error), fold.done)
    return Asked(fold.k, fold.planned, answer, "", fold.done)


def so_far(
    run: Explanation, events: Sequence[Asked], uploads: Mapping[str, Table] | None = None
) -> ExplanationOutcome | None:
    """The outcome of what is done, also after a stop; None before the first answer."""
    return _outcome(run, run.data.dataset(uploads), events) if events else None


def _outcome(run: Explanation, dataset: Dataset, events: Sequence[Asked]) -> ExplanationOutcome:
    asked = tuple(sorted(events, key=lambda event: event.k))
    answers = [event.answer for event in asked if not event.failure]
    joined = run.question.joined(answers, dataset) if answers else None
    return ExplanationOutcome(run, asked, asked[0].planned, joined, versions())


def _rows(dataset: Dataset, splits: Sequence[Split], k: int) -> Split:
    """The training and the test rows of a fold; of all rows both are all."""
    every = np.arange(dataset.n)
    return Split(every, every) if k == ALL_ROWS else splits[k]


def does_not_apply(run: Explanation, dataset: Dataset) -> str | None:
    """Why these predictions cannot be explained, as a sentence, or None."""
    method = run.method
    if reason := run_does_not_apply(run.run(), dataset):
        return reason
    if method.card.task not in ("classification", "regression") or not promises(method, Predicts):
        return (
            f"{method.title()} predicts no target, so there is nothing to explain. Choose a method "
            "of classification or regression."
        )
    changes = run.question.changes_variables
    if changes and dataset.sequences is not None and "lengths" in method.card.takes:
        return f"{method.title()} learns sequences. {ORDERING} Leave the sequence column out."
    try:
        run.question.models(dataset, splits_of(run.run(), dataset))
    except MlcoreError as error:
        return str(error)
    return None


def estimate(run: Explanation, dataset: Dataset) -> tuple[float, float]:
    """What an explanation will take: (seconds, bytes)."""
    splits = splits_of(run.run(), dataset)
    whole, size = estimate_run(run.run(), dataset)
    fit, n_models = whole / (len(splits) + 1), len(run.question.models(dataset, splits))
    inner = run.run()
    rows, p = run.question.predictions(inner, dataset, len(splits)), len(dataset.columns)
    each = PREDICTING * fit / dataset.n + A_VALUE * p
    rows += A_WALK * run.question.walks(inner, dataset, len(splits))
    scored = A_SCORING * run.question.scorings(dataset, len(splits))
    return n_models * fit + rows * each + scored, size


def kept(run: Explanation, dataset: Dataset) -> float:
    """Bytes of the outcome: what each model says of each variable."""
    models = len(run.question.models(dataset, splits_of(run.run(), dataset)))
    return models * (A_FOLD + A_COLUMN * len(dataset.columns))


def consists_of(run: Explanation, dataset: Dataset) -> str:
    """The models and the predictions, in words."""
    splits = splits_of(run.run(), dataset)
    rows = run.question.predictions(run.run(), dataset, len(splits))
    models = count(len(run.question.models(dataset, splits)), "model")
    return f"{models}, {rows:,.0f} predictions"


def fingerprint(outcome: ExplanationOutcome) -> Fingerprint:
    """What was said, by its bits."""
    prints = Fingerprint({"models asked": [one.k + 1 for one in outcome.answered]}, {}, {}, {})
    for one in outcome.asked:
        if one.failure:
            prints.choices[f"reason why model {one.k + 1} said nothing"] = one.failure
        else:
            prints.bits[f"answer of model {one.k + 1}"] = sha256(_plain(one.answer))
    return prints


def _plain(value: Any) -> Any:
    """An answer in values of which a digest can be made: without what is declared elsewhere."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, np.ndarray) or value is None else repr(value)


def report(outcome: ExplanationOutcome) -> str:
    """The answers in full precision."""
    run = outcome.run
    lines = [f"{run.method.title()}, {run.question.about()}, {len(outcome.answered)} models"]
    lines += [run.question.says(outcome.joined)] if outcome.joined is not None else []
    return "\n".join([*lines, *([outcome.failure] if outcome.failure else [])])
