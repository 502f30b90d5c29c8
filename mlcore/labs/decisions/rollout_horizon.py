"""Returns from simulations: cut after H moves, or ended by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, policy_values
from mlcore.decisions.table_worlds import RandomMDP
from mlcore.labs.draws import paths
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

N_DRAWS = 4000
HORIZONS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300)
LONGEST = 400  # moves of a simulation: at most this many are drawn, in either kind


class RolloutReturns(NamedTuple):
    """Returns of one state under a policy, estimated by single simulations."""

    cut: np.ndarray  # (N_DRAWS,) discounted rewards of H moves
    geometric: np.ndarray  # (N_DRAWS,) all rewards until a simulation ends by chance
    true: float
    horizons: np.ndarray  # (h,)
    biases: np.ndarray  # (h,) expected return of so many moves less the true one
    bounds: np.ndarray  # (h,) what that cannot be below
    horizon: int
    gamma: float


@enter(
    Card(
        "rollout_horizon",
        "How long to simulate",
        ("lab",),
        sources=("cs2:rollout_truncated", "cs2:rollout_geometric", "cs2:mc_rollout_eval"),
        random=True,
        cost=lambda n, p, it: (0.4, 4e7),
        formula=r"\hat v = \sum_{k<H} \gamma^k r_k\quad\text{or}\quad"
        r"\hat v = \sum_{k<N} r_k,\; N \sim \mathrm{Geometric}(1 - \gamma)",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("Monte Carlo rollout", "truncated rollout", "geometric horizon"),
        line="cut short is biased, cut by chance is wild",
    )
)
@dataclass(frozen=True, kw_only=True)
class RolloutHorizonLab(Lab):
    r"""What is a state worth? Simulate, and add up: but a simulation must end some time.

    Cut after $H$ moves, what would have come after it is missing: up to $\gamma^H / (1 - \gamma)$
    for rewards of at most 1. Or end it after each move with the probability $1 - \gamma$, and add
    the rewards up without discount: then nothing is missing in the mean.
    """

    tasks = (
        "Compare the middles of both histograms with the true value, then their widths.",
        "Find the horizon from which on the bias is smaller than the width.",
        "Raise the discount to 0.98: which of the two suffers, and from what?",
    )
    seen = (
        "The cut return is always too small where rewards are positive, by at most the bound, and "
        "scatters little. The geometric one is right in the mean and about as wide as the value "
        "itself, since it counts how long chance let it run. One should cut, some 1 / (1 - gamma) "
        "times a few moves away, unless a bias adds up over many backups."
    )

    gamma: float = real(
        0.9, low=0.0, high=0.98, soft=(0.0, 0.98), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip
    horizon: int = integer(
        10, low=1, high=300, soft=(1, 100), log=True, symbol="H", label="Moves",
        doc="After which a simulation is cut.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> RolloutReturns:
        """Many simulations of one random world under its first actions."""
        world = RandomMDP(n_states=10, gamma=self.gamma, draw=seed).world()
        policy = np.zeros(world.n_states, dtype=np.int64)
        pays, P = world.expected_rewards[:, 0], world.matrix(policy)
        rng = generator(seed, "simulations")
        rewards = pays[paths(world.initial, P, (N_DRAWS, LONGEST), rng)]
        ends = rng.geometric(1 - self.gamma, N_DRAWS)
        alive = np.arange(LONGEST) < ends[:, None]
        values = _within(world, P, pays)
        true = float(world.initial @ policy_values(world, policy))
        horizons = np.array(HORIZONS)
        return RolloutReturns(
            rewards[:, : self.horizon] @ self.gamma ** np.arange(self.horizon),
            (rewards * alive).sum(axis=1), true, horizons, values[horizons] - true,
            -(self.gamma**horizons) / (1 - self.gamma), self.horizon, self.gamma,
        )  # fmt: skip


def _within(world: FiniteMDP, P: np.ndarray, pays: np.ndarray) -> np.ndarray:
    """Expected returns of 0, 1 ... moves from the start."""
    values, v = [0.0], np.zeros(len(pays))
    for _ in range(max(HORIZONS)):
        v = pays + world.gamma * P @ v
        values.append(float(world.initial @ v))
    return np.array(values)
