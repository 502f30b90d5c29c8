"""The multipliers of a support vector machine, row by row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole

ON_MARGIN, AT_BOUND = 1, 2  # kinds of support vectors
FULL = 1 - 1e-9  # of the bound, from which on a multiplier is at it


class Supports(NamedTuple):
    """The multipliers of every row, in the order of the data set."""

    alpha: np.ndarray  # (n,) the largest over the machines
    share: np.ndarray  # (n,) of its bound; 0 where there is none
    kind: np.ndarray  # (n,) 0 for no support vector, ON_MARGIN or AT_BOUND


def supports_of(dataset: Dataset, whole: Whole) -> Supports:
    """Multipliers and bounds by row; of the rows that the preparation made from one, the largest.

    A row that the preparation took away has no multiplier.
    """
    fit: Any = whole.fit
    alphas = np.abs(fit.duals)
    # A squared loss knows no bound: nothing is a share of infinity.
    bounded = np.isfinite(fit.bounds) & (fit.bounds > 0)
    shares = np.divide(alphas, fit.bounds, out=np.zeros_like(alphas), where=bounded)
    alpha = by_row(dataset, whole, fit.support, alphas.max(axis=1))
    share = by_row(dataset, whole, fit.support, shares.max(axis=1))
    kind = np.where(alpha > 0, np.where(share >= FULL, AT_BOUND, ON_MARGIN), 0)
    return Supports(alpha, share, kind)


def by_row(dataset: Dataset, whole: Whole, support: Any, values: np.ndarray) -> np.ndarray:
    """The largest value of each row of the data set, shape (n,); `support` counts training rows."""
    largest = np.zeros(dataset.n)
    rows = whole.prepared.follow(np.arange(dataset.n))[np.asarray(support, dtype=np.int64)]
    np.maximum.at(largest, rows, values)
    return largest
