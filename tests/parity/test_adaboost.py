"""AdaBoost of stumps against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier

from mlcore.ensembles.adaboost import AdaBoost
from mlcore.ensembles.weak_learners import Stump


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_adaboost(load, rate):
    X, y = load(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)  # theirs grows trees on float32
    rounds = 10 if len(set(y)) == 2 else 1  # on iris two columns gain the same, theirs draws one
    ours = AdaBoost(n_estimators=rounds, learning_rate=rate, estimator=Stump(criterion="gini"))
    theirs = AdaBoostClassifier(n_estimators=rounds, learning_rate=rate, random_state=0).fit(X, y)
    fit = ours.fit(X, y)
    # The same rounds, summed in another order; their votes are twice ours.
    np.testing.assert_allclose(fit.errors, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(2 * fit.alphas, theirs.estimator_weights_, rtol=1e-9)
