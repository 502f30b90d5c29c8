"""Voting and stacking: what is averaged, what is learned, and that nothing leaks."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest

from mlcore.classification.active_learning import ActiveLearning
from mlcore.classification.decision_rule import DecisionRule
from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.qda import QDA
from mlcore.ensembles.bagging import Bagging
from mlcore.ensembles.calibrated import Calibrated
from mlcore.ensembles.stacking import Stacking
from mlcore.ensembles.voting import Voting
from mlcore.neighbours.knn import KNNClassifier
from mlcore.spine.errors import ClassError, DataError, ParamError
from mlcore.spine.registry import lookup
from mlcore.trees.decision_tree import DecisionTree


def clouds(n=150, K=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + 1.5 * np.eye(K, 3)[y], y


def test_probabilities_are_averaged_by_weight():
    X, y = clouds()
    methods = (LogisticRegression(), DecisionTree())
    fit = Voting(estimators=methods, weights=(3.0, 1.0)).fit(X, y)
    first, second = (m.fit(X, y).probabilities(X) for m in methods)
    np.testing.assert_allclose(fit.probabilities(X), 0.75 * first + 0.25 * second, atol=1e-12)


def test_votes_are_counted_and_ties_go_to_the_first_class():
    X, y = clouds()
    methods = ("lda", "perceptron", "decision_tree")
    fit = Voting(estimators=methods, vote="majority").fit(X, y)
    answers = fit.member_answers(X)
    counts = np.array([np.bincount(row, minlength=3) for row in answers])
    np.testing.assert_array_equal(fit.predict(X), counts.argmax(axis=1))
    np.testing.assert_allclose(fit.probabilities(X), counts / 3)


def test_equal_members_are_the_member():
    X, y = clouds()
    fit = Voting(estimators=("lda", "lda", "lda")).fit(X, y)
    alone = lookup("classification", "lda")().fit(X, y)
    np.testing.assert_allclose(fit.probabilities(X), alone.probabilities(X), atol=1e-15)
    assert fit.member_names[2].endswith(" 3")


def test_what_cannot_be_averaged_is_refused():
    with pytest.raises(ParamError, match="Perceptron does not give"):
        Voting(estimators=("lda", "perceptron"))
    with pytest.raises(ParamError, match="as many weights; got 1"):
        Voting(weights=(1.0,))
    with pytest.raises(ParamError, match="one of them above 0"):
        Voting(weights=(0.0, 0.0, 0.0))


def test_a_member_that_refuses_is_named():
    X, y = clouds(12)
    with pytest.raises(DataError, match=r"^k-nearest neighbours inside voting: "):
        Voting(estimators=("lda", KNNClassifier(n_neighbors=50))).fit(X, y)


def test_who_learns_by_heart_is_not_believed():
    """Labels are noise: one neighbour knows every fitted row, and none that it has not seen.

    Joined on fitted rows it would be trusted; out of folds it is as wrong as it is on new rows.
    """
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    nearest = KNNClassifier(n_neighbors=1)
    assert (nearest.fit(X, y).predict(X) == y).all()
    fit = Stacking(estimators=(nearest, "lda")).fit(X, y)
    assert fit.member_errors[0] > 0.4
    on_fitted = np.column_stack([m.probabilities(X)[:, 0] for m in fit.members])
    trusting = LogisticRegression().fit(on_fitted, y)
    assert abs(fit.final.coefficients[0]) < 0.2 * abs(trusting.coefficients[0])
    assert (trusting.predict(on_fitted) == y).all()
    assert fit.joined_error > 0.4


def test_groups_are_left_out_together():
    """Each row has a twin of the same noise label: with the twin in the training it is known."""
    rng = np.random.default_rng(4)
    X = np.repeat(rng.normal(size=(100, 2)), 2, axis=0)
    y, groups = np.repeat(rng.integers(0, 2, 100), 2), np.repeat(np.arange(100), 2)
    method = Stacking(estimators=(KNNClassifier(n_neighbors=1),))
    assert method.fit(X, y, seed=1).member_errors[0] < 0.3
    assert method.fit(X, y, groups=groups, seed=1).member_errors[0] > 0.4


def test_the_risk_on_the_folds_is_at_most_that_of_the_best_member():
    """What the final logistic rule minimises, without penalty, includes following one member."""
    X, y = clouds(400, 2, seed=5)
    final = LogisticRegression(penalty="none")
    fit = Stacking(estimators=("logistic", "naive_bayes"), final=final).fit(X, y)
    assert fit.joined_error <= fit.member_errors.min() + 0.02
    assert fit.final.n_columns == 2  # one probability a member: the other is the rest


def test_stacking_has_what_its_final_classifier_gives():
    X, y = clouds()
    assert hasattr(Stacking().fit(X, y), "probabilities")
    perceptron = Stacking(final="perceptron").fit(X, y)
    assert not hasattr(perceptron, "probabilities")
    assert perceptron.decision(X).shape == (len(X), 3)


def test_too_few_rows_for_the_folds_are_told():
    X, y = clouds(9)
    with pytest.raises(DataError, match="on 10 folds needs as many rows; there are 9"):
        Stacking(folds=10).fit(X, y)


@pytest.mark.parametrize(
    "method",
    [
        Voting(estimators=(QDA(),)), Stacking(estimators=(QDA(),)), Stacking(final=QDA()),
        Bagging(estimator=QDA()), DecisionRule(estimator=QDA()), Calibrated(estimator=QDA()),
        ActiveLearning(estimator=QDA(), first=45),
    ],
)  # fmt: skip
def test_a_class_that_a_member_refuses_has_the_name_that_it_was_given(method):
    """Members know classes as 0 .. K - 1 of those that occur: no number that anybody gave."""
    X, y = clouds(90)
    X[y == 1] = 0.0
    with pytest.raises(ClassError) as caught:
        method.fit(X, y + 5)
    assert set(caught.value.labels) <= {5, 6, 7}
    assert caught.value.labels == (6,) or method.__class__ is Stacking


def test_a_class_that_one_fold_has_all_of_is_named():
    X, y = clouds(40, 2)
    y = np.where(np.arange(40) == 7, "rare", "usual")
    with pytest.raises(ClassError, match="a fold with all rows of class 'rare', and nothing"):
        Stacking(estimators=("lda",)).fit(X, y)
    assert Stacking(estimators=("lda",)).fit(X, np.where(X[:, 0] > 0, "a", "b")).joined_error < 0.5


def test_a_vote_of_25_independent_members_that_are_wrong_on_35_percent():
    """Row k is of the second class, and k of the 25 members miss it."""
    B, wrong = 25, 0.35
    # Member j reads column j alone.
    X = (np.arange(B) >= np.arange(B + 1)[:, None]).astype(float)  # (26, 25)
    members = tuple(DecisionTree().fit(X, X[:, j].astype(int)) for j in range(B))
    fit = Voting(vote="majority").fit(X, X[:, 0].astype(int))
    fit = replace(fit, members=members, shares=np.full(B, 1 / B))
    np.testing.assert_allclose(fit.vote_shares(X)[:, 0], np.arange(B + 1) / B)
    chances = [comb(B, k) * wrong**k * (1 - wrong) ** (B - k) for k in range(B + 1)]
    assert (fit.predict(X) == 0) @ chances == pytest.approx(0.060445, abs=5e-7)
