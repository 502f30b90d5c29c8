"""What a fit itself says of how far off it may be: a deviation, and intervals of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesPredictiveDeviation, GivesPredictiveInterval
from mlcore.spine.quantiles import GivesQuantiles

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)  # at which intervals are asked for
SAME = 1e-9  # levels that differ by less are one


class OwnIntervals(NamedTuple):
    """Of m rows."""

    levels: np.ndarray  # (a,) coverages of its own intervals, ascending
    ends: np.ndarray  # (m, a, 2) of these intervals
    deviation: np.ndarray | None = None  # (m,) of what will be observed

    def at(self, level: float) -> np.ndarray | None:
        """The intervals of exactly this level, shape (m, 2)."""
        same = np.flatnonzero(np.abs(self.levels - level) < SAME)
        return self.ends[:, same[0]] if len(same) else None

    def near(self, level: float) -> np.ndarray:
        """The intervals of the nearest level, shape (m, 2)."""
        return self.ends[:, int(np.abs(self.levels - level).argmin())]

    def taken(self, rows: np.ndarray) -> OwnIntervals:
        """What it says of some of the rows, (m,) bool or positions."""
        deviation = None if self.deviation is None else self.deviation[rows]
        return OwnIntervals(self.levels, self.ends[rows], deviation)

    def spread_over(self, rows: np.ndarray) -> OwnIntervals:
        """The same among more rows, (m,) bool: NaN where it says nothing."""
        ends = np.full((len(rows), *self.ends.shape[1:]), np.nan)
        ends[rows] = self.ends
        if self.deviation is None:
            return self._replace(ends=ends)
        deviation = np.full(len(rows), np.nan)
        deviation[rows] = self.deviation
        return self._replace(ends=ends, deviation=deviation)


def own_intervals_of(
    fit: Any, X: np.ndarray, levels: Sequence[float] = LEVELS
) -> OwnIntervals | None:
    """What a fit of one output says of rows X, (m, p); None where it says nothing of the kind."""
    if can(fit, GivesPredictiveDeviation):
        # One deviation for all levels: a Gaussian process solves a system of equations for it.
        deviation, z = fit.predictive_deviation(X), ndtri((1 + np.array(levels)) / 2)
        reach = deviation[:, None] * z
        middle = fit.predict(X)[:, None]
        return OwnIntervals(
            np.array(levels), np.stack([middle - reach, middle + reach], -1), deviation
        )
    if can(fit, GivesPredictiveInterval):
        ends = [fit.predictive_interval(X, level) for level in levels]
        return OwnIntervals(np.array(levels), np.stack(ends, axis=1))
    return _of_quantiles(fit, X) if can(fit, GivesQuantiles) else None


def _of_quantiles(fit: Any, X: np.ndarray) -> OwnIntervals | None:
    """Between pairs of quantiles, from the inmost; what lies between is their coverage."""
    k = len(fit.levels) // 2
    if not k:
        return None
    Q, inner = fit.predict_quantiles(X), np.arange(k)[::-1]
    outer = len(fit.levels) - 1 - inner
    levels = np.round(fit.levels[outer] - fit.levels[inner], 12)
    return OwnIntervals(levels, np.stack([Q[:, inner], Q[:, outer]], axis=-1))
