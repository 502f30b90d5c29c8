"""Support vector regression: the flattest function that leaves the rows in a tube."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.kernels.gram import GramSource, TwiceGram
from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, part, real
from mlcore.svm.dual import Dual, Point, Solver, offset, without_intercept
from mlcore.svm.machines import kernel_notes
from mlcore.svm.method import inverse_strength, most_moves, offset_of_its_own, tolerance
from mlcore.svm.regressor import Placed, SupportVectorRegressor, SVRFit, SVRState


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
        weigh="copies",
        cost=_cost,
        units="distances",
        formula=r"\min_{w, b}\ \tfrac12 \|w\|^2 + C \sum_i \max(0, |y_i - w^\top \phi(x_i) - b|"
        r" - \varepsilon)",
        synonyms=("SVR", "epsilon-SVR", "epsilon-insensitive loss", "tube regression"),
        line="a tube that most rows fit into",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SVR(SupportVectorRegressor):
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
    intercept: bool = offset_of_its_own()
    solver: Solver = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance(", in units of the target")
    max_iter: int | None = most_moves("Pairs of variables that may be moved.")

    peer_differs: ClassVar[str] = (
        "scikit-learn keeps the kernel in single precision, whose rounding the multipliers carry "
        "on: predictions differ after four to six digits."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(loss="epsilon_insensitive", intercept=True, max_iter=None):
            return missing
        kernel = self.kernel.peer_settings()
        if isinstance(kernel, str):
            return kernel
        return {"C": self.C, "epsilon": self.epsilon, **kernel, "tol": 1e-6}

    def _has_intercept(self) -> bool:
        return self.intercept

    def _is_squared(self) -> bool:
        return self.loss != "epsilon_insensitive"

    def _dual(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, kernel: Kernel) -> Dual:
        """In 2n signed multipliers: those of rows above the tube, then those of rows below it."""
        is_squared = self._is_squared()
        top = np.full(len(y), np.inf) if is_squared else price
        none = np.zeros(len(y))
        problem = Dual(
            TwiceGram(GramSource(kernel, X)),
            np.concatenate([self.epsilon - y, -self.epsilon - y]),
            np.concatenate([none, -top]),
            np.concatenate([top, none]),
            np.tile(1.0 / price if is_squared else none, 2),
        )
        return problem if self.intercept else without_intercept(problem)

    def _placed(self, problem: Dual, point: Point) -> Placed:
        if not self.intercept:
            return Placed(self.epsilon, (0.0, 0.0))
        return Placed(self.epsilon, offset(problem, point.beta, point.slope))

    def _finished(self, given: Given, end: Step) -> SVRFit:
        return SVRFit(**self._fields(given, end))

    def _notes(
        self, given: Given, kernel: Kernel, state: SVRState, price: np.ndarray
    ) -> tuple[str, ...]:
        """A tube that holds all, beside what any machine says."""
        y = given.target[given.w > 0]
        half = float(np.ptp(y)) / 2 if self.intercept else float(np.abs(y).max())
        if self.epsilon >= half > 0:
            wide = "The tube holds every row, so the fit is a constant. Lower epsilon."
            return (*kernel_notes(kernel, given.X[given.w > 0], self.intercept), wide)
        return super()._notes(given, kernel, state, price)
