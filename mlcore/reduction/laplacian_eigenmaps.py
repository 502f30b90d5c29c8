"""Laplacian eigenmaps: the smoothest functions on the graph of neighbours as coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from mlcore.distances.graphs import degrees
from mlcore.maths.smoothest import LITTLE_FILL, smoothest
from mlcore.reduction.connected import GraphMap, GraphMapFit
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.method import Given
from mlcore.spine.params import choice, real


@dataclass(frozen=True, eq=False, kw_only=True)
class LaplacianFit(GraphMapFit):
    """Eigenvectors of the graph of neighbours, as coordinates of its rows."""

    coordinates: np.ndarray  # (m, q), with sum of degree times squares 1
    eigenvalues: np.ndarray  # (q,) rising, of the normalised Laplacian
    width: float  # of heat weights, in units of the columns; 0 for weights of one

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of rows, shape (m, q): a fitted row keeps its place.

        Another one lies at the mean of its nearest, by weight, divided by 1 less the eigenvalue
        (Bengio and others 2004, NIPS 16).
        """
        X, method = self._rows(X), cast(Any, self.made_by)
        near = self._nearest(X, method.n_neighbors)
        weights = _weights(near.distances - near.distances[:, :1], self.width)
        means = np.einsum("mk,mkq->mq", weights, self.coordinates[near.rows])
        means /= weights.sum(axis=1, keepdims=True)
        means /= np.maximum(1.0 - self.eigenvalues, 0.5)  # larger steps than twice have no meaning
        known = near.distances[:, 0] == 0.0
        return np.where(known[:, None], self.coordinates[near.rows[:, 0]], means)


def _weights(lengths: np.ndarray, width: float) -> np.ndarray:
    """Of edges of these lengths, in their shape: heat of that width, or one each."""
    if width == 0.0:
        return np.ones_like(lengths)
    with np.errstate(under="ignore"):  # far rows weigh nothing
        return np.exp(-((lengths / width) ** 2) / 2)


def _cost(n: int, p: int, method: LaplacianEigenmaps) -> tuple[float, float]:
    k = method.n_neighbors
    if p <= LITTLE_FILL:
        return 3e-3 + 2.5e-5 * n, 8.0 * n * (700 + 4 * k + 2 * p)
    return 3e-3 + n**2 * (1e-8 + 3e-10 * p) + 2e-11 * n**3, 8.0 * n * (n + 4 * k + 2 * p)


@enter(
    Card(
        "laplacian_eigenmaps",
        "Laplacian eigenmaps",
        ("reduction",),
        paper="Belkin and Niyogi (2003), Neural Computation 15",
        sources=("mi2:embed_laplacian_eigenmaps",),
        scores=("map_neighbours", "stress"),
        cost=_cost,
        units="distances",
        formula=r"(D - W) u = \lambda D u",
        synonyms=("spectral embedding", "manifold learning", "diffusion map", "graph Laplacian"),
        line="coordinates that vary least along edges",
    )
)
@dataclass(frozen=True, kw_only=True)
class LaplacianEigenmaps(GraphMap):
    r"""Keeps neighbours together: coordinates are the functions that vary least along edges.

    Of all functions on the rows with $u^\top D u = 1$ those that minimise $\sum_{ij} w_{ij}
    (u_i - u_j)^2$, without the constant one: eigenvectors of $(D - W) u = \lambda D u$, where W
    holds the weights of the edges and D their sums.

    Use it to follow curves or before clustering: it is the map of spectral clustering. One
    factorisation, O(n^3) at worst. Fails as a ruler: the middle of a surface is drawn together and
    its ends are stretched, and a long strip becomes a horseshoe.
    """

    weights: str = choice(
        "binary", "binary", "heat", doc="One for each edge, or less for longer ones."
    )
    sigma: float | str = real(
        "median",
        above=0.0,
        soft=(0.01, 10.0),
        log=True,
        auto="median",
        symbol=r"\sigma",
        label="Width",
        doc="Length at which heat weights fall to 0.61; median is that of all edges.",
        advanced=True,
        only_if={"weights": "heat"},
    )

    def _fit(self, given: Given) -> LaplacianFit:
        part = self._connected(given.X)
        width = self._width(part.lengths.data) if self.weights == "heat" else 0.0
        W = part.lengths.copy()
        W.data = _weights(part.lengths.data, width)
        W.data = np.maximum(W.data, 1e-12)  # an edge stays an edge, or the graph would fall apart
        roots = np.sqrt(degrees(W))
        normal = W.copy()
        ends = np.repeat(np.arange(len(roots)), np.diff(W.indptr))
        normal.data = -W.data / (roots[ends] * roots[W.indices])
        normal.setdiag(1.0)
        smooth = smoothest(normal, roots, self.n_components, given.p)
        return LaplacianFit(
            made_by=self, columns=given.columns, frame=part.frame, rows=given.X[part.rows],
            kept_rows=part.rows, coordinates=smooth.vectors / roots[:, None],
            eigenvalues=smooth.values, width=width,
            out_columns=tuple(Column(f"LE{k + 1}") for k in range(len(smooth.values))),
            notes=(*part.notes, *self._fewer(len(part.rows))),
        )  # fmt: skip

    def _width(self, lengths: np.ndarray) -> float:
        if not isinstance(self.sigma, str):
            return self.sigma
        return float(np.median(lengths)) or float(lengths.max()) or 1.0
