"""Scorings: what each measures, what is undefined, and what they are compared with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from mlcore.evaluation.judge import judge_by
from mlcore.evaluation.metrics.metric import FITTED, LEFT_OUT
from mlcore.evaluation.pooled import pooled
from mlcore.evaluation.scoring import (
    Case,
    ClassificationScores,
    Distortion,
    Reconstruction,
    RegressionScores,
    Rows,
)
from mlcore.preparation.standardise import Standardise
from mlcore.spine.errors import DataError
from mlcore.spine.registry import entries, lookup

X = np.random.default_rng(0).normal(size=(60, 3))
TRUTH = np.random.default_rng(1).integers(0, 3, 60)


class WithProbabilities:
    """Predicts by the largest of the probabilities it was given."""

    def __init__(self, classes: list[int], P: np.ndarray) -> None:
        self.classes, self.P = np.array(classes), P

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes[self.P.argmax(axis=1)]

    def probabilities(self, X: np.ndarray) -> np.ndarray:
        return self.P


class WithDecision:
    """Predicts by a decision function alone."""

    def __init__(self, classes: list[int], scores: np.ndarray) -> None:
        self.classes, self.scores = np.array(classes), scores

    def predict(self, X: np.ndarray) -> np.ndarray:
        best = (
            (self.scores > 0).astype(int) if self.scores.ndim == 1 else self.scores.argmax(axis=1)
        )
        return self.classes[best]

    def decision(self, X: np.ndarray) -> np.ndarray:
        return self.scores


def case(fit: Any, X: np.ndarray, y: Any = None, n_classes: int = 0) -> Case:
    """A fit that is judged on rows with their truth."""
    rows = Rows(X, y)
    return Case(method=None, fit=fit, train=rows, test=rows, n_classes=n_classes)


def test_every_scoring_says_what_it_measures():
    for cls in entries("scoring").values():
        metrics = cls().metrics()
        assert len({m.name for m in metrics}) == len(metrics)
        assert all(m.better in ("higher", "lower") and m.note.endswith(".") for m in metrics)
        assert all("training row" in m.title for m in metrics if m.rows == FITTED)
        assert all("rows left out" not in m.heading for m in metrics if m.rows != LEFT_OUT)
        assert len({m.rows for m in metrics}) == 1


def test_scores_of_classes_are_those_of_the_reference():
    P = np.random.default_rng(2).dirichlet(np.ones(3), 60)
    scored = ClassificationScores().scored(case(WithProbabilities([0, 1, 2], P), X, TRUTH, 3))
    predicted = P.argmax(axis=1)
    assert scored.scores == pytest.approx(
        {
            "accuracy": sk.accuracy_score(TRUTH, predicted),
            "balanced_accuracy": sk.balanced_accuracy_score(TRUTH, predicted),
            "f_score": sk.f1_score(TRUTH, predicted, average="macro"),
            "matthews": sk.matthews_corrcoef(TRUTH, predicted),
            "log_loss": sk.log_loss(TRUTH, P),
            "brier_score": sk.brier_score_loss(TRUTH, P, scale_by_half=False),
            "roc_auc": sk.roc_auc_score(TRUTH, P, multi_class="ovr"),
        }
    )
    assert list(scored.scores) == [m.name for m in ClassificationScores().metrics()]


def test_a_class_that_training_lacked_has_probability_0():
    P = np.random.default_rng(2).dirichlet(np.ones(2), 60)
    scored = ClassificationScores().scored(case(WithProbabilities([0, 2], P), X, TRUTH, 3))
    np.testing.assert_array_equal(scored.probabilities[:, [0, 2]], P)
    np.testing.assert_array_equal(scored.probabilities[:, 1], 0)
    assert set(scored.predictions) <= {0, 2}
    assert scored.scores["log_loss"] > 5  # a true class of probability 0 is paid for


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_ranking_of_a_decision_function(n_classes):
    y = TRUTH % n_classes
    scores = np.random.default_rng(3).normal(size=(60, 3))[:, :n_classes]
    scores = scores[:, 1] if n_classes == 2 else scores
    fit = WithDecision(list(range(n_classes)), scores)
    found = ClassificationScores().scored(case(fit, X, y, n_classes))
    if n_classes == 2:
        wanted = sk.roc_auc_score(y, scores)
    else:
        wanted = np.mean([sk.roc_auc_score(y == k, scores[:, k]) for k in range(3)])
    assert found.scores["roc_auc"] == pytest.approx(wanted)
    assert np.isnan(found.scores["log_loss"])
    assert found.probabilities is None


def test_a_fold_of_one_class_has_no_auc_and_no_failure():
    P = np.random.default_rng(2).dirichlet(np.ones(2), 60)
    scored = ClassificationScores().scored(
        case(WithProbabilities([0, 1], P), X, np.ones(60, int), 2)
    )
    assert np.isnan(scored.scores["roc_auc"])
    assert scored.scores["accuracy"] == pytest.approx((P[:, 1] > 0.5).mean())


def test_scores_of_numbers():
    y = X[:, 0]
    fit = SimpleNamespace(predict=lambda X: X[:, 0] + X[:, 1])
    scored = RegressionScores().scored(case(fit, X, y))
    assert scored.scores["rmse"] == pytest.approx(
        sk.root_mean_squared_error(y, X[:, :2].sum(axis=1))
    )
    assert np.isnan(RegressionScores().scored(case(fit, X[:1], y[:1])).scores["r2"])


@pytest.mark.parametrize("scoring", [ClassificationScores(), RegressionScores()])
def test_predictions_that_are_not_finite_fail_in_a_sentence(scoring):
    bad = np.where(np.arange(60) < 3, np.nan, 0.5)
    fit = WithProbabilities([0, 1], np.column_stack([bad, 1 - bad]))
    if isinstance(scoring, RegressionScores):
        fit = SimpleNamespace(predict=lambda X: bad)
    with pytest.raises(DataError, match=r"[36] predicted values are not finite"):
        scoring.scored(case(fit, X, TRUTH % 2, 2))
    with pytest.raises(DataError, match="need a target"):
        scoring.scored(case(fit, X, None, 2))


def test_distortion_is_the_mean_squared_distance_to_the_nearest_center():
    centers = X[:4] + 0.1
    scored = Distortion().scored(case(SimpleNamespace(centers=centers), X, None))
    squares = ((X[:, None] - centers) ** 2).sum(axis=2)
    assert scored.scores["distortion"] == pytest.approx(squares.min(axis=1).mean())
    np.testing.assert_array_equal(scored.predictions, squares.argmin(axis=1))


def test_the_baseline_of_a_clustering_is_one_center():
    baseline = Distortion().baseline_of(lookup("clustering", "kmeans")())
    fit = baseline.fit(X)
    found = Distortion().scored(case(fit, X, None)).scores["distortion"]
    assert found == pytest.approx(X.var(axis=0).sum())


def test_the_baseline_of_a_reduction_keeps_nothing():
    fit = Reconstruction().baseline_of(None).fit(X)
    scores = Reconstruction().scored(case(fit, X, None)).scores
    assert scores["reconstruction_error"] == pytest.approx(X.var(axis=0).sum())
    assert scores["variance_kept"] == pytest.approx(0)
    assert Reconstruction().scored(case(fit, X + 1, None)).scores["variance_kept"] < 0


def test_a_map_that_loses_nothing_reconstructs_everything():
    fit = Standardise().fit(X)
    scores = Reconstruction().scored(case(fit, X, None)).scores
    assert scores["reconstruction_error"] == pytest.approx(0, abs=1e-25)
    assert scores["variance_kept"] == pytest.approx(1)
    assert np.isnan(Reconstruction().scored(case(fit, X[:1], None)).scores["variance_kept"])


def test_baselines_of_predictors_know_no_column():
    for scoring, y in ((ClassificationScores(), TRUTH), (RegressionScores(), X[:, 0])):
        fit = scoring.baseline_of(None).fit(X, y)
        assert len(set(fit.predict(X))) == 1


def fold(k: int, rows: list[int], *, with_probabilities: bool = True) -> SimpleNamespace:
    rows = np.array(rows)
    P = np.column_stack([rows, -rows]) if with_probabilities else None
    return SimpleNamespace(k=k, test=rows, predictions=rows * 10 + k, probabilities=P, failure="")


def test_predictions_are_pooled_by_row():
    found = pooled([fold(0, [3, 1]), fold(1, [0, 2])])
    np.testing.assert_array_equal(found.rows, [0, 1, 2, 3])
    np.testing.assert_array_equal(found.folds, [1, 0, 1, 0])
    np.testing.assert_array_equal(found.predictions, [1, 10, 21, 30])
    np.testing.assert_array_equal(found.probabilities[:, 0], [0, 1, 2, 3])


def test_repeats_can_be_pooled_once_and_failed_folds_are_left_out():
    folds = [fold(0, [0, 1]), fold(1, [2]), fold(2, [1, 2, 0])]
    assert len(pooled(folds).rows) == 6
    np.testing.assert_array_equal(pooled(folds, once=True).predictions, [0, 10, 21])
    folds[0].failure = "It failed."
    np.testing.assert_array_equal(pooled(folds, once=True).rows, [0, 1, 2])
    assert pooled([folds[0]]) is None
    assert pooled([fold(0, [0]), fold(1, [1], with_probabilities=False)]).probabilities is None


@pytest.mark.parametrize(
    ("slot", "method"),
    [("clustering", {"gaussian_mixture": {"n_init": 1, "n_components": 2}}),
     ("novelty", {"novelty_detector": {"scorer": "gaussian_mixture"}})],
)  # fmt: skip
def test_what_takes_missing_values_is_scored_with_them_beside_its_baselines(slot, method):
    """The baselines learn the same rows: one that refused them would take every fold away."""
    ((name, values),) = method.items()
    rows = np.vstack([X, X + 6.0])
    rows[::7, 1] = np.nan
    rows[5] = np.nan
    made = lookup(slot, name)(**values)
    judge = judge_by(made.card.scores)
    for base, own in ((made, judge), *judge.baselines(made)):
        fit = base.fit(rows)
        case = Case(method=base, fit=fit, train=Rows(rows), test=Rows(rows))
        scores = own.scored(case).scores
        assert all(np.isfinite(v) for name, v in scores.items() if name != "rare_auc"), scores


def test_a_row_with_missing_values_is_as_far_from_the_mean_as_what_it_shows():
    fit = lookup("baseline", "mean_distance")().fit(
        np.array([[0.0, 0.0], [2.0, 4.0], [np.nan, 2.0]])
    )
    np.testing.assert_allclose(fit.mean, [1.0, 2.0])
    rows = [[4.0, np.nan], [np.nan, np.nan], [4.0, 2.0]]
    np.testing.assert_allclose(fit.usualness(rows), [-3.0 * np.sqrt(2.0), 0.0, -3.0])
