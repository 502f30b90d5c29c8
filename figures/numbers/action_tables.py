"""Numbers of the actions of each state on the map of a world: values, or probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.numbers.grids import DIFFERENCE, EXACT, LEARNED, GridMap, grid_map, grid_of
from mlcore.decisions.mdp import FiniteMDP, backup

# Where in a cell of three by three places the share of an action stands, by its arrow.
COMPASS = {
    "↑": (-1, 0), "↗": (-1, 1), "→": (0, 1), "↘": (1, 1),
    "↓": (1, 0), "↙": (1, -1), "←": (0, -1), "↖": (-1, -1),
}  # fmt: skip


class ActionTable(NamedTuple):
    """A number for each action of each of the c states that are drawn."""

    grid: GridMap
    actions: tuple[str, ...]  # (A,)
    arrows: tuple[str, ...]  # (A,)
    shown: np.ndarray  # (c, A)
    is_best: np.ndarray  # (c, A) whether an action is among the largest of its state, in `own`
    own: np.ndarray  # (c, A) what the method has, whatever is shown
    exact: np.ndarray  # (c, A) of the best policy; NaN where it is not known
    show: str
    size: float  # the end of the colour scale, either way

    @property
    def is_compass(self) -> bool:
        """Whether every action is a direction on the map."""
        return all(arrow in COMPASS for arrow in self.arrows)


def action_table(
    world: FiniteMDP, policy: np.ndarray, q: np.ndarray, show: str, layer: int = 0
) -> ActionTable:
    """The values q, shape (S, A), on a layer of the map of a world."""
    exact = np.full(q.shape, np.nan) if world.unsolvable else world.solution.q
    g = grid_map(world, q.max(axis=1), policy, layer)
    # The note says which layer it is; in the name of every cell it would be said again.
    g = g._replace(names=tuple(name.removesuffix(f", {g.title}") for name in g.names))
    own, best = q[g.states], exact[g.states]
    shown = {LEARNED: own, EXACT: best, DIFFERENCE: own - best}[show]
    # Learned and exact values share a scale, so that they can be compared by turning the option.
    known = [np.abs(shown)] if show == DIFFERENCE or world.unsolvable else [np.abs(best)]
    top = own.max(axis=1, keepdims=True)
    return ActionTable(
        g, world.action_names, grid_of(world).arrows, shown, np.isclose(own, top, 1e-9, 1e-12), own,
        best, show, float(np.max(known)) or 1.0,
    )  # fmt: skip


def values_in(state: Any, world: FiniteMDP) -> np.ndarray:
    """The values of the actions after a step, shape (S, A)."""
    return backup(world, state.values) if state.q is None else state.q


def chance_table(world: FiniteMDP, chances: np.ndarray, layer: int = 0) -> ActionTable:
    """The probabilities, shape (S, A), of the actions on a layer of the map of a world."""
    own = action_table(world, chances.argmax(axis=1), chances, LEARNED, layer)
    return own._replace(exact=np.full(own.own.shape, np.nan), size=1.0)
