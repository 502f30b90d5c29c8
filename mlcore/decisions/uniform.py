"""The baselines: every action equally often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.agent import Agent, Game, PolicyFit, Strategy
from mlcore.decisions.arms import _kernels
from mlcore.decisions.mdp import FiniteMDP, return_of
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, enter


@enter(Card("uniform_arms", "Random arms", ("baseline",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class UniformArms(Strategy):
    """Pulls an arm at random in every round."""

    def _play(self, game: Game) -> None:
        n = len(game.pulls)
        ones, zeros = read_only(np.ones(n)), read_only(np.zeros(n))
        _kernels.value_play(
            game.stacks, game.world.by_round, 0.0, False, ones, 1.0, ones, 0.0, zeros, 0.0,
            *game.filled,
        )  # fmt: skip
        game.means[game.counts == 0] = np.nan


@enter(Card("uniform_policy", "Random policy", ("baseline",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class UniformPolicy(Agent):
    """Takes any action with equal probability; its return is computed exactly."""

    acts_in = FiniteMDP

    def fit(self, world: FiniteMDP, budget: int = 1, *, seed: int = 0, replicate: int = 0) -> Any:
        """Nothing is learned. Raises DataError if the world is no finite MDP."""
        self._check(world, budget, seed)
        shape = (world.n_states, world.n_actions)
        score = return_of(world, np.full(shape, 1 / world.n_actions))
        values, states = np.zeros(world.n_states), np.zeros(world.n_states, dtype=np.int64)
        return PolicyFit(made_by=self, values=values, policy=states, score=score)
