"""Distances and nearest rows against scikit-learn and scipy."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from benchmarks.pairs import Pair
from mlcore.distances.metrics import Minkowski
from mlcore.distances.neighbourhoods import kneighbors
from mlcore.distances.pairwise import pairwise_distances
from mlcore.maths.squared_distances import sq_distances

CUBE = Minkowski(p=3.0)


@lru_cache(maxsize=2)
def rows(n: int, p: int) -> np.ndarray:
    """Rows of a Gaussian."""
    return np.random.default_rng(0).normal(size=(n, p))


def matrix_pair(name: str, peer: str, n: int, ours: Callable, theirs: Callable) -> Pair:
    """The distances of all rows of 50 columns by both."""
    return Pair(
        name,
        peer,
        f"{n} x {n} x 50",
        lambda: ours(rows(n, 50)),
        lambda: theirs(rows(n, 50)),
        lambda a, b: float(np.abs(a - b).max()),
    )


def norm_pair(metric: Any, peer: Any, n: int, **more: Any) -> Pair:
    """A norm of the differences of all rows by both."""
    name = metric if isinstance(metric, str) else f"minkowski p {metric.p:g}"
    return matrix_pair(
        f"distances {name}",
        f"scipy.cdist {peer}",
        n,
        lambda X: pairwise_distances(X, metric=metric),
        lambda X: cdist(X, X, peer, **more),
    )


def nearest_pair(n: int, p: int) -> Pair:
    """The ten nearest other rows of every row by both."""
    return Pair(
        "kneighbors",
        "sklearn.NearestNeighbors",
        f"{n} x {p}, k 10",
        lambda: kneighbors(rows(n, p), k=10).distances,
        lambda: NearestNeighbors(n_neighbors=10).fit(rows(n, p)).kneighbors()[0],
        lambda a, b: float(np.abs(a - b).max()),
    )


PAIRS = [
    matrix_pair(
        "sq_distances",
        "sklearn.euclidean_distances",
        5000,
        sq_distances,
        lambda X: euclidean_distances(X, squared=True),
    ),
    norm_pair("manhattan", "cityblock", 5000),
    norm_pair("chebyshev", "chebyshev", 5000),
    norm_pair(CUBE, "minkowski", 1000, p=3.0),
    nearest_pair(20_000, 8),
    nearest_pair(5000, 100),
]
