"""Line searches: how far a step goes along a direction in which the objective falls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real

MOST_HALVINGS = 60  # beyond, a step of 1 is lost in rounding
LONGEST = 2.0**30  # times the first trial: the objective falls for ever along this line


@dataclass(frozen=True, kw_only=True)
class LineSearch(Component):
    """Finds a length."""

    trials = 3.0  # values of the objective that it usually asks for

    def length(
        self, value: Callable[[float], float], at: float, slope: float, first: float
    ) -> float:
        """How far to go, 0 where nothing is lower.

        `value(t)` is the objective at length t; at 0 it is `at`, with a derivative `slope` below 0;
        `first` is the length that is tried first.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no length")


@enter(
    Card(
        "armijo",
        "Armijo",
        ("line_search",),
        paper="Armijo (1966), Pacific Journal of Mathematics 16(1)",
        kind="part",
        sources=("cs2:opt_line_search",),
        formula=r"f(t) \le f(0) + c \, t \, f'(0)",
        synonyms=("backtracking", "sufficient decrease"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Armijo(LineSearch):
    """Goes back by a half until the objective has fallen by a share of what its slope promised."""

    share: float = real(
        1e-4, above=0.0, below=0.5, soft=(1e-6, 0.3), log=True, symbol="c",
        label="Share of the promise", doc="Of the fall that the slope promises.", advanced=True,
    )  # fmt: skip

    def length(
        self, value: Callable[[float], float], at: float, slope: float, first: float
    ) -> float:
        """The first of `first`, half of it ... that is low enough; twice as far while it falls."""
        t = first
        for _ in range(MOST_HALVINGS):
            if (new := value(t)) < at and new <= at + self.share * t * slope:
                return self._further(value, at, slope, t, new) if t == first else t
            t *= 0.5
        return 0.0

    def _further(
        self, value: Callable[[float], float], at: float, slope: float, t: float, low: float
    ) -> float:
        """Twice as far for as long as that is lower still."""
        most = t * LONGEST
        while t < most:
            new = value(2.0 * t)
            if not new < low or new > at + self.share * 2.0 * t * slope:
                return t
            t, low = 2.0 * t, new
        return t


@enter(
    Card(
        "brent",
        "Brent",
        ("line_search",),
        paper="Brent (1973), Algorithms for Minimization without Derivatives",
        kind="part",
        sources=("cs2:opt_brent",),
        synonyms=("golden section", "parabolic interpolation", "exact line search"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Brent(LineSearch):
    """Encloses a minimum along the line, then closes in by parabolas and golden sections."""

    trials = 12.0

    most: int = integer(
        20, low=3, high=200, soft=(5, 50), label="Most trials",
        doc="Values of the objective that are tried between the ends.", advanced=True,
    )  # fmt: skip

    def length(
        self, value: Callable[[float], float], at: float, slope: float, first: float
    ) -> float:
        """About the nearest minimum."""
        end, low = _enclosed(value, at, first)
        if end == 0.0:
            return 0.0
        best = minimize_scalar(
            lambda t: _or_huge(value(t)), bounds=(0.0, end), method="bounded",
            options={"maxiter": self.most, "xatol": 1e-3 * end},
        )  # fmt: skip
        known = end / 2.0 if value(end / 2.0) <= best.fun else float(best.x)
        return known if min(float(best.fun), low) < at else 0.0


def _enclosed(value: Callable[[float], float], at: float, first: float) -> tuple[float, float]:
    """An end beyond a minimum, and the value at half of it; 0 where no length is lower."""
    t = first
    for _ in range(MOST_HALVINGS):
        if (low := value(t)) < at:
            break
        t *= 0.5
    else:
        return 0.0, at
    while t < first * LONGEST and (new := value(2.0 * t)) < low:
        t, low = 2.0 * t, new
    return 2.0 * t, low


def _or_huge(value: float) -> float:
    return value if np.isfinite(value) else float(np.finfo(float).max)
