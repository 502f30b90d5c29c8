"""Optimisers that choose a direction from all rows, then search along it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.neural.curvature import MOST_DENSE, Bend, damped
from mlcore.neural.line_searches import LineSearch
from mlcore.neural.optimizers import Optimizer
from mlcore.neural.training import Training
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, part, real


def flat_enough() -> Any:
    """The setting flat of every optimiser that takes all rows and follows slopes."""
    return real(
        1e-6,
        low=0.0,
        soft=(1e-9, 1e-2),
        log=True,
        label="Flat enough",
        doc="Stop where no slope of the objective is steeper than this.",
        advanced=True,
    )


def damping(default: float, doc: str) -> Any:
    """The setting damping of optimisers that solve with a matrix."""
    return real(
        default, above=0.0, soft=(1e-8, 10.0), log=True, symbol=r"\lambda", doc=doc, advanced=True
    )


class Here(NamedTuple):
    """Weights with objective and gradient."""

    theta: np.ndarray  # (P,)
    value: float
    gradient: np.ndarray  # (P,)

    @property
    def steepest(self) -> float:
        """The largest slope."""
        return float(np.abs(self.gradient).max())


def here(task: Training, theta: np.ndarray) -> Here:
    """Objective and gradient on all rows at weights, shape (P,)."""
    return Here(theta, *task.at(theta))


@dataclass(frozen=True, kw_only=True)
class LineSearchOptimizer(Optimizer):
    """A direction an epoch, and a search along it."""

    takes_batches = False

    line_search: LineSearch = part(
        "armijo", slot="line_search", doc="How far each step goes.", advanced=True
    )
    flat: float = flat_enough()

    def work(self, n_weights: int) -> float:
        """Passes over all rows, about a third of which is the way forward."""
        return 1.0 + self.line_search.trials / 3.0

    def epochs(self, task: Training) -> Iterator[str]:
        """Steps until the ground is flat, or no step along the direction is lower."""
        at, length, memory = here(task, task.theta.copy()), 1.0, self._begun()
        while at.steepest > self.flat:
            by = self._direction(task, at, memory)
            downhill = float(at.gradient @ by)
            new_length = 0.0
            if downhill < 0:
                start, towards = at, by  # bound now: the search ends before they change
                new_length = self.line_search.length(
                    lambda t: task.objective(start.theta + t * towards),  # noqa: B023
                    at.value, downhill, self._first(length, at, by),
                )  # fmt: skip
            if new_length == 0.0:
                if not self._forgot(memory):
                    return
                continue
            length = new_length
            at = here(task, at.theta + length * by)
            task.theta[:] = at.theta
            yield f"A step of length {length:.3g}; the steepest slope is {at.steepest:.2g}."

    def _begun(self) -> dict[str, Any]:
        """What is remembered from step to step."""
        return {}

    def _forgot(self, memory: dict[str, Any]) -> bool:
        """Forget it where it misleads; whether there was something to forget."""
        had = bool(memory)
        memory.clear()
        return had

    def _first(self, length: float, at: Here, by: np.ndarray) -> float:
        """The length that is tried first: that of the last step."""
        return length

    def _direction(self, task: Training, at: Here, memory: dict[str, Any]) -> np.ndarray:
        """Where to go from there, shape (P,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no direction")


@enter(
    Card(
        "steepest_descent",
        "Steepest descent with a line search",
        ("optimizer",),
        paper="Cauchy (1847), Comptes rendus 25",
        kind="part",
        sources=("cs2:opt_line_search", "cs2:gd_batch"),
        formula=r"w \leftarrow w - t \, g, \quad t = \arg\min_t f(w - t g)",
        synonyms=("batch gradient descent", "Cauchy", "line search"),
    )
)
@dataclass(frozen=True, kw_only=True)
class SteepestDescent(LineSearchOptimizer):
    """Goes against the gradient of all rows, each time as far as the objective falls."""

    def _direction(self, task: Training, at: Here, memory: dict[str, Any]) -> np.ndarray:
        return -at.gradient


@enter(
    Card(
        "conjugate_gradient",
        "Conjugate gradients",
        ("optimizer",),
        paper="Fletcher and Reeves (1964), Computer Journal 7; Polak and Ribière (1969), RIRO 3",
        kind="part",
        sources=(
            "cs2:opt_conjugate_gradient", "epfl:conjugate_gradient", "s841:nn_batch_optimisers",
        ),
        formula=r"d \leftarrow -g + \beta d",
        synonyms=("nonlinear CG", "CG", "traincgp", "Fletcher-Reeves", "Polak-Ribière"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class ConjugateGradient(LineSearchOptimizer):
    """Keeps a share of the last direction, so that a step does not undo the one before it."""

    line_search: LineSearch = part(
        "brent", slot="line_search", doc="How far each step goes.", advanced=True
    )
    update: str = choice(
        "polak_ribiere", "polak_ribiere", "fletcher_reeves", "hestenes_stiefel",
        doc="Which share of the last direction is kept; what would be negative is none.",
    )  # fmt: skip

    def _direction(self, task: Training, at: Here, memory: dict[str, Any]) -> np.ndarray:
        g = at.gradient
        by = -g
        # Begun anew after as many steps as weights, and where it would lead uphill.
        if memory and memory["age"] < len(g):
            by = (
                by
                + max(self._kept(g, memory["gradient"], memory["direction"]), 0.0)
                * (memory["direction"])
            )
            if float(by @ g) >= 0:
                by, memory["age"] = -g, 0
        memory.update(gradient=g, direction=by, age=memory.get("age", 0) + 1)
        return by

    def _forgot(self, memory: dict[str, Any]) -> bool:
        """Whether the last direction was more than the gradient."""
        had = memory.get("age", 0) > 1
        memory.clear()
        return had

    def _kept(self, g: np.ndarray, before: np.ndarray, direction: np.ndarray) -> float:
        """The share beta, with gradients g and before, both (P,)."""
        if self.update == "fletcher_reeves":
            return float(g @ g) / float(before @ before)
        turned = g - before
        if self.update == "polak_ribiere":
            return float(g @ turned) / float(before @ before)
        across = float(direction @ turned)
        return float(g @ turned) / across if across != 0 else 0.0


@enter(
    Card(
        "natural_gradient",
        "Natural gradient",
        ("optimizer",),
        paper="Amari (1998), Neural Computation 10(2)",
        kind="part",
        sources=("cs2:opt_natural_gradient",),
        formula=r"w \leftarrow w - t \, (F + \lambda I)^{-1} g",
        synonyms=("Fisher information", "Fisher scoring", "information geometry"),
    )
)
@dataclass(frozen=True, kw_only=True)
class NaturalGradient(LineSearchOptimizer):
    """Steepest where length is how much the predictions change, not the weights.

    With the Fisher information of what the network predicts, not of the targets that it met. For
    the losses that are likelihoods it is the Gauss-Newton matrix.
    """

    damping: float = damping(
        1e-3, "Added to the information, so that what it says little of stays."
    )
    most_products: int = integer(
        100, low=1, high=10_000, soft=(10, 300), label="Most products",
        doc=f"Of the information with a vector in a step, for networks of more than {MOST_DENSE} "
        "weights.",
        advanced=True,
    )  # fmt: skip

    def work(self, n_weights: int) -> float:
        """Passes over all rows."""
        return 3.0 + (n_weights / 30.0 if n_weights <= MOST_DENSE else self.most_products)

    def _first(self, length: float, at: Here, by: np.ndarray) -> float:
        return 1.0  # the step of the model, whatever the last one was

    def _direction(self, task: Training, at: Here, memory: dict[str, Any]) -> np.ndarray:
        bend = Bend(task, at.theta, fisher=True)
        if len(at.theta) <= MOST_DENSE:
            return damped(bend.matrix(), at.gradient, self.damping)
        return bend.solved(at.gradient, self.damping, self.most_products).step
