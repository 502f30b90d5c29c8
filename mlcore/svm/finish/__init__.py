"""The exact minimum from a point near it: linear equations for the free variables."""

from __future__ import annotations

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.svm import _kernels
from mlcore.svm.dual import Dual, Point, gap_of

MOST_CHANGES = 20  # each frees or binds one variable; more means that the start was not near
SMALL = 1e-8  # of the mean diagonal: added to it where rows are twice there
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
    free = (at > problem.low) & (at < problem.high)
    first = gap_of(problem, at, now)
    enough = EXACT * max(float(np.abs(now).max()), 1.0)
    try:
        for _ in range(MOST_CHANGES):
            was_cut = stepped(problem, K, at, now, free)
            gap = gap_of(problem, at, now)
            if not was_cut:
                if gap <= enough:
                    break
                free_worst(problem, at, now, free)
    except np.linalg.LinAlgError:
        return None
    gap = gap_of(problem, at, now)
    if not gap < first:
        return None
    note = f"Solved exactly for {int(free.sum())} support vectors between the bounds."
    return Point(at, now, max(gap, 0.0), 0, note=note)


def stepped(
    problem: Dual, K: np.ndarray, at: np.ndarray, now: np.ndarray, free: np.ndarray
) -> bool:
    """One step to the solution for the free variables, in place; whether a bound cut it.

    K has shape (n, n), the others (n,). Raises LinAlgError where K is not positive definite.
    """
    F = np.flatnonzero(free)
    if len(F) < 2:
        return False
    L = np.empty((len(F), len(F)))  # of which the upper half is neither filled nor read
    _kernels.pick_lower(read_only(K), read_only(F), L)
    L[np.diag_indices_from(L)] += SMALL * max(float(L.diagonal().mean()), 1e-300)
    if not _kernels.factor(L):
        # The kernel is not valid: the solution may be a saddle.
        raise np.linalg.LinAlgError("Not positive definite")
    parts = _parts(problem, F)
    d = _direction(L, now[F], parts)
    for part in parts:  # what rounding leaves of a sum that is zero; large where rows are alike
        d[part] -= d[part].mean()
    room = np.where(d > 0, problem.high[F] - at[F], problem.low[F] - at[F])
    share = np.divide(room, d, out=np.full(len(F), np.inf), where=d != 0)
    t = min(float(share.min()), 1.0)
    at[F] += t * d
    _kernels.carry(read_only(K), read_only(F), read_only(t * d), now)
    if t == 1.0:
        return False
    out = F[share <= t]
    at[out] = np.where(d[share <= t] > 0, problem.high[out], problem.low[out])
    free[out] = False
    return True


def _parts(problem: Dual, F: np.ndarray) -> list[slice]:
    """Where the free variables F, rising, of each group stand; a group without one has none."""
    if problem.split is None:
        return [slice(None)]
    k = int(np.searchsorted(F, problem.split))
    return [slice(0, k), slice(k, None)] if 0 < k < len(F) else [slice(None)]


def _direction(L: np.ndarray, slope: np.ndarray, parts: list[slice]) -> np.ndarray:
    """The solution d of L L' d + b = -slope, (f,), that sums to zero, with a b for each part."""
    sides = np.zeros((1 + len(parts), len(slope)))
    sides[0] = slope
    for g, part in enumerate(parts):
        sides[1 + g, part] = 1.0
    ones = sides[1:].copy()
    _kernels.substitute(read_only(L), sides)
    return np.linalg.solve(ones @ sides[1:].T, ones @ sides[0]) @ sides[1:] - sides[0]


def free_worst(problem: Dual, at: np.ndarray, now: np.ndarray, free: np.ndarray) -> None:
    """Free the variable at a bound that violates the conditions most, in place; (n,) each."""
    level = np.empty(len(now))
    for own in problem.groups:
        of_free = now[own][free[own]]
        level[own] = np.median(of_free if len(of_free) else now[own])
    rise = np.where(~free & (at < problem.high), level - now, -np.inf)
    fall = np.where(~free & (at > problem.low), now - level, -np.inf)
    free[int(np.maximum(rise, fall).argmax())] = True
