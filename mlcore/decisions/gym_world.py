"""Standard environments of Gymnasium, as exact tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.environment_tables import finite_mdp
from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import FiniteMDP, Grid
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, flag

NO_LIMIT = 500  # moves of an environment that has no limit of its own


class Known(NamedTuple):
    """An environment as we offer it."""

    name: str  # in Gymnasium, without its version
    title: str
    settings: tuple[tuple[str, Any], ...]
    actions: tuple[str, ...]
    limit: int  # moves of an episode in its own registration


LAKE = ("left", "down", "right", "up")
CLIFF = ("up", "right", "down", "left")
ARROWS = {"up": "↑", "right": "→", "down": "↓", "left": "←"}
KNOWN = {
    "frozen_lake": Known("FrozenLake", "frozen lake 4 x 4", (("map_name", "4x4"),), LAKE, 100),
    "frozen_lake_8x8": Known("FrozenLake", "frozen lake 8 x 8", (("map_name", "8x8"),), LAKE, 200),
    "cliff_walking": Known("CliffWalking", "cliff walk 4 x 12", (), CLIFF, NO_LIMIT),
}


@enter(
    Card(
        "gym_world",
        "Gymnasium world",
        ("problem",),
        "Towers et al. (2024), Gymnasium: a standard interface for reinforcement learning",
        sources=("epfl:rl_agent_env", "cs2:stochastic chain / continuous tasks"),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class GymWorld(Component):
    """A standard environment of Gymnasium, read as tables, so that the exact answer is known."""

    environment: str = choice("frozen_lake", *KNOWN, doc="Which of Gymnasium's worlds.")
    slippery: bool = flag(True, doc="Whether a move may go to either side, with a third each.")
    gamma: float = discount()
    max_steps: int | str = most_moves("own", auto="own")

    def world(self) -> FiniteMDP:
        """The environment as tables; equal settings give the same object."""
        return _built(self)


@cache
def _built(problem: GymWorld) -> FiniteMDP:
    import gymnasium

    from mlcore.decisions.environments import newest

    known = KNOWN[problem.environment]
    settings = dict(known.settings) | {"is_slippery": problem.slippery}
    env = gymnasium.make(newest(known.name), **settings)
    limit = known.limit if problem.max_steps == "own" else int(problem.max_steps)
    return finite_mdp(
        env, name=known.title, gamma=problem.gamma, max_steps=limit, grid=_grid(env, known),
        action_names=known.actions,
    )  # fmt: skip


def _grid(env: Any, known: Known) -> Grid:
    """Where its states lie: row by row, as both kinds of map count them."""
    world = env.unwrapped
    if hasattr(world, "desc"):
        letters = b"".join(world.desc.ravel()).decode().translate(str.maketrans("FH", ".X"))
        shape = world.desc.shape
    else:
        shape = world.shape
        marks = np.where(world._cliff, "X", ".").ravel()
        marks[world.start_state_index] = "S"
        marks[-1] = "G"
        letters = "".join(marks)
    cells = np.arange(shape[0] * shape[1], dtype=np.int64)
    return Grid(
        (int(shape[0]), int(shape[1])), cells, letters, tuple(ARROWS[a] for a in known.actions)
    )
