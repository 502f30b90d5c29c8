"""Voting and stacking against scikit-learn, with the same members and folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression as LogisticPeer
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from mlcore.ensembles.stacking import Stacking
from mlcore.ensembles.voting import Voting
from mlcore.maths.dealing import RowsToSplit, folds
from mlcore.neighbours.knn import KNNClassifier
from mlcore.spine.random import generator

OURS = ("lda", "naive_bayes", KNNClassifier(n_neighbors=5))
THEIRS = [
    ("lda", LinearDiscriminantAnalysis()),
    ("bayes", GaussianNB()),
    ("knn", KNeighborsClassifier(5)),
]


def scaled(load):
    X, y = load(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.mark.parametrize("weights", [(), (1.0, 2.0, 0.5)])
@pytest.mark.parametrize(("vote", "voting"), [("probabilities", "soft"), ("majority", "hard")])
def test_voting(vote, voting, weights):
    X, y = scaled(load_wine)
    fit = Voting(estimators=OURS, vote=vote, weights=weights).fit(X[::2], y[::2])
    other = VotingClassifier(THEIRS, voting=voting, weights=list(weights) or None)
    other.fit(X[::2], y[::2])
    np.testing.assert_array_equal(fit.predict(X), other.predict(X))
    if voting == "soft":
        # Theirs has a floor below variances of one billionth of the largest.
        np.testing.assert_allclose(fit.probabilities(X), other.predict_proba(X), atol=1e-7)


def test_stacking_on_the_same_folds():
    X, y = scaled(load_breast_cancer)
    fold_of = folds(RowsToSplit(len(y), y), y, 5, generator(2, "folds"))
    fit = Stacking(estimators=OURS).fit(X, y, seed=2)
    final = LogisticPeer(solver="newton-cholesky", tol=1e-12)
    other = StackingClassifier(THEIRS, final, cv=PredefinedSplit(fold_of)).fit(X, y)
    # Of two classes theirs keeps the probability of the second, ours that of the first.
    np.testing.assert_allclose(
        -fit.final.coefficients, np.ravel(other.final_estimator_.coef_), rtol=1e-4
    )
    np.testing.assert_allclose(fit.probabilities(X), other.predict_proba(X), atol=1e-5)
