"""Quasi-Newton descent of a costly function of few variables within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

ENOUGH, FLATTER = 1e-4, 0.9  # decrease and flattening that a step must bring (weak Wolfe)
MOST_TRIALS = 20  # of step lengths along one direction
LONGEST = 2.0  # of a step, in one variable: the function is known near where it was tried


@dataclass(frozen=True, eq=False)
class Tried:
    """The function at a place; its slope is computed where it is needed."""

    x: np.ndarray  # (q,)
    value: float  # inf where the function is not defined
    slope: Callable[[], np.ndarray]  # gives (q,)


@dataclass(frozen=True, eq=False)
class Descended:
    """Where the descent stands after a step."""

    tried: Tried
    slope: np.ndarray  # (q,)
    steepest: float  # of the slope, where the bounds leave room to go down
    length: float  # of the last step as a share of its direction; 0 where none was found


def bfgs(
    evaluate: Callable[[np.ndarray], Tried], start: np.ndarray, low: np.ndarray, high: np.ndarray
) -> Iterator[Descended]:
    """The start and then a line search a step, without end; low <= x <= high, shape (q,) each.

    A variable at a bound to which the function falls stays there. Ends by itself only where no
    lower place is found. Nocedal and Wright (2006), Numerical Optimization, chapter 6.
    """
    at = evaluate(start)
    slope = at.slope()
    bend, was_free = np.eye(len(start)) / max(float(np.linalg.norm(slope)), 1.0), None
    yield Descended(at, slope, _steepest(at.x, slope, low, high), 1.0)
    while True:
        free = ~_at_bounds(at.x, slope, low, high)
        if was_free is not None and not np.array_equal(free, was_free):
            bend = np.eye(len(start)) / max(float(np.linalg.norm(slope)), 1.0)
        was_free = free
        by = -np.where(free, bend @ np.where(free, slope, 0.0), 0.0)
        if not by @ slope < 0:
            by = -np.where(free, slope, 0.0)
        by *= min(1.0, LONGEST / max(float(np.abs(by).max()), 1e-300))
        new, new_slope, length = _searched(evaluate, at, slope, by, low, high)
        if new is None:
            yield Descended(at, slope, _steepest(at.x, slope, low, high), 0.0)
            return
        bend = _learned(bend, new.x - at.x, new_slope - slope)
        at, slope = new, new_slope
        yield Descended(at, slope, _steepest(at.x, slope, low, high), length)


def _at_bounds(x: np.ndarray, slope: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return ((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0))


def _steepest(x: np.ndarray, slope: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    return float(np.abs(slope[~_at_bounds(x, slope, low, high)]).max(initial=0.0))


def _searched(
    evaluate: Callable[[np.ndarray], Tried],
    at: Tried,
    slope: np.ndarray,
    by: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> tuple[Tried | None, np.ndarray, float]:
    """A place along `by` that is low and flat enough, with its slope, and how far it is.

    The slope costs more than the value, so it is asked for only where the value is low enough.
    """
    most, t = np.inf, 1.0
    best: tuple[Tried | None, np.ndarray, float] = (None, slope, 0.0)
    downhill = float(by @ slope)
    for _ in range(MOST_TRIALS):
        new = evaluate(np.clip(at.x + t * by, low, high))
        if not new.value <= at.value + ENOUGH * float((new.x - at.x) @ slope):
            most = t
            if best[0] is not None:
                return best  # what was found is lower; to go on would cost more than it brings
            t = _lowest_of_parabola(t, at.value, new.value, downhill)
            continue
        if new.value >= at.value:
            return best  # rounding hides any decrease
        new_slope = new.slope()
        best = new, new_slope, t
        is_cut = not np.array_equal(new.x, at.x + t * by)
        is_long = t * float(np.abs(by).max()) >= LONGEST
        if is_cut or is_long or most < np.inf or float(new_slope @ by) >= FLATTER * downhill:
            return best
        t = 2.0 * t
    return best


def _lowest_of_parabola(t: float, before: float, after: float, downhill: float) -> float:
    """Where the parabola through both values with this slope is lowest, not too near an end."""
    if not np.isfinite(after):
        return t / 4.0
    bend = after - before - t * downhill
    lowest = -downhill * t * t / (2.0 * bend) if bend > 0 else t / 2.0
    return float(np.clip(lowest, t / 10.0, t / 2.0))


def _learned(bend: np.ndarray, s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The inverse curvature after a step s along which the slope changed by y, both (q,)."""
    along = float(s @ y)
    if along <= 1e-10 * float(np.linalg.norm(s) * np.linalg.norm(y)):
        return bend  # no curvature above rounding: a bend downwards teaches nothing
    if np.count_nonzero(bend - np.diag(np.diag(bend))) == 0:
        bend = np.eye(len(s)) * (along / float(y @ y))  # the scale of the first step
    left = np.eye(len(s)) - np.outer(s, y) / along
    return left @ bend @ left.T + np.outer(s, s) / along
