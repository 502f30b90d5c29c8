"""Tests on five repetitions of two-fold cross-validation."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import fdtrc, stdtr

from mlcore.spine.errors import DataError
from mlcore.spine.records import function

# As NAIVE_RATES, and from the same lab.
RATES = (
    "Both tests on 5 x 2 folds are too optimistic on few rows: where there is no difference, "
    "the t-test claims one in about 12 % of studies of 100 rows and the F-test in about 14 %, not "
    "in 5 %."
)


class FiveByTwo(NamedTuple):
    """Both tests on 5 x 2 folds."""

    t: float  # Dietterich (1998), 5 degrees of freedom
    p_t: float
    f: float  # Alpaydin (1999), 10 and 5 degrees of freedom
    p_f: float


@function("five_by_two", title="5 x 2 folds t-test and F-test", sources=("prac:significance_test",))
def five_by_two(differences: Any) -> FiveByTwo:
    r"""Dietterich's t-test and Alpaydin's F-test.

    With $s_i^2$ the squared deviations of the two differences of repetition i from their mean,
    $t = d_{11} / \sqrt{\sum s_i^2 / 5}$ and $F = \sum\sum d_{ij}^2 / (2 \sum s_i^2)$.
    `differences`, shape (5, 2), holds one a fold. Raises DataError for another shape, or if the two
    folds agree in every repetition: there is then no spread to judge by.
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.shape != (5, 2) or not np.isfinite(d).all():
        raise DataError(
            f"This test needs the differences of 5 repetitions of 2 folds; got shape {d.shape}. "
            "Take 2 folds and 5 repeats."
        )
    squares = float(((d - d.mean(axis=1, keepdims=True)) ** 2).sum())
    if squares == 0:
        raise DataError("The folds of each repetition agree, so there is no spread to judge by.")
    t, f = float(d[0, 0]) / sqrt(squares / 5), float((d**2).sum()) / (2 * squares)
    return FiveByTwo(t, float(2 * stdtr(5, -abs(t))), f, float(fdtrc(10, 5, f)))
