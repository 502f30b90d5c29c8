"""Voting and stacking of numbers, and non-negative least squares, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import StackingRegressor, VotingRegressor
from sklearn.linear_model import LinearRegression as LeastSquaresPeer
from sklearn.linear_model import Ridge as RidgePeer
from sklearn.model_selection import PredefinedSplit
from sklearn.neighbors import KNeighborsRegressor

from mlcore.ensembles.stacking import StackingRegression
from mlcore.ensembles.voting import VotingRegression
from mlcore.maths.dealing import RowsToSplit, folds
from mlcore.neighbours.knn import KNNRegression
from mlcore.regression.non_negative import NonNegativeRegression
from mlcore.regression.ridge import Ridge
from mlcore.spine.random import generator

X, Y = load_diabetes(return_X_y=True)
OURS = ("linear_regression", Ridge(alpha=1.0), KNNRegression(n_neighbors=5))
THEIRS = [("ols", LeastSquaresPeer()), ("ridge", RidgePeer(1.0)), ("knn", KNeighborsRegressor(5))]


@pytest.mark.parametrize("weights", [(), (1.0, 2.0, 0.5)])
def test_voting(weights):
    fit = VotingRegression(estimators=OURS, weights=weights).fit(X[::2], Y[::2])
    other = VotingRegressor(THEIRS, weights=list(weights) or None).fit(X[::2], Y[::2])
    np.testing.assert_allclose(fit.predict(X), other.predict(X), rtol=1e-10)


@pytest.mark.parametrize(
    ("final", "peer"),
    [
        (NonNegativeRegression(), LeastSquaresPeer(positive=True)),
        (Ridge(alpha=3.0), RidgePeer(3.0)),
    ],
)
def test_stacking_on_the_same_folds(final, peer):
    fold_of = folds(RowsToSplit(len(Y)), None, 5, generator(2, "folds"))
    fit = StackingRegression(estimators=OURS, final=final).fit(X, Y, seed=2)
    other = StackingRegressor(THEIRS, peer, cv=PredefinedSplit(fold_of)).fit(X, Y)
    np.testing.assert_allclose(fit.member_weights, other.final_estimator_.coef_, atol=1e-8)
    np.testing.assert_allclose(fit.predict(X), other.predict(X), rtol=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighed", [True, False])
def test_non_negative_least_squares(intercept, weighed):
    w = np.random.default_rng(0).uniform(size=len(Y)) if weighed else None
    fit = NonNegativeRegression(intercept=intercept).fit(X, Y, weights=w)
    other = LeastSquaresPeer(positive=True, fit_intercept=intercept).fit(X, Y, w)
    # The same active set: ours from a triangle of the rows, theirs from the rows.
    np.testing.assert_allclose(fit.coefficients, other.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fit.intercept, other.intercept_, rtol=1e-9)
