"""How near rows count to one another: shares of a given perplexity."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlcore.distances.metrics import Frame
from mlcore.distances.neighbours import Neighbours
from mlcore.distances.pairwise import apart
from mlcore.maths.arrays import read_only
from mlcore.maths.squared_distances import sq_distances
from mlcore.reduction import _kernels

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Conditionals(NamedTuple):
    """The share of each neighbour j of a row i, p(j|i), of sum 1 over j."""

    rows: np.ndarray  # (n, k) numbers of the neighbours
    shares: np.ndarray  # (n, k)
    widths: np.ndarray  # (n,) standard deviation of the normal density that gives them


def within_reach(perplexity: float, n: int) -> float:
    """The perplexity, or the largest for which n rows are enough: each needs thrice as many."""
    return min(perplexity, max((n - 1) / 3, 1.0))


def conditionals(
    X: np.ndarray, perplexity: float, k: int, frame: Frame | None = None
) -> Conditionals:
    """Shares of the k nearest rows of each row of X, shape (n, p); k is at most n - 1.

    $p_{j|i} \\propto e^{-d_{ij}^2 / 2 \\sigma_i^2}$ with the $\\sigma_i$ that gives the perplexity,
    2 to the power of the entropy in bits; d is the distance of the frame, or Euclidean.
    """
    frame = frame or Frame()
    Z = frame.placed(X)
    Z = Z - Z.mean(axis=0)
    # Shares do not depend on the unit; in this one no square overflows. A share of columns that
    # differ has none.
    unit = float(np.abs(Z).max()) if frame.power > 0.0 else 1.0
    rows, squares = _nearest(Z / unit, k, frame)
    squares = squares - squares.min(axis=1, keepdims=True)
    shares, precisions = np.empty(squares.shape), np.empty(len(X))
    _kernels.perplexities(read_only(squares), float(np.log(perplexity)), shares, precisions)
    return Conditionals(rows, shares, unit / np.sqrt(2.0 * precisions))


def _nearest(Z: np.ndarray, k: int, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and squared distances of the k nearest others, or of all where k = n - 1.

    Of rows Z, shape (n, r), that are placed in the frame.
    """
    n = len(Z)
    if k < n - 1:
        near = Neighbours(Z, frame.power).others(k)
        return near.rows, near.distances**2
    others = ~np.eye(n, dtype=bool)
    rows = np.broadcast_to(np.arange(n), (n, n))[others].reshape(n, k)
    squares = sq_distances(Z) if frame.power == 2.0 else apart(frame, Z, Z) ** 2
    return rows, squares[others].reshape(n, k)


def joint(given: Conditionals) -> csr_array:
    """p(i, j) = (p(j|i) + p(i|j)) / 2n, shape (n, n), of sum 1."""
    from scipy.sparse import csr_array  # takes a moment to import

    n, k = given.rows.shape
    ends = np.arange(0, n * k + 1, k)
    one = csr_array((given.shares.ravel(), given.rows.ravel(), ends), shape=(n, n))
    both = csr_array((one + one.T) / (2.0 * n))
    both.sort_indices()
    return both
