"""Gradient boosting against scikit-learn's on histograms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.metrics import log_loss

from mlcore.ensembles.boosted_losses import QuantileLoss
from mlcore.ensembles.gradient_boosting import GradientBoosting
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression

RNG = np.random.default_rng(3)
FEW = RNG.integers(0, 40, (500, 4)).astype(float)  # bins alike on both sides: a bin for each value
LIKE = {"max_depth": 0, "max_leaf_nodes": 15, "min_samples_leaf": 20, "n_estimators": 30}
THEIRS = {"max_leaf_nodes": 15, "max_iter": 30, "early_stopping": False}


def table(seed: int, n: int = 4000):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)


def signal(seed: int):
    return FEW[:, 0] + 0.1 * FEW[:, 1] * FEW[:, 2] + np.random.default_rng(seed).normal(size=500)


# Where the bins are the same, so are the trees; theirs adds in single precision.
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("l2", [0.0, 2.0])
@pytest.mark.parametrize("missing", [False, True])
def test_squares_with_the_same_bins(seed, l2, missing):
    is_gone = np.random.default_rng(seed).random(FEW.shape) < 0.1
    X = np.where(is_gone, np.nan, FEW) if missing else FEW
    ours = GradientBoostingRegression(l2=l2, **LIKE).fit(X, signal(seed))
    theirs = HistGradientBoostingRegressor(l2_regularization=l2, **THEIRS).fit(X, signal(seed))
    gap = np.abs(ours.predict(X) - theirs.predict(X))
    assert np.median(gap) < 1e-5 * np.std(signal(seed))  # a tie may part a few rows otherwise
    assert np.mean(gap > 1e-4) < 0.05


@pytest.mark.parametrize("edges", [(40.0,), (30.0, 60.0)])
def test_classes_with_the_same_bins(edges):
    y = np.digitize(signal(0), edges)
    ours, theirs = (
        GradientBoosting(**LIKE).fit(FEW, y).probabilities(FEW),
        HistGradientBoostingClassifier(**THEIRS).fit(FEW, y).predict_proba(FEW),
    )
    assert np.median(np.abs(ours - theirs)) < 1e-5
    assert np.mean(np.abs(ours - theirs).max(axis=1) > 1e-4) < 0.05


# Theirs takes half of our log-odds as score. From equal shares the first tree is the same: all rows
# bend alike, so their gain is ours; later ones weigh rows in other ways.
def test_the_first_round_of_the_exponential_loss():
    y = (signal(0) > np.median(signal(0))).astype(int)
    ours = GradientBoosting(loss="exponential", n_estimators=1, max_depth=2).fit(FEW, y)
    # Of cuts that gain the same theirs takes one at random.
    theirs = GradientBoostingClassifier(
        loss="exponential", n_estimators=1, max_depth=2, random_state=0
    ).fit(FEW, y)
    np.testing.assert_allclose(ours.decision(FEW), 2 * theirs.decision_function(FEW), atol=1e-9)
    np.testing.assert_allclose(ours.probabilities(FEW), theirs.predict_proba(FEW), atol=1e-9)


# With many values the edges of bins differ, so do the first cuts of a product of two columns, which
# gain next to nothing: a single seed may be some per cent better or worse, their mean is not.
@pytest.mark.slow
@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile"])
def test_quantities_with_many_values(loss):
    named = {"squared": "squared_error", "absolute": "absolute_error"}.get(loss, loss)
    more = {"quantile": 0.9} if loss == "quantile" else {}
    ratios = []
    for seed in range(5):
        (X, y), (new, truth) = table(seed), table(seed + 100)
        part = QuantileLoss(level=0.9) if loss == "quantile" else loss
        ours = GradientBoostingRegression(loss=part, **LIKE).fit(X, y)
        theirs = HistGradientBoostingRegressor(loss=named, **more, **THEIRS).fit(X, y)
        a, b = (cost(loss, truth - it.predict(new)) for it in (ours, theirs))
        ratios.append(a / b)
    assert np.mean(ratios) < 1.02
    assert np.max(ratios) < 1.08


def cost(loss, errors):
    if loss == "squared":
        return (errors**2).mean()
    level = 0.9 if loss == "quantile" else 0.5
    return np.maximum(level * errors, (level - 1) * errors).mean()


@pytest.mark.slow
@pytest.mark.parametrize("edges", [(0.0,), (-0.5, 0.5)])
def test_classes_with_many_values(edges):
    ratios = []
    for seed in range(5):
        (X, z), (new, truth) = table(seed), table(seed + 100)
        ours = GradientBoosting(**LIKE).fit(X, np.digitize(z, edges))
        theirs = HistGradientBoostingClassifier(**THEIRS).fit(X, np.digitize(z, edges))
        truth = np.digitize(truth, edges)
        ratios.append(
            log_loss(truth, ours.probabilities(new)) / log_loss(truth, theirs.predict_proba(new))
        )
    assert np.mean(ratios) < 1.02
    assert np.max(ratios) < 1.08
