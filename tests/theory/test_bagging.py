"""Bagging: what its members learn from, what they leave out, and what averaging does."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.logistic import LogisticRegression
from mlcore.ensembles.bagging import Bagging, BaggingRegression
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.spine.random import generator
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.regression_tree import RegressionTree


def noisy(n=120, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int), X[:, 0] ** 2 + rng.normal(size=n)


def test_one_member_of_all_rows_is_the_method_itself():
    X, y, z = noisy()
    alone = Bagging(n_estimators=1, bootstrap=False).fit(X, y)
    np.testing.assert_array_equal(alone.probabilities(X), DecisionTree().fit(X, y).probabilities(X))
    assert alone.oob_errors is None
    number = BaggingRegression(n_estimators=1, bootstrap=False).fit(X, z)
    np.testing.assert_array_equal(number.predict(X), RegressionTree().fit(X, z).predict(X))


def test_more_members_leave_the_first_ones_as_they_were():
    X, y, _ = noisy()
    few, many = (Bagging(n_estimators=b, max_features=0.5).fit(X, y, seed=3) for b in (4, 7))
    np.testing.assert_array_equal(few.features, many.features[:4])
    np.testing.assert_array_equal(few.oob_errors, many.oob_errors[:4])
    for a, b in zip(few.members, many.members, strict=False):
        np.testing.assert_array_equal(a.tree.values, b.tree.values)


def test_weights_count_a_row_as_often_as_drawing_it():
    """What takes weights gets them, what does not gets the rows so often: the same for ridge."""
    X, _, z = noisy()
    fit = BaggingRegression(estimator=Ridge(), n_estimators=3).fit(X, z, seed=5)
    for i, member in enumerate(fit.members):
        rows = generator(5, "member", i).integers(len(X), size=len(X))
        again = Ridge().fit(X[rows], z[rows])
        np.testing.assert_allclose(member.coefficients, again.coefficients, atol=1e-10)


def test_out_of_bag_error_is_that_of_members_that_left_a_row_out():
    X, y, _ = noisy(40)
    fit = Bagging(n_estimators=6).fit(X, y, seed=2)
    sums, counts, votes = np.zeros((40, 2)), np.zeros(40), np.zeros((40, 2))
    own = []
    for i, member in enumerate(fit.members):
        rows = generator(2, "member", i).integers(40, size=40)
        out = np.setdiff1d(np.arange(40), rows)
        P = member.probabilities(X[out])
        sums[out] += P
        votes[out] += np.eye(2)[member.predict(X[out])]
        counts[out] += 1
        own.append((P.argmax(axis=1) != y[out]).mean())
    here = counts > 0
    expected = (sums[here].argmax(axis=1) != y[here]).mean()
    assert fit.oob_errors[-1] == pytest.approx(expected)
    assert fit.oob_rows[-1] == here.sum()
    np.testing.assert_allclose(fit.oob_votes[here], votes[here] / counts[here, None])
    np.testing.assert_allclose(fit.member_errors, own)


def test_classes_that_a_member_has_not_met_get_nothing():
    X = np.arange(12.0)[:, None]
    y = np.array([0] * 6 + [1] * 5 + [2])
    fit = Bagging(n_estimators=20, max_samples=0.3).fit(X, y, seed=1)
    assert any(len(member.classes) == 2 for member in fit.members)
    P = fit.probabilities(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)


def test_rows_of_one_class_are_drawn_anew_and_a_hopeless_draw_is_told():
    X, y = np.arange(50.0)[:, None], np.arange(50) // 25
    fit = Bagging(n_estimators=30, max_samples=0.05).fit(X, y)
    assert all(len(member.classes) == 2 for member in fit.members)
    with pytest.raises(DataError, match="single class again and again"):
        Bagging(max_samples=0.02, bootstrap=False).fit(X, y)


def test_averaging_unsteady_trees_gains_and_lines_do_not():
    X, y, _ = noisy(400, seed=1)
    new, truth, _ = noisy(4000, seed=2)

    def right(method):
        return (method.fit(X, y).predict(new) == truth).mean()

    deep = DecisionTree(max_leaf_nodes=0)
    assert right(Bagging(estimator=deep, n_estimators=40)) > right(deep) + 0.03
    line = LogisticRegression()
    assert abs(right(Bagging(estimator=line, n_estimators=40)) - right(line)) < 0.01


def test_votes_are_counted_where_there_are_no_probabilities():
    X, y, _ = noisy()
    fit = Bagging(estimator="perceptron", n_estimators=5).fit(X, y)
    assert set(np.unique(fit.probabilities(X) * 5).round(9)) <= set(range(6))
    with pytest.raises(ParamError, match="does not give"):
        Bagging(estimator="perceptron", vote="probabilities")


def test_steps_are_members():
    X, y, _ = noisy()
    steps = record(Bagging(n_estimators=5, bootstrap=False).steps(X, y))
    assert len(steps) == 5
    assert steps[-1].stop.why == "All 5 members are fitted."
