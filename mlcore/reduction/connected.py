"""What maps of a neighbour graph share: its settings, and its largest part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.sparse import triu

from mlcore.distances.metrics import STRAIGHT, Distance, Frame
from mlcore.distances.neighbourhoods import Graph, neighborhood_graph
from mlcore.distances.neighbours import NearestRows, Neighbours, all_used
from mlcore.maths.arrays import vanishing
from mlcore.maths.smoothest import LITTLE_FILL
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Method
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.wording import count, plural

MOST_ROWS = 10_000  # the factor of a matrix of more takes 800 MB and minutes
MOST_SPARSE = 100_000  # where it stays sparse


class Connected(NamedTuple):
    """The largest part of a graph of neighbours."""

    rows: np.ndarray  # (m,) positions of its rows among all
    lengths: Any  # (m, m) sparse and symmetric, distance along each edge
    frame: Frame  # the space of the distance, learned from all rows
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphMapFit(Fit):
    """Places of the rows of the largest part, and the graph that joins them."""

    frame: Frame = STRAIGHT  # the space of the distance between rows
    rows: np.ndarray  # (m, p) the training rows of the part that is mapped
    kept_rows: np.ndarray  # (m,) their positions among all training rows
    coordinates: np.ndarray  # (m, q)
    out_columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    @property
    def edges(self) -> np.ndarray:
        """The two training rows that each edge joins, shape (e, 2)."""
        method = cast(Any, self.made_by)
        graph = triu(joined(self.rows, method, self.frame).lengths).tocoo()
        return self.kept_rows[np.column_stack(graph.coords)]

    @property
    def strengths(self) -> np.ndarray:
        """One for each edge, shape (e,)."""
        return np.ones(len(self.edges))

    def holds_together(self) -> bool:
        """Whether there is a place for each row, and the frame is of these columns."""
        is_placed = self.coordinates.shape == (len(self.rows), len(self.out_columns))
        return is_placed and self.frame.is_of(self.n_columns)

    def _nearest(self, X: np.ndarray, k: int) -> NearestRows:
        """The k fitted rows nearest to each row of X, shape (m, p); all where there are fewer."""
        among = Neighbours(self.frame.placed(self.rows), self.frame.power)
        return among.nearest(self.frame.placed(X), min(k, len(self.rows)))


def joined(X: np.ndarray, method: GraphMap, frame: Frame) -> Graph:
    """The graph of rows X, shape (n, p), as the settings of a method say."""
    k = None if method.radius is not None else min(method.n_neighbors, len(X) - 1)
    return neighborhood_graph(X, k=k, radius=method.radius, metric=frame)


@dataclass(frozen=True, kw_only=True)
class GraphMap(Method):
    """The settings of the maps that are made of a graph of neighbours."""

    n_components: int = integer(
        2, low=1, soft=(1, 5), symbol="q", label="Number of coordinates", doc="Of the map."
    )
    n_neighbors: int = integer(
        10,
        low=1,
        soft=(4, 50),
        symbol="k",
        label="Neighbours",
        doc="Nearest rows to which each is joined: few cut the surface, many join what is apart.",
    )
    metric: Distance = part(
        "euclidean",
        slot="metric",
        label="Distance",
        doc="How far apart rows are: which are neighbours, and how long the edges between them.",
    )
    radius: float | None = real(
        None,
        above=0.0,
        soft=(0.05, 5.0),
        log=True,
        or_none="nearest rows",
        symbol=r"\varepsilon",
        doc="Join all rows that are no farther apart, in place of the nearest.",
        advanced=True,
    )
    disconnected: str = choice(
        "largest",
        "largest",
        "refuse",
        label="Graph in parts",
        doc="Map the largest part and place the other rows beside it, or refuse.",
        advanced=True,
    )

    def most_rows(self, p: int) -> int:
        """The number of rows of p columns that it can take: as the factor of its matrix fits."""
        return MOST_SPARSE if p <= LITTLE_FILL else MOST_ROWS

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows that are too few, all equal, or too many."""
        if len(X) > (most := self.most_rows(X.shape[1])):
            columns = count(X.shape[1], "column")
            return (
                f"{self.title()} works on at most {most:,} rows of {columns}; there are "
                f"{len(X):,}. Draw some of them."
            )
        if len(X) < 3 or not np.ptp(X, axis=0).any():
            return f"{self.title()} needs at least three rows that differ. Add rows."
        return vanishing(X, self.title())

    def _fewer(self, m: int) -> tuple[str, ...]:
        """That m rows have fewer functions that differ from the constant one than asked for."""
        few = f"The map of {count(m, 'row')} has at most {count(m - 1, 'coordinate')}."
        return (few,) if m - 1 < self.n_components else ()

    def _connected(self, X: np.ndarray) -> Connected:
        """The largest part of the graph of rows X, shape (n, p).

        Raises DataError if there are several and that is not wanted, or it has fewer than three
        rows.
        """
        n, frame = len(X), self.metric.frame(X, None)
        graph = joined(X, self, frame)
        sizes = np.bincount(graph.components)
        rows = np.flatnonzero(graph.components == sizes.argmax())
        lost = n - len(rows)
        falls = f"The neighbour graph falls into {len(sizes)} parts"
        if lost and self.disconnected == "refuse":
            raise DataError(f"{falls}. Raise the number of neighbours, or map the largest part.")
        if len(rows) < 3:
            raise DataError(f"{falls}, none of three rows. Raise the number of neighbours.")
        ways = plural(lost, "row is", "rows are")
        note = f"{falls}; {lost} {ways} placed beside the largest. Raise the number of neighbours."
        whole: Any = graph.lengths
        lengths = whole[rows][:, rows] if lost else whole
        near = "" if self.radius is not None else all_used(self.n_neighbors, n)
        notes = filter(None, (frame.note, note if lost else "", near))
        return Connected(rows, lengths, frame, tuple(notes))
