"""The self-organising map: prototypes on a lattice, of which neighbours learn together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from mlcore.clustering.quantisation import _kernels
from mlcore.clustering.quantisation.lattices import Lattice
from mlcore.clustering.quantisation.learning import MapLearning, MapProblem, MapRun
from mlcore.clustering.quantisation.map_starts import STARTS, first_units
from mlcore.clustering.quantisation.neighbourhoods import Neighbourhood
from mlcore.clustering.quantisation.presenting import FINEST, Course, blocks
from mlcore.clustering.quantisation.radii import Radius
from mlcore.distances.metrics import STRAIGHT, Distance, Frame
from mlcore.distances.nearest_center import nearest
from mlcore.maths.arrays import read_only, vanishing
from mlcore.spine.capabilities_of_groups import MapErrors
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, part
from mlcore.spine.wording import rough

UNIT = 1e-6  # how far from 1 the length of a row may be for dot products to decide


@dataclass(frozen=True, eq=False)
class MapState:
    """Where a map stands after some steps."""

    labels: np.ndarray  # (n,)
    centers: np.ndarray  # (K, p)
    hits: np.ndarray  # (K,)


@dataclass(frozen=True, eq=False, kw_only=True)
class SelfOrganisingMapFit(Fit):
    """The prototypes of the units, and which of them each fitted row has won."""

    labels: np.ndarray  # (n,) the nearest unit, 0 .. K - 1
    centers: np.ndarray  # (K, p) prototypes of the units
    hits: np.ndarray  # (K,) fitted rows of which a unit is the nearest
    quantisation_error: float  # mean distance of the fitted rows to their prototypes
    topographic_error: float  # share of them whose two nearest units do not touch
    frame: Frame = STRAIGHT  # the space in which rows and prototypes are compared

    def holds_together(self) -> bool:
        """Whether every unit of the lattice has a prototype, of these columns."""
        k = len(self.lattice.positions)
        are_units = self.centers.shape == (k, self.n_columns) and self.hits.shape == (k,)
        return are_units and self.frame.is_of(self.n_columns)

    @property
    def lattice(self) -> Lattice:
        """The lattice of the units."""
        return cast(Any, self.made_by).lattice

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """The coordinates on the lattice."""
        names = (
            ("map x", "map y") if self.lattice.positions.shape[1] == 2 else ("place on the map",)
        )
        return tuple(map(Column, names))

    @property
    def schedules(self) -> tuple[tuple[str, np.ndarray], ...]:
        """Learning rate and radius, each (t,), at the points of `shown`."""
        method = cast(Any, self.made_by)
        rates, radii = method.learning.rates(), method.radii()
        named = () if rates is None else (("learning rate", rates.at(self.shown)),)
        return (*named, ("radius", radii.at(self.shown)))

    def pulls(self, apart: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Share of the pull at distances on the lattice, shape (D,), at each step: (t, D)."""
        method = cast(Any, self.made_by)
        return method.neighbourhood.weights(apart, method.radii().at(steps))

    @property
    def shown(self) -> np.ndarray:
        """Steps of the run at which `schedules` are told, shape (t,)."""
        total = cast(Any, self.made_by).learning.total
        return np.array([0, *(end for _, end in blocks(total))])

    def predict(self, X: Any) -> np.ndarray:
        """The unit whose prototype is nearest to each row, shape (m,); the lowest on ties."""
        return nearest(self.frame.placed(self._rows(X)), self.frame.placed(self.centers))

    def transform(self, X: Any) -> np.ndarray:
        """The place on the lattice of the nearest unit, shape (m, 1) or (m, 2)."""
        return self.lattice.positions[self.predict(X)]

    def map_errors(self, X: Any) -> MapErrors:
        """Quantisation and topographic error on rows, shape (m, p)."""
        placed, units = map(self.frame.placed, (self._rows(X), self.centers))
        return errors_of(placed, units, self.lattice)


def errors_of(X: np.ndarray, centers: np.ndarray, lattice: Lattice) -> MapErrors:
    """Mean distance to the nearest unit, and share of rows whose two nearest do not touch.

    Of rows X, shape (m, p), for units at `centers`, shape (K, p), on a lattice of as many. Units
    touch that lie around each other: eight on a rectangular grid, six on a hexagonal one.
    """
    first, second = np.empty(len(X), np.int64), np.empty(len(X), np.int64)
    _kernels.best_two(read_only(X), read_only(centers), first, second)
    apart = np.sqrt(((X - centers[first]) ** 2).sum(axis=1))
    if len(centers) == 1:
        return MapErrors(float(apart.mean()), 0.0)
    return MapErrors(float(apart.mean()), float((~lattice.are_near(first, second)).mean()))


def _beside(frame: Frame, X: np.ndarray) -> np.ndarray:
    """Rows X, (n, p), behind where they are in a frame, (n, r + p); alone if that is the same.

    What is pulled in both stays the image of itself, as the frame is a straight one.
    """
    placed = frame.placed(X)
    return X if placed is X else np.hstack([placed, X])


def _cost(n: int, p: int, method: SelfOrganisingMap) -> tuple[float, float]:
    k, total = len(method.lattice.positions), method.learning.total
    p = p if method.match.card.name == "euclidean" else 2 * p  # the blurred, and those as they are
    searched = k * (p + 2) * 1.5e-9
    if method.learning.rates() is None:
        each = n * searched + 1e-9 * k * k * p + (3e-9 * n * k * k if method.is_smoothed else 0.0)
    else:
        each = 2e-7 + searched + k * (p + 2) * 1e-9 + (1.5e-9 * k * k if method.is_smoothed else 0)
    return 5e-3 + total * each + n * searched, 8.0 * (n * (p + 4) + 4 * k * k)


@enter(
    Card(
        "som",
        "Self-organising map",
        ("clustering", "reduction", "scorer"),
        paper="Kohonen (1982), Biological Cybernetics 43",
        sources=(
            "mi2:som_online", "mi2:som_sigma_annealing", "mi2:som_final_sigma",
            "mi2:som_dimension_reduction", "mi2:som_units_choice", "mi2:som_cost_online",
            "epfl:som", "epfl:som_batch_presentation", "cs1:som", "cs1:som_order_demo", "cs2:som",
            "cs2:som_two_stage", "cs2:som_dead_units", "cs2:som_dist_grid_euclid",
            "cs2:som_dist_shortest_path", "cs2:som_projection", "epfl:som_dot",
        ),
        scores=("map_errors", "distortion", "map_neighbours"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"w_j \leftarrow w_j + \eta_t\,h(d(j, j^*), r_t)\,(x - w_j), \quad "
        r"j^* = \arg\min_j \|x - w_j\|",
        synonyms=(
            "SOM", "Kohonen map", "Kohonen network", "self-organizing map", "topographic map",
            "feature map", "MiniSom", "topology-preserving map", "dot-product map",
        ),
        line="a net of prototypes, unfolded over the rows",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SelfOrganisingMap(IterativeMethod):
    r"""Spreads a lattice of prototypes over the rows so that neighbours on it lie near each other.

    Each row pulls the nearest unit $j^*$, its winner, and the others by how near they are to it on
    the lattice: $w_j \leftarrow w_j + \eta_t h(d(j, j^*), r_t)(x - w_j)$. The radius $r_t$ starts
    wide, so that the map unfolds, and shrinks, so that it covers the rows; so does the learning
    rate. By batches each unit becomes the mean of all rows, by how near their winners are to it.
    With a radius of 0 it is online k-means. With the dot product rows and prototypes lie on the
    sphere, $j^* = \arg\max_j w_j^\top x$: only directions count.

    Use many units for a picture of many columns, few for groups. O(p K) a row. Close on the map
    means close in the rows, once it is unfolded, but not conversely: rows of more dimensions than
    the lattice are folded into it. Fails with a radius that is narrow from the start, which leaves
    folds, one that stays wide, which shrinks the map to the middle, and with rows in an order.
    """

    followed: ClassVar[str] = "mean distance to the unit"

    lattice: Lattice = part("grid", slot="lattice", doc="How the units are joined.")
    learning: MapLearning = part(
        "online_learning", slot="map_learning", doc="Row by row, or by passes over all rows."
    )
    radius: Radius = part(
        "shrinking_radius",
        slot="map_radius",
        symbol="r",
        doc="How far around the winner units are pulled, step by step.",
    )
    neighbourhood: Neighbourhood = part(
        "gaussian_neighbourhood",
        slot="neighbourhood",
        symbol="h",
        doc="How the pull falls with the distance on the lattice.",
    )
    distance: str = choice(
        "euclidean",
        "euclidean",
        "steps",
        label="Distance on the lattice",
        doc="In a straight line between places, or in edges of the shortest way: on a rectangular "
        "grid that is the Manhattan distance.",
        advanced=True,
    )
    winner: str = choice(
        "nearest",
        "nearest",
        "smoothed",
        "dot",
        doc="The nearest unit; that around which squared distances, weighted by the neighbourhood, "
        "add up least: then batches descend a cost; or that of the largest dot product, for rows "
        "of length 1, with prototypes that are brought back to length 1.",
        advanced=True,
    )
    match: Distance = part(
        "euclidean",
        slot="metric",
        label="Compared by",
        doc="How far a row is from a unit when its winner is looked for; a distance in straight "
        "lines, as that of blurred images. Units move towards the rows as they are.",
        advanced=True,
    )
    init: str = choice(
        "principal_plane",
        *STARTS,
        label="Initialisation",
        doc="Spread over the plane of the first two principal components, scattered in it, at "
        "rows, or anywhere in the bounding box.",
    )

    @property
    def n_components(self) -> int:
        """The number of coordinates on the lattice."""
        return self.lattice.positions.shape[1]

    @property
    def is_smoothed(self) -> bool:
        """Whether the winner is that of the least smoothed distance."""
        return self.winner == "smoothed"

    def conflict(self) -> str | None:
        """Products are of rows as they are."""
        if self.winner != "dot" or self.match.card.name == "euclidean":
            return None
        return (
            f"{self.title()}: winners by the dot product are not found by a distance. Leave it "
            "Euclidean, or take the nearest unit."
        )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish, and dot products of rows of any length."""
        if reason := vanishing(X, self.title()):
            return reason
        lengths = np.sqrt((X**2).sum(axis=1))
        if self.winner != "dot" or np.abs(lengths - 1.0).max() <= UNIT:
            return None
        return (
            f"{self.title()}: winners by the dot product need rows of length 1; they have "
            f"{rough(float(lengths.min()))} to {rough(float(lengths.max()))}. Scale each row to "
            "length 1 in the preparation (Normalisation of rows), or take the nearest unit."
        )

    def radii(self) -> Course:
        """The radius of each step."""
        total = max(self.learning.total, 1)
        return Course(self.radius.values(min(total, FINEST), self.lattice.width), total)

    def frame_of(self, X: np.ndarray) -> Frame:
        """The space in which winners are found, learned from rows X, shape (n, p).

        Raises DataError unless it is a straight image of theirs: only then units that are pulled
        here and there stay the same.
        """
        frame = self.match.frame(X, None)
        if frame.power == 2.0 and frame.kernel is None and not frame.unit_rows:
            return frame
        raise DataError(
            f"{self.title()} pulls units along straight lines, which the distance "
            f"{self.match.title()} does not follow. Compare by the Euclidean, the Mahalanobis or "
            "the blurred Euclidean distance."
        )

    def _run(self, given: Given) -> MapRun:
        frame = self.frame_of(given.X)
        lattice, rng = self.lattice, given.rng("first units")
        first = self._on_sphere(first_units(self.init, given.X, lattice, rng))
        apart = lattice.apart() if self.distance == "euclidean" else lattice.steps()
        return self.learning.run(
            MapProblem(
                X=_beside(frame, given.X),
                centers=_beside(frame, first),
                deciding=frame.placed(given.X).shape[1],
                apart=apart,
                neighbourhood=self.neighbourhood,
                radii=self.radii(),
                smoothed=self.is_smoothed,
                on_sphere=self.winner == "dot",
                rng=given.rng("order"),
            )
        )

    def _on_sphere(self, centers: np.ndarray) -> np.ndarray:
        """Units at length 1 where dot products decide, shape (K, p)."""
        if self.winner != "dot":
            return centers
        lengths = np.linalg.norm(centers, axis=1, keepdims=True)
        if lengths.min() < UNIT:
            raise DataError(
                f"{self.title()}: the start puts a unit at the origin, which has no direction. "
                "Start at rows instead."
            )
        return centers / lengths

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, self._run(given))

    def _end(self, given: Given) -> Step:
        run = self._run(given)
        run.advance(run.total)
        return self._step(given, run, len(list(blocks(run.total))))

    def _played(self, given: Given, run: MapRun) -> Iterator[Step]:
        yield self._step(given, run, 0)
        for k, (start, end) in enumerate(blocks(run.total), 1):
            run.advance(end - start)
            yield self._step(given, run, k)

    def _step(self, given: Given, run: MapRun, k: int) -> Step:
        first = np.s_[:, : run.problem.deciding]
        X, units = map(np.ascontiguousarray, (run.X[first], run.centers[first]))
        labels = nearest(X, units)
        hits = np.bincount(labels, minlength=len(units))
        state = MapState(labels, np.ascontiguousarray(run.centers[:, -given.p :]), hits)
        error = float(np.sqrt(((X - units[labels]) ** 2).sum(axis=1)).mean())
        stop = None
        if run.done == run.total:
            unit, several = (
                ("pass", "passes") if self.learning.rates() is None else
                ("row was shown", "rows were shown")
            )  # fmt: skip
            told = f"1 {unit}" if run.total == 1 else f"{run.total:,} {several}"
            stop = Stop("limit", f"Stopped after {told}, as planned.")
        return Step(k, error, state, stop, self._told(run, error))

    def _told(self, run: MapRun, error: float) -> str:
        """Where the map stands, in a sentence."""
        ends = f"quantisation error {error:.4g}."
        if run.done == 0:
            return f"The map stands at its start; {ends}"
        last = np.array([run.done - 1])
        rates, radius = self.learning.rates(), self.radii().at(last)[0]
        rate = "" if rates is None else f", learning rate {rough(rates.at(last)[0])}"
        return f"Radius {rough(radius)}{rate}; {ends}"

    def _finished(self, given: Given, end: Step) -> SelfOrganisingMapFit:
        state: MapState = end.state
        frame = self.frame_of(given.X)
        placed, units = map(frame.placed, (given.X, state.centers))
        errors = errors_of(placed, units, self.lattice)
        return SelfOrganisingMapFit(
            made_by=self,
            columns=given.columns,
            n_iter=self.learning.total,
            stop=end.stop,
            labels=state.labels,
            centers=state.centers,
            hits=state.hits,
            quantisation_error=errors.quantisation,
            topographic_error=errors.topographic,
            frame=frame,
        )
