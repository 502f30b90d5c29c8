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
from mlcore.svm.smo import AHEAD, SMO

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
    moves, most = 0, most or UNBOUNDED
    is_straight = isinstance(rows.kernel, Linear) and rows.X.shape[1] < len(rows.X)
    at = _Straight(rows, n_classes, tol) if is_straight else _ByRows(rows, n_classes, tol, solver)
    while True:
        moves += at.move(min(every, most - moves))
        lag = float(at.report[1])
        stop = _verdict(lag, tol, moves, most)
        yield Reached(at.beta, at.outputs(), moves, int(at.report[0]), lag, stop)
        if stop:
            return


class _Straight:
    """The state for a linear kernel, by a weight a class and column."""

    def __init__(self, rows: TrainingRows, n_classes: int, tol: float) -> None:
        self.X, self.tol, self.report = rows.X, tol, np.array([-1.0, np.inf, -1.0])
        self.beta = np.zeros((len(rows.X), n_classes))
        self._weights, self._room = np.zeros((n_classes, rows.X.shape[1])), np.empty(n_classes)
        self._fixed = _fixed(rows, (rows.X**2).sum(axis=1))
        self._order = np.arange(len(rows.X))
        self._at = np.array([0.0, 0.0, len(rows.X), 0.0, 1.0])

    def move(self, most: int) -> int:
        """Move at most so many rows; how many there were."""
        return _kernels.classwise_straight(
            read_only(self.X), *self._fixed, self.tol, most, self.beta, self._weights, self._room,
            self._order, self._at, self.report,
        )  # fmt: skip

    def outputs(self) -> np.ndarray:
        """Scores of the rows, shape (n, K)."""
        return self.X @ self._weights.T


class _ByRows:
    """The state for any kernel, by rows of the Gram matrix."""

    def __init__(self, rows: TrainingRows, n_classes: int, tol: float, solver: SMO) -> None:
        self.tol, self.report, self._cache = tol, np.array([-1.0, 0, -1]), _cache(rows, solver)
        self.beta, self._outputs = np.zeros((2, len(rows.X), n_classes))
        self._fixed, self._lag = _fixed(rows, self._cache.source.diag), np.empty(len(rows.X))

    def move(self, most: int) -> int:
        """Move at most so many rows; how many there were."""
        cache, made = self._cache, 0
        while True:
            made += _kernels.classwise(
                read_only(cache.rows), read_only(cache.slot), *self._fixed, self.tol, most - made,
                self.beta, self._outputs, cache.used, self._lag, self.report,
            )  # fmt: skip
            if self.report[2] < 0:
                return made
            cache.bring(_needed(cache, self._lag, int(self.report[2])), cache.now())

    def outputs(self) -> np.ndarray:
        """Scores of the rows, shape (n, K)."""
        return self._outputs


def _fixed(rows: TrainingRows, diag: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return read_only(diag), read_only(rows.y.astype(np.int64)), read_only(rows.price)


def _cache(rows: TrainingRows, solver: SMO) -> RowCache:
    source, none = GramSource(rows.kernel, rows.X), np.zeros(len(rows.X))
    if len(rows.X) <= MOST_AT_ONCE:
        return RowCache.whole(source, none)
    return RowCache(source, none, solver.cache_size, 2 * AHEAD)


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
    """What the last move did, as a sentence; `used`, shape (n,), are the numbers of the rows."""
    if at.row < 0:
        return "No row violates the conditions."
    return f"Row {int(used[at.row]) + 1} moved to its optimum; the worst row is {at.lag:.3g} off."
