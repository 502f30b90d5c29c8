"""AdaBoost: golden numbers of the notes, what each round promises, bounds and margins."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from mlcore.ensembles.adaboost import AdaBoost
from mlcore.ensembles.boosting_theory import margins, training_bound
from mlcore.ensembles.stumps import Stumps
from mlcore.ensembles.weak_learners import Classifier, Stump
from mlcore.neighbours.knn import KNNClassifier
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import plain_columns
from mlcore.spine.iterate import record
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.growth import Rows

X, Y = load_breast_cancer(return_X_y=True)
IRIS, SPECIES = load_iris(return_X_y=True)
RNG = np.random.default_rng(2)
TEN = np.arange(10.0)[:, None]


@pytest.fixture(scope="module")
def boosted():
    return AdaBoost(n_estimators=20).fit(X, Y)


def test_golden_rounds_of_breast_cancer(boosted):
    np.testing.assert_allclose(boosted.errors[:3], [0.077329, 0.118593, 0.155658], atol=5e-7)
    np.testing.assert_allclose(boosted.alphas[:3], [1.239604, 1.002911, 0.845447], atol=5e-7)
    np.testing.assert_allclose(boosted.training_errors[[9, 19]], [0.026362, 0.008787], atol=5e-7)
    assert boosted.losses[-1] == pytest.approx(0.054422, abs=5e-7)


def test_the_loss_is_the_product_and_lies_between_error_and_bound(boosted):
    product, bound = training_bound(boosted.errors)
    np.testing.assert_allclose(boosted.losses, product, rtol=1e-12)
    assert (boosted.training_errors <= product).all()
    assert (product <= bound).all()
    F = boosted.decision(X)
    assert np.exp(-np.where(Y == 1, F, -F)).mean() == pytest.approx(product[-1], rel=1e-12)
    np.testing.assert_allclose(training_bound([0.4] * 100), [product_of(100), bound_of(100)])


def product_of(rounds):
    return 0.9797958971132712 ** np.arange(1, rounds + 1)


def bound_of(rounds):
    return np.exp(-0.02 * np.arange(1, rounds + 1))


def test_a_learner_has_half_the_weight_wrong_after_its_own_update(boosted):
    F = np.zeros(len(Y))
    for member, alpha in zip(boosted.members, boosted.alphas, strict=True):
        says = 2.0 * member.predict(X) - 1.0
        F += alpha * says
        law = np.exp(-np.where(Y == 1, F, -F))
        assert law[says != 2 * Y - 1].sum() / law.sum() == pytest.approx(0.5, abs=1e-12)


def test_the_weights_of_the_notes():
    # The best question is wrong for three of ten rows, which then weigh 1/6, and the others 1/14.
    y = np.array([0, 0, 0, 1, 0, 1, 0, 1, 0, 1])
    fit = AdaBoost(n_estimators=1).fit(TEN, y)
    np.testing.assert_allclose((fit.errors[0], fit.alphas[0]), (0.3, 0.423649), atol=5e-7)
    law = np.exp(-(2 * y - 1) * fit.decision(TEN))
    expected = np.where(fit.predict(TEN) == y, 1 / 14, 1 / 6)
    np.testing.assert_allclose(law / law.sum(), expected, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_quick_stump_is_the_tree_of_two_leaves(weighted):
    for _ in range(20):
        Z, y = np.round(RNG.normal(size=(60, 3)), 1), RNG.integers(0, 2, 60)
        w = RNG.random(60) if weighted else np.ones(60)
        mine = Stumps(Rows(Z, plain_columns(3)), y).tree(w)
        tree = DecisionTree(max_leaf_nodes=2, criterion="misclassification")
        theirs = tree.fit(Z, y, weights=w).tree
        for name in ("feature", "cut", "left", "depth", "rows", "label", "missing_left", "levels"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


@pytest.mark.parametrize("variant", ["discrete", "real", "gentle"])
def test_the_exponential_loss_never_rises(variant):
    steps = record(AdaBoost(variant=variant, n_estimators=30).steps(X, Y))
    assert np.diff([step.objective for step in steps]).max() <= 1e-12
    assert steps[-1].stop.why == "All 30 rounds are done."


def test_one_round_of_real_and_gentle_votes_by_hand():
    y, Z = np.array([0, 0, 0, 1, 1, 0]), np.array([[0.0], [0], [0], [1], [1], [1]])
    real = AdaBoost(variant="real", n_estimators=1).fit(Z, y)
    np.testing.assert_allclose(real.decision([[0], [1]]), 0.5 * np.log([1 / 12, 2.0]))
    gentle = AdaBoost(variant="gentle", n_estimators=1).fit(Z, y)
    np.testing.assert_allclose(gentle.decision([[0], [1]]), [-1.0, 1 / 3])
    np.testing.assert_allclose(real.probabilities([[1.0]]), [[1 / 3, 2 / 3]])


def test_a_learner_without_error_decides_alone():
    fit = AdaBoost().fit(TEN, TEN[:, 0] > 3)
    assert len(fit.members) == 1
    assert "makes no error, so it alone decides" in fit.stop.why
    np.testing.assert_array_equal(fit.predict(TEN), TEN[:, 0] > 3)


def test_a_learner_no_better_than_chance_ends_the_rounds():
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    fit = AdaBoost().fit(corners, [0, 1, 1, 0])
    assert fit.alphas.tolist() == [0.0]
    assert "no better than chance" in fit.stop.why
    np.testing.assert_allclose(fit.probabilities(corners), 0.5)


def test_three_classes_add_half_the_logarithm_of_two():
    fit = AdaBoost(n_estimators=5).fit(IRIS, SPECIES)
    half_odds = 0.5 * np.log((1 - fit.errors) / fit.errors)
    np.testing.assert_allclose(fit.alphas, half_odds + 0.5 * np.log(2.0), rtol=1e-12)
    with pytest.raises(DataError, match="parts two classes; there are 3"):
        AdaBoost(variant="gentle").fit(IRIS, SPECIES)


def test_a_learner_without_weights_learns_from_rows_that_are_drawn():
    method = AdaBoost(estimator=Classifier(estimator=KNNClassifier()), n_estimators=5)
    fit = method.fit(X[:200], Y[:200], seed=1)
    assert fit.training_errors[-1] < 0.1
    with pytest.raises(ParamError, match=r"takes no weights. Choose resampling"):
        AdaBoost(estimator=Classifier(estimator=KNNClassifier()), weighting="weights")


def test_weights_are_repeated_rows():
    w = RNG.integers(0, 3, len(Y))
    often = np.repeat(np.arange(len(Y)), w)
    weighted = AdaBoost(n_estimators=10).fit(X, Y, weights=w.astype(float))
    repeated = AdaBoost(n_estimators=10).fit(X[often], Y[often])
    np.testing.assert_allclose(weighted.decision(X), repeated.decision(X), rtol=1e-9, atol=1e-9)


def test_margins_are_shares_of_the_votes(boosted):
    m = margins(boosted, X, Y)
    F = boosted.decision(X) * (2 * Y - 1) / boosted.alphas.sum()
    np.testing.assert_allclose(m, F, atol=1e-12)
    assert np.abs(m).max() <= 1 + 1e-12
    np.testing.assert_array_equal(m < 0, boosted.predict(X) != Y)
    first = margins(boosted, X, Y, rounds=1)
    np.testing.assert_allclose(np.abs(first), 1.0)
    with pytest.raises(DataError, match="none that the fit knows"):
        margins(boosted, X, Y + 5)


def test_larger_trees_as_weak_learners_part_a_cross():
    Z = RNG.normal(size=(300, 2))
    y = (Z[:, 0] > 0) ^ (Z[:, 1] > 0)
    fit = AdaBoost(estimator=Stump(max_leaf_nodes=4, criterion="gini")).fit(Z, y)
    assert (fit.predict(Z) == y).mean() > 0.95


def test_bounds_of_a_hundred_rounds_in_the_notes():
    product, exponential = training_bound(np.full(100, 0.4))
    assert product[0] == pytest.approx(0.979796, abs=5e-7)
    assert product[-1] == pytest.approx(0.1298858, abs=5e-7)
    assert exponential[-1] == pytest.approx(0.135335, abs=5e-7)
