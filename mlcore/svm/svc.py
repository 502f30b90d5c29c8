"""The support vector classifier: the widest margin between two classes, bent by a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, part
from mlcore.svm.classifier import SupportVectorClassifier, SVCFit, balance, scheme
from mlcore.svm.machines import TrainingRows
from mlcore.svm.method import inverse_strength, most_moves, tolerance
from mlcore.svm.smo import SMO


def _cost(n: int, p: int, method: SVC) -> tuple[float, float]:
    """In the middle, by ratio, between rows that are easy to part and rows of classes that overlap.

    At C = 1 both are within a factor of three. Of overlapping rows the moves grow with C, of others
    they do not, and neither n nor p tells: at C = 100 the first take four times as long, the others
    a tenth.
    """
    hard = (1.0 + method.C) ** 0.3
    steps = n**1.5 * (9e-8 + 3.6e-9 * p) + n**2 * (1.1e-9 + 4e-11 * p)
    return 1e-3 + steps * hard, min(8.0 * n**2, 2.1e8) + 24.0 * n * p


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
            "s841:svm_ovo", "s841:svm_smo",
        ),
        takes=("weights",),
        cost=_cost,
        units="its margin",
        formula=r"\min_{w, b}\ \tfrac12 \|w\|^2 + C \sum_i \max(0, 1 - y_i (w^\top \phi(x_i) + b))",
        synonyms=(
            "SVM", "support vector machine", "SVC", "maximum margin classifier", "soft margin",
            "hinge loss", "C-SVM",
        ),
        line="the widest margin between classes",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SVC(SupportVectorClassifier):
    r"""Parts classes by the widest margin that few rows stand in, straight in a kernel's features.

    Solves the dual: a multiplier $0 \le \alpha_i \le C$ a row, with
    $f(x) = \sum_i \alpha_i y_i k(x_i, x) + b$. Rows outside the margin have $\alpha_i = 0$ and do
    not matter; rows on its edge lie between; rows inside or on the wrong side are at C. Several
    classes have one machine a pair, which vote. Gives decisions, not probabilities.

    Use it on up to some ten thousand rows of standardised columns, with C and the width of the
    kernel chosen on test rows. O(n^2 p) and more. A narrow kernel or a large C learns the rows
    by heart; a wide one misses the shape; columns of unequal scale drown the small ones.
    """

    C: float = inverse_strength()
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    class_weight: str = balance()
    loss: str = choice(
        "hinge",
        "hinge",
        "squared_hinge",
        doc="Slacks are penalised as they are, or by half their squares, with no bound on alpha.",
        advanced=True,
    )
    multiclass: str = scheme()
    solver: SMO = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance()
    max_iter: int | None = most_moves("Pairs of rows that each machine may move.")

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(loss="hinge", multiclass="ovo", max_iter=None):
            return missing
        kernel = self.kernel.peer_settings()
        if isinstance(kernel, str):
            return kernel
        weights = None if self.class_weight == "none" else self.class_weight
        return {"C": self.C, **kernel, "class_weight": weights, "tol": 1e-6}

    def _strength(self) -> float:
        return self.C

    def _training(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, k: Kernel) -> TrainingRows:
        return TrainingRows(X, y, price, k, self.loss == "squared_hinge")

    def _finished(self, given: Given, end: Step) -> SVCFit:
        return SVCFit(**self._fields(given, end))
