"""The quadratic programme of the family, and the state of a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.iterate import Stop


@dataclass(frozen=True, eq=False)
class Dual:
    """Minimise 1/2 b'Kb + q'b over low <= b <= high with the sum of b fixed at zero.

    `ridge` is added to the diagonal of K: squared losses have one.
    """

    source: Any  # GramSource or GramMatrix of n rows
    q: np.ndarray  # (n,)
    low: np.ndarray  # (n,)
    high: np.ndarray  # (n,)
    ridge: np.ndarray  # (n,), zeros where there is none

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.q)


class Pair(NamedTuple):
    """The last move of a pair."""

    i: int  # the variable that rose
    j: int  # the one that fell by as much
    before: tuple[float, float]  # their values
    step: float
    free: float  # the step that the bounds would have cut, were there none


@dataclass(frozen=True, eq=False)
class Point:
    """The state of a solver. The arrays are its own and change as it goes on."""

    beta: np.ndarray  # (n,) signed multipliers
    slope: np.ndarray  # (n,) K b + q
    gap: float  # largest violation of the conditions of a minimum
    moves: int  # pairs so far
    pair: Pair | None = None
    stop: Stop | None = None
    note: str = ""

    def value(self, problem: Dual) -> float:
        """Minus the objective: what the dual of a support vector machine maximises."""
        return float(-0.5 * self.beta @ (self.slope + problem.q))


def gap_of(problem: Dual, beta: np.ndarray, slope: np.ndarray) -> float:
    """The largest slope of what can fall less the least of what can rise; at most 0 at a minimum.

    `beta` and `slope` have shape (n,). Keerthi and others (2001), Neural Computation 13.
    """
    up = np.where(beta < problem.high, slope, np.inf)
    down = np.where(beta > problem.low, slope, -np.inf)
    return float(down.max() - up.min())


def offset(problem: Dual, beta: np.ndarray, slope: np.ndarray) -> tuple[float, float]:
    """The ends of the interval in which the offset b may lie; equal where a variable is free.

    A free variable has slope -b; without one the interval lies between what can rise and what can
    fall. `beta` and `slope` have shape (n,).
    """
    free = (beta > problem.low) & (beta < problem.high)
    if free.any():
        b = -float(slope[free].mean())
        return b, b
    up = slope[beta < problem.high]
    down = slope[beta > problem.low]
    return -float(up.min()), -float(down.max())
