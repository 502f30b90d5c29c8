"""One-class support vector machine: a smooth region that leaves a share of the rows outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.kernels.gram import GramSource
from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.novelty import NoveltyFit
from mlcore.spine.params import part, real
from mlcore.spine.wording import rough
from mlcore.svm.dual import Dual, Point, Solver, offset
from mlcore.svm.machines import kernel_notes
from mlcore.svm.method import (
    MachineFit,
    SupportVectorMethod,
    most_moves,
    moved,
    outputs,
    shared_out,
    tolerance,
)
from mlcore.svm.moves import PairsState, moves_told

ROUNDING = 1e-12  # of the threshold: rows on the border are inside whichever way they are added up


@dataclass(frozen=True, eq=False)
class OneClassState(PairsState):
    """The machine so far."""

    support: np.ndarray  # (S,) rows with a multiplier
    duals: np.ndarray  # (S, 1)
    rho: float
    gap: float  # by which the conditions of the optimum are still violated
    own: np.ndarray  # (u,) sums of the rows that are used
    primal: float
    beyond: float  # weight of the rows outside as a share of all


@dataclass(frozen=True, eq=False, kw_only=True)
class OneClassSVMFit(MachineFit, NoveltyFit):
    """Support vectors and their multipliers."""

    kernel: Any  # with the numbers that the training rows decided
    support: np.ndarray  # (S,) which of the training rows
    support_vectors: np.ndarray  # (S, p)
    duals: np.ndarray  # (S, 1) multipliers, of sum nu times the weights
    bounds: np.ndarray  # (S, 1) upper bound of the multiplier
    ridges: np.ndarray  # (S, 1) zeros: slacks are not squared
    rho: float  # the sum on the border of the region
    dual: float
    primal: float
    nu: float
    beyond: np.ndarray  # (1,) weight of the rows outside as a share of all: at most nu
    supported: np.ndarray  # (1,) weight of the support vectors as a share of all: at least nu
    limits: np.ndarray  # (1,) the largest nu for which there is a solution
    notes: tuple[str, ...] = ()
    score_name: ClassVar[str] = "sum of the kernel"

    def usualness(self, X: Any) -> np.ndarray:
        """Sum of the kernel at the support vectors by their multipliers, shape (m,)."""
        return outputs(self.kernel, self.support_vectors, self.duals[:, 0], self._rows(X))

    def settled(self, levels: Sequence[float]) -> str:
        """A slope is the sum at a row: rows on the border have rho."""
        return f"\N{GREEK SMALL LETTER RHO} on the border is {rough(levels[0])}"


def _cost(n: int, p: int, method: OneClassSVM) -> tuple[float, float]:
    share = 0.3 + method.nu
    return 3e-3 + n**2 * (6e-9 + 3e-10 * p) * share, min(8.0 * n**2, 2.1e8) + 24.0 * n * p


@enter(
    Card(
        "one_class_svm",
        "One-class support vector machine",
        ("svm", "novelty"),
        paper="Schölkopf and others (2001), Neural Computation 13",
        peer="sklearn.svm.OneClassSVM",
        sources=("cs1:svm_one_class",),
        takes=("weights",),
        weigh="copies",
        scores=("novelty_scores",),
        cost=_cost,
        units="distances",
        formula=r"\min_{w, \rho}\ \tfrac12 \|w\|^2 + \tfrac{1}{\nu n} \sum_i \max(0, \rho - w^\top "
        r"\phi(x_i)) - \rho",
        synonyms=("OneClassSVM", "support of a distribution", "nu-SVM of one class", "SVDD"),
        line="a border around nearly all rows",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class OneClassSVM(SupportVectorMethod):
    r"""Learns a region that holds nearly all rows, with a border as smooth as the kernel allows.

    In the features of the kernel a plane parts the rows from the origin with the largest distance:
    $s(x) = \sum_i \alpha_i k(x_i, x)$ is at least $\rho$ inside. The multipliers minimise
    $\frac12 \alpha^\top K \alpha$ with $0 \le \alpha_i \le 1$ and $\sum_i \alpha_i = \nu n$. At
    most a share nu of the rows lies outside, and at least that share carries the border. With a
    Gaussian kernel the region is that of the smallest sphere around the rows in the features.

    Use it on up to some ten thousand rows of standardised columns. O(n^2 p) and more. A narrow
    kernel draws a ring around every row, a wide one an ellipse around all; nothing tells which is
    right but rows left out. With a kernel that does not depend on differences alone the origin may
    lie among the rows, and the region means little.
    """

    nu: float = real(
        0.1,
        above=0.0,
        below=1.0,
        soft=(0.01, 0.5),
        log=True,
        symbol=r"\nu",
        label="Share outside",
        doc="Most rows that lie outside and fewest that carry the border, as shares of all.",
    )
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    solver: Solver = part("smo", slot="svm_solver", doc="How the dual is solved.", advanced=True)
    tol: float = tolerance()
    max_iter: int | None = most_moves("Pairs of variables that may be moved.")

    many: ClassVar[int] = 300_000

    peer_differs: ClassVar[str] = (
        "scikit-learn keeps the kernel in single precision and calls rows on the border new or "
        "not as rounding has it; here they are inside."
    )

    @property
    def contamination(self) -> float:
        """The share of rows that is asked to lie outside."""
        return self.nu

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(max_iter=None):
            return missing
        kernel = self.kernel.peer_settings()
        return kernel if isinstance(kernel, str) else {"nu": self.nu, **kernel, "tol": 1e-6}

    def _played(self, given: Given, every: int | None) -> Iterator[Step]:
        used = np.flatnonzero(given.w > 0)
        X, top = given.X[used], given.w[used]
        problem = self._dual(X, top, self.kernel.resolve(X, top))
        for k, point in enumerate(self._walk(problem, every)):
            state = _state(self.nu, problem, point, used)
            yield Step(k, point.value(problem), state, point.stop, _note(used, point))

    def _dual(self, X: np.ndarray, top: np.ndarray, kernel: Kernel) -> Dual:
        """Minimise a'Ka / 2 where the multipliers a, at most `top`, (n,), sum to nu of theirs."""
        none, start = np.zeros(len(top)), shared_out(self.nu * float(top.sum()), top)
        return Dual(GramSource(kernel, X), none, none, top, none, start)

    def _finished(self, given: Given, end: Step) -> OneClassSVMFit:
        state: OneClassState = end.state
        used = given.w > 0
        kernel = self.kernel.resolve(given.X[used], given.w[used])
        vectors = given.X[state.support]
        own = np.empty(given.n)
        own[used] = state.own
        if not used.all():
            own[~used] = outputs(kernel, vectors, state.duals[:, 0], given.X[~used])
        slack, bounds = _leeway(state.gap, state.rho), given.w[state.support]
        return OneClassSVMFit(
            made_by=self,
            columns=given.columns,
            n_iter=state.moves,
            stop=end.stop,
            own_usualness=own,
            threshold=state.rho - slack,
            share_asked=self.nu,
            kernel=kernel,
            support=state.support,
            support_vectors=vectors,
            duals=state.duals,
            bounds=bounds[:, None],
            ridges=np.zeros((len(bounds), 1)),
            rho=state.rho,
            dual=end.objective,
            primal=state.primal,
            nu=self.nu,
            beyond=np.array([state.beyond]),
            supported=np.array([bounds.sum() / given.w.sum()]),
            limits=np.ones(1),
            notes=_notes(kernel, given.X[used]),
        )


def _leeway(gap: float, rho: float) -> float:
    """How far below rho a row may be that is still inside."""
    return max(gap, 0.0) + ROUNDING * abs(rho)


def _state(nu: float, problem: Dual, point: Point, used: np.ndarray) -> OneClassState:
    alpha, own, top = point.beta, point.slope.copy(), problem.high
    ends = offset(problem, alpha, own)
    at, rho, total = np.flatnonzero(alpha), -(ends[0] + ends[1]) / 2, float(top.sum())
    below = np.maximum(rho - own, 0.0)
    primal = 0.5 * float(alpha @ own) + float(top @ below) - nu * total * rho
    beyond = float(top[below > _leeway(point.gap, rho)].sum()) / total
    told = moves_told(problem, used, point)
    return OneClassState(used[at], alpha[at, None], rho, point.gap, own, primal, beyond, **told)


def _notes(kernel: Kernel, X: np.ndarray) -> tuple[str, ...]:
    notes = kernel_notes(kernel, X)
    if kernel.stationary:
        return notes
    return (
        *notes,
        f"{kernel.title()} does not depend on differences of rows alone, so the origin may lie "
        "among them, and the region may mean little.",
    )


def _note(used: np.ndarray, point: Point) -> str:
    """What the last move did, as a sentence."""
    return moved([int(used[k]) for k in point.pair.variables] if point.pair else [], point)
