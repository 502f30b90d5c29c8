"""t-SNE: a map in which near rows stay neighbours, whatever becomes of large distances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.distances.metrics import STRAIGHT, Distance, Frame
from mlcore.maths.arrays import vanishing
from mlcore.reduction.affinities import within_reach
from mlcore.reduction.fuzzy import start
from mlcore.reduction.fuzzy.sets import fuzzy_graph
from mlcore.reduction.tsne_forces import MOST_EXACT, Descent, Forces, Pace, Summation
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop, last
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.wording import count

SMALL = 1e-4  # standard deviation of a start: near rows have not been parted by it
MIN_NEIGHBOURS = 3  # of a graph of neighbours, the row among them
SNE_PAIR = 7e-9  # seconds of an iteration for a pair of rows
# Of the learning rates that are found by themselves; forces of SNE grow with the distance, so that
# it has none: a step longer than n / 4 overshoots.
SLOWEST = 50.0
LARGEST = 1e9  # coordinate of a map that is still believed; no neighbours are so far apart


@dataclass(frozen=True, eq=False)
class TSNEState:
    """The map after an iteration."""

    embedding: np.ndarray  # (n, q)
    widths: np.ndarray  # (n,) of the neighbourhoods, the same at every step


@dataclass(frozen=True, eq=False, kw_only=True)
class TSNEFit(Fit):
    """A map of the training rows alone: later rows have no place in it."""

    embedding: np.ndarray  # (n, q)
    divergence: float  # Kullback-Leibler, in nats, of the neighbourhoods in the map
    widths: np.ndarray  # (n,) standard deviations of the neighbourhoods, in units of the distance
    perplexity: float  # that was used
    frame: Frame = STRAIGHT  # the space of the distance, learned from the rows
    notes: tuple[str, ...] = ()  # sentences about what was decided while fitting

    def holds_together(self) -> bool:
        """Whether each row has a place and a width, and a distance to the others."""
        is_placed = self.embedding.ndim == 2 and self.widths.shape == self.embedding.shape[:1]
        return is_placed and self.frame.is_of(self.n_columns)


def _cost(n: int, p: int, method: TSNE) -> tuple[float, float]:
    exact = method.is_sne() or method.forces.is_exact(n)
    iteration = SNE_PAIR * n**2 if method.is_sne() else method.forces.seconds(n)
    near = 1e-10 * n**2 * (p + 10.0)
    memory = 40.0 * n**2 if exact else 100.0 * n * method.perplexity + 200.0 * n
    return 5e-3 + method.max_iter * iteration + near, memory + 8.0 * 3 * n * p


@enter(
    Card(
        "tsne",
        "t-SNE",
        ("reduction",),
        paper="van der Maaten and Hinton (2008), JMLR 9",
        sources=("cs1:sne", "cs1:tsne", "cs1:tsne_bh", "mi2:embed_tsne"),
        scores=("map_neighbours", "stress"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"\min_Y \sum_{i \neq j} p_{ij} \log \frac{p_{ij}}{q_{ij}}, \quad "
        r"q_{ij} \propto \frac{1}{1 + \|y_i - y_j\|^2}",
        synonyms=(
            "t-distributed stochastic neighbor embedding", "stochastic neighbour embedding", "SNE",
            "manifold learning", "Barnes-Hut", "FIt-SNE",
        ),
        line="neighbours stay neighbours in the plane",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class TSNE(IterativeMethod):
    r"""Places rows so that those near each other become neighbours in a picture.

    A neighbour of row i has the share $p_{j|i} \propto e^{-\|x_i - x_j\|^2 / 2\sigma_i^2}$, the
    width $\sigma_i$ such that each row has about as many neighbours as the perplexity says. In the
    map the shares are $q_{ij} \propto (1 + \|y_i - y_j\|^2)^{-1}$, whose long tails leave room
    between groups; gradient descent minimises the Kullback-Leibler divergence of both.

    Use it to look for groups in many columns. O(n^2) an iteration for few rows, O(n log n) for
    many. Fails as a ruler: sizes of groups and distances between them mean nothing, noise falls
    into groups at a small perplexity, other seeds give other maps, and later rows have no place.
    """

    n_components: int = integer(
        2, low=1, high=3, soft=(1, 3), symbol="q", label="Number of coordinates", doc="Of the map."
    )
    perplexity: float = real(
        30.0,
        above=1.0,
        soft=(2.0, 100.0),
        log=True,
        doc="About how many neighbours a row has, at most a third of the rows.",
    )
    variant: str = choice(
        "tsne",
        "tsne",
        "sne",
        doc="Long tails in the map, or its forerunner with normal ones, which crowds groups.",
    )
    metric: Distance = part(
        "euclidean",
        slot="metric",
        label="Distance",
        doc="How far apart two rows are; a table of distances may be mapped as it is.",
    )
    forces: Summation = part(
        "auto", slot="tsne_forces", doc="How the forces of far rows are summed."
    )
    init: str = choice(
        "pca",
        "pca",
        "random",
        "spectral",
        "columns",
        label="Start",
        doc="Principal axes, places drawn, smoothest functions on the graph of neighbours, or the "
        "places that the first columns hold.",
    )
    max_iter: int = integer(
        1000,
        low=1,
        soft=(250, 5000),
        log=True,
        label="Most iterations",
        doc="Steps of the descent.",
    )
    learning_rate: float | str = real(
        "auto",
        above=0.0,
        high=1e4,
        soft=(10.0, 1000.0),
        log=True,
        auto="auto",
        symbol=r"\eta",
        doc="Length of a step for a gradient of one; by itself larger for more rows, and once "
        "attraction is no longer exaggerated.",
        advanced=True,
    )
    exaggeration: float = real(
        12.0,
        low=1.0,
        high=100.0,
        soft=(1.0, 30.0),
        label="Early exaggeration",
        doc="What attraction is multiplied by at the beginning, so that groups form.",
        advanced=True,
    )
    exaggeration_iter: int = integer(
        250,
        low=0,
        soft=(0, 500),
        label="Iterations of it",
        doc="How long attraction is exaggerated.",
        advanced=True,
    )
    first_momentum: float = real(
        0.5,
        low=0.0,
        below=1.0,
        soft=(0.0, 0.95),
        label="Momentum at first",
        doc="Share of a step that goes on in the next, while attraction is exaggerated.",
        advanced=True,
    )
    momentum: float = real(
        0.8,
        low=0.0,
        below=1.0,
        soft=(0.0, 0.95),
        doc="Share of a step that goes on in the next, afterwards.",
        advanced=True,
    )
    tol: float = real(
        1e-7,
        low=0.0,
        soft=(1e-9, 1e-3),
        log=True,
        label="Tolerance",
        doc="Stop when the norm of the gradient is no larger.",
        advanced=True,
    )

    def is_sne(self) -> bool:
        """Whether shares in the map are normal ones."""
        return self.variant == "sne"

    def conflict(self) -> str | None:
        """SNE has no cells of far rows, and maps of three coordinates no grid."""
        if self.is_sne() and self.forces.card.name in ("barnes_hut", "fft"):
            return "SNE is summed exactly: cells know no normal shares. Choose exact forces."
        if self.n_components > (most := self.forces.most_coordinates()):
            return (
                f"Forces on a grid are of maps of at most {most} coordinates; {self.n_components} "
                "are asked for. Choose forces by Barnes and Hut, or fewer coordinates."
            )
        return None

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse equal rows, and more rows than all pairs fit in memory for."""
        most = MOST_EXACT if self.is_sne() else self.forces.most_rows()
        if most and len(X) > most:
            return (
                f"All pairs are stored of at most {most:,} rows; there are {len(X):,}. Draw some "
                "of them, or choose t-SNE with forces by Barnes and Hut."
            )
        if not np.ptp(X, axis=0).any():
            return f"{self.title()} needs rows that differ; here all are equal."
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, stride=1)

    def _end(self, given: Given) -> Step:
        """Many iterations at once, and the divergence of the last map alone."""
        return last(self._played(given, stride=self.max_iter))

    def _played(self, given: Given, stride: int) -> Iterator[Step]:
        """The start, then a step every `stride` iterations, at the change of pace and the end."""
        forces, widths = self.forces.forces(
            given.X, self._frame(given), self._perplexity(given.n), self.n_components, self.is_sne()
        )
        at, k = Descent.begun(self._start(given)), 0
        stop = None
        if stride == 1:
            yield self._step(0, forces, at, widths, None, "The start")
        while stop is None:
            if k == self.exaggeration_iter:
                at.rest()
                at.widen(SMALL if k > 0 else 0.0)
            pace = self._pace(k, given.n)
            until = self.exaggeration_iter if k < self.exaggeration_iter else self.max_iter
            done, norm = forces.descend(at, pace, min(stride, until - k, self.max_iter - k))
            k += done
            if not (np.isfinite(norm) and np.abs(at.Y).max() < LARGEST):
                raise self._diverged(pace.rate)
            stop = self._verdict(k, norm)
            if stop or stride == 1:
                kind = "with exaggerated attraction" if pace.exaggeration > 1.0 else "as it is"
                note = f"A step {kind}, norm of the gradient {norm:.3g}"
                yield self._step(k, forces, at, widths, stop, note)

    def _step(
        self, k: int, forces: Forces, at: Descent, widths: np.ndarray, stop: Stop | None, note: str
    ) -> Step:
        divergence = forces.divergence(at.Y)
        state = TSNEState(np.ascontiguousarray(at.Y[: self.n_components].T), widths)
        text = f"{note}; divergence {divergence:.4g}."
        return Step(k, divergence, state, stop, text, is_start=k == 0)

    def _pace(self, k: int, n: int) -> Pace:
        is_first = k < self.exaggeration_iter
        exaggeration = self.exaggeration if is_first else 1.0
        rate = self.learning_rate
        if isinstance(rate, str):
            rate = max(n / (4.0 * exaggeration), 0.0 if self.is_sne() else SLOWEST)
        if is_first:
            return Pace(exaggeration, self.first_momentum, rate, -1.0)
        return Pace(exaggeration, self.momentum, rate, self.tol)

    def _verdict(self, k: int, norm: float) -> Stop | None:
        if k > self.exaggeration_iter and norm <= self.tol:
            why = f"Converged: the norm of the gradient is {norm:.3g}, not above {self.tol:.3g}."
            return Stop("converged", why)
        if k >= self.max_iter:
            why = (
                f"Stopped after {count(k, 'iteration')}, as asked: the norm of the gradient is "
                f"still {norm:.3g}."
            )
            return Stop("limit", why)
        return None

    def _diverged(self, rate: float) -> DataError:
        return DataError(
            f"{self.title()} diverged: with steps of {rate:.3g} times the gradient the map grew "
            "beyond all bounds. Lower the learning rate, or leave it to be found by itself."
        )

    def _start(self, given: Given) -> np.ndarray:
        """Places of small spread, shape (n, q); axes that the rows lack are drawn."""
        begun = SMALL * given.rng("start").normal(size=(given.n, self.n_components))
        if self.init != "random":
            Y = self._begun(given)
            own = begun[:, : Y.shape[1]]
            # Rows at one place part.
            own *= 0.0 if self.init == "pca" else start.NOISE
            own += SMALL * Y / max(axis.std() for axis in Y.T)
        return begun

    def _begun(self, given: Given) -> np.ndarray:
        """The start in units of its own, shape (n, q) or fewer columns."""
        if self.init == "columns":
            return start.first_columns(given.X, self.n_components, self.title())
        if self.init == "spectral" and start.parts(graph := self._graph(given)) == 1:
            return start.spectral(graph, self.n_components)
        return start.principal(given.X, self.n_components)

    def _graph(self, given: Given) -> Any:
        """Of as many neighbours as a row is to have, sparse, (n, n)."""
        k = max(round(self._perplexity(given.n)), MIN_NEIGHBOURS)
        frame = self._frame(given)
        return fuzzy_graph(frame.placed(given.X), min(k, given.n), frame.power)

    def _frame(self, given: Given) -> Frame:
        return self.metric.frame(given.X, None)

    def _perplexity(self, n: int) -> float:
        return within_reach(self.perplexity, n)

    def _finished(self, given: Given, end: Step) -> TSNEFit:
        used = self._perplexity(given.n)
        frame = self._frame(given)
        notes = tuple(filter(None, (frame.note,)))
        if self.init == "spectral" and (parts := start.parts(self._graph(given))) > 1:
            falls = f"The graph of neighbours falls into {parts} parts"
            notes += (f"{falls}: the map began at principal axes.",)
        if used < self.perplexity:
            needed = int(np.ceil(3 * self.perplexity)) + 1
            notes += (
                f"Perplexity {self.perplexity:g} needs at least {needed} rows; using {used:.3g}.",
            )
        return TSNEFit(
            made_by=self, columns=given.columns, n_iter=end.k, stop=end.stop,
            embedding=end.state.embedding.copy(), divergence=end.objective,
            widths=end.state.widths.copy(), perplexity=used, frame=frame, notes=notes,
        )  # fmt: skip
