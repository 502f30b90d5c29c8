"""The capability of fits that predict several quantiles of the target, for scores and pictures."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class GivesQuantiles(Protocol):
    """`predict_quantiles(X)`: below each value a share `levels`, (k,) and ascending, of what will
    be observed lies, in units of the target, shape (m, k)."""

    levels: np.ndarray

    def predict_quantiles(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class AsksQuantiles(Protocol):
    """`quantiles`: the shares that a method is asked for, ascending."""

    quantiles: tuple


@runtime_checkable
class HasQuantilePlanes(GivesQuantiles, Protocol):
    """A plane a quantile: `planes`, its coefficients, shape (k, p), and `heights`, its intercepts,
    shape (k,), in units of the target."""

    planes: np.ndarray
    heights: np.ndarray
