"""How far rows move between two maps of them, once these lie on one another as well as can be."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.distances.neighbours import Neighbours
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


class Alignment(NamedTuple):
    """The rotation, the scale and the shift that lay one map on another."""

    start: np.ndarray  # (q,) mean of the map that is laid
    rotation: np.ndarray  # (q, q) orthogonal, reflections among them
    scale: float
    end: np.ndarray  # (q,) mean of the map on which it is laid
    residual: float  # root of the sum of squares that is left over that about the mean

    def laid(self, Z: np.ndarray) -> np.ndarray:
        """Rows of the first map, shape (m, q), as they lie on the second."""
        return self.scale * (Z - self.start) @ self.rotation + self.end


@function(
    "procrustes",
    title="Procrustes alignment",
    sources=("mi2:clustering_robustness",),
    synonyms=("Procrustes analysis", "disparity", "superimposition", "rotation of maps"),
)
def procrustes(Z: Any, onto: Any) -> Alignment:
    """Lay a map Z on another of the same rows, both of shape (n, q), by least squares.

    min over s >= 0, R orthogonal and t of ||s Z R + t - onto||^2 (Schonemann and Carroll 1970). Of
    the centred maps Z'onto = U S V', so R = U V' and s = tr S / ||Z||^2; the residual is
    sqrt(1 - (tr S)^2 / (||Z||^2 ||onto||^2)), the same in both directions: 0 is one map turned,
    moved and scaled, 1 is nothing in common. A map of one place has residual 1, of two 0. Raises
    DataError for maps of different shape or without rows.
    """
    Z, onto = np.asarray(Z, dtype=np.float64), np.asarray(onto, dtype=np.float64)
    if Z.shape != onto.shape or not len(Z):
        raise DataError(
            f"Procrustes alignment needs two maps of the same rows; shapes are {Z.shape} and "
            f"{onto.shape}. Give both for the same rows."
        )
    start, end = Z.mean(axis=0), onto.mean(axis=0)
    A, B = Z - start, onto - end
    spread, aim = float((A**2).sum()), float((B**2).sum())
    left, sizes, right = np.linalg.svd(A.T @ B)
    common = float(sizes.sum())
    scale = common / spread if spread > 0 else 0.0
    if spread == 0 or aim == 0:
        return Alignment(start, left @ right, scale, end, float(spread != aim))
    # Products lose half of the digits: what is left over is measured where it lies.
    over = float((((scale * A) @ (left @ right) - B) ** 2).sum())
    return Alignment(start, left @ right, scale, end, min(float(np.sqrt(over / aim)), 1.0))


@function(
    "neighbours_shared",
    title="Neighbours that stay",
    synonyms=("neighbourhood preservation", "k-NN overlap", "local stability of a map"),
)
def neighbours_shared(one: Any, other: Any, k: int = 10) -> np.ndarray:
    """Share of the k nearest rows in one map that are so in another too, for each row, shape (n,).

    Both maps have shape (n, q) and the same rows; of few rows there are fewer neighbours. Turning
    and moving whole groups leaves it as it is. NaN where there is no other row.
    """
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    k = min(k, len(one) - 1)
    if k < 1:
        return np.full(len(one), np.nan)
    mine, theirs = (Neighbours(Z).others(k).rows for Z in (one, other))
    return (mine[:, :, None] == theirs[:, None, :]).any(axis=2).mean(axis=1)
