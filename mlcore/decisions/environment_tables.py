"""The tables of an environment that shows them; Gymnasium is not needed to read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, Grid, cell_names, from_transitions
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


@function("finite_mdp", title="Tables of a finite MDP", sources=("epfl:mdp",))
def finite_mdp(
    env: Any, *, name: str, gamma: float, max_steps: int, grid: Grid | None = None,
    action_names: tuple[str, ...] = (),
) -> FiniteMDP:  # fmt: skip
    """The tables of an environment that shows them as Gymnasium's toy texts do.

    A transition that is marked as the end adds its reward and nothing after, whatever the table
    says of the state behind it. Raises DataError if there are no tables.
    """
    world = env.unwrapped
    if not hasattr(world, "P") or not hasattr(world, "initial_state_distrib"):
        raise DataError(f"{name} does not show its tables, so it cannot be solved exactly.")
    n_states, n_actions = len(world.P), len(world.P[0])
    return from_transitions(
        name,
        [[world.P[s][a] for a in range(n_actions)] for s in range(n_states)],
        gamma=gamma,
        initial=np.asarray(world.initial_state_distrib, dtype=np.float64),
        max_steps=max_steps,
        state_names=cell_names(grid) if grid else tuple(f"state {s}" for s in range(n_states)),
        action_names=action_names or tuple(f"action {a}" for a in range(n_actions)),
        grid=grid,
    )
