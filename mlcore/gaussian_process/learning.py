"""The way up a criterion: logarithms of noise and settings of the kernel, along its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from mlcore.gaussian_process.criteria import EVIDENCE, Criterion
from mlcore.kernels.evidence import Observed
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.settings import label_at, learnable, range_at, value_at, with_value
from mlcore.optimisation.within_bounds import Tried, bfgs
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Stop, verdict

NOISE = "noise"
TIMES = 1e5  # by which a setting may become smaller or larger than it was
LEAST_NOISE = 1e-8  # below it the matrix is singular wherever two rows are alike
NEAR = 1e-6  # of a logarithm: so near to an end of its range a setting is at it
DRAWN = np.log(100.0)  # further starts lie within this factor of the first


P = TypeVar("P", bound="Judged")


class Judged(Protocol):
    """A process of one kernel, conditioned on rows; criteria judge it by them."""

    @property
    def kernel(self) -> Kernel:
        """The covariance."""
        ...


@dataclass(frozen=True, eq=False)
class Reached(Generic[P]):
    """A place on the way up."""

    process: P
    value: float  # of the criterion, in nats
    stop: Stop | None
    note: str


class Climb(Generic[P]):
    """A criterion of one set of rows as a function of the logarithms of settings.

    Settings of the kernel, and the noise where there is one. `_made` gives the process at a place.
    """

    criterion: Criterion = EVIDENCE

    def __init__(self, X: np.ndarray, kernel: Kernel, noise: float | None) -> None:
        self.kernel = kernel
        self.paths = learnable(kernel, X)
        values = [value_at(kernel, path) for path in self.paths]
        ends = [range_at(kernel, path, TIMES) for path in self.paths]
        if noise is not None:
            self.paths, values = (*self.paths, NOISE), [*values, noise]
            ends.append((max(noise / TIMES, LEAST_NOISE), noise * TIMES))
        self.start = np.log(np.array(values))
        self.low, self.high = np.log(np.array(ends).reshape(-1, 2)).T
        self._last: P | None = None
        self._at = self.start

    def _made(self, kernel: Kernel, noise: float | None) -> P:
        # Regression and classification climb the same way, on other processes.
        raise NotImplementedError(f"{type(self).__name__} declares no process")

    def walk(self, start: np.ndarray, *, tol: float, max_iter: int) -> Iterator[Reached[P]]:
        """Each step up from `start`, shape (q,); the last says why it is the last."""
        before, name = -np.inf, self.criterion.name
        for k, at in enumerate(bfgs(self._tried, start, self.low, self.high)):
            process = self._process(at.tried.x)
            value = self.criterion.value(process)
            words = self.words(process)
            note = f"{words[0].upper()}{words[1:]}; the {name} is {value:.5g}"
            note += f", {value - before:.3g} more." if k else " at the start."
            before, what = value, f"the steepest slope of the {name}"
            stop = verdict(k, at.steepest, tol=tol, max_iter=max_iter, what=what)
            if stop is None and at.length == 0.0:
                why = f"Converged: rounding hides any further increase of the {name}."
                stop = Stop("converged", why)
            yield Reached(process, value, stop, note)
            if stop:
                return

    def notes(self, kernel: Kernel, noise: float | None = None) -> tuple[str, ...]:
        """What people should know of the settings that were learned."""
        ends = []
        for path, low, high in zip(self.paths, self.low, self.high, strict=True):
            value = np.log(float(noise or 0.0) if path == NOISE else value_at(kernel, path))
            if min(value - low, high - value) < NEAR:
                side = "lower" if value - low < high - value else "upper"
                ends.append(
                    f"The {self._label(path)} ended at the {side} end of its range: the "
                    f"{self.criterion.name} goes on growing beyond it, and the rows say little of "
                    "it."
                )
        if self.paths in ((), (NOISE,)):
            kept = f"The settings of {self.kernel.title()} stay as they are: it has no gradient."
            return (*ends, kept)
        return tuple(ends)

    def _process(self, x: np.ndarray) -> P:
        """The process at logarithms x, (q,); the last one is remembered."""
        if self._last is not None and np.array_equal(x, self._at):
            return self._last
        kernel = self.kernel
        for path, value in zip(self.paths, np.exp(x), strict=True):
            if path != NOISE:
                kernel = with_value(kernel, path, float(value))
        noise = float(np.exp(x[-1])) if NOISE in self.paths else None
        self._last, self._at = self._made(kernel, noise), x
        return self._last

    def _tried(self, x: np.ndarray) -> Tried:
        try:
            process = self._process(x)
        except DataError:  # no Cholesky factor: no process to judge
            return Tried(x, np.inf, lambda: np.zeros_like(x))
        return Tried(x, -self.criterion.value(process), lambda: -self._slope(process))

    def _slope(self, process: P) -> np.ndarray:
        gradient = self.criterion.gradient(process)
        return np.array([gradient[path] for path in self.paths])

    def _label(self, path: str) -> str:
        return "noise variance" if path == NOISE else label_at(self.kernel, path)

    def words(self, process: P) -> str:
        """The settings of a process in words."""
        of_kernel = (
            f"{self._label(path)} {value_at(process.kernel, path):.3g}"
            for path in self.paths
            if path != NOISE
        )
        return ", ".join([*of_kernel, *self._beside(process)])

    def _beside(self, process: P) -> tuple[str, ...]:
        """What there is to say beside the kernel."""
        return ()


class Ascent(Climb[P]):
    """A criterion of rows with a target and noise around it."""

    def __init__(
        self, process: Any, make: Callable[[Observed, Kernel, float], P], criterion: Criterion
    ) -> None:
        """`make` gives the process of rows, a kernel and a noise; `process` is the first."""
        self.criterion = criterion
        self._begin(process.rows, process.kernel, process.noise)
        self._make = make
        self._last = process  # the start is factored already

    @classmethod
    def of(cls, rows: Observed, kernel: Kernel, noise: float, criterion: Criterion) -> Ascent[Any]:
        """The same without the work at the start; only to tell of it, not to walk."""
        ascent: Any = cls.__new__(cls)
        ascent.criterion = criterion
        ascent._begin(rows, kernel, noise)
        return ascent

    def _begin(self, rows: Observed, kernel: Kernel, noise: float) -> None:
        super().__init__(rows.X, kernel, noise)
        self.rows = rows

    def _made(self, kernel: Kernel, noise: float | None) -> P:
        return self._make(self.rows, kernel, float(noise or 0.0))

    def _beside(self, process: Any) -> tuple[str, ...]:
        return (f"noise variance {process.noise:.3g}",)


def started(ascent: Climb[Any], rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """The given start, shape (q,), and others drawn around it."""
    drawn = rng.uniform(-DRAWN, DRAWN, size=(count - 1, len(ascent.start)))
    others = [np.clip(ascent.start + by, ascent.low, ascent.high) for by in drawn]
    return [ascent.start, *others]
