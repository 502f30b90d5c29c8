"""Distances that come with the table, as a metric."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.distances.dissimilarity import TOL, check_distances
from mlcore.distances.metrics import Distance, Frame
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError

MOST_ROWS = 1000  # every two of which are compared over every third


@enter(
    Card(
        "precomputed",
        "Table of distances",
        ("metric",),
        also=("function:Precomputed",),
        kind="part",
        sources=("mi2:distance_matrix_checks",),
        formula=r"d(x, s) = \max_j |d(x, s_j) - d(s, s_j)|",
    )
)
@dataclass(frozen=True, kw_only=True)
class Precomputed(Distance):
    r"""The columns are the distances to objects of which each row is one.

    The column of a row is that in which it holds its own distance, 0. Of these the columns of the
    rows learned from are looked at and no others, so no row that is left out is seen. The largest
    difference of the distances to them, $\max_j |d(x, s_j) - d(s, s_j)|$, is the distance to s
    itself, because of the triangle inequality.

    Take out all preparation. At most 1,000 rows; O(n^3), because all triangles are looked at.
    """

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """The columns of the rows X, which are their distances, shape (n, n).

        Raises DataError if they are no metric, or there are more than 1000 rows.
        """
        if len(X) > MOST_ROWS:
            raise DataError(
                f"{self.title()} needs every two of at most {MOST_ROWS:,} rows; got {len(X):,}. "
                "Use fewer rows or another metric."
            )
        own = X.argmin(axis=1)
        least, tol = X[np.arange(len(X)), own], TOL * float(np.abs(X).max())
        if (off := np.abs(least) > tol).any():
            row = int(off.argmax())
            raise DataError(
                f"{self.title()} needs distances of at least 0 from each row to all, its own being "
                f"0; the least of row {row + 1} is {least[row]:.4g}. Take out columns that are no "
                "distances, and all preparation."
            )
        _keeps_triangle(X[:, own], tol, self.title())
        return Frame(power=inf, own=own)


def _keeps_triangle(D: np.ndarray, tol: float, who: str) -> None:
    """Refuse D, shape (n, n), if it violates an axiom of a metric."""
    if (np.abs(cdist(D, D, "chebyshev") - D) <= tol).all():
        return
    report = check_distances(D)
    if report.asymmetry or report.worst is None:
        raise DataError(
            f"{who} needs equal distances there and back; two differ by {report.asymmetry:.4g}. "
            "Take the mean of both."
        )
    i, j, k = report.worst
    raise DataError(
        f"{who} needs distances that no detour shortens; rows {i + 1} and {j + 1} are "
        f"{D[i, j]:.4g} apart, and {D[i, j] - report.saved:.4g} over row {k + 1}. Take the lengths "
        "of shortest paths."
    )
