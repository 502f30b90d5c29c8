"""The Gaussian mixture against scikit-learn: the same parameters to start from, as many turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture as Reference

from benchmarks.pairs import Pair
from benchmarks.rows.clustering import clouds
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.mixture_starts import GivenParameters

ITERATIONS = 20
SIZES = ((2_000, 2, 3), (20_000, 10, 8), (5_000, 40, 5))
KINDS = ("full", "tied", "diag", "spherical")


def _pairs() -> Iterator[Pair]:
    for n, p, k in SIZES:
        for kind in KINDS:
            yield _same_start(clouds(n, p, k), k, kind, f"{n} x {p}, K {k}, {kind}")


def _same_start(X: np.ndarray, k: int, kind: str, size: str) -> Pair:
    means = X[np.random.default_rng(1).permutation(len(X))[:k]]
    variance, shares = float(X.var(axis=0).mean()), np.full(k, 1 / k)
    variances = np.full(means.shape, variance)
    start = GivenParameters(
        means=tuple(means.ravel()), shares=tuple(shares), spreads=tuple(variances.ravel())
    )
    shared: dict[str, Any] = {"n_components": k, "tol": 0.0, "max_iter": ITERATIONS}
    settings: dict[str, Any] = shared | {"covariance": kind, "init": start, "collapse": "keep"}
    ours = GaussianMixture(**settings)
    theirs = Reference(
        covariance_type=kind, means_init=means, weights_init=shares,
        precisions_init=precisions(kind, 1 / variances), **shared,
    )  # fmt: skip
    return Pair(
        "gaussian_mixture", "sklearn.mixture.GaussianMixture", size,
        ours=lambda: ours.fit(X).log_likelihood / len(X),
        theirs=lambda: theirs.fit(X).score(X),
        gap=lambda a, b: b - a,
    )  # fmt: skip


def precisions(kind: str, each: np.ndarray) -> np.ndarray:
    """Inverse variances, shape (k, p), in the form that scikit-learn takes for this kind."""
    forms = {
        "full": lambda: np.array([np.diag(row) for row in each]),
        "tied": lambda: np.diag(each[0]),
        "diag": lambda: each,
        "spherical": lambda: each[:, 0],
    }
    return forms[kind]()


PAIRS = list(_pairs())
