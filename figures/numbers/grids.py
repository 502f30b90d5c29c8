"""Numbers of grid worlds: what stands in each cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, Grid
from mlcore.spine.errors import DataError

LAND = {"#": 0, "G": 1, "X": 2}  # cells that are nobody's state, or that end the episode
NAMES = {"#": "wall", "G": "goal", "X": "pit"}


class GridMap(NamedTuple):
    """Values and actions of the cells that are states; all arrays in the order of `cells`."""

    shape: tuple[int, int]  # rows, columns
    letters: str  # one a cell
    cells: np.ndarray  # (c,) number of the cell, row by row
    names: tuple[str, ...]  # (c,)
    values: np.ndarray  # (c,)
    actions: tuple[str, ...]  # (c,) arrows; empty where none is shown
    exact: np.ndarray  # (c,) best values; NaN where they are not known
    best: tuple[str, ...]  # (c,) arrows of the best actions
    is_wrong: np.ndarray  # (c,) whether the action is not among the best
    size: float  # the largest value that the colours show, either way

    @property
    def x(self) -> np.ndarray:
        """Columns of the cells, from 0."""
        return self.cells % self.shape[1]

    @property
    def y(self) -> np.ndarray:
        """Rows of the cells, from 0 at the top."""
        return self.cells // self.shape[1]


def grid_of(world: FiniteMDP) -> Grid:
    """Where the states lie; DataError where the world has no map."""
    if world.grid is None:
        raise DataError(f"The {world.name} has no map; its numbers stand in the table of scores.")
    return world.grid


def shown_states(world: FiniteMDP) -> np.ndarray:
    """The states that are drawn: not those that only say that the episode is over."""
    grid = grid_of(world)
    return np.array([s for s, cell in enumerate(grid.cells) if grid.letters[cell] not in LAND])


def grid_map(world: FiniteMDP, values: np.ndarray, policy: np.ndarray) -> GridMap:
    """The map of values, shape (S,), and a policy, shape (S,), beside the exact answer."""
    grid, here = grid_of(world), shown_states(world)
    exact, is_best = np.full(world.n_states, np.nan), None
    if not world.unsolvable:
        exact, is_best = world.solution.values, world.solution.is_optimal
    wrong = np.zeros(len(here), bool) if is_best is None else ~is_best[here, policy[here]]
    return GridMap(
        shape=grid.shape,
        letters=grid.letters,
        cells=grid.cells[here],
        names=tuple(world.state_names[s] for s in here),
        values=values[here],
        actions=tuple(grid.arrows[a] for a in policy[here]),
        exact=exact[here],
        best=tuple(_arrows(grid, is_best, s) for s in here),
        is_wrong=wrong & world.reachable[here],
        size=_size(exact[here], values[here]),
    )


def _arrows(grid: Grid, is_best: np.ndarray | None, s: int) -> str:
    if is_best is None:
        return ""
    return "".join(arrow for arrow, best in zip(grid.arrows, is_best[s], strict=True) if best)


def _size(exact: np.ndarray, shown: np.ndarray) -> float:
    """The end of the colour scale: of the exact values where they are known, so that maps of one
    world share it."""
    values = exact if np.isfinite(exact).any() else shown
    return float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
