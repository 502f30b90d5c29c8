"""Optimisers that solve a model of the objective, and trust it as far as it proved right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from mlcore.neural.along_lines import Here, damping, flat_enough, here
from mlcore.neural.curvature import Bend, damped, hessian
from mlcore.neural.optimizers import Optimizer
from mlcore.neural.training import Training
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer

LEAST, LARGEST = 1e-12, 1e12  # damping between which a lower point is looked for


Toward = Callable[[float], np.ndarray]  # a damping to the step that solves a model, shape (P,)


@dataclass(frozen=True, kw_only=True)
class DampedModel(Optimizer):
    """Solves a model of the objective; damped more where it failed, less where it came true."""

    takes_batches = False

    damping: float = damping(
        1e-2, "At the start; a tenth after a step that is lower, else tenfold."
    )
    flat: float = flat_enough()

    def epochs(self, task: Training) -> Iterator[str]:
        """A lower point an epoch, until the ground is flat or no damping leads to one."""
        at, by = here(task, task.theta.copy()), self.damping
        while at.steepest > self.flat:
            step, words = self._model(task, at)
            lower = _lower(task, at, step, by)
            if lower is None:
                return
            at, used = lower
            task.theta[:] = at.theta
            by = max(used / 10.0, LEAST)
            yield f"A step with damping {used:.2g}; {words}the steepest slope is {at.steepest:.2g}."

    def _model(self, task: Training, at: Here) -> tuple[Toward, str]:
        """The step by its damping, and what is told of the model, ending in "; "."""
        raise NotImplementedError(f"{type(self).__name__} declares no model")


def _lower(task: Training, at: Here, step: Toward, by: float) -> tuple[Here, float] | None:
    """The first lower point with this damping or ever more, and that damping."""
    while by <= LARGEST:
        theta = at.theta + step(by)
        if task.objective(theta) < at.value:
            return here(task, theta), by
        by *= 10.0
    return None


@enter(
    Card(
        "levenberg_marquardt",
        "Levenberg-Marquardt",
        ("optimizer",),
        paper="Hagan and Menhaj (1994), IEEE Transactions on Neural Networks 5(6)",
        kind="part",
        sources=("s841:nn_batch_optimisers",),
        formula=r"w \leftarrow w - (J^\top H J + \lambda I)^{-1} g",
        synonyms=("LM", "trainlm", "damped Gauss-Newton", "newff"),
    )
)
@dataclass(frozen=True, kw_only=True)
class LevenbergMarquardt(DampedModel):
    """Solves the Gauss-Newton model; damped more where it failed, less where it came true."""

    asks_for_bends = True
    most_weights = 2000

    def work(self, n_weights: int) -> float:
        """Passes over all rows."""
        return 3.0 + n_weights / 30.0

    def _model(self, task: Training, at: Here) -> tuple[Toward, str]:
        G = Bend(task, at.theta).matrix()
        return lambda by: damped(G, at.gradient, by), ""


@enter(
    Card(
        "hessian_free",
        "Hessian-free",
        ("optimizer",),
        paper="Martens (2010), ICML 27",
        kind="part",
        sources=("cs2:opt_hessian_free",),
        synonyms=("truncated Newton", "Newton-CG", "HF"),
    )
)
@dataclass(frozen=True, kw_only=True)
class HessianFree(Optimizer):
    """Solves the Gauss-Newton model by products with vectors alone, so no matrix is needed.

    Damping grows by half where the objective fell less than a quarter of what the model promised,
    and shrinks by a third where it was more than three quarters.
    """

    takes_batches = False
    asks_for_bends = True

    damping: float = damping(1.0, "At the start; it follows how well the model foretells the fall.")
    most_products: int = integer(
        100, low=1, high=10_000, soft=(10, 300), label="Most products",
        doc="Of the matrix with a vector in a step.",
    )  # fmt: skip
    flat: float = flat_enough()

    def work(self, n_weights: int) -> float:
        """Passes over all rows."""
        return 3.0 + min(self.most_products, n_weights, 60) / 6.0

    def epochs(self, task: Training) -> Iterator[str]:
        """A lower point an epoch, until the ground is flat or no damping leads to one."""
        at, by = here(task, task.theta.copy()), self.damping
        while at.steepest > self.flat and by <= LARGEST:
            solved = Bend(task, at.theta).solved(at.gradient, by, self.most_products)
            new = here(task, at.theta + solved.step)
            came = (new.value - at.value) / solved.promised if solved.promised < 0 else 0.0
            used, by = by, _followed(by, came)
            if not new.value < at.value:
                by = max(by, 10.0 * used)
                continue
            at = new
            task.theta[:] = at.theta
            yield (
                f"{solved.products} products with damping {used:.2g}; {came:.2g} of the promised "
                f"fall came; the steepest slope is {at.steepest:.2g}."
            )


def _followed(by: float, came: float) -> float:
    """The damping after this share of the promised fall (Martens 2010, section 4.1)."""
    if came > 0.75:
        return max(by * 2.0 / 3.0, LEAST)
    return by * 1.5 if not came >= 0.25 else by


@enter(
    Card(
        "saddle_free",
        "Saddle-free Newton",
        ("optimizer",),
        paper="Dauphin and others (2014), NIPS 27",
        kind="part",
        sources=("cs2:opt_saddle_free",),
        formula=r"w \leftarrow w - (|H| + \lambda I)^{-1} g",
        synonyms=("Newton's method", "saddle point", "Hessian"),
    )
)
@dataclass(frozen=True, kw_only=True)
class SaddleFree(DampedModel):
    """Newton's step with the size of each curvature, so that it leaves saddles instead of landing.

    Plain Newton steps go up where the objective bends down, straight to a saddle.
    """

    most_weights = 300

    def work(self, n_weights: int) -> float:
        """Passes over all rows."""
        return 3.0 + 0.5 * n_weights

    def _model(self, task: Training, at: Here) -> tuple[Toward, str]:
        values, axes = np.linalg.eigh(hessian(task, at.theta))
        along, down = axes.T @ at.gradient, int((values < 0).sum())
        words = f"the objective bends down in {down} of {len(values)} directions; "
        return lambda by: -axes @ (along / (np.abs(values) + by)), words
