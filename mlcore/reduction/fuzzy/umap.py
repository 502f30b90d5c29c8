"""UMAP: a map whose fuzzy graph of neighbours is like that of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.sparse import triu

from mlcore.distances.metrics import STRAIGHT, Distance, Frame
from mlcore.distances.neighbours import Neighbours, all_used
from mlcore.maths.arrays import read_only, vanishing
from mlcore.reduction.fuzzy import _kernels, start
from mlcore.reduction.fuzzy.sets import Edges, edges_of, fuzzy_graph, to_new_rows
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, Stop, last
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.wording import count

MANY = 10_000  # rows of more than which fewer epochs are taken
PLACES = 300  # at which the shape of memberships in the map is compared with the wanted one
REACH = 3.0  # up to which distance
FAR = 5  # rows by which the loss measures how far all others are
GENTLER = 4.0  # how much shorter the steps of later rows are
SHORTER = 3  # and how many times fewer
DRAWN = 0x2545F491  # where the draws of every later row begin: its place depends on no other


class Shape(NamedTuple):
    """Memberships in the map, 1 / (1 + a d^(2b)) of distance d."""

    a: float
    b: float


@dataclass(frozen=True, eq=False)
class UMAPState:
    """The map after an epoch."""

    embedding: np.ndarray  # (n, q)
    parts: int  # into which the graph of neighbours falls, the same at every step


@dataclass(frozen=True, eq=False, kw_only=True)
class UMAPFit(Fit):
    """Places of the rows, among which other rows find theirs."""

    rows: np.ndarray  # (n, p) the training rows
    frame: Frame = STRAIGHT  # the space of the distance between them
    coordinates: np.ndarray  # (n, q)
    loss: float  # fuzzy cross-entropy a row, as the draws weigh it
    a: float  # of memberships in the map, 1 / (1 + a d^(2b))
    b: float
    epochs: int  # of the descent
    out_columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there is a place for each row, and the frame is of these columns."""
        is_placed = self.coordinates.shape == (len(self.rows), len(self.out_columns))
        is_of_columns = self.rows.shape == (len(self.rows), self.n_columns)
        return is_placed and is_of_columns and self.frame.is_of(self.n_columns)

    @property
    def graph(self) -> Any:
        """The fuzzy graph of the training rows, sparse, (n, n): how surely two belong together."""
        method = cast(Any, self.made_by)
        return graph_of(self.frame, self.rows, method.n_neighbors)

    @property
    def edges(self) -> np.ndarray:
        """The two training rows that each edge of the graph joins, shape (e, 2)."""
        return np.column_stack(triu(self.graph).tocoo().coords)

    @property
    def strengths(self) -> np.ndarray:
        """How surely these belong together, shape (e,), in (0, 1]."""
        return triu(self.graph).tocoo().data

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of rows, shape (m, q): a fitted row keeps its place.

        Another one begins at the mean of its nearest, by membership, and is moved among the fitted
        ones, which stay. Where it comes to lie does not depend on the rows beside it.
        """
        X, method = self._rows(X), cast(Any, self.made_by)
        search = Neighbours(self.frame.placed(self.rows), self.frame.power)
        near = search.nearest(self.frame.placed(X), min(method.n_neighbors, len(self.rows)))
        weights = to_new_rows(near)
        Z = np.einsum("mk,mkq->mq", weights, self.coordinates[near.rows])
        Z /= weights.sum(axis=1, keepdims=True)
        waits = weights.max(axis=1, keepdims=True) / np.maximum(weights, 1e-12)
        _kernels.placed(
            read_only(near.rows), read_only(waits), read_only(self.coordinates), Z,
            max(self.epochs // SHORTER, 1), self.a, self.b, method.learning_rate / GENTLER,
            method.negative_samples, DRAWN,
        )  # fmt: skip
        known = near.distances[:, 0] == 0.0
        return np.where(known[:, None], self.coordinates[near.rows[:, 0]], Z)


def graph_of(frame: Frame, X: np.ndarray, k: int) -> Any:
    """The fuzzy graph of rows X, shape (n, p), by the distance of a frame, sparse, (n, n)."""
    return fuzzy_graph(frame.placed(X), min(k, len(X)), frame.power)


def _cost(n: int, p: int, method: UMAP) -> tuple[float, float]:
    pulls = n * method.n_neighbors * (0.2 + 0.2 * method.negative_samples)
    near = 5e-10 * n**2 * (p + 10.0)
    memory = 8.0 * n * (12 * method.n_neighbors + 3 * p)
    return 5e-3 + near + 6e-8 * pulls * method.planned(n), memory


@enter(
    Card(
        "umap",
        "UMAP",
        ("reduction",),
        paper="McInnes, Healy and Melville (2018), arXiv:1802.03426",
        scores=("map_neighbours", "stress"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"\min_Y \sum_{i \neq j} v_{ij} \log \frac{v_{ij}}{w_{ij}} + (1 - v_{ij}) "
        r"\log \frac{1 - v_{ij}}{1 - w_{ij}}, \quad w_{ij} = \frac{1}{1 + a \|y_i - y_j\|^{2b}}",
        synonyms=(
            "uniform manifold approximation and projection", "fuzzy simplicial set",
            "manifold learning", "neighbour embedding",
        ),
        line="the graph of neighbours laid out",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class UMAP(IterativeMethod):
    r"""Places rows so that those which surely belong together lie together.

    Row j belongs to row i by $e^{-(d_{ij} - \rho_i) / \sigma_i}$, certain for the nearest and
    adding up to $\log_2 k$ over k neighbours; $v_{ij}$ is the union of both directions. In the map
    memberships are $w_{ij} = (1 + a \|y_i - y_j\|^{2b})^{-1}$. Edges pull their rows as often as
    they weigh, and rows that are drawn push: a stochastic descent of the fuzzy cross-entropy.

    Use it to look for groups and paths in many columns, for many rows, or where later rows need a
    place. O(n k) an epoch after the neighbours are found. Fails as a ruler: sizes of groups and
    distances between them mean little, and noise falls into groups with few neighbours.
    """

    n_components: int = integer(
        2, low=1, soft=(1, 5), symbol="q", label="Number of coordinates", doc="Of the map."
    )
    n_neighbors: int = integer(
        15,
        low=2,
        soft=(4, 100),
        log=True,
        symbol="k",
        label="Neighbours",
        doc="Nearest rows that belong to each, itself among them: few show details, many the "
        "whole.",
    )
    metric: Distance = part(
        "euclidean", slot="metric", label="Distance", doc="How far apart two rows are."
    )
    min_dist: float = real(
        0.1,
        low=0.0,
        high=1.0,
        soft=(0.0, 0.99),
        label="Least distance",
        doc="How near rows that surely belong together come, in units of the map; groups are "
        "tighter where it is small.",
    )
    init: str = choice(
        "spectral",
        "spectral",
        "pca",
        "random",
        "columns",
        label="Start",
        doc="Smoothest functions on the graph, principal axes, places drawn, or those that the "
        "first columns hold.",
    )
    n_epochs: int | None = integer(
        None,
        low=1,
        soft=(50, 1000),
        log=True,
        or_none="by the number of rows",
        label="Epochs",
        doc="Of the descent: 500 by itself, 200 of more than 10,000 rows. In each the strongest "
        "edges pull once.",
    )
    negative_samples: int = integer(
        5,
        low=1,
        high=100,
        soft=(1, 20),
        label="Rows that push",
        doc="Rows that are drawn to push, each time that an edge pulls.",
        advanced=True,
    )
    learning_rate: float = real(
        1.0,
        above=0.0,
        high=100.0,
        soft=(0.1, 5.0),
        log=True,
        symbol=r"\eta",
        doc="Length of the first steps; it falls to 0 in a straight line.",
        advanced=True,
    )

    def planned(self, n: int) -> int:
        """How many epochs n rows get."""
        return self.n_epochs or (500 if n <= MANY else 200)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows that are too few or all equal."""
        if len(X) < 3 or not np.ptp(X, axis=0).any():
            return f"{self.title()} needs at least three rows that differ. Add rows."
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, stride=1)

    def _end(self, given: Given) -> Step:
        """All epochs at once, and the loss of the last map alone."""
        return last(self._played(given, stride=self.planned(given.n)))

    def _played(self, given: Given, stride: int) -> Iterator[Step]:
        """The start, then a step every `stride` epochs."""
        graph = self._laid_out(given)
        parts, most = start.parts(graph), self.planned(given.n)
        Y = self._start(given, graph, parts)
        descent = _Descent(edges_of(graph, most), Y, shape_of(self.min_dist), self, given)
        if stride == 1:
            yield Step(
                0,
                descent.loss(),
                UMAPState(Y, parts),
                None,
                "The map begins in a box of side 10.",
                is_start=True,
            )
        for k in range(stride, most + 1, stride):
            descent.run(k - stride, k, most)
            stop = None
            if k == most:
                stop = Stop(
                    "limit",
                    f"Stopped after {count(k, 'epoch')}, as planned: steps had shrunk to length 0.",
                )
            rate = self.learning_rate * (1.0 - (k - 1) / most)
            loss = descent.loss()
            note = f"Rate {rate:.3g}; loss {loss:.4g} a row."
            yield Step(k, loss, UMAPState(Y, parts), stop, note)

    def _laid_out(self, given: Given) -> Any:
        """The graph that the map is to be like, sparse, (n, n)."""
        return graph_of(self.metric.frame(given.X, None), given.X, self.n_neighbors)

    def _start(self, given: Given, graph: Any, parts: int) -> np.ndarray:
        """Places in a box, shape (n, q)."""
        rng, q = given.rng("start"), self.n_components
        Y = np.zeros((given.n, 0))
        if self.init == "spectral" and parts == 1:
            Y = start.spectral(graph, q)
        elif self.init == "columns":
            Y = start.first_columns(given.X, q, self.title())
        elif self.init != "random":
            Y = start.principal(given.X, q)
        return start.boxed(Y, q, rng)

    def _finished(self, given: Given, end: Step) -> UMAPFit:
        return UMAPFit(**self._fields(given, end))

    def _fields(self, given: Given, end: Step) -> dict[str, Any]:
        """What a fit of the last step holds, by name."""
        shape, Y = shape_of(self.min_dist), end.state.embedding.copy()
        frame = self.metric.frame(given.X, None)
        near = all_used(self.n_neighbors - 1, given.n)  # of which the row itself is one
        return {
            "made_by": self, "columns": given.columns, "n_iter": end.k, "stop": end.stop,
            "rows": given.X.copy(), "frame": frame, "coordinates": Y, "loss": end.objective,
            "a": shape.a, "b": shape.b, "epochs": self.planned(given.n),
            "out_columns": tuple(Column(f"UMAP{k + 1}") for k in range(Y.shape[1])),
            "notes": tuple(filter(None, (frame.note, near, *self._notes(end.state.parts)))),
        }  # fmt: skip

    def _notes(self, parts: int) -> tuple[str, ...]:
        """What a graph in parts means for the map."""
        if parts == 1:
            return ()
        begun = {"random": "places drawn", "columns": "the first columns"}.get(
            self.init, "the principal axes"
        )
        return (
            f"The graph of neighbours falls into {parts} parts: how far these lie from one another "
            f"in the map is left to its start, {begun}.",
        )


class _Descent:
    """A map on its way, changed in place: which edges are due, and where the draws stand."""

    def __init__(
        self, edges: Edges, Y: np.ndarray, shape: Shape, method: UMAP, given: Given
    ) -> None:
        rng, n = given.rng("draws"), given.n
        self.Y, self.shape, self.method = Y, shape, method
        self.one, self.other, self.weights = (read_only(part) for part in edges)
        self.waits = read_only(self.weights.max() / self.weights)
        self.due = self.waits.copy()
        self.pushes_due = self.waits / method.negative_samples
        self.state = int(rng.integers(1, 2**32))
        self.degrees = read_only(np.bincount(self.one, self.weights, minlength=n))
        self.far = read_only(rng.integers(n, size=(n, FAR)))

    def run(self, first: int, until: int, most: int) -> None:
        """The epochs from `first` to before `until`."""
        a, b = self.shape
        self.state = _kernels.epochs(
            self.one, self.other, self.waits, self.due, self.pushes_due, self.Y, first, until, most,
            a, b, self.method.learning_rate, self.method.negative_samples, self.state,
        )  # fmt: skip

    def loss(self) -> float:
        """What is minimised, a row."""
        a, b = self.shape
        pushes = self.method.negative_samples
        return _kernels.loss(
            self.one, self.other, self.weights, self.degrees, read_only(self.Y), self.far, a, b,
            pushes,
        ) / len(self.Y)  # fmt: skip


@lru_cache(maxsize=64)
def shape_of(min_dist: float) -> Shape:
    """The a and b with which memberships are 1 up to that distance and fall by e a unit beyond.

    By least squares on distances from 0 to 3.
    """
    from scipy.optimize import curve_fit  # takes a moment to import

    d = np.linspace(0.0, REACH, PLACES)
    wanted = np.where(d < min_dist, 1.0, np.exp(-(d - min_dist)))
    a, b = curve_fit(lambda d, a, b: 1.0 / (1.0 + a * d ** (2 * b)), d, wanted)[0]
    return Shape(float(a), float(b))
