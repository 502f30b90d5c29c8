"""Scores by group and fairness: by definition, by brute force, and on rows left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from mlcore.data.dataset import TableData
from mlcore.evaluation.comparing.holm import holm
from mlcore.evaluation.intervals import rmse_interval, wilson_interval
from mlcore.evaluation.slices.against_rest import fisher_exact
from mlcore.evaluation.slices.factors import Factor, of_levels, of_numbers
from mlcore.evaluation.slices.fairness import (
    fairness_rates,
    four_fifths,
    implied_false_positive_rate,
)
from mlcore.evaluation.slices.search import slice_scores
from mlcore.evaluation.splits import KFold
from mlcore.runs import carry_explanation
from mlcore.runs.carry import carried_out as run_carried_out
from mlcore.runs.carry import splits_of
from mlcore.runs.carry_explanation import carried_out, does_not_apply, of_folds
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.fairness import FairnessQuestion
from mlcore.runs.explaining.left_out import groupable
from mlcore.runs.explaining.model import model_of
from mlcore.runs.explaining.slices import SlicesQuestion
from mlcore.runs.run import AnyRun, Run, from_json
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

RNG = np.random.default_rng(5)
N = 300
A = Factor("a", RNG.integers(0, 3, N), ("x", "y", "z"))
B = Factor("b", RNG.integers(0, 2, N), ("no", "yes"))
PENGUINS = Run(data="penguins", method="lda", evaluation=KFold(n_splits=4))


def rows_of(title: str) -> np.ndarray:
    """The rows of a group, read from its title."""
    inside = np.ones(N, dtype=bool)
    for part in title.split(", "):
        name, _, level = part.partition(": ")
        factor = {"a": A, "b": B}[name]
        inside &= factor.codes == factor.levels.index(level)
    return inside


def test_shares_are_those_of_the_rows_with_wilson_and_fisher():
    right = RNG.random(N) < np.where(A.codes == 1, 0.6, 0.95)
    found = slice_scores(right, [A, B], better="higher", smallest=5)
    assert len(found.groups) == 3 + 2 + 6
    assert found.groups[0].startswith("a: y")
    assert (np.diff(found.score) >= 0).all()
    for g, title in enumerate(found.groups):
        inside = rows_of(title)
        own = right[inside]
        wilson = wilson_interval(own.sum(), len(own))
        assert found.score[g] == pytest.approx(own.mean())
        assert (found.low[g], found.high[g]) == pytest.approx((wilson.low, wilson.high))
        table = [[own.sum(), (~own).sum()], [right[~inside].sum(), (~right[~inside]).sum()]]
        assert found.p[g] == pytest.approx(stats.fisher_exact(table)[1], rel=1e-6)
    assert found.adjusted == pytest.approx(holm(found.p))
    assert found.overall == pytest.approx(right.mean())


def test_errors_have_their_root_and_welchs_test_and_offsets_cost_no_digits():
    error = RNG.normal(size=N) * np.where(B.codes == 1, 2.0, 1.0)
    found = slice_scores(error**2, [A, B], smallest=5, is_root=True)
    shifted = slice_scores(error + 1e8, [A, B], better="zero", smallest=5)
    assert found.groups[0].endswith("b: yes")
    for g, title in enumerate(found.groups):
        inside = rows_of(title)
        assert found.score[g] == pytest.approx(rmse_interval(error[inside]).mean)
        expected: Any = stats.ttest_ind(error[inside] ** 2, error[~inside] ** 2, equal_var=False)
        assert found.p[g] == pytest.approx(expected.pvalue)
    for g, title in enumerate(shifted.groups):
        inside, plain = rows_of(title), error + 1e8
        expected: Any = stats.ttest_ind(plain[inside], plain[~inside], equal_var=False)
        assert shifted.p[g] == pytest.approx(expected.pvalue, rel=1e-5)


def test_what_is_small_or_said_already_is_not_looked_at():
    twin = Factor("twin", A.codes, A.levels)
    whole = Factor("one", np.zeros(N, dtype=int), ("all",))
    found = slice_scores(RNG.random(N), [A, twin, whole], smallest=5)
    assert not found.is_pair.any()
    assert len(found.groups) == 6
    small = slice_scores(RNG.random(N), [A, B], smallest=80)
    assert (small.n >= 80).all()
    assert small.too_small == 11 - len(small.groups)
    assert not slice_scores(RNG.random(N), [A], smallest=N).groups


def test_chance_alone_is_rarely_called_a_group():
    claims = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        factors = [Factor(name, rng.integers(0, 4, 200), tuple("wxyz")) for name in "abc"]
        found = slice_scores(rng.random(200) < 0.9, factors, better="higher", smallest=5)
        claims += bool((found.adjusted < 0.05).any())
    assert claims <= 16  # 5 % of 200, and what chance adds to that


def test_fisher_stands_at_its_ends():
    assert fisher_exact([0, 4], [4, 4], 4, 8) == pytest.approx([2 / 70, 2 / 70])
    assert fisher_exact([5], [5], 10, 10) == pytest.approx([1.0])


def test_every_row_lies_in_one_bin_and_missing_values_in_their_own():
    values = np.array([1.0, 2, 3, 4, 5, 6, 7, np.nan])
    bins = of_numbers("v", values, 2)
    assert bins.levels == ("< 4", "≥ 4", "missing")
    assert bins.codes.tolist() == [0, 0, 0, 1, 1, 1, 1, 2]
    assert of_numbers("v", np.array([2.0, 1, 2, np.nan]), 4).levels == ("1", "2", "missing")
    assert of_numbers("v", np.r_[np.zeros(90), 1.0, 2.0, 3.0], 3).levels == ("< 1", "≥ 1")
    names = of_levels("v", np.array([0.0, 1, 1, 2, np.nan]), ("a", "b", "c"), 1)
    assert names.levels == ("b", "other levels", "missing")
    assert names.codes.tolist() == [1, 0, 0, 1, 2]


def test_fairness_is_that_of_the_counts():
    y, d = RNG.integers(0, 2, N), RNG.integers(0, 2, N)
    chance = RNG.random(N)
    rates = {rate.name: rate for rate in fairness_rates(y, d, A.codes, chance)}
    for g in range(3):
        t, s, p = y[A.codes == g], d[A.codes == g], chance[A.codes == g]
        assert rates["base_rate"].value[g] == pytest.approx(t.mean())
        assert rates["selection_rate"].value[g] == pytest.approx(s.mean())
        assert rates["true_positive_rate"].value[g] == pytest.approx(s[t == 1].mean())
        assert rates["false_positive_rate"].value[g] == pytest.approx(s[t == 0].mean())
        assert rates["precision"].value[g] == pytest.approx(t[s == 1].mean())
        assert rates["calibration_error"].value[g] == pytest.approx((t - p).mean())
        # The definition that ties the rates of every group together (Chouldechova 2017).
        implied = implied_false_positive_rate(
            rates["base_rate"].value[[g]], rates["precision"].value[g],
            rates["true_positive_rate"].value[g],
        )  # fmt: skip
        assert implied == pytest.approx(rates["false_positive_rate"].value[[g]])
    share = rates["selection_rate"]
    largest = int(np.bincount(A.codes).argmax())
    assert share.difference == pytest.approx(share.value - share.value[largest])
    assert share.ratio == pytest.approx(share.value / share.value[largest])
    assert four_fifths(share.value) == pytest.approx(share.value.min() / share.value.max())


def test_a_difference_has_newcombes_interval():
    """56 of 70 against 48 of 80: 0.0524 to 0.3339 (Newcombe 1998, table II, method 10)."""
    d = np.r_[np.ones(48), np.zeros(32), np.ones(56), np.zeros(14)]
    codes = np.r_[np.zeros(80, int), np.ones(70, int)]
    rate = fairness_rates(d, d, codes)[1]
    assert (rate.difference_low[1], rate.difference_high[1]) == pytest.approx(
        (0.0524, 0.3339), abs=5e-5
    )


def test_groups_of_a_model_that_learned_by_heart_are_scored_on_rows_left_out():
    """One neighbour is right on every training row: scored on these no group would err."""
    source = lookup("source", "blobs")(n_samples=150, n_features=2, cluster_std=8.0)
    run = Run(data=TableData(source=source), method=lookup("classification", "knn")(n_neighbors=1))
    dataset = run.data.dataset()
    found = carried_out(Explanation.of(run, SlicesQuestion())).joined.scores
    right = np.zeros(dataset.n)
    for split in splits_of(run, dataset):
        model = model_of(run, dataset, split)
        right[split.test] = model.decisions(dataset.X[split.test]) == dataset.y[split.test]
        assert (model.decisions(dataset.X[split.train]) == dataset.y[split.train]).all()
    assert found.overall == pytest.approx(right.mean())
    assert found.overall < 0.9
    assert found.score.max() < 1.0


@pytest.mark.parametrize("question", [SlicesQuestion(), FairnessQuestion(protected="sex")])
@pytest.mark.parametrize("data", ["penguins", "cars"])
def test_what_a_run_has_is_what_the_question_finds_anew(question, data):
    method = "lda" if data == "penguins" else "ridge"
    run = Run(data=data, method=method, evaluation=KFold(n_splits=3, n_repeats=2))
    if data == "cars" and isinstance(question, FairnessQuestion):
        question = FairnessQuestion(protected="origin")
    asked: AnyRun = Explanation.of(run, question)
    assert from_json(asked.to_json()) == asked
    given = of_folds(asked, run_carried_out(run).folds)
    anew = carried_out(asked)
    assert carry_explanation.fingerprint(given) == carry_explanation.fingerprint(anew)
    assert carry_explanation.report(given) == carry_explanation.report(anew)


def test_columns_that_are_no_variables_give_groups_and_a_row_counts_once():
    data = TableData(
        roles=(("sex", "ignore"),), source=lookup("source", "bundled")(name="penguins")
    )
    run = Run(data=data, method="lda", evaluation=KFold(n_splits=3, n_repeats=2))
    dataset = run.data.dataset()
    assert "sex" not in [column.name for column in dataset.columns]
    assert "sex" in groupable(dataset)
    assert str(dataset.target) not in groupable(dataset)
    found = carried_out(Explanation.of(run, SlicesQuestion(columns=("sex",)))).joined
    assert found.not_variables == ("sex",)
    assert found.scores.n.sum() <= dataset.n
    fair = carried_out(Explanation.of(run, FairnessQuestion(protected="sex"))).joined
    assert not fair.is_variable
    assert fair.n.sum() <= dataset.n


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (SlicesQuestion(columns=("beak",)), "cannot be grouped by 'beak'"),
        (SlicesQuestion(columns=("species",)), "cannot be grouped by 'species'"),
        (SlicesQuestion(measure="rmse"), "RMSE is no measure of this target"),
        (SlicesQuestion(columns=("sex",) * 13), "at most 12 columns"),
        (FairnessQuestion(protected="beak"), "cannot be grouped by 'beak'"),
        (FairnessQuestion(positive="Emperor"), "no class 'Emperor'"),
    ],
)
def test_a_question_that_does_not_fit_is_refused_in_a_sentence(question, sentence):
    run = Explanation.of(PENGUINS, question)
    assert sentence in str(does_not_apply(run, PENGUINS.data.dataset()))
    with pytest.raises(DataError, match=sentence):
        carried_out(run)


def test_a_method_without_probabilities_says_so_where_they_are_judged():
    run = Run(data="iris", method="perceptron")
    outcome = carried_out(Explanation.of(run, SlicesQuestion(measure="log_loss")))
    assert "needs probabilities" in outcome.failure
    assert outcome.joined is None
