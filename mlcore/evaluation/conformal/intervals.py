"""Intervals around what models predict, from how far they missed the rows that they left out.

One function for the family: with one part left out it is split conformal, with k of them CV+, with
single rows the jackknife+; scaled by a deviation it is normalised, and around the ends of an
interval in place of a prediction it is conformalised quantile regression.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlcore.evaluation.conformal.quantile import DIGITS, rank
from mlcore.spine.records import function

ROWS = 4096  # of which the ends are found at a time, so that what is compared stays in the cache
HALVINGS = 50  # of the range of all values: what is left holds one of them, or equal ones
LEAST = 1e-300  # a deviation of 0 would divide by it


@function(
    "interval_errors",
    title="Nonconformity scores of numbers",
    synonyms=("nonconformity score", "normalised residuals", "conformalised quantile regression"),
)
def interval_errors(y: Any, predicted: Any, scale: Any = None) -> np.ndarray:
    """How far the truth y, shape (m,), lies outside of what was predicted, shape (m,).

    `predicted` has shape (m,): |y - f|; or (m, 2), the ends of an interval: max(low - y, y - high),
    below 0 inside (Romano, Patterson and Candès 2019). Divided by `scale`, (m,), where one is given
    (Papadopoulos, Gammerman and Vovk 2008).
    """
    low, high = _sides(np.asarray(predicted, dtype=np.float64))
    errors = np.maximum(low - y, y - high)
    return errors if scale is None else errors / np.maximum(scale, LEAST)


@function(
    "cross_intervals",
    title="Conformal intervals: split, CV+ and jackknife+",
    synonyms=("CV+", "jackknife+", "prediction interval", "split conformal", "MAPIE"),
)
def cross_intervals(
    own: Sequence[np.ndarray],
    new: Sequence[np.ndarray],
    coverage: float = 0.95,
    scales: Sequence[np.ndarray] | None = None,
    weights: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """The interval of each new row, shape (m, 2); infinite where too few rows were left out.

    `own` has for each of k parts the errors (`interval_errors`) of its model on the rows that it
    left out, each (n_k,), `new` what the same model predicts for the new rows, each (m,), or (m, 2)
    as for the errors, `scales` what the errors were divided by there, each (m,). The ends are the
    conformal quantiles of prediction - error and prediction + error over all rows left out. One
    part holds the coverage that is promised; k parts hold 1 - 2 (1 - coverage) for certain, and as
    a rule what is promised. `weights`, each (n_k,), are how much a row left out counts
    (`shares_of_groups`), 1 without.

    Barber, Candès, Ramdas and Tibshirani (2021), Annals of Statistics 49: the jackknife+.
    """
    kept = [k for k, errors in enumerate(own) if len(errors)]
    errors, counted = _sorted(own, weights, kept)
    m, ends = len(new[0]), np.full((len(new[0]), 2), (-np.inf, np.inf))
    n, at = _place(errors, counted, coverage)
    if at > n:
        return ends
    low, high = (
        np.stack(side)
        for side in zip(*(_sides(np.asarray(new[k], dtype=np.float64)) for k in kept), strict=True)
    )
    scale = np.ones_like(low) if scales is None else np.stack([scales[k] for k in kept])
    scale = np.maximum(scale, LEAST)
    for start in range(0, m, ROWS):
        rows = slice(start, start + ROWS)
        ends[rows, 0] = -_ranked(errors, counted, -low[:, rows], scale[:, rows], at)
        ends[rows, 1] = _ranked(errors, counted, high[:, rows], scale[:, rows], at)
    return ends


def _sorted(
    own: Sequence[np.ndarray], weights: Sequence[np.ndarray] | None, kept: list[int]
) -> tuple[list[np.ndarray], list[np.ndarray] | None]:
    """Errors of the kept parts, each ascending, (n_k,), and what so many count, each (n_k + 1,)."""
    if weights is None:
        return [np.sort(own[k]) for k in kept], None
    order = [np.argsort(own[k], kind="stable") for k in kept]
    counted = [np.append(0.0, weights[k][by].cumsum()) for k, by in zip(kept, order, strict=True)]
    return [own[k][by] for k, by in zip(kept, order, strict=True)], counted


def _place(
    errors: list[np.ndarray], counted: list[np.ndarray] | None, coverage: float
) -> tuple[float, float]:
    """How much all errors count, and how much those must that lie at or below an end."""
    if counted is None:
        n = sum(map(len, errors))
        return n, rank(n, coverage)
    total = round(sum(float(sums[-1]) for sums in counted), DIGITS)
    return total, round((total + 1) * coverage, DIGITS)


def _sides(predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper end, both the prediction where it is a single number."""
    return (predicted, predicted) if predicted.ndim == 1 else (predicted[:, 0], predicted[:, 1])


def _ranked(
    errors: list[np.ndarray],
    counted: list[np.ndarray] | None,
    shift: np.ndarray,
    scale: np.ndarray,
    at: float,
) -> np.ndarray:
    """The `at`-th smallest of shift + scale * error over all parts, shape (m,).

    `errors` are sorted, each (n_k,), `counted` what so many of them count, each (n_k + 1,), or None
    where each counts 1; `shift` and `scale` have shape (k, m). By halving the range
    of the values and counting below its middle: k log n steps a row, where sorting takes n log n.
    """
    # Fewer than `at` values lie at or below `low`, and at least as many at or below `high`.
    first = np.array([e[0] for e in errors])[:, None]
    last = np.array([e[-1] for e in errors])[:, None]
    low = np.nextafter((shift + scale * first).min(axis=0), -np.inf)
    low -= np.abs(low) * 1e-12
    high = (shift + scale * last).max(axis=0)
    high += np.abs(high) * 1e-12
    below, enough_at = np.zeros(len(low)), at if counted is None else at - 10.0**-DIGITS
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        places = _places(errors, shift, scale, middle)
        if counted is not None:
            places = [sums[place] for sums, place in zip(counted, places, strict=True)]
        counts = sum(places)
        enough = counts >= enough_at
        high = np.where(enough, middle, high)
        low, below = np.where(enough, low, middle), np.where(enough, below, counts)
        if counted is None and ((below == at - 1) | np.isnan(low)).all():
            break
    return _next(errors, shift, scale, low)


def _places(
    errors: list[np.ndarray], shift: np.ndarray, scale: np.ndarray, t: np.ndarray
) -> list[np.ndarray]:
    """How many values of each part lie at or below t, (m,) each."""
    return [
        np.searchsorted(e, (t - shift[k]) / scale[k], side="right") for k, e in enumerate(errors)
    ]


def _next(
    errors: list[np.ndarray], shift: np.ndarray, scale: np.ndarray, t: np.ndarray
) -> np.ndarray:
    """The smallest value above t, which is one of them to the last bit, shape (m,)."""
    values = []
    for k, (e, place) in enumerate(zip(errors, _places(errors, shift, scale, t), strict=True)):
        value = shift[k] + scale[k] * e[np.minimum(place, len(e) - 1)]
        values.append(np.where(place < len(e), value, np.inf))
    return np.where(np.isnan(t), np.nan, np.min(values, axis=0))
