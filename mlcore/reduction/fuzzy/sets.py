"""Fuzzy sets of neighbours: how surely two rows belong together, in distances of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlcore.distances.neighbours import NearestRows, Neighbours

if TYPE_CHECKING:
    from scipy.sparse import csr_array

HALVINGS = 64  # of the interval in which a width lies
LEAST = 1e-3  # of the mean distance: a width below it would leave one neighbour


class Memberships(NamedTuple):
    """How surely each neighbour of a row belongs to it, in (0, 1]."""

    weights: np.ndarray  # (n, k)
    nearest: np.ndarray  # (n,) distance within which it is certain
    widths: np.ndarray  # (n,) distance beyond that at which it falls to 1/e


class Edges(NamedTuple):
    """A fuzzy graph, each edge in both directions."""

    one: np.ndarray  # (m,)
    other: np.ndarray  # (m,)
    weights: np.ndarray  # (m,) in (0, 1]


def memberships(distances: np.ndarray, total: float, *, own: bool) -> Memberships:
    """Of neighbours at these distances, shape (n, k), rising: the weights of a row add up to total.

    $w_{ij} = e^{-\\max(0, d_{ij} - \\rho_i) / \\sigma_i}$, with rho the least distance above 0
    where the rows have one of their `own`, else 0. Where no width gives the total, because too many
    rows are as near as the nearest, it is the least.
    """
    nearest = np.where(distances > 0, distances, np.inf).min(axis=1) if own else 0.0
    nearest = np.where(np.isfinite(nearest), nearest, 0.0) * np.ones(len(distances))
    beyond = np.maximum(distances - nearest[:, None], 0.0)
    unit = float(distances.mean()) or 1.0
    low, high = np.zeros(len(beyond)), np.full(len(beyond), np.inf)
    widths = np.full(len(beyond), unit)
    for _ in range(HALVINGS):
        too_wide = _weights(beyond, widths).sum(axis=1) > total
        low, high = np.where(too_wide, low, widths), np.where(too_wide, widths, high)
        widths = np.where(np.isfinite(high), (low + np.minimum(high, 1e300)) / 2, widths * 2)
    means = np.where(nearest > 0, distances.mean(axis=1), unit)
    widths = np.maximum(widths, LEAST * means)
    return Memberships(_weights(beyond, widths), nearest, widths)


def _weights(beyond: np.ndarray, widths: np.ndarray) -> np.ndarray:
    with np.errstate(under="ignore", over="ignore"):  # what is far weighs nothing
        scaled = np.divide(
            beyond,
            widths[:, None],
            out=np.where(beyond > 0, np.inf, 0.0),
            where=widths[:, None] > 0,
        )
        return np.exp(-scaled)


def fuzzy_graph(X: np.ndarray, k: int, power: float = 2.0) -> csr_array:
    """The union of the fuzzy sets of all rows of X, shape (n, p): symmetric, shape (n, n).

    Each row counts among its own k nearest, by the norm of that power. The union of w and v is
    w + v - w v: rows belong together if either says so (McInnes, Healy and Melville 2018, 3.1).
    """
    from scipy.sparse import csr_array  # takes a moment to import

    near = Neighbours(X, power).others(k - 1)
    weights = memberships(near.distances, float(np.log2(k)), own=True).weights
    ends = np.arange(0, len(X) * (k - 1) + 1, k - 1)
    one = csr_array((weights.ravel(), near.rows.ravel(), ends), shape=(len(X), len(X)))
    return united(one)


def united(one: csr_array) -> csr_array:
    """The union of a fuzzy relation, shape (n, n), with the same of the other direction."""
    from scipy.sparse import csr_array  # takes a moment to import

    other = csr_array(one.T)
    union: Any = csr_array(one + other - one.multiply(other))
    union.eliminate_zeros()
    union.sort_indices()
    return union


def edges_of(graph: Any, epochs: int) -> Edges:
    """The edges that pull at least once in so many epochs, the strongest in each, row by row."""
    one = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    kept = graph.data >= graph.data.max() / epochs
    return Edges(one[kept], graph.indices[kept].astype(np.int64), graph.data[kept])


def to_new_rows(near: NearestRows) -> np.ndarray:
    """How surely fitted rows belong to other ones, of which they are the nearest, shape (m, k)."""
    return memberships(near.distances, float(np.log2(near.rows.shape[1])), own=False).weights
