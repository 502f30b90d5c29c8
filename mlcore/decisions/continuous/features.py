"""Features of a state: numbers of which values and preferences are linear functions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.decisions.mdp import FiniteMDP
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer

MOST_WEIGHTS = 400_000  # of all actions: some megabytes in each replicate
MOST_ACTIVE = 1500  # that are not zero at a time: a move takes about 20 microseconds


class Encoded(NamedTuple):
    """Features of the states of one world, as compiled loops take them."""

    basis: tuple[Any, ...]
    n: int  # features
    n_active: int  # how many at most are not zero at a time
    is_binary: bool  # whether they are 0 or 1
    scale: np.ndarray  # (n,) by which a step is divided among them

    def values(self, states: np.ndarray) -> np.ndarray:
        """All features of the states, shape (m, d), as a table, shape (m, n)."""
        index, value = self.active(states)
        table = np.zeros((len(states), self.n))
        np.add.at(table, (np.arange(len(states))[:, None], index), value)
        return table

    def active(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and values of the features that are not always zero, shape (m, n_active)."""
        index = np.empty((len(states), self.n_active), dtype=np.int64)
        value = np.empty(index.shape)
        _kernels.design(self.basis, self.n_active, read_only(states), index, value)
        return index, value

    @property
    def is_tiled(self) -> bool:
        """Whether a feature that is on is a tile."""
        return self.basis[0] == _kernels.TILES

    def tiles(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends of the tiles that hold the states, (m, d), each (m, tilings, d).

        A tile at the edge reaches beyond the range, or to its other end where that wraps.
        """
        n_tilings, n_tiles, lows, spans = self.basis[2:6]
        numbers = np.outer(np.arange(n_tilings), 2 * np.arange(len(lows)) + 1)
        moved = (numbers % n_tilings) / n_tilings
        shares = np.clip((states - lows) / spans, 0.0, 1.0)[:, None, :]
        cells = np.floor(shares * n_tiles + moved)
        low, high = ((cells + side - moved) / n_tiles * spans + lows for side in (0, 1))
        return low, high

    def scores(self, weights: np.ndarray, states: np.ndarray) -> np.ndarray:
        """Weights, shape (A, n), times the features of the states, (m, d): shape (m, A)."""
        index, value = self.active(states)
        return np.stack([(row[index] * value).sum(axis=1) for row in weights], axis=1)


@dataclass(frozen=True, kw_only=True)
class Features(Component):
    """Numbers that say of a state where it lies in the ranges of its coordinates."""

    kind: ClassVar[int]  # in the compiled loops
    is_binary: ClassVar[bool] = False

    def of(self, world: ContinuousWorld) -> Encoded:
        """The features of the states of a world."""
        powers = self.powers(world.d)
        n = self.count(world)
        scale = read_only(np.ascontiguousarray(self.scale(n, powers), dtype=np.float64))
        return Encoded(
            (self.kind, read_only(powers), *self.tiling(), *_ranges(world)),
            n, self.active(world.d), self.is_binary, scale,
        )  # fmt: skip

    def count(self, world: ContinuousWorld) -> int:
        """How many features the states of this world have."""
        return self.active(world.d)

    def active(self, d: int) -> int:
        """How many features of d coordinates are not zero at a time, at most."""
        # It follows from the kind of feature, and rooms are made by it.
        raise NotImplementedError(f"{type(self).__name__} declares no active features")

    def refuses(self, world: ContinuousWorld) -> str | None:
        """Why these features are too many for a world, as a sentence, or None."""
        if (active := self.active(world.d)) > MOST_ACTIVE:
            return (
                f"{self.title()} with these settings has {active:,} features in a world of "
                f"{world.d} coordinates, all of which every move needs; at most {MOST_ACTIVE:,} "
                "are taken. Lower the order or the degree, or use tile coding."
            )
        if (n := self.count(world) * world.n_actions) > MOST_WEIGHTS:
            return (
                f"{self.title()} with these settings needs {n:,} weights in this world; at most "
                f"{MOST_WEIGHTS:,} are kept. Use fewer tiles a side."
            )
        return None

    def powers(self, d: int) -> np.ndarray:
        """What each feature does with each of d coordinates, shape (n, d)."""
        return np.zeros((0, d))

    def tiling(self) -> tuple[int, int]:
        """Tilings, and tiles of a side."""
        return 1, 1

    def scale(self, n: int, powers: np.ndarray) -> np.ndarray:
        """By what share of a step each weight moves, shape (n,)."""
        return np.full(n, 1.0 / n)


def _ranges(world: ContinuousWorld) -> tuple[np.ndarray, ...]:
    spans = world.highs - world.lows
    return tuple(map(read_only, (world.lows, spans, world.wraps)))


@enter(
    Card(
        "tile_coding", "Tile coding", ("features",),
        "Sutton and Barto (2018), Reinforcement Learning, section 9.5.4",
        sources=("cs2:linear_value",), kind="part", synonyms=("CMAC", "tilings"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class TileCoding(Features):
    """Several grids over the state, each moved a little: in each the tile that holds it is on.

    One tile of each tiling is 1, all others 0. States in the same tile learn together; tilings that
    are moved against one another tell states apart more finely than their tiles are wide. An update
    is shared evenly among the tilings. The number of tiles grows with the power of the dimension.
    """

    kind = _kernels.TILES
    is_binary = True

    n_tilings: int = integer(
        8, low=1, high=64, soft=(1, 16), label="Tilings",
        doc="How many grids lie over the state, each moved a little.",
    )  # fmt: skip
    n_tiles: int = integer(
        8, low=1, high=64, soft=(2, 16), label="Tiles a side",
        doc="Into how many tiles a grid cuts the range of each coordinate.",
    )  # fmt: skip

    def count(self, world: ContinuousWorld) -> int:
        """Tiles of all tilings: one more a side than asked for, where it does not wrap."""
        return self.n_tilings * int(np.prod(np.where(world.wraps, 0, 1) + self.n_tiles))

    def active(self, d: int) -> int:
        """One a tiling."""
        return self.n_tilings

    def tiling(self) -> tuple[int, int]:
        """Tilings, and tiles of a side."""
        return self.n_tilings, self.n_tiles

    def scale(self, n: int, powers: np.ndarray) -> np.ndarray:
        """An equal share of a step for the tile of each tiling, shape (n,)."""
        return np.full(n, 1.0 / self.n_tilings)


@enter(
    Card(
        "fourier_basis", "Fourier basis", ("features",),
        "Konidaris, Osentoski and Thomas (2011), Twenty-Fifth AAAI Conference",
        sources=("cs2:linear_value",), kind="part",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class FourierBasis(Features):
    r"""Cosines of all whole frequencies up to the order, and of all their combinations.

    $\phi_c(x) = \cos(\pi\, c \cdot x)$ for every $c \in \{0, ..., order\}^d$, with the coordinates
    scaled from 0 to 1. Smooth and few: what is learned in one place is believed everywhere, which
    is quick, and wrong where values jump. A weight moves by a step over the length of its
    frequency, as the authors advise, and over the number of features.
    """

    kind = _kernels.FOURIER

    order: int = integer(3, low=0, high=20, soft=(1, 7), doc="The highest frequency.")

    def active(self, d: int) -> int:
        """(order + 1) to the power d."""
        return (self.order + 1) ** d

    def powers(self, d: int) -> np.ndarray:
        """The frequencies, shape (n, d)."""
        return _combinations(self.order, d)

    def scale(self, n: int, powers: np.ndarray) -> np.ndarray:
        """1 / (n |c|), shape (n,)."""
        return 1.0 / (n * np.maximum(np.linalg.norm(powers, axis=1), 1.0))


@enter(
    Card(
        "polynomial_features", "Polynomial", ("features",),
        "Sutton and Barto (2018), Reinforcement Learning, section 9.5.1",
        sources=("cs2:linear_value",), kind="part",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PolynomialFeatures(Features):
    """Products of powers of the coordinates, scaled from -1 to 1, up to a total degree.

    With degree 1 a value is a plane over the states, and a policy one straight cut through them:
    enough to balance a pole, and no more than that. High degrees are wild at the ends.
    """

    kind = _kernels.POLYNOMIAL

    degree: int = integer(1, low=0, high=10, soft=(1, 5), doc="Highest sum of the powers.")

    def active(self, d: int) -> int:
        """Monomials of d coordinates up to the degree."""
        return comb(d + self.degree, d)

    def powers(self, d: int) -> np.ndarray:
        """The powers of each monomial, shape (n, d)."""
        every = _combinations(self.degree, d)
        return read_only(every[every.sum(axis=1) <= self.degree])


def _combinations(most: int, d: int) -> np.ndarray:
    """All tuples of d whole numbers from 0 to `most`, shape ((most + 1)^d, d)."""
    return np.array(list(product(range(most + 1), repeat=d)), dtype=np.float64).reshape(-1, d)


def one_hot(mdp: FiniteMDP) -> Encoded:
    """The features of a world of tables: each state has one of its own."""
    one, n = np.ones(1), mdp.n_states
    none = read_only(np.zeros((0, 1)))
    ranges = tuple(map(read_only, (np.zeros(1), one * n, np.zeros(1, dtype=np.bool_))))
    basis = (_kernels.ONE_HOT, none, 1, 1, *ranges)
    return Encoded(basis, n, 1, True, read_only(np.ones(n)))
