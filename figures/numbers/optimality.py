"""How far a support vector machine is from the conditions of Karush, Kuhn and Tucker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from figures.numbers.supports import FULL
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.asking import can
from mlcore.svm.capabilities import HasMachines, HasNu, HasOffset, HasRegion, HasTube

SUM, LAST = "Σ α s = 0", "primal = dual"
SHARE, SHARE_OF_ROWS = "Σ α = ν Σ C", "Σ α = ν n"  # where nu is chosen; of a region
OF_NO_ROW = (SUM, SHARE, SHARE_OF_ROWS, LAST)
BOX, SUMS, CLEAR, EDGE, FULLS, NUS, GAP = range(7)  # the conditions by number


class Conditions(NamedTuple):
    """The largest residual of each condition, over all machines."""

    names: tuple[str, ...]  # (c,) 4 to 7
    residual: np.ndarray  # (c,) shares of C, of sums, outputs, and a share of the objective
    rows: np.ndarray  # (c,) rows that each speaks of, of all machines together
    worst: np.ndarray  # (c,) number in the table of the worst one; -1 where it speaks of no row
    bound: str  # the largest multiplier, C or 1; empty where there is none
    without: int  # rows of no multiplier, of all machines together
    on_edge: int  # of one between its bounds
    at_bound: int  # of the largest
    machines: int = 1


class Own(NamedTuple):
    """The rows of one machine."""

    at: np.ndarray  # (m,) positions among the training rows
    alpha: np.ndarray  # (m,) multipliers
    share: np.ndarray  # (m,) of the bound; 0 where there is no multiplier, or no bound
    room: np.ndarray  # (m,) how far inside the edge, squared slacks added: 0 on it
    signed: float  # sum of alpha s
    wanted: float  # what alpha should sum to by nu; NaN where there is no nu
    sign: np.ndarray  # (m,) -1 or 1: the side of a row
    ahead: np.ndarray  # (m,) how far inside the edge as it stands, in units of the output
    unit: float  # of which room is a share


def conditions_of(dataset: Dataset, whole: Whole) -> Conditions:
    """The residuals of the fitted rows of a machine of classes, of a tube or of a region."""
    fit: Any = whole.fit
    every = list(rows_by_machine(dataset, whole))
    residual, counts, worst = np.zeros(7), np.zeros(7, dtype=np.int64), np.full(7, -1)
    numbers_of = dataset.rows[whole.prepared.follow(np.arange(dataset.n))]
    for own in every:
        for k, (is_in, values) in _cases(own).items():
            counts[k] += int(is_in.sum())
            if is_in.any() and values[is_in].max() >= residual[k]:
                at = np.flatnonzero(is_in)[values[is_in].argmax()]
                residual[k], worst[k] = values[at], numbers_of[own.at[at]]
    residual[SUMS] = max(abs(own.signed) / max(float(own.alpha.sum()), 1e-300) for own in every)
    is_flat = can(fit, HasTube) and fit.epsilon == 0.0
    residual[NUS] = max(_off_share(own, is_flat) for own in every)
    residual[GAP] = _off_primal(fit.primal, fit.dual)
    bound = "" if not np.isfinite(fit.bounds).all() else "1" if can(fit, HasRegion) else "C"
    names = _names(fit, bound)
    kept = np.array(list(names))
    return Conditions(
        tuple(names.values()), residual[kept], counts[kept], worst[kept], bound,
        int(counts[CLEAR]), int(counts[EDGE]), int(counts[FULLS]), len(every),
    )  # fmt: skip


def _off_primal(primal: float, dual: float) -> float:
    """By how much of the primal the dual misses it: all, where no border is there yet."""
    return abs(primal - dual) / max(abs(primal), 1e-300) if np.isfinite(primal) else 1.0


def _off_share(own: Own, is_flat: bool) -> float:
    """By how much of it the multipliers miss their sum; a tube of no width may have less."""
    if not own.wanted > 0:  # NaN where no nu is chosen
        return 0.0
    off = (float(own.alpha.sum()) - own.wanted) / own.wanted
    return max(off, 0.0) if is_flat else abs(off)


def _names(fit: Any, bound: str) -> dict[int, str]:
    """Of a multiplier α, its bound C, the side s = -1 or 1 of a row, output f, residual r.

    Of a region s is the sum of the kernel and ρ that on its border.
    """
    names = {BOX: f"0 ≤ α ≤ {bound}" if bound else "0 ≤ α"}
    is_region = can(fit, HasRegion)
    if can(fit, HasOffset) and fit.has_intercept:
        names[SUMS] = SUM
    if can(fit, HasNu):
        names[NUS] = SHARE_OF_ROWS if is_region else SHARE
    what, edge, clear, beyond, far = ("s r", "ε", "≤", "≥", "+")
    if is_region or can(fit, HasMachines):
        what, edge, clear, beyond, far = "s" if is_region else "s f", "1", "≥", "≤", "−"
        edge = "ρ" if is_region else edge
    names[CLEAR] = f"{what} {clear} {edge} where α = 0"
    if bound:
        names[EDGE] = f"{what} = {edge} where 0 < α < {bound}"
        names[FULLS] = f"{what} {beyond} {edge} where α = {bound}"
    else:
        slack = f" {far} α / C" if fit.ridges.any() else ""  # none where no slack is allowed
        names[EDGE] = f"{what} = {edge}{slack} where α > 0"
    return names | {GAP: LAST}


def rows_by_machine(dataset: Dataset, whole: Whole) -> Iterator[Own]:
    """The rows of each machine with their multipliers; rows of weight 0 are in none."""
    fit: Any = whole.fit
    n = len(whole.prepared.X)
    weights = weights_of(fit.made_by, dataset, np.arange(dataset.n))
    is_used = np.ones(n, bool) if weights is None else whole.prepared.follow(weights) > 0
    duals, shares, slacks = np.zeros((3, n, fit.duals.shape[1]))
    duals[fit.support] = fit.duals
    has_bound = np.isfinite(fit.bounds) & (fit.bounds > 0)
    shares[fit.support] = np.divide(
        np.abs(fit.duals), fit.bounds, out=np.zeros_like(fit.duals), where=has_bound
    )
    slacks[fit.support] = np.abs(fit.duals) * fit.ridges
    for m, (at, sign, room, unit) in enumerate(_placed(whole, duals, is_used)):
        own = duals[at, m]
        clear = (room + slacks[at, m]) / unit
        yield Own(
            at, sign * own, shares[at, m], clear, float(own.sum()), _wanted(fit, m), sign, room,
            unit,
        )  # fmt: skip


def _wanted(fit: Any, m: int) -> float:
    """What the multipliers of a machine should sum to: nu times the bounds of all its rows."""
    if not can(fit, HasNu):
        return float("nan")
    of_supports = float(fit.bounds[fit.duals[:, m] != 0, m].sum())
    return fit.nu * of_supports / max(float(fit.supported[m]), 1e-300)


# Positions, sides and room from the edge, shape (m,) each, and the unit of the last.
Placed = Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, float]]


def _placed(whole: Whole, duals: np.ndarray, is_used: np.ndarray) -> Placed:
    """Of each machine, with multipliers duals, (n, M), of the rows that are used, (n,)."""
    if can(whole.fit, HasMachines):
        return _on_sides(whole, is_used)
    if can(whole.fit, HasRegion):
        return _in_region(whole, is_used)
    return _in_tube(whole, duals, is_used)


def _in_region(whole: Whole, is_used: np.ndarray) -> Placed:
    """Of the one machine of a region: the sum of the kernel above rho, by rho."""
    fit: Any = whole.fit
    at = np.flatnonzero(is_used)
    above = fit.usualness(whole.prepared.X[at]) - fit.rho
    yield at, np.ones(len(at)), above, abs(fit.rho) or 1.0


def _on_sides(whole: Whole, is_used: np.ndarray) -> Placed:
    """Of each machine of two classes: s f beyond 1, its own margin."""
    fit: Any = whole.fit
    X, y = whole.prepared.X, np.searchsorted(fit.classes, np.asarray(whole.prepared.y))
    values = fit.values(X)
    for m, (negative, positive) in enumerate(fit.machines):
        is_low = y != positive if negative < 0 else y == negative
        at = np.flatnonzero((is_low | (y == positive)) & is_used)
        sign = np.where(y[at] == positive, 1.0, -1.0)
        yield at, sign, sign * values[at, m] - 1.0, 1.0


def _in_tube(whole: Whole, duals: np.ndarray, is_used: np.ndarray) -> Placed:
    """Of the one machine of a quantity: s r within epsilon, by the spread of the target."""
    fit: Any = whole.fit
    at = np.flatnonzero(is_used)
    y = np.asarray(whole.prepared.y, dtype=float)[at]
    away, own = y - fit.predict(whole.prepared.X[at]), duals[at, 0]
    sign = np.where(own == 0, np.where(away < 0, -1.0, 1.0), np.sign(own))
    yield at, sign, fit.epsilon - sign * away, float(y.std()) or 1.0


def _cases(own: Own) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Which rows a condition speaks of, and by how much each breaks it, both of shape (m,)."""
    is_none, is_full = own.alpha == 0, own.share >= FULL
    below = -own.alpha / max(float(np.abs(own.alpha).max()), 1e-300)
    return {
        BOX: (
            np.ones(len(own.at), dtype=bool),
            np.maximum(np.maximum(own.share - 1.0, below), 0.0),
        ),
        CLEAR: (is_none, np.maximum(-own.room, 0.0)),
        EDGE: (~is_none & ~is_full, np.abs(own.room)),
        FULLS: (is_full, np.maximum(own.room, 0.0)),
    }
