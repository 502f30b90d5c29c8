"""A grid that a person draws: walls, pits, goals, and moves that may slip."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import FiniteMDP, Grid, Transition, cell_names, from_transitions
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import ParamError
from mlcore.spine.params import real, text

FREE, WALL, START, GOAL, PIT = LETTERS = ".#SGX"
MOST_CELLS = 400
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # clockwise, so that a slip goes to a neighbour
ACTIONS = ("up", "right", "down", "left")
ARROWS = ("↑", "→", "↓", "←")


@enter(
    Card(
        "grid_world",
        "Grid world",
        ("problem",),
        "Russell and Norvig (2010), Artificial Intelligence, chapter 17",
        sources=("epfl:DS55", "cs2:maze_env", "cs2:maze robot"),
        also=("maze",),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class GridWorld(Component):
    """A map on which every move costs something, a goal pays, and a pit hurts.

    Both end the episode. A move that slips goes to its left or its right, half each; one that
    meets a wall or the edge stays where it is. The reward of a move is the cost of a step plus
    what the entered cell gives.
    """

    letters: ClassVar[str] = LETTERS

    layout: str = text(
        "...G/.#.X/S...",
        longest=MOST_CELLS + 50,
        label="Map",
        doc="Rows separated by /: a dot is free, # wall, S start, G goal, X pit.",
    )
    slip: float = real(
        0.2,
        low=0.0,
        high=0.5,
        soft=(0.0, 0.5),
        label="Slip probability",
        doc="Probability that a move goes to one side.",
    )
    step_reward: float = real(
        -0.04,
        soft=(-1.0, 0.1),
        label="Reward of a step",
        doc="Reward of every move; a cost if negative.",
    )
    goal_reward: float = real(1.0, soft=(0.0, 10.0), label="Goal", doc="Reward at a goal.")
    pit_reward: float = real(-1.0, soft=(-10.0, 0.0), label="Pit", doc="Reward in a pit.")
    gamma: float = discount()
    max_steps: int = most_moves()

    def conflict(self) -> str | None:
        """A map: rows of equal length, known letters, a start, and room for it."""
        rows = self.layout.split("/")
        if wrong := sorted(set("".join(rows)) - set(self.letters)):
            return (
                f"A map is written with {' '.join(self.letters)} and / between its rows; "
                f"{wrong[0]!r} means nothing in it."
            )
        if len({len(row) for row in rows}) != 1 or not rows[0]:
            return "The rows of a map must be equally long. Fill the shorter ones with dots."
        if len(rows) * len(rows[0]) > MOST_CELLS:
            return f"A map has at most {MOST_CELLS} cells; this has {len(rows) * len(rows[0])}."
        if START not in self.layout:
            return "A map needs a start, written S. Turn a free cell into one."
        return None

    def world(self) -> FiniteMDP:
        """The map as tables; equal maps give the same object."""
        return _built(self)

    def brushes(self) -> dict[str, str]:
        """What a cell can be."""
        return {WALL: "Wall", FREE: "Free", GOAL: "Goal", PIT: "Pit", START: "Start"}

    def with_cells(self, cells: tuple[int, ...], letter: str) -> str:
        """The layout with these cells, counted row by row, turned into `letter`.

        A new start takes the place of the old one. Raises ParamError for a cell beyond the map.
        """
        rows = self.layout.split("/")
        letters = list("".join(rows))
        if letter == START:
            letters = [FREE if old == START else old for old in letters]
        if beyond := [cell for cell in cells if not 0 <= cell < len(letters)]:
            raise ParamError(
                f"The map has {len(letters)} cells, counted from 0; there is no cell {beyond[0]}. "
                "Click on the map that is shown now."
            )
        for cell in cells:
            letters[cell] = letter
        width = len(rows[0])
        return "/".join("".join(letters[at : at + width]) for at in range(0, len(letters), width))


@cache
def _built(problem: GridWorld) -> FiniteMDP:
    rows = problem.layout.split("/")
    shape = len(rows), len(rows[0])
    letters = "".join(rows)
    cells = [i for i, letter in enumerate(letters) if letter in (FREE, START)]
    state_of = {cell: s for s, cell in enumerate(cells)}
    starts = np.array([letters[cell] == START for cell in cells], dtype=np.float64)
    transitions = [
        [moved(problem, letters, shape, state_of, cell, a) for a in range(4)] for cell in cells
    ]
    grid = Grid(shape, np.array(cells, dtype=np.int64), letters, ARROWS)
    return from_transitions(
        f"grid world {shape[0]} x {shape[1]}",
        transitions,
        gamma=problem.gamma,
        initial=starts / starts.sum(),
        max_steps=problem.max_steps,
        state_names=cell_names(grid),
        action_names=ACTIONS,
        grid=grid,
    )


def moved(
    problem: GridWorld,
    letters: str,
    shape: tuple[int, int],
    state_of: dict[int, int],
    cell: int,
    action: int,
) -> list[Transition]:
    """What may follow an action in a cell: as meant, or to either side."""
    transitions = []
    for side, chance in ((0, 1 - problem.slip), (1, problem.slip / 2), (-1, problem.slip / 2)):
        to = _entered(letters, shape, cell, MOVES[(action + side) % 4])
        gain = {GOAL: problem.goal_reward, PIT: problem.pit_reward}.get(letters[to], 0.0)
        reward = problem.step_reward + gain
        is_end = letters[to] in (GOAL, PIT)
        transitions.append((chance, state_of[cell if is_end else to], reward, is_end))
    return transitions


def _entered(letters: str, shape: tuple[int, int], cell: int, move: tuple[int, int]) -> int:
    """The cell that a move leads to; the same one where a wall or the edge is in the way."""
    row, column = cell // shape[1] + move[0], cell % shape[1] + move[1]
    inside = 0 <= row < shape[0] and 0 <= column < shape[1]
    to = row * shape[1] + column
    return to if inside and letters[to] != WALL else cell
