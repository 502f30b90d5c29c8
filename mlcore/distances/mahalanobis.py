"""Differences scaled by the covariance of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from scipy.linalg import solve_triangular

from mlcore.distances.metrics import Distance, Frame
from mlcore.maths.arrays import means
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, many, real


@enter(
    Card(
        "mahalanobis",
        "Mahalanobis",
        ("metric",),
        also=("function:Mahalanobis",),
        kind="part",
        sources=("epfl:dist_mahalanobis", "s841:knn_mahalanobis"),
        formula=r"\sqrt{(x - z)^\top \Sigma^{-1} (x - z)}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Mahalanobis(Distance):
    r"""Differences scaled by the covariance of the rows: correlations are taken out.

    Directions in which the standardised rows do not vary are left out, with a note, unless the
    covariance is shrunken towards a sphere: $(1 - s) \Sigma + s \, \mathrm{tr}(\Sigma) / p \, I$.
    """

    scope: str = choice(
        "within",
        "within",
        "total",
        "given",
        doc="Covariance about the means of the classes, the mean of all rows, or a given one; a "
        "quantity has no classes, so its is that of all rows.",
    )
    shrinkage: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol="s",
        doc="Share of a ball in the covariance; some keeps directions that few rows show, with 1 "
        "it is Euclidean in other units.",
        advanced=True,
    )
    covariance: tuple = many(
        (), doc="The given covariance, row by row: p times p numbers for p columns.", advanced=True
    )

    def conflict(self) -> str | None:
        """Refuse a covariance without the scope `given`, and one that is not positive definite."""
        who = self.title()
        if self.scope != "given":
            return f"{who}: covariance needs the scope given." if self.covariance else None
        p = isqrt(len(self.covariance))
        if not p or p * p != len(self.covariance):
            return (
                f"{who}: a given covariance has p times p numbers for p columns, row by row; got "
                f"{len(self.covariance)}."
            )
        S = np.reshape(self.covariance, (p, p))
        if (S == S.T).all() and np.linalg.eigvalsh(S)[0] > 0:
            return None
        return f"{who}: a given covariance must be symmetric and positive definite."

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Axes along which the standard deviation is 1."""
        p = X.shape[1]
        if self.scope == "given":
            return Frame(axes=_rooted(self._shrunken(self._given(p))))
        Z = _about_means(X, codes if self.scope == "within" else None)
        if self.shrinkage and Z.any():
            return Frame(axes=_rooted(self._shrunken(Z.T @ Z / len(Z))))
        axes = _unit_axes(Z)
        rank = axes.shape[1]
        note = f"The rows vary in {rank} of {p} directions; the others are not looked at."
        return Frame(axes=axes, note=note if rank < p else "")

    def _given(self, p: int) -> np.ndarray:
        if len(self.covariance) == p * p:
            return np.reshape(self.covariance, (p, p))
        raise DataError(
            f"{self.title()} has a given covariance of {isqrt(len(self.covariance))} columns; "
            f"these rows have {p}. Give {p * p} numbers, row by row."
        )

    def _shrunken(self, S: np.ndarray) -> np.ndarray:
        ball = np.trace(S) / len(S) * np.eye(len(S))
        return (1 - self.shrinkage) * S + self.shrinkage * ball


def _about_means(X: np.ndarray, codes: np.ndarray | None) -> np.ndarray:
    """Rows less the mean of their class, or of all; exactly 0 where these are equal."""
    if codes is None:
        return X - means(X)
    Z = np.empty(X.shape)
    for code in np.unique(codes):
        own = codes == code
        Z[own] = X[own] - means(X[own])
    return Z


def _unit_axes(Z: np.ndarray) -> np.ndarray:
    """Axes, (p, rank), along which rows Z about their mean have the standard deviation 1."""
    spread = np.sqrt((Z**2).mean(axis=0))
    unit = Z / np.where(spread > 0, spread, 1.0)
    _, s, Vt = np.linalg.svd(np.linalg.qr(unit, mode="r"), full_matrices=False)
    kept = s > s.max(initial=0.0) * max(unit.shape) * np.finfo(np.float64).eps
    return Vt[kept].T / s[kept] * np.sqrt(len(Z)) / np.where(spread > 0, spread, 1.0)[:, None]


def _rooted(S: np.ndarray) -> np.ndarray:
    """Axes, (p, p), along which a covariance S of full rank is the identity."""
    return solve_triangular(np.linalg.cholesky(S), np.eye(len(S)), lower=True).T
