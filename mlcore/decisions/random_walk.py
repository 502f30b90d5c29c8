"""The random walk of Sutton and Barto: nothing to decide, only values to predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import Transition
from mlcore.decisions.table_worlds import TableWorld
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real


@enter(
    Card(
        "random_walk",
        "Random walk",
        ("problem",),
        "Sutton and Barto (2018), Reinforcement Learning, example 6.2",
        sources=("epfl:rl_td",),
        formula=r"v(s) = \frac{s}{n + 1} \quad (s = 1, \ldots, n;\ \gamma = 1)",
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class RandomWalk(TableWorld):
    """A row of states; from the middle a coin decides between left and right, until an end.

    Beyond the right end the walk pays 1, beyond the left what is asked, here 0. Without a discount
    the value of a state is then the probability to leave at the right: 1/6, 2/6 ... 5/6 with five
    states.
    """

    gamma: float = discount(1.0)
    max_steps: int = most_moves(10_000)
    n_states: int = integer(
        5, low=1, high=101, soft=(3, 31), label="States", doc="Length of the row; odd has a middle."
    )
    left_reward: float = real(
        0.0, soft=(-1.0, 1.0), label="Reward at the left", doc="Paid for leaving at the left end."
    )

    def tables(self) -> list[list[list[Transition]]]:
        """One action, to go on."""
        return [[[self._to(s - 1), self._to(s + 1)]] for s in range(self.n_states)]

    def _to(self, s: int) -> Transition:
        """Half of what follows: a step to state s, or out."""
        if s < 0:
            return 0.5, 0, self.left_reward, True
        if s == self.n_states:
            return 0.5, s - 1, 1.0, True
        return 0.5, s, 0.0, False

    def actions(self) -> tuple[tuple[str, str], ...]:
        """The only action, to go on."""
        return (("go on", "↔"),)

    def start_weights(self, n_states: int) -> np.ndarray:
        """All in the middle, shape (S,)."""
        return 1.0 * (np.arange(n_states) == n_states // 2)
