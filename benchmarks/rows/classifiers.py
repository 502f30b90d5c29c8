"""The perceptron and ensembles of any method against scikit-learn: errors on new rows."""

from __future__ import annotations

from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.linear_model import Perceptron as PerceptronReference
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.pairs import Pair
from benchmarks.rows.trees import errors, squares, table
from mlcore.classification.perceptron import Perceptron
from mlcore.ensembles.bagging import Bagging, BaggingRegression
from mlcore.ensembles.stacking import Stacking, StackingRegression
from mlcore.ensembles.voting import Voting, VotingRegression
from mlcore.regression.non_negative import NonNegativeRegression
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


def several_pair(n: int, p: int, *, stacked: bool) -> Pair:
    """Linear discriminants, naive Bayes and logistic regression, joined."""
    X, _, y = table(2 * n, p)
    each = ("lda", "naive_bayes", "logistic")
    peers: Any = [("lda", LinearDiscriminantAnalysis()), ("bayes", GaussianNB()),
                  ("logistic", LogisticRegression())]  # fmt: skip
    ours: Any = Stacking(estimators=each) if stacked else Voting(estimators=each)
    theirs: Any = StackingClassifier(peers) if stacked else VotingClassifier(peers, voting="soft")
    return Pair(
        ours.card.name, f"sklearn.ensemble.{type(theirs).__name__}", f"{n} x {p}, 3 classifiers",
        lambda: ours.fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]), errors(X[n:], y[n:]),
    )  # fmt: skip


def models_pair(n: int, p: int, *, stacked: bool) -> Pair:
    """Least squares, ridge and the lasso, joined; stacked by weights that are not negative."""
    X, y, _ = table(2 * n, p)
    each = ("linear_regression", "ridge", "elastic_net")
    peers: Any = [("ols", LinearRegression()), ("ridge", Ridge()),
                  ("lasso", Lasso(0.01))]  # fmt: skip
    ours: Any = (StackingRegression if stacked else VotingRegression)(estimators=each)
    final = LinearRegression(positive=True)
    theirs: Any = StackingRegressor(peers, final) if stacked else VotingRegressor(peers)
    return Pair(
        ours.card.name, f"sklearn.ensemble.{type(theirs).__name__}", f"{n} x {p}, 3 models",
        lambda: ours.fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]), squares(X[n:], y[n:]),
    )  # fmt: skip


def non_negative_pair(n: int, p: int) -> Pair:
    """Least squares of which half of the coefficients are held at zero."""
    X, y, _ = table(2 * n, p)
    theirs = LinearRegression(positive=True)
    return Pair(
        "non_negative_regression", "sklearn.linear_model.LinearRegression(positive)", f"{n} x {p}",
        lambda: NonNegativeRegression().fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]),
        squares(X[n:], y[n:]),
    )  # fmt: skip


PAIRS = [
    perceptron_pair(100_000, 50),
    perceptron_pair(2000, 10),
    *(several_pair(20_000, 20, stacked=stacked) for stacked in (False, True)),
    *(models_pair(20_000, 20, stacked=stacked) for stacked in (False, True)),
    non_negative_pair(100_000, 50),
    non_negative_pair(500, 20),
    *(bagging_pair(n, 20, of_classes=of) for n in (2000, 20_000) for of in (True, False)),
]
