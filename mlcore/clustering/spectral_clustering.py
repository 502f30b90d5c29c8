"""Spectral clustering: groups of a graph of rows by the eigenvectors of its Laplacian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import eigsh

from mlcore.clustering.counted import CountedClusters
from mlcore.clustering.restarts import parts_of_equal_rows, too_few
from mlcore.clustering.spectral.affinities import SPARSE, Affinity
from mlcore.clustering.spectral.assignments import SpectralLabels, unit_rows
from mlcore.distances.graphs import degrees
from mlcore.maths.arrays import vanishing
from mlcore.maths.linear import signed
from mlcore.maths.smoothest import FEW, LITTLE_FILL, smoothest
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, part
from mlcore.spine.wording import count

MOST_ROWS = 5_000  # a matrix of all pairs of more takes 200 MB and minutes
MOST_SPARSE = 100_000  # where few pairs are joined and nothing is factorised
SHOWN = 12  # eigenvalues in which a gap is looked for


@dataclass(frozen=True, eq=False, kw_only=True)
class SpectralFit(Fit):
    """The groups of the fitted rows, the graph, and its least eigenvalues."""

    labels: np.ndarray  # (n,), 0..K-1
    coordinates: np.ndarray  # (n, K) in the first eigenvectors
    eigenvalues: np.ndarray  # (m,) of the Laplacian, rising from 0
    edges: np.ndarray  # (e, 2) rows that are joined, of all or of the strongest
    strengths: np.ndarray  # (e,)
    notes: tuple[str, ...] = ()


def _cost(n: int, p: int, method: SpectralClustering) -> tuple[float, float]:
    if method.is_quick(n, p):
        return 1e-2 + 1e-10 * n**2 * p + 3e-5 * n, 8.0 * n * (700 + 2 * p)
    return 1e-2 + 3e-9 * n**2 * p + 2e-11 * n**3 + 2e-6 * n, 8.0 * n * (3 * n + 2 * p)


@enter(
    Card(
        "spectral_clustering",
        "Spectral clustering",
        ("clustering",),
        paper="Ng, Jordan and Weiss (2001), NIPS 14; von Luxburg (2007), Statistics and "
        "Computing 17(4)",
        scores=("stability", "silhouette", "group_information"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"L = I - D^{-1/2} W D^{-1/2}, \quad L u_k = \lambda_k u_k",
        synonyms=("normalised cut", "Ncut", "graph partitioning", "SpectralClustering"),
        line="cuts the graph of neighbours",
    )
)
@dataclass(frozen=True, kw_only=True)
class SpectralClustering(CountedClusters, Method):
    r"""Cuts a graph of the rows where little holds it together.

    With affinities W and their sums D, the K eigenvectors of the least eigenvalues of $L = I -
    D^{-1/2} W D^{-1/2}$ are nearly constant on groups between which there are few edges; in these
    coordinates, scaled to length 1, the groups are points. A large gap after the eigenvalue K
    speaks for K groups.

    Use it for groups of any form that are connected within. It labels the rows that it was fitted
    to and predicts no others. O(n^3) at worst. Fails where bridges of rows join the groups, where
    the affinities have the wrong width, and where groups differ much in size.
    """

    n_clusters: int = integer(
        3, low=1, soft=(2, 12), symbol="K", label="Number of clusters", doc="Number of groups."
    )
    affinity: Affinity = part(
        "neighbour_affinity", slot="affinity", doc="Which rows are joined, and how strongly."
    )
    laplacian: str = choice(
        "symmetric",
        "symmetric",
        "random_walk",
        "unnormalised",
        doc="Scaled by degrees, with coordinates of length 1, or without that, or not scaled.",
        advanced=True,
    )
    assign: SpectralLabels = part(
        "kmeans_labels",
        slot="spectral_labels",
        label="Labels by",
        doc="How coordinates become labels.",
    )

    def is_quick(self, n: int, p: int) -> bool:
        """Whether nothing of size n^2 is made of n rows of p columns."""
        is_factor_sparse = p <= LITTLE_FILL or self.laplacian != "unnormalised"
        return self.affinity.is_sparse(n) and is_factor_sparse

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows that are too few, or too many, where a matrix of all pairs is needed."""
        if len(X) > (most := MOST_SPARSE if self.is_quick(*X.shape) else MOST_ROWS):
            how = "" if most == MOST_SPARSE else " Or join few neighbours, and scale by degrees."
            return (
                f"{self.title()} so works on at most {most:,} rows; there are {len(X):,}. Draw "
                f"some of them.{how}"
            )
        if len(X) < max(self.n_clusters, 2):
            return too_few(max(self.n_clusters, 2), len(X))
        return vanishing(X, self.title()) or self.affinity.applies(X)

    def _fit(self, given: Given) -> SpectralFit:
        W = self.affinity.weights(given.X)
        is_scaled = self.laplacian != "unnormalised"
        m = min(max(self.n_clusters, SHOWN), given.n)
        values, vectors = _spectrum(W, is_scaled, m, given.p)
        Z = vectors[:, : self.n_clusters]
        if self.laplacian == "symmetric":
            Z = unit_rows(Z)
        elif self.laplacian == "random_walk":
            D = degrees(W)
            Z = Z / np.sqrt(np.where(D > 0, D, 1.0))[:, None]
        edges, strengths = _edges(self.affinity.shown(W))
        return SpectralFit(
            made_by=self,
            columns=given.columns,
            labels=_numbered(self.assign.labels(Z, given.seed, given.rng("turn"))),
            coordinates=Z,
            eigenvalues=values,
            edges=edges,
            strengths=strengths,
            notes=tuple(
                filter(
                    None,
                    (
                        self.affinity.remark(given.n),
                        parts_of_equal_rows(given.X, self.n_clusters),
                        *_remarks(W, self.n_clusters),
                    ),
                )
            ),
        )


class Spectrum(NamedTuple):
    """The least eigenvalues of a Laplacian, rising from 0, and their orthonormal vectors."""

    values: np.ndarray  # (m,)
    vectors: np.ndarray  # (n, m)


def _spectrum(W: Any, is_scaled: bool, q: int, p: int) -> Spectrum:
    """The q least eigenvalues of the Laplacian of W, shape (n, n), of rows of p columns.

    Each part of the graph has the eigenvalue 0, which an iteration from one start might miss: the
    parts are solved one by one.
    """
    from scipy.sparse.csgraph import connected_components  # takes a moment to import

    n_parts, part = connected_components(W, directed=False)
    values, vectors = [], []
    for k in range(n_parts):
        own = np.flatnonzero(part == k)
        least = _of_part(W[own][:, own] if n_parts > 1 else W, is_scaled, q, p)
        whole = np.zeros((len(part), len(least.values)))
        whole[own] = least.vectors
        values.append(least.values)
        vectors.append(whole)
    every = np.concatenate(values)
    order = np.argsort(every, kind="stable")[:q]
    return Spectrum(every[order], np.column_stack(vectors)[:, order])


def _of_part(W: Any, is_scaled: bool, q: int, p: int) -> Spectrum:
    """The same of a graph that is connected."""
    from scipy.sparse import csr_array, diags_array  # takes a moment to import

    n = W.shape[0]
    if n == 1:
        return Spectrum(np.zeros(1), np.ones((1, 1)))
    D = degrees(W)
    known = np.sqrt(D) if is_scaled else np.ones(n)
    first = known / np.linalg.norm(known)
    if is_scaled:
        scale = diags_array(1.0 / known)
        S = csr_array(scale @ W @ scale)
        if n > FEW and p > LITTLE_FILL and S.nnz < SPARSE * n**2 and q < n // 4:
            return _by_products(S, q)
        M = csr_array(diags_array(np.ones(n)) - S)
    else:
        M = csr_array(diags_array(D) - W)
    rest = smoothest(M, known, min(q, n) - 1, p)
    return Spectrum(np.concatenate([[0.0], rest.values]), np.column_stack([first, rest.vectors]))


def _by_products(S: Any, q: int) -> Spectrum:
    """1 less the q largest eigenvalues of a sparse S, by iterations without a factorisation.

    Rows of many columns leave gaps between the eigenvalues that are wide enough for it.
    """
    start = np.random.default_rng(0).normal(size=S.shape[0])  # equal bits each time
    values, vectors = eigsh(S, q, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    values = np.maximum(1.0 - values[order], 0.0)
    values[0] = 0.0
    return Spectrum(values, signed(vectors[:, order].T).T)


def _edges(W: Any) -> tuple[np.ndarray, np.ndarray]:
    """Each edge once, shape (e, 2), and its strength, shape (e,)."""
    from scipy.sparse import triu  # takes a moment to import

    upper = triu(W, k=1).tocoo()
    order = np.lexsort((upper.col, upper.row))
    return np.column_stack([upper.row, upper.col])[order].astype(np.int64), upper.data[order]


def _numbered(labels: np.ndarray) -> np.ndarray:
    """Labels in the order in which they first come."""
    _, first, own = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[own]


def _remarks(W: Any, k: int) -> tuple[str, ...]:
    from scipy.sparse.csgraph import connected_components

    n = W.shape[0]
    if 1 < k < n and W.nnz == n * (n - 1) and W.data.min() == W.data.max():
        return (
            "Every row is joined to every other, all alike: such a graph says nothing of groups, "
            "and how the rows are parted is chance. Join fewer rows, or let near ones count more.",
        )
    parts = int(connected_components(W, directed=False)[0])
    if parts <= k:
        return ()
    return (
        f"The graph falls into {parts} parts, more than the {count(k, 'group')} asked for: which "
        "of them are put together is chance. Raise the number of neighbours or of groups.",
    )
