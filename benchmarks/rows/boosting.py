"""Boosting against scikit-learn's, of gradients and of stumps: fitting, and predicting new rows."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from benchmarks.pairs import Pair
from benchmarks.rows.trees import table
from mlcore.ensembles.adaboost import AdaBoost
from mlcore.ensembles.gradient_boosting import GradientBoosting
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression

ROUNDS, LEAVES, LEAST = 100, 31, 20
OURS: dict[str, Any] = {
    "n_estimators": ROUNDS, "max_leaf_nodes": LEAVES, "max_depth": 0, "min_samples_leaf": LEAST,
}  # fmt: skip
THEIRS: dict[str, Any] = {
    "max_iter": ROUNDS, "max_leaf_nodes": LEAVES, "min_samples_leaf": LEAST,
    "early_stopping": False, "random_state": 0,
}  # fmt: skip


def classes_pair(n: int, p: int, K: int) -> Pair:
    """Fitting K classes; compared are the losses on as many new rows."""
    X, z, _ = table(2 * n, p)
    y = np.digitize(z, [0.0, 1.5][: K - 1])
    ours, theirs = GradientBoosting(**OURS), HistGradientBoostingClassifier(**THEIRS)
    new, truth = X[n:], y[n:]

    def loss(P: np.ndarray) -> float:
        return float(-np.log(P[np.arange(n), truth]).mean())

    def gap(a: Any, b: Any) -> float:
        return loss(a.probabilities(new)) - loss(b.predict_proba(new))

    return Pair(
        "gradient_boosting", "sklearn.HistGradientBoostingClassifier",
        f"{n} x {p}, {K} classes",
        lambda: ours.fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]), gap,
    )  # fmt: skip


def quantity_pair(n: int, p: int, loss: str = "squared") -> Pair:
    """Fitting a quantity; compared are the mean errors on as many new rows."""
    X, z, _ = table(2 * n, p)
    settings: dict[str, Any] = OURS | {"loss": loss}
    ours = GradientBoostingRegression(**settings)
    theirs = HistGradientBoostingRegressor(loss=f"{loss}_error", **THEIRS)

    def cost(fit: Any) -> float:
        errors = z[n:] - fit.predict(X[n:])
        return float((errors**2 if loss == "squared" else np.abs(errors)).mean())

    return Pair(
        "gradient_boosting_regression", "sklearn.HistGradientBoostingRegressor",
        f"{n} x {p}, {loss}",
        lambda: ours.fit(X[:n], z[:n]), lambda: theirs.fit(X[:n], z[:n]),
        lambda a, b: cost(a) - cost(b),
    )  # fmt: skip


def prediction_pair(n: int, p: int) -> Pair:
    """Sending new rows down all trees; compared are the errors."""
    X, z, _ = table(2 * n, p)

    @cache
    def ours() -> Any:  # grown when it is first asked for, which is the warm-up
        return GradientBoostingRegression(**OURS).fit(X[:n], z[:n])

    @cache
    def theirs() -> Any:
        return HistGradientBoostingRegressor(**THEIRS).fit(X[:n], z[:n])

    def gap(a: np.ndarray, b: np.ndarray) -> float:
        return float(((a - z[n:]) ** 2).mean() - ((b - z[n:]) ** 2).mean())

    return Pair(
        "gradient_boosting_regression, predict", "sklearn.HistGradientBoostingRegressor",
        f"{n} x {p}",
        lambda: ours().predict(X[n:]), lambda: theirs().predict(X[n:]), gap,
    )  # fmt: skip


def adaboost_pair(n: int, p: int) -> Pair:
    """Fifty stumps by both; compared are the errors on new rows."""
    X, _, y = table(2 * n, p)
    theirs = AdaBoostClassifier(n_estimators=50, random_state=0)

    def gap(a: Any, b: Any) -> float:
        return float((b.predict(X[n:]) == y[n:]).mean() - (a.predict(X[n:]) == y[n:]).mean())

    return Pair(
        "adaboost", "sklearn.AdaBoostClassifier", f"{n} x {p}, 50 stumps",
        lambda: AdaBoost().fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]), gap,
    )  # fmt: skip


PAIRS = [
    adaboost_pair(500, 10),
    adaboost_pair(20_000, 30),
    classes_pair(500, 10, 2),
    classes_pair(20_000, 20, 2),
    classes_pair(20_000, 20, 3),
    quantity_pair(500, 10),
    quantity_pair(20_000, 20),
    quantity_pair(20_000, 20, "absolute"),
    quantity_pair(200_000, 30),
    prediction_pair(20_000, 20),
]
