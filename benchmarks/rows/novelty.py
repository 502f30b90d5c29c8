"""Novelty detection against scikit-learn: fitting, and judging as many new rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest as PeerForest
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import LocalOutlierFactor as PeerFactor
from sklearn.svm import OneClassSVM as PeerMachine

from benchmarks import THREADS
from benchmarks.pairs import Pair
from mlcore.ensembles.isolation_forest import IsolationForest
from mlcore.kernels.rbf import RBF
from mlcore.novelty.local_outlier_factor import LocalOutlierFactor
from mlcore.svm.one_class_svm import OneClassSVM

SHARE = 0.05
TREES = 100


@lru_cache
def crowd(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Two crowds and, as the last twentieth, rows drawn from a box; and which are of the box."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) + 3.0 * (np.arange(n) % 2)[:, None]
    is_new = np.arange(n) >= n - n // 20
    X[is_new] = rng.uniform(-4.0, 7.0, size=(int(is_new.sum()), p))
    return X, is_new


def _auc(scores: np.ndarray, is_new: np.ndarray) -> float:
    return float(roc_auc_score(is_new, -scores))


def forest_pair(n: int, p: int) -> Pair:
    """Growing and judging; compared is the AUC of the rows of the box."""
    X, is_new = crowd(n, p)
    ours = IsolationForest(n_trees=TREES)
    theirs = PeerForest(n_estimators=TREES, random_state=0, n_jobs=THREADS)
    return Pair(
        "isolation_forest", "sklearn.ensemble.IsolationForest", f"{n} x {p}, {TREES} trees",
        lambda: _auc(ours.fit(X).usualness(X), is_new),
        lambda: _auc(theirs.fit(X).score_samples(X), is_new),
        lambda a, b: b - a,
    )  # fmt: skip


def machine_pair(n: int, p: int) -> Pair:
    """Fitting both; compared is by how much the objective of ours lies above that of theirs."""
    X, _ = crowd(n, p)
    gamma: Any = 1.0 / p
    ours = OneClassSVM(nu=SHARE, kernel=RBF(gamma=gamma))
    theirs = PeerMachine(nu=SHARE, gamma=gamma)

    def objective(vectors: np.ndarray, duals: np.ndarray) -> float:
        return float(duals @ rbf_kernel(vectors, gamma=gamma) @ duals) / 2

    def gap(a: Any, b: Any) -> float:
        best = objective(b.support_vectors_, b.dual_coef_[0])
        return objective(a.support_vectors, a.duals[:, 0]) / best - 1

    return Pair(
        "one_class_svm", "sklearn.svm.OneClassSVM", f"{n} x {p}, nu {SHARE}",
        lambda: ours.fit(X), lambda: theirs.fit(X), gap,
    )  # fmt: skip


def factor_pair(n: int, p: int) -> Pair:
    """The factors of the fitted rows; compared is the largest difference, relative."""
    X, _ = crowd(n, p)
    ours, theirs = LocalOutlierFactor(), PeerFactor(novelty=True, n_jobs=THREADS)
    return Pair(
        "local_outlier_factor", "sklearn.neighbors.LocalOutlierFactor", f"{n} x {p}, k 20",
        lambda: ours.fit(X).own_usualness, lambda: theirs.fit(X).negative_outlier_factor_,
        lambda a, b: float(np.abs(a / b - 1).max()),
    )  # fmt: skip


def _pairs() -> Iterator[Pair]:
    for n, p in ((2_000, 5), (50_000, 20)):
        yield forest_pair(n, p)
    for n, p in ((2_000, 20), (10_000, 20)):
        yield machine_pair(n, p)
    for n, p in ((10_000, 3), (5_000, 20)):
        yield factor_pair(n, p)


PAIRS = tuple(_pairs())
