"""How forces between the rows of a neighbour embedding are summed: exactly, by cells, on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.distances.metrics import Frame
from mlcore.maths.arrays import read_only
from mlcore.reduction import _kernels
from mlcore.reduction.affinities import Conditionals, conditionals, joint
from mlcore.reduction.on_grid import _kernels as grid_kernels
from mlcore.reduction.on_grid.repulsion import MOST_NODES, Grid
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real
from mlcore.spine.pool import side_by_side

MOST_EXACT = 5_000  # rows of which all pairs are stored: 200 MB
EXACT_BY_ITSELF = 1_000  # up to here all pairs take a second or two
NODES_A_ROW = 12  # of a grid: with more its transforms take longer than cells
MOST_ON_GRID = 2  # coordinates of a map on a grid
ANGLE = 0.5  # width of a cell that counts as one, as a share of its distance
PART = 512  # rows of one piece of work


@dataclass(eq=False)
class Descent:
    """A map on its way, and what carries it on; all arrays have shape (3, n), unused rows 0."""

    Y: np.ndarray
    velocity: np.ndarray
    gains: np.ndarray
    slopes: np.ndarray

    @classmethod
    def begun(cls, start: np.ndarray) -> Descent:
        """From the map `start`, shape (n, q), at rest."""
        Y = np.zeros((3, len(start)))
        Y[: start.shape[1]] = start.T
        return cls(Y, np.zeros_like(Y), np.ones_like(Y), np.empty_like(Y))

    def rest(self) -> None:
        """Lose all speed: what was gained on one objective is no guide on another."""
        self.velocity[:], self.gains[:] = 0.0, 1.0

    def widen(self, least: float) -> None:
        """Give a map that attraction has drawn together at least this standard deviation again.

        Forces near zero are linear, so its form stays as it is; its slopes would be below any
        tolerance.
        """
        spread = float(self.Y.std(axis=1).max())
        if 0 < spread < least:
            self.Y -= self.Y.mean(axis=1)[:, None]
            self.Y *= least / max(spread, np.finfo(float).tiny)


class Pace(NamedTuple):
    """How steps are taken."""

    exaggeration: float  # what shares of pairs are multiplied by
    momentum: float
    rate: float
    least: float  # norm of the gradient that ends the descent


class Forces:
    """What draws rows together and drives them apart, for given shares of neighbours."""

    def descend(self, at: Descent, pace: Pace, most: int) -> tuple[int, float]:
        """Up to `most` steps, in place; returns how many there were and the last gradient's norm.

        Fewer where the norm falls to `pace.least`.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no descent")

    def divergence(self, Y: np.ndarray) -> float:
        """The Kullback-Leibler divergence of the map Y, shape (3, n), in nats."""
        raise NotImplementedError(f"{type(self).__name__} declares no divergence")


class AllPairs(Forces):
    """Every pair counts: of t-SNE, or of its forerunner SNE."""

    def __init__(self, given: Conditionals, is_sne: bool) -> None:
        P = joint(given).toarray()
        n = len(P)
        self.P, self.is_sne = read_only(P), is_sne
        self.room = np.empty((n, n) if is_sne else (0, 0))
        known = given.shares[given.shares > 0] if is_sne else P[P > 0]
        self.constant = float((known * np.log(known)).sum()) / (n if is_sne else 1)

    def descend(self, at: Descent, pace: Pace, most: int) -> tuple[int, float]:
        """By one compiled loop: few rows take no longer than asking for it."""
        return _kernels.descend(
            self.P, at.Y, at.velocity, at.gains, at.slopes, self.room, pace.exaggeration,
            pace.momentum, pace.rate, most, pace.least,
        )  # fmt: skip

    def divergence(self, Y: np.ndarray) -> float:
        """Of all pairs at once; of SNE the mean over the rows."""
        crossed = _kernels.row_cross_entropy if self.is_sne else _kernels.cross_entropy
        return float(self.constant + crossed(self.P, read_only(Y)))

    def gradient(self, Y: np.ndarray) -> np.ndarray:
        """The derivatives of `divergence`, shape (3, n)."""
        at = Descent(Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.empty_like(Y))
        self.descend(at, Pace(exaggeration=1.0, momentum=0.0, rate=0.0, least=-1.0), 1)
        return at.slopes


class Tree(NamedTuple):
    """Cells of a map and the rows in their order, as `_kernels.cells` fills them."""

    starts: np.ndarray  # (c,)
    ends: np.ndarray  # (c,)
    after: np.ndarray  # (c,)
    middles: np.ndarray  # (c, 3)
    sizes: np.ndarray  # (c,)

    @classmethod
    def room(cls, n: int) -> Tree:
        """Room for the cells of n rows."""
        starts, ends, after = np.empty((3, 2 * n), dtype=np.int64)
        return cls(starts, ends, after, np.empty((2 * n, 3)), np.empty(2 * n))


class NearRows(Forces):
    """Near rows attract one by one; how all rows push each other away is simplified."""

    def __init__(self, given: Conditionals) -> None:
        P: Any = joint(given)
        self.edges = read_only(P.indices.astype(np.int32))
        self.ends = read_only(P.indptr.astype(np.int64))
        self.weights = read_only(P.data)
        known = P.data[P.data > 0]
        self.constant = float((known * np.log(known)).sum())
        self.pushes, self.pulls = np.empty((2, 3, P.shape[0]))

    def descend(self, at: Descent, pace: Pace, most: int) -> tuple[int, float]:
        """Step by step."""
        norm = np.inf
        for k in range(most):
            at.slopes[:] = self.gradient(at.Y, pace.exaggeration)
            norm = float(np.sqrt((at.slopes**2).sum()))
            _kernels.moved(at.Y, at.slopes, at.velocity, at.gains, pace.momentum, pace.rate)
            if norm <= pace.least:
                return k + 1, norm
        return most, norm

    def gradient(self, Y: np.ndarray, exaggeration: float = 1.0) -> np.ndarray:
        """The derivatives of `divergence`, shape (3, n), up to what is simplified."""
        order, total = self._summed(Y, pulls=True)
        slopes = exaggeration * self.pulls
        slopes[:, order] -= self.pushes / total
        return 4.0 * slopes

    def divergence(self, Y: np.ndarray) -> float:
        """Over the neighbours, with the sum over all pairs up to what is simplified."""
        total = self._summed(Y, pulls=False)[1]
        near = _kernels.edge_cross_entropy(self.edges, self.ends, self.weights, read_only(Y))
        return float(self.constant + near + np.log(total))

    def _summed(self, Y: np.ndarray, pulls: bool) -> tuple[Any, float]:
        """Fills the forces; returns which rows the pushes are of, and the sum over all pairs."""
        raise NotImplementedError(f"{type(self).__name__} declares no sum")

    def _pulled(self, fixed: np.ndarray, start: int, end: int) -> None:
        """Fills the attraction of some rows."""
        _kernels.attraction(self.edges, self.ends, self.weights, fixed, start, end, self.pulls)


class FarCells(NearRows):
    """Of far rows that push away, a cell counts as one."""

    def __init__(self, given: Conditionals, angle: float) -> None:
        super().__init__(given)
        n = self.pushes.shape[1]
        self.tree, self.codes, self.angle = Tree.room(n), np.empty(n, dtype=np.int64), angle
        self.totals = np.empty(n)

    def _summed(self, Y: np.ndarray, pulls: bool) -> tuple[Any, float]:
        """By a tree of cells, in whose order the pushes are.

        Each row sums its own, so that the pieces do not change a bit.
        """
        fixed, n = read_only(Y), Y.shape[1]
        _kernels.morton(fixed, self.codes)
        order = np.argsort(self.codes, kind="stable")
        ordered = read_only(Y[:, order])
        count = _kernels.cells(ordered, read_only(self.codes[order]), *self.tree)
        tree = (ordered, *(read_only(each) for each in self.tree), count, self.angle)

        def work(start: int) -> None:
            end = min(start + PART, n)
            pieces: Any = (*tree, start, end, self.pushes, self.totals)
            _kernels.repulsion(*pieces)
            if pulls:
                self._pulled(fixed, start, end)

        list(side_by_side(work, range(0, n, PART)))
        return order, float(self.totals.sum())


class OnGrid(FarCells):
    """All rows push by way of a grid; of maps of one or two coordinates.

    A map that is too wide for a grid of `most` nodes is summed by cells: after a step that was too
    long, or where few rows spread so far that cells are quicker.
    """

    def __init__(self, given: Conditionals, most: float = MOST_NODES) -> None:
        super().__init__(given, ANGLE)
        self.grid, self.most = Grid(), min(most, MOST_NODES)

    def _summed(self, Y: np.ndarray, pulls: bool) -> tuple[Any, float]:
        """By a convolution of the grid."""
        if not self.grid.covers(Y, self.most):
            return super()._summed(Y, pulls)
        fixed, n = read_only(Y), Y.shape[1]
        field = self.grid.field(fixed)

        def work(start: int) -> None:
            end = min(start + PART, n)
            there: Any = (*map(read_only, (field.across, field.up)), start, end, self.pushes)
            grid_kernels.gather(fixed, read_only(field.low), field.step, *there)
            self._pulled(fixed, start, end)

        if pulls:
            list(side_by_side(work, range(0, n, PART)))
        return slice(None), field.total


@dataclass(frozen=True, kw_only=True)
class Summation(Component):
    """A way to sum the forces."""

    def most_rows(self) -> int | None:
        """The number of rows that it can take, None for any."""
        return None

    def most_coordinates(self) -> int:
        """Of a map that it can sum."""
        return 3

    def is_exact(self, n: int) -> bool:
        """Whether every pair of n rows counts."""
        raise NotImplementedError(f"{type(self).__name__} does not say whether it is exact")

    def seconds(self, n: int) -> float:
        """Of an iteration of n rows, about."""
        return 2e-5 + 2.1e-9 * n**2 if self.is_exact(n) else self._seconds_of_many(n)

    def _seconds_of_many(self, n: int) -> float:
        return 1e-7 * n * np.log2(n + 1)

    def forces(
        self, X: np.ndarray, frame: Frame, perplexity: float, q: int, is_sne: bool
    ) -> tuple[Forces, np.ndarray]:
        """The forces between rows X, shape (n, p), and the widths of their neighbourhoods, (n,).

        By the distance of the frame, in a map of q coordinates.
        """
        n = len(X)
        if is_sne or self.is_exact(n):
            given = conditionals(X, perplexity, n - 1, frame)
            return AllPairs(given, is_sne), given.widths
        given = conditionals(X, perplexity, min(int(3 * perplexity), n - 1), frame)
        return self._of_many(given, q), given.widths

    def _of_many(self, given: Conditionals, q: int) -> Forces:
        return FarCells(given, ANGLE)


@enter(Card("auto", "Exact for few rows", ("tsne_forces",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Auto(Summation):
    """Every pair of up to 1,000 rows; of more on a grid or by cells, whichever is quicker.

    A grid is while the map is small, and for many rows. In three coordinates there are cells alone.
    """

    def is_exact(self, n: int) -> bool:
        """Up to as many rows as all pairs are quicker for."""
        return n <= EXACT_BY_ITSELF

    def _seconds_of_many(self, n: int) -> float:
        return 0.7 * super()._seconds_of_many(n)  # while the map is small a grid takes little

    def _of_many(self, given: Conditionals, q: int) -> Forces:
        if q > MOST_ON_GRID:
            return super()._of_many(given, q)
        return OnGrid(given, NODES_A_ROW * len(given.rows))


@enter(
    Card(
        "exact",
        "Exact",
        ("tsne_forces",),
        paper="van der Maaten and Hinton (2008), JMLR 9",
        sources=("cs1:tsne",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Exact(Summation):
    """Every pair of rows counts: n^2 an iteration, for at most 5,000 rows."""

    def most_rows(self) -> int | None:
        """As many as all pairs fit in memory for."""
        return MOST_EXACT

    def is_exact(self, n: int) -> bool:
        """Always."""
        return True


@enter(
    Card(
        "barnes_hut",
        "Barnes-Hut",
        ("tsne_forces",),
        paper="van der Maaten (2014), JMLR 15",
        sources=("cs1:tsne_bh",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class BarnesHut(Summation):
    """Rows attract their nearest neighbours alone, and far rows push as one: n log n."""

    angle: float = real(
        0.5,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\theta",
        doc="Width of a cell, as a share of its distance, below which its rows push as one; 0 is "
        "exact.",
    )

    def is_exact(self, n: int) -> bool:
        """Never."""
        return False

    def _of_many(self, given: Conditionals, q: int) -> Forces:
        return FarCells(given, self.angle)


@enter(
    Card(
        "fft",
        "On a grid (FIt-SNE)",
        ("tsne_forces",),
        paper="Linderman, Rachh, Hoskins, Steinerberger and Kluger (2019), Nature Methods 16",
        kind="part",
        synonyms=("FIt-SNE", "fast Fourier transform", "interpolation", "FFT"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Interpolated(Summation):
    """Rows push by way of a regular grid, convolved by FFT: the time grows as the rows do."""

    def most_coordinates(self) -> int:
        """Grids of three dimensions have too many nodes."""
        return MOST_ON_GRID

    def is_exact(self, n: int) -> bool:
        """Never."""
        return False

    def _seconds_of_many(self, n: int) -> float:
        return 3e-3 + 8e-7 * n  # maps of more rows are wider, and fill more of their grid

    def _of_many(self, given: Conditionals, q: int) -> Forces:
        return OnGrid(given)
