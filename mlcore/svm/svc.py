"""The support vector classifier: the widest margin between two classes, bent by a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.kernels.products import Linear
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, part
from mlcore.svm import crammer_singer
from mlcore.svm.classifier import (
    GIVEN,
    SupportVectorClassifier,
    SVCFit,
    balance,
    scheme,
    weights_by_class,
)
from mlcore.svm.crammer_singer import CrammerSingerFit
from mlcore.svm.dual import Dual, Point, Solver
from mlcore.svm.machines import TrainingRows, kernel_notes
from mlcore.svm.method import inverse_strength, most_moves, offset_of_its_own, tolerance
from mlcore.svm.overlap import TOUCHING, distance_of_hulls, spread_of
from mlcore.svm.smo import SMO

PARTED = 10.0  # the C at which rows that have a hard margin take as long as with none
SETTLED = 2_000.0  # C times the values of the kernel beyond which rows are learned by heart
ON_PLANES = 1.5  # what a linear kernel takes beside one that settles
A_MOVE = 1e-6  # seconds of one of its pairs
STEEP = 8.0  # what kernels that grow without bound take, however small C
JOINED = 4.0  # what one machine of few classes takes beside those of pairs
JOINT = "crammer_singer"  # one machine of all classes
LOOK = 10_000  # pairs after which is asked whether a hard margin is there at all


def _cost(n: int, p: int, method: SVC) -> tuple[float, float]:
    """Of rows of classes that overlap: their moves grow with C, and with the values of the kernel.

    Measured for 1,000 to 10,000 rows of 5 and 20 columns at C from 0.1 to 100 and 10,000. Rows that
    are easy to part take as long at any C, and neither n nor p tells: at C = 1 a quarter of what is
    said, at C = 100 a fortieth, of 5 columns an eightieth. A linear kernel learns nothing by heart:
    its moves grow on with C.
    """
    is_linear = isinstance(method.kernel, Linear)
    price = PARTED if method.C is None else method.C
    hard = (1.0 + (price * p if is_linear else min(price, SETTLED))) ** 0.55
    if is_linear:
        hard *= ON_PLANES * max(price, 1.0) ** 0.15
    if not method.kernel.bounded and not is_linear:
        hard = max(hard, STEEP)
    if method.multiclass == JOINT:
        hard *= JOINED
    steps = n**1.5 * (9e-8 + 3.6e-9 * p) + n**2 * (1.1e-9 + 4e-11 * p)
    most = A_MOVE * (method.max_iter or method.many) if is_linear else inf
    return 1e-3 + min(steps * hard, most), min(8.0 * n**2, 2.1e8) + 24.0 * n * p


@enter(
    Card(
        "svc",
        "Support vector classifier",
        ("svm", "classification"),
        paper="Cortes and Vapnik (1995), Machine Learning 20",
        task="classification",
        peer="sklearn.svm.SVC",
        sources=(
            "epfl:svm_c_linear", "epfl:svm_c_kernel", "epfl:svm_multiclass", "cs1:svm_c_svc",
            "cs1:svm_dual", "cs1:kernel_trick", "cs1:smo", "prac:svm_dual", "prac:svm_primal",
            "prac:svm_decision", "prac:smo", "s841:svm_soft", "s841:svm_kernel", "s841:svm_ova",
            "s841:svm_ovo", "s841:svm_smo", "s841:svm_crammer_singer", "s841:svm_hard_primal",
            "s841:svm_hard_dual", "epfl:svm_hard", "epfl:svm_hard_nobias", "cs1:svm_hard",
        ),
        takes=("weights",),
        weigh="copies",
        cost=_cost,
        units="its margin",
        formula=r"\min_{w, b}\ \tfrac12 \|w\|^2 + C \sum_i \max(0, 1 - y_i (w^\top \phi(x_i) + b))",
        synonyms=(
            "SVM", "support vector machine", "SVC", "maximum margin classifier", "soft margin",
            "hinge loss", "C-SVM", "hard margin", "optimal hyperplane", "Crammer-Singer",
        ),
        line="the widest margin between classes",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SVC(SupportVectorClassifier):
    r"""Parts classes by the widest margin that few rows stand in, straight in a kernel's features.

    Solves the dual: a multiplier $0 \le \alpha_i \le C$ a row, with
    $f(x) = \sum_i \alpha_i y_i k(x_i, x) + b$. Rows outside the margin have $\alpha_i = 0$ and do
    not matter; rows on its edge lie between; rows inside or on the wrong side are at C. With C
    infinite none may be: a hard margin, which only classes that do not overlap have. Several
    classes have one machine a pair, which vote, or one for all. Gives decisions, not probabilities.

    Use it on up to some ten thousand rows of standardised columns, with C and the width of the
    kernel chosen on test rows. O(n^2 p) and more. A narrow kernel or a large C learns the rows
    by heart; a wide one misses the shape; columns of unequal scale drown the small ones.
    """

    C: float | None = inverse_strength("infinite (hard margin)")
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    class_weight: str = balance(only_if={"C": other_than(None)})
    by_class: tuple = weights_by_class(C=other_than(None))
    loss: str = choice(
        "hinge",
        "hinge",
        "squared_hinge",
        only_if={"C": other_than(None), "multiclass": other_than(JOINT)},
        doc="Slacks are penalised as they are, or by half their squares, with no bound on alpha.",
        advanced=True,
    )
    multiclass: str = scheme(
        JOINT, told=", or all in one, where each row's own class leads (Crammer and Singer)"
    )
    intercept: bool = offset_of_its_own(only_if={"multiclass": other_than(JOINT)})
    solver: Solver = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance()
    max_iter: int | None = most_moves("Pairs of rows that each machine may move.")

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(
            loss="hinge", multiclass="ovo", intercept=True, max_iter=None
        ):
            return missing
        if self.C is None:
            return f"{self.title()} with C infinite is not written for scikit-learn."
        kernel = self.kernel.peer_settings()
        if isinstance(kernel, str):
            return kernel
        if self.class_weight == GIVEN:
            return f"{self.title()} with given weights of classes is not written for scikit-learn."
        weights = None if self.class_weight == "none" else self.class_weight
        return {"C": self.C, **kernel, "class_weight": weights, "tol": 1e-6}

    def conflict(self) -> str | None:
        """One machine of all classes needs a price of errors."""
        if self.multiclass == JOINT and self.C is None:
            return (
                f"{self.title()}: one machine of all classes (Crammer and Singer) needs a finite "
                "C. Set C to a number, or choose another way for several classes."
            )
        if self.multiclass == JOINT and not isinstance(self.solver, SMO):
            return (
                f"{self.title()}: one machine of all classes (Crammer and Singer) moves rows, not "
                "pairs. Choose the solver SMO, or another way for several classes."
            )
        return super().conflict()

    def fit_class(self) -> type[Fit]:
        """Machines of two classes, or the one of all."""
        return CrammerSingerFit if self.multiclass == JOINT else SVCFit

    def _played(self, given: Given, every: int | None) -> Iterator[Step]:
        return (
            self._joint(given, every) if self.multiclass == JOINT else super()._played(given, every)
        )

    def _joint(self, given: Given, every: int | None) -> Iterator[Step]:
        """The rows whose multipliers moved, in one machine of all classes."""
        used = np.flatnonzero(given.w > 0)
        rows = self._used_rows(given, used)
        assert isinstance(self.solver, SMO)  # others are a conflict
        points = crammer_singer.walk(
            rows, len(given.labels), self.solver, tol=self.tol, most=self.max_iter,
            every=every or crammer_singer.UNBOUNDED,
        )  # fmt: skip
        for k, point in enumerate(points):
            dual, state = crammer_singer.state_of(rows, used, point)
            yield Step(k, dual, state, point.stop, crammer_singer.note_of(used, point))

    def _strength(self) -> float:
        return np.inf if self.C is None else self.C

    def _training(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, k: Kernel) -> TrainingRows:
        is_squared = self.loss == "squared_hinge" and self.C is not None
        return TrainingRows(X, y, price, k, is_squared, self.intercept)

    def _walk(self, problem: Dual, every: int | None) -> Iterator[Point]:
        """As any machine; without slack it ends where the classes turn out to touch."""
        if self.C is not None:
            yield from super()._walk(problem, every)
            return
        apart = spread_of(problem, self.intercept)
        for point in super()._walk(problem, every or LOOK):
            if distance_of_hulls(problem, point) <= TOUCHING * apart:
                raise DataError(
                    f"{self.title()} with C infinite finds no border that leaves every row on its "
                    "side: with this kernel the classes overlap, or touch. Set C to a number, or "
                    "choose a kernel that parts them."
                )
            yield point

    def _finished(self, given: Given, end: Step) -> Fit:
        if self.multiclass != JOINT:
            return SVCFit(**self._fields(given, end))
        state: crammer_singer.ClassesState = end.state
        used = given.w > 0
        kernel = self.kernel.resolve(given.X[used], given.w[used])
        return CrammerSingerFit(
            made_by=self, columns=given.columns, n_iter=state.moves, stop=end.stop,
            classes=given.labels, kernel=kernel, support=state.support,
            support_vectors=given.X[state.support], duals=state.duals,
            bounds=np.repeat(state.bounds[:, None], len(given.labels), axis=1),
            dual=end.objective, primal=state.primal,
            notes=kernel_notes(kernel, given.X[used], has_intercept=False),
        )  # fmt: skip
