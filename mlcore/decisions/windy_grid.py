"""The windy grid world: a way to the goal across a wind that blows upwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import FiniteMDP, Grid, Sides, Transition, cell_names, from_transitions
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, flag, many

HEIGHT, LONGEST = 7, 20  # rows, columns at most
STRONGEST = 3
START, GOAL = (3, 0), (3, 7)  # row and column, from 0 at the top and at the left
MOVES = {
    "up": ((-1, 0), "↑"),
    "right": ((0, 1), "→"),
    "down": ((1, 0), "↓"),
    "left": ((0, -1), "←"),
    "up right": ((-1, 1), "↗"),
    "down right": ((1, 1), "↘"),
    "down left": ((1, -1), "↙"),
    "up left": ((-1, -1), "↖"),
    "wait": ((0, 0), "·"),
}
KINDS = {"four": 4, "king": 8, "king_and_wait": 9}  # how many of the moves there are


@enter(
    Card(
        "windy_grid",
        "Windy grid world",
        ("problem",),
        "Sutton and Barto (2018), Reinforcement Learning, example 6.5",
        sources=("epfl:rl_td", "cs2:maze_env"),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class WindyGrid(Component):
    """A grid without walls, and a wind that blows every move upwards by the strength of its column.

    Every move costs 1 until the goal, so the value of a cell is minus the number of moves that it
    still takes. The wind of the column that is left counts; what would leave the grid stays at its
    edge. The goal lies seven columns to the right of the start in the same row, but the best way
    must pass it, come down where there is no wind, and return: 15 moves with the four directions,
    and 7 with the eight of a king in chess.
    """

    wind: tuple[float, ...] = many(
        (0, 0, 0, 1, 1, 1, 2, 2, 1, 0),
        label="Wind",
        doc="Cells that each column blows a move upwards, a whole number from 0 to 3 a column.",
        most=LONGEST,
    )
    moves: str = choice(
        "four", *KINDS, label="Moves", doc="Four directions, the eight of a king, or waiting too."
    )
    gusts: bool = flag(
        False,
        label="Gusts",
        doc="Whether the wind blows one cell less, as said, or one more, a third each.",
    )
    gamma: float = discount(1.0)
    max_steps: int = most_moves(500)

    def conflict(self) -> str | None:
        """A column for the goal, and a wind that a grid of seven rows can bear."""
        if len(self.wind) <= GOAL[1]:
            return (
                f"The goal stands in column {GOAL[1] + 1}; the wind names {len(self.wind)} "
                f"columns. Give at least {GOAL[1] + 1}."
            )
        wrong = [w for w in self.wind if w != int(w) or not 0 <= w <= STRONGEST]
        if wrong:
            return f"A wind is a whole number from 0 to {STRONGEST}; got {wrong[0]:g}."
        return None

    def world(self) -> FiniteMDP:
        """The grid as tables; equal settings give the same object."""
        return _built(self)


@cache
def _built(problem: WindyGrid) -> FiniteMDP:
    width = len(problem.wind)
    letters = ["."] * (HEIGHT * width)
    letters[_cell(START, width)], letters[_cell(GOAL, width)] = "S", "G"
    cells = np.array([i for i, letter in enumerate(letters) if letter != "G"], dtype=np.int64)
    chosen = dict(list(MOVES.items())[: KINDS[problem.moves]])
    blown = tuple(f"{wind:g}↑" if wind else "0" for wind in problem.wind)
    grid = Grid(
        (HEIGHT, width), cells, "".join(letters), tuple(a for _, a in chosen.values()),
        sides=Sides("", (), "Wind: cells that a move is blown up", blown),
    )  # fmt: skip
    return from_transitions(
        f"windy grid world {HEIGHT} x {width}",
        [[_moved(problem, grid, cell, step) for step, _ in chosen.values()] for cell in cells],
        gamma=problem.gamma,
        initial=1.0 * (cells == _cell(START, width)),
        max_steps=problem.max_steps,
        state_names=tuple(
            f"{name}, wind {problem.wind[cell % width]:g}"
            for name, cell in zip(cell_names(grid), cells, strict=True)
        ),
        action_names=tuple(chosen),
        grid=grid,
    )


def _cell(place: tuple[int, int], width: int) -> int:
    return place[0] * width + place[1]


def _moved(problem: WindyGrid, grid: Grid, cell: int, step: tuple[int, int]) -> list[Transition]:
    """What may follow a move from a cell."""
    wind = int(problem.wind[cell % grid.shape[1]])
    # Where there is no wind there are no gusts.
    winds = (wind - 1, wind, wind + 1) if problem.gusts and wind else (wind,)
    return [_landed(grid, cell, step, blown, 1 / len(winds)) for blown in winds]


def _landed(grid: Grid, cell: int, step: tuple[int, int], blown: int, chance: float) -> Transition:
    """Where a move ends with this wind: at the edge, where it would go beyond."""
    width = grid.shape[1]
    row = min(max(cell // width + step[0] - blown, 0), HEIGHT - 1)
    column = min(max(cell % width + step[1], 0), width - 1)
    to = _cell((row, column), width)
    is_end = grid.letters[to] == "G"
    state = np.searchsorted(grid.cells, cell if is_end else to)
    return chance, int(state), -1.0, is_end
