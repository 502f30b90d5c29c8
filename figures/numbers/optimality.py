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
from mlcore.svm.capabilities import HasMachines

SUM, LAST = "Σ α s = 0", "primal = dual"  # the conditions that speak of no row


class Conditions(NamedTuple):
    """The largest residual of each condition, over all machines."""

    names: tuple[str, ...]  # (c,) 6, or 5 where no multiplier has a bound
    residual: np.ndarray  # (c,) shares of C, of the sum, outputs, and a share of the objective
    rows: np.ndarray  # (c,) rows that each speaks of, of all machines together
    worst: np.ndarray  # (c,) number in the table of the worst one; -1 where it speaks of no row
    is_bounded: bool  # whether there is a largest multiplier, C
    is_free: bool  # whether some multiplier lies between its bounds


class Own(NamedTuple):
    """The rows of one machine."""

    at: np.ndarray  # (m,) positions among the training rows
    alpha: np.ndarray  # (m,) multipliers
    share: np.ndarray  # (m,) of the bound; 0 where there is no multiplier, or no bound
    room: np.ndarray  # (m,) how far inside the edge, squared slacks added: 0 on it
    signed: float  # sum of alpha s


def conditions_of(dataset: Dataset, whole: Whole) -> Conditions:
    """The residuals of the fitted rows of a machine of classes or of a tube."""
    fit: Any = whole.fit
    is_bounded = bool(np.isfinite(fit.bounds).all())
    every = list(_machines(dataset, whole))
    residual, counts, worst = np.zeros(6), np.zeros(6, dtype=np.int64), np.full(6, -1)
    numbers_of = dataset.rows[whole.prepared.follow(np.arange(dataset.n))]
    for own in every:
        for k, (is_in, values) in _cases(own).items():
            counts[k] += int(is_in.sum())
            if is_in.any() and values[is_in].max() >= residual[k]:
                at = np.flatnonzero(is_in)[values[is_in].argmax()]
                residual[k], worst[k] = values[at], numbers_of[own.at[at]]
    residual[1] = max(abs(own.signed) / max(float(own.alpha.sum()), 1e-300) for own in every)
    residual[5] = abs(fit.primal - fit.dual) / max(abs(fit.primal), 1e-300)
    kept = np.array([0, 1, 2, 3, 4, 5] if is_bounded else [0, 1, 2, 3, 5])
    names = _names(can(fit, HasMachines), is_bounded)
    is_free = bool(counts[3])
    return Conditions(names, residual[kept], counts[kept], worst[kept], is_bounded, is_free)


def _names(of_classes: bool, is_bounded: bool) -> tuple[str, ...]:
    """Of a multiplier α, its bound C, the side s = -1 or 1 of a row, output f, residual r."""
    what, edge = ("s f", "1") if of_classes else ("s r", "ε")
    clear, beyond, far = "≥≤−" if of_classes else "≤≥+"
    first = f"{what} {clear} {edge} where α = 0"
    if not is_bounded:
        return ("0 ≤ α", SUM, first, f"{what} = {edge} {far} α / C where α > 0", LAST)
    on_edge, over = f"{what} = {edge} where 0 < α < C", f"{what} {beyond} {edge} where α = C"
    return ("0 ≤ α ≤ C", SUM, first, on_edge, over, LAST)


def _machines(dataset: Dataset, whole: Whole) -> Iterator[Own]:
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
    placed = _on_sides(whole, is_used) if can(fit, HasMachines) else _in_tube(whole, duals, is_used)
    for m, (at, sign, room, unit) in enumerate(placed):
        own = duals[at, m]
        clear = (room + slacks[at, m]) / unit
        yield Own(at, sign * own, shares[at, m], clear, float(own.sum()))


# Positions, sides and room from the edge, shape (m,) each, and the unit of the last.
Placed = Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, float]]


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
        0: (np.ones(len(own.at), dtype=bool), np.maximum(np.maximum(own.share - 1.0, below), 0.0)),
        2: (is_none, np.maximum(-own.room, 0.0)),
        3: (~is_none & ~is_full, np.abs(own.room)),
        4: (is_full, np.maximum(own.room, 0.0)),
    }
