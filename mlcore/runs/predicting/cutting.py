"""Predictions of two classes by a threshold of one's own: decided and scored anew, not fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.intervals import wilson_interval
from mlcore.evaluation.scoring import OF_CLASSES, label_scores
from mlcore.runs.carry import FoldResult, Outcome, judge_of
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.saved import Model
from mlcore.spine.asking import can, promises
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.params import params_of

THRESHOLD = params_of(Prediction)["cut"]
MOST_LETTERS = 40  # of a number that a person means
HEADLINE = OF_CLASSES[0].name  # a method with another one decides by more than a threshold


def can_be_cut(made: Predicted) -> bool:
    """Whether a threshold decides: two classes with probabilities, judged by their accuracy."""
    is_of_two = len(made.classes) == 2 and made.probabilities is not None
    return is_of_two and made.metric is not None and made.metric.name == HEADLINE


def has_threshold(model: Model) -> bool:
    """The same of a saved model, of which both classes must have been learned."""
    fit: Any = model.fit
    is_of_two = len(model.classes) == 2 and can(fit, GivesProbabilities) and len(fit.classes) == 2
    return is_of_two and judge_of(model.run).metric().name == HEADLINE


def checked_threshold(model: Model, threshold: float | str | None) -> float | None:
    """The number, also where it came as text; None stays None: as the method decides.

    Raises ParamError for what is no probability, DataError where the model decides by no threshold.
    """
    if threshold is None:
        return None
    number = _number(threshold) if isinstance(threshold, str) else threshold
    if problem := THRESHOLD.problem(number):
        raise ParamError(f"A threshold {problem}; got {number!r}. Give a probability.")
    if not has_threshold(model):
        raise DataError(
            f"A threshold of {number:g} needs two classes with probabilities, and a method that "
            f"decides by the likelier one; {model.run.method.title()} has none to cut. Leave the "
            "threshold out, or take another model."
        )
    return float(number)


def _number(text: str) -> Any:
    try:
        return float(text[:MOST_LETTERS])
    except ValueError:
        return text[:MOST_LETTERS]


def refuse_cut(run: Prediction, dataset: Dataset) -> None:
    """Raises DataError for a threshold where none decides (`can_be_cut`)."""
    if run.cut is None:
        return
    if judge_of(run.run()).metric().name != HEADLINE and run.method.card.task == "classification":
        raise DataError(
            f"A threshold of {run.cut:g} needs a method that decides by the likelier class; "
            f"{run.method.title()} decides by more. Leave the threshold out, or choose another "
            "method."
        )
    if len(dataset.classes) != 2 or not promises(run.method, GivesProbabilities):
        raise DataError(
            f"A threshold of {run.cut:g} needs two classes with probabilities; "
            f"{run.method.title()} on {len(dataset.classes)} classes has none to cut. Leave the "
            "threshold out, or choose another method or target."
        )


def cut_at(made: Predicted, cut: float | None) -> Predicted:
    """The same rows taken for the second class from this probability on; None: as the method does.

    Classes and the scores that follow from them change, on the new rows and on the folds beside;
    probabilities, ranges, sets of labels and all that was fitted stay.
    """
    base, run = made.uncut or made, replace(made.run, cut=cut)
    if cut is None or not can_be_cut(base):
        return replace(
            made, run=run, values=base.values, outputs=base.outputs, scores=base.scores,
            interval=base.interval, trained=base.trained, uncut=None,
        )  # fmt: skip
    values = _decided(base.probabilities, cut, base.usable)
    scores = _rescored(base.scores, base.truth, values)
    known = _known(base.truth, values)
    accuracy = scores.get(HEADLINE, np.nan)
    interval = wilson_interval(round(accuracy * known), known) if known and scores else None
    return replace(
        made, run=run, values=values, outputs=_named(base, values), scores=scores,
        interval=interval, trained=_trained(base, cut), uncut=base,
    )  # fmt: skip


def _decided(probabilities: Any, cut: float, usable: np.ndarray) -> np.ndarray:
    """Codes of the classes, (m,), NaN where a row could not be predicted."""
    return np.where(usable, (probabilities[:, 1] >= cut).astype(np.float64), np.nan)


def _known(truth: np.ndarray | None, values: np.ndarray) -> int:
    return 0 if truth is None else int((~np.isnan(truth) & ~np.isnan(values)).sum())


def _rescored(
    scores: Mapping[str, float], truth: np.ndarray | None, values: np.ndarray
) -> dict[str, float]:
    """Those of the classes anew, those of the probabilities as they are; no others."""
    if truth is None or not scores:
        return dict(scores)
    known = ~np.isnan(truth) & ~np.isnan(values)
    names = [metric.name for metric in OF_CLASSES if metric.name in scores]
    anew = label_scores(truth[known].astype(np.int64), values[known].astype(np.int64))
    return {name: anew.get(name, scores[name]) for name in names}


def _named(base: Predicted, values: np.ndarray) -> dict[str, Any]:
    """What is taken away, with the names of the classes that are now said."""
    names = [None if np.isnan(k) else base.classes[int(k)] for k in values]
    return base.outputs | {f"predicted {base.target}": np.array(names, dtype=object)}


def _trained(base: Predicted, cut: float) -> Outcome | None:
    """The folds with the same threshold: the score beside must be of the same decision."""
    if base.trained is None:
        return None
    folds = tuple(_fold(fold, base.truths.get(fold.k), cut) for fold in base.trained.folds)
    return replace(base.trained, folds=folds)


def _fold(fold: FoldResult, truth: np.ndarray | None, cut: float) -> FoldResult:
    if fold.probabilities is None or truth is None:
        return fold
    values = _decided(fold.probabilities, cut, np.ones(len(truth), dtype=bool))
    scores = _rescored(fold.scores, truth.astype(np.float64), values)
    return replace(fold, scores=scores, predictions=values.astype(np.int64))
