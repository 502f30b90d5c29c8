"""Pictures of several classes made of rules for two, checked on values."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.rules import contradicts, sides
from figures.views.classification import code_matrix, pairwise_boundaries
from mlcore.classification.multiclass import Multiclass
from mlcore.classification.multiclass_codes import code_matrix as code_of
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run


@pytest.fixture(scope="module")
def iris():
    run = Run(data="iris", method="multiclass", evaluation="hold_out")
    return run.data.dataset(), carried_out(run).whole


def test_rules_are_named_by_their_sides():
    names = ("ash", "birch", "oak", "yew")
    rest = sides(code_of(4, "one_vs_rest").matrix, names)
    assert rest[1] == ("birch", "the rest")
    assert sides(code_of(4, "one_vs_one").matrix, names)[0] == ("birch", "ash")
    assert sides(code_of(4, "nested_dichotomies").matrix, names)[0] == (
        "oak and yew",
        "ash and birch",
    )


def test_a_rule_contradicts_where_it_says_the_other_side_of_the_word():
    code = code_of(3, "one_vs_rest").matrix
    scores = np.array([[2.0, -1, -1], [2, 1, -1], [-1, -2, -2]])
    np.testing.assert_array_equal(contradicts(scores, code, np.array([0, 0, 0])), [0, 1, 1])
    pairs = code_of(3, "one_vs_one").matrix  # the third rule knows nothing of the first class
    assert not contradicts(np.array([[-1.0, -1, 5]]), pairs, np.array([0]))[0]


def test_the_code_stands_with_the_errors_of_its_rules(iris):
    data, whole = iris
    c = code_matrix.numbers(data, whole)
    Z = whole.prepared.transform(data.X)
    for j, member in enumerate(whole.fit.members):
        wrong = member.predict(Z) != (data.y == j)
        assert c.errors[j] == pytest.approx(wrong.mean())
    assert c.sides[1] == ("versicolor", "the rest")
    assert "Most errors: rule 2, versicolor against the rest" in code_matrix.reading(c)


def test_borders_lie_where_the_rules_change_sides(iris):
    data, whole = iris
    b = pairwise_boundaries.numbers(data, whole)
    Z = b.shown.cells
    for j, member in enumerate(whole.fit.members):
        np.testing.assert_array_equal(b.values[j].ravel(), member.decision(Z))
    claims = (b.values > 0).sum(axis=0)
    # Of rules against the rest exactly one must claim a place, or they contradict each other.
    assert b.contested == pytest.approx((claims != 1).mean())
    assert b.names[0] == "setosa | the rest"


def test_many_rules_are_drawn_alike():
    run = Run(data="digits8", method=Multiclass(code="one_vs_one", estimator="lda"))
    data = run.data.dataset()
    whole = carried_out(Run(data="digits8", method=run.method, evaluation="hold_out")).whole
    b = pairwise_boundaries.pairwise_boundaries(data, whole)
    assert not any(t.showlegend for t in b.figure.data if t.type == "contour")
    assert b.reading.startswith("45 rules")
