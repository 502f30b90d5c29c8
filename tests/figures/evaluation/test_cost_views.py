"""Pictures of costs, checked on values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.numbers import left_out
from figures.views.classification import cost_map
from figures.views.evaluation import cost_curve, error_costs
from mlcore.classification.cost_sensitive import CostSensitive
from mlcore.classification.costs import PerClass
from mlcore.classification.decision_rule import DecisionRule
from mlcore.evaluation.cost_scores import CostScores
from mlcore.evaluation.scoring import Case, Rows
from mlcore.optimisation.penalties import L2
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.registry import lookup
from tests.figures import made

X, Y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
SECOND = np.array([0.05, 0.3, 0.2, 0.9])  # of four rows that were left out


def judged():
    """A fold in which a missed row of the second class costs 4, so that the cut is one fifth."""
    method = DecisionRule(estimator="lda", costs=PerClass(values=(1.0, 4.0)))
    data = made.dataset(X, Y, classes=("a", "b"))
    P = np.column_stack([1 - SECOND, SECOND])
    fold = made.fold(0, [0, 1, 2, 3], [0, 1, 1, 1], n=4, probabilities=P)
    return data, replace(made.outcome([fold], method), whole=made.whole(data, method))


def test_each_cut_costs_what_its_errors_cost():
    c = cost_curve.numbers(*judged())
    assert c.at == pytest.approx(0.2)
    at = [c.near(cut) for cut in (0.1, 0.25, 0.5, 0.95)]
    np.testing.assert_allclose(c.alarms[at], [0.25, 0.25, 0.0, 0.0])
    np.testing.assert_allclose(c.misses[at], [0.0, 1.0, 1.0, 2.0])
    text = cost_curve.reading(c)
    assert "b is said from 1.00 / (1.00 + 4.00) = 0.200 on" in text
    assert "errors cost 0.250 a row, and 1.00 at 0.5" in text
    assert text.endswith("No other threshold is much cheaper on these rows.")


def test_costs_and_class_are_those_that_are_chosen():
    data, outcome = judged()
    dear = cost_curve.ThresholdCosts(positive="a", false_positive=2.0, false_negative=0.0)
    c = cost_curve.numbers(data, outcome, dear)
    assert (c.at, c.name, c.rest) == (1.0, "a", "b")
    np.testing.assert_allclose(c.alarms[[c.near(0.05), c.near(0.5)]], [1.0, 0.5])
    assert not c.misses.any()
    with pytest.raises(ParamError, match="must be above 0"):
        cost_curve.ThresholdCosts(false_positive=0.0, false_negative=0.0)


def test_of_several_classes_the_rarest_is_against_the_rest():
    data = made.dataset(X, [2, 1, 2, 1], classes=("a", "b", "c"))
    data = replace(data, y=np.array([0, 1, 1, 2]))
    P = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.4, 0.5, 0.1], [0.1, 0.2, 0.7]])
    fold = made.fold(0, [0, 1, 2, 3], [0, 1, 1, 2], n=4, probabilities=P)
    method = lookup("classification", "lda")()
    outcome = replace(made.outcome([fold], method), whole=made.whole(judged()[0], method))
    c = cost_curve.numbers(data, outcome)
    assert (c.name, c.rest, c.at) == ("a", "the rest", 0.5)
    np.testing.assert_allclose(c.total[[c.near(0.3), c.near(0.5), c.near(0.9)]], [0.25, 0, 0.25])
    np.testing.assert_allclose(c.folds[0], c.total)


def test_each_error_stands_with_what_it_costs():
    e = error_costs.numbers(*judged())
    np.testing.assert_array_equal(e.counts, [[1, 1], [0, 2]])
    np.testing.assert_array_equal(e.sums, [[0, 1], [0, 0]])
    np.testing.assert_array_equal(e.plain, [[2, 0], [1, 1]])
    text = error_costs.reading(e)
    assert text.startswith("Errors cost 0.250 a row; saying the most probable class would cost 1.0")
    assert text.endswith("a taken for b makes up 100 % of it.")


def test_cells_that_cost_nothing_are_not_shaded_halfway():
    """Without a largest cost Plotly takes all zeros for the middle of the scale."""
    e = error_costs.numbers(*judged())
    heat = error_costs.draw(e._replace(costs=np.zeros_like(e.costs))).data[0]
    assert np.max(heat.z) == 0
    assert (heat.zmin, heat.zmax) == (0, 1)
    assert error_costs.draw(e).data[0].zmax == e.sums.max()


def test_without_probabilities_there_are_costs_and_no_most_probable_class():
    data, outcome = judged()
    fold = replace(outcome.folds[0], probabilities=None)
    e = error_costs.numbers(data, replace(outcome, folds=(fold,)))
    np.testing.assert_array_equal(e.sums, [[0, 1], [0, 0]])
    assert e.plain is None
    assert error_costs.reading(e).startswith("Errors cost 0.250 a row. a taken for b")
    assert len(error_costs.table(e)) == 5


def test_the_mean_cost_is_a_score_beside_the_cheapest_class():
    method = DecisionRule(estimator="lda", costs=PerClass(values=(1.0, 4.0)))
    fit = method.fit(np.array(X), np.array(Y))
    case = Case(
        method=method, fit=fit, train=Rows(np.array(X)), test=Rows(np.array(X), 1 - np.array(Y))
    )
    assert CostScores().scored(case).scores["mean_cost"] == pytest.approx((1 + 1 + 4 + 4) / 4)
    cheapest = CostScores().baseline_of(method).fit(np.array(X), np.array([0, 1, 0, 1]))
    np.testing.assert_array_equal(cheapest.predict(X), 1)  # as common, and four times as dear


def test_a_class_costs_least_from_its_ratio_of_costs_on():
    """Against the expected costs of all classes by matrices of a growing cost."""
    P = np.random.default_rng(3).dirichlet(np.ones(4), size=60)
    from_there = cost_map.ratios(P, 2)
    for r in (0.05, 0.4, 1.0, 2.5, 20.0):
        costs = 1.0 - np.eye(4)
        costs[2] *= r
        np.testing.assert_array_equal((P @ costs).argmin(axis=1) == 2, from_there <= r)


def test_the_map_of_costs_says_where_the_method_itself_changes():
    data, outcome = judged()
    c = cost_map.numbers(data, outcome.whole)
    assert (c.name, c.own) == ("b", 4.0)
    np.testing.assert_array_equal(c.at_rows <= c.own, outcome.whole.fit.predict(data.X) == 1)
    assert "4.00 to 1" in cost_map.reading(c)
    other = cost_map.numbers(data, outcome.whole, positive="a")
    np.testing.assert_allclose(other.ratio * c.ratio, 1.0)
    assert (other.name, other.own) == ("a", 0.25)
    with pytest.raises(ParamError, match="no class 'z'"):
        cost_map.numbers(data, outcome.whole, positive="z")
    assert np.isnan(cost_map._own(1.0 - np.eye(3), 1))
    assert cost_map._own(np.array([[0.0, 2.0], [0.0, 0.0]]), 1) == 0.0


def learned(**settings):
    """One column whose classes overlap, by scores that are learned from costs."""
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.normal(0, 1, 60), rng.normal(2, 1, 60)])[:, None]
    data = made.dataset(x, np.repeat([0, 1], 60), classes=("a", "b"))
    method = CostSensitive(costs=PerClass(values=(1.0, 4.0)), **settings)
    return data, made.whole(data, method)


def test_costs_that_were_learned_from_are_raised_by_fits_of_their_own():
    data, whole = learned()
    c = cost_map.numbers(data, whole)
    assert (c.name, c.own, c.fits) == ("b", 4.0, 8)  # 4 stands beside the seven
    # At the costs of the method the map says what the method says.
    np.testing.assert_array_equal(c.at_rows <= 4.0, whole.fit.predict(data.X) == 1)
    for ratio in (0.1, 10.0):
        costs = PerClass(values=(1.0, ratio))
        other = CostSensitive(costs=costs).fit(data.X, data.y).predict(data.X)
        np.testing.assert_array_equal(c.at_rows <= ratio, other == 1)
    assert "By the costs of the method, 4.00 to 1" in cost_map.reading(c)
    drawn = cost_map.cost_map(data, whole)
    assert drawn.note.endswith("once for each of 8 costs")


def test_a_class_that_no_cost_buys_is_said_to_be_none():
    data, whole = learned(penalty=L2(alpha=1e6))  # the same score everywhere
    c = cost_map.numbers(data, whole, positive="a")
    assert set(c.at_rows) <= {*cost_map.RATIOS, 0.25, np.inf}
    assert cost_map._from(np.inf) == "not up to 30"


def test_a_picture_that_takes_too_many_fits_is_refused(monkeypatch):
    monkeypatch.setattr(left_out, "MOST_SECONDS", 1e-6)
    with pytest.raises(DataError, match="takes 8 fits"):
        cost_map.numbers(*learned())
