"""Asking for labels: what is asked, in which order, and what it is worth."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from mlcore.classification.active_learning import ActiveLearning, query_scores
from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.queries import AtRandom, Entropy, Margin
from mlcore.neighbours.knn import KNNClassifier
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.svm.svc import SVC

RNG = np.random.default_rng(8)
LINE = np.sort(RNG.uniform(-1, 1, 200))[:, None]
SIDE = (LINE[:, 0] > 0.3).astype(int)
P = np.array([[0.5, 0.5, 0.0], [0.4, 0.3, 0.3], [0.9, 0.1, 0.0], [0.45, 0.45, 0.1]])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("margin", [0.0, -0.1, -0.8, 0.0]),
        ("least_confident", [0.5, 0.6, 0.1, 0.55]),
        ("entropy", [np.log(2), 1.0889, 0.3251, 0.9489]),
    ],
)
def test_what_a_row_is_worth_by_hand(query, expected):
    np.testing.assert_allclose(query_scores(P, query), expected, atol=5e-5)


def test_drawn_worth_depends_on_the_seed_alone():
    np.testing.assert_array_equal(query_scores(P, "random", 3), query_scores(P[:, :2], "random", 3))
    assert len(set(query_scores(P, "random"))) == 4
    with pytest.raises(DataError, match="two classes or more"):
        query_scores([1.0, 2.0])


def test_each_query_is_the_row_with_the_least_margin_then():
    method = ActiveLearning(budget=6, n_random=0)
    steps = record(method.steps(LINE, SIDE, seed=2))
    assert len(steps) == 7
    for before, after in pairwise(steps):
        asked = np.flatnonzero(before.state.order >= 0)
        fit = LogisticRegression().fit(LINE[asked], SIDE[asked])
        np.testing.assert_allclose(fit.coefficients, before.state.inner.coefficients, atol=1e-9)
        lead = np.abs(fit.probabilities(LINE) @ [1, -1])
        lead[asked] = np.inf
        (row,) = np.flatnonzero(after.state.order != before.state.order)
        assert lead[row] == pytest.approx(lead.min(), abs=1e-9)
        right = (fit.predict(LINE) == SIDE)[steps[0].state.order < 0]
        assert before.objective == pytest.approx(right.mean())


def test_asking_at_the_border_finds_it_sooner_than_chance():
    fit = ActiveLearning(budget=10, n_random=8).fit(LINE, SIDE, seed=0)
    assert fit.accuracy[-1] > 0.99
    assert fit.random_accuracy[:, -1].mean() < 0.97
    # The border is bracketed by the rows asked for: hardly any other lies between.
    asked = LINE[fit.asked, 0]
    low, high = asked[asked <= 0.3].max(), asked[asked > 0.3].min()
    assert np.count_nonzero((low < LINE) & (high > LINE)) <= 4


def test_every_rule_starts_from_the_same_rows():
    first = [
        ActiveLearning(budget=0, query=query).fit(LINE, SIDE, seed=5).asked
        for query in (Margin(), AtRandom())
    ]
    np.testing.assert_array_equal(*first)
    np.testing.assert_array_equal(np.bincount(SIDE[first[0]]), [2, 2])


def test_all_labels_asked_is_the_classifier_itself():
    X, y = LINE[::10], SIDE[::10]
    fit = ActiveLearning(budget=100, n_random=1).fit(X, y)
    assert (fit.stop.kind, len(fit.asked), len(fit.accuracy)) == ("converged", 20, 17)
    np.testing.assert_array_equal(np.sort(fit.asked), np.arange(20))
    np.testing.assert_array_equal(fit.order[fit.asked], np.r_[[0] * 4, np.arange(1, 17)])
    whole = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(fit.probabilities(LINE), whole.probabilities(LINE), atol=1e-6)


def test_rows_too_near_to_a_labelled_one_are_not_asked_for():
    fit = ActiveLearning(budget=50, query=Margin(min_distance=0.2), n_random=0).fit(LINE, SIDE)
    late = LINE[fit.order > 0, 0]
    gaps = np.abs(late[:, None] - LINE[fit.asked, 0])
    assert np.sort(gaps, axis=1)[:, 1].min() >= 0.2
    assert "too near" in fit.stop.why


def test_a_rule_that_the_classifier_cannot_serve_is_refused():
    assert ActiveLearning(estimator=SVC()).fit(LINE, SIDE).accuracy[-1] > 0.9
    with pytest.raises(ParamError, match="does not give"):
        ActiveLearning(estimator=SVC(), query=Entropy())
    with pytest.raises(DataError, match="With 4 labels: k-nearest neighbours with 10"):
        ActiveLearning(estimator=KNNClassifier()).fit(LINE, SIDE)
