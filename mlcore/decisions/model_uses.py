"""What an agent does with a model that it learns: make up moves, plan, hope, draw worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.mdp import FiniteMDP
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, integer, part, real


class Use(NamedTuple):
    """How a model is used, in numbers as the kernel takes them."""

    n_planned: int  # moves that the model makes up after each real one; -1: sweeps over the model
    least: int  # times that an action must have been taken before the model speaks of it
    first: float  # value of the others, and of all actions at the beginning
    prior: float  # that is added to the count of each transition before one is drawn; 0: no draws
    rates: np.ndarray  # (n,) of an update, by episode
    exponent: float
    bonus: float = -1.0  # kappa of Dyna-Q+; below 0 without
    is_forgetting: bool = False  # whether only what followed the last time is kept


@dataclass(frozen=True, kw_only=True)
class ModelUse(Component):
    """What an agent does with the model that it learns."""

    def use(self, world: FiniteMDP, n: int) -> Use:
        """In numbers, for n episodes in this world."""
        raise NotImplementedError(f"{type(self).__name__} declares no use")

    def updates(self, p: int) -> float:
        """About how many updates a move costs, with p values in the table: those of sweeps."""
        return 0.05 * p


@enter(Card("dyna_planning", "Dyna-Q", ("model_use",), kind="part",
            paper="Sutton (1990), ICML 7", sources=("cs2:rmax",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class DynaPlanning(ModelUse):
    """After each move Q-learning is applied to it, and to moves that the model makes up.

    A made-up move begins with an action that was taken before, drawn uniformly, and leads where the
    model says with the probabilities that were counted. Without any it is Q-learning.
    """

    planning_steps: int = integer(
        10, low=0, high=1000, soft=(0, 100), symbol="n", label="Planning steps",
        doc="Moves that the model makes up after each real one; 0 is Q-learning.",
    )  # fmt: skip
    learning_rate: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\alpha", label="Learning rate",
        doc="How far a value moves towards its target, from 0 to 1.",
    )  # fmt: skip
    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value", advanced=True,
        doc="Value of every action at the beginning; a high one makes all be tried.",
    )  # fmt: skip
    memory: str = choice(
        "all", "all", "last", label="Memory",
        doc="The model is the shares of all visits, or what followed the last time: for worlds "
        "that change and leave nothing to chance.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Updates after each move."""
        rate, first = self.learning_rate, self.initial_value
        numbers = self.planning_steps, 1, first, 0.0, rate.values(n), float(rate.exponent)
        return Use(*numbers, is_forgetting=self.memory == "last")

    def updates(self, p: int) -> float:
        """Those that are made up."""
        return float(self.planning_steps)


@enter(Card("dyna_q_plus", "Dyna-Q+", ("model_use",), kind="part",
            paper="Sutton (1990), ICML 7; Sutton and Barto (2018), Reinforcement Learning, "
            "section 8.3",
            sources=("cs2:rmax",), synonyms=("exploration bonus", "curiosity")))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class DynaQPlus(DynaPlanning):
    r"""Dyna-Q that grows curious: what was not tried for long is thought to pay more.

    A made-up move pays $\kappa \sqrt\tau$ more, where $\tau$ is the number of moves since it was
    last made in the world. Moves that were never made are made up too, as if they led nowhere. So
    values rise along a way to what was not looked at for long, and the agent goes there by plan: it
    finds what has changed, and pays for looking where nothing did.
    """

    bonus: float = real(
        0.001, low=0.0, high=10.0, soft=(1e-4, 0.1), log=True, symbol=r"\kappa",
        label="Exploration bonus",
        doc="Reward that a made-up move pays more, times the root of the moves since it was last "
        "made. In units of reward.",
    )  # fmt: skip
    memory: str = choice(
        "last", "all", "last", label="Memory",
        doc="The model is the shares of all visits, or what followed the last time: for worlds "
        "that change and leave nothing to chance.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Updates after each move, with the bonus."""
        return super().use(world, n)._replace(bonus=self.bonus)


@enter(Card("certainty_equivalence", "Certainty equivalence", ("model_use",), kind="part",
            sources=("cs2:rmax",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class CertaintyEquivalence(ModelUse):
    """Value iteration on the counted model, as if it were the truth.

    It is done when an episode begins, and when an action is taken for the first time. Actions that
    were never taken keep the initial value.
    """

    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value",
        doc="Value of an action that was never taken.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Sweeps over all that was seen."""
        return Use(-1, 1, self.initial_value, 0.0, read_only(np.ones(n)), 0.0)


@enter(Card("r_max", "R-max", ("model_use",), kind="part",
            paper="Brafman and Tennenholtz (2002), Journal of Machine Learning Research 3",
            sources=("cs2:rmax",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class RMax(ModelUse):
    """Value iteration on the counted model, and the best of all worlds where it was seldom tried.

    An action is known once it was taken often enough; every other one is worth the largest reward
    at each move that an episode has. So the agent goes where it knows least, by plan and not by
    chance, until what it knows is enough.
    """

    n_known: int = integer(
        5, low=1, high=1000, soft=(1, 50), symbol="m", label="Visits until known",
        doc="How often an action must have been taken in a state to be known.",
    )  # fmt: skip
    reward_max: float | None = real(
        None, soft=(-1.0, 20.0), or_none="the largest of the world", symbol=r"r_{\max}",
        label="Largest reward", doc="What a move can pay at most.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Sweeps over what is known, with a high value for the rest."""
        reward = float(world.rewards.max()) if self.reward_max is None else self.reward_max
        powers = world.gamma ** np.arange(world.max_steps)
        # Where every move costs, it is best to be at the end after the next one.
        best = reward * float(powers.sum()) if reward > 0 else reward
        return Use(-1, self.n_known, best, 0.0, read_only(np.ones(n)), 0.0)


@enter(Card("posterior_sampling", "Posterior sampling (PSRL)", ("model_use",), kind="part",
            paper="Strens (2000), ICML 17; Osband, Russo and Van Roy (2013), NIPS 26",
            sources=("cs2:bayesian_rl",),
            synonyms=("PSRL", "Bayesian reinforcement learning", "Bayesian dynamic programming",
                      "Thompson sampling of worlds")))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PosteriorSampling(ModelUse):
    """Before each episode a world is drawn from the posterior, and its best policy followed.

    It is told which transitions are possible and what they pay, but not how likely they are: the
    probabilities of each action have a Dirichlet prior, whose parameters the counts are added to.
    What is hardly known is drawn differently each time, and so is tried; what is known is drawn as
    it is. In a world where nothing is left to chance there is nothing for it to learn. The values
    that it shows are those of the mean of the posterior.
    """

    prior_count: float = real(
        1.0, above=0.0, high=1000.0, soft=(0.1, 10.0), log=True, symbol=r"\alpha_0",
        label="Prior count",
        doc="Visits that each possible transition counts for before the first: 1 is the uniform "
        "prior, many are a strong belief that all are equally likely.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Sweeps over a draw, an episode each."""
        return Use(-1, 0, 0.0, self.prior_count, read_only(np.ones(n)), 0.0)
