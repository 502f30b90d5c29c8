"""Novelty detection is judged by the share it was asked for, and by a rare class it never saw."""

from __future__ import annotations

import numpy as np

from mlcore.evaluation.baselines import MeanDistance
from mlcore.evaluation.novelty_scores import NoveltyScores, rarest_class
from mlcore.evaluation.scoring import Case, Rows
from mlcore.novelty.novelty_detector import NoveltyDetector

LINE = np.arange(20.0)[:, None]


def case(method, *, train_y=None, test_y=None, n_classes=0):
    """The fit to twenty rows on a line, judged on four of which two lie far away."""
    X = np.array([[0.4], [3.4], [90.0], [-50.0]])
    test = Rows(X, None if test_y is None else np.asarray(test_y))
    train = Rows(LINE, None if train_y is None else np.asarray(train_y))
    return Case(method=method, fit=method.fit(LINE), train=train, test=test, n_classes=n_classes)


def test_the_gap_is_that_to_the_share_asked_for():
    scores = NoveltyScores().scored(case(NoveltyDetector(contamination=0.1))).scores
    assert scores["share_outside"] == 0.5
    assert scores["share_gap"] == 0.4
    assert np.isnan(scores["rare_auc"])
    given = NoveltyScores().scored(case(NoveltyDetector(threshold=-3.0)))
    assert np.isnan(given.scores["share_gap"])
    assert given.predictions.tolist() == [1, 1, -1, -1]


def test_the_rarest_class_is_found_by_the_least_usual_rows():
    y = np.array([0] * 15 + [1] * 5)
    one = case(NoveltyDetector(), train_y=y, test_y=[0, 0, 1, 1], n_classes=2)
    assert rarest_class(one) == 1
    assert NoveltyScores().scored(one).scores["rare_auc"] == 1.0
    other = case(NoveltyDetector(), train_y=1 - y, test_y=[1, 0, 1, 1], n_classes=2)
    assert rarest_class(other) == 0
    # Of the three others two are less usual, and one is.
    assert NoveltyScores().scored(other).scores["rare_auc"] == 1 / 6


def test_a_quantity_as_target_has_no_rarest_class():
    y = np.linspace(0.0, 1.0, 20)
    assert rarest_class(case(NoveltyDetector(), train_y=y, test_y=[0.1, 0.2, 0.3, 0.4])) is None


def test_the_baseline_has_one_ball_with_as_many_outside():
    baseline = NoveltyScores().baseline_of(NoveltyDetector(contamination=0.2))
    assert baseline == MeanDistance(share=0.2)
    fit = baseline.fit(LINE)
    np.testing.assert_array_equal(np.flatnonzero(fit.predict(LINE) == -1), [0, 1, 18, 19])
