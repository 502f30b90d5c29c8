"""Several classes as binary machines, which share the rows and the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from mlcore.kernels.gram import GramMatrix, GramSource
from mlcore.kernels.validity import notes_of_rows
from mlcore.svm.dual import Dual, offset, without_intercept

MOST_AT_ONCE = 2048  # rows whose Gram matrix is computed once for all machines (32 MB)
REST = -1  # in place of a class: all others


class Machine(NamedTuple):
    """Two classes and their rows."""

    classes: tuple[int, int]  # code of the negative class, or REST, and of the positive one
    rows: np.ndarray  # (n_m,) which of the used rows
    sign: np.ndarray  # (n_m,) -1 or 1


def machines(y: np.ndarray, n_classes: int, scheme: str) -> list[Machine]:
    """One machine for two classes; for more one a pair ("ovo"), or one a class ("ovr").

    y holds codes of the classes, shape (n,).
    """
    if n_classes == 2 or scheme == "ovo":
        return [_pair(y, a, b) for a, b in combinations(range(n_classes), 2)]
    every = np.arange(len(y))
    return [Machine((REST, k), every, np.where(y == k, 1.0, -1.0)) for k in range(n_classes)]


def _pair(y: np.ndarray, a: int, b: int) -> Machine:
    rows = np.flatnonzero((y == a) | (y == b))
    return Machine((a, b), rows, np.where(y[rows] == b, 1.0, -1.0))


class Solved(NamedTuple):
    """The state of a machine."""

    beta: np.ndarray  # (n_m,) signed multipliers
    intercept: float
    interval: tuple[float, float]  # in which the offset may lie
    dual: float
    primal: float
    length: float  # of the normal vector in the features of the kernel
    rho: float = 1.0  # by which a nu-machine was divided so that its margins stand at -1 and 1
    has_margin: bool = True  # whether a nu-machine found a rho above the gap that is left
    beyond: float = 0.0  # rows beyond the margin of a nu-machine as a share of all, by weight


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The rows of positive weight, with the price of a slack of each."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,) codes
    price: np.ndarray  # (n,) C times the weight of the row and of its class
    kernel: Any  # resolved
    is_squared: bool  # whether slacks are charged by their squares
    has_intercept: bool = True

    def machines(self, n_classes: int, scheme: str) -> list[Machine]:
        """The machines of these rows; `scheme` is "ovo" or "ovr"."""
        return machines(self.y, n_classes, scheme)

    def top(self, machine: Machine) -> np.ndarray:
        """The largest multiplier of each row of a machine, shape (n_m,)."""
        price = self.price[machine.rows]
        return np.full(len(price), np.inf) if self.is_squared else price

    def ridge(self, machine: Machine) -> np.ndarray:
        """What squared slacks add to the diagonal of a machine, slack over multiplier, (n_m,)."""
        price = self.price[machine.rows]
        return 1.0 / price if self.is_squared else np.zeros(len(price))

    def source_of(self, these: list[Machine]) -> Callable[[Machine], Any]:
        """What gives the source of the Gram matrix of each of these machines."""
        n = len(self.X)
        if len(these) == 1 or n > MOST_AT_ONCE:
            return lambda machine: GramSource(self.kernel, self.X[machine.rows])
        # Class by class: a machine of two then reads two blocks of neighbours, not strewn values.
        order = np.argsort(self.y, kind="stable")
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        gram = GramMatrix(GramSource(self.kernel, self.X[order]).whole())
        return lambda machine: gram.sub(place[machine.rows])

    def dual(self, machine: Machine, source: Any) -> Dual:
        """The quadratic programme of a machine, in signed multipliers."""
        top = self.top(machine)
        low = np.where(machine.sign > 0, 0.0, -top)
        high = np.where(machine.sign > 0, top, 0.0)
        problem = Dual(source, -machine.sign, low, high, self.ridge(machine))
        return problem if self.has_intercept else without_intercept(problem)

    def solved(self, machine: Machine, problem: Dual, point: Any) -> Solved:
        """Offset, objectives and length of the normal vector at a point of the solver."""
        ends = offset(problem, point.beta, point.slope) if self.has_intercept else (0.0, 0.0)
        b, n = (ends[0] + ends[1]) / 2, len(machine.rows)
        beta = point.beta[:n].copy()
        of_kernel = (point.slope - problem.q - problem.ridge * point.beta)[:n]  # (K beta)
        squared = float(max(beta @ of_kernel, 0.0))
        primal = self._primal(machine, squared, machine.sign * (of_kernel + b))
        return Solved(beta, b, ends, point.value(problem), primal, squared**0.5)

    def _primal(self, machine: Machine, squared: float, ahead: np.ndarray) -> float:
        """Half the squared length and the price of the slacks, by how far `ahead` rows are, (n_m,).

        Where no slack is allowed, that of the border moved away until none is needed.
        """
        price, slack = self.price[machine.rows], np.maximum(1.0 - ahead, 0.0)
        if np.isinf(price).any():
            least = float(ahead.min())
            return squared / 2 / least**2 if least > 0 else np.inf
        charge = 0.5 * price @ slack**2 if self.is_squared else price @ slack
        return float(squared / 2 + charge)


def expansion(
    every: list[Machine], solutions: list[Solved | None], n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows with a multiplier, (S,), their multipliers by machine, (S, M), and offsets, (M,)."""
    has = np.zeros(n, dtype=bool)
    pairs = [(m, s) for m, s in zip(every, solutions, strict=True) if s is not None]
    for machine, solved_one in pairs:
        has[machine.rows[solved_one.beta != 0]] = True
    support = np.flatnonzero(has)
    at = np.full(n, -1)
    at[support] = np.arange(len(support))
    duals, intercepts = np.zeros((len(support), len(every))), np.zeros(len(every))
    for k, (machine, solved_one) in enumerate(zip(every, solutions, strict=True)):
        if solved_one is not None:
            used = solved_one.beta != 0
            duals[at[machine.rows[used]], k] = solved_one.beta[used]
            intercepts[k] = solved_one.intercept
    return support, duals, intercepts


def code_of(pairs: np.ndarray, n_classes: int) -> np.ndarray:
    """The pairs of machines, (M, 2), as a code: -1 and 1 for the classes of each, (K, M)."""
    code, each = np.zeros((n_classes, len(pairs))), np.arange(len(pairs))
    code[pairs[:, 0], each], code[pairs[:, 1], each] = -1.0, 1.0
    return code


def kernel_notes(kernel: Any, X: np.ndarray, has_intercept: bool = True) -> tuple[str, ...]:
    """What people should know of a kernel of rows X, shape (m, p): they are equal, it is none."""
    notes, p = notes_of_rows(X), X.shape[1]
    if kernel.is_definite(p) or (kernel.definite == "conditional" and has_intercept):
        return notes
    what = "is not a valid kernel for these columns: the minimum may be local."
    return (*notes, f"{kernel.title()} {what}")
