"""Least angle regression: columns come in one at a time, and the whole lasso path is exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from mlcore.maths.arrays import vanishing
from mlcore.optimisation.path import Path
from mlcore.optimisation.rows import Design, rows
from mlcore.regression import _kernels
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer

# Share of a column's square that those already in must leave, else it is taken for their sum.
LEAST_OWN = 1e-10
GRAM_AT_MOST = 2  # times as many columns as rows
END = 1e-12  # share of the first correlation below which nothing is left to explain


@dataclass
class LarsState:
    """A knot of the path: between two knots the coefficients are linear in alpha."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    alpha: float  # the largest correlation of a column with what is left, by the rows


@dataclass(frozen=True, eq=False, kw_only=True)
class LarsFit(LinearFit):
    """The end of the path."""

    made_by: Lars
    alpha: float  # the lasso with this strength has the same coefficients

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """The knots of the path on rows X, shape (n, p), and targets y, shape (n,)."""
        return self.made_by.path(X, y, weights=weights)


def _cost(n: int, p: int, method: Lars) -> tuple[float, float]:
    steps = min(n, p) if method.n_nonzero is None else min(n, p, method.n_nonzero)
    return 2e-4 + steps * (1e-4 + 1e-9 * (n * p + steps**2)), 24.0 * n * p


@enter(
    Card(
        "lars",
        "Least angle regression (LARS)",
        ("regression",),
        paper="Efron, Hastie, Johnstone and Tibshirani (2004), Annals of Statistics 32(2)",
        task="regression",
        peer="sklearn.linear_model.LassoLars",
        sources=("cs1:vs_lars",),
        takes=("weights",),
        cost=_cost,
        formula=r"|x_j^\top (y - X w)| = n \alpha \text{ for all } j \text{ that are in, }"
        r"\; \leq n \alpha \text{ for all others}",
        synonyms=("lasso path", "LARS", "regularisation path"),
        line="columns enter one by one, by correlation",
    )
)
@dataclass(frozen=True, kw_only=True)
class Lars(IterativeMethod):
    r"""Lets the column in that goes best with what is left, and moves all that are in alike.

    The coefficients of the columns that are in change so that their correlations with the residual
    stay equal, until another column has the same: it comes in. In lasso mode a column whose
    coefficient reaches zero leaves, and the path is exactly that of the lasso over alpha.

    Use it to see in which order columns matter, or for a sparse rule with a given number of them;
    standardise first. As dear as least squares: O(n p min(n, p)) for the whole path. Of nearly
    equal columns chance decides which comes first, and a column that is a sum of others stays out.
    """

    followed: ClassVar[str] = "mean squared residual"

    peer_differs = "With a number of columns to keep, ours counts columns and theirs iterations."

    method: str = choice(
        "lasso",
        "lasso",
        "lar",
        doc="Whether a column leaves when its coefficient reaches zero, as in the lasso.",
    )
    n_nonzero: int | None = integer(
        None,
        low=1,
        soft=(1, 20),
        or_none="as many as there are",
        symbol="k",
        label="Number of non-zero coefficients",
        doc="Stop before one more would come in; with all of them the end is least squares.",
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients at the knots, from all zero to the end, on rows X, shape (n, p)."""
        design = self._design(self._given(X, y, weights=weights))
        path = list(self._knots(design))
        W = np.array([knot.w for knot in path])
        alphas, squares = np.array([(k.alpha, k.squares / 2) for k in path]).T / design.total
        objective = squares + alphas * np.abs(W).sum(axis=1)
        intercepts = np.array([design.split(w)[1] for w in W])
        return Path(alphas, W, intercepts, objective, (W != 0).sum(axis=1) + 1.0)

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(method="lasso"):
            return missing
        return {"alpha": 0.0} | ({} if self.n_nonzero is None else {"max_iter": self.n_nonzero})

    def _design(self, given: Given) -> Design:
        return rows(given.X, given.target, given.weights, "centering")

    def _knots(self, design: Design) -> Iterator[Knot]:
        most = min(design.n - 1, design.X.shape[1])
        wanted = most if self.n_nonzero is None else min(self.n_nonzero, most)
        return knots(design.X, design.y, wanted, drops=self.method == "lasso")

    def _steps(self, given: Given) -> Iterator[Step]:
        design, names = self._design(given), [c.name for c in given.columns]
        return (self._step(k, knot, design, names) for k, knot in enumerate(self._knots(design)))

    def _step(self, k: int, knot: Knot, design: Design, names: list[str]) -> Step:
        state = LarsState(*design.split(knot.w.copy()), knot.alpha / design.total)
        note = f"{np.count_nonzero(knot.w)} coefficients are not zero at alpha = {state.alpha:.3g}."
        if knot.column >= 0:
            way = "goes out" if knot.is_out else "comes in next"
            note = f"{names[knot.column]} {way}: {note}"
        stop = Stop("limit" if knot.is_limit else "converged", knot.why) if knot.why else None
        return Step(k, knot.squares / design.total, state, stop, note)

    def _finished(self, given: Given, end: Step) -> LarsFit:
        return LarsFit(**linear_fields(self, given, end), alpha=end.state.alpha)


class Knot(NamedTuple):
    """Where the lines of the path bend."""

    alpha: float  # the largest |x_j'r|
    w: np.ndarray  # (p,) not changed afterwards
    squares: float  # sum of squares of what is left
    column: int = -1  # that comes in or goes out here; -1 at the end
    is_out: bool = False
    is_limit: bool = False  # the wanted number is reached, and more could be explained
    why: str = ""  # a sentence at the last knot


def knots(X: np.ndarray, y: np.ndarray, wanted: int, *, drops: bool) -> Iterator[Knot]:
    """The path of centred rows X, (n, p), and y, (n,), until `wanted` columns are in.

    Efron, Hastie, Johnstone and Tibshirani (2004), section 3.1 with the modification for `drops`.
    """
    walk = _Walk(X, y, drops=drops)
    column, is_out = walk.first()
    while column >= 0:
        if not is_out and len(walk.inside) == wanted:
            why = f"Stopped with {wanted} columns in, before one more would come in."
            yield Knot(*walk.here(), is_limit=True, why=why)
            return
        if walk.change(column, is_out=is_out):
            yield Knot(*walk.here(), column, is_out)
        column, is_out = walk.advance()
    yield Knot(*walk.here(), why="No column goes with what is left of the target.")


class _Walk:
    """Where the path stands, and the columns that are in."""

    def __init__(self, X: np.ndarray, y: np.ndarray, *, drops: bool) -> None:
        n, p = X.shape
        self.X, self.drops = X, drops
        self.gram = X.T @ X if p <= GRAM_AT_MOST * n else None  # else rows are the shorter way
        self.w = np.zeros(p)
        self.toward = self.c = y @ X  # (p,) correlation of each column with what is left, times n
        self.total = float(y @ y)
        self.level = self.start = float(np.abs(self.c).max())
        self.squares = (X**2).sum(axis=0)
        self.inside: list[int] = []
        self.signs = np.zeros(p)  # of the correlations of those that are in, else 0
        self.may = self.squares > 0  # (p,) come in
        self.L = np.zeros((0, 0))  # Cholesky factor of the Gram matrix of those that are in
        self.barred = (-1, 0.0)  # who has just gone out, and the sign of its correlation

    def here(self) -> tuple[float, np.ndarray, float]:
        """Level, coefficients, shape (p,), and residual sum of squares at the present knot."""
        left = self.total - self.w @ (self.toward + self.c)
        return self.level, self.w.copy(), max(float(left), 0.0)

    def first(self) -> tuple[int, bool]:
        """The column that goes best with the target, of a tie the first; -1 where none does."""
        is_best = np.abs(self.c) >= self.start * (1 - END)
        return (int(is_best.argmax()) if self.start > 0 else -1), False

    def change(self, j: int, *, is_out: bool) -> bool:
        """Let a column in or out; False if it is a sum of those in, and so stays out for good."""
        self.barred = (j, self.signs[j]) if is_out else (-1, 0.0)
        return self._out(j) if is_out else self._in(j)

    def _in(self, j: int) -> bool:
        row = self._with(j)[self.inside]
        if self.inside:
            row = solve_triangular(self.L, row, lower=True, check_finite=False)
        own = self.squares[j] - row @ row
        if own <= LEAST_OWN * self.squares[j]:
            self.may[j] = False
            return False
        k = len(self.inside)
        L = np.zeros((k + 1, k + 1))
        L[:k, :k], L[k, :k], L[k, k] = self.L, row, np.sqrt(own)
        self.L, self.signs[j] = L, np.sign(self.c[j])
        self.inside.append(j)
        return True

    def _out(self, j: int) -> bool:
        at = self.inside.index(j)
        self.L = _without(self.L, at)
        self.inside.pop(at)
        self.w[j] = self.signs[j] = 0.0
        return True

    def _with(self, j: int) -> np.ndarray:
        """Products of a column with all, shape (p,)."""
        return self.X[:, j] @ self.X if self.gram is None else self.gram[j]

    def _image(self, w: np.ndarray) -> np.ndarray:
        """X'X w, shape (p,)."""
        return (self.X @ w) @ self.X if self.gram is None else self.gram @ w

    def advance(self) -> tuple[int, bool]:
        """Move along the line to where it bends: who comes in (False) or goes out (True) there."""
        by = np.zeros_like(self.w)
        if self.inside:
            signs = self.signs[self.inside]
            # The transpose lies as the library reads it, so that it takes no copy.
            by[self.inside] = cho_solve((self.L.T, False), signs, check_finite=False)
        rate = self._image(by)  # (p,) at which c falls
        entry, leave = self._entries(rate), self._leaves(by)
        way = min(float(entry.min()), float(leave.min()), self.level)
        self.w += way * by
        self.c = self.toward - self._image(self.w)
        self.level -= way
        if self.level <= END * self.start:
            return -1, False
        if leave.min() <= way:
            return int(leave.argmin()), True
        return int((entry <= way + END * self.start).argmax()), False  # of a tie the first

    def _entries(self, rate: np.ndarray) -> np.ndarray:
        """How far until each column outside has the level of those inside, shape (p,)."""
        ways = np.full((2, len(rate)), np.inf)
        for at, sign in enumerate((1.0, -1.0)):
            gap, closing = np.maximum(self.level - sign * self.c, 0.0), 1.0 - sign * rate
            is_tied = gap <= END * self.start
            np.divide(gap, closing, out=ways[at], where=closing > END)
            ways[at, is_tied] = 0.0
            if sign == self.barred[1]:
                ways[at, self.barred[0]] = np.inf
        return np.where(self.may & (self.signs == 0), ways.min(axis=0), np.inf)

    def _leaves(self, by: np.ndarray) -> np.ndarray:
        """How far until each coefficient inside is zero, shape (p,); infinite if it grows."""
        ways = np.full(len(by), np.inf)
        if self.drops:
            shrinks = self.w * by < 0
            ways[shrinks] = -self.w[shrinks] / by[shrinks]
        return ways


def _without(L: np.ndarray, at: int) -> np.ndarray:
    """The Cholesky factor without one row and column of the matrix, in O(k^2)."""
    x = L[at + 1 :, at].copy()  # what the others owe to the one that goes: a rank-one update
    L = np.delete(np.delete(L, at, axis=0), at, axis=1)
    _kernels.raised(L[at:, at:], x)
    return L
