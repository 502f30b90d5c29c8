"""What is said of the methods of a comparison: pairs, families, verdicts, ranks over tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.evaluation.comparing.bayes import bayesian_correlated_t
from mlcore.evaluation.comparing.five_by_two import five_by_two
from mlcore.evaluation.comparing.paired import corrected_resampled_t, naive_paired_t
from mlcore.evaluation.comparing.verdict import ALPHA
from mlcore.evaluation.comparing.wilcoxon import wilcoxon_signed_rank
from mlcore.evaluation.splits import HoldOut, KFold, LeaveOneOut
from mlcore.neighbours.knn import KNNClassifier
from mlcore.reduction.pca import PCA
from mlcore.runs.carry_comparison import carried_out, carry_out, so_far
from mlcore.runs.comparing.one_split import paired_delong
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.pairs import BASELINE, ROPE, compare_methods, metric_of, same_mean
from mlcore.runs.comparing.tables import over_tables, score_table
from mlcore.runs.comparing.teaching import taught
from mlcore.runs.run import Comparison
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.wording import number
from tests.contract.subjects import is_sentence

WINE = Comparison(
    data="wine",
    methods=("lda", "decision_tree", "naive_bayes", "lda"),
    evaluation=KFold(n_splits=5, n_repeats=2),
)
NUMBERS = Comparison(data="diabetes", methods=("ridge", "linear_regression", "knn_regression"))
TABLES = Comparison(
    data="iris",
    methods=("lda", "knn", "decision_tree"),
    evaluation=HoldOut(),
    more=("wine", "moons", "xor", "penguins"),
)


@cache
def outcome(run: Comparison) -> ComparisonOutcome:
    """Every test looks at the same few comparisons."""
    return carried_out(run)


def truth(run: Comparison) -> np.ndarray:
    """The codes of all rows."""
    return run.data.dataset().y


def test_every_pair_is_tested_on_equal_folds():
    found = compare_methods(outcome(WINE), truth=truth(WINE))
    assert [(p.first.which, p.second.which) for p in found.pairs] == [
        (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)
    ]  # fmt: skip
    assert found.rope == ROPE
    assert found.planned == 10
    pair = found.pairs[0]
    one, other = (outcome(WINE).entrants[k].outcome for k in (0, 1))
    d = one.values("accuracy") - other.values("accuracy")
    np.testing.assert_allclose(pair.differences, d, atol=1e-15)
    sizes = [np.array([len(getattr(f, of)) for f in one.done]) for of in ("train", "test")]
    # Five of the six pairs are tested: two methods are the same.
    assert pair.test == corrected_resampled_t(d, *sizes, level=1 - ALPHA / 5)
    assert pair.posterior == bayesian_correlated_t(d, *sizes, rope=ROPE)


def test_p_values_are_adjusted_for_the_pairs_that_are_shown():
    for against in ("all", "best", "baseline", 1):
        found = compare_methods(outcome(WINE), against=against)
        every = (*found.pairs, *filter(None, [found.beside_nothing]))
        assert found.together == sum(pair.test is not None for pair in every)
        raw = [p.test.p if p.test else np.nan for p in every]
        adjusted = np.minimum(1.0, found.together * np.array(raw))
        np.testing.assert_allclose([p.p for p in every], adjusted)
    assert len(compare_methods(outcome(WINE), against="best").pairs) == 3
    assert {p.first.which for p in compare_methods(outcome(WINE), against=1).pairs} == {1}
    assert {p.second.which for p in compare_methods(outcome(WINE), against="baseline").pairs} == {
        BASELINE
    }


@pytest.mark.parametrize("run", [WINE, NUMBERS], ids=["classes", "numbers"])
@pytest.mark.parametrize("against", ["all", "best", "baseline"])
def test_a_verdict_is_one_of_three_and_a_sentence(run, against):
    found = compare_methods(outcome(run), against=against)
    assert is_sentence(found.headline)
    for pair in found.pairs:
        assert is_sentence(pair.verdict.sentence)
        if pair.test is None:
            continue
        # The interval that stands beside the verdict says the same as it, and as the p-value.
        low, high, rope = pair.test.low, pair.test.high, found.rope
        assert (pair.p < ALPHA) == (not low <= 0 <= high)
        equal = -rope <= low and high <= rope
        kind = "equal" if equal else "better" if low > 0 else "worse" if high < 0 else "unknown"
        assert pair.verdict.kind == kind


def test_a_clear_difference_is_said_with_its_interval():
    found = compare_methods(outcome(WINE), against="baseline")
    assert {pair.verdict.kind for pair in found.pairs} == {"better"}
    assert found.pairs[0].verdict.sentence.startswith(
        "Linear discriminant analysis beats the baseline (largest class) by 0.5"
    )
    assert "(95 % interval 0.5" in found.pairs[0].verdict.sentence
    assert found.headline.startswith("The baseline (largest class): Accuracy 0.399 on 10 folds. It")
    assert "worse than Linear" in found.headline


def test_equal_predictions_need_no_test():
    pair = compare_methods(outcome(WINE)).pairs[2]
    assert (pair.test, pair.posterior, pair.verdict.kind) == (None, None, "equal")
    assert "same predictions on all folds" in pair.verdict.sentence


def test_methods_of_the_same_mean_share_it():
    found = compare_methods(outcome(WINE), against="best")
    twice = [e.label for e in outcome(WINE).entrants if e.label.startswith("Linear")]
    assert found.headline.startswith(f"{twice[0]} has the best mean: Accuracy ")
    assert f" folds, and so has {twice[1]}." in found.headline


@pytest.mark.parametrize(
    ("means", "same"),
    [
        ((0.3, 0.1 + 0.2), True),
        ((0.3, 0.3001), False),
        ((np.nan, 0.3), False),
        ((np.nan, np.nan), False),
    ],
)
def test_only_rounding_is_no_difference_of_means(means, same):
    assert same_mean(*means, baseline=np.nan) is same
    assert same_mean(1e-30, 1e-28, baseline=1.0)  # two errors of nothing


def test_a_lower_error_is_better():
    found = compare_methods(outcome(NUMBERS), against="baseline")
    assert found.metric.better == "lower"
    assert all((pair.differences > 0).all() for pair in found.pairs)
    base = outcome(NUMBERS).entrants[0].outcome.mean("rmse", "baseline")
    assert found.rope == pytest.approx(0.01 * base)
    assert compare_methods(outcome(NUMBERS), "r2").rope == ROPE
    assert compare_methods(outcome(NUMBERS), rope=3.0).pairs[0].posterior.rope == 3.0


def test_practically_equal_methods_are_called_so():
    found = compare_methods(outcome(NUMBERS), rope=20.0).pairs[0]
    assert found.verdict.kind == "equal"
    assert "equal for practical purposes" in found.verdict.sentence


def test_rows_that_only_one_gets_right_are_counted_once():
    found = compare_methods(outcome(WINE), truth=truth(WINE)).pairs[0]
    y, n_folds = truth(WINE), 5
    right = [np.zeros(len(y), bool) for _ in range(2)]
    for k, which in enumerate((0, 1)):
        for fold in outcome(WINE).entrants[which].outcome.folds[:n_folds]:
            right[k][fold.test] = fold.predictions == y[fold.test]
    np.testing.assert_array_equal(found.rows.first, np.flatnonzero(right[0] & ~right[1]))
    np.testing.assert_array_equal(found.rows.second, np.flatnonzero(right[1] & ~right[0]))
    assert (found.mcnemar.b, found.mcnemar.c) == (len(found.rows.first), len(found.rows.second))
    assert found.rows.n == len(y)


def test_rows_are_not_counted_of_numbers_or_of_the_baseline():
    numbers = compare_methods(outcome(NUMBERS), truth=truth(NUMBERS))
    assert {pair.mcnemar for pair in numbers.pairs} == {None}
    base = compare_methods(outcome(WINE), against="baseline", truth=truth(WINE))
    assert {pair.mcnemar for pair in base.pairs} == {None}


def test_the_number_of_a_group_is_not_compared_with_a_class():
    groups = Comparison(data="iris", methods=("kmeans", KMeans(n_clusters=4)))
    found = compare_methods(carried_out(groups), truth=truth(groups))
    assert [pair.mcnemar for pair in found.pairs] == [None]


def test_after_a_stop_only_common_folds_count():
    events = list(carry_out(WINE))
    half = so_far(WINE, events[: 4 + 4 * 6 + 1])  # six folds of all, one more of the first
    found = compare_methods(half)
    assert [len(entrant.outcome.done) for entrant in half.entrants] == [7, 6, 6, 6]
    assert {pair.ks for pair in found.pairs} == {tuple(range(6))}
    whole = compare_methods(outcome(WINE)).pairs[0].test
    assert found.pairs[0].test.df == 5 < whole.df


@pytest.mark.parametrize(("splits", "why"), [(HoldOut(), "at least 3"), (LeaveOneOut(), "single")])
def test_without_an_honest_spread_there_is_no_test(splits, why):
    few = replace(WINE, data="iris", methods=("lda", KNNClassifier(n_neighbors=1)))
    pair = compare_methods(carried_out(replace(few, evaluation=splits))).pairs[0]
    assert (pair.test, pair.verdict.kind) == (None, "untested")
    assert pair.verdict.sentence.startswith("There is no test of ")
    assert why in pair.verdict.sentence


@pytest.mark.parametrize("against", ["all", "best", "baseline"])
def test_a_score_of_training_rows_is_not_tested_and_the_reason_is_told(against):
    five = KMeans(n_clusters=5)
    groups = Comparison(data="iris", methods=("kmeans", five))
    found = compare_methods(carried_out(groups), "silhouette", against=against)
    every = (*found.pairs, *filter(None, [found.beside_nothing]))
    assert {(pair.test, pair.verdict.kind) for pair in every} == {(None, "untested")}
    told = " ".join([found.headline, *(pair.verdict.sentence for pair in every)])
    assert "No test is made of it and " in found.headline and "cannot tell" not in told
    beside = found.beside_nothing
    said = found.headline if beside is None else beside.verdict.sentence
    assert "is measured on training rows" in said


def test_rows_of_groups_are_not_taken_for_independent():
    run = replace(WINE, evaluation=HoldOut(), methods=("lda", "decision_tree"))
    groups = np.arange(len(truth(run))) % 9
    known = {"truth": truth(run), "groups": groups}
    pair = compare_methods(outcome(run), "accuracy", **known).pairs[0]
    apart = {group for row in (*pair.rows.first, *pair.rows.second) for group in [groups[row]]}
    assert pair.mcnemar.n_groups == len(apart) < len(pair.rows.first) + len(pair.rows.second)
    assert "McNemar's test with the signs of 9 groups" in pair.remark


def test_of_one_split_it_is_said_what_holds_of_the_fits():
    run = replace(WINE, data="breast_cancer", methods=("lda", "knn", "svc"), evaluation=HoldOut())
    found, y = carried_out(run), truth(run)
    pair = compare_methods(found, truth=y).pairs[0]
    assert (pair.test, pair.verdict.kind) == (None, "untested")
    by = pair.first.folds[0].scores["accuracy"] - pair.second.folds[0].scores["accuracy"]
    assert f"they differ by {number(by)}, p = {pair.mcnemar.p:.2g} by McNemar" in pair.remark
    areas, unranked = compare_methods(found, "roc_auc", truth=y).pairs[:2]
    fold, other = (side.folds[0] for side in (areas.first, areas.second))
    theirs = paired_delong(y[fold.test], fold.probabilities[:, 1], other.probabilities[:, 1])
    assert f"p = {theirs.p:.2g} by DeLong" in areas.verdict.sentence
    assert theirs.difference == pytest.approx(fold.scores["roc_auc"] - other.scores["roc_auc"])
    assert "As they are fitted" not in unranked.verdict.sentence  # it gives no probabilities
    assert all(is_sentence(p.verdict.sentence) for p in compare_methods(found, truth=y).pairs)
    assert "As they are fitted" not in compare_methods(found).pairs[0].verdict.sentence


def test_a_score_that_a_method_lacks_leaves_its_pairs_untested():
    run = replace(WINE, data="iris", methods=("lda", "svc"))
    pair = compare_methods(carried_out(run), "log_loss").pairs[0]
    assert pair.test is None
    assert "no fold in common" in pair.verdict.sentence


def test_methods_that_fail_are_left_out():
    found = compare_methods(carried_out(replace(WINE, methods=("ridge", "lda", "naive_bayes"))))
    assert [(p.first.which, p.second.which) for p in found.pairs] == [(1, 2)]


def test_a_single_method_with_scores_has_no_pairs():
    found = compare_methods(carried_out(replace(WINE, methods=("ridge", "lda"))))
    assert found.pairs == ()
    assert found.headline.startswith("Linear discriminant analysis is the only method with scores")


def test_what_is_not_there_is_refused_in_a_sentence():
    with pytest.raises(ParamError, match="Did you mean 'accuracy'"):
        metric_of(outcome(WINE), "acuracy")
    with pytest.raises(ParamError, match="against all, best, baseline"):
        compare_methods(outcome(WINE), against=7)
    nothing = so_far(WINE, list(carry_out(WINE))[:2])
    with pytest.raises(DataError, match="nothing to compare"):
        compare_methods(nothing)


# -------------------------------------------------------------------------------- several tables


def test_ranks_come_from_the_mean_scores_of_every_table():
    found = over_tables(outcome(TABLES))
    assert found.names == ("Iris", "Wine", "Moons", "XOR", "Palmer penguins")
    for t, entrants in enumerate(outcome(TABLES).sets):
        for k, entrant in enumerate(entrants):
            assert found.scores[t, k] == pytest.approx(entrant.outcome.mean("accuracy"))
    assert found.complete.all()
    assert found.friedman is not None and found.posthoc is not None
    assert is_sentence(found.sentence)
    np.testing.assert_allclose(found.mean_ranks, found.ranks.mean(axis=0))


def test_few_tables_have_ranks_and_the_reason_why_there_is_no_test():
    run = replace(TABLES, more=("wine",))
    found = over_tables(carried_out(run))
    assert found.friedman is None
    assert found.ranks.shape == (2, 3)
    assert found.sentence.startswith("Ranks only: with 2 tables")


def test_two_methods_are_compared_by_signed_ranks_from_six_tables_on():
    two = replace(TABLES, methods=("lda", "decision_tree"))
    found = over_tables(carried_out(two))
    assert found.wilcoxon is None
    assert "needs 6" in found.sentence
    found = over_tables(carried_out(replace(two, more=(*TABLES.more, "blobs"))))
    assert found.wilcoxon is not None
    assert is_sentence(found.sentence)


def test_a_table_without_some_score_is_left_out_of_the_ranks():
    found = over_tables(carried_out(replace(TABLES, more=("diabetes", "wine"))))
    assert found.complete.tolist() == [True, False, True]
    assert np.isnan(found.scores[1]).all()
    assert len(found.ranks) == 2


def test_a_table_that_stands_there_twice_counts_once():
    found = over_tables(carried_out(replace(TABLES, more=("wine", "iris", "wine"))))
    assert found.complete.tolist() == [True, True, False, False]
    np.testing.assert_array_equal(found.scores[0], found.scores[2])


def test_without_a_complete_table_there_are_no_ranks():
    run = replace(TABLES, methods=("lda", "ridge"), more=())
    found = over_tables(carried_out(run))
    assert found.sentence.startswith("There are no ranks")
    assert np.isnan(found.mean_ranks).all()


def test_pairs_over_tables_can_be_compared_in_two_ways():
    assert over_tables(outcome(TABLES), posthoc="wilcoxon_holm").posthoc.critical_difference is None
    with pytest.raises(ParamError, match="nemenyi, wilcoxon_holm"):
        over_tables(outcome(TABLES), posthoc="tukey")


def test_scores_that_differ_by_rounding_tie():
    found = score_table(outcome(TABLES), metric_of(outcome(TABLES)))
    assert (found == [[float(f"{value:.12g}") for value in row] for row in found]).all()


# -------------------------------------------------------------------------------- for teaching


def test_what_is_for_teaching_says_how_far_off_it_is():
    pair = compare_methods(outcome(WINE)).pairs[0]
    naive, signed = taught(pair)
    assert naive.p == naive_paired_t(pair.differences).p < pair.test.p
    assert signed.p == wilcoxon_signed_rank(pair.differences).p
    assert all("not in 5 %" in found.remark for found in (naive, signed))
    assert taught(compare_methods(outcome(WINE)).pairs[2]) == ()  # equal predictions


def test_halves_five_times_over_have_tests_of_their_own():
    run = replace(WINE, methods=("lda", "knn"), evaluation=KFold(n_splits=2, n_repeats=5))
    pair = compare_methods(carried_out(run)).pairs[0]
    found = five_by_two(pair.differences.reshape(5, 2))
    assert [t.p for t in taught(pair)[2:]] == [found.p_t, found.p_f]
    ten = replace(run, evaluation=KFold(n_splits=10))
    assert len(taught(compare_methods(carried_out(ten)).pairs[0])) == 2


def test_more_coordinates_or_centers_than_others_have_are_told_of_the_best():
    """All components reconstruct without an error: no news about the method."""
    maps = PCA(), PCA(n_components=2)
    found = outcome(Comparison(data="iris", methods=maps, evaluation=HoldOut()))
    alone = "More coordinates improve this score by themselves, and the best has 4 where another"
    assert alone in compare_methods(found, "reconstruction_error").headline
    equal = outcome(Comparison(data="iris", methods=maps[1:] * 2, evaluation=HoldOut()))
    assert "More" not in compare_methods(equal, "reconstruction_error").headline
    groups = tuple(KMeans(n_clusters=k, n_init=1) for k in (2, 3))
    counted = outcome(Comparison(data="iris", methods=groups, evaluation=HoldOut()))
    assert "the best has 3 where another has 2" in compare_methods(counted).headline
    assert "More" not in compare_methods(counted, "silhouette").headline
