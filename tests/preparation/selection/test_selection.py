"""Variable selection: published numbers, theory, the peer, and no look at test rows."""

from __future__ import annotations

import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from mlcore.data.describing.information import mutual_information
from mlcore.evaluation.splits import KFold
from mlcore.preparation.chain import prepare
from mlcore.preparation.impute import Impute
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.selection import wrapper
from mlcore.preparation.selection.cfs import CFS
from mlcore.preparation.selection.choice import KEPT
from mlcore.preparation.selection.floating import AdaptiveFloating
from mlcore.preparation.selection.judge import Judge, Variables
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.preparation.selection.wrapper import Wrapper
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import carried_out
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.iterate import record
from mlcore.spine.registry import lookup
from tests.preparation.selection.selecting import (
    WAYS,
    columns_of,
    diabetes,
    noisy,
    penguins,
    selected,
)

SEARCHES = ("sfs", "sbs", "sffs", "sfbs", "adaptive_floating", "exhaustive")


# --- numbers of the specification ---------------------------------------------------------------


def test_the_merit_on_diabetes_along_the_forward_search():
    fit, kept = selected(SubsetSelector(), *diabetes())
    wanted = [0, .586450, .677572, .681460, .687839, .673524, .655192, .636951, .611584, .577019,
              .547705]  # fmt: skip
    np.testing.assert_allclose(fit.best, wanted, atol=5e-7)
    assert kept == {"bmi", "s5", "bp", "s3"}
    assert fit.evaluations == 55


def test_what_each_variable_is_worth_on_diabetes():
    fit, _ = selected(SubsetSelector(), *diabetes())
    alone = [.1879, .0431, .5865, .4415, .2120, .1741, .3948, .4305, .5659, .3825]  # fmt: skip
    np.testing.assert_allclose(fit.alone, alone, atol=5e-5)
    at = dict(zip(fit.variables, fit.missed, strict=True))
    for name, value in {"bmi": 0.057085, "s5": 0.043933, "bp": 0.023483, "s3": 0.006379}.items():
        assert at[name] == pytest.approx(value, abs=5e-7)
    gained = fit.gained[~fit.chosen]
    assert (gained < 0).all()
    assert gained.max() == pytest.approx(-0.014315, abs=5e-7)
    assert gained.min() == pytest.approx(-0.077340, abs=5e-7)


def test_every_subset_of_diabetes_by_its_merit():
    fit, kept = selected(SubsetSelector(search="exhaustive"), *diabetes())
    assert kept == {"bmi", "bp", "s3", "s5"}
    assert fit.evaluations == 1023


# --- theory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_no_search_beats_every_subset(seed):
    X, y = noisy(seed=seed)
    best = SubsetSelector(search="exhaustive").fit(X, y).best
    for search in WAYS:
        found = SubsetSelector(search=search).fit(X, y).best
        assert (found <= best + 1e-12).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_merit_of_all_subsets_is_that_of_each(seed):
    X, y = noisy(d=5, seed=seed)
    judge = SubsetSelector().score.judge(SubsetSelector()._given(X, y), Variables.of(columns_of(5)))
    J = judge.every()
    assert J.min() >= 0
    assert J.max() <= np.sqrt(5) + 1e-12
    for k in range(6):
        for which in combinations(range(5), k):
            members = np.isin(np.arange(5), which)
            place = sum(1 << (4 - v) for v in which)
            assert J[place] == pytest.approx(judge.value(members), abs=1e-12)


@pytest.mark.parametrize("score", ["cfs", Wrapper(learner="linear_regression")])
def test_the_loss_of_a_member_is_the_gain_of_adding_it(score):
    X, y = noisy()
    selector = SubsetSelector(score=score)
    judge = selector.score.judge(selector._given(X, y), Variables.of(columns_of(7)))
    members = np.array([1, 0, 1, 1, 0, 0, 1], dtype=bool)
    without = members.copy()
    without[2] = False
    assert judge.removed(members)[2] == pytest.approx(judge.value(without), abs=1e-12)
    assert judge.added(without)[2] == pytest.approx(judge.value(members), abs=1e-12)


def test_copies_of_a_variable_have_the_merit_of_one():
    x = np.random.default_rng(1).normal(size=(50, 1))
    y = x[:, 0] + np.random.default_rng(2).normal(size=50)
    fit = SubsetSelector().fit(np.repeat(x, 4, axis=1), y)
    np.testing.assert_allclose(fit.best[1:], fit.best[1], rtol=1e-12)
    assert fit.chosen.tolist() == [True, False, False, False]  # ties: the smaller, the first


def test_the_choice_does_not_depend_on_units_or_the_order_of_rows():
    X, y = noisy()
    turn = np.random.default_rng(3).permutation(len(X))
    plain = SubsetSelector().fit(X, y)
    moved = SubsetSelector().fit((X * [1, -1e3, 1e-3, 5, 7, 1, 2] + 10)[turn], y[turn])
    np.testing.assert_array_equal(plain.chosen, moved.chosen)
    np.testing.assert_allclose(plain.best, moved.best, rtol=1e-9)


def test_ranks_do_not_depend_on_any_rising_change_of_a_column_or_the_target():
    X, y = noisy()
    X[:, 2] = np.round(X[:, 2])  # with ties
    ranked = SubsetSelector(score=CFS(kind="spearman"))
    plain, bent = ranked.fit(X, y), ranked.fit(np.sinh(X), np.exp(y / 5))
    peer: Any = stats.spearmanr
    wanted = [abs(peer(x, y).statistic) for x in X.T]
    np.testing.assert_allclose(plain.alone, wanted, rtol=1e-12)
    np.testing.assert_allclose(bent.best, plain.best, rtol=1e-12)
    np.testing.assert_array_equal(bent.chosen, plain.chosen)


def test_uncertainty_is_that_of_each_pair():
    """Counted in one product, against one pair at a time; the merit sees what no line shows."""
    rng = np.random.default_rng(6)
    X = np.column_stack([rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000), np.ones(3000)])
    y = np.abs(X[:, 0])
    fit = SubsetSelector(score=CFS(kind="uncertainty")).fit(X, y)
    whole = [X[:, 0], X[:, 1], X[:, 2].astype(int), X[:, 3]]
    wanted = [mutual_information(x, y, "binned", normalise=True) for x in whole]
    np.testing.assert_allclose(fit.alone, wanted, atol=1e-12)
    assert fit.chosen.tolist() == [True, False, False, False]
    assert SubsetSelector().fit(X, y).alone[0] < 0.05
    pair = mutual_information(whole[0], whole[2], "binned", normalise=True)
    both = (wanted[0] + wanted[2]) / np.sqrt(2 + 2 * pair)
    members = np.array([True, False, True, False])
    given = SubsetSelector()._given(X, y)
    judge = CFS(kind="uncertainty").judge(given, Variables.of(columns_of(4)))
    assert judge.value(members) == pytest.approx(both, abs=1e-12)


def test_too_many_pairs_of_levels_are_refused():
    X, y = noisy(d=301, n=20)
    with pytest.raises(DataError, match="300 variables at most; got 301"):
        SubsetSelector(score=CFS(kind="uncertainty")).fit(X, y)
    X, classes = np.ones((5001, 1)), np.arange(5001).astype(str)
    with pytest.raises(DataError, match="5,000 levels at most, of all variables together; got 5,0"):
        SubsetSelector(score=CFS(kind="uncertainty")).fit(X, classes)


def test_a_block_is_scored_by_all_of_its_columns():
    """The second column of x1 tells the classes apart, so x1 is what is kept."""
    X = np.random.default_rng(0).uniform(-1, 1, (200, 5))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    columns = (*columns_of(5), Column("x1*x2", source="x1"))
    score = Wrapper(learner="lda")
    rows = np.column_stack([X, X[:, 0] * X[:, 1]])
    fit = SubsetSelector(score=score, search="sbs", n_features=1).fit(rows, y, columns=columns)
    assert fit.variables[int(fit.chosen.argmax())] == "x1"


@pytest.mark.parametrize("search", WAYS)
def test_a_wrapper_scores_no_subset_twice(search):
    X, y = noisy()
    seen = []

    class Spying(wrapper.WrapperJudge):
        def _value(self, members):
            seen.append(tuple(np.flatnonzero(members)))
            return super()._value(members)

    selector = SubsetSelector(score=Wrapper(learner="linear_regression"), search=search)
    given = selector._given(X, y)
    judge = Spying(selector.score, given, Variables.of(columns_of(7)))
    list(selector.search.moves(judge, 3))
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("search", WAYS)
def test_the_merit_counts_every_subset_once(search):
    """As many as a score does that remembers each of them."""
    X, y = noisy()
    selector = SubsetSelector(search=search)
    given = selector._given(X, y)
    merit = selector.score.judge(given, Variables.of(columns_of(7)))

    class Remembering(Judge):
        def _value(self, members):
            return merit.known(members)

    plain = Remembering(7)
    paths = [list(search.moves(judge, None)) for judge in (merit, plain)]
    np.testing.assert_allclose([m.value for m in paths[0]], [m.value for m in paths[1]], atol=1e-12)
    assert merit.evaluations == plain.evaluations


def test_the_best_there_is_of_each_size_is_known_of_merits():
    X, y = noisy(d=6, seed=2)
    every = SubsetSelector(search="exhaustive").fit(X, y)
    np.testing.assert_allclose(SubsetSelector().fit(X, y).optimum, every.best, atol=1e-12)
    learner = Wrapper(learner="linear_regression")
    assert len(SubsetSelector(score=learner).fit(X, y).optimum) == 0


@pytest.mark.parametrize("search", WAYS)
@pytest.mark.parametrize("size", [1, 3, 7, "best"])
def test_the_wanted_number_is_kept(search, size):
    X, y = noisy()
    fit = SubsetSelector(search=search, n_features=size).fit(X, y)
    wanted = int(np.argmax(fit.best)) if size == "best" else size
    assert fit.chosen.sum() == len(fit.out_columns) == wanted


def test_floating_visits_fewer_and_more_sizes_and_ends():
    X, y = noisy(d=9, seed=5)
    for search, plain in (("sffs", "sfs"), ("sfbs", "sbs")):
        fit = SubsetSelector(search=search).fit(X, y)
        assert (np.abs(np.diff(fit.path_sizes)) == 1).all()
        plain = SubsetSelector(search=plain).fit(X, y)
        assert fit.evaluations >= plain.evaluations


# --- variables, not columns ---------------------------------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
def test_a_one_hot_block_stays_whole(search):
    data = penguins().data.dataset({})
    prepared = prepare(penguins(search=search, n_features=3).preparation, data.X, data.y,
                       data.columns)  # fmt: skip
    before = prepare(penguins().preparation[:3], data.X, data.y, data.columns).columns
    kept = {c.variable for c in prepared.columns}
    assert len(kept) == 3
    assert [c for c in before if c.variable in kept] == list(prepared.columns)
    assert prepared.summary()[-1].values[0][1] == KEPT


@pytest.mark.parametrize("seed", range(3))
def test_a_block_of_two_levels_has_the_merit_of_one_column(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 3))
    X[:, 1] = X[:, 1] > 0
    y = (X[:, 0] + X[:, 1] + rng.normal(size=90) > 0.5).astype(int)
    plain = SubsetSelector(search="exhaustive").fit(X, y)
    block = np.column_stack([X[:, 0], X[:, 1], 1 - X[:, 1], X[:, 2]])
    columns = (Column("x1"), Column("x2=b", source="x2"), Column("x2=a", source="x2"), Column("x3"))
    fit = SubsetSelector(search="exhaustive").fit(block, y, columns=columns)
    np.testing.assert_allclose(fit.best, plain.best, rtol=1e-10)
    np.testing.assert_array_equal(fit.chosen, plain.chosen)


def test_names_missing_values_and_a_missing_target_are_refused_in_a_sentence():
    data = penguins().data.dataset({})
    with pytest.raises(DataError, match="Put one-hot encoding"):
        prepare((Impute(), SubsetSelector()), data.X, data.y, data.columns)
    with pytest.raises(DataError, match="imputation"):
        prepare((OneHot(), SubsetSelector()), data.X, data.y, data.columns)
    with pytest.raises(DataError, match="choose a target"):
        prepare((Impute(), OneHot(), SubsetSelector()), data.X, None, data.columns)


def test_a_method_of_another_task_is_refused():
    X, y = noisy()
    with pytest.raises(DataError, match=r"holds a quantity.*Choose a regression method"):
        SubsetSelector(score="wrapper").fit(X, y)


def test_too_many_subsets_are_refused():
    X, y = noisy(d=25, n=60)
    with pytest.raises(DataError, match=r"2\^25 = 33554432 subsets"):
        SubsetSelector(search="exhaustive").fit(X, y)


@pytest.mark.parametrize("search", WAYS)
def test_where_nothing_can_be_scored_the_reason_is_given(search):
    """A floating search must not go back for ever to what cannot be scored."""
    X, y = np.ones((12, 5)), np.arange(12) % 2
    with pytest.raises(DataError, match="No subset of the wanted size can be scored"):
        SubsetSelector(score="wrapper", search=search).fit(X, y)


def test_too_many_groups_are_refused():
    X, y = noisy(d=50, n=60)
    with pytest.raises(DataError, match="Groups of up to 3 of 50 variables are 20875"):
        SubsetSelector(search="adaptive_floating").fit(X, y)


def test_groups_of_one_are_the_floating_search():
    X, y = noisy(d=9, seed=3)
    plain = SubsetSelector(search="sffs").fit(X, y)
    groups = SubsetSelector(search=AdaptiveFloating(r_max=1)).fit(X, y)
    np.testing.assert_array_equal(plain.path_values, groups.path_values)
    np.testing.assert_array_equal(plain.subsets, groups.subsets)


# --- steps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
def test_the_last_step_is_the_fit(search):
    X, y = noisy()
    selector = SubsetSelector(search=search)
    steps = record(selector.steps(X, y))
    assert [s.stop is None for s in steps] == [True] * (len(steps) - 1) + [False]
    assert all(step.note.endswith(".") for step in steps)
    fit = selector.fit(X, y)
    assert fit.n_iter == steps[-1].k + 1 == len(fit.path_sizes)


def test_a_fit_survives_a_worker_and_is_read_only():
    fit = SubsetSelector().fit(*noisy())
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.chosen, fit.chosen)
    assert not again.subsets.flags.writeable


# --- no look at test rows -------------------------------------------------------------------


def test_the_choice_does_not_change_with_rows_left_out():
    X, y = noisy()
    train, out = np.arange(50), np.arange(50, 80)
    moved, other = X.copy(), y.copy()
    moved[out] = moved[out][::-1] * 100
    other[out] = moved[out, 0]
    steps = (Standardise(), SubsetSelector())
    first, second = (
        prepare(steps, A[train], b[train], columns_of(7)) for A, b in ((X, y), (moved, other))
    )
    np.testing.assert_array_equal(first.X, second.X)
    assert first.summary() == second.summary()
    # The same check on all rows sees the change: it can fail.
    whole = [prepare(steps, A, b, columns_of(7)).summary() for A, b in ((X, y), (moved, other))]
    assert whole[0] != whole[1]


def noise() -> tuple[np.ndarray, np.ndarray]:
    """Fifty rows of noise: nothing can be predicted."""
    rng = np.random.default_rng(4)
    return rng.normal(size=(50, 400)), np.arange(50) % 2


def accuracy(X: np.ndarray, y: np.ndarray, *, select_first: bool) -> float:
    """By linear discriminants on ten columns, chosen from all rows or within each fold."""
    selector = SubsetSelector(n_features=10)
    lda: Any = lookup("classification", "lda")()
    right = []
    for train, test in KFold().splits(len(X), y=y):
        seen = np.arange(len(X)) if select_first else train
        fit = selector.fit(X[seen], y[seen])
        model = lda.fit(fit.transform(X[train]), y[train])
        right.append(np.mean(model.predict(fit.transform(X[test])) == y[test]))
    return float(np.mean(right))


def test_noise_is_at_chance_inside_the_folds_and_looks_good_when_chosen_before_the_split():
    X, y = noise()
    assert accuracy(X, y, select_first=False) < 0.7
    assert accuracy(X, y, select_first=True) > 0.85


def test_a_run_chooses_inside_its_folds():
    """Its scores are those of the loop that chooses in each fold, to the last bit."""
    run = penguins(n_features=2)
    out = carried_out(run)
    data = run.data.dataset({})
    for fold in out.folds:
        prepared = prepare(run.preparation, data.X[fold.train], data.y[fold.train], data.columns)
        assert fold.summary == prepared.summary()
        fit = run.method.fit(prepared.X, prepared.y, columns=prepared.columns)
        right = np.mean(fit.predict(prepared.transform(data.X[fold.test])) == data.y[fold.test])
        assert fold.scores["accuracy"] == right


def test_the_printed_merit_prefers_a_pair_that_hardly_overlaps():
    """Without the k under the root, which is why only a lab shows it."""
    X, y, columns = diabetes()
    given = SubsetSelector()._given(X, y, columns=columns)
    judge = SubsetSelector().score.judge(given, Variables.of(columns))

    def printed(which):
        among = judge.between[np.ix_(which, which)].sum() - len(which)
        return judge.with_target[list(which)].sum() / np.sqrt(among)

    pairs = {which: printed(which) for k in range(2, 11) for which in combinations(range(10), k)}
    best = max(pairs, key=lambda which: pairs[which])
    assert [columns[j].name for j in best] == ["s1", "s3"]
    assert pairs[best] == pytest.approx(1.8904, abs=5e-5)
