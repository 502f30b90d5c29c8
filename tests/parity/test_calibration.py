"""Calibration against scikit-learn, on the same probabilities and the same folds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.calibration import calibration_curve as peer_curve
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from mlcore.classification.cost_sensitive import CostSensitive
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.ensembles.calibrated import Calibrated
from mlcore.evaluation.metrics.calibration import brier_parts, calibration_curve
from mlcore.maths.dealing import RowsToSplit, folds
from mlcore.neighbours.knn import KNNClassifier
from mlcore.spine.random import generator

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("bins", ["uniform", "quantile"])
@pytest.mark.parametrize("digits", [1, 12])  # ties fall into one bin
def test_the_curve(bins, digits):
    p = RNG.beta(0.7, 0.9, 400).round(digits)
    y = RNG.uniform(size=400) < p**1.5
    ours = calibration_curve(y, p, n_bins=8, bins=bins)
    observed, predicted = peer_curve(y, p, n_bins=8, strategy=bins)
    np.testing.assert_allclose(ours.observed, observed, rtol=1e-12)
    np.testing.assert_allclose(ours.predicted, predicted, rtol=1e-12)
    assert brier_parts(y, p).brier == pytest.approx(brier_score_loss(y, p), abs=1e-14)


def told_in_log_odds(base: type, way: str, **settings: Any) -> Any:
    """A classifier of theirs whose decision function is what ours maps."""

    class LogOdds(base):
        def decision_function(self, X: Any) -> np.ndarray:
            P = np.clip(self.predict_proba(X), 1e-9, 1 - 1e-9)
            if P.shape[1] == 2:
                return logit(P[:, 1])
            return np.log(P) if way == "temperature" else logit(P)

    return LogOdds(**settings)


def scaled(load: Callable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = (np.asarray(values) for values in load(return_X_y=True))
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :4]
    return X, y, folds(RowsToSplit(len(y), y), y, 5, generator(2, "folds"))


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize(
    ("way", "atol"),
    [("isotonic", 1e-7), ("sigmoid", 1e-4), ("temperature", 1e-4)],  # theirs stop early
)
def test_the_classifier_on_the_same_folds(load, ensemble, way, atol):
    X, y, fold_of = scaled(load)
    ours = Calibrated(estimator=NaiveBayes(), calibration=way, ensemble=ensemble)
    other = CalibratedClassifierCV(
        told_in_log_odds(GaussianNB, way, var_smoothing=1e-15), method=way, ensemble=ensemble,
        cv=PredefinedSplit(fold_of),
    ).fit(X, y)  # fmt: skip
    mine = ours.fit(X, y, seed=2).probabilities(X)
    np.testing.assert_allclose(mine, other.predict_proba(X), atol=atol)


def test_scores_that_tie():
    """Neighbours say few different things, and a share added up in another order is no other."""
    X, y, fold_of = scaled(load_wine)
    fit = Calibrated(estimator=KNNClassifier(n_neighbors=9), calibration="isotonic")
    other = CalibratedClassifierCV(
        told_in_log_odds(KNeighborsClassifier, "isotonic", n_neighbors=9), method="isotonic",
        cv=PredefinedSplit(fold_of),
    )  # fmt: skip
    expected = other.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(fit.fit(X, y, seed=2).probabilities(X), expected, atol=1e-6)


def test_scores_without_probabilities():
    X, y, fold_of = scaled(load_breast_cancer)
    ours = Calibrated(estimator=CostSensitive()).fit(X, y, seed=2)
    for k, member in enumerate(ours.members):
        s, of_class = member.decision(X[fold_of == k]), y[fold_of == k]
        told = expit(ours.lines[k, 0, 0] * s + ours.lines[k, 0, 1])
        peer = _SigmoidCalibration().fit(s, of_class).predict(s)
        np.testing.assert_allclose(told, peer, atol=1e-4)
