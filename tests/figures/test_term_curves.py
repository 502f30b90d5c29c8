"""The pictures of the terms of an additive model, by hand."""

import numpy as np
import pytest

from figures.views.regression import term_curves
from mlcore.classification.additive_logistic import AdditiveLogistic
from mlcore.data.dataset import TableData
from mlcore.regression.generalised_additive import GeneralisedAdditive
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from tests.figures import made


def test_terms_stand_by_what_they_move_in_the_units_of_the_table():
    X = np.column_stack([np.linspace(0, 10, 60), np.tile([0.0, 1.0, 2.0, 1.0], 15)])
    noise = 0.1 * np.random.default_rng(0).normal(size=60)
    data = made.dataset(X, 3 * X[:, 0] + X[:, 1] + noise)
    t = term_curves.numbers(data, made.whole(data, GeneralisedAdditive()))
    assert [term.column.name for term in t.terms] == ["x1", "x2"]
    assert t.terms[0].at[[0, -1]].tolist() == [0.0, 10.0]
    assert np.ptp(t.terms[0].effect) == pytest.approx(30.0, rel=0.01)
    assert np.ptp(t.terms[1].effect) == pytest.approx(2.0, rel=0.05)
    said = term_curves.reading(t)
    assert said.startswith("x1 moves y most: it adds −1")
    assert "1 of 2 curves is a straight line, or nearly so." in said


def test_levels_of_a_name_are_one_term_and_factors_are_for_logarithms():
    run = Run(
        data=TableData(source="cars"), preparation=("impute", "one_hot", "standardise"),
        method=GeneralisedAdditive(family="gamma", n_splines=6),
    )  # fmt: skip
    data = run.data.dataset({})
    t = term_curves.numbers(data, carried_out(run).whole, factors=True)
    origin = next(term for term in t.terms if term.column.name == "origin")
    assert len(origin.at) == 3
    assert t.is_factor
    assert "by factors of 0." in term_curves.reading(t)
    fig = term_curves.draw(t)
    assert min(np.nanmin(trace.y) for trace in fig.data if trace.mode == "lines") > 0


def test_an_exposure_has_no_curve_and_shares_have_odds():
    def numbers(link):
        run, _ = Run.from_link(dict(pair.split("=") for pair in link.split("&")))
        return term_curves.numbers(run.data.dataset({}), carried_out(run).whole)

    method = "method=generalised_additive&method.family="
    t = numbers(f"data=counts&data.source.exposure=yes&{method}poisson&method.exposure=exposure")
    assert [term.column.name for term in t.terms] == ["x1"]
    t = numbers(f"data=counts&data.source.kind=shares&{method}binomial")
    assert "moves log odds of y most" in term_curves.reading(t)


def test_a_curve_that_others_can_say_is_told():
    rng = np.random.default_rng(0)
    x, own = rng.uniform(-1, 1, (2, 200))
    X = np.column_stack([x, x + 0.05 * rng.normal(size=200), own])
    data = made.dataset(X, 3 * x + own + 0.1 * rng.normal(size=200))
    t = term_curves.numbers(data, made.whole(data, GeneralisedAdditive(n_splines=8)))
    shared = {term.column.name: term.shared for term in t.terms}
    assert shared["x1"][0] > 0.9
    assert shared["x3"][1] < 0.5
    assert "by the others (concurvity): its shape is uncertain." in term_curves.reading(t)
    columns = {column.name: column.values for column in term_curves.table(t)}
    assert len(columns["concurvity"]) == len(columns["worst concurvity"]) == len(columns["value"])


def test_log_odds_are_drawn_of_the_class_that_is_named():
    x = np.linspace(-2, 2, 90)
    data = made.dataset(x[:, None], np.digitize(x, [-0.7, 0.7]), classes=("a", "b", "c"))
    whole = made.whole(data, AdditiveLogistic(n_splines=6))
    first = term_curves.numbers(data, whole)
    last = term_curves.numbers(data, whole, positive="c")
    assert (first.target, last.target) == ("a", "c")
    assert "moves log odds of c most" in term_curves.reading(last)
    assert first.terms[0].effect[0] > 0 > first.terms[0].effect[-1]
    assert last.terms[0].effect[0] < 0 < last.terms[0].effect[-1]
