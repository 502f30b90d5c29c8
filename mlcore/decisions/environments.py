"""Worlds as Gymnasium environments; the only module that imports gymnasium as it is imported.

That takes most of a second, so nothing that a page needs to be opened may import this module
(`tests/architecture/test_gymnasium.py`).
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.decisions.mdp import FiniteMDP
from mlcore.spine.errors import DataError


class MDPEnv(gymnasium.Env):
    """A finite world that any agent of Gymnasium's kind can act in.

    Draws one uniform number for the start and one for each move, as the compiled learners do.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # Gymnasium's own way to declare it

    def __init__(self, mdp: FiniteMDP) -> None:
        self.mdp = mdp
        self.observation_space = spaces.Discrete(mdp.n_states)
        self.action_space = spaces.Discrete(mdp.n_actions)
        self._state, self._moves = 0, 0
        self._moves_in_all = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        self._state = self._drawn(self.mdp.initial, 0, self.mdp.n_states)
        self._moves = 0
        return self._state, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """One move: next state, reward, whether the world ended it, whether time did."""
        mdp = self.mdp
        row = self._state * mdp.n_actions + int(action)
        before, change = mdp.change
        chances = before if self._moves_in_all < change else mdp.chances
        self._moves_in_all += 1
        k = self._drawn(chances, int(mdp.offsets[row]), int(mdp.offsets[row + 1]))
        self._state = int(mdp.successors[k])
        self._moves += 1
        is_end = bool(mdp.ends[k])
        is_cut = self._moves >= mdp.max_steps and not is_end
        return self._state, float(mdp.rewards[k]), is_end, is_cut, {}

    def _drawn(self, chances: np.ndarray, first: int, end: int) -> int:
        """The entry that the next uniform number picks."""
        u, k = self.np_random.random(), first
        upto = chances[first]
        while k < end - 1 and u >= upto:
            k += 1
            upto += chances[k]
        return k


class VectorEnv(gymnasium.Env):
    """A world whose states are vectors, for any agent of Gymnasium's kind; it sees the state."""

    metadata = {"render_modes": []}  # noqa: RUF012  # as above

    def __init__(self, world: ContinuousWorld) -> None:
        self.world = world
        # No move leaves twice the range; the numbers between need not stay inside the range.
        room = np.where(world.wraps, 1.0, 2.0) * np.maximum(-world.lows, world.highs)
        self.observation_space = spaces.Box(-room, room, dtype=np.float64)
        self.action_space = spaces.Discrete(world.n_actions)
        self._state, self._moves = world.start_lows, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode: the state, shape (d,), and nothing more to know."""
        super().reset(seed=seed)
        lows, highs = self.world.start_lows, self.world.start_highs
        self._state = lows + (highs - lows) * self.np_random.random(self.world.d)
        self._moves = 0
        return self._state.copy(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One move: next state, (d,), reward, whether the world ended it, whether time did."""
        states, rewards, ends = self.world.followed(self._state, [int(action)])
        self._state, is_end = states[1], bool(ends[0])
        self._moves += 1
        is_cut = self._moves >= self.world.max_steps and not is_end
        return self._state.copy(), float(rewards[0]), is_end, is_cut, {}


def grid_env(**settings: Any) -> MDPEnv:
    """A grid world as an environment: `gymnasium.make("MLScope/GridWorld-v0", slip=0.1)`."""
    from mlcore.decisions.grid_world import GridWorld

    return MDPEnv(GridWorld(**settings).world())


GRID_ID = "MLScope/GridWorld-v0"
if GRID_ID not in gymnasium.registry:
    # Without the checks at every step: they say of each action that it is a plain int.
    gymnasium.register(GRID_ID, entry_point=grid_env, disable_env_checker=True)


def newest(name: str) -> str:
    """The id of the newest registered version of an environment: FrozenLake is FrozenLake-v1.

    Raises DataError if no version is registered.
    """
    versions = [
        spec.version or 0
        for spec in gymnasium.registry.values()
        if spec.name == name and not spec.namespace
    ]
    if not versions:
        raise DataError(f"The installed version of Gymnasium has no environment called {name}.")
    return f"{name}-v{max(versions)}"
