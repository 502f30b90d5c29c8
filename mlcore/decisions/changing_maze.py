"""A maze that changes while it is learned: a way closes, or a shorter one opens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import numpy as np

from mlcore.decisions.grid_world import (
    ACTIONS,
    ARROWS,
    FREE,
    LETTERS,
    START,
    WALL,
    GridWorld,
    moved,
)
from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import FiniteMDP, Grid, Sign, cell_names, from_transitions
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real, text

CLOSES, OPENS = "CO"
WORDS = {CLOSES: "closed", OPENS: "opened"}
BEFORE = str.maketrans({CLOSES: FREE, OPENS: WALL})
AFTER = str.maketrans({CLOSES: WALL, OPENS: FREE})
BLOCKING = "........G/........./........./O#######C/........./...S....."


@enter(
    Card(
        "changing_maze",
        "Changing maze",
        ("problem",),
        "Sutton and Barto (2018), Reinforcement Learning, examples 8.2 and 8.3",
        sources=("cs2:maze_env", "cs2:rmax"),
        synonyms=("blocking maze", "shortcut maze", "nonstationary world"),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class ChangingMaze(GridWorld):
    """A map of which some cells close and others open after so many moves of the agent.

    Nobody is told. Where the known way closes, the blocking maze, the old model is soon found to be
    wrong. Where a shorter way opens, the shortcut maze, nothing that the agent does shows it: it
    must look again at what it believes to know. Values, the best policy and every score are of the
    map after the change; what was earned on the way stands in the picture of the rewards.
    """

    letters: ClassVar[str] = LETTERS + CLOSES + OPENS

    layout: str = text(
        BLOCKING, longest=450, label="Map",
        doc="Rows separated by /: a dot is free, # wall, S start, G goal, X pit, C free until it "
        "closes, O wall until it opens.",
    )  # fmt: skip
    changes_after: int = integer(
        1000, low=1, high=10_000_000, soft=(100, 10_000), log=True, label="Changes after",
        doc="Moves of an agent, over all its episodes, after which the map changes.",
    )  # fmt: skip
    slip: float = real(
        0.0, low=0.0, high=0.5, soft=(0.0, 0.5), label="Slip probability",
        doc="Probability that a move goes to one side.",
    )  # fmt: skip
    step_reward: float = real(
        0.0, soft=(-1.0, 0.1), label="Reward of a step",
        doc="Reward of every move; a cost if negative.",
    )  # fmt: skip
    gamma: float = discount(0.95)
    max_steps: int = most_moves(2000)

    def conflict(self) -> str | None:
        """A map as everywhere, and something that changes on it."""
        if reason := super().conflict():
            return reason
        if CLOSES in self.layout or OPENS in self.layout:
            return None
        return (
            "Nothing changes on this map. Write C for a cell that closes or O for one that opens, "
            "or choose the grid world."
        )

    def world(self) -> FiniteMDP:
        """The map as tables, before and after; equal settings give the same object."""
        return _built(self)

    def brushes(self) -> dict[str, str]:
        """What a cell can be."""
        return {**super().brushes(), CLOSES: "Closes", OPENS: "Opens"}


@cache
def _built(problem: ChangingMaze) -> FiniteMDP:
    rows = problem.layout.split("/")
    letters = "".join(rows)
    cells = [i for i, letter in enumerate(letters) if letter in (FREE, START, CLOSES, OPENS)]
    signs = [Sign(i, WORDS[at], True) for i, at in enumerate(letters) if at in WORDS]
    grid = Grid(
        (len(rows), len(rows[0])), np.array(cells, dtype=np.int64), letters.translate(AFTER),
        ARROWS, signs=tuple(signs),
    )  # fmt: skip
    before, after = (_still(problem, letters.translate(to), grid) for to in (BEFORE, AFTER))
    return changing(before, after, problem.changes_after)


def _still(problem: ChangingMaze, letters: str, grid: Grid) -> FiniteMDP:
    """The map as it is before or after the change. Closed cells are states that lead out."""
    cells = grid.cells.tolist()
    state_of = {cell: s for s, cell in enumerate(cells)}
    starts = np.array([letters[cell] == START for cell in cells], dtype=np.float64)
    own = problem, letters, grid.shape, state_of
    return from_transitions(
        f"changing maze {grid.shape[0]} x {grid.shape[1]}",
        [[moved(*own, cell, a) for a in range(4)] for cell in cells],
        gamma=problem.gamma,
        initial=starts / starts.sum(),
        max_steps=problem.max_steps,
        state_names=cell_names(grid),
        action_names=ACTIONS,
        grid=grid,
    )


def changing(before: FiniteMDP, after: FiniteMDP, moves: int) -> FiniteMDP:
    """A world that is `before` and, from so many moves on, `after`, with the same states.

    Its entries are those of both; what cannot follow has probability 0.
    """
    chances = [_chances(mdp) for mdp in (before, after)]
    entries = sorted(set().union(*chances))
    pairs, successors, rewards, ends = map(np.array, zip(*entries, strict=True))
    first, later = (np.array([own.get(entry, 0.0) for entry in entries]) for own in chances)
    counts = np.bincount(pairs, minlength=after.size)
    return replace(
        after,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        successors=successors, chances=later, rewards=rewards, ends=ends,
        chances_before=read_only(first), changes_after=moves,
    )  # fmt: skip


def _chances(mdp: FiniteMDP) -> dict[tuple[int, int, float, bool], float]:
    """The probability of each entry: pair, next state, reward, whether it is the end."""
    lists = mdp.pairs, mdp.successors, mdp.rewards, mdp.ends
    keys = zip(*(values.tolist() for values in lists), strict=True)
    return dict(zip(keys, mdp.chances.tolist(), strict=True))
