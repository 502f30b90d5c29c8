"""Graphs that join rows to those near them: parts of methods that pass something along edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mlcore.distances.neighbourhoods import Graph, neighborhood_graph
from mlcore.distances.neighbours import Neighbours
from mlcore.maths.squared_distances import sq_distances
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_PAIRED = 5000  # rows of which every pair is stored: 200 MB


@dataclass(frozen=True, kw_only=True)
class NeighbourGraph(Component):
    """A rule that joins rows by weighted edges."""

    def weights(self, X: np.ndarray) -> Any:
        """Symmetric weights of the edges between rows X, (n, n), none from a row to itself.

        Sparse, but for a graph of all pairs.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no weights")

    def between(self, A: np.ndarray, X: np.ndarray) -> Any:
        """Weights from further rows A to the rows X of the graph, shape (m, n)."""
        raise NotImplementedError(f"{type(self).__name__} declares no weights")

    def applies(self, n: int) -> str | None:
        """Why it cannot join n rows, as a sentence, or None."""
        return None


@enter(
    Card(
        "knn_graph",
        "k-nearest neighbours",
        ("neighbour_graph",),
        sources=("prac:knn_graph",),
        kind="part",
        formula=r"w_{ij} = [\, j \in N_k(i) \text{ or } i \in N_k(j)\, ]",
    )
)
@dataclass(frozen=True, kw_only=True)
class KNNGraph(NeighbourGraph):
    """Joins a row to its nearest rows, and to those of which it is one.

    Follows clouds of unequal density; every row has edges, but a far group may be cut off.
    """

    n_neighbors: int = integer(
        10,
        low=1,
        soft=(2, 50),
        symbol="k",
        label="Neighbours",
        doc="Nearest rows to which each is joined, all others where there are no more; few cut "
        "the graph, many join what is apart.",
    )

    def weights(self, X: np.ndarray) -> csr_array:
        """1 for each edge."""
        return _ones(neighborhood_graph(X, k=min(self.n_neighbors, len(X) - 1)))

    def between(self, A: np.ndarray, X: np.ndarray) -> csr_array:
        """1 for each of the nearest rows of the graph."""
        from scipy.sparse import csr_array  # takes a moment to import

        k = min(self.n_neighbors, len(X))
        near = Neighbours(X).nearest(A, k).rows
        ends = np.arange(0, near.size + 1, k)
        return csr_array((np.ones(near.size), near.ravel(), ends), shape=(len(A), len(X)))


@enter(
    Card(
        "epsilon_graph",
        "Radius neighbours (epsilon graph)",
        ("neighbour_graph",),
        sources=("prac:epsilon_graph",),
        kind="part",
        formula=r"w_{ij} = [\, \|x_i - x_j\| \le \varepsilon\, ]",
    )
)
@dataclass(frozen=True, kw_only=True)
class EpsilonGraph(NeighbourGraph):
    """Joins rows that are no farther apart than a radius.

    One radius fits one density: sparse regions fall apart, dense ones are joined to everything.
    """

    radius: float = real(
        0.5,
        above=0.0,
        soft=(0.05, 5.0),
        log=True,
        symbol=r"\varepsilon",
        doc="Largest length of an edge, in units of the prepared columns.",
    )

    def weights(self, X: np.ndarray) -> csr_array:
        """1 for each edge."""
        return _ones(neighborhood_graph(X, radius=self.radius))

    def between(self, A: np.ndarray, X: np.ndarray) -> csr_array:
        """1 for each row of the graph within the radius."""
        from scipy.sparse import csr_array  # takes a moment to import

        near = Neighbours(X).within(A, self.radius)
        ones = np.ones(len(near.rows))
        return csr_array((ones, near.rows, near.starts), shape=(len(A), len(X)))


@enter(
    Card(
        "gaussian_graph",
        "Fully connected, Gaussian weights",
        ("neighbour_graph",),
        kind="part",
        formula=r"w_{ij} = e^{-\|x_i - x_j\|^2 / 2 \sigma^2}",
    )
)
@dataclass(frozen=True, kw_only=True)
class GaussianGraph(NeighbourGraph):
    """Joins every two rows, the more the nearer they are.

    Smooth, and no row is cut off; n^2 weights, and all hangs on the width.
    """

    width: float = real(
        0.3,
        above=0.0,
        soft=(0.05, 5.0),
        log=True,
        symbol=r"\sigma",
        doc="Distance at which the weight falls to 0.61, in units of the prepared columns.",
    )

    def weights(self, X: np.ndarray) -> np.ndarray:
        """The weights of all pairs, 0 of a row with itself."""
        W = self.between(X, X)
        np.fill_diagonal(W, 0.0)
        return W

    def between(self, A: np.ndarray, X: np.ndarray) -> np.ndarray:
        """The weights of all pairs."""
        with np.errstate(under="ignore"):  # far rows have a weight of 0
            return np.exp(-sq_distances(A, X) / (2 * self.width**2))

    def applies(self, n: int) -> str | None:
        """Refuse more rows than all pairs fit in memory for."""
        if n <= MOST_PAIRED:
            return None
        return (
            f"A graph of all pairs holds at most {MOST_PAIRED} rows; there are {n}. Choose the "
            "graph of nearest neighbours."
        )


def _ones(graph: Graph) -> csr_array:
    """The same edges, each with weight 1."""
    from scipy.sparse import csr_array  # takes a moment to import

    L = graph.lengths
    return csr_array((np.ones(L.nnz), L.indices, L.indptr), shape=L.shape)


def degrees(W: Any) -> np.ndarray:
    """Sum of the weights of each row of W, shape (n,)."""
    return np.asarray(W.sum(axis=1), dtype=np.float64).ravel()
