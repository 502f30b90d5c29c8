"""The perceptron and bagging against scikit-learn's; compared are errors on new rows."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.linear_model import Perceptron as PerceptronReference
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.pairs import Pair
from benchmarks.rows.trees import errors, squares, table
from mlcore.classification.perceptron import Perceptron
from mlcore.ensembles.bagging import Bagging, BaggingRegression
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.regression_tree import RegressionTree

PASSES, MEMBERS = 20, 20


def perceptron_pair(n: int, p: int) -> Pair:
    """Passes over rows that no hyperplane parts, in the order in which they lie."""
    X, z, _ = table(2 * n, p)
    y = (X[:, 0] + 0.3 * z > 0).astype(int)
    ours = Perceptron(max_iter=PASSES)
    endless: Any = {"tol": None, "shuffle": False}
    theirs = PerceptronReference(max_iter=PASSES, **endless)
    return Pair(
        "perceptron", "sklearn.linear_model.Perceptron", f"{n} x {p}, {PASSES} passes",
        lambda: ours.fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]), errors(X[n:], y[n:]),
    )  # fmt: skip


def bagging_pair(n: int, p: int, *, of_classes: bool) -> Pair:
    """Trees of any depth, fitted to rows drawn with replacement, and their out-of-bag error."""
    X, z, classes = table(2 * n, p)
    y = classes if of_classes else z
    if of_classes:
        ours: Any = Bagging(estimator=DecisionTree(max_leaf_nodes=0), n_estimators=MEMBERS)
        theirs: Any = BaggingClassifier(
            DecisionTreeClassifier(), MEMBERS, oob_score=True, random_state=0
        )
    else:
        ours = BaggingRegression(estimator=RegressionTree(max_leaf_nodes=0), n_estimators=MEMBERS)
        theirs = BaggingRegressor(DecisionTreeRegressor(), MEMBERS, oob_score=True, random_state=0)
    gap = (errors if of_classes else squares)(X[n:], y[n:])
    return Pair(
        ours.card.name, f"sklearn.ensemble.{type(theirs).__name__}",
        f"{n} x {p}, {MEMBERS} trees",
        lambda: ours.fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]), gap,
    )  # fmt: skip


PAIRS = [
    perceptron_pair(100_000, 50),
    perceptron_pair(2000, 10),
    *(bagging_pair(n, 20, of_classes=of) for n in (2000, 20_000) for of in (True, False)),
]
