"""Norms: what a distance calls a ball, and where the borders between centers run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.distances.metrics import Distance
from mlcore.distances.pairwise import apart
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, part, real
from mlcore.spine.random import generator

N_ROWS = 150
LEAST = 12  # cells of a border that is looked at
GRID = 121  # places along each side
REACH = 3.0  # half of the side


class Norms(NamedTuple):
    """Distances on a square, from its middle and from centers in it."""

    rows: np.ndarray  # (n, 2) from which a metric may learn
    centers: np.ndarray  # (k, 2)
    places: np.ndarray  # (GRID,) along each side
    away: np.ndarray  # (GRID, GRID) distance from the first center, columns along the first axis
    nearest: np.ndarray  # (GRID, GRID) number of the nearest center
    bent: np.ndarray  # (b,) for each longer border, how far it strays from a line, in cells
    metric: str


def _cost(n: int, p: int, it: NormsLab) -> tuple[float, float]:
    by_kernel = 0.6 if hasattr(it.metric, "kernel") else 0.0  # every place against every row
    return 0.02 + 4e-3 * it.n_centers + by_kernel, 4e6 if not by_kernel else 6e7


@enter(
    Card(
        "norms",
        "Unit balls and Voronoi cells",
        ("lab",),
        sources=(
            "epfl:dist_minkowski", "epfl:dist_manhattan", "epfl:dist_euclidean",
            "epfl:dist_chebyshev", "epfl:dist_mahalanobis", "epfl:cosine_similarity",
        ),
        random=True,
        cost=_cost,
        formula=r"B_r(c) = \{x : d(x, c) \le r\},\qquad d_p(x, z) = "
        r"\left(\sum_j |x_j - z_j|^p\right)^{1/p}",
        kind="lab",
        pages=("data", "clustering", "classification"),
        synonyms=("Minkowski distance", "Manhattan", "Chebyshev", "Lp norm", "nearest centroid"),
        line="a distance is known by its balls",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class NormsLab(Lab):
    r"""A distance is known by its balls, and a rule of the nearest center by its borders.

    The lines around the first center are places of equal distance from it: round for $p = 2$,
    diamonds for $p = 1$, squares for the largest difference, slanted ellipses for Mahalanobis,
    which learns the spread from the rows shown. Below, each place has the colour of the center
    nearest to it. Seeds draw other rows and centers.
    """

    tasks = (
        "Raise the power from 1 to 10, and watch the balls go from diamonds to squares.",
        "Look at the borders: for which distances are they straight?",
        "Choose Mahalanobis and raise the correlation of the rows; then try the cosine.",
    )
    seen = (
        "Borders are straight for the Euclidean distance and for Mahalanobis, which is Euclidean "
        "after a linear map; other powers bend them. For the cosine only the direction from the "
        "origin counts, so a ball is a wedge and a border a ray."
    )

    metric: Distance = part("minkowski", slot="metric", label="Distance", doc="How far is far.")
    n_centers: int = integer(
        4, low=2, high=12, soft=(2, 12), symbol="K", label="Centers", doc="Drawn in the square."
    )
    correlation: float = real(
        0.8, low=-0.95, high=0.95, soft=(-0.95, 0.95), symbol=r"\rho", doc="Of the rows."
    )

    def compute(self, seed: int = 0) -> Norms:
        """Distances on the square, and the borders."""
        slant = np.linalg.cholesky([[1.0, self.correlation], [self.correlation, 1.0]])
        rows = generator(seed, "rows").normal(size=(N_ROWS, 2)) @ slant.T
        centers = generator(seed, "centers").uniform(-0.8, 0.8, (self.n_centers, 2)) * REACH
        places = np.linspace(-REACH, REACH, GRID)
        square = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)
        away = self._distances(rows, square, centers)
        nearest = away.argmin(axis=1).reshape(GRID, GRID)
        return Norms(
            rows, centers, places, away[:, 0].reshape(GRID, GRID), nearest, _bent(nearest),
            self.metric.title(),
        )  # fmt: skip

    def _distances(self, rows: np.ndarray, at: np.ndarray, centers: np.ndarray) -> np.ndarray:
        """From each place to each center, (m, K), by what the metric learns from the rows."""
        frame = self.metric.frame(rows, None)
        return apart(frame, frame.placed(at), frame.placed(centers))


def _bent(nearest: np.ndarray) -> np.ndarray:
    """Root mean squared distance of each border from the line that fits it best, in cells."""
    both, where = _edges(nearest)
    strays = []
    for pair in np.unique(both, axis=0):
        own = where[(both == pair).all(axis=1)]
        if len(own) >= LEAST:
            least = np.linalg.svd(own - own.mean(axis=0), compute_uv=False)[-1]
            strays.append(least / np.sqrt(len(own)))
    return np.array(strays)


def _edges(nearest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two centers of neighbouring cells that differ, (e, 2), and where they meet, (e, 2)."""
    r, c = np.nonzero(nearest[:, :-1] != nearest[:, 1:])
    across, at = np.column_stack([nearest[r, c], nearest[r, c + 1]]), np.column_stack([c + 0.5, r])
    r, c = np.nonzero(nearest[:-1] != nearest[1:])
    up, above = np.column_stack([nearest[r, c], nearest[r + 1, c]]), np.column_stack([c, r + 0.5])
    return np.sort(np.vstack([across, up]), axis=1), np.vstack([at, above])
