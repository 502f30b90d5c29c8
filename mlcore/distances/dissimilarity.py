"""Distances without rows, of graphs and of confusions, and the axioms of a metric."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

TOL = 1e-9  # of the largest entry: what rounding does
MOST = 1500  # rows whose triangles are all checked
WHOLE = 1e-6  # by which the sum of a row of shares may miss 1


class DistanceChecks(NamedTuple):
    """By how much a matrix violates the axioms of a metric, and of Euclidean distances."""

    diagonal: float  # largest absolute entry of the diagonal, which should be 0
    asymmetry: float  # largest difference of two mirrored entries
    lowest: float  # smallest entry, which should not be below 0
    n_shortcuts: int  # pairs of rows that a detour over a third brings nearer
    worst: tuple[int, int, int] | None  # rows i, j and the k over which the detour saves most
    saved: float  # by how much the worst detour is shorter
    negative: float  # share of the negative eigenvalues in the sum of all absolute ones

    @property
    def is_metric(self) -> bool:
        """Whether it is a metric; one of points in a Euclidean space has `negative` = 0 too."""
        return self.worst is None and self.diagonal == self.asymmetry == 0 <= self.lowest


@function("path_distances", title="Shortest paths", sources=("mi2:distance_graph",))
def path_distances(A: Any) -> np.ndarray:
    """Length of the shortest path between every two nodes, shape (n, n); infinite where none is.

    A, shape (n, n), holds the lengths of the edges, 0 where there is no edge. A row that is no
    mirror of its column makes a directed graph. Raises DataError if a length is negative or A is
    not square.
    """
    from scipy.sparse.csgraph import shortest_path  # takes a moment to import

    A = _square(A, "A search for paths")
    if (A < 0).any():
        raise DataError(f"A search for paths needs lengths of at least 0; one is {A.min():.3g}.")
    return shortest_path(A)


@function("confusion_distances", sources=("mi2:distance_confusion",))
def confusion_distances(P: Any) -> np.ndarray:
    r"""$1 - \frac12 (p_{ij} + p_{ji})$, zero on the diagonal, shape (n, n).

    P holds in row i the shares with which i was taken for each j. What is often confused is near.
    Raises DataError if a row of P is not shares with the sum 1.
    """
    P = _square(P, "A distance by confusion")
    if (P < 0).any() or (np.abs(P.sum(axis=1) - 1.0) > WHOLE).any():
        raise DataError(
            "A distance by confusion needs shares: every row at least 0 with the sum 1. "
            "Divide each row by its sum."
        )
    D = 1.0 - (P + P.T) / 2
    np.fill_diagonal(D, 0.0)
    return D


@function("check_distances", title="Distance axioms", sources=("mi2:distance_matrix_checks",))
def check_distances(D: Any) -> DistanceChecks:
    """Diagonal, symmetry, sign, triangles and eigenvalues of D, shape (n, n); O(n^3).

    Eigenvalues are those of the centred matrix of -d^2 / 2: below zero means that no points of a
    Euclidean space have these distances. Raises DataError if D is not square or has more than 1500
    rows.
    """
    D = _square(D, "A check of distances")
    if len(D) > MOST:
        raise DataError(
            f"A check of distances looks at every triangle of at most {MOST:,} rows; got "
            f"{len(D):,}. Take a sample of the rows."
        )
    tol = TOL * float(np.abs(D).max())
    count, worst, saved = _shortcuts(D, tol)
    return DistanceChecks(
        _beyond(float(np.abs(np.diagonal(D)).max()), tol),
        _beyond(float(np.abs(D - D.T).max()), tol),
        float(D.min()),
        count, worst, saved, _negative_share(D),
    )  # fmt: skip


def _square(A: Any, who: str) -> np.ndarray:
    A = checks.matrix(A, who)
    if A.shape[0] != A.shape[1]:
        raise DataError(f"{who} needs a square matrix; got {A.shape[0]} by {A.shape[1]}.")
    return A


def _beyond(value: float, tol: float) -> float:
    return value if value > tol else 0.0


def _shortcuts(D: np.ndarray, tol: float) -> tuple[int, tuple[int, int, int] | None, float]:
    """Unordered pairs that some detour shortens, the worst i, j, k, and what it saves."""
    shortens = np.zeros(D.shape, dtype=bool)
    worst, saved = None, 0.0
    for k in range(len(D)):
        gain = D - D[:, k, None] - D[k]
        gain[k] = gain[:, k] = 0.0  # the ends are no detour, whatever the diagonal holds
        np.fill_diagonal(gain, 0.0)
        shortens |= gain > tol
        i, j = (int(at) for at in np.unravel_index(gain.argmax(), D.shape))
        if gain[i, j] > max(saved, tol):
            worst, saved = (i, j, k), float(gain[i, j])
    return int(np.triu(shortens | shortens.T).sum()), worst, saved


def _negative_share(D: np.ndarray) -> float:
    S = -((D + D.T) ** 2) / 8
    about = S - S.mean(axis=0)
    values = np.linalg.eigvalsh(about - about.mean(axis=1, keepdims=True))
    size = np.abs(values)
    below = values < -TOL * size.max()
    return float(size[below].sum() / size.sum()) if below.any() else 0.0
