"""Nu support vector regression: the share of rows outside the tube is what is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.kernels.gram import GramSource, TwiceGram
from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import part, real
from mlcore.spine.wording import rough
from mlcore.svm.dual import Dual, Point, Solver, offset
from mlcore.svm.method import inverse_strength, most_moves, shared_out, tolerance
from mlcore.svm.regressor import Placed, SupportVectorRegressor, SVRFit, SVRState


@dataclass(frozen=True, eq=False, kw_only=True)
class NuSVRFit(SVRFit):
    """A tube whose width was found, and what nu turned out to be."""

    nu: float
    beyond: np.ndarray  # (1,) weight of the rows outside the tube as a share of all: at most nu
    supported: np.ndarray  # (1,) weight of the support vectors as a share of all: at least nu
    limits: np.ndarray  # (1,) the largest nu for which there is a solution

    def settled(self, levels: Sequence[float]) -> str:
        """Rows on the upper edge have offset b + epsilon, those on the lower edge b - epsilon."""
        b, epsilon = -(levels[0] + levels[1]) / 2, (levels[1] - levels[0]) / 2
        width = f"\N{GREEK SMALL LETTER EPSILON} is {rough(epsilon)}"
        return f"the offset b is {rough(b)} and {width}"


def _cost(n: int, p: int, method: NuSVR) -> tuple[float, float]:
    hard = 1.0 + 0.5 * np.log10(1.0 + method.C)
    return 3e-3 + n**2 * (3e-8 + 4e-10 * p) * hard, min(32.0 * n**2, 4.2e8) + 48.0 * n * p


@enter(
    Card(
        "nu_svr",
        "Nu support vector regression",
        ("svm", "regression"),
        paper="Schölkopf and others (2000), Neural Computation 12",
        task="regression",
        peer="sklearn.svm.NuSVR",
        sources=("epfl:svr_nu", "cs1:svr_nu"),
        takes=("weights",),
        weigh="copies",
        cost=_cost,
        units="distances",
        formula=r"\min_{w, b, \varepsilon}\ \tfrac12 \|w\|^2 + C \Bigl(n \nu \varepsilon + \sum_i "
        r"\max(0, |y_i - w^\top \phi(x_i) - b| - \varepsilon)\Bigr)",
        synonyms=("nu-SVR", "NuSVR"),
        line="the share outside the tube is set",
    )
)
@dataclass(frozen=True, kw_only=True)
class NuSVR(SupportVectorRegressor):
    r"""Fits the flattest function outside whose tube at most the share $\nu$ of the rows lies.

    The half width $\varepsilon$ of the tube is found with the function: widening it costs
    $C n \nu$ a unit, so that at most $\nu n$ rows lie outside and at least $\nu n$ are support
    vectors. Support vector regression with that $\varepsilon$ is the same.

    Use it where the noise is not known: the tube follows it. C is in units of the target: scale it
    where it is far from 1. O(n^2 p) and more. A small $\nu$ lets a few wild rows widen the tube
    until it says nothing; noise that is not even has one width for all.
    """

    nu: float = real(
        0.5,
        above=0.0,
        high=1.0,
        soft=(0.01, 0.9),
        symbol=r"\nu",
        label="Share outside the tube",
        doc="At most this share of the rows lies outside the tube, at least it are support "
        "vectors.",
    )
    C: float = inverse_strength()
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    solver: Solver = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance(", in units of the target")
    max_iter: int | None = most_moves("Pairs of variables that may be moved.")

    groups: ClassVar[tuple[str, ...]] = ("above the tube", "below the tube")

    peer_differs: ClassVar[str] = (
        "scikit-learn keeps the kernel in single precision, whose rounding the multipliers carry "
        "on: predictions differ after four to six digits."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(max_iter=None):
            return missing
        kernel = self.kernel.peer_settings()
        if isinstance(kernel, str):
            return kernel
        return {"nu": self.nu, "C": self.C, **kernel, "tol": 1e-6}

    def _dual(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, kernel: Kernel) -> Dual:
        """As with a given width, but both halves sum to C nu / 2 of all weights."""
        none, start = np.zeros(len(y)), shared_out(self.nu * float(price.sum()) / 2.0, price)
        return Dual(
            TwiceGram(GramSource(kernel, X)),
            np.concatenate([-y, -y]),
            np.concatenate([none, -price]),
            np.concatenate([price, none]),
            np.concatenate([none, none]),
            np.concatenate([start, -start]),
            len(y),
        )

    def _placed(self, problem: Dual, point: Point) -> Placed:
        """Rows on the upper edge have offset b + epsilon, those on the lower edge b - epsilon."""
        upper, lower = (offset(problem, point.beta, point.slope, own) for own in problem.groups)
        epsilon = max((sum(upper) - sum(lower)) / 4.0, 0.0)  # rounding may leave less than zero
        return Placed(epsilon, ((upper[0] + lower[0]) / 2.0, (upper[1] + lower[1]) / 2.0))

    def _charge(self, epsilon: float, price: np.ndarray) -> float:
        return self.nu * epsilon * float(price.sum())

    def _finished(self, given: Given, end: Step) -> NuSVRFit:
        state: SVRState = end.state
        return NuSVRFit(
            **self._fields(given, end),
            nu=self.nu,
            beyond=np.array([state.beyond]),
            supported=np.array([state.supported]),
            limits=np.ones(1),
        )
