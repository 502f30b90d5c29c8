"""Rows that a run predicts badly when they are left out: the worst, and those of one mistake."""

from __future__ import annotations

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.carry import FoldResult, Outcome


def worst(outcome: Outcome, dataset: Dataset, k: int) -> np.ndarray:
    """Row numbers of the table, shape (m,), of the k rows predicted worst, the worst first.

    By the absolute error of a quantity, or by how little probability the true class gets: by
    whether the class is wrong where there are no probabilities. A row that is left out more than
    once counts by its mean. Empty where the run predicts nothing.
    """
    losses, times = np.zeros(dataset.n), np.zeros(dataset.n)
    for fold in outcome.done:
        loss = _loss(fold, dataset)
        if loss is not None:
            np.add.at(losses, fold.test, loss)
            np.add.at(times, fold.test, 1)
    judged = np.flatnonzero((times > 0) & (losses > 0))
    order = np.argsort(-losses[judged] / times[judged], kind="stable")
    return dataset.rows[judged[order[:k]]]


def confused(outcome: Outcome, dataset: Dataset, true: int, predicted: int) -> np.ndarray:
    """Row numbers of the table, shape (m,), of one class that some fold takes for another."""
    if dataset.y is None:
        return np.empty(0, dtype=np.int64)
    rows = [
        fold.test[(dataset.y[fold.test] == true) & (fold.predictions == predicted)]
        for fold in outcome.done
        if fold.predictions is not None and fold.predictions.ndim == 1
    ]
    return dataset.rows[np.unique(np.concatenate(rows))] if rows else np.empty(0, dtype=np.int64)


def _loss(fold: FoldResult, dataset: Dataset) -> np.ndarray | None:
    """How bad the prediction of each row that a fold left out is, (m,)."""
    if dataset.y is None or fold.predictions is None or fold.predictions.ndim > 1:
        return None
    y = dataset.y[fold.test]
    if dataset.task == "regression":
        return np.abs(y - fold.predictions)
    if fold.probabilities is None:
        return (y != fold.predictions).astype(np.float64)
    return 1 - fold.probabilities[np.arange(len(y)), y]
