"""Locally linear embedding: each row stays the same combination of its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from mlcore.distances.neighbours import NearestRows, Neighbours
from mlcore.maths.smoothest import LITTLE_FILL, smoothest
from mlcore.reduction.connected import GraphMap, GraphMapFit
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.method import Given
from mlcore.spine.params import choice, real

AT_ONCE = 512  # rows whose neighbours are in memory at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class LLEFit(GraphMapFit):
    """Coordinates in which rows are the combinations of their neighbours that they were."""

    neighbours: np.ndarray  # (m, k) of each row, numbers in `rows`
    weights: np.ndarray  # (m, k) of sum 1
    residuals: np.ndarray  # (m,) distance of each row from its combination
    coordinates: np.ndarray  # (m, q) with mean 0 and covariance 1
    eigenvalues: np.ndarray  # (q,) rising: the squared errors in the map

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of rows, shape (m, q): a fitted row keeps its place.

        Another one is the combination of its nearest in the map that it is in the columns.
        """
        X, method = self._rows(X), cast(Any, self.made_by)
        near = self._nearest(X, self.neighbours.shape[1])
        weights = method.combinations(self.frame.placed(X), self.frame.placed(self.rows), near.rows)
        placed = np.einsum("mk,mkq->mq", weights, self.coordinates[near.rows])
        known = near.distances[:, 0] == 0.0
        return np.where(known[:, None], self.coordinates[near.rows[:, 0]], placed)


def _cost(n: int, p: int, method: LLE) -> tuple[float, float]:
    k = method.n_neighbors
    mixes = 3e-3 + 2e-9 * n * k**2 * (p + k)
    if p <= LITTLE_FILL:
        return mixes + 5e-5 * n, 8.0 * n * (700 + 4 * k + 2 * p)
    return mixes + n**2 * (1e-8 + 3e-10 * p) + 7e-12 * n**3, 8.0 * n * (n + 4 * k + 2 * p)


@enter(
    Card(
        "lle",
        "Locally linear embedding",
        ("reduction",),
        paper="Roweis and Saul (2000), Science 290",
        sources=("prac:lle", "mi2:lle", "cs1:lle"),
        scores=("map_neighbours", "stress"),
        cost=_cost,
        units="distances",
        formula=r"\min_Y \sum_i \bigl\| y_i - \sum_j w_{ij} y_j \bigr\|^2",
        synonyms=("LLE", "manifold learning"),
        line="each row stays a mix of its neighbours",
    )
)
@dataclass(frozen=True, kw_only=True)
class LLE(GraphMap):
    r"""Unrolls a surface piece by piece: each row stays the mix of its neighbours that it is.

    First the weights of sum 1 that minimise $\|x_i - \sum_j w_{ij} x_j\|^2$ over the k nearest
    rows, then coordinates of mean 0 and covariance 1 that minimise the same sum in the map: the
    least eigenvectors of $(I - W)^\top (I - W)$, without the constant one.

    Use it for densely covered sheets. One factorisation, O(n^3) at worst. Fails where the sheet is
    thinly covered or the neighbours span more than it does: the map collapses onto a line or a
    corner, and a little more regularisation gives another map.
    """

    reg: float = real(
        1e-3,
        above=0.0,
        high=1.0,
        soft=(1e-6, 1e-1),
        log=True,
        label="Regularisation",
        doc="Added to the diagonal for the weights; needed for more neighbours than columns.",
    )
    reg_scale: str = choice(
        "trace",
        "trace",
        "absolute",
        label="Regularisation is",
        doc="A share of the variance of the neighbours, or in squared units of the columns.",
        advanced=True,
    )

    def _fit(self, given: Given) -> LLEFit:
        part = self._connected(given.X)
        if part.frame.power != 2.0:
            raise DataError(
                f"{self.title()} mixes rows, which needs distances in a straight line; "
                f"{self.metric.title()} is none. Choose Euclidean distances, or Isomap."
            )
        rows = part.frame.placed(given.X[part.rows])
        near = self._near(rows)
        weights = self.combinations(rows, rows, near.rows)
        smooth = smoothest(
            _errors(weights, near.rows), np.ones(len(rows)), self.n_components, given.p
        )
        mixes = np.einsum("mk,mkp->mp", weights, rows[near.rows])
        return LLEFit(
            made_by=self, columns=given.columns, frame=part.frame, rows=given.X[part.rows],
            kept_rows=part.rows, neighbours=near.rows, weights=weights,
            residuals=np.linalg.norm(rows - mixes, axis=1),
            coordinates=smooth.vectors * np.sqrt(len(rows)), eigenvalues=smooth.values,
            out_columns=tuple(Column(f"LLE{k + 1}") for k in range(len(smooth.values))),
            notes=(*part.notes, *self._fewer(len(part.rows))),
        )  # fmt: skip

    def _near(self, rows: np.ndarray) -> NearestRows:
        return Neighbours(rows).others(min(self.n_neighbors, len(rows) - 1))

    def combinations(self, X: np.ndarray, rows: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Weights of sum 1, shape (m, k), with which rows, (n, p), make each of X, (m, p).

        Those at the positions `near`, (m, k): C w = 1 with the scatter C of the neighbours about
        the row, then scaled.
        """
        m, k = near.shape
        weights = np.empty((m, k))
        for start in range(0, m, AT_ONCE):
            own = slice(start, start + AT_ONCE)
            gaps = rows[near[own]] - X[own][:, None, :]
            # In units of the farthest neighbour: squares of large numbers would lose the small.
            unit = np.abs(gaps).max(axis=(1, 2), keepdims=True)
            gaps = gaps / np.where(unit > 0, unit, 1.0)
            C = gaps @ gaps.transpose(0, 2, 1)
            trace = np.einsum("mkk->m", C)
            if self.reg_scale == "trace":
                ridge = np.where(trace > 0, self.reg * trace, self.reg)
            else:
                ridge = self.reg / np.where(unit > 0, unit, 1.0)[:, 0, 0] ** 2
            C[:, np.arange(k), np.arange(k)] += ridge[:, None]
            w = self._solved(C)
            weights[own] = w / w.sum(axis=1, keepdims=True)
        return weights

    def _solved(self, C: np.ndarray) -> np.ndarray:
        """The solutions of C w = 1, shape (m, k), of C with its ridge, (m, k, k)."""
        try:
            return np.linalg.solve(C, np.ones((*C.shape[:2], 1)))[:, :, 0]
        except np.linalg.LinAlgError:
            raise DataError(
                f"{self.title()} has more than one best combination of neighbours: a ridge of "
                f"{self.reg:g} vanishes beside the squares of their distances. Raise it, or give "
                "it as a share of the variance."
            ) from None


def _errors(weights: np.ndarray, near: np.ndarray) -> Any:
    """(I - W)'(I - W) as a sparse matrix, shape (m, m)."""
    from scipy.sparse import csr_array, eye_array  # takes a moment to import

    m, k = near.shape
    W = csr_array((weights.ravel(), near.ravel(), np.arange(0, m * k + 1, k)), shape=(m, m))
    off = eye_array(m, format="csr") - W
    return csr_array(off.T @ off)
