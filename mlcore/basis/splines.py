"""B-splines on knots at equal distances, with straight lines beyond the last rows."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.maths.linear import signed

NO_CUTS = read_only(np.empty(0))


def knots(low: float, high: float, count: int, degree: int) -> np.ndarray:
    """Knots of `count` B-splines over [low, high], as many beyond it as each has pieces.

    Shape (count + degree + 1,). Eilers and Marx (1996), Statistical Science 11(2).
    """
    step = (high - low) / (count - degree)
    return low + step * np.arange(-degree, count + 1)


def b_splines(x: np.ndarray, low: float, high: float, count: int, degree: int) -> np.ndarray:
    """The splines at places x, (m,): shape (m, count), each row sums to 1.

    Beyond [low, high] each goes on as the line that it is at the end.
    """
    from scipy.interpolate import BSpline  # takes a moment to import

    t = knots(low, high, count, degree)
    inside = np.clip(x, low, high)
    values = BSpline.design_matrix(inside, t, degree, extrapolate=True).toarray()
    for end in (low, high):
        beyond = (x < low) if end == low else (x > high)
        if beyond.any():
            slopes = BSpline(t, np.eye(count), degree)(end, nu=1)
            values[beyond] += np.outer(x[beyond] - end, slopes)
    return values


@cache
def bends(count: int) -> np.ndarray:
    """Directions of the weights of `count` splines, shape (count, count - 1), in columns.

    The first makes a straight line; each other has a sum of squared second differences of 1, and
    none shares any with another. None makes a constant, which belongs to the intercept.
    """
    D = np.diff(np.eye(count), n=2, axis=0)
    _, sizes, V = np.linalg.svd(D)
    line = np.arange(count) - (count - 1) / 2
    # Second differences of constants and lines are 0; what bends is orthogonal to both.
    wiggly = V[: count - 2] / sizes[:, None]
    directions = np.column_stack([line / np.linalg.norm(line), signed(wiggly).T])
    directions.setflags(write=False)
    return directions


class Curve(NamedTuple):
    """The basis of one column: a line and what bends it, steps, the column itself, or nothing."""

    low: float
    high: float
    width: int  # weights; 1 for a line, 0 for an exposure
    cuts: np.ndarray = NO_CUTS  # (width,) where steps are; none for a curve

    @property
    def n_free(self) -> int:
        """How many weights are not charged: that of a straight line, the first."""
        return 0 if len(self.cuts) else 1

    def of(self, x: np.ndarray, degree: int) -> np.ndarray:
        """The basis at values x, shape (m,): shape (m, width), not centred."""
        if len(self.cuts):
            return (x[:, None] > self.cuts).astype(np.float64)
        if self.width <= 1:
            return x[:, None][:, : self.width]
        count = self.width + 1
        return b_splines(x, self.low, self.high, count, degree) @ bends(count)
