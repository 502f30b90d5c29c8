"""Errors against rejections, on values that are small enough to check on paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.views.evaluation import reject_curve
from mlcore.classification.costs import PerClass
from mlcore.classification.decision_rule import DecisionRule
from tests.figures import made

N = 20
X, Y = [[float(i)] for i in range(N)], [0, 1] * (N // 2)


def judged(doubt, wrong, method=None):
    """Rows whose most probable class has a probability of 1 - doubt, of which some are wrong."""
    method = method or DecisionRule(estimator="lda")
    data = made.dataset(X, Y, classes=("a", "b"))
    data = replace(data, y=np.array(Y))
    P = np.empty((N, 2))
    said = np.where(wrong, 1 - np.array(Y), Y)
    P[np.arange(N), said], P[np.arange(N), 1 - said] = 1.0 - doubt, doubt
    fold = made.fold(0, list(range(N)), said.tolist(), n=N, probabilities=P)
    return data, replace(made.outcome([fold], method), whole=made.whole(data, method))


# Four rows of doubt 0.4, half of them wrong; four of 0.2, one of them; twelve of 0.05, none.
DOUBT = np.repeat([0.4, 0.2, 0.05], [4, 4, 12])
WRONG = np.isin(np.arange(N), [0, 1, 4])


def test_the_doubtful_are_left_first_and_rows_of_equal_doubt_together():
    c = reject_curve.numbers(*judged(DOUBT, WRONG))
    np.testing.assert_allclose(c.limits, [0.4, 0.2, 0.05])
    np.testing.assert_allclose(c.left, [0.0, 0.2, 0.4])
    np.testing.assert_allclose(c.decided, [3 / 20, 1 / 16, 0.0])
    np.testing.assert_allclose(c.promised, [3 / 20, (0.8 + 0.6) / 16, 0.05])
    assert c.reject_cost == pytest.approx(0.2)  # a fifth of an error
    np.testing.assert_allclose(c.total, [0.15, 0.8 * 1 / 16 + 0.2 * 0.2, 0.4 * 0.2])
    assert c.at == c.best - 1 == 1
    assert "a row Chow's rule leaves 20 %" in reject_curve.reading(c)


def test_the_cost_is_that_of_the_method_or_of_the_picture():
    data, outcome = judged(DOUBT, WRONG, DecisionRule(estimator="lda", reject_cost=0.3))
    c = reject_curve.numbers(data, outcome)
    assert (c.reject_cost, c.at) == (0.3, 1)
    dear = reject_curve.RejectOptions(reject_cost=0.5)
    c = reject_curve.numbers(data, outcome, dear)
    assert c.at == 0
    assert "leaves none" in reject_curve.reading(c)


def test_errors_count_by_the_costs_of_the_method():
    method = DecisionRule(estimator="lda", costs=PerClass(values=(1.0, 5.0)))
    c = reject_curve.numbers(*judged(np.full(N, 0.1), np.zeros(N, bool), method))
    # Class a at a probability of 0.1 for b is expected to cost 0.5, and b at 0.9 only 0.1.
    np.testing.assert_allclose(c.limits, [0.5, 0.1])
    assert not c.errors
    assert reject_curve.draw(c).layout.yaxis.title.text == "Cost of decided rows"


def test_of_fewer_than_ten_decided_rows_nothing_is_said():
    c = reject_curve.numbers(*judged(np.linspace(0.4, 0.01, N), WRONG))
    assert c.left.max() == pytest.approx(0.5)


def test_doubts_that_are_rounding_are_none():
    c = reject_curve.numbers(*judged(np.linspace(2e-13, 4e-14, N), np.zeros(N, bool)))
    assert c.limits.tolist() == c.promised.tolist() == c.total.tolist() == [0.0]
    assert reject_curve.reading(c).startswith("Of all rows 0 % are wrong.")


def test_shares_beside_the_costs_are_few_enough_to_lie_level_on_a_phone():
    assert reject_curve.draw(reject_curve.numbers(*judged(DOUBT, WRONG))).layout.xaxis.nticks == 4


def test_a_method_that_decides_otherwise_than_its_probabilities_is_told_of():
    data, outcome = judged(DOUBT, WRONG)
    same = reject_curve.numbers(data, outcome)
    assert (same.other, same.own) == (0.0, pytest.approx(3 / 20))
    (fold,) = outcome.folds
    named = 1 - np.asarray(fold.predictions)[:2]  # the first two rows, which were wrong, are right
    turned = replace(fold, predictions=np.append(named, fold.predictions[2:]))
    c = reject_curve.numbers(data, replace(outcome, folds=(turned,)))
    assert (c.other, c.own) == (pytest.approx(2 / 20), pytest.approx(1 / 20))
    np.testing.assert_array_equal(c.decided, same.decided)
    said = reject_curve.reading(c)
    assert "another class on 10 %; of its own answers 5 % are wrong" in said
    assert "The method itself" not in reject_curve.reading(same)
