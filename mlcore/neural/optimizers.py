"""Optimisers: how weights follow the gradients of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.neural.rates import RateSchedule
from mlcore.neural.training import Training
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import flag, part, real

Move = Callable[[np.ndarray, np.ndarray, float], None]  # weights, gradient, rate: in place


@dataclass(frozen=True, kw_only=True)
class Optimizer(Component):
    """What changes the weights of a network, epoch by epoch."""

    takes_batches = True  # whether it learns from batches, or from all rows at once
    asks_for_bends = False  # whether the loss must bend, and not only slope
    most_weights: ClassVar[int | None] = None  # of a network that it can learn

    def work(self, n_weights: int) -> float:
        """How many passes over all rows an epoch costs in a network of so many weights, about."""
        return 1.0

    def epochs(self, task: Training) -> Iterator[str]:
        """Change the weights of the task in place; yields after each epoch what to say of it.

        Ends where nothing is left to do.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no epochs")


@dataclass(frozen=True, kw_only=True)
class BatchOptimizer(Optimizer):
    """Takes a step for every batch."""

    learning_rate: float = real(
        0.01,
        above=0.0,
        soft=(1e-4, 1.0),
        log=True,
        symbol=r"\eta",
        doc="Length of a step. If the loss jumps, it is too large; if it creeps, too small.",
    )
    schedule: RateSchedule = part(
        "constant",
        slot="rate_schedule",
        label="Course of the rate",
        doc="How the learning rate changes from epoch to epoch.",
        advanced=True,
    )

    def epochs(self, task: Training) -> Iterator[str]:
        """One step a batch, without end."""
        move = self.mover(len(task.theta))
        while True:
            factor = self.schedule.factor(task.losses)
            for gradient in task.gradients():
                move(task.theta, gradient, self.learning_rate * factor)
            yield (
                "" if factor == 1.0 else f"The learning rate was {self.learning_rate * factor:.3g}."
            )

    def mover(self, n: int) -> Move:
        """What takes one step with n weights, and remembers what it needs."""
        raise NotImplementedError(f"{type(self).__name__} declares no step")


@enter(
    Card(
        "sgd",
        "Gradient descent",
        ("optimizer",),
        paper="Robbins and Monro (1951), Annals of Mathematical Statistics 22(3)",
        kind="part",
        sources=("cs2:opt_sgd", "s841:backprop_online"),
        formula=r"w \leftarrow w - \eta g",
        synonyms=("SGD", "stochastic gradient descent", "steepest descent"),
    )
)
@dataclass(frozen=True, kw_only=True)
class SGD(BatchOptimizer):
    """Goes down the gradient of each batch."""

    learning_rate: float = real(
        0.1,
        above=0.0,
        soft=(1e-3, 10.0),
        log=True,
        symbol=r"\eta",
        doc="Length of a step, in steps of the gradient.",
    )

    def mover(self, n: int) -> Move:
        """w - rate g, for n weights."""
        room = np.empty(n)

        def move(w: np.ndarray, g: np.ndarray, rate: float) -> None:
            np.multiply(g, rate, out=room)
            w -= room

        return move


@enter(
    Card(
        "momentum",
        "Momentum",
        ("optimizer",),
        paper="Polyak (1964), USSR Computational Mathematics and Mathematical Physics 4(5)",
        kind="part",
        sources=("cs2:opt_momentum",),
        formula=r"v \leftarrow \mu v - \eta g, \qquad w \leftarrow w + v",
        synonyms=("heavy ball", "Nesterov"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Momentum(BatchOptimizer):
    """Keeps a share of its last step: rolls along valleys and through small bumps."""

    learning_rate: float = real(
        0.02,
        above=0.0,
        soft=(1e-3, 1.0),
        log=True,
        symbol=r"\eta",
        doc="Length of a step before momentum, which makes it up to 1 / (1 - momentum) times as "
        "long.",
    )
    momentum: float = real(
        0.9, low=0.0, below=1.0, soft=(0.0, 0.99), symbol=r"\mu", doc="Share of the last step kept."
    )
    nesterov: bool = flag(
        True, doc="Take the gradient of where the last step would lead (Nesterov 1983)."
    )

    def mover(self, n: int) -> Move:
        """The step with memory, for n weights."""
        v, room = np.zeros(n), np.empty(n)

        def move(w: np.ndarray, g: np.ndarray, rate: float) -> None:
            np.multiply(g, rate, out=room)
            v[:] = self.momentum * v - room
            w += self.momentum * v - room if self.nesterov else v

        return move


@enter(
    Card(
        "rmsprop",
        "RMSProp",
        ("optimizer",),
        paper="Tieleman and Hinton (2012), Neural Networks for Machine Learning, lecture 6.5",
        kind="part",
        formula=r"v \leftarrow \rho v + (1 - \rho) g^2, \qquad "
        r"w \leftarrow w - \eta g / (\sqrt{v} + \epsilon)",
    )
)
@dataclass(frozen=True, kw_only=True)
class RMSProp(BatchOptimizer):
    """Divides the gradient of each weight by its size of late: all weights move alike."""

    decay: float = real(
        0.9, low=0.0, below=1.0, soft=(0.5, 0.999), symbol=r"\rho", doc="Memory of the sizes."
    )

    def mover(self, n: int) -> Move:
        """The step by sizes, for n weights."""
        v, room = np.zeros(n), np.empty(n)

        def move(w: np.ndarray, g: np.ndarray, rate: float) -> None:
            _blend(v, g * g, self.decay, room)
            np.sqrt(v, out=room)
            room[:] += SMALLEST
            np.divide(g, room, out=room)
            np.multiply(room, rate, out=room)
            w -= room

        return move


@enter(
    Card(
        "adam",
        "Adam",
        ("optimizer",),
        paper="Kingma and Ba (2015), ICLR",
        kind="part",
        formula=r"w \leftarrow w - \eta \hat m / (\sqrt{\hat v} + \epsilon)",
        synonyms=("adaptive moments",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Adam(BatchOptimizer):
    """Momentum, divided by the size of late gradients of each weight: works with little tuning."""

    first: float = real(
        0.9,
        low=0.0,
        below=1.0,
        soft=(0.5, 0.99),
        symbol=r"\beta_1",
        label="Memory of the gradient",
        doc="Share of the mean gradient that is kept at a step.",
        advanced=True,
    )
    second: float = real(
        0.999,
        low=0.0,
        below=1.0,
        soft=(0.9, 0.9999),
        symbol=r"\beta_2",
        label="Memory of the sizes",
        doc="Share of the mean squared gradient that is kept at a step.",
        advanced=True,
    )

    def mover(self, n: int) -> Move:
        """The step by moments, for n weights (their algorithm 1, in the order of section 2)."""
        m, v, room = np.zeros(n), np.zeros(n), np.empty(n)
        powers = [1.0, 1.0]

        def move(w: np.ndarray, g: np.ndarray, rate: float) -> None:
            powers[0] *= self.first
            powers[1] *= self.second
            _blend(m, g, self.first, room)
            np.multiply(g, g, out=g)
            _blend(v, g, self.second, room)
            np.sqrt(v, out=room)
            room[:] += SMALLEST
            np.divide(m, room, out=room)
            np.multiply(room, rate * np.sqrt(1.0 - powers[1]) / (1.0 - powers[0]), out=room)
            w -= room

        return move


SMALLEST = 1e-8  # added to sizes: where a gradient is 0, it is not divided by 0


def _blend(mean: np.ndarray, new: np.ndarray, kept: float, room: np.ndarray) -> None:
    """Change a running mean, shape (n,), in place: keep a share of it, the rest is new."""
    mean *= kept
    np.multiply(new, 1.0 - kept, out=room)
    mean += room
