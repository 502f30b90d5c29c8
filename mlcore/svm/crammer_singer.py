"""Several classes in one machine: the score of a row's own class leads all others by a margin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.kernels.gram import GramSource
from mlcore.kernels.products import Linear
from mlcore.maths.arrays import read_only
from mlcore.maths.class_scores import best_class, decision_of
from mlcore.spine.capabilities_of_sums import Sum, linear_scores
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Stop
from mlcore.spine.wording import count
from mlcore.svm import _kernels
from mlcore.svm.machines import MOST_AT_ONCE, TrainingRows
from mlcore.svm.method import outputs
from mlcore.svm.rows import RowCache
from mlcore.svm.smo import AHEAD, SINGLE_TOL, SMO

UNBOUNDED = 2**62  # moves


@dataclass(frozen=True, eq=False)
class ClassesState:
    """The machine so far."""

    support: np.ndarray  # (S,) rows with a multiplier
    duals: np.ndarray  # (S, K)
    bounds: np.ndarray  # (S,)
    primal: float
    moves: int  # rows so far


@dataclass(frozen=True, eq=False, kw_only=True)
class CrammerSingerFit(Fit):
    """Support vectors with a multiplier a class: above zero for their own, in sum zero."""

    classes: np.ndarray  # (K,) sorted labels
    kernel: Any  # with the numbers that the training rows decided
    support: np.ndarray  # (S,) which of the training rows
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, K)
    bounds: np.ndarray  # (S, K) the largest multiplier of the row
    dual: float
    primal: float
    notes: tuple[str, ...] = ()

    def values(self, X: Any) -> np.ndarray:
        """Score of each class, shape (m, K): its own leads by 1 or more outside the margin."""
        return outputs(self.kernel, self.support_vectors, self.duals, self._rows(X))

    def decision(self, X: Any) -> np.ndarray:
        """The scores, shape (m, K); of two classes their difference, (m,)."""
        return decision_of(self.values(X))

    @property
    def as_sum(self) -> Sum | None:
        """Scores: a line a column, where the kernel is linear."""
        if not isinstance(self.kernel, Linear):
            return None
        weights = self.duals.T @ self.support_vectors  # (K, p)
        pair = weights[1] - weights[0] if len(weights) == 2 else weights
        return linear_scores(pair, self.decision)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score, shape (m,)."""
        return self.classes[best_class(self.decision(X))]


@dataclass(frozen=True, eq=False)
class Reached:
    """A point of the solver. The arrays are its own and change as it goes on."""

    beta: np.ndarray  # (n, K)
    own: np.ndarray  # (n, K) outputs of the rows
    moves: int
    row: int  # the last that moved; -1 before
    lag: float  # by which the worst row is from its own optimum
    stop: Stop | None


def walk(
    rows: TrainingRows, n_classes: int, solver: SMO, *, tol: float, most: int | None, every: int
) -> Iterator[Reached]:
    """The state after each `every` rows that moved, the last with the reason to stop.

    Minimises half the sum of beta_k' K beta_k less the multipliers of the own classes. Crammer and
    Singer (2001), Journal of Machine Learning Research 2.
    """
    n, most = len(rows.X), most or UNBOUNDED
    cache = _cache(rows, solver, tol)
    beta, own = np.zeros((2, n, n_classes))
    lag, report, moves = np.empty(n), np.array([-1.0, 0.0, -1.0]), 0
    fixed = [read_only(a) for a in (cache.source.diag, rows.y.astype(np.int64), rows.price)]
    while True:
        goal = min(moves + every, most)
        while True:
            moves += _kernels.classwise(
                read_only(cache.rows), read_only(cache.slot), *fixed, tol, goal - moves, beta, own,
                cache.used, lag, report,
            )  # fmt: skip
            if report[2] < 0:
                break
            cache.bring(_needed(cache, lag, int(report[2])), cache.now())
        stop = _verdict(float(report[1]), tol, moves, most)
        yield Reached(beta, own, moves, int(report[0]), float(report[1]), stop)
        if stop:
            return


def _cache(rows: TrainingRows, solver: SMO, tol: float) -> RowCache:
    source, none = GramSource(rows.kernel, rows.X), np.zeros(len(rows.X))
    if len(rows.X) <= MOST_AT_ONCE:
        return RowCache.whole(source, none)
    return RowCache(
        source.single() if tol >= SINGLE_TOL else source, none, solver.cache_size, 2 * AHEAD
    )


def _needed(cache: RowCache, lag: np.ndarray, wanted: int) -> np.ndarray:
    """The wanted row, and while there is room those that lag most of the rows not in the cache."""
    if cache.is_full:
        return np.array([wanted])
    away = np.flatnonzero(cache.slot < 0)
    most = min(AHEAD, len(away))
    worst = away[np.argpartition(-lag[away], most - 1)[:most]]
    return np.union1d(worst, [wanted])


def _verdict(lag: float, tol: float, moves: int, most: int) -> Stop | None:
    if lag <= tol:
        return Stop("converged", f"Converged: no row violates the conditions by more than {tol:g}.")
    if moves >= most:
        why = f"Not converged after {count(moves, 'row')}: the worst is still {lag:.3g} off."
        return Stop("limit", why)
    return None


def objectives(rows: TrainingRows, at: Reached) -> tuple[float, float]:
    """Dual and primal: half the squared lengths, and the price of what no margin leads by."""
    each = np.arange(len(rows.y))
    lengths = float((at.beta * at.own).sum()) / 2
    ahead = at.own + 1.0
    ahead[each, rows.y] -= 1.0
    slack = ahead.max(axis=1) - at.own[each, rows.y]
    return float(at.beta[each, rows.y].sum()) - lengths, lengths + float(rows.price @ slack)


def state_of(rows: TrainingRows, used: np.ndarray, at: Reached) -> tuple[float, ClassesState]:
    """The dual, and what is shown of a point; `used`, (n,), are the numbers of the rows."""
    dual, primal = objectives(rows, at)
    has = np.flatnonzero((at.beta != 0).any(axis=1))
    return dual, ClassesState(used[has], at.beta[has], rows.price[has], primal, at.moves)


def note_of(used: np.ndarray, at: Reached) -> str:
    """What the last move did, as a sentence."""
    if at.row < 0:
        return "No row violates the conditions."
    return f"Row {int(used[at.row]) + 1} moved to its optimum; the worst row is {at.lag:.3g} off."
