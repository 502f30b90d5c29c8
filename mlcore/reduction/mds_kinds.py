"""What multidimensional scaling preserves: inner products, distances, or small distances most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import pdist, squareform

from mlcore.maths.arrays import read_only
from mlcore.maths.linear import eigen_falling, signed
from mlcore.reduction import _kernels
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.iterate import Stop
from mlcore.spine.params import choice, integer, real
from mlcore.spine.wording import count

HEAVIEST = 1e10  # weight of a pair, of one at the mean distance: more would drown the others
HALVINGS = 10  # of a step that would raise Sammon's stress


class MapStep(NamedTuple):
    """The map after an iteration."""

    Y: np.ndarray  # (n, q)
    stress: float
    note: str
    stop: Stop | None = None


class Spectrum(NamedTuple):
    """Eigenvalues and eigenvectors of the doubly centred squared distances."""

    values: np.ndarray  # (n,) falling; negative where no space has such distances
    vectors: np.ndarray  # (n, n) in columns
    norms: np.ndarray  # (n,) squared distance of each row from the mean

    def coordinates(self, q: int) -> np.ndarray:
        """The rows along the first q vectors, shape (n, q), without those of no variance."""
        kept = self.values[:q] > self.values[0] * len(self.values) * np.finfo(float).eps
        Y = self.vectors[:, :q][:, kept] * np.sqrt(self.values[:q][kept])
        return signed(Y.T).T


def spectrum(D: np.ndarray) -> Spectrum:
    """Eigenvalues of B = -1/2 H D^2 H, H the centring, for distances D, shape (n, n)."""
    squares = D**2
    means = squares.mean(axis=0)
    B = -0.5 * (squares - means - means[:, None] + means.mean())
    return Spectrum(*eigen_falling(B), np.diagonal(B).copy())


@dataclass(frozen=True, kw_only=True)
class Kind(Component):
    """A way to make a map of distances."""

    places_new = False  # whether later rows have a place in it
    seconds_a_pair = 4e-9  # that an iteration takes

    @property
    def merges(self) -> bool:
        """Whether rows that coincide are one, as a weight of their distance would be infinite."""
        return False

    def runs(self) -> int:
        """Number of runs from different starts."""
        return 1

    def most_iterations(self) -> int:
        """Number of iterations after which a run ends."""
        return 1

    def iterations(self, D: np.ndarray, q: int, rng: np.random.Generator) -> Iterator[MapStep]:
        """The map of distances D, shape (n, n), in q coordinates after each iteration; n > 1."""
        # What a kind makes small, and how, is all that tells it from others.
        raise NotImplementedError(f"{type(self).__name__} declares no iterations")


def raw_stress(D: np.ndarray, Y: np.ndarray) -> float:
    """Sum over pairs of (D_ij - |y_i - y_j|)^2, for D, shape (n, n), and a map Y, shape (n, q)."""
    return float(_kernels.guttman(read_only(D), read_only(Y), np.empty(Y.shape)))


@enter(
    Card(
        "classical",
        "Classical",
        ("mds_kind",),
        paper="Torgerson (1952), Psychometrika 17(4)",
        sources=("prac:mds_classical", "cs1:mds_classical"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Classical(Kind):
    """Keeps inner products, in closed form; of straight distances it is PCA.

    Large distances count most. Later rows are placed by Gower's formula.
    """

    places_new = True

    def iterations(self, D: np.ndarray, q: int, rng: np.random.Generator) -> Iterator[MapStep]:
        """A single iteration."""
        Y = spectrum(D).coordinates(q)
        stop = Stop("converged", "Solved in closed form.")
        yield MapStep(Y, raw_stress(D, Y), "Coordinates along the first eigenvectors", stop)


@dataclass(frozen=True, kw_only=True)
class Descent(Kind):
    """The settings of the kinds that lower their stress iteration by iteration."""

    max_iter: int = integer(
        300,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Most iterations",
        doc="Iterations of a run.",
        advanced=True,
    )
    tol: float = real(
        1e-8,
        low=0.0,
        soft=(1e-12, 1e-3),
        log=True,
        label="Tolerance",
        doc="Stop when the stress falls by no more than this share of it.",
        advanced=True,
    )

    def most_iterations(self) -> int:
        """The setting max_iter."""
        return self.max_iter

    def _descent(
        self, maps: Iterator[tuple[np.ndarray, float]], notes: tuple[str, str]
    ) -> Iterator[MapStep]:
        """Maps with their stress, as steps to the last; the first note is that of the start."""
        Y, before = next(maps)
        yield MapStep(Y, before, notes[0])
        for iteration, (Y, stress) in enumerate(maps, start=1):
            stop = self.verdict(iteration, before, stress)
            yield MapStep(Y, stress, notes[1], stop)
            if stop:
                return
            before = stress

    def verdict(self, iteration: int, before: float, now: float) -> Stop | None:
        """The reason why iteration `iteration`, from 1, is the last, or None."""
        fall = (before - now) / before if before > 0 else 0.0
        if fall <= self.tol:
            why = f"Converged: the stress fell by {fall:.3g} of itself, not more than {self.tol:g}."
            return Stop("converged", why)
        if iteration >= self.max_iter:
            why = (
                f"Not converged after {count(iteration, 'iteration')}: the stress still fell by "
                f"{fall:.3g} of itself."
            )
            return Stop("limit", why)
        return None


def filled_up(Y: np.ndarray, q: int) -> np.ndarray:
    """Y with columns of zeros added up to shape (n, q)."""
    return np.ascontiguousarray(np.pad(Y, ((0, 0), (0, q - Y.shape[1]))))


@dataclass(frozen=True, kw_only=True)
class Transformed(Descent):
    """The settings of the kinds that move rows by Guttman transforms."""

    init: str = choice(
        "classical",
        "classical",
        "random",
        label="Start",
        doc="The classical map, or random places.",
    )
    n_init: int = integer(
        4,
        low=1,
        high=100,
        soft=(1, 20),
        label="Restarts",
        doc="Runs from different random places, of which the best is kept.",
        advanced=True,
        only_if={"init": "random"},
    )

    def runs(self) -> int:
        """More than one only from random places."""
        return self.n_init if self.init == "random" else 1

    def start(self, D: np.ndarray, q: int, rng: np.random.Generator) -> np.ndarray:
        """The first places for distances D, shape (n, n): shape (n, q)."""
        if self.init == "random":
            return rng.normal(size=(len(D), q)) * np.sqrt((D**2).mean() / (2 * q))
        return filled_up(spectrum(D).coordinates(q), q)


@enter(
    Card(
        "metric",
        "Metric (SMACOF)",
        ("mds_kind",),
        paper="de Leeuw (1977), Recent Developments in Statistics",
        sources=("cs1:mds_metric",),
        random=True,
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Metric(Transformed):
    r"""Keeps distances: minimises the sum of their squared differences, by Guttman transforms.

    An iteration moves each row to the mean of where its distances want it, and never raises the
    stress. The difference of a pair may weigh $w_{ij} \propto \delta_{ij}^r$, 1 on average: -1
    gives the maps of Sammon, -2 elastic scaling (McGee 1966), where relative differences count.
    For a negative power rows that coincide share one place, and no pair weighs over 10^10 times
    one at the mean distance.
    """

    weight_power: float = real(
        0.0,
        low=-3.0,
        high=3.0,
        soft=(-2.0, 2.0),
        symbol="r",
        label="Weights of pairs",
        doc="Power of its distance that a pair weighs: 0 all alike, below near pairs most, above "
        "far ones.",
        advanced=True,
    )

    @property
    def merges(self) -> bool:
        """For a negative power."""
        return self.weight_power < 0.0

    def iterations(self, D: np.ndarray, q: int, rng: np.random.Generator) -> Iterator[MapStep]:
        """The start, then a Guttman transform an iteration."""
        notes = "The rows stand at their start", "Each row moved where its distances want it"
        return self._descent(self._maps(D, q, rng), notes)

    def _maps(
        self, D: np.ndarray, q: int, rng: np.random.Generator
    ) -> Iterator[tuple[np.ndarray, float]]:
        if self.weight_power == 0.0:
            return self._transformed(read_only(D), self.start(D, q, rng))
        first, which = merged(D) if self.merges else (np.arange(len(D)),) * 2
        D = D[np.ix_(first, first)]
        return (
            (Y[which], stress)
            for Y, stress in self._weighed(D, self.weights(D), self.start(D, q, rng))
        )

    def weights(self, D: np.ndarray) -> np.ndarray:
        """Of the pairs of rows at distances D, shape (n, n): 1 on average, and 0 of a row alone."""
        W = np.zeros_like(D)
        pairs = ~np.eye(len(D), dtype=bool)
        # In units of the mean distance: no power of it is too large or too small for a number.
        W[pairs] = D[pairs] / D[pairs].mean()
        if self.weight_power < 0.0:
            W = np.maximum(W, HEAVIEST ** (1.0 / self.weight_power))
        W[pairs] **= self.weight_power
        np.fill_diagonal(W, 0.0)
        return W / W[pairs].mean()

    def _transformed(self, D: np.ndarray, Y: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        while True:
            moved = np.empty(Y.shape)  # those of the steps before are somebody's
            yield Y, _kernels.guttman(D, read_only(Y), moved)
            Y = moved

    def _weighed(
        self, D: np.ndarray, W: np.ndarray, Y: np.ndarray
    ) -> Iterator[tuple[np.ndarray, float]]:
        """Y becomes V+ B(Y) Y, with V the Laplacian of the weights W, (n, n)."""
        n, wanted, moved = len(D), read_only(W * D), np.empty(Y.shape)
        # The constant vector, of which V makes 0, gets a value of its own; B(Y) Y has mean 0.
        V = cho_factor(np.diag(W.sum(axis=1)) - W + 1.0, lower=True, overwrite_a=True)
        weights, aims = squareform(W, checks=False), squareform(D, checks=False)
        while True:
            yield Y, float(weights @ (pdist(Y) - aims) ** 2)
            _kernels.guttman(wanted, read_only(Y), moved)  # B(Y) Y / n
            Y = cho_solve(V, n * moved)


@enter(
    Card(
        "sammon",
        "Sammon",
        ("mds_kind",),
        paper="Sammon (1969), IEEE Transactions on Computers 18(5)",
        sources=("cs1:sammon", "mi2:embed_sammon"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Sammon(Descent):
    """Keeps small distances above all: each squared difference is divided by its distance.

    An iteration is a Newton step along each coordinate by itself, halved until the stress does not
    rise. Rows that coincide share one place.
    """

    step_size: float = real(
        0.35,
        above=0.0,
        high=1.0,
        soft=(0.3, 0.4),
        symbol="µ",
        doc="Share of a Newton step that is taken.",
        advanced=True,
    )

    @property
    def merges(self) -> bool:
        """True: each difference is divided by its distance."""
        return True

    def iterations(self, D: np.ndarray, q: int, rng: np.random.Generator) -> Iterator[MapStep]:
        """The classical map, then a safeguarded step an iteration."""
        first, which = merged(D)
        D = read_only(D[np.ix_(first, first)])
        Y = filled_up(spectrum(D).coordinates(q), q)
        notes = (
            "The rows stand at their classical places",
            "Each coordinate took a part of a Newton step",
        )
        return self._descent(((Y[which], stress) for Y, stress in self._newton(D, Y)), notes)

    def _newton(self, D: np.ndarray, Y: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        slopes, curvatures = np.empty(Y.shape), np.empty(Y.shape)
        stress = _kernels.sammon(D, read_only(Y), slopes, curvatures)
        while True:
            yield Y, stress
            Y, stress = self._stepped(D, Y, slopes, curvatures, stress)

    def _stepped(
        self, D: np.ndarray, Y: np.ndarray, slopes: np.ndarray, curvatures: np.ndarray, now: float
    ) -> tuple[np.ndarray, float]:
        """The map after a step that does not raise the stress; unchanged where there is none.

        Slopes and curvatures are those at Y and become those at the new map.
        """
        flat = np.abs(curvatures) <= np.finfo(float).tiny
        step = np.where(flat, 0.0, slopes / np.where(flat, 1.0, np.abs(curvatures)))
        for halving in range(HALVINGS + 1):
            moved = Y - self.step_size * 0.5**halving * step
            stress = _kernels.sammon(D, read_only(moved), slopes, curvatures)
            if stress <= now:
                return moved, stress
        return Y, now


def merged(D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of rows at distance 0 of each other, (m,), and which of these each row is, (n,).

    For distances D, shape (n, n).
    """
    owner = (D == 0.0).argmax(axis=1)
    return np.unique(owner, return_inverse=True)
