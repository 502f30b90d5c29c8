"""One move of a solver: two multipliers in their box, on the line that the condition leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.svm.dual import Dual, Point


class PairMove(NamedTuple):
    """Multipliers of a pair of rows, unsigned: the one whose signed multiplier rose is first."""

    rows: tuple[int, int]  # of the fitted rows
    top: np.ndarray  # (2,) largest values; infinite without a bound
    before: np.ndarray  # (2,)
    after: np.ndarray  # (2,) where the objective is least on the line within the box
    free: np.ndarray  # (2,) and were there no box

    @property
    def is_clipped(self) -> bool:
        """Whether a bound cut the move."""
        return bool((self.free < 0).any() or (self.free > self.top).any())


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
    return PairMove((first, second), top, before, after, before + pair.free * along)
