"""Searches against mlxtend and scikit-learn, on equal folds and by an equal method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlxtend.feature_selection import SequentialFeatureSelector as Floating
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from mlcore.preparation.selection import wrapper
from mlcore.preparation.selection.floating import SFBS, SFFS
from mlcore.preparation.selection.judge import Judge
from mlcore.preparation.selection.searches import Best
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.preparation.selection.wrapper import Wrapper

NEAREST, LINE = KNeighborsClassifier(5), LinearRegression()


def table(load: Any, columns: int) -> tuple[np.ndarray, np.ndarray, list]:
    """The first columns, standardised, with three folds as the peers cut them."""
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0))[:, :columns] / X.std(axis=0)[:columns]
    return X, y, list(KFold(3, shuffle=True, random_state=0).split(X))


class TheirJudge(Judge):
    """J by the peer's method: neighbours at equal distance are then the same for both."""

    def __init__(self, data: tuple, peer: Any, scoring: str) -> None:
        super().__init__(data[0].shape[1])
        self.data, self.peer, self.scoring = data, peer, scoring

    def _value(self, members: np.ndarray) -> float:
        X, y, folds = self.data
        if not members.any():
            return -np.inf
        found = cross_val_score(self.peer, X[:, members], y, cv=folds, scoring=self.scoring)
        return float(found.mean())


@pytest.mark.parametrize("forward", [True, False], ids=["forward", "backward"])
@pytest.mark.parametrize(
    ("load", "columns", "peer", "scoring"),
    [
        (load_iris, 4, NEAREST, "accuracy"),
        (load_wine, 6, NEAREST, "accuracy"),  # all 13 take a while
        (load_diabetes, 6, LINE, "neg_mean_squared_error"),
    ],
    ids=["iris", "wine", "diabetes"],
)
def test_the_best_of_every_size_is_at_least_that_of_mlxtend(load, columns, peer, scoring, forward):
    data = table(load, columns)
    best = Best(columns)
    for move in (SFFS() if forward else SFBS()).moves(TheirJudge(data, peer, scoring), None):
        best.see(move)
    make: Any = Floating
    theirs = make(
        peer, k_features=columns if forward else 1, forward=forward, floating=True,
        cv=data[2], scoring=scoring,
    ).fit(*data[:2])  # fmt: skip
    assert set(theirs.subsets_) == set(range(1, columns + 1))
    for size, said in theirs.subsets_.items():
        assert best.values[size] >= said["avg_score"] - 1e-12 * abs(said["avg_score"]), size


def test_our_method_finds_what_mlxtend_finds_on_all_columns_of_diabetes(monkeypatch):
    """With our own closed form, forward: the path of every size."""
    X, y, folds = table(load_diabetes, 10)
    monkeypatch.setattr(wrapper, "_splits", lambda it, given: folds)
    fit = SubsetSelector(score=Wrapper(learner="linear_regression")).fit(X, y)
    make: Any = Floating
    theirs = make(
        LINE, k_features=10, forward=True, floating=False, cv=folds,
        scoring="neg_mean_squared_error",
    ).fit(X, y)  # fmt: skip
    for size, said in theirs.subsets_.items():
        assert fit.best[size] == pytest.approx(said["avg_score"], rel=1e-9)
        assert np.flatnonzero(fit.subsets[size]).tolist() == list(said["feature_idx"])
