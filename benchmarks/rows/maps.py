"""Multidimensional scaling against scikit-learn: the same start, as many Guttman transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.manifold import MDS as Reference

from benchmarks.pairs import Pair
from benchmarks.rows.clustering import clouds
from mlcore.reduction.mds import MDS
from mlcore.reduction.mds_kinds import Metric
from mlcore.reduction.mds_nonmetric import Nonmetric

ITERATIONS = 100


def _pair(n: int, p: int) -> Pair:
    X = clouds(n, p, 4)
    ours = MDS(kind=Metric(tol=0.0, max_iter=ITERATIONS))
    settings: dict[str, Any] = {"n_init": 1, "init": "classical_mds", "max_iter": ITERATIONS}
    settings |= {"eps": 0.0, "normalized_stress": False}
    theirs: Any = Reference(2, **settings)
    return Pair(
        "mds", "sklearn.manifold.MDS", f"{n} x {p}, {ITERATIONS} turns",
        ours=lambda: ours.fit(X).stress,
        theirs=lambda: float(theirs.fit(np.array(X)).stress_),
        gap=lambda a, b: a / b - 1,
    )  # fmt: skip


def _order(n: int, p: int) -> Pair:
    """Non-metric maps; theirs takes ties for equal, measures before the last move, and stops so."""
    X = clouds(n, p, 4)
    ours = MDS(kind=Nonmetric(ties="secondary", tol=0.0, max_iter=ITERATIONS))
    settings: dict[str, Any] = {"n_init": 1, "init": "classical_mds", "max_iter": ITERATIONS}
    theirs: Any = Reference(2, metric_mds=False, eps=0.0, **settings)
    return Pair(
        "mds, non-metric", "sklearn.manifold.MDS", f"{n} x {p}, {ITERATIONS} turns",
        ours=lambda: ours.fit(X).stress,
        theirs=lambda: float(theirs.fit(np.array(X)).stress_),
        gap=lambda a, b: a - b,
    )  # fmt: skip


PAIRS = [_pair(300, 5), _pair(1_000, 10), _order(300, 5), _order(1_000, 10)]
