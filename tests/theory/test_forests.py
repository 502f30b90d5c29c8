"""Forests: what one tree of them is, what chance and threads may change, and what is left out."""

from __future__ import annotations

import threading
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mlcore.ensembles import forest
from mlcore.ensembles.extra_trees import ExtraTrees, ExtraTreesRegression
from mlcore.ensembles.random_forest import RandomForest, RandomForestRegression
from mlcore.spine.errors import ParamError
from mlcore.spine.fit import Column
from mlcore.spine.random import generator
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.feature_draws import CountOfFeatures
from mlcore.trees.grove import Grove, Ranked
from mlcore.trees.regression_tree import RegressionTree
from mlcore.trees.tree import Tree

RNG = np.random.default_rng(1)
X = RNG.normal(size=(300, 5)).round(1)
INCOMPLETE = np.where(RNG.random(X.shape) < 0.05, np.nan, X)
INCOMPLETE[:, 0] = RNG.integers(0, 4, 300)
NAMED = (Column("a", "nominal", tuple("abcd")), *(Column(f"x{j}") for j in range(1, 5)))
Z = X.sum(axis=1) + RNG.normal(size=300)
Y = np.digitize(Z, [-1, 1])
FORESTS = [
    (RandomForest, Y), (RandomForestRegression, Z), (ExtraTrees, Y), (ExtraTreesRegression, Z),
]  # fmt: skip


def rows_drawn(seed: int, i: int, n: int) -> np.ndarray:
    """The n rows that are drawn, one after the other, for tree i: by SplitMix64, written anew."""
    state = int(generator(seed, "members").integers(2**63, size=i + 1)[i])
    rows = []
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        rows.append(int(((z ^ (z >> 31)) >> 11) * 2.0**-53 * n))
    return np.array(rows)


def same(one: Tree, other: Tree) -> bool:
    """Whether two trees are equal to the last bit."""
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(Tree))


@pytest.mark.parametrize("rows", [X, INCOMPLETE])
@pytest.mark.parametrize("leaves", [0, 9])
@pytest.mark.parametrize(
    ("wood", "tree", "y"),
    [(RandomForest, DecisionTree, Y), (RandomForestRegression, RegressionTree, Z)],
)
def test_one_tree_of_all_rows_and_columns_is_the_tree(wood, tree, y, leaves, rows):
    columns = NAMED if rows is INCOMPLETE else None
    settings: Any = {
        "n_estimators": 1, "bootstrap": False, "max_features": "all", "max_bins": 0,
    }  # fmt: skip
    ours = wood(**settings, max_leaf_nodes=leaves, min_samples_leaf=1).fit(rows, y, columns=columns)
    alone = tree(max_leaf_nodes=leaves).fit(rows, y, columns=columns)
    assert same(ours.trees[0], alone.tree)
    if wood is RandomForestRegression:
        np.testing.assert_array_equal(ours.predict(rows), alone.predict(rows))


def test_and_where_the_ranks_of_a_node_stand_close_together_but_for_one():
    n, few = 6000, 40  # of the last few all but one are among the least values
    rows = np.column_stack([np.arange(n) < n - few, RNG.permutation(n) + few]).astype(float)
    rows[-few:-1, 1] = RNG.permutation(few - 1)
    y = np.where(np.arange(n) < n - few, 2, RNG.integers(0, 2, n))
    settings: Any = {
        "n_estimators": 1, "bootstrap": False, "max_features": "all", "max_bins": 0,
    }  # fmt: skip
    ours = RandomForest(**settings).fit(rows, y)
    assert same(ours.trees[0], DecisionTree(max_leaf_nodes=0).fit(rows, y).tree)


@pytest.mark.parametrize(("wood", "y"), FORESTS)
def test_answers_are_those_of_the_leaves_also_where_values_are_missing(wood, y):
    rows = np.where(RNG.random((3000, 5)) < 0.05, np.nan, RNG.normal(size=(3000, 5)))
    fit = wood(n_estimators=7).fit(rows[:300], y)
    said = [fit.made_by.answers(tree)[tree.leaf_of(rows)] for tree in fit.trees]
    np.testing.assert_array_equal(fit._mean(rows), sum(said) / 7)


@pytest.mark.parametrize("criterion", ["entropy", "misclassification", "gain_ratio"])
def test_and_by_every_criterion(criterion):
    settings = {"n_estimators": 1, "bootstrap": False, "max_features": "all"}
    ours = RandomForest(**settings, criterion=criterion).fit(INCOMPLETE, Y, columns=NAMED)
    alone = DecisionTree(criterion=criterion, max_leaf_nodes=0).fit(INCOMPLETE, Y, columns=NAMED)
    assert same(ours.trees[0], alone.tree)


@pytest.mark.parametrize(("wood", "y"), FORESTS)
def test_threads_change_nothing(wood, y, monkeypatch):
    monkeypatch.setattr(forest, "FEW_ROWS", 0)
    method = wood(n_estimators=9, bootstrap=True, permutation=True)
    found = []
    for threads in ("1", "2", "4"):
        monkeypatch.setenv("MLSCOPE_THREADS", threads)
        fit = method.fit(INCOMPLETE, y, columns=NAMED, seed=4)
        found.append((fit, fit.predict(INCOMPLETE)))
    for fit, said in found[1:]:
        assert all(same(a, b) for a, b in zip(fit.trees, found[0][0].trees, strict=True))
        np.testing.assert_array_equal(said, found[0][1])
        np.testing.assert_array_equal(fit.oob_errors, found[0][0].oob_errors)
        np.testing.assert_array_equal(fit.permuted, found[0][0].permuted)


def test_trees_are_grown_at_the_same_time(monkeypatch):
    monkeypatch.setattr(forest, "FEW_ROWS", 0)
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    both = threading.Barrier(2, timeout=20)
    plain = Grove.grown

    def waiting(*given):
        both.wait()  # passes only if another tree is under way
        return plain(*given)

    monkeypatch.setattr(Grove, "grown", waiting)
    assert len(RandomForest(n_estimators=4).fit(X, Y).trees) == 4


@pytest.mark.parametrize(("wood", "y"), FORESTS)
def test_further_trees_leave_the_others_alone(wood, y):
    few, many = (wood(n_estimators=b).fit(X, y, seed=2) for b in (3, 7))
    assert all(same(a, b) for a, b in zip(few.trees, many.trees, strict=False))
    other = wood(n_estimators=3).fit(X, y, seed=3)
    assert not any(same(a, b) for a, b in zip(few.trees, other.trees, strict=True))
    assert not all(same(few.trees[0], tree) for tree in many.trees)


@pytest.mark.parametrize(("wood", "y"), FORESTS[:2])
def test_the_out_of_bag_error_counts_trees_that_have_not_seen_a_row(wood, y):
    fit = wood(n_estimators=12).fit(X, y, seed=5)
    K = 3 if wood is RandomForest else 1
    sums, seen, votes = np.zeros((300, K)), np.zeros(300), np.zeros((300, 3))
    for i, tree in enumerate(fit.trees):
        out = ~np.isin(np.arange(300), rows_drawn(5, i, 300))
        said = tree.values[tree.leaf_of(X)]
        votes[out] += np.eye(3)[tree.label[tree.leaf_of(X)]][out]
        sums[out] += (said / said.sum(axis=1, keepdims=True) if K > 1 else said)[out]
        seen += out
        here = seen > 0
        if K > 1:
            error = (sums[here].argmax(axis=1) != y[here]).mean()
        else:
            error = (((sums[here, 0] / seen[here]) - y[here]) ** 2).mean() ** 0.5
        assert fit.oob_errors[i] == pytest.approx(error, rel=1e-12)
        assert fit.oob_rows[i] == here.sum()
    if K > 1:
        np.testing.assert_allclose(fit.oob_votes[here], votes[here] / seen[here, None])
        assert np.isnan(fit.oob_votes[~here]).all()


def test_votes_of_rows_left_out_are_there_once_all_trees_are_and_none_of_a_row_without_weight():
    method, w = RandomForest(n_estimators=12), np.ones(300)
    w[7] = 0.0
    votes = method.fit(X, Y, weights=w).oob_votes
    assert np.isnan(votes[7]).all() and np.isfinite(votes[8]).all()
    *before, last = method.steps(X, Y, weights=w)
    assert all(step.state.votes is None for step in before)
    np.testing.assert_array_equal(last.state.votes, np.delete(votes, 7, axis=0))
    assert RandomForest(n_estimators=2, bootstrap=False).fit(X, Y).oob_votes is None


def test_rows_that_no_tree_leaves_out_are_counted_and_said():
    fit = RandomForest(n_estimators=2).fit(X, Y)
    never = 300 - fit.oob_rows[-1]
    assert f"{never} rows took part in every tree" in fit.stop.why
    assert "every tree" not in ExtraTrees(n_estimators=2).fit(X, Y).stop.why


@pytest.mark.parametrize(("wood", "y"), FORESTS)
def test_importances_share_the_gain(wood, y):
    fit = wood(n_estimators=10).fit(X, y)
    assert fit.importances.sum() == pytest.approx(1.0)
    assert (fit.importance_spread > 0).all()
    constant = wood(n_estimators=3).fit(np.ones((9, 2)), y[:9])
    assert constant.importances.tolist() == [0.0, 0.0]
    assert constant.importance_spread.tolist() == [0.0, 0.0]


def test_a_tree_without_a_split_has_no_share_of_the_gain_that_could_differ():
    grown = ExtraTrees(n_estimators=40, min_samples_leaf=10).fit(X[:60, :1], Y[:60])
    assert {len(tree) > 1 for tree in grown.trees} == {False, True}
    assert grown.importances.tolist() == [1.0]
    assert grown.importance_spread.tolist() == [0.0]


def test_shuffling_a_variable_that_says_nothing_costs_nothing():
    iris, species = load_iris(return_X_y=True)
    noisy = np.column_stack([iris, RNG.normal(size=(150, 2))])
    columns = tuple(Column(name, source="v" if name in "ef" else "") for name in "abcdef")
    fit = RandomForest(permutation=True).fit(noisy, species, columns=columns)
    cost = fit.permuted.mean(axis=0)
    assert len(cost) == 5  # the last two columns are of one variable
    assert cost[2] > 0.1
    assert cost[3] > 0.1
    assert abs(cost[4]) < 0.02
    with pytest.raises(ParamError, match="Switch bootstrap on"):
        RandomForest(bootstrap=False, permutation=True)


@pytest.mark.parametrize(
    ("wood", "y"), [(RandomForest, Y), (ExtraTrees, Y), (ExtraTreesRegression, Z)]
)
def test_whole_weights_are_repeated_rows(wood, y):
    w = np.arange(300) % 3 + 1.0
    method = wood(n_estimators=5, bootstrap=False, min_samples_leaf=1)
    weighted = method.fit(X, y, weights=w)
    repeated = method.fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    new = RNG.normal(size=(400, 5))
    said = (fit.predict(new) for fit in (weighted, repeated))
    np.testing.assert_allclose(*said, atol=1e-9)


def test_a_share_of_rows_without_replacement():
    fit = RandomForest(n_estimators=4, bootstrap=False, max_samples=0.25).fit(X, Y)
    assert [tree.rows[0] for tree in fit.trees] == [75] * 4
    assert fit.oob_rows[0] == 225


def test_rows_drawn_without_replacement_are_any_of_them():
    fit = RandomForest(n_estimators=400, bootstrap=False, max_samples=0.25).fit(X, Y)
    assert {tree.weight[0] for tree in fit.trees} == {75.0}
    line = np.arange(40.0)[:, None]
    method = RandomForest(n_estimators=4000, bootstrap=False, max_samples=0.05, vote="majority")
    pairs = [tuple(t.cut[:1]) for t in method.fit(line, np.arange(40)).trees]
    middles = 2 * np.array(pairs)[:, 0]  # two rows are drawn, and the cut is between them
    assert middles.mean() == pytest.approx(39, abs=4 * middles.std() / 4000**0.5)
    assert middles.var() == pytest.approx(2 * (40**2 - 1) / 12 * 38 / 39, rel=0.1)


def test_bins_hold_about_as_many_rows_each_and_part_no_value():
    x = np.concatenate([np.repeat([3.0, 7.0], 300), RNG.normal(size=1400), [np.nan] * 9])
    rows = Ranked(np.column_stack([x, x.round()]), (Column("a"), Column("b")))
    codes, ends = rows.binned(16)
    low, high = ends[:, :, : codes[0, :-9].max() + 1]
    assert (codes[:, -9:] == 255).all()
    assert (np.diff(low[0]) > 0).all()
    for j, own in enumerate(rows.X):
        known = codes[j, :-9]
        assert (low[j, known] <= own[:-9]).all()
        assert (own[:-9] <= high[j, known]).all()
        assert (high[j, : known.max()] < low[j, 1 : known.max() + 1]).all()
    assert np.bincount(codes[0, 600:-9]).max() <= 2000 // 16 + 1
    assert len(set(codes[1, :-9])) == len(np.unique(x[:-9].round()))  # few values: a bin for each
    np.testing.assert_array_equal(low[1, codes[1, :-9]], x[:-9].round())


def test_nodes_of_more_rows_than_bins_are_cut_between_bins():
    rows, z = RNG.normal(size=(3000, 2)), RNG.normal(size=3000)
    rows[::7, 0] = np.nan
    settings: Any = {"n_estimators": 1, "bootstrap": False, "max_features": "all"}
    (tree,) = RandomForestRegression(**settings, max_bins=20).fit(rows, z).trees
    (every,) = RandomForestRegression(**settings, max_bins=0).fit(rows, z).trees
    _, ends = Ranked(rows, (Column("a"), Column("b"))).binned(20)
    many = ~tree.is_leaf & (tree.rows > 20) & np.isfinite(tree.cut)
    cut, j = tree.cut[many], tree.feature[many]
    inside = (ends[0, j] < cut[:, None]) & (cut[:, None] < ends[1, j])
    assert many.sum() > 50
    assert not inside.any()  # no cut parts a bin
    few = ~tree.is_leaf & (tree.rows <= 20)
    parts = (ends[0, tree.feature[few]] < tree.cut[few, None]) & (
        tree.cut[few, None] < ends[1, tree.feature[few]]
    )
    assert parts.any()  # in small nodes every cut is tried
    assert every.gain[0] >= tree.gain[0] > 0
    missing = np.isnan(rows[:, tree.feature[0]])
    goes = np.where(missing, tree.missing_left[0], rows[:, tree.feature[0]] <= tree.cut[0])
    parted = sum(((z[side] - z[side].mean()) ** 2).sum() for side in (goes, ~goes))
    assert tree.gain[0] == pytest.approx(((z - z.mean()) ** 2).sum() - parted)
    assert tree.rows[1] == goes.sum()


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "gain_ratio"])
def test_bins_of_few_values_are_as_good_as_every_cut(criterion):
    rows = np.where(RNG.random((900, 4)) < 0.05, np.nan, RNG.normal(size=(900, 4)).round(1))
    y = np.digitize(np.nan_to_num(rows).sum(axis=1) + RNG.normal(size=900), [-1, 1])
    settings: Any = {"n_estimators": 2, "bootstrap": False, "criterion": criterion}
    binned, every = (RandomForest(**settings, max_bins=m).fit(rows, y) for m in (255, 0))
    assert all(same(a, b) for a, b in zip(binned.trees, every.trees, strict=True))


def test_a_majority_gives_whole_votes():
    shares = RandomForest(n_estimators=4, vote="majority").fit(X, Y).probabilities(X)
    np.testing.assert_array_equal(4 * shares, np.round(4 * shares))


def test_a_cut_anywhere_parts_missing_values_and_names_too():
    only_known = np.where(np.arange(60) % 2, np.nan, 1.0)[:, None]
    fit = ExtraTrees(n_estimators=1).fit(only_known, np.arange(60) % 2)
    np.testing.assert_array_equal(fit.predict(only_known), np.arange(60) % 2)
    names = np.arange(60.0)[:, None] % 4
    column = (Column("a", "nominal", tuple("abcd")),)
    for y in (names[:, 0] > 1, names[:, 0]):
        fit = ExtraTrees(n_estimators=5).fit(names, y, columns=column)
        np.testing.assert_array_equal(fit.predict(names), y)


def test_cuts_are_spread_evenly_between_the_ends():
    line = np.array([[0.0], [1.0]])
    fit = ExtraTrees(n_estimators=2000, max_features=CountOfFeatures()).fit(line, [0, 1])
    cuts = np.sort([tree.cut[0] for tree in fit.trees])
    # Kolmogorov and Smirnov: above 1.95 / sqrt(B) once in a thousand samples of an even law.
    assert np.abs(cuts - (np.arange(2000) + 0.5) / 2000).max() < 1.95 / 2000**0.5


def test_columns_are_drawn_evenly_and_those_that_do_not_vary_do_not_count():
    y = np.arange(64) % 2
    same_columns = np.column_stack([np.ones(64), y, y, y, np.ones(64)]).astype(float)
    method = RandomForest(n_estimators=900, bootstrap=False, max_features=CountOfFeatures())
    asked = np.bincount([t.feature[0] for t in method.fit(same_columns, y).trees], minlength=5)
    assert asked[[0, 4]].sum() == 0
    assert (np.abs(asked[1:4] - 300) < 5 * (900 * 2 / 9) ** 0.5).all()


def test_steps_are_the_trees_one_by_one():
    for wood, y in FORESTS:
        method = wood(n_estimators=4)
        steps, fit = list(method.steps(X, y, seed=1)), method.fit(X, y, seed=1)
        assert [len(step.state.trees) for step in steps] == [1, 2, 3, 4]
        assert same(steps[-1].state.trees[-1], fit.trees[-1])
        assert all(step.stop is None for step in steps[:-1])
        if fit.oob_errors is not None:
            assert [step.objective for step in steps] == fit.oob_errors.tolist()
