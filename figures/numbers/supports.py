"""The multipliers of a support vector machine, row by row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.carry import Whole
from mlcore.data.dataset import Dataset
from mlcore.errors import DataError

ON_MARGIN, AT_BOUND = 1, 2  # kinds of support vectors
FULL = 1 - 1e-9  # of the bound, from which on a multiplier is at it


class Supports(NamedTuple):
    """The multipliers of every row, in the order of the data set."""

    alpha: np.ndarray  # (n,) the largest over the machines
    share: np.ndarray  # (n,) of its bound; 0 where there is none
    kind: np.ndarray  # (n,) 0 for no support vector, ON_MARGIN or AT_BOUND


def supports_of(dataset: Dataset, whole: Whole) -> Supports:
    """Multipliers and bounds by row; DataError where preparation changed the rows."""
    fit: Any = whole.fit
    if len(whole.prepared.X) != dataset.n:
        raise DataError("Support vectors are rows; the preparation took some away or added some.")
    alphas = np.abs(fit.duals)
    # A squared loss knows no bound: nothing is a share of infinity.
    bounded = np.isfinite(fit.bounds) & (fit.bounds > 0)
    shares = np.divide(alphas, fit.bounds, out=np.zeros_like(alphas), where=bounded)
    alpha, share = np.zeros(dataset.n), np.zeros(dataset.n)
    alpha[fit.support], share[fit.support] = alphas.max(axis=1), shares.max(axis=1)
    kind = np.where(alpha > 0, np.where(share >= FULL, AT_BOUND, ON_MARGIN), 0)
    return Supports(alpha, share, kind)
