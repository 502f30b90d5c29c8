"""Trees, neighbours and naive Bayes against scikit-learn, fitting and predicting."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.pairs import Pair
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.neighbours.knn import KNNClassifier, KNNRegression
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.regression_tree import RegressionTree

SIZES = ((200, 5), (2000, 10), (100_000, 20), (20_000, 200))


@lru_cache(maxsize=2)
def table(n: int, p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normal columns, a target that jumps and bends, and three classes of it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    z = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    return X, z, np.digitize(z, [0.0, 1.5])


def errors(new: np.ndarray, truth: np.ndarray) -> Callable[[Any, Any], float]:
    """How many more of the rows ours gets wrong, as a share."""

    def gap(ours: Any, theirs: Any) -> float:
        return float((theirs.predict(new) == truth).mean() - (ours.predict(new) == truth).mean())

    return gap


def squares(new: np.ndarray, truth: np.ndarray) -> Callable[[Any, Any], float]:
    """How much larger the mean square of ours is, relative to the variance."""

    def gap(ours: Any, theirs: Any) -> float:
        a, b = (((it.predict(new) - truth) ** 2).mean() for it in (ours, theirs))
        return float((a - b) / truth.var())

    return gap


def tree_pair(n: int, p: int, leaves: int, criterion: str = "gini") -> Pair:
    """Growing a tree of classes; compared are errors on the fitted rows."""
    X, _, y = table(n, p)
    # pyrefly: ignore[bad-argument-type]  # a name
    ours = DecisionTree(max_leaf_nodes=leaves, criterion=criterion)
    theirs = DecisionTreeClassifier(
        criterion=criterion, max_leaf_nodes=leaves or None, random_state=0
    )
    return Pair(
        "decision_tree", f"sklearn.DecisionTreeClassifier {criterion}",
        f"{n} x {p}, {leaves or 'all'} leaves",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), errors(X, y),
    )  # fmt: skip


def regression_pair(n: int, p: int, leaves: int) -> Pair:
    """Growing a tree of a quantity; compared is the error on the fitted rows."""
    X, z, _ = table(n, p)
    ours = RegressionTree(max_leaf_nodes=leaves)
    theirs = DecisionTreeRegressor(max_leaf_nodes=leaves or None, random_state=0)
    return Pair(
        "regression_tree", "sklearn.DecisionTreeRegressor", f"{n} x {p}, {leaves or 'all'} leaves",
        lambda: ours.fit(X, z), lambda: theirs.fit(X, z), squares(X, z),
    )  # fmt: skip


def neighbour_pair(n: int, m: int, p: int) -> Pair:
    """Storing n rows and answering m; compared are the errors of the answers."""
    X, _, y = table(n, p)
    new = np.random.default_rng(1).normal(size=(m, p))
    truth = np.digitize(new[:, 0] + new[:, 1] * new[:, 2], [0.0, 1.5])
    ours, theirs = KNNClassifier(), KNeighborsClassifier(10)

    def gap(a: np.ndarray, b: np.ndarray) -> float:
        return float((b == truth).mean() - (a == truth).mean())

    return Pair(
        "knn", "sklearn.KNeighborsClassifier", f"{n} x {p}, {m} asked",
        lambda: ours.fit(X, y).predict(new), lambda: theirs.fit(X, y).predict(new), gap,
    )  # fmt: skip


def neighbour_regression_pair(n: int, m: int, p: int) -> Pair:
    """The same for a quantity."""
    X, z, _ = table(n, p)
    new = np.random.default_rng(1).normal(size=(m, p))
    truth = new[:, 0] + new[:, 1] * new[:, 2]
    ours, theirs = KNNRegression(), KNeighborsRegressor(10)

    def gap(a: np.ndarray, b: np.ndarray) -> float:
        return float((((a - truth) ** 2).mean() - ((b - truth) ** 2).mean()) / truth.var())

    return Pair(
        "knn_regression", "sklearn.KNeighborsRegressor", f"{n} x {p}, {m} asked",
        lambda: ours.fit(X, z).predict(new), lambda: theirs.fit(X, z).predict(new), gap,
    )  # fmt: skip


def bayes_pair(n: int, p: int) -> Pair:
    """Naive Bayes, fitting and predicting; compared are the errors on the fitted rows."""
    X, _, y = table(n, p)
    ours, theirs = NaiveBayes(), GaussianNB()

    def gap(a: np.ndarray, b: np.ndarray) -> float:
        return float((b == y).mean() - (a == y).mean())

    return Pair(
        "naive_bayes", "sklearn.GaussianNB", f"{n} x {p}",
        lambda: ours.fit(X, y).predict(X), lambda: theirs.fit(X, y).predict(X), gap,
    )  # fmt: skip


def prediction_pair(n: int, p: int) -> Pair:
    """Sending rows down a tree without limits; compared are the errors."""
    X, _, y = table(n, p)

    @cache
    def ours() -> Any:  # grown when it is first asked for, which is the warm-up
        return DecisionTree(max_leaf_nodes=0).fit(X, y)

    @cache
    def theirs() -> Any:
        return DecisionTreeClassifier(random_state=0).fit(X, y)

    def gap(a: np.ndarray, b: np.ndarray) -> float:
        return float((b == y).mean() - (a == y).mean())

    return Pair(
        "decision_tree, predict", "sklearn.DecisionTreeClassifier", f"{n} x {p}",
        lambda: ours().predict(X), lambda: theirs().predict(X), gap,
    )  # fmt: skip


INTELEX = ("knn", "knn_regression")
PAIRS = [
    *(tree_pair(n, p, leaves) for n, p in SIZES for leaves in (16, 0)),
    tree_pair(2000, 10, 0, "entropy"),
    *(regression_pair(n, p, 0) for n, p in SIZES),
    prediction_pair(20_000, 20),
    *(neighbour_pair(*size) for size in ((150, 50, 4), (2000, 500, 10), (50_000, 10_000, 3),
                                         (50_000, 10_000, 50))),
    neighbour_regression_pair(2000, 500, 10),
    neighbour_regression_pair(50_000, 10_000, 3),
    bayes_pair(200, 5),
    bayes_pair(2000, 10),
    bayes_pair(500_000, 50),
]  # fmt: skip
