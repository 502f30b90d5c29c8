"""Promised coverage beside MAPIE, around the same models of the same folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, LeaveOneOut

from mlcore.evaluation.conformal.intervals import cross_intervals, interval_errors
from mlcore.evaluation.conformal.sets import (
    ADAPTIVE,
    LEAST_AMBIGUOUS,
    label_errors,
    label_p_values,
    label_sets,
)

pytest.importorskip("mapie", reason="MAPIE is a development requirement, for this file alone")
from mapie.classification import SplitConformalClassifier
from mapie.regression import CrossConformalRegressor, SplitConformalRegressor

X, Y = load_diabetes(return_X_y=True)
NEW, X, Y = X[160:260], X[:160], Y[:160]
WINE, CULTIVAR = load_wine(return_X_y=True)
MIXED = np.random.default_rng(0).permutation(len(CULTIVAR))
WINE, CULTIVAR = WINE[MIXED, :2], CULTIVAR[MIXED]
HELD, LATER = slice(60, 120), slice(120, None)
CLASSIFIER = LogisticRegression().fit(WINE[:60], CULTIVAR[:60])


@pytest.mark.parametrize("cv", [KFold(7), LeaveOneOut()], ids=["CV+", "jackknife+"])
@pytest.mark.parametrize("coverage", [0.8, 0.9])
def test_intervals_around_the_models_of_folds(cv, coverage):
    theirs = CrossConformalRegressor(LinearRegression(), confidence_level=coverage, cv=cv)
    _, ends = theirs.fit_conformalize(X, Y).predict_interval(NEW)
    models = [(LinearRegression().fit(X[t], Y[t]), left) for t, left in cv.split(X)]
    errors = [interval_errors(Y[left], model.predict(X[left])) for model, left in models]
    ours = cross_intervals(errors, [model.predict(NEW) for model, _ in models], coverage)
    np.testing.assert_allclose(ours, ends[:, :, 0], rtol=1e-12)


def test_intervals_around_one_model():
    model = LinearRegression().fit(X[:90], Y[:90])
    theirs = SplitConformalRegressor(model, confidence_level=0.9, prefit=True)
    _, ends = theirs.conformalize(X[90:], Y[90:]).predict_interval(NEW)
    errors = interval_errors(Y[90:], model.predict(X[90:]))
    ours = cross_intervals([errors], [model.predict(NEW)], 0.9)
    np.testing.assert_allclose(ours, ends[:, :, 0], rtol=1e-12)


def split_sets(way: str, coverage: float, **params: Any) -> tuple[np.ndarray, np.ndarray]:
    """Their scores of the rows held back, (60,), and their sets of later rows."""
    theirs = SplitConformalClassifier(
        CLASSIFIER, confidence_level=coverage, conformity_score=way, prefit=True, random_state=0
    ).conformalize(WINE[HELD], CULTIVAR[HELD])
    _, sets = theirs.predict_set(WINE[LATER], **params)
    return theirs._mapie_classifier.conformity_scores_.ravel(), sets[:, :, 0]


def of_the_truth(errors: np.ndarray) -> np.ndarray:
    return errors[np.arange(len(errors)), CULTIVAR[HELD]]


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_least_ambiguous_sets(coverage):
    scores, sets = split_sets("lac", coverage)
    own = of_the_truth(label_errors(CLASSIFIER.predict_proba(WINE[HELD])))
    np.testing.assert_allclose(own, scores, rtol=1e-12)
    later = label_errors(CLASSIFIER.predict_proba(WINE[LATER]), LEAST_AMBIGUOUS)
    assert (label_sets(label_p_values([own], [later]), len(own), coverage) == sets).all()


@pytest.mark.parametrize("coverage", [0.7, 0.9])
def test_adaptive_sets_by_the_same_lots(coverage):
    """Theirs holds the last label always, which is the lot 0 of ours; their lots are read back."""
    last = {"conformity_score_params": {"include_last_label": True}}
    scores, sets = split_sets("aps", coverage, **last)
    P = CLASSIFIER.predict_proba(WINE[HELD])
    whole = of_the_truth(label_errors(P, ADAPTIVE, np.ones(len(P))))
    lots = 1 - (whole - scores) / of_the_truth(P)
    own = of_the_truth(label_errors(P, ADAPTIVE, lots))
    later = label_errors(CLASSIFIER.predict_proba(WINE[LATER]), ADAPTIVE)
    assert (label_sets(label_p_values([own], [later]), len(own), coverage) == sets).all()
