"""A loss along a line of predictors: value, derivative and slopes in one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.maths.pool import side_by_side
from mlcore.optimisation.losses import Loss

# Predictors of a part, whatever the number of threads; to begin a thread for less costs more.
PART = 2**16


class Trial(NamedTuple):
    """A loss at one place of the line, summed over the weighted rows."""

    Z: np.ndarray  # (m, n), the predictor there
    value: float
    rise: float  # derivative of the value along the line
    slopes: np.ndarray  # (m, n), by the predictor, times the weights


@runtime_checkable
class Compiled(Protocol):
    """A loss that a compiled loop carries along a line, for targets of type `codes`."""

    along: Callable[..., None]
    codes: type


class Line:
    """Trials of one loss at Z + t by, (m, n) both.

    The arrays of a trial are valid until the next: fresh memory costs more than the sums.
    """

    def __init__(self, loss: Loss, y: np.ndarray, weights: np.ndarray | None, m: int = 1) -> None:
        self._loss, self._y = loss, y
        self.by = np.empty((m, len(y)))  # a place for the direction
        self._weights = read_only(np.ones(len(y)) if weights is None else weights)
        self._there = self._slopes = np.empty((0, 0))

    def at(self, Z: np.ndarray, by: np.ndarray, t: float) -> Trial:
        """The trial at t of Z and the direction `by`, shape (m, n) both."""
        if isinstance(self._loss, Compiled):
            return self._compiled(self._loss, Z, by, t)
        there = Z + t * by
        local = self._loss.at(self._y, there)
        slopes = local.slope * self._weights
        value, rise = float(self._weights @ local.value), float(np.vdot(slopes, by))
        return Trial(there, value, rise, slopes)

    def kept(self, trial: Trial) -> Trial:
        """The same trial, whose predictor stays valid; its slopes do until the next one."""
        self._there = np.empty((0, 0))
        return trial

    def _compiled(self, loss: Compiled, Z: np.ndarray, by: np.ndarray, t: float) -> Trial:
        m, n = Z.shape
        if self._slopes.shape != Z.shape:
            self._slopes = np.empty((m, n))
        if self._there.shape != Z.shape:
            self._there = np.empty((m, n))
        y = read_only(self._y.astype(loss.codes, copy=False))
        inputs: Any = y, self._weights, read_only(Z), read_only(by), float(t)
        there, slopes, size = self._there, self._slopes, max(PART // m, 1)

        def of_part(first: int) -> np.ndarray:
            sums = np.empty(2)
            loss.along(*inputs, first, min(first + size, n), there, slopes, sums)
            return sums

        value, rise = np.add.reduce(list(side_by_side(of_part, range(0, n, size))))
        return Trial(there, float(value), float(rise), slopes)
