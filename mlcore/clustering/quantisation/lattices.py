"""Lattices of the units of a map: where units lie on it, which are joined, how far apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer

MOST_UNITS = 2500  # the distances of all pairs are held


@dataclass(frozen=True, kw_only=True)
class Lattice(Component):
    """K units at fixed places, some of them joined."""

    is_hexagonal = False

    @property
    def positions(self) -> np.ndarray:
        """Places of the units on the lattice, shape (K, 1) or (K, 2)."""
        # Each lattice has a form of its own, from which all else follows; there is none for all.
        raise NotImplementedError(f"{type(self).__name__} declares no positions")

    @property
    def width(self) -> float:
        """The longest way across the lattice, in steps."""
        return float(np.ptp(self.positions, axis=0).max())

    def laid_out(self) -> np.ndarray:
        """Places with mean 0 and variance 1 along each side, the longest first: (K, 1 or 2)."""
        at = self.positions - self.positions.mean(axis=0)
        longest_first = np.argsort(-np.ptp(at, axis=0), kind="stable")
        deviations = at.std(axis=0)
        return (at / np.where(deviations > 0, deviations, 1.0))[:, longest_first]

    def apart(self) -> np.ndarray:
        """Euclidean distance of each pair of units on the lattice, shape (K, K)."""
        at = self.positions
        return np.sqrt(((at[:, None] - at[None]) ** 2).sum(axis=2))

    def steps(self) -> np.ndarray:
        """Edges of the shortest way between each pair of units, shape (K, K)."""
        # As with the places: which units are neighbours is what makes a lattice.
        raise NotImplementedError(f"{type(self).__name__} declares no steps")

    def edges(self) -> np.ndarray:
        """The two units that each edge joins, shape (e, 2)."""
        first, second = np.nonzero(np.triu(self.steps() == 1))
        return np.column_stack([first, second])

    def are_near(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Whether pairs of units, each of shape (m,), touch on the lattice, shape (m,)."""
        return self.steps()[first, second] <= 1

    def conflict(self) -> str | None:
        """Refuse lattices whose pairs are too many to hold."""
        k = len(self.positions) if self._n_units <= MOST_UNITS else self._n_units
        if k <= MOST_UNITS:
            return None
        return f"{self.title()}: at most {MOST_UNITS:,} units; there are {k:,}. Take fewer."

    @property
    def _n_units(self) -> int:
        # Counted from the sides before any place is made, so that too many are refused first.
        raise NotImplementedError(f"{type(self).__name__} declares no number of units")


@dataclass(frozen=True, kw_only=True)
class _Rows(Lattice):
    """Units in rows and columns, numbered row by row."""

    rows: int = integer(10, low=1, high=50, soft=(2, 30), doc="Rows of units.")
    columns: int = integer(10, low=1, high=50, soft=(2, 30), doc="Units in a row.")

    @property
    def _n_units(self) -> int:
        return self.rows * self.columns

    @property
    def _cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Row and column of each unit, each of shape (K,)."""
        return np.divmod(np.arange(self._n_units), self.columns)


@enter(
    Card(
        "grid",
        "Rectangular grid",
        ("lattice",),
        sources=("cs2:som_graph_grid", "mi2:som_online"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Grid(_Rows):
    """Units at the crossings of rows and columns, each joined to those beside, above and below.

    Corners touch too: a unit inside has eight around it.
    """

    @property
    def positions(self) -> np.ndarray:
        """Column and row, shape (K, 2)."""
        row, column = self._cells
        return np.column_stack([column, row]).astype(np.float64)

    def steps(self) -> np.ndarray:
        """Rows plus columns between two units, shape (K, K)."""
        return _gaps(self.positions).sum(axis=2)

    def are_near(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Whether units lie at most one row and one column apart, shape (m,)."""
        at = self.positions
        return np.abs(at[first] - at[second]).max(axis=1) <= 1


@enter(Card("hexagonal_grid", "Hexagonal grid", ("lattice",), kind="part", synonyms=("honeycomb",)))
@dataclass(frozen=True, kw_only=True)
class HexagonalGrid(_Rows):
    """Every other row is shifted by half a unit: a unit inside has six around it, equally far."""

    is_hexagonal = True

    @property
    def positions(self) -> np.ndarray:
        """Places in units of the distance of neighbours, shape (K, 2)."""
        row, column = self._cells
        return np.column_stack([column + 0.5 * (row % 2), row * np.sqrt(0.75)])

    def steps(self) -> np.ndarray:
        """Edges of the shortest way, shape (K, K): the largest gap of the three axes."""
        row, column = self._cells
        axial = np.column_stack([column - row // 2, row])
        cube = np.column_stack([axial, -axial.sum(axis=1)])
        return _gaps(cube).max(axis=2)


@enter(Card("chain", "Chain", ("lattice",), sources=("mi2:som_dimension_reduction",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Chain(Lattice):
    """Units one after the other, each joined to the next."""

    units: int = integer(20, low=1, high=MOST_UNITS, soft=(3, 100), doc="Units of the chain.")

    @property
    def _n_units(self) -> int:
        return self.units

    @property
    def positions(self) -> np.ndarray:
        """The number of each unit, shape (K, 1)."""
        return np.arange(self.units, dtype=np.float64)[:, None]

    def steps(self) -> np.ndarray:
        """The difference of the numbers, shape (K, K)."""
        return _gaps(self.positions)[:, :, 0]


@enter(Card("ring", "Ring", ("lattice",), sources=("cs2:som_graph_ring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Ring(Chain):
    """A chain whose last unit is joined to the first."""

    @property
    def width(self) -> float:
        """Half of the way around."""
        return self.units / 2

    def laid_out(self) -> np.ndarray:
        """A circle of variance 1 along each axis, shape (K, 2)."""
        angle = 2 * np.pi * np.arange(self.units) / self.units
        return np.sqrt(2.0) * np.column_stack([np.cos(angle), np.sin(angle)])

    def apart(self) -> np.ndarray:
        """The shorter way around, shape (K, K)."""
        return self.steps()

    def steps(self) -> np.ndarray:
        """The shorter way around, shape (K, K)."""
        gaps = _gaps(self.positions)[:, :, 0]
        return np.minimum(gaps, self.units - gaps)


def _gaps(at: np.ndarray) -> np.ndarray:
    """Absolute differences of places, shape (K, d), between all pairs: (K, K, d)."""
    return np.abs(at[:, None] - at[None]).astype(np.float64)
