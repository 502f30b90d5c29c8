"""Isomap: a map that keeps distances along a surface, measured through neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import pdist, squareform

from mlcore.distances.neighbours import Neighbours
from mlcore.maths.arrays import read_only
from mlcore.maths.linear import eigen_falling, signed
from mlcore.maths.pool import side_by_side
from mlcore.reduction import _kernels
from mlcore.reduction.connected import GraphMap, GraphMapFit
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.method import Given

FEW = 300  # rows of which all eigenvectors take no time
MANY = 1_000  # rows of more than which only the first eigenvalues are found
PART = 128  # rows whose paths are one piece of work


@dataclass(frozen=True, eq=False, kw_only=True)
class IsomapFit(GraphMapFit):
    """Coordinates along eigenvectors of the distances through the graph."""

    paths: np.ndarray  # (m, m) lengths of the shortest paths
    norms: np.ndarray  # (m,) squared distance of each from the mean
    eigenvalues: np.ndarray  # (r,) falling, all of few rows; else the first
    negative_share: float  # of the sizes of all eigenvalues; NaN where not all are known
    residual_variance: np.ndarray  # (q,) 1 - r^2 of paths and distances in 1, 2 ... coordinates
    variances: np.ndarray  # (q,) along the coordinates
    shares: np.ndarray  # (q,) of the sum of all eigenvalues that are not negative

    def holds_together(self) -> bool:
        """Whether there is a place and a path for each row."""
        m, q = len(self.rows), len(self.out_columns)
        return self.coordinates.shape == (m, q) and self.paths.shape == (m, m)

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of other rows, shape (m, q): paths lead through their nearest rows.

        Then Gower's formula (1968, Biometrika 55), 1/2 (b - d^2) Y / values.
        """
        X, method = self._rows(X), cast(Any, self.made_by)
        near = Neighbours(self.rows).nearest(X, min(method.n_neighbors, len(self.rows)))
        lengths = np.full((len(X), len(self.rows)), np.inf)
        for distances, rows in zip(near.distances.T, near.rows.T, strict=True):
            np.minimum(lengths, distances[:, None] + self.paths[rows], out=lengths)
        axes = self.coordinates / (self.variances * len(self.rows))
        return 0.5 * (self.norms - lengths**2) @ axes


def _cost(n: int, p: int, method: Isomap) -> tuple[float, float]:
    paths = 2e-8 * n**2 * method.n_neighbors * np.log2(n + 2)
    return 2e-3 + paths + 2e-8 * n**2 * (p + 10), 40.0 * n**2


@enter(
    Card(
        "isomap",
        "Isomap",
        ("reduction",),
        paper="Tenenbaum, de Silva and Langford (2000), Science 290",
        sources=("prac:isomap", "prac:isomap_diagnostics", "cs1:isomap", "mi2:embed_isomap"),
        scores=("map_neighbours", "stress"),
        cost=_cost,
        units="distances",
        formula=r"B = -\tfrac12 H D_G^{2} H, \quad D_G \text{: shortest paths through neighbours}",
        synonyms=("isometric mapping", "manifold learning", "geodesic distances"),
        line="distances along the surface",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Isomap(GraphMap):
    r"""Unrolls a surface: keeps distances along it, as paths from neighbour to neighbour.

    Rows are joined to their nearest; $D_G$ holds the lengths of the shortest paths; the map is
    the classical one of these distances, the eigenvectors of $-\frac12 H D_G^2 H$. The residual
    variance, 1 less the squared correlation of paths and distances in the map, says how many
    coordinates the surface needs.

    Use it for one bent sheet without gaps, densely covered. O(n^2 k log n) for the paths. Fails
    where one false edge short-cuts two layers: then negative eigenvalues grow and the sheet folds.
    """

    def _fit(self, given: Given) -> IsomapFit:
        part = self._connected(given.X)
        D = _paths(part.lengths)
        squares = D**2
        means = squares.mean(axis=0)
        squares -= means
        squares -= means[:, None] - means.mean()
        squares *= -0.5
        norms, total = np.diagonal(squares).copy(), float(np.trace(squares))
        values, vectors, share = _first(squares, self.n_components)
        q = min(self.n_components, int((values > values[0] * len(D) * np.finfo(float).eps).sum()))
        Y = signed(vectors[:, :q].T).T * np.sqrt(values[:q])
        positive = float(values[values > 0].sum()) if len(values) == len(D) else total
        return IsomapFit(
            made_by=self, columns=given.columns, rows=given.X[part.rows], kept_rows=part.rows,
            coordinates=Y, paths=D, norms=norms, eigenvalues=values.copy(), negative_share=share,
            residual_variance=_residual_variances(D, Y), variances=values[:q] / len(D),
            shares=values[:q] / positive,
            out_columns=tuple(Column(f"ISO{k + 1}") for k in range(q)), notes=part.notes,
        )  # fmt: skip


def _paths(lengths: Any) -> np.ndarray:
    """Lengths of the shortest paths of a connected graph, shape (n, n), exactly symmetric."""
    n = lengths.shape[0]
    D = np.empty((n, n))
    ends, edges = (read_only(a.astype(np.int64)) for a in (lengths.indptr, lengths.indices))
    data = read_only(lengths.data)

    def work(start: int) -> None:
        _kernels.shortest_paths(ends, edges, data, start, min(start + PART, n), D)

    list(side_by_side(work, range(0, n, PART)))
    # Back along a path its lengths add up in another order.
    return np.minimum(D, D.T)


def _first(B: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Eigenvalues of B, falling, with vectors, and the share of negative ones: few of many rows."""
    if len(B) <= FEW or q > len(B) // 20:
        values, vectors = eigen_falling(B)
        return values, vectors, _negative_share(values)
    start = np.random.default_rng(0).normal(size=len(B))  # a fixed start: equal bits each time
    values, vectors = eigsh(B, q, which="LA", v0=start)
    if len(B) > MANY:
        return values[::-1], vectors[:, ::-1], float("nan")
    every = np.linalg.eigvalsh(B)[::-1]  # without vectors in a third of the time
    return every, vectors[:, ::-1], _negative_share(every)


def _negative_share(values: np.ndarray) -> float:
    sizes = np.abs(values)
    return float(sizes[values < 0].sum() / sizes.sum())


def _residual_variances(D: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """1 - r^2 of D, shape (n, n), with distances in the first 1, 2 ... columns of Y, (n, q)."""
    aims = squareform(D, checks=False)
    distances = (pdist(Y[:, : k + 1]) for k in range(Y.shape[1]))
    return np.array([1.0 - np.corrcoef(aims, apart)[0, 1] ** 2 for apart in distances])
