"""Explorers: how a learner chooses between what seems best and what it does not know yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import part


class Chances(NamedTuple):
    """An explorer as numbers, in the order that the kernels take them."""

    epsilons: np.ndarray  # (n,) probability of a random action at each step
    epsilon_exponent: float
    temperatures: np.ndarray  # (n,) of the softmax; 0 takes the best
    temperature_exponent: float


@dataclass(frozen=True, kw_only=True)
class Explorer(Component):
    """Chooses an action by the values of all actions."""

    def chances(self, n: int) -> Chances:
        """The explorer of n steps as numbers."""
        raise NotImplementedError(f"{type(self).__name__} declares no probabilities")


@enter(Card("greedy_explorer", "Greedy", ("explorer",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Greedy(Explorer):
    """Always what seems best; of several equally good, one at random."""

    def chances(self, n: int) -> Chances:
        """Probability 0 of a random action in each of n rounds, or episodes."""
        none = read_only(np.zeros(n))
        return Chances(none, 0.0, none, 0.0)


@enter(Card("epsilon_greedy_explorer", "Epsilon-greedy", ("explorer",), kind="part",
            sources=("cs2:bandit_eps_greedy",),
        synonyms=("exploration", "exploration and exploitation"),
    ))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class EpsilonGreedy(Explorer):
    """What seems best, but with probability epsilon any action, the best one among them."""

    epsilon: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\epsilon",
        doc="Probability of a random action; numbers above 1 count as 1.",
    )  # fmt: skip

    def chances(self, n: int) -> Chances:
        """Random actions with the probabilities that the schedule of epsilon gives."""
        none = read_only(np.zeros(n))
        return Chances(self.epsilon.values(n), self.epsilon.exponent, none, 0.0)


@enter(Card("softmax_explorer", "Softmax (Boltzmann)", ("explorer",), kind="part",
            sources=("cs2:explore_softmax",),
        synonyms=("Boltzmann exploration",),
    ))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Softmax(Explorer):
    """Better actions more often: probabilities proportional to exp(value / temperature)."""

    temperature: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\tau",
        doc="In units of reward: high tries everything, 0 takes the best.",
    )  # fmt: skip

    def chances(self, n: int) -> Chances:
        """The schedule of the temperature."""
        none = read_only(np.zeros(n))
        return Chances(none, 0.0, self.temperature.values(n), self.temperature.exponent)
