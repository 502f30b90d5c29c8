"""What classifiers by support vectors share: machines one after the other, and their fit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.kernels.products import Linear
from mlcore.maths.class_scores import best_class
from mlcore.maths.votes import votes
from mlcore.spine import checks
from mlcore.spine.capabilities_of_sums import Sum, linear_scores
from mlcore.spine.errors import CLASS, ClassNote
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.params import choice
from mlcore.spine.params import many as several
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import listed
from mlcore.svm.dual import Dual, Point
from mlcore.svm.machines import Machine, Solved, TrainingRows, code_of, expansion, kernel_notes
from mlcore.svm.method import MachineFit, SupportVectorMethod, moved, outputs
from mlcore.svm.moves import PairsState, moves_told

GIVEN = "given"


@dataclass(frozen=True, eq=False)
class SVCState(PairsState):
    """The machines so far; those that follow have multipliers of zero."""

    support: np.ndarray  # (S,) rows with a multiplier
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, M) signed multipliers
    intercepts: np.ndarray  # (M,)
    solutions: tuple[Solved | None, ...]
    pair: tuple[int, ...]  # rows of the last pair; one moves alone where there is no intercept
    rows: TrainingRows  # those that the machines learn from
    each: list[Machine]


@dataclass(frozen=True, eq=False, kw_only=True)
class SVCFit(MachineFit):
    """Support vectors and their multipliers, one column a machine of two classes."""

    classes: np.ndarray  # (K,) sorted labels
    kernel: Any  # with the numbers that the training rows decided
    support: np.ndarray  # (S,) which of the training rows
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, M) multiplier times sign of the class
    bounds: np.ndarray  # (S, M) upper bound of the multiplier; 0 where a machine has no such row
    ridges: np.ndarray  # (S, M) slack over multiplier where slacks are squared, else 0
    intercepts: np.ndarray  # (M,)
    machines: np.ndarray  # (M, 2) codes of the negative (-1: all others) and the positive class
    intervals: np.ndarray  # (M, 2) in which each offset may lie
    margins: np.ndarray  # (M,) half the width of the margin, in the features of the kernel
    dual: float  # objectives, summed over the machines
    primal: float
    has_intercept: bool = True
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

    @property
    def as_sum(self) -> Sum | None:
        """Scores: a line a column, where the kernel is linear and no pairs of classes vote."""
        pairs_vote = len(self.classes) > 2 and (self.machines[:, 0] >= 0).any()
        if pairs_vote or not isinstance(self.kernel, Linear):
            return None
        weights = self.duals.T @ self.support_vectors  # (M, p)
        return linear_scores(weights[0] if len(weights) == 1 else weights, self.decision)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the most votes, or the highest score, shape (m,)."""
        return self.classes[best_class(self.decision(X))]


@dataclass(frozen=True, kw_only=True)
class SupportVectorClassifier(SupportVectorMethod):
    """One machine for two classes, several for more, each with a dual of its own."""

    if TYPE_CHECKING:
        class_weight: str  # each declares its own, in its words
        by_class: tuple[float, ...]
        multiclass: str

    many: ClassVar[int] = 10_000_000

    def conflict(self) -> str | None:
        """Weights of classes are positive."""
        if self.class_weight == GIVEN and not all(w > 0 for w in self.by_class):
            return (
                f"{self.title()} needs weights of classes above 0; got {self.by_class}. Leave the "
                "rows of a class out instead."
            )
        return None

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse any but one weight for each class, and what every machine refuses.

        A fold that lacks a class would else give each its neighbour's.
        """
        reason = super().applies(X, y)
        if reason or y is None or self.class_weight != GIVEN:
            return reason
        if len(self.by_class) != (K := int(y.max()) + 1):
            return (
                f"{self.title()} needs a weight for each of {K} classes, in sorted order; got "
                f"{len(self.by_class)}. Give as many."
            )
        return None

    def _played(self, given: Given, every: int | None) -> Iterator[Step]:
        """Each move of each machine as a step; with `every` None only the end of each machine."""
        used = np.flatnonzero(given.w > 0)
        rows = self._used_rows(given, used)
        each = rows.machines(len(given.labels), self.multiclass)
        solutions: list[Solved | None] = [None] * len(each)
        stops: list[Stop] = []
        k = before = 0
        walks = self._walks(rows, each, every)
        for m, (machine, (problem, points)) in enumerate(zip(each, walks, strict=True)):
            point = None
            for point in points:
                solutions[m] = rows.solved(machine, problem, point)
                if point.stop:
                    stops.append(point.stop)
                if every is None and (point.stop is None or m + 1 < len(each)):
                    continue
                stop = _together(stops) if len(stops) == len(each) else None
                moves = before + point.moves
                state = _state(given, used, rows, each, solutions, m, moves, problem, point)
                value = sum(s.dual for s in solutions if s is not None)
                note = _move(given, machine, len(each), state, point)
                yield Step(k, value, state, stop, note)
                k += 1
            before += point.moves if point else 0

    def _walks(
        self, rows: TrainingRows, each: list[Machine], every: int | None
    ) -> Iterator[tuple[Dual, Iterable[Point]]]:
        """The dual of each machine and its points; with `every` None the last, side by side."""
        source_of = rows.source_of(each)

        def walked(machine: Machine) -> tuple[Dual, Iterable[Point]]:
            problem = rows.dual(machine, source_of(machine))
            points = self._walk(problem, every)
            return problem, points if every else deque(points, maxlen=1)

        return map(walked, each) if every else side_by_side(walked, each)

    def _strength(self) -> float:
        """The price of a slack of a row of weight 1."""
        # C says it, or nu does.
        raise NotImplementedError(f"{type(self).__name__} declares no price")

    def _training(self, X: np.ndarray, y: np.ndarray, price: np.ndarray, k: Kernel) -> TrainingRows:
        """The rows that machines learn from, their prices, (n,), and the resolved kernel."""
        # Prices and classes are other ones for C and for nu.
        raise NotImplementedError(f"{type(self).__name__} declares no rows")

    def _used_rows(self, given: Given, used: np.ndarray) -> TrainingRows:
        X, y, w = given.X[used], given.target[used], given.w[used]
        checks.every_class(y, given.labels, self.title())
        price = self._strength() * w
        if self.class_weight != "none":
            price = price * self._class_factors(np.bincount(y, weights=w))[y]
        return self._training(X, y, price, self.kernel.resolve(X, w))

    def _class_factors(self, sums: np.ndarray) -> np.ndarray:
        """By what a slack of each class is dearer, shape (K,); `sums` are their weights."""
        if self.class_weight == "balanced":
            return sums.sum() / (len(sums) * sums)
        return np.array(self.by_class)

    def _fields(self, given: Given, end: Step) -> dict[str, Any]:
        """What the fit of the last step holds."""
        state: SVCState = end.state
        used, rows, each = np.flatnonzero(given.w > 0), state.rows, state.each
        solutions = [s for s in state.solutions if s is not None]
        bounds, ridges = np.zeros_like(state.duals), np.zeros_like(state.duals)
        for k, (machine, solution) in enumerate(zip(each, solutions, strict=True)):
            top = np.zeros(given.n)
            top[used[machine.rows]] = rows.top(machine) / solution.rho
            bounds[:, k] = top[state.support]
            ridge = np.zeros(given.n)
            ridge[used[machine.rows]] = rows.ridge(machine)
            ridges[:, k] = ridge[state.support]
        return {
            "made_by": self,
            "columns": given.columns,
            "n_iter": state.moves,
            "stop": end.stop,
            "classes": given.labels,
            "kernel": rows.kernel,
            "support": state.support,
            "support_vectors": state.support_vectors,
            "duals": state.duals,
            "bounds": bounds,
            "ridges": ridges,
            "intercepts": state.intercepts,
            "machines": np.array([machine.classes for machine in each]),
            "intervals": np.array([s.interval for s in solutions]),
            "margins": np.array([1.0 / s.length if s.length > 0 else np.inf for s in solutions]),
            "dual": end.objective,
            "primal": sum(s.primal for s in solutions),
            "has_intercept": rows.has_intercept,
            "notes": _notes(given, used, rows),
        }


def _notes(given: Given, used: np.ndarray, rows: TrainingRows) -> tuple[str, ...]:
    """What people should know of the kernel, and of classes of a single row."""
    notes = kernel_notes(rows.kernel, given.X[used], rows.has_intercept)
    alone = given.labels[np.bincount(given.target[used], minlength=len(given.labels)) == 1]
    if not len(alone):
        return notes
    which, have = ("Class", "has") if len(alone) == 1 else ("Classes", "have")
    many = f"{which} {listed([CLASS] * len(alone))} {have} a single row"
    where = ", which alone says where the border runs. Add rows, or merge classes."
    return (*notes, ClassNote(many + where, alone.tolist()))


def balance(**more: Any) -> Any:
    """The setting class_weight of every classifier; `more` says when it counts."""
    return choice(
        "none",
        "none",
        "balanced",
        GIVEN,
        **more,
        label="Class weights",
        doc="Balanced makes each class cost the same in all, however few rows it has; given is a "
        "weight for each.",
    )


def weights_by_class(**also: Any) -> Any:
    """The setting by_class of every classifier; `also` are further conditions."""
    return several(
        (1.0, 2.0),
        label="Weight of each class",
        doc="How much dearer a row beyond its margin is: a number for each class, in their sorted "
        "order.",
        only_if={"class_weight": GIVEN, **also},
    )


def scheme(*more: str, told: str = "") -> Any:
    """The setting multiclass of every classifier; `more` are ways of its own, `told` of them."""
    return choice(
        "ovo",
        "ovo",
        "ovr",
        *more,
        label="Scheme for several classes",
        doc="One machine a pair of classes, which vote (ovo), or one a class against the rest"
        f"{told}.",
        advanced=True,
    )


def _state(
    given: Given,
    used: np.ndarray,
    rows: TrainingRows,
    each: list[Machine],
    solutions: list[Solved | None],
    m: int,
    moves: int,
    problem: Dual,
    point: Point,
) -> SVCState:
    support, duals, intercepts = expansion(each, solutions, len(used))
    at = used[support]
    own = used[each[m].rows]
    pair = tuple(int(own[k]) for k in point.pair.variables if k < len(own)) if point.pair else ()
    vectors, so_far = given.X[at], tuple(solutions)
    told: dict[str, Any] = moves_told(problem, own, point) | {"machine": m, "moves": moves}
    return SVCState(at, vectors, duals, intercepts, so_far, pair, rows, each, **told)


def _together(stops: list[Stop]) -> Stop:
    """The first machine that did not converge, or the last."""
    return next((s for s in stops if s.kind != "converged"), stops[-1])


def _move(given: Given, machine: Machine, many: int, state: SVCState, point: Point) -> str:
    """What the last move did, as a sentence."""
    note = moved(state.pair, point)
    if many == 1:
        return note
    a, b = machine.classes
    which = f"{CLASS} against {'the rest' if a < 0 else CLASS}"
    labels = [given.labels[c] for c in (b, a) if c >= 0]
    return ClassNote(f"{which}: {note[0].lower()}{note[1:]}", labels)
