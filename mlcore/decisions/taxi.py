"""The taxi of Dietterich: find a passenger, bring them where they want to go."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import Grid, Layer, Sign, Transition, cell_names
from mlcore.decisions.table_worlds import TableWorld
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

SIDE = 5
STANDS = {"red": (0, 0), "green": (0, 4), "yellow": (4, 0), "blue": (4, 3)}
NAMES, PLACES = tuple(STANDS), tuple(STANDS.values())
IN_TAXI = len(PLACES)  # where the passenger is after the places 0 ... 3
FENCED = {(0, 1), (1, 1), (3, 0), (4, 0), (3, 2), (4, 2)}  # cells with a fence at their right
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))  # south, north, east, west
LEFT_OF = (2, 3, 1, 0)  # the move to the left of each
PICK_UP = len(MOVES)
MOVE, WRONG, DELIVERY = -1.0, -10.0, 20.0  # rewards


@enter(
    Card(
        "taxi",
        "Taxi",
        ("problem",),
        "Dietterich (2000), Journal of Artificial Intelligence Research 13",
        sources=("epfl:rl_agent_env",),
        kind="data",
        synonyms=("Taxi-v3", "Taxi-v4", "Gymnasium", "toy text"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Taxi(TableWorld):
    """A taxi among four stands: a passenger waits at one of them and wants to go to another.

    A move costs 1, and so do picking up and dropping off; where either is not possible it costs 10.
    The delivery pays 20 and ends the episode. A state is the cell of the taxi, where the passenger
    is (at a stand or in the taxi) and the destination: 25 times 5 times 4 states, of which 400 can
    be met. Moves, rewards and numbers of states are those of Gymnasium's Taxi; with a slip of 0.2
    those of its rain.
    """

    gamma: float = discount()
    max_steps: int = most_moves()
    slip: float = real(
        0.0, low=0.0, high=1.0, soft=(0.0, 0.5), label="Slip probability",
        doc="Probability that a move goes to either side, half each; a way that is barred never "
        "slips.",
    )  # fmt: skip

    def tables(self) -> list[list[list[Transition]]]:
        """Four moves, to pick up, to drop off."""
        return [
            [*(self._moved(at, m) for m in range(len(MOVES))), [_picked_up(at)], [_dropped(at)]]
            for at in _states()
        ]

    def _moved(self, at: tuple[int, int, int, int], move: int) -> list[Transition]:
        row, column, *rest = at
        meant = _entered(row, column, move)
        if meant == (row, column) or not self.slip:
            return [(1.0, _number(*meant, *rest), MOVE, False)]
        left = LEFT_OF[move]
        ways = [(1 - self.slip, move), (self.slip / 2, left), (self.slip / 2, left ^ 1)]
        return [
            (chance, _number(*_entered(row, column, way), *rest), MOVE, False)
            for chance, way in ways
        ]

    def actions(self) -> tuple[tuple[str, str], ...]:
        """As Gymnasium counts them."""
        moves = (("south", "↓"), ("north", "↑"), ("east", "→"), ("west", "←"))
        return (*moves, ("pick up", "pick up"), ("drop off", "drop off"))

    def start_weights(self, n_states: int) -> np.ndarray:
        """Every cell, stand and other stand alike, shape (S,)."""
        waits = [
            passenger not in (IN_TAXI, destination) for *_, passenger, destination in _states()
        ]
        return np.array(waits, dtype=np.float64)

    def state_names(self, n_states: int) -> tuple[str, ...]:
        """The cell, and the errand."""
        places = cell_names(_ground(np.arange(SIDE**2), ()))
        return tuple(
            f"{places[row * SIDE + column]}, {_errand(passenger, destination)}"
            for row, column, passenger, destination in _states()
        )

    def map(self, start_weights: np.ndarray, signs: tuple[str, ...]) -> Grid:
        """The town once for each errand."""
        cells = np.array([row * SIDE + column for row, column, *_ in _states()])
        return _ground(cells, signs)._replace(layers=_layers(), fences=_fences())


def _states() -> product[tuple[int, int, int, int]]:
    """Row, column, place of the passenger and destination of each state, in order."""
    sides = range(SIDE)
    return product(sides, sides, range(IN_TAXI + 1), range(IN_TAXI))  # four numbers each


def _number(row: int, column: int, passenger: int, destination: int) -> int:
    return ((row * SIDE + column) * (IN_TAXI + 1) + passenger) * IN_TAXI + destination


def _entered(row: int, column: int, move: int) -> tuple[int, int]:
    """The cell that a move leads to; the same one at an edge or a fence."""
    down, right = MOVES[move]
    to = (row + down, column + right)
    inside = 0 <= to[0] < SIDE and 0 <= to[1] < SIDE
    barred = right and (row, min(column, to[1])) in FENCED
    return to if inside and not barred else (row, column)


def _picked_up(at: tuple[int, int, int, int]) -> Transition:
    row, column, passenger, destination = at
    if passenger != IN_TAXI and PLACES[passenger] == (row, column):
        return 1.0, _number(row, column, IN_TAXI, destination), MOVE, False
    return 1.0, _number(*at), WRONG, False


def _dropped(at: tuple[int, int, int, int]) -> Transition:
    """Delivered at the destination, left at another stand, refused elsewhere."""
    row, column, passenger, destination = at
    if passenger != IN_TAXI or (row, column) not in PLACES:
        return 1.0, _number(*at), WRONG, False
    stand = PLACES.index((row, column))
    is_there = stand == destination
    reward = DELIVERY if is_there else MOVE
    return 1.0, _number(row, column, stand, destination), reward, is_there


def _errand(passenger: int, destination: int) -> str:
    where = "in the taxi" if passenger == IN_TAXI else f"at {NAMES[passenger]}"
    return f"passenger {where}, to {NAMES[destination]}"


def _ground(cells: np.ndarray, signs: tuple[str, ...]) -> Grid:
    return Grid((SIDE, SIDE), cells, "." * SIDE**2, signs)


def _layers() -> tuple[Layer, ...]:
    """An errand each; a passenger who is where they want to be is never met."""
    errands = product(range(IN_TAXI + 1), range(IN_TAXI))
    return tuple(_layer(p, d) for p, d in errands if p != d)


def _layer(passenger: int, destination: int) -> Layer:
    states = [_number(*divmod(cell, SIDE), passenger, destination) for cell in range(SIDE**2)]
    roles = {passenger: "passenger", destination: "destination"}
    signs = tuple(
        Sign(row * SIDE + column, roles.get(k, NAMES[k]), k in roles)
        for k, (row, column) in enumerate(PLACES)
    )
    return Layer(_errand(passenger, destination), np.array(states), signs)


def _fences() -> tuple[tuple[int, int], ...]:
    left = sorted(row * SIDE + column for row, column in FENCED)
    return tuple((cell, cell + 1) for cell in left)
