"""How a self-organising map learns: row by row, or by passes over all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.clustering.quantisation import _kernels
from mlcore.clustering.quantisation.neighbourhoods import Neighbourhood
from mlcore.clustering.quantisation.presenting import Course, Shown, course, leaps
from mlcore.distances.nearest_center import nearest
from mlcore.maths.arrays import read_only
from mlcore.maths.squared_distances import squares_against
from mlcore.optimisation.schedules import Schedule
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, integer, part

AT_ONCE = 256  # steps whose neighbourhoods are held


class MapProblem(NamedTuple):
    """The rows, the map, and how its neighbourhood shrinks."""

    X: np.ndarray  # (n, p)
    centers: np.ndarray  # (K, p) first places of the units
    deciding: int  # first columns, by which winners are found; the others follow them
    apart: np.ndarray  # (K, K) of the units on the lattice
    neighbourhood: Neighbourhood
    radii: Course
    smoothed: bool  # whether the winner is the least smoothed distance
    on_sphere: (
        bool  # whether rows and units have length 1: then the nearest has the largest product
    )
    rng: np.random.Generator


class MapRun:
    """The units on their way."""

    def __init__(self, problem: MapProblem, total: int) -> None:
        self.problem, self.total, self.done = problem, total, 0
        self.X = read_only(problem.X)
        self.centers = np.ascontiguousarray(problem.centers, dtype=np.float64)
        # Lattices are regular: all pairs have few different distances.
        rounded = problem.apart.round(9)
        _, first, levels = np.unique(rounded, return_index=True, return_inverse=True)
        self.distances = problem.apart.ravel()[first]
        self.levels = read_only(levels.reshape(problem.apart.shape).astype(np.int32))

    def advance(self, steps: int) -> None:
        """Make so many steps."""
        # A step is a row or a pass over all of them; the two share only what surrounds it.
        raise NotImplementedError(f"{type(self).__name__} declares no steps")

    def weights(self, steps: np.ndarray) -> np.ndarray:
        """The neighbourhood of each step at each distance of the lattice, shape (T, D)."""
        return self.problem.neighbourhood.weights(self.distances, self.problem.radii.at(steps))


class _OnlineRun(MapRun):
    """A step is a row."""

    def __init__(self, problem: MapProblem, how: OnlineLearning) -> None:
        super().__init__(problem, how.n_steps)
        self.rates, self.exponent = how.rates(), how.learning_rate.exponent
        self.rows = Shown(len(problem.X), how.order, problem.rng)
        self.wins, self.squares = np.zeros(len(self.centers)), np.empty(len(self.centers))

    def advance(self, steps: int) -> None:
        """Show so many rows."""
        for start in range(self.done, self.done + steps, AT_ONCE):
            t = np.arange(start, min(start + AT_ONCE, self.done + steps))
            _kernels.move_lattice(
                self.X, self.problem.deciding, self.rows.take(len(t)), self.rates.at(t),
                self.exponent, read_only(self.weights(t)), self.levels,
                self.problem.smoothed, self.problem.on_sphere,
                self.centers, self.wins, self.squares,
            )  # fmt: skip
        self.done += steps


class _BatchRun(MapRun):
    """A step is a pass over all rows."""

    def advance(self, steps: int) -> None:
        """Make so many passes."""
        for t in range(self.done, self.done + steps):
            near = self.weights(np.array([t]))[0][self.levels]
            self.centers = self._means(self._winners(near), near)
        self.done += steps

    def _winners(self, near: np.ndarray) -> np.ndarray:
        first = np.s_[:, : self.problem.deciding]
        X, centers = map(np.ascontiguousarray, (self.X[first], self.centers[first]))
        if not self.problem.smoothed:
            return nearest(X, centers)
        return (squares_against(centers)(X) @ near.T).argmin(axis=1)

    def _means(self, winners: np.ndarray, near: np.ndarray) -> np.ndarray:
        """The means of the rows by how near their winners are; as it was where none is near."""
        k, shift = len(self.centers), self.X.mean(axis=0)  # small numbers lose little in sums
        counts = np.bincount(winners, minlength=k)
        sums = np.zeros_like(self.centers)
        np.add.at(sums, winners, self.X - shift)
        totals = near @ counts
        some = totals > 0
        means = shift + (near @ sums) / np.where(some, totals, 1.0)[:, None]
        means = np.where(some[:, None], means, self.centers)
        if not self.problem.on_sphere:
            return means
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return np.where(lengths > 0, means / np.where(lengths > 0, lengths, 1.0), self.centers)


@dataclass(frozen=True, kw_only=True)
class MapLearning(Component):
    """A way to learn a map, in `total` steps."""

    @property
    def total(self) -> int:
        """The number of steps."""
        # The setting that says it has another name where rows are counted and where passes are.
        raise NotImplementedError(f"{type(self).__name__} declares no number of steps")

    def run(self, problem: MapProblem) -> MapRun:
        """The run, not begun yet."""
        # Each way to learn has its own state.
        raise NotImplementedError(f"{type(self).__name__} declares no run")

    def rates(self) -> Course | None:
        """The learning rate of each step; None where there is none."""
        return None


@enter(
    Card(
        "online_learning",
        "Online",
        ("map_learning",),
        sources=("mi2:som_online", "cs1:som", "cs2:som"),
        random=True,
        kind="part",
        synonyms=("sequential learning", "stochastic learning"),
    )
)
@dataclass(frozen=True, kw_only=True)
class OnlineLearning(MapLearning):
    """Row by row: each pulls its winner, and the units near it on the lattice, by a rate."""

    learning_rate: Schedule = part(
        "geometric_schedule",
        slot="schedule",
        symbol=r"\eta",
        label="Learning rate",
        doc="Share of the way to a row that its winner goes, from 0 to 1, row by row.",
    )
    n_steps: int = integer(
        20_000,
        low=0,
        high=10_000_000,
        soft=(1_000, 200_000),
        log=True,
        label="Steps",
        doc="Rows that are shown, repeats counted; with 0 the map stays as it starts.",
    )
    order: str = choice(
        "random",
        "random",
        "given",
        doc="Rows are shuffled anew in every pass, or come in the order of the table.",
    )

    def conflict(self) -> str | None:
        """Refuse rates above 1."""
        return leaps(self.learning_rate)

    @property
    def total(self) -> int:
        """The rows that are shown."""
        return self.n_steps

    def rates(self) -> Course:
        """The learning rate of each row."""
        return course(self.learning_rate, max(self.n_steps, 1))

    def run(self, problem: MapProblem) -> MapRun:
        """A run whose steps are rows."""
        return _OnlineRun(problem, self)


@enter(
    Card(
        "batch_learning",
        "Batch",
        ("map_learning",),
        sources=("mi2:som_cost",),
        kind="part",
        synonyms=("batch map", "batch training"),
    )
)
@dataclass(frozen=True, kw_only=True)
class BatchLearning(MapLearning):
    """By passes: each unit goes to the mean of all rows, by how near their winners are to it.

    Needs no learning rate, and fewer passes. From a start without order it is left with folds more
    easily than online learning.
    """

    n_passes: int = integer(
        50,
        low=0,
        high=10_000,
        soft=(5, 200),
        log=True,
        label="Passes",
        doc="Passes over all rows; with 0 the map stays as it starts.",
    )

    @property
    def total(self) -> int:
        """The passes."""
        return self.n_passes

    def run(self, problem: MapProblem) -> MapRun:
        """A run whose steps are passes."""
        return _BatchRun(problem, self.n_passes)
