"""The quadratic programme of the family, and the state of a solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from mlcore.kernels.gram import Bordered
from mlcore.spine.iterate import Stop


@dataclass(frozen=True, eq=False)
class Dual:
    """Minimise 1/2 b'Kb + q'b over low <= b <= high with the sum of b fixed at that of `start`.

    `ridge` is added to the diagonal of K: squared losses have one. With `split` the variables
    before it and those from it on are two groups, and the sum of each is fixed.
    """

    source: Any  # GramSource or GramMatrix of n rows
    q: np.ndarray  # (n,)
    low: np.ndarray  # (n,)
    high: np.ndarray  # (n,)
    ridge: np.ndarray  # (n,), zeros where there is none
    start: np.ndarray | None = None  # (n,) within the bounds; zeros if there is none
    split: int | None = None  # between 1 and n - 1

    @property
    def is_positive(self) -> np.ndarray:
        """Whether b is a multiplier with its own sign, (n,), so that 0 is its lower bound."""
        return self.low >= 0.0

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.q)

    @property
    def groups(self) -> tuple[slice, ...]:
        """The variables whose sum is fixed: all, or the two groups."""
        if self.split is None:
            return (slice(0, self.n),)
        return slice(0, self.split), slice(self.split, self.n)


def without_intercept(problem: Dual) -> Dual:
    """The programme without the condition on the sum: b of what it describes is zero.

    One variable more, without bounds, features or price, takes up what the others sum to. Its slope
    stays zero, so that a pair with it is a move of one variable alone.
    """
    return Dual(
        Bordered(problem.source),
        np.append(problem.q, 0.0),
        np.append(problem.low, -np.inf),
        np.append(problem.high, np.inf),
        np.append(problem.ridge, 0.0),
    )


class Pair(NamedTuple):
    """The last move of a pair."""

    i: int  # the variable that rose
    j: int  # the one that fell by as much
    before: tuple[float, float]  # their values
    step: float
    free: float  # the step that the bounds would have cut, were there none

    @property
    def variables(self) -> tuple[int, int]:
        """Both."""
        return self.i, self.j


@dataclass(frozen=True, eq=False)
class Point:
    """The state of a solver. The arrays are its own and change as it goes on."""

    beta: np.ndarray  # (n,) signed multipliers
    slope: np.ndarray  # (n,) K b + q
    gap: float  # largest violation of the conditions of a minimum
    moves: int  # pairs so far
    pair: Pair | None = None
    stop: Stop | None = None
    note: str = ""  # the sentence of a step that moved no pair
    tells: str = ""  # what more there is to tell of a pair

    def value(self, problem: Dual) -> float:
        """Minus the objective: what the dual of a support vector machine maximises."""
        return float(-0.5 * self.beta @ (self.slope + problem.q))


class Solver(Protocol):
    """What solves a dual: `most_rows` it takes, None for any number; `moves_pairs`: whether its
    moves are of two variables."""

    most_rows: ClassVar[int | None]
    moves_pairs: ClassVar[bool]

    def walk(
        self, problem: Dual, *, tol: float, max_moves: int | None, every: int = ...
    ) -> Iterator[Point]: ...


def thresholds(
    problem: Dual, beta: np.ndarray, slope: np.ndarray
) -> tuple[tuple[float, float], ...]:
    """b_up, the least slope of what can rise, and b_low, the largest of what can fall, by group.

    `beta` and `slope` have shape (n,). Infinite where nothing can. Keerthi and others (2001),
    Neural Computation 13.
    """
    up = np.where(beta < problem.high, slope, np.inf)
    down = np.where(beta > problem.low, slope, -np.inf)
    return tuple((float(up[own].min()), float(down[own].max())) for own in problem.groups)


def gap_of(problem: Dual, beta: np.ndarray, slope: np.ndarray) -> float:
    """b_low less b_up, by which the conditions are violated; at most 0 at a minimum.

    `beta` and `slope` have shape (n,). Of two groups that of the worse.
    """
    return max(b_low - b_up for b_up, b_low in thresholds(problem, beta, slope))


def offset(
    problem: Dual, beta: np.ndarray, slope: np.ndarray, own: slice = slice(None)
) -> tuple[float, float]:
    """The ends of the interval in which the offset b may lie; equal where a variable is free.

    A free variable has slope -b; without one the interval lies between what can rise and what can
    fall. `beta` and `slope` have shape (n,); `own` is the group that is asked for.
    """
    beta, slope, low, high = beta[own], slope[own], problem.low[own], problem.high[own]
    free = (beta > low) & (beta < high)
    if free.any():
        b = -float(slope[free].mean())
        return b, b
    up, down = slope[beta < high], slope[beta > low]
    # Where all stand at one bound, the other end is open: the one that there is stands for both.
    least = float(up.min()) if len(up) else float(down.max())
    return -least, -(float(down.max()) if len(down) else least)
