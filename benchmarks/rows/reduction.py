"""PCA against scikit-learn, which chooses its solver; gap: share of the scatter that is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn.decomposition import PCA as Reference

from benchmarks.pairs import Pair
from mlcore.reduction.pca import PCA

# (rows, columns, components, solver of the peer): small, tall, wide, square, and few components of
# many, where the peer is by default only nearly right: the gap shows it, arpack is exact.
SIZES = (
    (150, 4, None, "auto"), (2_000, 30, None, "auto"), (50_000, 200, None, "auto"),
    (200, 5_000, 50, "auto"), (600, 400, None, "auto"), (5_000, 2_000, 10, "auto"),
    (5_000, 2_000, 10, "arpack"),
)  # fmt: skip
PEER = "sklearn.decomposition.PCA"


@lru_cache
def correlated(n: int, p: int) -> np.ndarray:
    """Rows whose variances fall along hidden directions, shape (n, p)."""
    rng = np.random.default_rng(0)
    rank = min(n, p, 60)
    hidden = rng.normal(size=(n, rank)) * np.linspace(5, 1, rank)
    return hidden @ rng.normal(size=(rank, p)) / np.sqrt(p) + rng.normal(size=(n, p)) + 3


def _pairs() -> Iterator[Pair]:
    for n, p, k, solver in SIZES:
        X = partial(correlated, n, p)
        yield Pair(
            "pca", f"{PEER} ({solver})", f"{n} x {p}" + (f", first {k}" if k else ""),
            ours=_ours(X, k),
            theirs=_theirs(X, k, solver),
            gap=lambda a, b, X=X: _error(X(), *a) - _error(X(), *b),
        )  # fmt: skip


def _ours(X: Callable[[], np.ndarray], k: int | None) -> Callable[[], Any]:
    def work() -> Any:
        fit = PCA(n_components=k).fit(X())
        return fit.mean, fit.axes

    return work


def _theirs(X: Callable[[], np.ndarray], k: int | None, solver: str) -> Callable[[], Any]:
    def work() -> Any:
        fit = Reference(k, svd_solver=solver, random_state=0).fit(X())
        return fit.mean_, fit.components_

    return work


def _error(X: np.ndarray, mean: np.ndarray, axes: np.ndarray) -> float:
    """Share of the scatter that is lost."""
    about = X - mean
    return float(1 - ((about @ axes.T) ** 2).sum() / (about**2).sum())


INTELEX = ("pca",)
PAIRS = list(_pairs())
