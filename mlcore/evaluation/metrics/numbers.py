"""Measures of predicted quantities."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.evaluation.metrics.classes import pair, weights_of
from mlcore.spine.records import function


def _errors(y: Any, predicted: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, error (truth minus prediction) and weights, each of shape (n,)."""
    y, predicted = pair(np.asarray(y, dtype=np.float64), np.asarray(predicted, dtype=np.float64))
    return y, y - predicted, weights_of(len(y), weights)


def _mean(values: np.ndarray, w: np.ndarray) -> float:
    return float((w * values).sum() / w.sum())


@function("mse", title="Mean squared error")
def mse(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Mean squared error, in squared units of the target.

    sum w (y - predicted)^2 / sum w, arrays of shape (n,).
    """
    _, errors, w = _errors(y, predicted, weights)
    return _mean(errors**2, w)


@function("rmse", title="Root mean squared error")
def rmse(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Square root of the mean squared error, in units of the target.

    Arrays of shape (n,).
    """
    return float(np.sqrt(mse(y, predicted, weights=weights)))


@function("mae", title="Mean absolute error")
def mae(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Mean absolute error, in units of the target.

    sum w |y - predicted| / sum w, arrays of shape (n,).
    """
    _, errors, w = _errors(y, predicted, weights)
    return _mean(np.abs(errors), w)


@function("median_ae", title="Median absolute error")
def median_ae(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """Median absolute error, in units of the target: half of the rows are nearer.

    Where the weight splits evenly between two values, their mean. Arrays of shape (n,).
    """
    _, errors, w = _errors(y, predicted, weights)
    if weights is None:
        return float(np.median(np.abs(errors)))
    order = np.argsort(np.abs(errors), kind="stable")
    order = order[w[order] > 0]
    reached = np.cumsum(w[order]) / w.sum()
    half = np.searchsorted(reached, 0.5 - 1e-12)
    even = abs(reached[half] - 0.5) <= 1e-12 and half + 1 < len(order)
    return float(np.abs(errors[order[half : half + 1 + even]]).mean())


@function("max_error", title="Maximum error")
def max_error(y: Any, predicted: Any) -> float:
    """Largest absolute error, in units of the target.

    Arrays of shape (n,).
    """
    return float(np.abs(_errors(y, predicted, None)[1]).max())


@function("r2", title="Coefficient of determination")
def r2(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """1 - sum of squared errors / sum of squares about the mean of `y`; NaN if `y` is constant.

    1 is perfect, 0 as good as the mean of these rows, negative worse. Arrays of shape (n,).
    """
    y, errors, w = _errors(y, predicted, weights)
    return _share(_mean(errors**2, w), _variance(y, w))


@function("explained_variance")
def explained_variance(y: Any, predicted: Any, *, weights: Any = None) -> float:
    """1 - variance of the errors / variance of `y`: as `r2`, but blind to a constant error.

    Arrays of shape (n,); NaN if `y` is constant.
    """
    y, errors, w = _errors(y, predicted, weights)
    return _share(_variance(errors, w), _variance(y, w))


def _variance(values: np.ndarray, w: np.ndarray) -> float:
    """Mean square about the mean; exactly 0 for equal values, whose mean is rounded."""
    values = values - values[w.argmax()]  # of a row that counts
    return _mean((values - _mean(values, w)) ** 2, w)


def _share(unexplained: float, total: float) -> float:
    return 1 - unexplained / total if total > 0 else float("nan")


@function(
    "regression_scores",
    title="Scores of regression",
    sources=(
        "cs1:loss_quadratic",
        "cs1:loss_l2",
        "cs1:loss_l1",
        "cs2:loss_quadratic",
        "prac:l2_loss",
        "prac:l1_loss",
    ),
)
def regression_scores(y: Any, predicted: Any) -> dict[str, float]:
    """All measures of this file by name; NaN where these rows leave one undefined.

    Arrays of shape (n,).
    """
    every = (rmse, mse, mae, median_ae, max_error, r2, explained_variance)
    return {measure.__name__: measure(y, predicted) for measure in every}
