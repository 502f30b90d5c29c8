"""Forests against scikit-learn, with as many jobs as we have threads."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from benchmarks import THREADS
from benchmarks.pairs import Pair
from benchmarks.rows.trees import errors, squares, table
from mlcore.ensembles.extra_trees import ExtraTrees, ExtraTreesRegression
from mlcore.ensembles.random_forest import RandomForest, RandomForestRegression

NEW = 5000  # rows on which errors are compared: of the fitted ones no forest gets many wrong
CLASSES = {
    "random_forest": (RandomForest, RandomForestClassifier),
    "extra_trees": (ExtraTrees, ExtraTreesClassifier),
}
QUANTITIES = {
    "random_forest_regression": (RandomForestRegression, RandomForestRegressor),
    "extra_trees_regression": (ExtraTreesRegression, ExtraTreesRegressor),
}


def class_pair(name: str, n: int, p: int, trees: int) -> Pair:
    """Growing a forest of classes; compared are errors on other rows."""
    X, _, y = table(n + NEW, p)
    ours, theirs = CLASSES[name]
    mine = ours(n_estimators=trees)
    other = theirs(trees, n_jobs=THREADS, random_state=0)
    return Pair(
        name, f"sklearn.{theirs.__name__}", f"{n} x {p}, {trees} trees",
        lambda: mine.fit(X[:n], y[:n]), lambda: other.fit(X[:n], y[:n]), errors(X[n:], y[n:]),
    )  # fmt: skip


def number_pair(name: str, n: int, p: int, trees: int) -> Pair:
    """Growing a forest of a quantity; compared are mean squares on other rows."""
    X, z, _ = table(n + NEW, p)
    ours, theirs = QUANTITIES[name]
    mine = ours(n_estimators=trees)
    settings = {"max_features": 1 / 3 + 1e-9, "min_samples_leaf": 5, "random_state": 0}
    other = theirs(trees, n_jobs=THREADS, **settings)
    return Pair(
        name, f"sklearn.{theirs.__name__}", f"{n} x {p}, {trees} trees",
        lambda: mine.fit(X[:n], z[:n]), lambda: other.fit(X[:n], z[:n]), squares(X[n:], z[n:]),
    )  # fmt: skip


def prediction_pair(n: int, p: int, trees: int, m: int) -> Pair:
    """Sending m rows down every tree; compared are the errors."""
    X, _, y = table(n + m, p)

    @cache
    def ours() -> Any:  # grown when it is first asked for, which is the warm-up
        return RandomForest(n_estimators=trees).fit(X[:n], y[:n])

    @cache
    def theirs() -> Any:
        fit = RandomForestClassifier(trees, n_jobs=THREADS, random_state=0)
        return fit.fit(X[:n], y[:n])

    def gap(a: np.ndarray, b: np.ndarray) -> float:
        return float((b == y[n:]).mean() - (a == y[n:]).mean())

    return Pair(
        "random_forest, predict", "sklearn.RandomForestClassifier", f"{m} x {p}, {trees} trees",
        lambda: ours().predict(X[n:]), lambda: theirs().predict(X[n:]), gap,
    )  # fmt: skip


INTELEX = (*CLASSES, *QUANTITIES, "random_forest, predict")
PAIRS = [
    *(class_pair(name, n, p, trees) for name in CLASSES
      for n, p, trees in ((200, 5, 100), (20_000, 20, 100), (2000, 500, 200))),
    *(number_pair(name, 20_000, 20, 100) for name in QUANTITIES),
    prediction_pair(5000, 20, 100, 100_000),
]  # fmt: skip
