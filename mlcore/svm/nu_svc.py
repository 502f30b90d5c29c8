"""The nu support vector classifier: the share of rows beyond the margin is what is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import part, real
from mlcore.spine.wording import rough
from mlcore.svm.classifier import (
    SupportVectorClassifier,
    SVCFit,
    SVCState,
    balance,
    scheme,
    weights_by_class,
)
from mlcore.svm.dual import Dual, Solver, offset
from mlcore.svm.machines import Machine, Solved, TrainingRows, machines
from mlcore.svm.method import most_moves, shared_out, tolerance

ROUNDING = 1e-9  # of a class's half: nu at its limit may be above it by rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class NuRows(TrainingRows):
    """Rows of which each class of a machine has multipliers that sum to a given number."""

    nu: float

    def machines(self, n_classes: int, scheme: str) -> list[Machine]:
        """The machines, each with the rows of its negative class first: they pair apart."""
        each = machines(self.y, n_classes, scheme)
        orders = (np.argsort(machine.sign, kind="stable") for machine in each)
        return [
            Machine(m.classes, m.rows[order], m.sign[order])
            for m, order in zip(each, orders, strict=True)
        ]

    def limit(self, machine: Machine) -> float:
        """The largest nu of a machine: twice the share of the smaller class."""
        price = self.price[machine.rows]
        above = float(price[machine.sign > 0].sum())
        return 2.0 * min(above, float(price.sum()) - above) / float(price.sum())

    def dual(self, machine: Machine, source: Any) -> Dual:
        """Minimise b'Kb / 2 where the multipliers of each class sum to nu / 2 of all prices."""
        plain = replace(super().dual(machine, source), q=np.zeros(len(machine.rows)))
        price = self.price[machine.rows]
        split = int((machine.sign < 0).sum())
        total = self.nu * float(price.sum()) / 2.0
        parts = (price[:split], price[split:])
        start = machine.sign * np.concatenate([shared_out(total, part) for part in parts])
        return replace(plain, start=start, split=split)

    def solved(self, machine: Machine, problem: Dual, point: Any) -> Solved:
        """The machine with its margins moved to -1 and 1; the objectives are those before that.

        Rows on the margins have outputs -rho and rho. As long as there is no rho above zero, all
        stays as it is.
        """
        lower, upper = (offset(problem, point.beta, point.slope, own) for own in problem.groups)
        ends = (lower[0] + upper[0]) / 2.0, (lower[1] + upper[1]) / 2.0
        rho = (sum(lower) - sum(upper)) / 4.0
        b = (ends[0] + ends[1]) / 2.0
        price = self.price[machine.rows]
        slack = np.maximum(rho - machine.sign * (point.slope + b), 0.0)
        squared = float(max(point.beta @ point.slope, 0.0))
        primal = squared / 2.0 - self.nu * price.sum() * rho + float(price @ slack)
        by = rho if rho > max(point.gap, 0.0) else 1.0
        beyond = slack > max(point.gap, ROUNDING * abs(rho))
        return Solved(
            point.beta / by, b / by, (ends[0] / by, ends[1] / by), point.value(problem),
            float(primal), squared**0.5 / by, by, rho > max(point.gap, 0.0),
            float(price[beyond].sum() / price.sum()),
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class NuSVCFit(SVCFit):
    """Machines whose margins stand at -1 and 1, and what nu turned out to be."""

    nu: float
    rho: np.ndarray  # (M,) output of the rows on the margins, before they were moved to 1
    strengths: np.ndarray  # (M,) C of the support vector classifier that is the same
    beyond: np.ndarray  # (M,) weight of the rows beyond their margin as a share of all: at most nu
    supported: np.ndarray  # (M,) weight of the support vectors as a share of all: at least nu
    limits: np.ndarray  # (M,) the largest nu for which there is a solution

    def settled(self, levels: Sequence[float]) -> str:
        """Rows on the margins have the outputs -rho and rho before they are moved to -1 and 1."""
        b, rho = -(levels[0] + levels[1]) / 2, (levels[1] - levels[0]) / 2
        moved = f", which moves the offset to {rough(b / rho)}" if rho > 0 else ""
        return f"the offset b is {rough(b)} and \N{GREEK SMALL LETTER RHO} is {rough(rho)}{moved}"


def _cost(n: int, p: int, method: NuSVC) -> tuple[float, float]:
    return 3e-3 + n**2 * (1e-8 + 2e-10 * p), min(8.0 * n**2, 2.1e8) + 24.0 * n * p


@enter(
    Card(
        "nu_svc",
        "Nu support vector classifier",
        ("svm", "classification"),
        paper="Schölkopf and others (2000), Neural Computation 12",
        task="classification",
        peer="sklearn.svm.NuSVC",
        sources=("epfl:svm_nu", "cs1:svc_nu", "s841:nu_svm"),
        takes=("weights",),
        weigh="copies",
        cost=_cost,
        units="its margin",
        formula=r"\min_{w, b, \rho}\ \tfrac12 \|w\|^2 - \nu \rho + \tfrac1n \sum_i "
        r"\max(0, \rho - y_i (w^\top \phi(x_i) + b))",
        synonyms=("nu-SVC", "nu-SVM", "NuSVC"),
        line="the share of margin errors is set",
    )
)
@dataclass(frozen=True, kw_only=True)
class NuSVC(SupportVectorClassifier):
    r"""Parts classes by the margin beyond which at most the share $\nu$ of the rows stands.

    The margins are where $f(x) = \pm\rho$, and $\rho$ is found with the border: at most
    $\nu n$ rows lie beyond their margin, at least $\nu n$ are support vectors. With
    $C = 1 / \rho$ the support vector classifier has the same border; here $f$ is divided by
    $\rho$, so that its margins stand at -1 and 1 too. Several classes have one machine a pair.

    Use it where a share of errors is easier to name than a price of errors. O(n^2 p) and more.
    No solution has $\nu$ above twice the share of the smaller class, unless classes are
    balanced; a small $\nu$ on classes that a line cannot part leaves no margin.
    """

    nu: float = real(
        0.5,
        above=0.0,
        high=1.0,
        soft=(0.01, 0.9),
        symbol=r"\nu",
        label="Share beyond the margin",
        doc="At most this share of the rows lies beyond the margin, at least it are support "
        "vectors; up to twice the share of the smaller class.",
    )
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    class_weight: str = balance()
    by_class: tuple = weights_by_class()
    multiclass: str = scheme()
    solver: Solver = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance(", before the margins are moved to -1 and 1")
    max_iter: int | None = most_moves("Pairs of rows that each machine may move.")

    groups: ClassVar[tuple[str, ...]] = ("first class", "second class")

    peer_differs: ClassVar[str] = (
        "scikit-learn keeps the kernel in single precision, whose rounding the multipliers carry "
        "on: decisions differ after four to six digits."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(class_weight="none", multiclass="ovo", max_iter=None):
            return missing
        kernel = self.kernel.peer_settings()
        return kernel if isinstance(kernel, str) else {"nu": self.nu, **kernel, "tol": 1e-6}

    def _strength(self) -> float:
        return 1.0

    def _training(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, k: Kernel) -> NuRows:
        rows = NuRows(X, y, price, k, False, nu=self.nu)
        each = rows.machines(int(y.max()) + 1, self.multiclass)
        limit = min(rows.limit(machine) for machine in each)
        if self.nu > limit * (1.0 + ROUNDING):
            raise DataError(
                f"{self.title()} with nu = {self.nu:g} has no solution: nu is at most twice the "
                f"share of the smaller class, which is {limit:.4g} here. Lower nu, or balance the "
                "classes by their weights."
            )
        return rows

    def _finished(self, given: Given, end: Step) -> NuSVCFit:
        state: SVCState = end.state
        solutions = [s for s in state.solutions if s is not None]
        fields = self._fields(given, end)
        if not all(s.has_margin for s in solutions):
            why = (
                f"{self.title()} with nu = {self.nu:g} finds no margin that is wider than its "
                "tolerance: the classes overlap too much. Raise nu, or choose a kernel that parts "
                "them."
            )
            if end.stop is None or end.stop.kind == "converged":
                raise DataError(why)
            fields["notes"] = (*fields["notes"], "No margin was found yet: raise the iterations.")
        rho = np.array([s.rho for s in solutions])
        rows, each = state.rows, state.each
        assert isinstance(rows, NuRows)
        return NuSVCFit(
            **fields,
            nu=self.nu,
            rho=rho,
            strengths=1.0 / rho,
            beyond=np.array([s.beyond for s in solutions]),
            supported=np.array(
                [_supported(rows, m, s) for m, s in zip(each, solutions, strict=True)]
            ),
            limits=np.array([rows.limit(machine) for machine in each]),
        )


def _supported(rows: TrainingRows, machine: Machine, solution: Solved) -> float:
    price = rows.price[machine.rows]
    return float(price[solution.beta != 0].sum() / price.sum())
