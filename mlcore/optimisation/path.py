"""Coefficients along the strength of a penalty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Path(NamedTuple):
    """One solution for each strength, from the strongest penalty to the weakest."""

    alphas: np.ndarray  # (A,), falling
    coefficients: np.ndarray  # (A, p), or (A, p, K)
    intercepts: np.ndarray  # (A,), or (A, K)
    objective: np.ndarray  # (A,), value at the solution
    df: np.ndarray  # (A,), effective parameters, intercepts included; NaN where too many to count
    log: bool = True  # whether the strengths are to be drawn on a log axis


def falling(top: float, ratio: float, count: int) -> np.ndarray:
    """Strengths from `top` down to `top` times `ratio`, even on a log scale, shape (count,)."""
    return top * ratio ** np.linspace(0.0, 1.0, count)
