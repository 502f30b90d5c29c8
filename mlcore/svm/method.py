"""What support vector machines share: their settings, their steps, their outputs by blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mlcore.kernels.gram import with_rows
from mlcore.kernels.kernel import Kernel, why_not
from mlcore.kernels.products import Linear
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, last
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import flag, integer, real
from mlcore.spine.wording import listed, plural, rough
from mlcore.svm.dual import Dual, Point, Solver

PAIR_BY_PAIR = 500  # rows up to which a step is one pair; then it is a hundred


@dataclass(frozen=True, kw_only=True)
class SupportVectorMethod(IterativeMethod):
    """A dual that is solved by pairs of multipliers, for one machine or several."""

    if TYPE_CHECKING:
        kernel: Kernel  # each declares its own, in its words
        solver: Solver
        tol: float
        max_iter: int | None

    many: ClassVar[int]  # pairs after which a machine is given up, and more for more rows
    groups: ClassVar[tuple[str, ...]] = ("",)  # names of those within which pairs move

    @property
    def is_sum(self) -> bool:
        """Whether the kernel is linear, so that a column adds a line."""
        return isinstance(self.kernel, Linear)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows without a value of the kernel, and more than the solver takes."""
        most = self.solver.most_rows
        if most is not None and len(X) > most:
            solver: Any = self.solver
            return (
                f"{solver.title()} solves at most {most:,} rows, and these are {len(X):,}. Choose "
                "another solver, or fewer rows."
            )
        return why_not(self.kernel, X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, 1 if given.n <= PAIR_BY_PAIR else 100)

    def _end(self, given: Given) -> Step:
        return last(self._played(given, None))

    def _played(self, given: Given, every: int | None) -> Iterator[Step]:
        """A step every so many moves; with `every` None only where the solver comes up for air."""
        # One machine is played by its moves, several one after the other.
        raise NotImplementedError(f"{type(self).__name__} declares no steps")

    def _walk(self, problem: Dual, every: int | None) -> Iterator[Point]:
        more = {} if every is None else {"every": every}
        most = self.max_iter or max(self.many, 100 * problem.n)
        return self.solver.walk(problem, tol=self.tol, max_moves=most, **more)


@dataclass(frozen=True, eq=False, kw_only=True)
class MachineFit(Fit):
    """A machine that a solver of the family found."""

    if TYPE_CHECKING:
        has_intercept: bool = True  # declared by those that may do without

    @property
    def moves_pairs(self) -> bool | None:
        """Whether it was found by moves of two multipliers; None where it was not."""
        return self._method.solver.moves_pairs or None

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of multipliers within which pairs move; one without a name where all do."""
        return self._method.groups

    @property
    def _method(self) -> SupportVectorMethod:
        assert isinstance(self.made_by, SupportVectorMethod)
        return self.made_by

    def settled(self, levels: Sequence[float]) -> str:
        """What the places say where the thresholds of each group meet: the offset of a machine."""
        if not self.has_intercept:
            return "it is at zero: there is no offset"
        return f"the offset b is {rough(-levels[0])}"


def outputs(kernel: Any, support_vectors: np.ndarray, duals: np.ndarray, X: Any) -> np.ndarray:
    """Sums of kernel values weighted by the multipliers, without offsets, shape (m, ...)."""
    return np.concatenate([K @ duals for K in with_rows(kernel, support_vectors, X)])


def shared_out(total: float, most: np.ndarray) -> np.ndarray:
    """The first rows at their `most`, (n,), until `total` is given away: where a nu-dual begins."""
    return np.clip(total - (np.cumsum(most) - most), 0.0, most)


def moved(rows: Sequence[int], point: Point) -> str:
    """What the last move did, as a sentence; `rows` are the one or two that moved, from 0."""
    if point.note:
        return point.note
    if point.pair is None:
        if point.stop is not None and point.stop.kind != "converged":
            return point.stop.why
        return "No pair of rows violates the conditions."
    cut = ", up to a bound" if point.pair.step < point.pair.free else ""
    who = f"{plural(len(rows), 'Row', 'Rows')} {listed(row + 1 for row in rows)}"
    more = f" {point.tells}" if point.tells else ""
    return f"{who} moved by {point.pair.step:.3g}{cut}; gap {point.gap:.3g}.{more}"


def offset_of_its_own(**more: Any) -> Any:
    """The setting intercept of a machine that may do without; `more` says when it counts."""
    return flag(
        True,
        symbol="b",
        doc="Whether an intercept is found; without one the border, or the curve, starts at the "
        "origin of the kernel's features.",
        advanced=True,
        **more,
    )


def inverse_strength(or_none: str = "") -> Any:
    """The setting C of every machine."""
    return real(
        1.0,
        or_none=or_none,
        above=0.0,
        high=1e9,
        soft=(0.01, 1000.0),
        log=True,
        symbol="C",
        label="Inverse regularisation strength",
        doc="Weight of the errors: larger means a weaker penalty and a closer fit to the rows.",
    )


def tolerance(unit: str = "") -> Any:
    """The setting tol of every machine; `unit` ends its sentence."""
    return real(
        1e-3,
        low=1e-9,
        high=0.1,
        soft=(1e-6, 0.1),
        log=True,
        symbol=r"\tau",
        label="Tolerance",
        doc=f"Stop when no pair violates the conditions of the optimum by more{unit}.",
        advanced=True,
    )


def most_moves(doc: str) -> Any:
    """The setting max_iter of every machine."""
    return integer(
        None,
        low=1,
        soft=(10, 100_000),
        log=True,
        or_none="until it converges",
        label="Maximum iterations",
        doc=doc,
        advanced=True,
    )
