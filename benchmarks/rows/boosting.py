"""Boosting of gradients and of stumps beside scikit-learn, LightGBM and XGBoost: fitting, and
predicting new rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier

from benchmarks import THREADS
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


LIGHT: dict[str, Any] = {
    "n_estimators": ROUNDS, "num_leaves": LEAVES, "min_child_samples": LEAST, "random_state": 0,
    "n_jobs": THREADS, "verbosity": -1,
}  # fmt: skip
EXTREME: dict[str, Any] = {
    "n_estimators": ROUNDS, "max_leaves": LEAVES, "max_depth": 0, "grow_policy": "lossguide",
    "learning_rate": 0.1, "reg_lambda": 0.0, "tree_method": "hist", "random_state": 0,
    "n_jobs": THREADS,
}  # fmt: skip
# XGBoost limits the curvature of a leaf, not its rows: of squares a row has 1, of classes at most
# a quarter.
OF_QUANTITY, OF_CLASSES = {"min_child_weight": LEAST}, {"min_child_weight": LEAST / 4}


@dataclass(frozen=True)
class Peer:
    """Boosting on histograms by another package, with the settings of ours."""

    package: str
    classes: str  # what it calls its method
    quantity: str
    of_classes: dict[str, Any]
    of_quantity: dict[str, Any]

    def classifier(self) -> Any:
        """Before it is fitted; the package is imported when it is asked for."""
        return getattr(import_module(self.package), self.classes)(**self.of_classes)

    def regressor(self, **more: Any) -> Any:
        """The same for a quantity."""
        return getattr(import_module(self.package), self.quantity)(**self.of_quantity, **more)

    def named(self, method: str) -> str:
        """A method of it, as a row names it."""
        return f"{self.package.removesuffix('.ensemble')}.{method}"


SKLEARN = Peer(
    "sklearn.ensemble", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
    THEIRS, THEIRS,
)  # fmt: skip
OTHERS = (
    Peer("lightgbm", "LGBMClassifier", "LGBMRegressor", LIGHT, LIGHT),
    Peer(
        "xgboost", "XGBClassifier", "XGBRegressor", EXTREME | OF_CLASSES, EXTREME | OF_QUANTITY
    ),
)  # fmt: skip


Halves = Callable[[], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]


def _halves(n: int, p: int, K: int = 0) -> Halves:
    """What gives n rows with a quantity, or K classes of it, and as many new ones.

    They are drawn when they are first asked for: who measures another row does not wait.
    """

    @cache
    def data() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        X, z, _ = table(2 * n, p)
        y = np.digitize(z, [0.0, 1.5][: K - 1]) if K else z
        return X[:n], y[:n], X[n:], y[n:]

    return data


def classes_pair(n: int, p: int, K: int, peer: Peer = SKLEARN) -> Pair:
    """Fitting K classes; compared are the losses on as many new rows."""
    data, ours = _halves(n, p, K), GradientBoosting(**OURS)

    def loss(P: np.ndarray) -> float:
        return float(-np.log(P[np.arange(n), data()[3]]).mean())

    def gap(a: Any, b: Any) -> float:
        new = data()[2]
        return loss(a.probabilities(new)) - loss(b.predict_proba(new))

    return Pair(
        "gradient_boosting", peer.named(peer.classes), f"{n} x {p}, {K} classes",
        lambda: ours.fit(*data()[:2]), lambda: peer.classifier().fit(*data()[:2]), gap,
        package=peer.package,
    )  # fmt: skip


def quantity_pair(n: int, p: int, loss: str = "squared", peer: Peer = SKLEARN) -> Pair:
    """Fitting a quantity; compared are the mean errors on as many new rows."""
    data = _halves(n, p)
    settings: dict[str, Any] = OURS | {"loss": loss}
    ours = GradientBoostingRegression(**settings)
    more = {"loss": f"{loss}_error"} if peer is SKLEARN else {}

    def cost(fit: Any) -> float:
        _, _, new, truth = data()
        errors = truth - fit.predict(new)
        return float((errors**2 if loss == "squared" else np.abs(errors)).mean())

    return Pair(
        "gradient_boosting_regression", peer.named(peer.quantity), f"{n} x {p}, {loss}",
        lambda: ours.fit(*data()[:2]), lambda: peer.regressor(**more).fit(*data()[:2]),
        lambda a, b: cost(a) - cost(b), package=peer.package,
    )  # fmt: skip


def prediction_pair(n: int, p: int, peer: Peer = SKLEARN) -> Pair:
    """Sending new rows down all trees; compared are the errors."""
    data = _halves(n, p)

    @cache
    def ours() -> Any:  # grown when it is first asked for, which is the warm-up
        return GradientBoostingRegression(**OURS).fit(*data()[:2])

    @cache
    def theirs() -> Any:
        return peer.regressor().fit(*data()[:2])

    def gap(a: np.ndarray, b: np.ndarray) -> float:
        truth = data()[3]
        return float(((a - truth) ** 2).mean() - ((b - truth) ** 2).mean())

    return Pair(
        "gradient_boosting_regression, predict", peer.named(peer.quantity), f"{n} x {p}",
        lambda: ours().predict(data()[2]), lambda: theirs().predict(data()[2]), gap,
        package=peer.package,
    )  # fmt: skip


def adaboost_pair(n: int, p: int) -> Pair:
    """Fifty stumps by both; compared are the errors on new rows."""
    data, theirs = _halves(n, p, 3), AdaBoostClassifier(n_estimators=50, random_state=0)

    def gap(a: Any, b: Any) -> float:
        _, _, new, truth = data()
        return float((b.predict(new) == truth).mean() - (a.predict(new) == truth).mean())

    return Pair(
        "adaboost", "sklearn.AdaBoostClassifier", f"{n} x {p}, 50 stumps",
        lambda: AdaBoost().fit(*data()[:2]), lambda: theirs.fit(*data()[:2]), gap,
    )  # fmt: skip


def pairs_beside(peer: Peer) -> list[Pair]:
    """What every peer does: the loss of quantities is the squared one."""
    return [
        classes_pair(500, 10, 2, peer),
        classes_pair(20_000, 20, 2, peer),
        classes_pair(20_000, 20, 3, peer),
        quantity_pair(500, 10, peer=peer),
        quantity_pair(20_000, 20, peer=peer),
        quantity_pair(200_000, 30, peer=peer),
        prediction_pair(20_000, 20, peer),
    ]


PAIRS = [
    adaboost_pair(500, 10),
    adaboost_pair(20_000, 30),
    *pairs_beside(SKLEARN),
    quantity_pair(20_000, 20, "absolute"),
    *(pair for peer in OTHERS for pair in pairs_beside(peer)),
]
