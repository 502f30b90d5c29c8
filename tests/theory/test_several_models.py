"""Voting and stacking of numbers, and weights that are not negative: facts that need no peer."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.ensembles.stacking import Stacking, StackingRegression
from mlcore.ensembles.voting import VotingRegression, weighted_medians
from mlcore.neighbours.knn import KNNClassifier, KNNRegression
from mlcore.regression.non_negative import NonNegativeRegression
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError, ParamError
from mlcore.trees.decision_tree import DecisionTree

RNG = np.random.default_rng(5)
X = RNG.normal(size=(200, 3))
Y = X @ [1.0, -2.0, 0.5] + np.sin(3 * X[:, 0]) + 0.3 * RNG.normal(size=200)


def test_the_error_of_a_mean_is_that_of_its_members_less_how_much_they_differ():
    """Krogh and Vedelsby (1995): (mean - y)^2 = mean of (f - y)^2 - mean of (f - mean)^2."""
    fit = VotingRegression(weights=(3.0, 1.0, 1.0)).fit(X[:150], Y[:150])
    answers = np.column_stack([member.predict(X) for member in fit.members])
    joined = fit.predict(X)
    errors = (answers - Y[:, None]) ** 2 @ fit.shares
    differ = (answers - joined[:, None]) ** 2 @ fit.shares
    np.testing.assert_allclose((joined - Y) ** 2, errors - differ, atol=1e-10)


def test_the_median_has_half_of_the_weights_on_either_side():
    values = np.array([[3.0, 1.0, 2.0], [10.0, 0.0, 4.0]])
    np.testing.assert_array_equal(weighted_medians(values, np.full(3, 1 / 3)), [2.0, 4.0])
    np.testing.assert_array_equal(weighted_medians(values, np.array([0.6, 0.2, 0.2])), [3.0, 10.0])
    np.testing.assert_array_equal(weighted_medians(values[:, :2], np.full(2, 0.5)), [2.0, 5.0])
    # One half lies below the middle of 1, 2 and 3: the mean of 2 and 3.
    np.testing.assert_array_equal(weighted_medians(values[:1], np.array([0.5, 0.25, 0.25])), [2.5])


def test_one_wild_member_moves_the_mean_and_not_the_median():
    wild = KNNRegression(n_neighbors=150)  # the mean of all, wherever it is asked
    members = (Ridge(), Ridge(alpha=0.5), wild)
    truth = Ridge().fit(X[:150], Y[:150]).predict(X)
    mean, median = (
        VotingRegression(estimators=members, join=join).fit(X[:150], Y[:150]).predict(X)
        for join in ("mean", "median")
    )
    assert np.abs(median - truth).max() < 0.1 * np.abs(mean - truth).max()


def test_the_stacked_error_is_at_most_that_of_the_best_member_on_the_folds():
    """What non-negative least squares minimises includes following one member alone."""
    members = ("ridge", KNNRegression(n_neighbors=5), KNNRegression(n_neighbors=1))
    fit = StackingRegression(estimators=members).fit(X, Y)
    assert (fit.member_weights >= 0).all()
    assert fit.joined_error <= fit.member_errors.min() * 1.01
    assert fit.final.n_columns == 3


@pytest.mark.parametrize("K", [2, 3])
def test_a_member_of_stacked_classes_weighs_what_its_word_moves_the_score_ahead(K):
    y = np.digitize(Y, np.quantile(Y, np.arange(1, K) / K))
    fit = Stacking(estimators=("lda", KNNClassifier())).fit(X, y)
    for b, weight in enumerate(fit.member_weights):
        leads = []
        for k in range(K):
            before, after = (np.full((2, K), 1 / K) for _ in range(2))
            before[b], after[b] = (np.arange(K) != k) / (K - 1), np.arange(K) == k
            moved = np.diff(fit.final.decision([P[:, :-1].ravel() for P in (before, after)]).T)
            moved = np.array([0.0, moved.item()]) if K == 2 else moved[:, 0]
            leads.append(moved[k] - np.delete(moved, k).mean())
        assert weight == pytest.approx(np.mean(leads))
    assert fit.member_weights.min() > 0  # both are right more often than chance
    deep = Stacking(estimators=("lda",), final=DecisionTree()).fit(X, y)
    assert not hasattr(deep, "member_weights")


def test_equal_members_out_of_folds_know_nothing_of_their_rows():
    """The target is noise: one neighbour repeats it on fitted rows, and is not believed."""
    noise = RNG.normal(size=200)
    fit = StackingRegression(estimators=(KNNRegression(n_neighbors=1), "ridge")).fit(X, noise)
    assert fit.member_errors[0] > 1.2 * noise.std()
    assert fit.member_weights[0] < 0.2


def test_the_conditions_of_karush_kuhn_and_tucker():
    """At the minimum the slope is 0 where a coefficient is above 0, and not below it elsewhere."""
    for fit in (
        NonNegativeRegression(intercept=False).fit(X, Y),
        NonNegativeRegression(intercept=False, sum_to_one=True).fit(X, Y),
    ):
        w = fit.coefficients
        slope = X.T @ (X @ w - Y)
        price = 0.0
        if fit.made_by.sum_to_one:
            assert w.sum() == pytest.approx(1.0, abs=1e-12)
            price = slope[w > 0].mean()
        np.testing.assert_allclose(slope[w > 0], price, atol=1e-9)
        assert (w >= 0).all() and (slope[w == 0] >= price).all()
        assert (w == 0).any()


def test_shares_of_a_mixture_are_found():
    shares = np.array([0.5, 0.3, 0.0, 0.2])
    parts = RNG.uniform(size=(60, 4))
    fit = NonNegativeRegression(sum_to_one=True, intercept=False).fit(parts, parts @ shares)
    np.testing.assert_allclose(fit.coefficients, shares, atol=1e-10)


def test_weights_of_others_and_too_few_rows_are_told():
    with pytest.raises(ParamError, match="of 3 members needs as many weights; got 1"):
        VotingRegression(weights=(1.0,))
    with pytest.raises(DataError, match="on 5 folds needs as many rows; there are 4"):
        StackingRegression().fit(X[:4], Y[:4])
    with pytest.raises(DataError, match="k-nearest neighbours inside voting regression"):
        VotingRegression(estimators=(KNNRegression(n_neighbors=50),)).fit(X[:9], Y[:9])
