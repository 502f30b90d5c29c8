"""The exact minimum from a point near it: linear equations for the free variables."""

from __future__ import annotations

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.svm.dual import Dual, Point, gap_of
from mlcore.svm.finish import _kernels

MOST_CHANGES = 20  # each frees or binds one variable; more means that the start was not near
EXACT = 1e-11  # of the largest slope: a gap that rounding explains


def finished(problem: Dual, K: np.ndarray, beta: np.ndarray, slope: np.ndarray) -> Point | None:
    """The exact minimum from a point near it, or None where no better point is found.

    K has shape (n, n), `beta` and `slope` shape (n,).

    For the variables between their bounds the conditions are linear: K_FF d + b = -slope with d
    summing to zero, in each of two groups with a b of its own. A variable that would leave its
    bounds is bound, one that violates the conditions is freed, one at a time. K includes the
    ridge. `beta` and `slope` do not change.
    """
    at, now = beta.copy(), slope.copy()
    first = gap_of(problem, at, now)
    enough = EXACT * max(float(np.abs(now).max()), 1.0)
    free = _kernels.finish(read_only(K), *_limits(problem), at, now, MOST_CHANGES, enough)
    gap = gap_of(problem, at, now)
    if free == _kernels.NO_ROOT or not gap < first:
        return None
    note = f"Solved exactly for {free} support vectors between the bounds."
    return Point(at, now, max(gap, 0.0), 0, note=note)


def stepped(
    problem: Dual, K: np.ndarray, at: np.ndarray, now: np.ndarray, free: np.ndarray
) -> bool:
    """One step to the solution for the free variables, in place; whether a bound cut it.

    K has shape (n, n), the others (n,). Raises LinAlgError where K is not positive definite.
    """
    how = _kernels.stepped(read_only(K), *_limits(problem), at, now, free)
    if how == _kernels.NO_ROOT:
        # The kernel is not valid: the solution may be a saddle.
        raise np.linalg.LinAlgError("Not positive definite")
    return how == _kernels.CUT


def free_worst(problem: Dual, at: np.ndarray, now: np.ndarray, free: np.ndarray) -> None:
    """Free the variable at a bound that violates the conditions most, in place; (n,) each."""
    _kernels.free_worst(*_limits(problem), at, now, free)


def _limits(problem: Dual) -> tuple[int, np.ndarray, np.ndarray]:
    """Where the second group begins, and the bounds, (n,) each."""
    split = problem.n if problem.split is None else problem.split
    return split, read_only(problem.low), read_only(problem.high)
