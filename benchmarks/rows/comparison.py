"""A comparison of three classifiers against scikit-learn's cross_validate, on equal folds."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.pairs import Pair
from mlcore.data.dataset import TableData
from mlcore.evaluation.splits import KFold
from mlcore.runs.carry import splits_of
from mlcore.runs.carry_comparison import carried_out
from mlcore.runs.run import Comparison

METHODS = ("lda", "logistic", "knn")
# What ours computes of every fold, on the rows left out and on those that were fitted; Brier's
# score of several classes is missing from theirs.
SCORES = (
    "accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "neg_log_loss", "roc_auc_ovr",
)  # fmt: skip


@lru_cache
def asked(name: str) -> Comparison:
    """Three methods on ten folds."""
    return Comparison(
        data=TableData(source=name),
        preparation=("standardise",),
        methods=METHODS,
        evaluation=KFold(n_splits=10),
    )


@lru_cache
def rows(name: str) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """The rows, the target and the folds of ours."""
    run = asked(name)
    data = run.data.dataset()
    assert data.y is not None
    return data.X, data.y, list(splits_of(run.runs()[0], data))


def ours(name: str) -> np.ndarray:
    """Mean accuracy of every method."""
    outcome = carried_out(asked(name))
    return np.array([e.outcome.mean("accuracy") for e in outcome.entrants if e.outcome])


def theirs(name: str) -> np.ndarray:
    """The same: each method, and the commonest class, fitted to all rows and to every fold."""
    X, y, folds = rows(name)
    methods = (
        LinearDiscriminantAnalysis(),
        LogisticRegression(max_iter=1000),
        KNeighborsClassifier(),
        DummyClassifier(),
    )
    means = []
    for method in methods:
        model = make_pipeline(StandardScaler(), method)
        model.fit(X, y)
        scores = cross_validate(model, X, y, cv=folds, scoring=SCORES, return_train_score=True)
        means.append(scores["test_accuracy"].mean())
    return np.array(means[:-1])


def pair(name: str) -> Pair:
    """Both on one bundled table; the gap is the largest difference of a mean accuracy."""
    X, _, _ = rows(name)
    return Pair(
        "compare 3 classifiers",
        "sklearn cross_validate",
        f"{len(X)} x {X.shape[1]}, {name}, 10 folds",
        lambda: ours(name),
        lambda: theirs(name),
        lambda a, b: float(np.abs(a - b).max()),
    )


PAIRS = [pair("wine"), pair("breast_cancer")]
