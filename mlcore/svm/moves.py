"""One move of a solver: two multipliers in their box, on the line that the condition leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.svm.dual import Dual, Point, thresholds


class PairMove(NamedTuple):
    """Multipliers of a pair of rows, unsigned: the one whose signed multiplier rose is first.

    A tube has two multipliers a row, so that both may be of one row.
    """

    rows: tuple[int, int]  # of the fitted rows
    sides: np.ndarray  # (2,) signs of the multipliers: of the class, or above and below a tube
    top: np.ndarray  # (2,) largest values; infinite without a bound
    before: np.ndarray  # (2,)
    after: np.ndarray  # (2,) where the objective is least on the line within the box
    free: np.ndarray  # (2,) and were there no box

    @property
    def is_clipped(self) -> bool:
        """Whether a bound cut the move."""
        return bool((self.free < 0).any() or (self.free > self.top).any())


@dataclass(frozen=True, eq=False, kw_only=True)
class PairsState:
    """What the state of any machine knows of the moves that lead to it."""

    machine: int = 0  # which one moved
    moves: int  # pairs so far
    thresholds: tuple[tuple[float, float], ...]  # b_up and b_low of each group of the machine
    move: PairMove | None  # of two multipliers, if it was one


def moves_told(problem: Dual, rows: np.ndarray, point: Point) -> dict[str, Any]:
    """What a `PairsState` holds at a point; `rows` are the fitted rows of the variables, (n,)."""
    ends = thresholds(problem, point.beta, point.slope)
    return {"moves": point.moves, "thresholds": ends, "move": move_of(problem, rows, point)}


def move_of(problem: Dual, rows: np.ndarray, point: Point) -> PairMove | None:
    """The last move; None where it was none of two rows. `rows` are those of the variables, (n,).

    What one signed multiplier gains, the other loses: of two classes the multipliers rise or fall
    together, of one they change by opposite amounts.
    """
    pair = point.pair
    if pair is None or max(pair.variables) >= len(rows):
        return None
    at = list(pair.variables)
    side = np.where(problem.is_positive[at], 1.0, -1.0)
    top = np.where(side > 0, problem.high[at], -problem.low[at])
    before, along = side * pair.before, side * [1.0, -1.0]
    after = np.clip(before + pair.step * along, 0.0, top)
    first, second = (int(row) for row in rows[at])
    return PairMove((first, second), side, top, before, after, before + pair.free * along)
