"""Bagging against scikit-learn: other lots, so accuracies agree over several seeds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.linear_model import Ridge as RidgePeer
from sklearn.neighbors import KNeighborsClassifier

from mlcore.ensembles.bagging import Bagging, BaggingRegression
from mlcore.neighbours.knn import KNNClassifier
from mlcore.regression.ridge import Ridge

SEEDS = range(20)


def differ(ours, theirs):
    """Whether the means of two samples lie more than three standard errors apart."""
    error = np.hypot(np.std(ours), np.std(theirs)) / np.sqrt(len(ours))
    return abs(np.mean(ours) - np.mean(theirs)) > 3 * error + 1e-12


@pytest.mark.parametrize(("rows", "columns"), [(1.0, 1.0), (0.3, 0.2)])
def test_neighbours(rows, columns):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    some, rest = np.arange(0, 569, 4), np.arange(2, 569, 4)
    more = {"n_estimators": 8, "max_samples": rows, "max_features": columns}
    ours = [
        (Bagging(estimator=KNNClassifier(n_neighbors=5), **more)
         .fit(X[some], y[some], seed=s).predict(X[rest]) == y[rest]).mean()
        for s in SEEDS
    ]  # fmt: skip
    theirs = [
        BaggingClassifier(KNeighborsClassifier(), random_state=s, **more)
        .fit(X[some], y[some]).score(X[rest], y[rest])
        for s in SEEDS
    ]  # fmt: skip
    assert not differ(ours, theirs)


def test_ridge():
    X, y = load_diabetes(return_X_y=True)
    some, rest = slice(0, 60), slice(60, None)
    ours = [
        BaggingRegression(estimator=Ridge(alpha=0.01))
        .fit(X[some], y[some], seed=s)
        .predict(X[rest])
        for s in SEEDS
    ]
    theirs = [
        BaggingRegressor(RidgePeer(alpha=0.01), random_state=s)
        .fit(X[some], y[some])
        .predict(X[rest])
        for s in SEEDS
    ]
    a, b = (np.sqrt(((np.array(each) - y[rest]) ** 2).mean(axis=1)) for each in (ours, theirs))
    assert not differ(a, b)
