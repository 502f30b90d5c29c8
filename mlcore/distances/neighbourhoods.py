"""The nearest rows, by any metric, and the graph that joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlcore.distances.neighbours import NearestRows, Neighbours
from mlcore.distances.pairwise import frame_of
from mlcore.maths.squared_distances import beside
from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Graph(NamedTuple):
    """Rows joined to their neighbours."""

    lengths: csr_array  # (n, n), symmetric; an edge between equal rows is a stored 0
    components: np.ndarray  # (n,) number of the connected part of each row, from 0


@function("kneighbors", title="k-nearest neighbours", sources=("mi2:knn_search",))
def kneighbors(X: Any, queries: Any = None, k: int = 5, metric: Any = "euclidean") -> NearestRows:
    """The k rows of X, shape (n, p), nearest to each query, (m, p): distances and rows, (m, k).

    By distance, then by number. Without queries the rows of X are asked, each leaving itself out
    but not its duplicates. Raises ParamError if k is not a positive whole number, DataError if X
    has fewer than k rows to give.
    """
    X = checks.matrix(X, "A search for neighbours")
    most = len(X) - (queries is None)
    if not checks.is_count(k):
        raise ParamError(f"A search for neighbours needs a whole number k of at least 1; got {k}.")
    if k > most:
        raise DataError(f"There are only {most} neighbours to find, {k} were asked. Lower k.")
    frame = frame_of(metric, X)
    among = Neighbours(frame.placed(X), frame.power)
    if queries is None:
        return among.others(k)
    return among.nearest(frame.placed(beside(queries, X)), k)


@function("neighbour_distance", sources=("cs1:membership_2nn",))
def neighbour_distance(
    X: Any, queries: Any = None, k: int = 2, metric: Any = "euclidean"
) -> np.ndarray:
    """Mean distance of each query, (m, p), to the k rows of X, (n, p), nearest to it, shape (m,).

    The score of a test of membership: large for novelties. Without queries the rows of X are asked,
    each leaving itself out.
    """
    return kneighbors(X, queries, k, metric).distances.mean(axis=1)


@function("neighborhood_graph", sources=("prac:knn_graph", "prac:epsilon_graph"))
def neighborhood_graph(
    X: Any, k: int | None = None, radius: float | None = None, metric: Any = "euclidean"
) -> Graph:
    """Joins rows of X, (n, p): one is among the k nearest of the other, or within `radius` of it.

    Edges are as long as the rows are apart. Raises ParamError if not exactly one of k and radius is
    given, or the radius is negative.
    """
    X = checks.matrix(X, "A graph of neighbours")
    if (k is None) == (radius is None):
        raise ParamError("A graph of neighbours needs either k or a radius, not both.")
    if k is not None:
        nearest = kneighbors(X, k=k, metric=metric)
        ends = np.repeat(np.arange(len(X)), k), nearest.rows.ravel()
        return _joined(len(X), *ends, nearest.distances.ravel())
    if radius is None or not radius >= 0:
        raise ParamError(f"A radius is at least 0; got {radius}.")
    return _joined(len(X), *_within(X, radius, metric))


def _within(X: np.ndarray, radius: float, metric: Any) -> tuple[np.ndarray, ...]:
    """Both ends and lengths of the pairs of different rows within the radius."""
    frame = frame_of(metric, X)
    placed = frame.placed(X)
    near = Neighbours(placed, frame.power).within(placed, radius)
    one = np.repeat(np.arange(len(X)), np.diff(near.starts))
    away = one != near.rows
    return one[away], near.rows[away], near.distances[away]


def _joined(n: int, one: np.ndarray, other: np.ndarray, lengths: np.ndarray) -> Graph:
    """The graph with an edge in both directions for each pair, once."""
    from scipy.sparse import csr_array  # takes a moment to import
    from scipy.sparse.csgraph import connected_components

    low, high = np.minimum(one, other), np.maximum(one, other)
    _, at = np.unique(low * n + high, return_index=True)
    low, high, lengths = low[at], high[at], lengths[at]
    ends = (np.concatenate([low, high]), np.concatenate([high, low]))
    graph = csr_array((np.concatenate([lengths, lengths]), ends), shape=(n, n))
    # Lengths of 0 are edges too, which the pattern alone keeps.
    pattern = csr_array((np.ones(graph.nnz), graph.indices, graph.indptr), shape=(n, n))
    return Graph(graph, connected_components(pattern, directed=False)[1])
