"""Where to cut a single axis between two classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class AxisCuts(NamedTuple):
    """Places on an axis of which the first class lies below and the second above."""

    midpoint: float  # half way between the means
    gaussian: float  # where two normal densities by the shares of the classes cross; NaN if nowhere
    least_error: float  # with the fewest wrong rows among those given; the middle of the widest


def axis_cuts(low: np.ndarray, high: np.ndarray) -> AxisCuts:
    """Cuts between rows of two classes at `low`, shape (n,), and `high`, (m,), of larger mean."""
    middle = (float(low.mean()) + float(high.mean())) / 2
    return AxisCuts(middle, _crossing(low, high), _least_error(low, high))


def _crossing(low: np.ndarray, high: np.ndarray) -> float:
    """Between the means, the place at which n1 N(x; m1, v1) = n2 N(x; m2, v2)."""
    (a, u), (b, v) = ((float(z.mean()), float(z.var())) for z in (low, high))
    if not u > 0 < v:
        return float("nan")
    log_odds = np.log(len(low) / len(high)) - np.log(u / v) / 2
    # log_odds - (x - a)^2 / 2u + (x - b)^2 / 2v = 0, a quadratic in x - a: no digits are lost far
    # from 0.
    gap = b - a
    roots = np.roots([(1 / v - 1 / u) / 2, -gap / v, gap * gap / (2 * v) + log_odds])
    real = a + roots.real[np.abs(roots.imag) <= 1e-9 * (1 + np.abs(roots.real))]
    inside = real[(real >= a) & (real <= b)]
    return float(inside[0]) if len(inside) else float("nan")


def _least_error(low: np.ndarray, high: np.ndarray) -> float:
    """A place of the fewest errors between neighbouring rows, in the widest gap among equals."""
    z = np.concatenate([low, high])
    order = np.argsort(z, kind="stable")
    steps = np.concatenate([np.full(len(low), -1), np.full(len(high), 1)])[order]
    z, errors = z[order], len(low) + np.cumsum(steps)  # of a cut above each row
    gaps = np.append(np.diff(z), 0.0)
    is_cut = gaps > 0
    if not is_cut.any():
        return float(z[0])
    best = np.flatnonzero(is_cut & (errors == errors[is_cut].min()))
    k = int(best[gaps[best].argmax()])
    return float(z[k] + gaps[k] / 2)


def errors_at(cut: float, low: np.ndarray, high: np.ndarray) -> float:
    """Share of the rows at `low`, shape (n,), and `high`, (m,), on the wrong side of a cut."""
    wrong = int((low > cut).sum()) + int((high <= cut).sum())
    return wrong / (len(low) + len(high))
