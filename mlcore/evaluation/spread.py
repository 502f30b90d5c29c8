"""How far scores of several folds or replicates lie apart."""

from __future__ import annotations

import numpy as np

ROUNDING = 1e-12  # of the largest score: what scores that agree may differ by


def spread(values: np.ndarray) -> float:
    """Standard deviation of scores, shape (n,), divisor n - 1; NaN for fewer than two.

    Scores that agree but for rounding have none.
    """
    return float(spreads(values)) if len(values) > 1 else float("nan")


def spreads(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """The same along an axis of at least two scores; shape (..., n) gives shape (...)."""
    deviations = values.std(axis=axis, ddof=1)
    return np.where(deviations <= ROUNDING * np.abs(values).max(axis=axis), 0.0, deviations)
