"""The way up the evidence: logarithms of noise and settings of the kernel, along its gradient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mlcore.kernels.evidence import Observed, Process
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.settings import label_at, range_at, value_at, with_value
from mlcore.optimisation.within_bounds import Tried, bfgs
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Stop, verdict

NOISE = "noise"
TIMES = 1e5  # by which a setting may become smaller or larger than it was
LEAST_NOISE = 1e-8  # below it the matrix is singular wherever two rows are alike
NEAR = 1e-6  # of a logarithm: so near to an end of its range a setting is at it
DRAWN = np.log(100.0)  # further starts lie within this factor of the first


@dataclass(frozen=True, eq=False)
class Reached:
    """A place on the way up."""

    process: Process
    stop: Stop | None
    note: str

    @property
    def evidence(self) -> float:
        """The log evidence there, in nats."""
        return self.process.evidence


class Ascent:
    """The evidence of one set of rows as a function of the logarithms of its settings."""

    def __init__(self, process: Process) -> None:
        self._begin(process.rows, process.kernel, process.noise)
        self._last, self._at = process, self.start  # the start is factored already

    @classmethod
    def of(cls, rows: Observed, kernel: Kernel, noise: float) -> Ascent:
        """The same without the work at the start."""
        ascent = cls.__new__(cls)
        ascent._begin(rows, kernel, noise)
        ascent._last = None
        return ascent

    def _begin(self, rows: Observed, kernel: Kernel, noise: float) -> None:
        self.rows, self.kernel = rows, kernel
        slopes = kernel.gradient(rows.X[:1]) if kernel.has_gradient else {}
        self.paths = (*slopes, NOISE)
        self.start = np.log([*(value_at(kernel, path) for path in slopes), noise])
        ends = [range_at(kernel, path, TIMES) for path in slopes]
        ends.append((max(noise / TIMES, LEAST_NOISE), noise * TIMES))
        self.low, self.high = np.log(np.array(ends)).T

    def walk(self, start: np.ndarray, *, tol: float, max_iter: int) -> Iterator[Reached]:
        """Each step up from `start`, shape (q,); the last says why it is the last."""
        before = -np.inf
        for k, at in enumerate(bfgs(self._tried, start, self.low, self.high)):
            process = self._process(at.tried.x)
            note = f"{self._words(process)}; the log evidence is {process.evidence:.5g}"
            note += f", {process.evidence - before:.3g} more." if k else " at the start."
            before = process.evidence
            what = "the steepest slope of the log evidence"
            stop = verdict(k, at.steepest, tol=tol, max_iter=max_iter, what=what)
            if stop is None and at.length == 0.0:
                why = "Converged: rounding hides any further increase of the evidence."
                stop = Stop("converged", why)
            yield Reached(process, stop, note)
            if stop:
                return

    def notes(self, kernel: Kernel, noise: float) -> tuple[str, ...]:
        """What people should know of the settings that were learned."""
        ends = []
        for path, low, high in zip(self.paths, self.low, self.high, strict=True):
            value = np.log(noise if path == NOISE else value_at(kernel, path))
            if min(value - low, high - value) < NEAR:
                side = "lower" if value - low < high - value else "upper"
                ends.append(
                    f"The {self._label(path)} ended at the {side} end of its range: the evidence "
                    "goes on growing beyond it, and the rows say little of it."
                )
        if self.paths == (NOISE,):
            kept = f"The settings of {self.kernel.title()} stay as they are: it has no gradient."
            return (*ends, kept)
        return tuple(ends)

    def _process(self, x: np.ndarray) -> Process:
        """The process at logarithms x, (q,); the last one is remembered."""
        if self._last is not None and np.array_equal(x, self._at):
            return self._last
        kernel = self.kernel
        for path, value in zip(self.paths, np.exp(x), strict=True):
            if path != NOISE:
                kernel = with_value(kernel, path, float(value))
        self._last, self._at = Process(self.rows, kernel, float(np.exp(x[-1]))), x
        return self._last

    def _tried(self, x: np.ndarray) -> Tried:
        try:
            process = self._process(x)
        except DataError:  # no Cholesky factor: no process, so no evidence
            return Tried(x, np.inf, lambda: np.zeros_like(x))
        return Tried(x, -process.evidence, lambda: -self._slope(process))

    def _slope(self, process: Process) -> np.ndarray:
        gradient = process.gradient()
        return np.array([gradient[path] for path in self.paths])

    def _label(self, path: str) -> str:
        return "noise variance" if path == NOISE else label_at(self.kernel, path)

    def _words(self, process: Process) -> str:
        """The settings of a process in words."""
        of_kernel = (
            f"{self._label(path)} {value_at(process.kernel, path):.3g}"
            for path in self.paths
            if path != NOISE
        )
        words = ", ".join([*of_kernel, f"noise variance {process.noise:.3g}"])
        return words[0].upper() + words[1:]


def started(ascent: Ascent, rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """The given start, shape (q,), and others drawn around it."""
    drawn = rng.uniform(-DRAWN, DRAWN, size=(count - 1, len(ascent.start)))
    others = [np.clip(ascent.start + by, ascent.low, ascent.high) for by in drawn]
    return [ascent.start, *others]
