"""Measures of scores and probabilities: how well they rank, and whether they mean what they say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.classes import pair, ratio, weights_of
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

# Probabilities are moved at least this far from 0 and 1: the logarithm of 0 is not a number.
SMALLEST = 1e-15


class ThresholdCurve(NamedTuple):
    """A curve with the cut that gives each of its points, from the strictest cut on."""

    x: np.ndarray  # (c,)
    y: np.ndarray  # (c,)
    cuts: np.ndarray  # (c,) a row is called positive where its score is at least this


class Cumulative(NamedTuple):
    """Positives and negatives at or above each distinct score, from the largest score down."""

    tp: np.ndarray  # (c,)
    fp: np.ndarray  # (c,)
    cuts: np.ndarray  # (c,) the scores


def cumulative(y: Any, scores: Any, weights: Any = None) -> Cumulative:
    """Counts above every distinct score: one sort, equal scores as one step.

    `y`, shape (n,), is true or 1 for a positive row; `scores`, shape (n,), are the larger the
    likelier positive. Raises DataError if a score is missing.
    """
    y, scores = pair(y, scores)
    if np.isnan(scores).any():
        raise DataError("A ranking needs a score for every row; some are missing.")
    positive = y.astype(bool)
    order = np.argsort(-scores, kind="stable")
    scores = scores[order]
    ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)
    if weights is None:
        tp = np.cumsum(positive[order])[ends].astype(np.float64)
        return Cumulative(tp, 1.0 + ends - tp, scores[ends])
    w = weights_of(len(y), weights)[order]
    tp = np.cumsum(w * positive[order])[ends]
    return Cumulative(tp, np.cumsum(w * ~positive[order])[ends], scores[ends])


@function(
    "roc_curve", title="ROC curve", sources=("cs1:roc_space", "epfl:roc_curve", "prac:roc_curve")
)
def roc_curve(y: Any, scores: Any, *, weights: Any = None) -> ThresholdCurve:
    """Share of negatives called positive (x) and of positives found (y) at every cut.

    From (0, 0), where nothing is called positive (cut inf), to (1, 1). Two classes: `y` is true or
    1 for the positive one. NaN where there are no positives or no negatives.
    """
    counts = cumulative(y, scores, weights)
    tp, fp = np.append(0.0, counts.tp), np.append(0.0, counts.fp)
    cuts = np.append(np.inf, counts.cuts)
    return ThresholdCurve(
        ratio(fp, np.full(len(fp), fp[-1])), ratio(tp, np.full(len(tp), tp[-1])), cuts
    )


@function("roc_auc", title="Area under the ROC curve", sources=("prac:auc",))
def roc_auc(y: Any, scores: Any, *, weights: Any = None, labels: Any = None) -> float:
    """P(score of a positive > score of a negative) + P(equal) / 2.

    Two classes: `y` true or 1 for the positive one, `scores` of shape (n,). More: `scores` of shape
    (n, K) in order of `labels`, and the plain mean over the classes of each against the rest, of
    those that have rows and do not have all. NaN where a class is missing.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 2:
        each = one_against_rest(y, scores, weights, labels, roc_auc)
        return mean_where_defined(each)
    counts = cumulative(y, scores, weights)
    tp, fp = np.append(0.0, counts.tp), np.append(0.0, counts.fp)
    area = (np.diff(fp) * (tp[1:] + tp[:-1])).sum() / 2
    return float(ratio(area, tp[-1] * fp[-1]))


def one_against_rest(
    y: Any, scores: np.ndarray, weights: Any, labels: Any, measure: Any
) -> np.ndarray:
    """A measure of two classes for each class against the rest, shape (K,).

    `y` has shape (n,), `scores` (n, K). Raises DataError if there is not one column a class.
    """
    y = np.asarray(y)
    labels = np.arange(scores.shape[1]) if labels is None else np.asarray(labels)
    if len(labels) != scores.shape[1]:
        raise DataError(
            f"A ranking needs a column of scores for each class; got {scores.shape[1]} columns "
            f"for {len(labels)} classes."
        )
    return np.array(
        [measure(y == label, scores[:, k], weights=weights) for k, label in enumerate(labels)]
    )


def mean_where_defined(each: np.ndarray) -> float:
    """Mean of the values, shape (K,), that are not NaN; NaN where none is."""
    defined = each[~np.isnan(each)]
    return float(defined.mean()) if len(defined) else float("nan")


@function("pr_curve", title="Precision-recall curve")
def pr_curve(y: Any, scores: Any, *, weights: Any = None) -> ThresholdCurve:
    """Recall (x) and precision (y) at every cut, from the strictest on.

    At recall 0 nothing is called positive and precision is not defined: the first point is NaN.
    `y`, true or 1 for the positive class, and `scores` have shape (n,).
    """
    counts = cumulative(y, scores, weights)
    recalls = ratio(counts.tp, np.full(len(counts.tp), counts.tp[-1]))
    precisions = ratio(counts.tp, counts.tp + counts.fp)
    return ThresholdCurve(
        np.append(0.0, recalls), np.append(np.nan, precisions), np.append(np.inf, counts.cuts)
    )


@function("average_precision")
def average_precision(y: Any, scores: Any, *, weights: Any = None, labels: Any = None) -> float:
    """Sum over the cuts of precision times the gain in recall: steps, no straight lines between.

    `scores` of shape (n,), or (n, K) of several classes as for `roc_auc`. NaN where there is no
    positive row.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 2:
        each = one_against_rest(y, scores, weights, labels, average_precision)
        return mean_where_defined(each)
    counts = cumulative(y, scores, weights)
    gains = np.diff(counts.tp, prepend=0.0)
    precisions = np.where(gains > 0, ratio(counts.tp, counts.tp + counts.fp), 0.0)
    return float(ratio((precisions * gains).sum(), counts.tp[-1]))


def _probabilities(y: Any, probabilities: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Column of the true class of each row, shape (n,), and probabilities, shape (n, K)."""
    P = np.asarray(probabilities, dtype=np.float64)
    y = np.asarray(y)
    if P.ndim == 1:
        P = np.column_stack([1 - P, P])
    if len(P) != len(y) or not len(y):
        raise DataError(f"A measure needs probabilities for each row; got {len(P)} for {len(y)}.")
    labels = np.arange(P.shape[1]) if labels is None else np.asarray(labels)
    at = np.searchsorted(labels, y.astype(labels.dtype))
    if (at >= len(labels)).any() or (labels[np.minimum(at, len(labels) - 1)] != y).any():
        raise DataError("Some rows are of a class that has no column of probabilities.")
    return at, P


@function("log_loss", sources=("cs2:loss_bce", "cs2:loss_multilabel_ce", "cs2:loss_nll"))
def log_loss(y: Any, probabilities: Any, *, weights: Any = None, labels: Any = None) -> float:
    """Mean of -ln p(true class), in nats; probabilities are kept 1e-15 away from 0 and 1.

    `probabilities` has shape (n, K) in order of `labels` (sorted), or (n,) for the second of two.
    """
    at, P = _probabilities(y, probabilities, labels)
    w = weights_of(len(P), weights)
    own = np.clip(P[np.arange(len(P)), at], SMALLEST, 1 - SMALLEST)
    return float(-(w * np.log(own)).sum() / w.sum())


@function("brier_score", title="Brier score")
def brier_score(y: Any, probabilities: Any, *, weights: Any = None, labels: Any = None) -> float:
    """Mean squared distance of probabilities from 1 for the true class and 0 for the others.

    Shape (n,): (p - y)^2 for the second of two classes, in [0, 1]. Shape (n, K): summed over the
    classes, in [0, 2], so twice as much for two classes.
    """
    at, P = _probabilities(y, probabilities, labels)
    w = weights_of(len(P), weights)
    wrong = P.copy()
    wrong[np.arange(len(P)), at] -= 1
    squares = (wrong**2).sum(axis=1) / (2 if np.ndim(probabilities) == 1 else 1)
    return float((w * squares).sum() / w.sum())
