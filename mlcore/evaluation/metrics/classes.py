"""Measures of predicted classes: counts and what is made of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

AVERAGES = ("none", "macro", "micro", "weighted")


def weights_of(n: int, weights: Any) -> np.ndarray:
    """The weights as float64, ones where none are given, shape (n,).

    Raises DataError if there is not one for each row.
    """
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (n,):
        raise DataError(f"A measure needs one weight a row; got {w.shape} for {n} rows.")
    return w


def pair(y: Any, predicted: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays of shape (n,). Raises DataError if they have other shapes or no rows."""
    y, predicted = np.asarray(y), np.asarray(predicted)
    if y.ndim != 1 or y.shape != predicted.shape:
        raise DataError(
            "A measure needs one prediction for each row; got shapes "
            f"{y.shape} and {predicted.shape}."
        )
    if not len(y):
        raise DataError("A measure needs at least one row; got none.")
    return y, predicted


@function(
    "confusion_matrix",
    sources=("cs1:confusion_matrix", "s841:confusion_matrix"),
)
def confusion_matrix(
    y: Any,
    predicted: Any,
    labels: Any = None,
    *,
    weights: Any = None,
    normalise: str = "none",
) -> np.ndarray:
    """Rows of true class a (row) that were called b (column), shape (K, K).

    `labels`, shape (K,), gives the classes and their order; without it all that occur, sorted. A
    prediction outside of `labels` is counted nowhere. `normalise` divides by the sums of
    "true" (rows), "predicted" (columns) or "all"; a row or column of 0 stays 0.
    """
    y, predicted = pair(y, predicted)
    labels = labels_of(y, predicted) if labels is None else np.asarray(labels)
    w = None if weights is None else weights_of(len(y), weights)
    true, called, k = _codes(y, labels), _codes(predicted, labels), len(labels)
    inside = (true >= 0) & (called >= 0)
    if not inside.all():
        true, called, w = true[inside], called[inside], None if w is None else w[inside]
    cell = true * k
    cell += called
    counts = np.bincount(cell, weights=w, minlength=k * k)
    return _normalised(counts.reshape(k, k).astype(np.float64), normalise)


def labels_of(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """All classes that occur in either, sorted, shape (K,)."""
    return np.union1d(np.unique(y), np.unique(predicted))


def _codes(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The position of each value in `labels`, -1 where it has none, shape (n,)."""
    if values.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels))):
        is_code = (values >= 0) & (values < len(labels))
        codes = values.astype(np.int64, copy=False)  # a short type could not hold their products
        return codes if is_code.all() else np.where(is_code, codes, -1)
    order = np.argsort(labels, kind="stable")
    at = np.minimum(np.searchsorted(labels, values, sorter=order), len(labels) - 1)
    codes = order[at]
    return np.where(labels[codes] == values, codes, -1)


def _normalised(counts: np.ndarray, normalise: str) -> np.ndarray:
    if normalise == "none":
        return counts
    axis = {"true": 1, "predicted": 0, "all": None}
    if normalise not in axis:
        raise ParamError(f"normalise must be one of none, true, predicted, all; got {normalise!r}.")
    total = counts.sum(axis=axis[normalise], keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


class Counts(NamedTuple):
    """One class against the rest: a number for each class, shape (K,)."""

    tp: np.ndarray
    fn: np.ndarray
    fp: np.ndarray
    tn: np.ndarray


@function(
    "binary_counts",
    sources=("cs1:binary_confusion", "epfl:confusion_tp_fp_fn", "prac:confusion_counts"),
)
def binary_counts(confusion: np.ndarray) -> Counts:
    """True positives, false negatives, false positives and true negatives of each class.

    From a confusion matrix of shape (K, K) with true classes in rows; each class in turn is the
    positive one and all others together are the negative one.
    """
    tp = np.diag(confusion).astype(np.float64)
    fn, fp = confusion.sum(axis=1) - tp, confusion.sum(axis=0) - tp
    return Counts(tp, fn, fp, confusion.sum() - tp - fn - fp)


def ratio(above: Any, below: Any) -> np.ndarray:
    """Elementwise quotient of arrays of one shape; NaN where the denominator is 0."""
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    return np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0)


@function("accuracy", sources=())
def accuracy(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Share of rows that are predicted right, weighted by `weights`.

    Arrays of shape (n,).
    """
    y, predicted = pair(y, predicted)
    is_right = y == predicted
    if weights is None:
        return float(is_right.mean())
    w = weights_of(len(y), weights)
    return float(ratio(w[is_right].sum(), w.sum()))


@function(
    "error_rate",
    sources=("cs1:loss_binary", "cs2:weighted_risk", "prac:zero_one_loss", "s841:zero_one_loss"),
)
def error_rate(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Share of rows that are predicted wrong: one minus the accuracy.

    Arrays of shape (n,).
    """
    return 1.0 - accuracy(y, predicted, weights=weights)


@function("balanced_accuracy")
def balanced_accuracy(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Mean over the classes that occur in `y` of their recall: each class counts the same.

    Arrays of shape (n,).
    """
    recalls = recall(y, predicted, weights=weights, average="none")
    return _mean_where_defined(recalls)


@function("matthews", title="Matthews correlation")
def matthews(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Correlation between true and predicted class, in [-1, 1]; 0 where one of them is constant.

    (c s - sum_k t_k p_k) / sqrt((s^2 - sum p_k^2)(s^2 - sum t_k^2)), with c rows right of s, t_k
    rows of class k and p_k predictions of class k. Arrays of shape (n,).
    """
    counts = confusion_matrix(y, predicted, weights=weights)
    total, right = counts.sum(), np.trace(counts)
    true, called = counts.sum(axis=1), counts.sum(axis=0)
    spread = (total**2 - called @ called) * (total**2 - true @ true)
    return float((right * total - true @ called) / np.sqrt(spread)) if spread > 0 else 0.0


@function("cohen_kappa", title="Cohen's kappa")
def cohen_kappa(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Accuracy beyond what the class shares give by chance, divided by the most it could be.

    (p_o - p_e) / (1 - p_e) with the accuracy p_o and p_e = sum_k t_k p_k / s^2 as for `matthews`.
    NaN where chance alone is always right. Arrays of shape (n,).
    """
    counts = confusion_matrix(y, predicted, weights=weights)
    total = counts.sum()
    by_chance = counts.sum(axis=1) @ counts.sum(axis=0) / total**2
    return float(ratio(np.trace(counts) / total - by_chance, 1 - by_chance))


@function("precision", sources=("cs1:precision",))
def precision(
    y: Any, predicted: Any, *, weights: Any = None, average: str = "macro", labels: Any = None
) -> Any:
    """Share of the rows called k that are of class k: TP / (TP + FP).

    Arrays of shape (n,); a number, or with `average="none"` one a class, shape (K,).
    """
    return _averaged(y, predicted, weights, labels, average, lambda c: ratio(c.tp, c.tp + c.fp))


@function("recall", sources=("cs1:sensitivity",))
def recall(
    y: Any, predicted: Any, *, weights: Any = None, average: str = "macro", labels: Any = None
) -> Any:
    """Share of the rows of class k that are called k (sensitivity): TP / (TP + FN).

    Arrays of shape (n,); a number, or with `average="none"` one a class, shape (K,).
    """
    return _averaged(y, predicted, weights, labels, average, lambda c: ratio(c.tp, c.tp + c.fn))


@function("specificity", sources=("cs1:specificity",))
def specificity(
    y: Any, predicted: Any, *, weights: Any = None, average: str = "macro", labels: Any = None
) -> Any:
    """Share of the rows of other classes that are not called k: TN / (TN + FP).

    Arrays of shape (n,); a number, or with `average="none"` one a class, shape (K,).
    """
    return _averaged(y, predicted, weights, labels, average, lambda c: ratio(c.tn, c.tn + c.fp))


@function("f_score", title="F score", sources=("cs1:f_score",))
def f_score(
    y: Any,
    predicted: Any,
    *,
    beta: float = 1.0,
    weights: Any = None,
    average: str = "macro",
    labels: Any = None,
) -> Any:
    """Harmonic mean of precision and recall, in which recall weighs beta^2.

    (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP): 0 where no row of the class was found, NaN
    for a class that neither occurs nor is predicted. Arrays of shape (n,); a number, or with
    `average="none"` one a class, shape (K,). Raises ParamError unless beta is above 0.
    """
    if not beta > 0:
        raise ParamError(f"The F score needs a beta above 0; got {beta!r}.")
    b = beta**2
    return _averaged(
        y,
        predicted,
        weights,
        labels,
        average,
        lambda c: ratio((1 + b) * c.tp, (1 + b) * c.tp + b * c.fn + c.fp),
    )


def _averaged(y: Any, predicted: Any, weights: Any, labels: Any, average: str, measure: Any) -> Any:
    """A measure of each class, or its average over the classes where it is defined.

    "macro" is the plain mean, "weighted" the mean weighted by the rows of each class, "micro" the
    measure of the counts added over the classes; "none" gives all, shape (K,).
    """
    if average not in AVERAGES:
        raise ParamError(f"average must be one of {', '.join(AVERAGES)}; got {average!r}.")
    counts = binary_counts(confusion_matrix(y, predicted, labels, weights=weights))
    if average == "micro":
        return float(measure(Counts(*(v.sum() for v in counts))))
    each = measure(counts)
    if average == "none":
        return each
    return _mean_where_defined(each, None if average == "macro" else counts.tp + counts.fn)


def _mean_where_defined(each: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Mean of the values that are not NaN; NaN where none is."""
    w = np.ones(len(each)) if weights is None else weights
    defined = ~np.isnan(each)
    return float(ratio((w[defined] * each[defined]).sum(), w[defined].sum()))
