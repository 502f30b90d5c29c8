"""Numbers of grid worlds: what stands in each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from figures.options import Options, among
from mlcore.decisions.mdp import FiniteMDP, Grid, Sides, Sign
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer

LAND = {"#": 0, "G": 1, "X": 2}  # cells that are nobody's state, or that end the episode
LEARNED, EXACT, DIFFERENCE = SHOWN = ("learned", "exact", "difference")
NAMES = {"#": "wall", "G": "goal", "X": "pit"}


def layers(offered: Any) -> dict[Any, str]:
    """The maps of a world that has several states for each cell."""
    grid = offered["trial"].world.grid
    return {k: layer.name for k, layer in enumerate(grid.layers)} if grid else {}


@dataclass(frozen=True, kw_only=True)
class MapOptions(Options):
    """What may be chosen of a map: the same states in all maps of a world."""

    is_common: ClassVar[bool] = True
    layer: int = among(
        integer(
            0, low=0, soft=(0, 99), label="Map",
            doc="Which states are drawn, where a world has several for each cell.",
        ),
        layers,
    )  # fmt: skip


def comparable(offered: Any) -> dict[str, str] | None:
    """All three where the world has an exact answer, else what was learned."""
    return {LEARNED: LEARNED} if offered["trial"].world.unsolvable else None


@dataclass(frozen=True, kw_only=True)
class BesideExactOptions(MapOptions):
    """What may be chosen of a map that the best policy has, too."""

    show: str = among(
        choice(
            LEARNED, *SHOWN, label="Show",
            doc="What the method has, what the best policy has, or the first less the second.",
        ),
        comparable,
    )  # fmt: skip


class GridMap(NamedTuple):
    """Values and actions of the cells that are states; all arrays in the order of `cells`."""

    shape: tuple[int, int]  # rows, columns
    letters: str  # one a cell
    states: np.ndarray  # (c,)
    cells: np.ndarray  # (c,) number of the cell, row by row
    names: tuple[str, ...]  # (c,)
    values: np.ndarray  # (c,)
    actions: tuple[str, ...]  # (c,) arrows; empty where none is shown
    exact: np.ndarray  # (c,) best values; NaN where they are not known
    best: tuple[str, ...]  # (c,) arrows of the best actions
    is_wrong: np.ndarray  # (c,) whether the action is not among the best
    size: float  # the largest value that the colours show, either way
    layer: int = 0
    show: str = LEARNED
    title: str = ""  # of the layer
    signs: tuple[Sign, ...] = ()
    fences: tuple[tuple[int, int], ...] = ()  # neighbouring cells with no way between them
    sides: Sides | None = None  # what rows and columns stand for

    @property
    def x(self) -> np.ndarray:
        """Columns of the cells, from 0."""
        return self.cells % self.shape[1]

    @property
    def shown(self) -> np.ndarray:
        """What the colours say, (c,)."""
        return {
            LEARNED: self.values, EXACT: self.exact, DIFFERENCE: self.values - self.exact
        }[self.show]  # fmt: skip

    @property
    def y(self) -> np.ndarray:
        """Rows of the cells, from 0 at the top."""
        return self.cells // self.shape[1]


def grid_of(world: FiniteMDP) -> Grid:
    """Where the states lie; DataError where the world has no map."""
    if world.grid is None:
        raise DataError(f"The {world.name} has no map; its numbers stand in the table of scores.")
    return world.grid


def shown_states(world: FiniteMDP, layer: int = 0) -> np.ndarray:
    """The states that are drawn: not those that only say that the episode is over."""
    grid = grid_of(world)
    if grid.layers:
        return grid.layers[layer].states
    return np.array([s for s, cell in enumerate(grid.cells) if grid.letters[cell] not in LAND])


def grid_map(world: FiniteMDP, values: np.ndarray, policy: np.ndarray, layer: int = 0) -> GridMap:
    """The map of values, shape (S,), and a policy, shape (S,), beside the exact answer."""
    grid, here = grid_of(world), shown_states(world, layer)
    exact, is_best = np.full(world.n_states, np.nan), None
    if not world.unsolvable:
        exact, is_best = world.solution.values, world.solution.is_optimal
    wrong = np.zeros(len(here), bool) if is_best is None else ~is_best[here, policy[here]]
    return GridMap(
        shape=grid.shape,
        letters=grid.letters,
        states=here,
        cells=grid.cells[here],
        names=tuple(world.state_names[s] for s in here),
        values=values[here],
        actions=tuple(grid.arrows[a] for a in policy[here]),
        exact=exact[here],
        best=tuple(_arrows(grid, is_best, s) for s in here),
        is_wrong=wrong & world.reachable[here],
        size=_size(exact[here], values[here]),
        layer=layer,
        title=grid.layers[layer].name if grid.layers else "",
        signs=grid.layers[layer].signs if grid.layers else grid.signs,
        fences=grid.fences,
        sides=grid.sides,
    )


def titled(g: GridMap) -> str:
    """Which map it is, behind a note."""
    return f"; {g.title}" if g.title else ""


def _arrows(grid: Grid, is_best: np.ndarray | None, s: int) -> str:
    if is_best is None:
        return ""
    best = [arrow for arrow, is_one in zip(grid.arrows, is_best[s], strict=True) if is_one]
    return (" or " if any(len(arrow) > 2 for arrow in best) else "").join(best)


def _size(exact: np.ndarray, shown: np.ndarray) -> float:
    """The end of the colour scale: of the exact values where they are known, so that maps of one
    world share it."""
    values = exact if np.isfinite(exact).any() else shown
    return float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
