"""Distances that only have an order: the nearest ones that rise with it."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from mlcore.maths.arrays import read_only
from mlcore.reduction import _kernels

ROUNDING = 1e-12  # of the largest: distances that differ by less are equally large


class Order:
    """Pairs of rows by how far apart they should be. Those that tie may be parted, or are not."""

    def __init__(self, aims: np.ndarray, parts_ties: bool) -> None:
        """From the distances that should be, shape (m,)."""
        self.order = np.argsort(aims, kind="stable")
        is_new = np.diff(aims[self.order]) > ROUNDING * np.abs(aims).max(initial=0.0)
        self.level = np.append(0, np.cumsum(is_new)) if len(aims) else self.order  # of the sorted
        self.counts = np.bincount(self.level)  # pairs of each level
        self.ends = read_only(np.append(0, np.cumsum(self.counts)))
        self.has_ties, self.parts_ties = not is_new.all(), parts_ties

    def disparities(self, apart: np.ndarray) -> np.ndarray:
        """The values nearest to distances `apart`, shape (m,), that rise with the order.

        Of squared differences the least, by pooling adjacent violators. Pairs that tie have any
        values between those below and above them (Kruskal's primary approach) or one (secondary).
        """
        made = np.empty_like(apart)
        if self.has_ties and not self.parts_ties:
            means = np.bincount(self.level, apart[self.order]) / self.counts
            made[self.order] = isotonic_regression(means, weights=self.counts).x[self.level]
            return made
        if self.has_ties:  # from the order of the map before, which is nearly that of this one
            _kernels.sorted_within(self.ends, self.order, read_only(apart))
        made[self.order] = isotonic_regression(apart[self.order]).x
        return made


def stress_of_order(apart: np.ndarray, disparities: np.ndarray) -> float:
    """Kruskal's stress-1 of distances in a map, both shape (m,): 0 where their order is kept."""
    total = float((apart**2).sum())
    return float(np.sqrt(((apart - disparities) ** 2).sum() / total)) if total > 0 else 0.0
