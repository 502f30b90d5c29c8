"""Stability of a selection of variables over the folds."""

from __future__ import annotations

import numpy as np

from mlcore.spine.records import function


@function("selection_stability", title="Stability of a selection")
def selection_stability(chosen: np.ndarray) -> float:
    r"""Agreement of several choices beyond chance: 1 is always the same, 0 what chance gives.

    With choices Z, shape (M, d), true where a variable is chosen, shares $p_f$ and mean size k,

    $1 - \frac{\frac1d \sum_f \frac{M}{M - 1} p_f (1 - p_f)}{\frac kd (1 - \frac kd)}$

    (Nogueira, Sechidis and Brown 2018, J. Machine Learning Research 18). For choices of equal size
    it is the mean over all pairs of Kuncheva's index. NaN for a single choice, and where all or no
    variables are always chosen: then there was nothing to choose.
    """
    Z = np.asarray(chosen, dtype=np.float64)
    M, d = Z.shape
    share = Z.mean() if Z.size else 0.0
    if M < 2 or share in (0.0, 1.0):
        return float("nan")
    p = Z.mean(axis=0)
    varied = M / (M - 1) * (p * (1 - p)).sum() / d
    return float(1 - varied / (share * (1 - share)))
