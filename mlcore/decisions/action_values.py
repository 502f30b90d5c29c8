"""Strategies that go by the mean rewards seen so far: greedy, epsilon-greedy, softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.agent import Agent, Game, Strategy
from mlcore.decisions.arms import _kernels
from mlcore.decisions.bandit import Bandit
from mlcore.decisions.explorers import Chances
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, enter
from mlcore.spine.params import part, real
from mlcore.spine.registry import entries


@enter(
    Card(
        "action_value_bandit",
        "Action-value method",
        ("bandit",),
        "Sutton and Barto (2018), Reinforcement Learning, chapter 2",
        sources=("cs2:bandit_greedy", "cs2:bandit_eps_greedy"),
        random=True,
        cost=lambda n, p, self: (1e-8 * n * (p + 2), 16.0 * n * p),
        formula=r"\hat\mu_i \leftarrow \hat\mu_i + \alpha\,(r - \hat\mu_i)",
        synonyms=("multi-armed bandit", "epsilon-greedy", "sample average"),
        line="the best mean so far, now and then another",
    )
)
@dataclass(frozen=True, kw_only=True)
class ActionValueBandit(Strategy):
    """Pulls the arm with the best mean reward so far, and now and then another one.

    Each arm holds an estimate that moves towards every reward by a step: one over the number of
    pulls makes it the mean, a constant step forgets the past. The explorer chooses by the
    estimates; with a first value instead of one pull each, a high one makes every arm be tried.

    The simplest strategy, and the one to beat. O(n K) for n rounds and K arms. Greedy fails by
    locking on to a lucky arm; a constant epsilon loses the same amount in every round, for ever.
    """

    explorer: Any = part(
        "epsilon_greedy_explorer", slot="explorer", doc="How the others are still tried."
    )
    step_size: Any = part(
        None, slot="schedule", none="one over the pulls: the mean", advanced=True,
        label="Step size", doc="How far an estimate moves towards a reward.",
    )  # fmt: skip
    initial_value: float | None = real(
        None, soft=(0.0, 2.0), or_none="each arm is pulled once", advanced=True,
        label="Initial value", doc="Estimate of an arm before its first reward.",
    )  # fmt: skip

    @property
    def label(self) -> str:
        """The title of its explorer."""
        return self.explorer.title()

    @property
    def tries_all(self) -> bool:
        """Where no first value stands for the rewards."""
        return self.initial_value is None

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """The method with each explorer."""
        return tuple(cls(explorer=explorer()) for explorer in entries("explorer").values())

    def lasting_loss(self, world: Bandit, n: int) -> float:
        """Epsilon times the mean gap, where epsilon stays what it is and the means do, too."""
        chances: Chances = self.explorer.chances(n)
        stays = chances.epsilon_exponent == 0 and np.ptp(chances.epsilons) == 0
        if world.by_round or not stays:
            return 0.0
        return min(float(chances.epsilons[0]), 1.0) * float(world.gaps.mean())

    def _play(self, game: Game) -> None:
        n = len(game.pulls)
        step = self.step_size
        rates = read_only(np.ones(n)) if step is None else step.values(n)
        exponent = 1.0 if step is None else float(step.exponent)
        chances: Chances = self.explorer.chances(n)
        _kernels.value_play(
            game.stacks, game.world.by_round, float(self.initial_value or 0.0), self.tries_all,
            rates, exponent, *chances, *game.filled,
        )  # fmt: skip
