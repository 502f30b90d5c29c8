"""What the theory says of decisions by costs, without a reference."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import FixedThresholdClassifier

from mlcore.classification.costs import (
    CostMatrix,
    PerClass,
    expected_cost,
    optimal_threshold,
)
from mlcore.classification.decision_rule import DecisionRule
from mlcore.classification.lda import LDA
from mlcore.classification.priors import GivenShares
from mlcore.evaluation.cost_scores import CostScores
from mlcore.evaluation.scoring import Case, Rows
from mlcore.interop.scikit_learn import estimator
from mlcore.spine.errors import DataError, ParamError


def clouds(n=120, classes=2, seed=0):
    """Classes that overlap along the first column."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 2)) + 1.5 * np.column_stack([y, np.zeros(n)]), y


def test_the_cut_is_where_both_costs_are_expected_to_be_equal():
    assert optimal_threshold(1, 9) == pytest.approx(0.1)
    assert optimal_threshold(1, 10) == pytest.approx(1 / 11)
    assert optimal_threshold(1, 1) == pytest.approx(0.5)
    costs = PerClass(values=(1.0, 9.0)).matrix(2)
    at_cut = expected_cost([[0.9, 0.1]], costs)[0]
    assert at_cut[0] == pytest.approx(at_cut[1])
    with pytest.raises(ParamError, match="one must be above 0; got 0 and 0"):
        optimal_threshold(0, 0)


def test_two_classes_are_cut_as_scikit_learn_cuts_them():
    X, y = clouds()
    fit = DecisionRule(estimator=LDA(), costs=PerClass(values=(1.0, 9.0))).fit(X, y)
    peer = FixedThresholdClassifier(
        estimator(LDA()), threshold=0.1, response_method="predict_proba"
    ).fit(X, y)
    np.testing.assert_array_equal(fit.predict(X), peer.predict(X))
    assert (fit.predict(X) != LDA().fit(X, y).predict(X)).any()


def test_no_class_is_expected_to_cost_less_than_the_one_that_is_said():
    X, y = clouds(classes=3)
    costs = CostMatrix(entries=(0, 1, 7, 2, 0, 1, 4, 3, 0))
    fit = DecisionRule(estimator=LDA(), costs=costs).fit(X, y)
    P = LDA().fit(X, y).probabilities(X)
    by_hand = np.array([[sum(P[i, k] * fit.costs[k, j] for k in range(3)) for j in range(3)]
                        for i in range(len(X))])  # fmt: skip
    np.testing.assert_allclose(fit.expected_costs(X), by_hand)
    np.testing.assert_array_equal(fit.predict(X), by_hand.argmin(axis=1))


def test_costs_that_grow_together_decide_the_same():
    X, y = clouds()
    one = DecisionRule(costs=PerClass(values=(1.0, 3.0))).fit(X, y)
    same = DecisionRule(costs=PerClass(values=(20.0, 60.0))).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), same.predict(X))


def test_deployed_shares_correct_the_odds():
    X, y = clouds(n=200)
    plain = DecisionRule(estimator=LDA()).fit(X, y)
    rare = DecisionRule(estimator=LDA(), deployed_prior=GivenShares(values=(0.9, 0.1))).fit(X, y)
    P, Q = plain.probabilities(X), rare.probabilities(X)
    np.testing.assert_allclose(Q[:, 1] / Q[:, 0], P[:, 1] / P[:, 0] / 9, rtol=1e-9)
    # Linear discriminants with these priors have the same posterior.
    own = LDA(prior=GivenShares(values=(0.9, 0.1))).fit(X, y)
    np.testing.assert_allclose(Q, own.probabilities(X), atol=1e-9)


@pytest.mark.parametrize(
    ("costs", "why"),
    [
        (PerClass(values=(1.0, 2.0, 3.0)), "There are 2 classes and 3 costs"),
        (CostMatrix(entries=(0, 1, 1, 1, 0, 1, 1, 1, 0)), "a cost matrix has 4 entries; got 9"),
    ],
)
def test_costs_of_other_classes_are_refused(costs, why):
    X, y = clouds()
    with pytest.raises(DataError, match=why):
        DecisionRule(costs=costs).fit(X, y)


def test_a_diagonal_that_is_not_free_is_refused():
    with pytest.raises(ParamError, match="being right costs 0"):
        CostMatrix(entries=(1, 1, 1, 0))
    with pytest.raises(ParamError, match="as many rows as columns"):
        CostMatrix(entries=(0, 1, 1))
    with pytest.raises(ParamError, match="needs probabilities"):
        DecisionRule(estimator="svc")


def test_what_probabilities_and_costs_do_not_fit_is_said():
    with pytest.raises(DataError, match="needs probabilities of K classes and a K x K matrix"):
        expected_cost([[0.5, 0.5]], np.zeros((3, 3)))


def test_rows_are_left_where_no_probability_is_large_enough():
    X, y = clouds(classes=3)
    fit = DecisionRule(estimator=LDA(), reject_cost=0.3).fit(X, y)
    P = fit.probabilities(X)
    np.testing.assert_array_equal(fit.rejects(X), P.max(axis=1) < 1.0 - 0.3)  # Chow's rule
    assert 0 < fit.rejects(X).sum() < len(X)
    plain = DecisionRule(estimator=LDA()).fit(X, y)
    np.testing.assert_array_equal(fit.predict(X), plain.predict(X))
    assert not plain.rejects(X).any()


def test_a_row_that_is_left_costs_what_leaving_costs():
    X, y = clouds()
    fit = DecisionRule(estimator=LDA(), reject_cost=0.2).fit(X, y)
    left, wrong = fit.rejects(X), fit.predict(X) != y
    expected = (0.2 * left.sum() + (wrong & ~left).sum()) / len(X)
    rows = Rows(X, y)
    scores = CostScores().scored(Case(method=fit.made_by, fit=fit, train=rows, test=rows)).scores
    assert scores["mean_cost"] == pytest.approx(expected)
    assert scores["share_rejected"] == pytest.approx(left.mean())
    assert scores["decided_accuracy"] == pytest.approx(1 - wrong[~left].mean())
    never = DecisionRule(estimator=LDA()).fit(X, y)
    case = Case(method=never.made_by, fit=never, train=rows, test=rows)
    assert np.isnan(CostScores().scored(case).scores["share_rejected"])


def test_to_leave_for_less_than_any_error_would_be_expected_to_cost_leaves_all():
    X, y = clouds()
    fit = DecisionRule(estimator=LDA(), reject_cost=0.0).fit(X, y)
    assert fit.rejects(X).all()
