"""One episode of a policy in a world of tables, move by move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import FiniteMDP


class Episode(NamedTuple):
    """What happened in T moves."""

    states: np.ndarray  # (T + 1,) the last one behind the last move
    actions: np.ndarray  # (T,)
    rewards: np.ndarray  # (T,)
    chances: np.ndarray  # (T,) probability of what followed
    is_over: bool  # whether the world ended it; else the time limit did

    @property
    def n(self) -> int:
        """Moves."""
        return len(self.actions)

    def earned(self, gamma: float) -> float:
        """The sum of the rewards, discounted by gamma a move."""
        return float(self.rewards @ gamma ** np.arange(self.n))


def followed(mdp: FiniteMDP, policies: np.ndarray, rng: np.random.Generator) -> Episode:
    """An episode from a drawn start, by the actions of `policies`, shape (H, S).

    Row k is for k + 1 decisions left before the time limit, the last row for more; a policy that
    does not look at the time is one row. A world that changes is met as it is after that.
    """
    moves: list[tuple[int, int, float, float]] = []
    s, is_over = _drawn(mdp.initial, 0, mdp.n_states, rng), False
    while not is_over and len(moves) < mdp.max_steps:
        left = mdp.max_steps - len(moves)
        a = int(policies[min(left, len(policies)) - 1, s])
        row = s * mdp.n_actions + a
        k = _drawn(mdp.chances, int(mdp.offsets[row]), int(mdp.offsets[row + 1]), rng)
        moves.append((s, a, float(mdp.rewards[k]), float(mdp.chances[k])))
        s, is_over = int(mdp.successors[k]), bool(mdp.ends[k])
    states, actions, rewards, chances = zip(*moves, strict=True)
    return Episode(
        np.array([*states, s]), np.array(actions), np.array(rewards), np.array(chances), is_over
    )


def _drawn(chances: np.ndarray, first: int, end: int, rng: np.random.Generator) -> int:
    """The entry between `first` and `end` that a uniform number picks by the probabilities."""
    upto = np.cumsum(chances[first:end])
    return first + min(int(np.searchsorted(upto, rng.random(), side="right")), end - first - 1)
