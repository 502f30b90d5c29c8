"""Labels that spread along the same graph, to the same change of a sweep, against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.semi_supervised import LabelPropagation as Propagation
from sklearn.semi_supervised import LabelSpreading as Spreading

from benchmarks.pairs import Pair
from mlcore.classification.clamps import Hard, Soft
from mlcore.classification.label_propagation import LabelPropagation
from mlcore.distances.graphs import GaussianGraph, KNNGraph

KNOWN = 50  # labels in two clouds that touch
TOL = 1e-4
WIDTH = 0.5


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two clouds in turn, and their classes."""
    y = np.arange(n) % 2
    return np.random.default_rng(0).normal(size=(n, 4)) + 2.5 * y[:, None], y


def _pair(n: int, graph: Any, clamp: Any, peer: Any, name: str) -> Pair:
    X, y = table(n)
    ours = LabelPropagation(graph=graph, clamp=clamp, tol=TOL)
    partly = np.where(np.arange(n) < KNOWN, y, -1)

    def gap(a: Any, b: Any) -> float:
        """How many more of the rows without a label ours gets wrong, as a share."""
        right = (a.completed == y)[KNOWN:].mean()
        return float((b.transduction_ == y)[KNOWN:].mean() - right)

    return Pair(
        "label_propagation", f"sklearn.{type(peer).__name__} {name}", f"{n} x 4, {KNOWN} labels",
        ours=lambda: ours.fit(X[:KNOWN], y[:KNOWN], unlabelled=X[KNOWN:]),
        theirs=lambda: peer.fit(X, partly),
        gap=gap,
    )  # fmt: skip


def _pairs() -> list[Pair]:
    gamma: Any = 1 / (2 * WIDTH**2)
    limits: dict[str, Any] = {"tol": TOL, "max_iter": 1000}
    dense = [
        _pair(n, GaussianGraph(width=WIDTH), clamp, peer, "rbf")
        for n in (500, 2000)
        for clamp, peer in (
            (Hard(), Propagation(gamma=gamma, **limits)),
            (Soft(), Spreading(gamma=gamma, alpha=0.2, **limits)),
        )
    ]
    sparse = [
        _pair(n, KNNGraph(), Hard(), Propagation("knn", n_neighbors=10, **limits), "knn")
        for n in (2000, 20_000)
    ]
    return [*dense, *sparse]


PAIRS = _pairs()
