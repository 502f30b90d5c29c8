"""Support vector regression: the flattest function that leaves the rows in a tube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.kernels.gram import GramSource, TwiceGram
from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, part, real
from mlcore.svm.dual import Dual, Point, offset
from mlcore.svm.machines import validity_notes
from mlcore.svm.method import (
    SupportVectorMethod,
    inverse_strength,
    most_moves,
    outputs,
    tolerance,
)
from mlcore.svm.smo import SMO


@dataclass(frozen=True, eq=False)
class SVRState:
    """The machine so far."""

    support: np.ndarray  # (S,) rows with a multiplier
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, 1) signed multipliers
    intercept: float
    interval: tuple[float, float]
    primal: float
    moves: int  # pairs so far


@dataclass(frozen=True, eq=False, kw_only=True)
class SVRFit(Fit):
    """Support vectors and their multipliers."""

    kernel: Any  # with the numbers that the training rows decided
    support: np.ndarray  # (S,) which of the training rows
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, 1) above zero for rows above the tube
    bounds: np.ndarray  # (S, 1) upper bound of the multiplier
    intercept: float
    interval: tuple[float, float]  # in which the intercept may lie
    epsilon: float  # half the width of the tube
    dual: float
    primal: float
    notes: tuple[str, ...] = ()

    def predict(self, X: Any) -> np.ndarray:
        """The middle of the tube, shape (m,)."""
        X = self._rows(X)
        if not len(self.support):  # the tube holds every row
            return np.full(len(X), self.intercept)
        return outputs(self.kernel, self.support_vectors, self.duals[:, 0], X) + self.intercept


def _cost(n: int, p: int, method: SVR) -> tuple[float, float]:
    hard = 1.0 + 0.5 * np.log10(1.0 + method.C)
    return 3e-3 + n**2 * (2e-8 + 4e-10 * p) * hard, min(32.0 * n**2, 4.2e8) + 48.0 * n * p


@enter(
    Card(
        "svr",
        "Support vector regression",
        ("svm", "regression"),
        paper="Drucker and others (1996), NIPS 9",
        task="regression",
        peer="sklearn.svm.SVR",
        sources=(
            "epfl:svr_eps", "epfl:svr_linear", "epfl:svr_risk", "epfl:svr_kernel_width",
            "cs1:svr_eps", "s841:svr_eps", "s841:svr_1norm", "s841:svr_2norm",
        ),
        takes=("weights",),
        cost=_cost,
        units="distances",
        formula=r"\min_{w, b}\ \tfrac12 \|w\|^2 + C \sum_i \max(0, |y_i - w^\top \phi(x_i) - b|"
        r" - \varepsilon)",
        synonyms=("SVR", "epsilon-SVR", "epsilon-insensitive loss", "tube regression"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SVR(SupportVectorMethod):
    r"""Fits the flattest function whose errors up to epsilon cost nothing, bent by a kernel.

    Solves the dual: $f(x) = \sum_i (\alpha_i - \alpha_i') k(x_i, x) + b$ with multipliers
    between 0 and C. Rows inside the tube $|y - f| < \varepsilon$ have none and do not matter; rows
    on its edge lie between; rows outside are at C, so that a wild row pulls no more than others.

    Use it on up to some ten thousand rows of standardised columns. C and epsilon are in units of
    the target: scale it where it is far from 1, or nothing fits. O(n^2 p) and more. A small C
    cannot reach the target, a wide tube is a constant, a narrow kernel learns the rows by heart.
    """

    C: float = inverse_strength()
    epsilon: float = real(
        0.1,
        low=0.0,
        soft=(0.0, 1.0),
        symbol=r"\varepsilon",
        label="Half width of the tube",
        doc="Errors up to it cost nothing, in units of the target: larger means fewer support "
        "vectors.",
    )
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    loss: str = choice(
        "epsilon_insensitive",
        "epsilon_insensitive",
        "squared_epsilon_insensitive",
        doc="What lies outside the tube is penalised as it is, or by half its square, with no "
        "bound on alpha.",
        advanced=True,
    )
    solver: SMO = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance(", in units of the target")
    max_iter: int | None = most_moves("Pairs of variables that may be moved.")

    many: ClassVar[int] = 300_000

    peer_differs: ClassVar[str] = (
        "scikit-learn keeps the kernel in single precision, whose rounding the multipliers carry "
        "on: predictions differ after four to six digits."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(loss="epsilon_insensitive", max_iter=None):
            return missing
        kernel = self.kernel.peer_settings()
        if isinstance(kernel, str):
            return kernel
        return {"C": self.C, "epsilon": self.epsilon, **kernel, "tol": 1e-6}

    def _played(self, given: Given, every: int | None) -> Iterator[Step]:
        used = np.flatnonzero(given.w > 0)
        X, y, price = given.X[used], given.target[used], self.C * given.w[used]
        problem = self._dual(X, y, price, self.kernel.resolve(X, given.w[used]))
        for k, point in enumerate(self._walk(problem, every)):
            state = self._state(X, y, price, used, problem, point)
            yield Step(k, point.value(problem), state, point.stop, _note(used, point))

    def _dual(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, kernel: Kernel) -> Dual:
        """In 2n signed multipliers: those of rows above the tube, then those of rows below it."""
        is_squared = self.loss != "epsilon_insensitive"
        top = np.full(len(y), np.inf) if is_squared else price
        none = np.zeros(len(y))
        return Dual(
            TwiceGram(GramSource(kernel, X)),
            np.concatenate([self.epsilon - y, -self.epsilon - y]),
            np.concatenate([none, -top]),
            np.concatenate([top, none]),
            np.tile(1.0 / price if is_squared else none, 2),
        )

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
        beta = point.beta[:n] + point.beta[n:]
        ends = offset(problem, point.beta, point.slope)
        b = (ends[0] + ends[1]) / 2
        own = point.slope - problem.q - problem.ridge * point.beta
        of_kernel = own[:n]  # (K beta); the other half is the same
        outside = np.maximum(np.abs(y - of_kernel - b) - self.epsilon, 0.0)
        is_squared = self.loss != "epsilon_insensitive"
        charge = 0.5 * price @ outside**2 if is_squared else price @ outside
        primal = float(max(beta @ of_kernel, 0.0) / 2 + charge)
        at = np.flatnonzero(beta)
        return SVRState(used[at], X[at], beta[at, None], b, ends, primal, point.moves)

    def _finished(self, given: Given, end: Step) -> SVRFit:
        state: SVRState = end.state
        used = given.w > 0
        kernel = self.kernel.resolve(given.X[used], given.w[used])
        price = self.C * given.w[state.support]
        is_bounded = self.loss == "epsilon_insensitive"
        bounds = price if is_bounded else np.full(len(price), np.inf)
        return SVRFit(
            made_by=self,
            columns=given.columns,
            n_iter=state.moves,
            stop=end.stop,
            kernel=kernel,
            support=state.support,
            support_vectors=state.support_vectors,
            duals=state.duals,
            bounds=bounds[:, None],
            intercept=state.intercept,
            interval=state.interval,
            epsilon=self.epsilon,
            dual=end.objective,
            primal=state.primal,
            notes=self._notes(given, kernel, state, price),
        )

    def _notes(
        self, given: Given, kernel: Kernel, state: SVRState, price: np.ndarray
    ) -> tuple[str, ...]:
        """A kernel that is not valid, a tube that holds all, a C that reaches too little."""
        notes = validity_notes(kernel, given.p)
        half = float(np.ptp(given.target[given.w > 0])) / 2
        if self.epsilon >= half > 0:
            return (*notes, "The tube holds every row, so the fit is a constant. Lower epsilon.")
        at_bound = np.abs(state.duals[:, 0]) >= price * (1 - 1e-9)
        if len(price) and self.loss == "epsilon_insensitive" and at_bound.mean() > 0.9:
            return (*notes, "Nearly all rows are at the bound C. Raise C, or scale the target.")
        return notes


def _note(used: np.ndarray, point: Point) -> str:
    """What the last move did, as a sentence."""
    if point.note:
        return point.note
    if point.pair is None:
        return "No pair of rows violates the conditions."
    i, j = (int(used[k % len(used)]) + 1 for k in (point.pair.i, point.pair.j))
    cut = ", up to a bound" if point.pair.step < point.pair.free else ""
    return f"Rows {i} and {j} moved by {point.pair.step:.3g}{cut}; gap {point.gap:.3g}."
