"""What regression by support vectors shares: a tube around a function, and its fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.kernels.products import Linear
from mlcore.kernels.validity import notes_of_rows
from mlcore.spine.capabilities_of_sums import Sum, weighted_columns
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.wording import rough
from mlcore.svm.dual import Dual, Point
from mlcore.svm.machines import kernel_notes
from mlcore.svm.method import MachineFit, SupportVectorMethod, moved, outputs
from mlcore.svm.moves import PairsState, moves_told

HALF = 0.5  # share of the support vectors at the bound above which C may be too small
MOST_REACHED = 2000  # rows of which is asked how far C reaches
ROUNDING = 1e-9  # of the largest target: rows on the edge of the tube are not outside


@dataclass(frozen=True, eq=False)
class SVRState(PairsState):
    """The machine so far."""

    support: np.ndarray  # (S,) rows with a multiplier
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, 1) signed multipliers
    intercept: float
    interval: tuple[float, float]
    primal: float
    epsilon: float
    beyond: float  # weight of the rows outside the tube as a share of all
    supported: float  # weight of the rows with a multiplier as a share of all


@dataclass(frozen=True, eq=False, kw_only=True)
class SVRFit(MachineFit):
    """Support vectors and their multipliers."""

    kernel: Any  # with the numbers that the training rows decided
    support: np.ndarray  # (S,) which of the training rows
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, 1) above zero for rows above the tube
    bounds: np.ndarray  # (S, 1) upper bound of the multiplier
    ridges: np.ndarray  # (S, 1) slack over multiplier where slacks are squared, else 0
    intercept: float
    interval: tuple[float, float]  # in which the intercept may lie
    epsilon: float  # half the width of the tube
    dual: float
    primal: float
    has_intercept: bool = True
    notes: tuple[str, ...] = ()

    def predict(self, X: Any) -> np.ndarray:
        """The middle of the tube, shape (m,)."""
        X = self._rows(X)
        if not len(self.support):  # the tube holds every row
            return np.full(len(X), self.intercept)
        return outputs(self.kernel, self.support_vectors, self.duals[:, 0], X) + self.intercept

    @property
    def as_sum(self) -> Sum | None:
        """A line a column, where the kernel is linear."""
        if not isinstance(self.kernel, Linear):
            return None
        return Sum(curve=weighted_columns(self.support_vectors.T @ self.duals))


class Placed(NamedTuple):
    """Where the tube lies at a point of the solver."""

    epsilon: float
    interval: tuple[float, float]  # in which the intercept may lie


@dataclass(frozen=True, kw_only=True)
class SupportVectorRegressor(SupportVectorMethod):
    """One machine in 2n signed multipliers: of rows above the tube, then of those below it."""

    if TYPE_CHECKING:
        C: float  # each declares its own, in its words

    many: ClassVar[int] = 300_000

    def _is_squared(self) -> bool:
        return False

    def _has_intercept(self) -> bool:
        return True

    def _dual(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, kernel: Kernel) -> Dual:
        """The programme of rows X, (n, p), with targets and prices, (n,) each."""
        # The width of the tube is given, or nu finds it.
        raise NotImplementedError(f"{type(self).__name__} declares no programme")

    def _placed(self, problem: Dual, point: Point) -> Placed:
        """Half the width of the tube and the ends of the intercept."""
        # Where the width is found, it comes of the point as well.
        raise NotImplementedError(f"{type(self).__name__} declares no tube")

    def _charge(self, epsilon: float, price: np.ndarray) -> float:
        """What the width of the tube costs, beside what lies outside."""
        return 0.0

    def _played(self, given: Given, every: int | None) -> Iterator[Step]:
        used = np.flatnonzero(given.w > 0)
        X, y, price = given.X[used], given.target[used], self.C * given.w[used]
        problem = self._dual(X, y, price, self.kernel.resolve(X, given.w[used]))
        for k, point in enumerate(self._walk(problem, every)):
            state = self._state(X, y, price, used, problem, point)
            yield Step(k, point.value(problem), state, point.stop, _note(used, point))

    def _state(
        self,
        X: np.ndarray,
        y: np.ndarray,
        price: np.ndarray,
        used: np.ndarray,
        problem: Dual,
        point: Point,
    ) -> SVRState:
        n = len(y)
        beta = point.beta[:n] + point.beta[n : 2 * n]
        epsilon, ends = self._placed(problem, point)
        b = (ends[0] + ends[1]) / 2
        own = point.slope - problem.q - problem.ridge * point.beta
        of_kernel = own[:n]  # (K beta); the other half is the same
        outside = np.maximum(np.abs(y - of_kernel - b) - epsilon, 0.0)
        charge = 0.5 * price @ outside**2 if self._is_squared() else price @ outside
        charge = charge + self._charge(epsilon, price)
        primal = float(max(beta @ of_kernel, 0.0) / 2 + charge)
        at, total = np.flatnonzero(beta), float(price.sum())
        edge = max(point.gap, ROUNDING * float(np.abs(y).max()))
        beyond = float(price[outside > edge].sum()) / total
        has = (point.beta[:n] != 0) | (point.beta[n : 2 * n] != 0)
        return SVRState(
            used[at], X[at], beta[at, None], b, ends, primal, epsilon, beyond,
            float(price[has].sum()) / total, **moves_told(problem, np.tile(used, 2), point),
        )  # fmt: skip

    def _fields(self, given: Given, end: Step) -> dict[str, Any]:
        """What the fit of the last step holds."""
        state: SVRState = end.state
        used = given.w > 0
        kernel = self.kernel.resolve(given.X[used], given.w[used])
        price = self.C * given.w[state.support]
        none = np.zeros(len(price))
        bounds, ridges = (none + np.inf, 1.0 / price) if self._is_squared() else (price, none)
        return {
            "made_by": self,
            "columns": given.columns,
            "n_iter": state.moves,
            "stop": end.stop,
            "kernel": kernel,
            "support": state.support,
            "support_vectors": state.support_vectors,
            "duals": state.duals,
            "bounds": bounds[:, None],
            "ridges": ridges[:, None],
            "intercept": state.intercept,
            "interval": state.interval,
            "epsilon": state.epsilon,
            "dual": end.objective,
            "primal": state.primal,
            "has_intercept": self._has_intercept(),
            "notes": self._notes(given, kernel, state, price),
        }

    def _notes(
        self, given: Given, kernel: Kernel, state: SVRState, price: np.ndarray
    ) -> tuple[str, ...]:
        """A kernel that is not valid, a C that reaches too little."""
        notes = kernel_notes(kernel, given.X[given.w > 0], self._has_intercept())
        at_bound = np.abs(state.duals[:, 0]) >= price * (1 - 1e-9)
        if not len(price) or self._is_squared() or at_bound.mean() <= HALF:
            return notes
        if notes_of_rows(given.X[given.w > 0]):
            return notes  # no C reaches further
        if short := self._out_of_reach(given, kernel):
            return (*notes, short)
        if at_bound.mean() > 0.9:
            return (*notes, "Nearly all rows are at the bound C. Raise C, or scale the target.")
        return notes

    def _out_of_reach(self, given: Given, kernel: Kernel) -> str:
        """A sentence where no curve of such multipliers reaches the target; else nothing."""
        used = given.w > 0
        y, has_offset = given.target[used], self._has_intercept()
        reach = reach_of(kernel, given.X[used], self.C * given.w[used])
        needed = float(np.ptp(y)) / 2 if has_offset else float(np.abs(y).max())
        if needed <= reach:
            return ""
        from_where = "its intercept" if has_offset else "zero"
        what = "half the spread of the target is" if has_offset else "the target reaches"
        return (
            f"With this C the curve leaves {from_where} by at most {rough(reach)} at any row, and "
            f"{what} {rough(needed)}. Raise C, or scale the target."
        )


def reach_of(kernel: Kernel, X: np.ndarray, price: np.ndarray) -> float:
    """How far a curve of multipliers up to `price`, (n,), may leave its offset at the rows X.

    The largest sum of price times |k(x_i, x)|; infinite of more rows than is worth the time.
    """
    if len(X) > MOST_REACHED:
        return np.inf
    return float((np.abs(kernel.against(X)(X)) @ price).max())


def _note(used: np.ndarray, point: Point) -> str:
    """What the last move did, as a sentence."""
    n = len(used)
    of_rows = [k % n for k in point.pair.variables if k < 2 * n] if point.pair else []
    return moved([int(used[k]) for k in of_rows], point)
