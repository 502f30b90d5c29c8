"""The support vector classifier: the widest margin between two classes, bent by a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.maths.class_scores import best_class
from mlcore.maths.votes import votes
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.params import choice, part
from mlcore.svm.dual import Point
from mlcore.svm.machines import (
    Machine,
    Solved,
    TrainingRows,
    code_of,
    expansion,
    machines,
    solved,
    validity_notes,
)
from mlcore.svm.method import (
    SupportVectorMethod,
    inverse_strength,
    most_moves,
    outputs,
    tolerance,
)
from mlcore.svm.smo import SMO


@dataclass(frozen=True, eq=False)
class SVCState:
    """The machines so far; those that follow have multipliers of zero."""

    machine: int  # which one moved
    support: np.ndarray  # (S,) rows with a multiplier
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, M) signed multipliers
    intercepts: np.ndarray  # (M,)
    solutions: tuple[Solved | None, ...]
    moves: int  # pairs so far
    pair: tuple[int, int] | None  # rows of the last pair


@dataclass(frozen=True, eq=False, kw_only=True)
class SVCFit(Fit):
    """Support vectors and their multipliers, one column a machine of two classes."""

    classes: np.ndarray  # (K,) sorted labels
    kernel: Any  # with the numbers that the training rows decided
    support: np.ndarray  # (S,) which of the training rows
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, M) multiplier times sign of the class
    bounds: np.ndarray  # (S, M) upper bound of the multiplier; 0 where a machine has no such row
    intercepts: np.ndarray  # (M,)
    machines: np.ndarray  # (M, 2) codes of the negative (-1: all others) and the positive class
    intervals: np.ndarray  # (M, 2) in which each offset may lie
    margins: np.ndarray  # (M,) half the width of the margin, in the features of the kernel
    dual: float  # objectives, summed over the machines
    primal: float
    notes: tuple[str, ...] = ()

    def values(self, X: Any) -> np.ndarray:
        """Output of each machine, shape (m, M): 0 on the border, -1 and 1 on the margins."""
        X = self._rows(X)
        return outputs(self.kernel, self.support_vectors, self.duals, X) + self.intercepts

    def decision(self, X: Any) -> np.ndarray:
        """Scores, shape (m,) for two classes, else (m, K): votes and margins, or one-vs-rest."""
        values = self.values(X)
        if len(self.classes) == 2:
            return values[:, 0]
        if (self.machines[:, 0] < 0).all():
            return values
        return votes(values, code_of(self.machines, len(self.classes)))

    def predict(self, X: Any) -> np.ndarray:
        """The class with the most votes, or the highest score, shape (m,)."""
        return self.classes[best_class(self.decision(X))]


def _cost(n: int, p: int, method: SVC) -> tuple[float, float]:
    hard = 1.0 + 0.3 * np.log10(1.0 + method.C)
    return 3e-3 + n**2 * (5e-9 + 2e-10 * p) * hard, min(8.0 * n**2, 2.1e8) + 24.0 * n * p


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
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SVC(SupportVectorMethod):
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
    class_weight: str = choice(
        "none",
        "none",
        "balanced",
        label="Class weights",
        doc="Balanced makes each class cost the same in all, however few rows it has.",
    )
    loss: str = choice(
        "hinge",
        "hinge",
        "squared_hinge",
        doc="Slacks are penalised as they are, or by half their squares, with no bound on alpha.",
        advanced=True,
    )
    multiclass: str = choice(
        "ovo",
        "ovo",
        "ovr",
        label="Several classes",
        doc="One machine a pair of classes, which vote (ovo), or one a class against the rest.",
        advanced=True,
    )
    solver: SMO = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance()
    max_iter: int | None = most_moves("Pairs of rows that each machine may move.")

    many: ClassVar[int] = 10_000_000

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(loss="hinge", multiclass="ovo", max_iter=None):
            return missing
        kernel = self.kernel.peer_settings()
        if isinstance(kernel, str):
            return kernel
        weights = None if self.class_weight == "none" else self.class_weight
        return {"C": self.C, **kernel, "class_weight": weights, "tol": 1e-6}

    def _played(self, given: Given, every: int | None) -> Iterator[Step]:
        """Each move of each machine as a step; with `every` None only the end of each machine."""
        used = np.flatnonzero(given.w > 0)
        rows = self._rows_of(given, used)
        each = machines(rows.y, len(given.labels), self.multiclass)
        solutions: list[Solved | None] = [None] * len(each)
        stops: list[Stop] = []
        k = before = 0
        for m, (machine, source) in enumerate(zip(each, rows.sources(each), strict=True)):
            problem = rows.dual(machine, source)
            point = None
            for point in self._walk(problem, every):
                solutions[m] = solved(rows, machine, problem, point)
                if point.stop:
                    stops.append(point.stop)
                if every is None and (point.stop is None or m + 1 < len(each)):
                    continue
                stop = _together(stops) if len(stops) == len(each) else None
                state = _state(given, used, each, solutions, m, before + point.moves, point)
                value = sum(s.dual for s in solutions if s is not None)
                note = _note(given, machine, len(each), state, point)
                yield Step(k, value, state, stop, note)
                k += 1
            before += point.moves if point else 0

    def _rows_of(self, given: Given, used: np.ndarray) -> TrainingRows:
        X, y, w = given.X[used], given.target[used], given.w[used]
        missing = np.setdiff1d(np.arange(len(given.labels)), y)
        if len(missing):
            raise DataError(
                f"{self.title()} needs a row of every class with a weight above zero; "
                f"{given.labels[missing[0]]} has none."
            )
        price = self.C * w
        if self.class_weight == "balanced":
            sums = np.bincount(y, weights=w)
            price = price * (w.sum() / (len(sums) * sums))[y]
        kernel = self.kernel.resolve(X, w)
        return TrainingRows(X, y, price, kernel, self.loss == "squared_hinge")

    def _finished(self, given: Given, end: Step) -> SVCFit:
        state: SVCState = end.state
        used = np.flatnonzero(given.w > 0)
        rows = self._rows_of(given, used)
        each = machines(rows.y, len(given.labels), self.multiclass)
        solutions = [s for s in state.solutions if s is not None]
        bounds = np.zeros_like(state.duals)
        for k, machine in enumerate(each):
            top = np.zeros(given.n)
            top[used[machine.rows]] = np.inf if rows.is_squared else rows.price[machine.rows]
            bounds[:, k] = top[state.support]
        return SVCFit(
            made_by=self,
            columns=given.columns,
            n_iter=state.moves,
            stop=end.stop,
            classes=given.labels,
            kernel=rows.kernel,
            support=state.support,
            support_vectors=state.support_vectors,
            duals=state.duals,
            bounds=bounds,
            intercepts=state.intercepts,
            machines=np.array([machine.classes for machine in each]),
            intervals=np.array([s.interval for s in solutions]),
            margins=np.array([1.0 / s.length if s.length > 0 else np.inf for s in solutions]),
            dual=end.objective,
            primal=sum(s.primal for s in solutions),
            notes=validity_notes(rows.kernel, given.p),
        )


def _state(
    given: Given,
    used: np.ndarray,
    each: list[Machine],
    solutions: list[Solved | None],
    m: int,
    moves: int,
    point: Point,
) -> SVCState:
    support, duals, intercepts = expansion(each, solutions, len(used))
    at = used[support]
    pair = None
    if point.pair is not None:
        i, j = (int(used[each[m].rows[k]]) for k in (point.pair.i, point.pair.j))
        pair = (i, j)
    return SVCState(m, at, given.X[at], duals, intercepts, tuple(solutions), moves, pair)


def _together(stops: list[Stop]) -> Stop:
    """The first machine that did not converge, or the last."""
    return next((s for s in stops if s.kind != "converged"), stops[-1])


def _note(given: Given, machine: Machine, many: int, state: SVCState, point: Point) -> str:
    """What the last move did, as a sentence."""
    note = point.note
    if not note and state.pair is None:
        note = "No pair of rows violates the conditions."
    elif not note and point.pair is not None and state.pair is not None:
        i, j = state.pair
        cut = ", up to a bound" if point.pair.step < point.pair.free else ""
        note = f"Rows {i + 1} and {j + 1} moved by {point.pair.step:.3g}{cut}; "
        note += f"gap {point.gap:.3g}."
    if many == 1:
        return note
    a, b = ("the rest" if c < 0 else str(given.labels[c]) for c in machine.classes)
    return f"{b} against {a}: {note[0].lower()}{note[1:]}"
