"""A loss along a line of predictors: value, derivative and slopes in one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation.losses import Loss
from mlcore.spine.pool import even_parts, side_by_side

# Predictors of a part, whatever the number of threads; to begin a thread for less costs more.
PART = 2**15
Along = Callable[..., None]


class Trial(NamedTuple):
    """A loss at one place of the line, summed over the weighted rows."""

    Z: np.ndarray  # (m, n), the predictor there
    value: float
    rise: float  # derivative of the value along the line
    slopes: np.ndarray  # (m, n), by the predictor, times the weights


@runtime_checkable
class Compiled(Protocol):
    """A loss that a compiled loop carries along a line, for targets of type `codes`."""

    along: Along
    codes: type


def compiled(loss: Loss, y: np.ndarray) -> tuple[Along, np.ndarray] | None:
    """The loop of a loss, and the targets y, (n,), as it takes them; None where it has none."""
    if not isinstance(loss, Compiled):
        return None
    return loss.along, read_only(y.astype(loss.codes, copy=False))


class Line:
    """Trials of one loss at Z + t by, (m, n) both.

    The arrays of a trial are valid until the next: fresh memory costs more than the sums.
    """

    def __init__(self, loss: Loss, y: np.ndarray, weights: np.ndarray | None, m: int = 1) -> None:
        self._loss, self._y = loss, y
        self._loop, self._parts = compiled(loss, y), even_parts(len(y), max(PART // m, 1))
        self.by = np.empty((m, len(y)))  # a place for the direction
        self._weights = read_only(np.ones(len(y)) if weights is None else weights)
        self._there = self._slopes = np.empty((0, 0))

    def at(self, Z: np.ndarray, by: np.ndarray, t: float) -> Trial:
        """The trial at t of Z and the direction `by`, shape (m, n) both."""
        if self._loop is not None:
            return self._compiled(*self._loop, Z, by, t)
        there = Z + t * by
        local = self._loss.at(self._y, there)
        slopes = local.slope * self._weights
        value, rise = float(self._weights @ local.value), float(np.vdot(slopes, by))
        return Trial(there, value, rise, slopes)

    def kept(self, trial: Trial) -> Trial:
        """The same trial, whose predictor stays valid; its slopes do until the next one."""
        self._there = np.empty((0, 0))
        return trial

    def _compiled(
        self, along: Along, y: np.ndarray, Z: np.ndarray, by: np.ndarray, t: float
    ) -> Trial:
        if self._slopes.shape != Z.shape:
            self._slopes = np.empty(Z.shape)
        if self._there.shape != Z.shape:
            self._there = np.empty(Z.shape)
        inputs = y, self._weights, read_only(Z), read_only(by), float(t)
        there, slopes = self._there, self._slopes

        def of_part(part: tuple[int, int]) -> np.ndarray:
            sums = np.empty(2)
            along(*inputs, *part, there, slopes, sums)
            return sums

        if len(self._parts) == 1:  # as of most tables: to share takes longer than a few rows
            value, rise = of_part(self._parts[0])
        else:
            value, rise = np.add.reduce(list(side_by_side(of_part, self._parts)))
        return Trial(there, float(value), float(rise), slopes)
