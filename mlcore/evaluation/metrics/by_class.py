"""The measures of a classification class by class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.classes import (
    binary_counts,
    confusion_matrix,
    labels_of,
    pair,
    ratio,
)
from mlcore.evaluation.metrics.ranking import one_against_rest, roc_auc
from mlcore.spine.records import function


class ClassLine(NamedTuple):
    """What is known of the predictions of one class."""

    label: Any
    n: float
    precision: float
    recall: float
    specificity: float
    f_score: float
    tp: float
    fn: float
    fp: float
    tn: float
    auc: float


@function("class_report", sources=("s841:sensitivity_specificity",))
def class_report(
    y: Any,
    predicted: Any,
    scores: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
) -> tuple[ClassLine, ...]:
    """A line for each class: rows, precision, recall, specificity, F, counts against the rest.

    With `scores`, shape (n, K), the larger the likelier, also the area under its ROC curve.
    """
    y, predicted = pair(y, predicted)
    labels = labels_of(y, predicted) if labels is None else np.asarray(labels)
    c = binary_counts(confusion_matrix(y, predicted, labels, weights=weights))
    numbers = {
        "n": c.tp + c.fn,
        "precision": ratio(c.tp, c.tp + c.fp),
        "recall": ratio(c.tp, c.tp + c.fn),
        "specificity": ratio(c.tn, c.tn + c.fp),
        "f_score": ratio(2 * c.tp, 2 * c.tp + c.fn + c.fp),
        **c._asdict(),
        "auc": np.full(len(labels), np.nan),
    }
    if scores is not None:
        numbers["auc"] = one_against_rest(y, np.asarray(scores), weights, labels, roc_auc)
    return tuple(
        ClassLine(label, **{name: float(values[k]) for name, values in numbers.items()})
        for k, label in enumerate(labels)
    )
