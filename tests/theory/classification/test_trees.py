"""Trees: worked examples, what no transformation changes, and what pruning promises."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import Column
from mlcore.spine.iterate import record
from mlcore.trees.criteria import impurity, split_gains
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.pruning import (
    CostComplexity,
    CostComplexityCV,
    CostPenalty,
    Pessimistic,
    ReducedError,
    cost_complexity_path,
)
from mlcore.trees.questions import question
from mlcore.trees.regression_tree import RegressionTree
from mlcore.trees.tree import tree_rules

X, Y = load_iris(return_X_y=True)
PETALS = X[:, 2:]
LINE = np.arange(1.0, 7.0)[:, None]
MIXED = np.array([0, 0, 1, 0, 1, 1])
RNG = np.random.default_rng(0)
NOISY = RNG.normal(size=(300, 4))
NOISY_Y = (NOISY[:, 0] + NOISY[:, 1] ** 2 + RNG.normal(size=300) > 0.5).astype(int)


@pytest.mark.parametrize(
    ("share", "entropy"), [(0.5, 0.693147), (1 / 3, 0.636514), (0.9, 0.325083), (1.0, 0.0)]
)
def test_impurities(share, entropy):
    counts = [share, 1 - share]
    assert impurity(counts, "entropy") == pytest.approx(entropy, abs=1e-6)
    assert impurity(counts) == pytest.approx(2 * share * (1 - share))
    assert impurity(counts, "misclassification") == pytest.approx(min(share, 1 - share))


def test_gains_of_every_cut():
    found = split_gains(LINE[:, 0], MIXED, criterion="entropy")
    np.testing.assert_allclose(found.cuts, [1.5, 2.5, 3.5, 4.5, 5.5])
    np.testing.assert_allclose(
        found.gains, [0.793825, 1.909543, 0.339798, 1.909543, 0.793825], atol=1e-6
    )
    whole = split_gains(LINE[:, 0], [0, 0, 0, 1, 1, 1], criterion="entropy")
    assert whole.gains.max() == pytest.approx(6 * np.log(2))


def test_the_worked_example_grows_best_first():
    tree = DecisionTree(criterion="entropy").fit(LINE, MIXED).tree
    inner = ~tree.is_leaf
    np.testing.assert_allclose(tree.cut[inner], [2.5, 4.5, 3.5])
    np.testing.assert_allclose(tree.gain[inner], [1.909543, 0.863046, 1.386294], atol=1e-6)


@pytest.mark.parametrize(
    ("price", "leaves"), [(0.0, 4), (1.12, 4), (1.13, 2), (1.3, 2), (1.90, 2), (1.92, 1), (1e9, 1)]
)
def test_a_price_for_each_leaf(price, leaves):
    method = DecisionTree(criterion="entropy", pruning=CostPenalty(lam=price))
    tree = method.fit(LINE, MIXED).tree
    assert tree.n_leaves == leaves
    if price == 1.3:  # collapsing siblings alone would stay at four leaves with 5.2
        assert tree.total_risk + price * leaves == pytest.approx(4.849341, abs=1e-6)


def test_a_balanced_xor_stays_one_leaf_unless_told():
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
    assert len(DecisionTree().fit(corners, [0, 1, 1, 0]).tree) == 1
    fit = DecisionTree(zero_gain_splits=True).fit(corners, [0, 1, 1, 0])
    np.testing.assert_array_equal(fit.predict(corners), [0, 1, 1, 0])


def test_a_regression_by_hand():
    tree = RegressionTree(max_leaf_nodes=2).fit(np.arange(1.0, 5.0)[:, None], [1, 1, 3, 4.0]).tree
    assert tree.cut[0] == 2.5
    assert tree.gain[0] == pytest.approx(6.25)
    np.testing.assert_allclose(tree.values[1:, 0], [1.0, 3.5])


@pytest.mark.parametrize(("leaves", "right"), [(2, 100), (3, 144), (4, 146), (5, 147)])
def test_iris_by_petals(leaves, right):
    fit = DecisionTree(max_leaf_nodes=leaves).fit(PETALS, Y)
    assert (fit.predict(PETALS) == Y).sum() == right
    # Petal width parts the same rows; of equal gains the first column is asked about.
    assert fit.tree.feature[0] == 0
    assert fit.tree.cut[0] == pytest.approx(2.45)


def test_the_nested_subtrees_of_iris():
    path = cost_complexity_path(DecisionTree(max_leaf_nodes=0).fit(PETALS, Y).tree)
    np.testing.assert_allclose(path.alphas[-2:], [0.259796, 0.333333], atol=1e-6)
    np.testing.assert_allclose(path.risks[-3:], [0.073537, 0.333333, 0.666667], atol=1e-6)
    assert (np.diff(path.alphas) >= 0).all()
    assert (np.diff(path.leaves) < 0).all()
    assert path.leaves[-1] == 1


def test_gain_ratio_of_play_tennis():
    # Outlook of fourteen days: sunny 2 of 5, overcast 4 of 4, rain 3 of 5 played.
    outlook = np.repeat([0.0, 1.0, 2.0], [5, 4, 5])
    played = np.array([1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    before = impurity(np.bincount(played), "entropy")
    after = sum(
        (outlook == k).mean() * impurity(np.bincount(played[outlook == k]), "entropy")
        for k in range(3)
    )
    parting = impurity(np.bincount(outlook.astype(int)), "entropy")
    bits = np.log(2)
    assert (before - after) / bits == pytest.approx(0.246750, abs=1e-6)
    assert parting / bits == pytest.approx(1.577406, abs=1e-6)
    assert (before - after) / parting == pytest.approx(0.156428, abs=1e-6)  # whatever the unit


def test_the_gain_ratio_looks_only_at_cuts_of_at_least_average_gain():
    x = np.arange(20.0)
    y = (x >= 10).astype(int)
    y[0] = 1  # cutting off this row alone has a tiny entropy of its own
    fit = DecisionTree(criterion="gain_ratio", max_leaf_nodes=2).fit(x[:, None], y)
    assert fit.tree.cut[0] == 9.5


@pytest.mark.parametrize("method", [DecisionTree(max_leaf_nodes=0), RegressionTree()])
def test_monotone_columns_give_the_same_partition(method):
    y = NOISY_Y if isinstance(method, DecisionTree) else NOISY[:, 0] * NOISY[:, 1]
    first, other = method.fit(NOISY, y), method.fit(np.exp(NOISY), y)
    np.testing.assert_array_equal(first.tree.feature, other.tree.feature)
    np.testing.assert_allclose(first.predict(NOISY), other.predict(np.exp(NOISY)))


def test_a_tree_without_limits_repeats_the_rows():
    assert (DecisionTree(max_leaf_nodes=0).fit(NOISY, NOISY_Y).predict(NOISY) == NOISY_Y).all()


def test_limits_are_kept():
    fit = DecisionTree(max_leaf_nodes=0, max_depth=3, min_samples_leaf=7).fit(NOISY, NOISY_Y)
    assert fit.tree.depth.max() == 3
    assert fit.tree.rows[fit.tree.is_leaf].min() >= 7
    assert fit.tree.rows[fit.tree.is_leaf].sum() == 300
    split = DecisionTree(max_leaf_nodes=0, min_samples_split=40).fit(NOISY, NOISY_Y).tree
    assert split.rows[~split.is_leaf].min() >= 40
    some = DecisionTree(max_leaf_nodes=0, min_gain=2.0).fit(NOISY, NOISY_Y).tree
    assert some.gain[~some.is_leaf].min() > 2.0


def test_the_risk_falls_by_each_gain():
    steps = record(DecisionTree(max_leaf_nodes=12).steps(NOISY, NOISY_Y))
    gains = steps[-1].state.tree.gain
    fallen = -np.diff([step.objective for step in steps])
    np.testing.assert_allclose(np.sort(fallen), np.sort(gains[gains > 0]), atol=1e-9)


def test_a_large_tree_is_played_in_larger_steps():
    x = np.random.default_rng(2).normal(size=(3000, 3))
    y = np.random.default_rng(3).integers(0, 2, 3000)
    method = DecisionTree(max_leaf_nodes=0, pruning=CostPenalty(lam=3.0))
    steps = list(method.steps(x, y))
    fit = method.fit(x, y)
    assert len(steps) < 600 < steps[-1].k == fit.n_iter
    np.testing.assert_array_equal(steps[-1].state.tree.cut, fit.tree.cut)
    assert [step.stop is None for step in steps[-2:]] == [True, False]


def test_levels_in_order_of_their_response_find_the_best_of_all_partings():
    codes = RNG.integers(0, 5, 200).astype(float)
    y = (RNG.random(200) < np.array([0.2, 0.7, 0.4, 0.9, 0.5])[codes.astype(int)]).astype(int)
    columns = (Column("colour", "nominal", tuple("abcde")),)
    tree = DecisionTree(max_leaf_nodes=2).fit(codes[:, None], y, columns=columns).tree

    def risk(rows):
        return len(rows) * impurity(np.bincount(rows, minlength=2))

    best = max(
        risk(y) - risk(y[inside]) - risk(y[~inside])
        for size in (1, 2)
        for some in combinations(range(5), size)
        if (inside := np.isin(codes, some)).any()
    )
    assert tree.gain[0] == pytest.approx(best)
    assert tree.levels[0, :5].sum() in (1, 2, 3, 4)


def test_a_level_that_was_not_seen_goes_with_most_rows():
    columns = (Column("colour", "nominal", ("red", "green", "blue")),)
    x = np.array([[0.0]] * 8 + [[1.0]] * 4)
    fit = DecisionTree().fit(x, [0] * 8 + [1] * 4, columns=columns)
    np.testing.assert_array_equal(fit.predict([[0.0], [1.0], [2.0], [np.nan]]), [0, 1, 0, 0])
    assert "red" in tree_rules(fit)[0].conditions[0] or "green" in tree_rules(fit)[0].conditions[0]
    with pytest.raises(DataError, match="codes of the 3 levels in column colour"):
        fit.predict([[7.0]])


def test_missing_values_go_where_they_gain_more():
    x = np.array([1, 2, 3, 4, 5, 6, np.nan, np.nan])[:, None]
    low = DecisionTree().fit(x, [0, 0, 0, 1, 1, 1, 0, 0])
    high = DecisionTree().fit(x, [0, 0, 0, 1, 1, 1, 1, 1])
    assert low.predict([[np.nan]]) == 0
    assert high.predict([[np.nan]]) == 1
    only = DecisionTree().fit(x, [0, 0, 0, 0, 0, 0, 1, 1])
    assert np.isinf(only.tree.cut[0])
    np.testing.assert_array_equal(only.predict([[99.0], [np.nan]]), [0, 1])
    with pytest.raises(MlcoreError, match="refuse missing values"):
        DecisionTree(missing="refuse").fit(x, [0, 0, 0, 1, 1, 1, 0, 0])


def test_a_tie_in_a_leaf_is_settled_by_the_node_above():
    x = np.array([0.0] * 4 + [1.0] * 2)[:, None]
    fit = DecisionTree(criterion="gini").fit(x, [1, 1, 1, 1, 0, 1])
    assert fit.predict([[1.0]]) == 1
    assert fit.probabilities([[1.0]]).argmax() == 1


@pytest.mark.parametrize(
    "pruning", [CostComplexityCV(), CostComplexityCV(one_se=False), ReducedError(), Pessimistic()]
)
def test_pruning_makes_a_noisy_tree_smaller_and_better(pruning):
    new = np.random.default_rng(1).normal(size=(4000, 4))
    truth = new[:, 0] + new[:, 1] ** 2 > 0.5
    grown = DecisionTree(max_leaf_nodes=0).fit(NOISY, NOISY_Y)
    pruned = DecisionTree(max_leaf_nodes=0, pruning=pruning).fit(NOISY, NOISY_Y)
    assert pruned.tree.n_leaves < grown.tree.n_leaves
    assert (pruned.predict(new) == truth).mean() > (grown.predict(new) == truth).mean()


def test_pruning_of_quantities():
    y = np.sin(2 * NOISY[:, 0]) + 0.5 * RNG.normal(size=300)
    for pruning in (CostComplexity(alpha=0.02), CostComplexityCV(), ReducedError(), CostPenalty()):
        fit = RegressionTree(max_leaf_nodes=0, pruning=pruning).fit(NOISY, y)
        assert 1 < fit.tree.n_leaves < 150
    with pytest.raises(DataError, match="quantity"):
        RegressionTree(pruning=Pessimistic()).fit(NOISY, y)


@pytest.mark.parametrize("tree", [DecisionTree, RegressionTree])
@pytest.mark.parametrize("low", [1.0 + np.spacing(1.0), -1.0, 5e-324])
def test_neighbouring_numbers_are_told_apart(tree, low):
    x = np.array([[low], [np.nextafter(low, np.inf)]])
    fit = tree().fit(x, [0, 1])
    np.testing.assert_array_equal(fit.predict(x), [0, 1])
    assert low <= fit.tree.cut[0] < x[1, 0]


def test_one_standard_error_takes_a_smaller_tree_than_the_least_error():
    x = np.linspace(0, 1, 60)[:, None]
    y = np.floor(4 * x[:, 0]) + 0.7 * np.random.default_rng(8).normal(size=60)
    least, smaller = (
        RegressionTree(max_leaf_nodes=0, pruning=CostComplexityCV(one_se=rule)).fit(x, y)
        for rule in (False, True)
    )
    assert 4 <= smaller.tree.n_leaves < least.tree.n_leaves


def test_rules_say_the_way_to_every_leaf():
    fit = DecisionTree(max_leaf_nodes=3).fit(PETALS, Y)
    rules = tree_rules(fit)
    assert [rule.rows for rule in rules] == [50, 54, 46]
    assert rules[1].conditions == ("not (x1 ≤ 2.45)", "x2 ≤ 1.75")


def test_importances_share_the_gain():
    fit = DecisionTree().fit(X, Y)
    assert fit.importances.sum() == pytest.approx(1.0)
    assert fit.importances[2:].sum() > 0.9


def test_a_cut_is_said_as_its_column_is_written():
    tree = SimpleNamespace(feature=[0], n_levels=[0], cut=[16480.5])
    day, pay = (Column("day", "datetime"),), (Column("pay"),)
    assert question(tree, day, 0, is_date=True) == "day ≤ 2015-02-14"
    assert question(tree, day, 0, 16480.25, is_date=True) == "day ≤ 2015-02-14 06:00"
    assert question(tree, pay, 0) == "pay ≤ 16480"
    assert question(tree, pay, 0, -2.34567) == "pay ≤ -2.346"
