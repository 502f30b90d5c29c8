"""Affinities: which rows are joined, and how strongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.distances.graphs import neighborhood_graph
from mlcore.distances.neighbours import Neighbours, all_used
from mlcore.kernels.kernel import Kernel
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer, part

FAINTEST = 1e-12  # of an affinity: an edge stays an edge, or a row could stand alone
STRONGEST = 5  # edges a row that are shown of a graph in which all rows are joined


SPARSE = 0.1  # share of the pairs of rows that are joined up to which products are quick


@dataclass(frozen=True, kw_only=True)
class Affinity(Component):
    """How strongly rows are joined."""

    def weights(self, X: np.ndarray) -> Any:
        """Sparse and symmetric, shape (n, n), not negative, 0 on the diagonal, of rows (n, p)."""
        raise NotImplementedError(f"{type(self).__name__} declares no weights")

    def shown(self, W: Any) -> Any:
        """The edges of such weights that a picture of the graph shows, sparse, shape (n, n)."""
        return W

    def is_sparse(self, n: int) -> bool:
        """Whether so few pairs of n rows are joined that products with the weights are quick."""
        return False

    def remark(self, n: int) -> str:
        """A sentence about how few n rows are, or ""."""
        return ""

    def applies(self, X: np.ndarray) -> str | None:
        """Why these rows, shape (n, p), have no affinities, as a sentence, or None."""
        return None


@enter(Card("neighbour_affinity", "Nearest neighbours", ("affinity",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NeighbourAffinity(Affinity):
    """An edge of weight 1 between near rows: follows groups of any form and any density.

    With few neighbours the graph falls apart, with many it joins what is apart.
    """

    n_neighbors: int = integer(
        10, low=1, soft=(3, 50), symbol="k", label="Neighbours", doc="Rows that each names."
    )
    joined: str = choice(
        "either",
        "either",
        "mutual",
        label="Joined if",
        doc="Whether one of two rows must name the other, or both.",
    )

    def is_sparse(self, n: int) -> bool:
        """Where rows name few of the others: an edge is named by one or both of its ends."""
        return 2 * self.n_neighbors < SPARSE * n

    def remark(self, n: int) -> str:
        """That each names all others."""
        return all_used(self.n_neighbors, n)

    def weights(self, X: np.ndarray) -> Any:
        """Ones at the edges."""
        from scipy.sparse import csr_array  # takes a moment to import

        n = len(X)
        k = min(self.n_neighbors, n - 1)
        if self.joined == "either":
            W = neighborhood_graph(X, k=k).lengths.copy()
            W.data[:] = 1.0
            return W
        near = Neighbours(X).others(k).rows
        named = csr_array((np.ones(near.size), near.ravel(), np.arange(n + 1) * k), shape=(n, n))
        W = csr_array(named.minimum(named.T))
        W.sort_indices()
        return W


@enter(Card("kernel_affinity", "Kernel", ("affinity",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class KernelAffinity(Affinity):
    """All rows are joined, by the value of a kernel, which must not be negative.

    Its width decides which groups there are: wide ones see one, narrow ones see the outliers.
    """

    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")

    def applies(self, X: np.ndarray) -> str | None:
        """That of the kernel."""
        return self.kernel.applies(X)

    def weights(self, X: np.ndarray) -> Any:
        """The Gram matrix without its diagonal. Raises DataError if the kernel falls below 0."""
        from scipy.sparse import csr_array  # takes a moment to import

        with np.errstate(under="ignore", over="ignore"):
            K = np.array(self.kernel.resolve(X).against(X)(X), dtype=np.float64)
        K = (K + K.T) / 2
        if not np.isfinite(K).all() or K.min() < 0 or K.max() <= 0:
            raise DataError(
                f"{self.kernel.title()} gives affinities below 0, or none that is finite and above "
                "it. Choose a kernel of the distance, such as the Gaussian."
            )
        K = np.maximum(K / K.max(), FAINTEST)
        np.fill_diagonal(K, 0.0)
        return csr_array(K)

    def shown(self, W: Any) -> Any:
        """The strongest edges of each row."""
        from scipy.sparse import csr_array  # takes a moment to import

        n = W.shape[0]
        k = min(STRONGEST, n - 1)
        K = W.toarray()
        near = np.argpartition(-K, k - 1, axis=1)[:, :k]
        values = np.take_along_axis(K, near, axis=1)
        named = csr_array((values.ravel(), near.ravel(), np.arange(n + 1) * k), shape=(n, n))
        return csr_array(named.maximum(named.T))
