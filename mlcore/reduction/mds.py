"""Multidimensional scaling: a map that keeps the distances between rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.distances.metrics import STRAIGHT, Distance, Frame
from mlcore.distances.pairwise import apart
from mlcore.maths.arrays import vanishing
from mlcore.reduction.mds_kinds import Kind, MapStep, merged, spectrum
from mlcore.reduction.remarks import of_fewer_directions
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, part
from mlcore.spine.wording import count, plural

MOST_ROWS = 5_000  # all distances of more take 200 MB and minutes


@dataclass(frozen=True, eq=False)
class MDSState:
    """The map after an iteration."""

    embedding: np.ndarray  # (n, q)
    restarts: np.ndarray  # stresses at the end of all runs; empty for one


@dataclass(frozen=True, eq=False, kw_only=True)
class MapFit(Fit):
    """A map of the training rows alone: later rows have no place in it."""

    embedding: np.ndarray  # (n, q)
    stress: float  # what was minimised
    restarts: np.ndarray  # (runs,) stress at the end of every run
    frame: Frame = STRAIGHT  # the space of the distance, learned from the rows
    notes: tuple[str, ...] = ()  # sentences about what the distance decided


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassicalFit(Fit):
    """Coordinates along eigenvectors, with what Gower's formula needs to place other rows."""

    coordinates: np.ndarray  # (n, q) of the training rows
    rows: np.ndarray  # (n, p), the training rows
    norms: np.ndarray  # (n,), squared distance of each from the mean
    eigenvalues: np.ndarray  # (n,), falling
    negative_share: float  # of the sum of their sizes: how far the distances are from Euclidean
    stress: float  # sum over pairs of the squared difference of distances
    out_columns: tuple[Column, ...]
    frame: Frame = STRAIGHT  # the space of the distance, learned from the rows
    notes: tuple[str, ...] = ()  # sentences about what the distance decided

    def holds_together(self) -> bool:
        """Whether there is a place for each row, and the frame is of these columns."""
        n = len(self.rows)
        is_placed = self.coordinates.shape == (n, len(self.out_columns))
        return is_placed and self.norms.shape == (n,) and self.frame.is_of(self.n_columns)

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of other rows, shape (m, q), by Gower's formula (1968, Biometrika 55).

        1/2 (b - d^2) Y / values, with the squared distances d^2 to the training rows.
        """
        new, old = map(self.frame.placed, (self._rows(X), self.rows))
        squares = apart(self.frame, new, old) ** 2
        axes = self.coordinates / self.eigenvalues[: len(self.out_columns)]
        return 0.5 * (self.norms - squares) @ axes


def _cost(n: int, p: int, method: MDS) -> tuple[float, float]:
    iterations = method.kind.most_iterations() * method.kind.runs()
    pairs = n**2 * (1e-9 * p + method.kind.seconds_a_pair * iterations)
    return 1e-3 + pairs + 2.5e-10 * n**3, 8.0 * (7.0 * n**2 + 2 * n * p)


@enter(
    Card(
        "mds",
        "MDS",
        ("reduction",),
        paper="Torgerson (1952), Psychometrika 17(4)",
        sources=(
            "prac:mds_classical", "cs1:mds_classical", "cs1:mds_metric", "cs1:sammon",
            "mi2:embed_mds", "mi2:embed_sammon",
        ),
        scores=("stress", "map_neighbours"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"\min_Y \sum_{i<j} (\|y_i - y_j\| - \|x_i - x_j\|)^2",
        line="few coordinates that keep the distances",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class MDS(IterativeMethod):
    r"""Places rows in few coordinates so that their distances are kept as well as they can be.

    The classical map keeps inner products: eigenvectors of $B = -\frac12 H D^2 H$. The metric one
    minimises $\sum_{i<j} (d_{ij} - \delta_{ij})^2$ iteratively, Sammon's divides each term by
    $\delta_{ij}$, so that small distances count as much as large ones; the non-metric one keeps
    only which distance is larger.

    Use it to look at rows of which distances mean something. Only the classical map has a place
    for later rows; the others are judged by the rows that they place. O(n^2) an iteration, O(n^3)
    for the classical map. Fails where rows fill more dimensions than the map has: far groups then
    overlap, or rings appear that are not there.
    """

    n_components: int = integer(
        2, low=1, soft=(1, 5), symbol="q", label="Number of coordinates", doc="Of the map."
    )
    kind: Kind = part("classical", slot="mds_kind", label="Kind", doc="What the map keeps.")

    metric: Distance = part(
        "euclidean",
        slot="metric",
        label="Distance",
        doc="How far apart two rows are; a table of distances may be mapped as it is.",
    )

    def fit_class(self) -> type[Fit]:
        """The class of fits that place later rows, or of those that do not."""
        return ClassicalFit if self.kind.places_new else MapFit

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse equal rows, and more rows than all distances fit in memory for."""
        if len(X) > MOST_ROWS:
            return (
                f"{self.title()} works on all distances: at most {MOST_ROWS:,} rows; there are "
                f"{len(X):,}. Draw some of them."
            )
        if not np.ptp(X, axis=0).any():
            return f"{self.title()} needs rows that differ; here all are equal."
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given, self._distances(given.X, self.metric.frame(given.X, None)))

    def _played(self, given: Given, D: np.ndarray) -> Iterator[Step]:
        ends = np.array([end.stress for end in self._ends(given, D)])
        best = int(ends.argmin()) if len(ends) else 0
        for k, state in enumerate(self._run(given, D, best)):
            sentence = f"{state.note}; stress {state.stress:.4g}."
            is_start = k == 0 and state.stop is None  # the classical map is its only step
            kept = MDSState(state.Y, ends)
            yield Step(k, state.stress, kept, state.stop, sentence, is_start=is_start)

    def _distances(self, X: np.ndarray, frame: Frame) -> np.ndarray:
        # From the mean of the rows: far from zero, squares would lose the differences.
        Z = frame.placed(X)
        Z = Z - Z.mean(axis=0)
        D = apart(frame, Z, Z)
        return (D + D.T) / 2

    def _ends(self, given: Given, D: np.ndarray) -> list[MapStep]:
        """The last iteration of each run, where there are several."""
        runs = self.kind.runs()
        return [list(self._run(given, D, run))[-1] for run in range(runs)] if runs > 1 else []

    def _run(self, given: Given, D: np.ndarray, number: int) -> Iterator[MapStep]:
        rng = given.rng(f"start {number}")
        return self.kind.iterations(D, min(self.n_components, max(given.p, 1)), rng)

    def _notes(self, X: np.ndarray, Y: np.ndarray, frame: Frame) -> tuple[str, ...]:
        notes = [frame.note, *of_fewer_directions(Y.shape[1], self.n_components)]
        if self.kind.merges and (few := len(X) - len(merged(self._distances(X, frame))[0])):
            notes.append(
                f"{count(few, 'row')} {plural(few, 'equals', 'equal')} an earlier one: "
                f"{plural(few, 'it shares', 'they share')} its place."
            )
        return tuple(filter(None, notes))

    def _finished(self, given: Given, end: Step) -> ClassicalFit | MapFit:
        frame = self.metric.frame(given.X, None)
        shared: dict[str, Any] = {
            "made_by": self, "columns": given.columns, "n_iter": end.k, "stop": end.stop,
            "stress": end.objective, "frame": frame,
            "notes": self._notes(given.X, end.state.embedding, frame),
        }  # fmt: skip
        Y, restarts = end.state.embedding, end.state.restarts
        if not self.kind.places_new:
            ends = restarts if len(restarts) else np.array([end.objective])
            return MapFit(**shared, embedding=Y.copy(), restarts=ends)
        decomposition = spectrum(self._distances(given.X, frame))
        sizes = np.abs(decomposition.values)
        return ClassicalFit(
            **shared, coordinates=Y, rows=given.X.copy(), norms=decomposition.norms,
            eigenvalues=decomposition.values.copy(),
            negative_share=float(sizes[decomposition.values < 0].sum() / sizes.sum()),
            out_columns=tuple(Column(f"MDS{k + 1}") for k in range(Y.shape[1])),
        )  # fmt: skip
