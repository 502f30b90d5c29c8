"""Votes row by row, checked on values."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.classification import vote_shares
from mlcore.classification.multiclass import Multiclass
from mlcore.classification.multiclass_codes import OneVsOne, OneVsRest
from mlcore.ensembles.bagging import Bagging
from mlcore.ensembles.random_forest import RandomForest
from mlcore.ensembles.voting import Voting
from mlcore.neighbours.knn import KNNClassifier
from mlcore.neighbours.vote_weights import InverseDistance
from tests.figures import made


def clouds(n=90, K=3):
    y = np.arange(n) % K
    return np.random.default_rng(0).normal(size=(n, 3)) + np.eye(K, 3)[y], y


def counted(answers, K):
    """Shares of codes (m, B), counted one by one."""
    return np.array([[np.mean(row == k) for k in range(K)] for row in answers])


def of_trees(fit, X):
    return np.column_stack([tree.label[tree.leaf_of(X)] for tree in fit.trees])


def of_members(fit, X):
    parts = zip(fit.members, fit.features, strict=True)
    return np.column_stack([member.predict(X[:, own]) for member, own in parts])


@pytest.mark.parametrize(
    ("method", "answers"),
    [
        (RandomForest(n_estimators=7, max_depth=2), of_trees),
        (Bagging(n_estimators=5, max_features=0.7), of_members),
        (Voting(), lambda fit, X: fit.member_answers(X)),
        (KNNClassifier(n_neighbors=4), lambda fit, X: fit.target[fit.neighbours(X).rows]),
    ],
)
def test_each_voter_counts_once_for_the_class_that_it_names(method, answers):
    X, y = clouds()
    fit = method.fit(X, y)
    np.testing.assert_allclose(fit.vote_shares(X), counted(answers(fit, X), 3), atol=1e-12)


def test_what_counts_more_in_the_whole_counts_more_as_a_vote():
    X, y = clouds()
    fit = Voting(weights=(3.0, 1.0, 1.0)).fit(X, y)
    first, second, third = (np.eye(3)[column] for column in fit.member_answers(X).T)
    np.testing.assert_allclose(fit.vote_shares(X), 0.6 * first + 0.2 * (second + third))
    near = KNNClassifier(n_neighbors=4, weights=InverseDistance()).fit(X, y)
    np.testing.assert_allclose(near.vote_shares(X + 0.1), near.probabilities(X + 0.1), atol=1e-15)


def test_a_rule_shares_its_vote_among_the_classes_on_its_side():
    X, y = clouds()
    pairs = Multiclass(code=OneVsOne()).fit(X, y)
    sides = np.where(pairs.scores(X) > 0, pairs.code.argmax(axis=0), pairs.code.argmin(axis=0))
    np.testing.assert_allclose(pairs.vote_shares(X), counted(sides, 3))
    rest = Multiclass(code=OneVsRest()).fit(X, y)
    mine = rest.scores(X) > 0
    expected = (mine + (~mine).sum(axis=1, keepdims=True) / 2 - ~mine / 2) / 3
    np.testing.assert_allclose(rest.vote_shares(X), expected)


def test_rows_with_divided_votes_come_first_and_what_averaging_changes_is_told():
    v = vote_shares.Votes(
        rows=np.array([4, 0, 2]),
        truth=np.array([0, 1, 1]),
        shares=np.array([[0.6, 0.4], [0.2, 0.8], [0.0, 1.0]]),
        averaged=np.array([[0.45, 0.55], [0.3, 0.7], [0.1, 0.9]]),
        classes=("a", "b"),
        n=3,
    )
    assert vote_shares.reading(v) == (
        "All votes are for one class on 33 % of 3 rows. Row 5 divides them most: 60 % for a, 40 % "
        "for b. On 1 row averaged probabilities name another class than most votes do: row 5."
    )
    fig = vote_shares.draw(v)
    np.testing.assert_allclose([bar.x for bar in fig.data], [*v.shares.T, *v.averaged.T], rtol=1e-6)


def test_numbers_are_those_of_the_rows_and_equal_pictures_are_not_drawn_twice():
    X, y = clouds()
    data = made.dataset(X, y, classes=("a", "b", "c"))
    v = vote_shares.numbers(data, made.whole(data, KNNClassifier(n_neighbors=5)))
    assert v.averaged is None and "averaged" not in vote_shares.reading(v).lower()
    whole = made.whole(data, RandomForest(n_estimators=9, max_depth=2))
    v = vote_shares.numbers(data, whole)
    assert (np.diff(v.shares.max(axis=1)) >= 0).all()
    np.testing.assert_allclose(v.shares, whole.fit.vote_shares(X[v.rows]))
    np.testing.assert_allclose(v.averaged, whole.fit.probabilities(X[v.rows]))


def test_members_that_have_not_learned_from_a_row_vote_on_it():
    X, y = clouds()
    data = made.dataset(X, y, classes=("a", "b", "c"))
    whole = made.whole(data, RandomForest(n_estimators=4, max_depth=2))
    known = np.isfinite(whole.fit.oob_votes[:, 0])
    v = vote_shares.numbers(data, whole, vote_shares.OUT_OF_BAG)
    assert v.averaged is None and 0 < len(v.rows) == known.sum() < 90
    np.testing.assert_array_equal(v.shares, whole.fit.oob_votes[v.rows])
    wrong = whole.fit.oob_votes[known].max(axis=1) > whole.fit.oob_votes[known, y[known]]
    assert f"; on {wrong.sum()} rows most are for a wrong one." in vote_shares.reading(v)
    near = made.whole(data, KNNClassifier(n_neighbors=5))  # whose voters are rows: all count
    assert not vote_shares.numbers(data, near, vote_shares.OUT_OF_BAG).is_out_of_bag
    assert not vote_shares._members({"whole": near})
    assert set(vote_shares._members({"whole": whole})) == {vote_shares.OUT_OF_BAG, vote_shares.ALL}
