"""Holm's adjustment for many tests at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.records import function


@function("holm", title="Holm's adjustment", sources=("prac:significance_test",))
def holm(p: Any) -> np.ndarray:
    r"""Adjusted p-values, shape (m,): below alpha, all claims hold together at that level.

    The k-th smallest is $\max_{j \le k} \min(1, (m - j + 1) p_{(j)})$ (Holm 1979). Whatever
    depends on what, the probability of any false claim is at most alpha. NaN is no test: it stays
    NaN and does not count. Raises DataError for p-values outside 0 to 1.
    """
    p = np.asarray(p, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    if p.ndim != 1 or ((p[tested] < 0) | (p[tested] > 1)).any():
        raise DataError("Holm's adjustment needs a list of p-values between 0 and 1.")
    order = tested[np.argsort(p[tested], kind="stable")]
    stepped = p[order] * np.arange(len(order), 0, -1)
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
