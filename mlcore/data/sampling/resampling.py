"""Samples of rows from the rows of a table: bootstrap and weighted resampling."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks, random
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

SCHEMES = ("independent", "systematic")


class Sample(NamedTuple):
    """Positions of rows that were drawn, and of those that never were."""

    rows: np.ndarray  # (size,), repeats among them
    left_out: np.ndarray  # (n - distinct,) rising


@function("bootstrap_rows", sources=("cs2:bootstrap", "s841:jackknife_bootstrap"))
def bootstrap_rows(n: int, size: int | None = None, seed: int = 0) -> Sample:
    r"""`size` of n rows drawn with replacement, n of them if it is not given.

    On average $(1 - 1/n)^n \approx 0.368$ of the rows are left out, on which what was learned from
    the others can be judged.
    """
    size = _size(n, size)
    return _sample(random.generator(checks.seed(seed), "bootstrap").integers(0, n, size), n)


@function("weighted_resample", sources=("cs2:weighted_resampling",))
def weighted_resample(
    weights: Any, size: int | None = None, scheme: str = "independent", seed: int = 0
) -> Sample:
    r"""`size` rows, as many as there are weights if not given, with $P(i) = w_i / \sum_j w_j$.

    "independent" draws each by itself; "systematic" places evenly spaced marks along the
    cumulated weights, so that a row is drawn $size \cdot P(i)$ times but for less than one.
    `weights` has the shape (n,). Raises ParamError for any other scheme.
    """
    if scheme not in SCHEMES:
        raise ParamError(f"Rows are resampled by {', '.join(SCHEMES)}; got {scheme!r}.")
    w = checks.weights(weights, len(np.atleast_1d(weights)), "Resampling", squared=False)
    size = _size(len(w), size)
    rng = random.generator(checks.seed(seed), "weighted resample")
    marks = rng.uniform(size=size if scheme == "independent" else 1)
    if scheme == "systematic":
        marks = (np.arange(size) + marks) / size
    ends = np.cumsum(w / w.max())  # as shares of the largest no sum overflows
    # A mark that rounding puts at the very end belongs to the last row with a weight.
    rows = np.minimum(np.searchsorted(ends, marks * ends[-1], side="right"), np.flatnonzero(w)[-1])
    return _sample(rows, len(w))


def _size(n: int, size: int | None) -> int:
    if not checks.is_count(n):
        raise DataError(f"Resampling needs a whole number of rows, at least one; got {n}.")
    size = n if size is None else size
    if not checks.is_count(size):
        raise ParamError(f"Resampling draws a whole number of rows, at least one; got {size}.")
    return size


def _sample(rows: np.ndarray, n: int) -> Sample:
    return Sample(rows, np.setdiff1d(np.arange(n), rows))
