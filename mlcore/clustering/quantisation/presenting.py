"""The rows in the order in which they are shown to prototypes, and the rate of each showing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation.schedules import Schedule

FINEST = 100_000  # values of a schedule that are made; longer runs hold each for several rows
MOST_SHOWN = 50_000_000  # showings of a run, about a minute for ten centers of ten columns
REPORTS = 150  # steps that a run tells at most


class Shown:
    """Rows 0 .. n - 1 again and again, in their order or shuffled anew in each pass."""

    def __init__(self, n: int, order: str, rng: np.random.Generator) -> None:
        self.n, self.order, self.rng = n, order, rng
        self.left = np.empty(0, dtype=np.int64)

    def take(self, count: int) -> np.ndarray:
        """The next `count` rows, shape (count,)."""
        pieces, missing = [self.left[:count]], count - len(self.left)
        self.left = self.left[count:]
        while missing > 0:
            a_pass = np.arange(self.n) if self.order == "given" else self.rng.permutation(self.n)
            pieces.append(a_pass[:missing])
            self.left, missing = a_pass[missing:], missing - self.n
        return read_only(np.concatenate(pieces))


class Course:
    """The values of a schedule over a run of any length."""

    def __init__(self, values: np.ndarray, total: int) -> None:
        self.values, self.total = values, total

    def at(self, steps: np.ndarray) -> np.ndarray:
        """The values of steps, shape (s,); of the last one where a step lies beyond it."""
        steps = np.minimum(steps, self.total - 1)
        return read_only(self.values[steps * len(self.values) // self.total])


def course(schedule: Schedule, total: int) -> Course:
    """The course of a schedule over so many steps, at least one."""
    return Course(schedule.values(min(total, FINEST)), total)


def blocks(total: int, most: int = REPORTS) -> Iterator[tuple[int, int]]:
    """The steps 0 .. total in at most `most` pieces of about the same size: (start, end)."""
    ends = np.unique(np.linspace(0, total, min(total, most) + 1).astype(np.int64))
    yield from zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)


def leaps(schedule: Schedule) -> str | None:
    """Why a schedule is no learning rate of prototypes, as a sentence, or None."""
    largest = float(schedule.values(1000).max())
    if largest <= 1.0:
        return None
    return (
        f"A learning rate above 1 throws a center beyond the row that pulls it; {schedule.title()} "
        f"goes up to {largest:g}. Choose numbers from 0 to 1."
    )
