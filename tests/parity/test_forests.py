"""Forests against scikit-learn: as good on new rows, over several seeds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from mlcore.ensembles.extra_trees import ExtraTrees, ExtraTreesRegression
from mlcore.ensembles.random_forest import RandomForest, RandomForestRegression

SEEDS = 20
PAIRS = [
    (RandomForest, RandomForestClassifier),
    (ExtraTrees, ExtraTreesClassifier),
    (RandomForestRegression, RandomForestRegressor),
    (ExtraTreesRegression, ExtraTreesRegressor),
]


def losses(seed: int, ours: type, theirs: type) -> tuple[float, float]:
    """Error of both on 1000 new rows after learning from the same 150."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1150, 8))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=1150)
    y = np.digitize(y, [0.0, 1.5]) if ours.card.task == "classification" else y
    method = ours(n_estimators=40)
    peer = theirs(**method.peer_settings(), random_state=seed, n_jobs=1)
    fits = method.fit(X[:150], y[:150], seed=seed), peer.fit(X[:150], y[:150])
    said = [fit.predict(X[150:]) for fit in fits]
    if ours.card.task == "classification":
        return tuple(float((each != y[150:]).mean()) for each in said)
    return tuple(float(((each - y[150:]) ** 2).mean()) for each in said)


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_errors_are_those_of_the_peer_but_for_the_lots(ours, theirs):
    gaps = np.array([np.subtract(*losses(seed, ours, theirs)) for seed in range(SEEDS)])
    # Both are forests of other lots: their mean difference is within two standard errors of zero.
    assert abs(gaps.mean()) < 2 * gaps.std(ddof=1) / SEEDS**0.5
