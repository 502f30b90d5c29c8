"""A lattice that somebody draws: units, and which of them are joined."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from mlcore.clustering.quantisation.lattices import Lattice
from mlcore.maths.linear import eigen_falling, signed
from mlcore.spine.component import Card, enter
from mlcore.spine.params import text

MOST = 500  # units of a graph that is written edge by edge
EDGE = re.compile(r"[0-9]{1,4}-[0-9]{1,4}")


@enter(
    Card(
        "graph",
        "Own graph",
        ("lattice",),
        sources=("cs2:som_graph_any",),
        kind="part",
        synonyms=("custom lattice", "adjacency"),
    )
)
@dataclass(frozen=True, kw_only=True)
class OwnGraph(Lattice):
    """Units joined as you say, such as a star, a tree or two rings that share a unit.

    The distance of two units is the number of edges of the shortest way between them.
    """

    edges_given: str = text(
        "1-2 2-3 3-4 4-5 3-6 6-7 3-8 8-9",
        label="Edges",
        doc="Two numbers of units with - between them for each edge, blanks between edges; units "
        "are numbered from 1.",
    )

    def conflict(self) -> str | None:
        """Refuse what is no list of edges, and graphs in parts."""
        words = self.edges_given.split()
        if not words or not all(map(EDGE.fullmatch, words)):
            return (
                f"{self.title()} needs edges such as 1-2 2-3 3-1, with blanks between them; got "
                f"{self.edges_given[:40]!r}."
            )
        if self._pairs.min() < 0 or self._n_units > MOST:
            return f"{self.title()}: units are numbered from 1 to at most {MOST}."
        if not np.isfinite(self.steps()).all():
            return (
                f"{self.title()} falls into parts, or leaves out a number below {self._n_units}. "
                "Join all units."
            )
        return None

    @cached_property
    def _pairs(self) -> np.ndarray:
        """The two units of each edge, from 0, shape (e, 2)."""
        return np.array([edge.split("-") for edge in self.edges_given.split()], dtype=int) - 1

    @property
    def _n_units(self) -> int:
        return int(self._pairs.max()) + 1

    @property
    def positions(self) -> np.ndarray:
        """The number of each unit, shape (K, 1): a graph has no places of its own."""
        return np.arange(self._n_units, dtype=np.float64)[:, None]

    @property
    def width(self) -> float:
        """Edges between the two units farthest apart."""
        return float(self.steps().max())

    def laid_out(self) -> np.ndarray:
        """The classical map of the steps, with variance 1 along each axis, shape (K, 1 or 2)."""
        squares = self.steps() ** 2
        means = squares.mean(axis=0)
        values, vectors = eigen_falling(-0.5 * (squares - means - means[:, None] + means.mean()))
        axes = vectors[:, :2][:, values[:2] > 1e-9 * max(values[0], 1.0)]
        if not axes.shape[1]:
            return np.zeros((self._n_units, 1))
        return signed(axes.T).T * np.sqrt(self._n_units)

    def apart(self) -> np.ndarray:
        """The steps, shape (K, K): there is no straight line to measure."""
        return self.steps()

    def steps(self) -> np.ndarray:
        """Edges of the shortest way between two units, shape (K, K); infinite between parts."""
        first, second = self._pairs.T
        k = self._n_units
        graph = coo_array((np.ones(len(first)), (first, second)), shape=(k, k))
        return shortest_path(graph.tocsr(), directed=False, unweighted=True)
