"""What the folds said of the rows that they left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from figures.numbers.target import target_of
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.metric import LEFT_OUT, WHERE, Metric
from mlcore.evaluation.pooled import Pooled, pooled
from mlcore.evaluation.summary import Summary, summary
from mlcore.runs.carry import Outcome
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count

MOST_SECONDS = 3.0  # of fits that a picture makes while a page waits
WHAT = {"classification": "classes", "regression": "a quantity"}


def left_out(outcome: Outcome, task: str) -> Pooled:
    """The predictions on test rows; DataError where no fold has any, or none for this task.

    Of several outputs those of the first, which is what `Dataset.y` holds.
    """
    method = outcome.run.method
    if method.card.task != task:
        raise DataError(
            f"This picture compares predictions with the target; {method.title()} predicts no "
            f"{WHAT[task].removeprefix('a ')}. Choose a method of {task}."
        )
    outside = pooled(outcome.done)
    if outside is None:
        raise DataError(
            "No fold has predictions for the rows it left out, so there is nothing to draw. "
            "The table of folds says why."
        )
    predictions = outside.predictions
    return outside if predictions.ndim == 1 else outside._replace(predictions=predictions[:, 0])


def probabilities(outside: Pooled, who: str) -> np.ndarray:
    """The probabilities on test rows, shape (m, K); DataError where the method gives none."""
    if outside.probabilities is None:
        raise DataError(
            f"{who} gives no probabilities, so its rows cannot be ranked. Choose a method that "
            "gives them to see this curve."
        )
    return outside.probabilities


def has_probabilities(outcome: Outcome | None) -> bool:
    """Whether all folds that ended have probabilities for the rows that they left out."""
    done = outcome.done if outcome is not None else ()
    return bool(done) and all(fold.probabilities is not None for fold in done)


def by_fold(
    score: Callable[[Any, Any], float], true: np.ndarray, predicted: np.ndarray, folds: np.ndarray
) -> Summary:
    """A score of every fold by itself, summed up as the scores of a run are.

    All arrays have one line a prediction. In folds where the score is undefined it counts nowhere.
    """
    inside = [folds == fold for fold in np.unique(folds)]
    return summary([score(true[rows], predicted[rows]) for rows in inside])


def note_of(outcome: Outcome, metric: Metric | None = None) -> str:
    """What the numbers are computed on, for the heading: rows left out, or those of a metric."""
    k = len(outcome.done)
    rows = metric.on if metric else WHERE[LEFT_OUT]
    text = f"{rows}, {count(k, 'fold')}"
    return text + of_outputs(next((fold.predictions for fold in outcome.done), None))


def of_outputs(predictions: np.ndarray | None) -> str:
    """For a note: that a picture shows the first of several outputs; empty for a single one."""
    if predictions is None or predictions.ndim == 1:
        return ""
    return f"; first of {predictions.shape[1]} outputs"


def wrong(dataset: Dataset, outside: Pooled) -> np.ndarray:
    """Which rows were taken for another class in at least half of their folds, shape (n,)."""
    missed = outside.predictions != target_of(dataset)[outside.rows]
    count = np.bincount(outside.rows, minlength=dataset.n)
    errors = np.bincount(outside.rows, weights=missed, minlength=dataset.n)
    return (count > 0) & (2 * errors >= count)


def refuse_long(method: Any, X: np.ndarray, fits: int) -> None:
    """Raise DataError where so many fits to rows X, shape (n, p), would keep a page waiting."""
    if (seconds := method.card.cost(*X.shape, method)[0] * fits) > MOST_SECONDS:
        raise DataError(
            f"The picture takes {fits} fits, about {seconds:.0f} s on {len(X):,} rows and "
            f"{X.shape[1]} columns. Use fewer rows, columns or folds."
        )
