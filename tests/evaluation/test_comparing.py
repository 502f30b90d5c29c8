"""Comparison tests: numbers known from print and by hand, degenerate cases, symmetries."""

from __future__ import annotations

from itertools import product
from math import factorial, inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm

from mlcore.evaluation.comparing.bayes import bayesian_correlated_t, density
from mlcore.evaluation.comparing.differences import between
from mlcore.evaluation.comparing.five_by_two import five_by_two
from mlcore.evaluation.comparing.friedman import friedman, from_chi2, ranks_of, too_few
from mlcore.evaluation.comparing.holm import holm
from mlcore.evaluation.comparing.mcnemar import mcnemar, mcnemar_of_groups, one_right
from mlcore.evaluation.comparing.nemenyi import (
    cliques,
    critical_difference,
    nemenyi,
    studentised_range,
    wilcoxon_holm,
)
from mlcore.evaluation.comparing.paired import corrected_resampled_t, naive_paired_t
from mlcore.evaluation.comparing.verdict import verdict
from mlcore.evaluation.comparing.wilcoxon import wilcoxon_signed_rank
from mlcore.runs.comparing.one_split import paired_delong
from mlcore.spine.errors import DataError, ParamError
from tests.contract.subjects import is_sentence, refusal

D = np.array([0.02, 0.05, -0.01, 0.03, 0.04, 0.0, 0.06, 0.01, 0.02, 0.03])
TIES = [(0.9, 0.9, 0.8), (0.7, 0.6, 0.6), (0.5, 0.4, 0.3), (0.8, 0.8, 0.8)]
# Demsar (2006), JMLR 7, table 6: the AUC of four forms of C4.5 on 14 tables.
DEMSAR = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


def test_the_corrected_t_test_gives_the_known_numbers():
    found = corrected_resampled_t(D, 90, 10)
    assert found.statistic == pytest.approx(2.503867, abs=1e-6)
    assert found.p == pytest.approx(0.033648, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((0.002413, 0.047587), abs=1e-6)
    assert naive_paired_t(D).p == pytest.approx(0.005417, abs=1e-6)


def test_the_posterior_gives_the_known_numbers():
    found = bayesian_correlated_t(D, 90, 10, rope=0.01)
    known = (0.003333, 0.080298, 0.916369)
    assert (found.worse, found.same, found.better) == pytest.approx(known, abs=1e-6)
    without = bayesian_correlated_t(D, 90, 10, rope=0.0).better
    assert without == pytest.approx(0.983176, abs=1e-6)  # 1 - p / 2
    at = np.linspace(-0.3, 0.3, 20_001)
    mass = density(found, at) * (at[1] - at[0])
    assert mass.sum() == pytest.approx(1, abs=1e-6)
    # The sum over steps of 3e-5 misses up to one step at the edge of the rope, of density 30.
    assert mass[at > 0.01].sum() == pytest.approx(found.better, abs=1e-3)


@pytest.mark.parametrize(("b", "c"), [(6, 16), (0, 3), (4, 4), (0, 0)])
def test_groups_of_one_row_are_mcnemars_exact_test(b, c):
    p = mcnemar_of_groups(np.arange(b), np.arange(b, b + c))
    assert p == pytest.approx(mcnemar(b, c).exact, rel=1e-12)


def test_rows_of_few_groups_weigh_as_their_groups():
    """Groups 0 to 2 are 5, 4 and 1 rows for the first, group 3 is 2 for the second: of 16 signs
    +-5 +-4 +-1 +-2 the sums 8 (+++-), 10 (++-+), 12 and their opposites are as far from 0."""
    first, second = np.repeat([0, 1, 2], [5, 5, 1]), np.repeat([1, 3], [1, 2])
    assert mcnemar_of_groups(first, second) == pytest.approx(6 / 16)
    assert mcnemar(len(first), len(second)).p < 0.06  # as if rows were independent


def test_many_groups_come_near_the_sum_over_the_root_of_squares():
    of_all = np.random.default_rng(0).poisson(3, size=(2, 450))
    first, second = (np.repeat(np.arange(450), k) for k in of_all)
    d = of_all[0] - of_all[1]
    by_law = 2 * norm.sf((abs(d.sum()) - 1) / np.sqrt((d**2).sum()))
    assert mcnemar_of_groups(first, second) == pytest.approx(by_law, abs=2e-3)
    more = np.concatenate([first, first + 1000]), np.concatenate([second, second + 1000])
    assert mcnemar_of_groups(*more) == pytest.approx(
        2 * norm.sf(abs(2 * d.sum()) / np.sqrt(2 * (d**2).sum()))
    )


def test_mcnemar_gives_the_known_numbers():
    found = mcnemar(6, 16)
    assert found.exact == found.p == pytest.approx(0.052479, abs=1e-6)
    assert found.mid == pytest.approx(0.034690, abs=1e-6)
    assert (found.chi2, found.p_chi2) == pytest.approx((3.681818, 0.055009), abs=1e-6)
    many = mcnemar(20, 30)
    assert many.p == many.p_chi2


def test_holm_gives_the_known_numbers():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.01, np.nan, 0.03]), [0.02, np.nan, 0.03])
    assert holm([]).shape == (0,)
    assert is_sentence(refusal(holm, [0.5, 1.2]))


def test_five_by_two_gives_the_known_numbers():
    d = [(0.02, 0.04), (0.01, 0.03), (0.05, -0.01), (0.02, 0.02), (0.03, 0)]
    found = five_by_two(d)
    assert found.t == pytest.approx(0.868744, abs=1e-6)
    assert (found.f, found.p_f) == pytest.approx((1.377358, 0.380527), abs=1e-6)
    assert "no spread" in refusal(five_by_two, np.ones((5, 2)))
    assert "shape (10,)" in refusal(five_by_two, np.ones(10))


# -------------------------------------------------------------------------------------- ranks


def test_demsars_mean_ranks_give_his_statistics():
    ranks = np.tile(np.array([44, 28, 40.5, 27.5]) / 14, (14, 1))
    chi2 = 12 * 14 / (4 * 5) * ((ranks[0] - 2.5) ** 2).sum()
    found = from_chi2(ranks, chi2)
    assert (found.chi2, found.f, found.p) == pytest.approx((9.278571, 3.686313, 0.019823), abs=1e-6)
    assert critical_difference(4, 14) == pytest.approx(1.253559, abs=1e-6)
    assert critical_difference(4, 14, alpha=0.1) == pytest.approx(1.118060, abs=1e-6)


def test_demsars_table_gives_his_ranks_and_groups():
    found = friedman(DEMSAR)
    # He rounds to three digits, and prints 3.143, 2.000, 2.893 and 1.964.
    np.testing.assert_allclose(found.mean, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    # He leaves ties uncorrected; with the correction chi-squared is larger.
    assert found.chi2 > 9.28
    assert found.p < 0.05
    pairs = nemenyi(found.ranks, alpha=0.1)
    assert pairs.critical_difference == pytest.approx(1.12, abs=5e-3)
    # At 10 %: plain C4.5 differs from both forms with a tuned m; nothing else is told apart.
    assert pairs.cliques == ((3, 1, 2), (2, 0))
    assert pairs.p[0, 1] < 0.1 and pairs.p[0, 3] < 0.1 and pairs.p[0, 2] > 0.1


def test_quantiles_of_the_studentised_range_are_those_of_the_tables():
    known = {2: 1.960, 3: 2.344, 4: 2.569, 5: 2.728, 6: 2.850, 10: 3.164}
    for k, q in known.items():
        assert critical_difference(k, 1) / sqrt(k * (k + 1) / 6) == pytest.approx(q, abs=6e-4)


def test_ties_are_corrected_for():
    found = friedman(TIES)
    assert found.chi2 == pytest.approx(5.0)
    np.testing.assert_array_equal(found.ranks[0], [1.5, 1.5, 3])
    uncorrected = 12 * 4 / (3 * 4) * ((found.mean - 2) ** 2).sum()
    assert uncorrected == pytest.approx(3.125)


def test_all_ties_are_no_order():
    found = friedman(np.ones((6, 3)))
    assert (found.p, found.chi2, found.f) == (1, 0, 0)
    assert is_sentence(found.remark)
    assert nemenyi(found.ranks).cliques == ((0, 1, 2),)


def test_tables_that_all_agree_are_as_rare_as_that_is():
    found = friedman(np.tile([0.9, 0.8, 0.7], (6, 1)))
    assert found.f == inf
    assert found.p == pytest.approx(1 / factorial(3) ** 5)
    assert is_sentence(found.remark)


@pytest.mark.parametrize(
    ("n", "k", "word"), [(4, 3, "4 tables"), (1, 3, "1 table "), (9, 2, "Wil")]
)
def test_few_tables_or_methods_are_not_tested(n, k, word):
    assert word in str(too_few(n, k))
    assert is_sentence(str(too_few(n, k)))
    assert too_few(5, 3) is None


def test_lower_scores_can_be_the_better_ones():
    np.testing.assert_array_equal(ranks_of([(3.0, 1.0, 2.0)], better="lower"), [[3, 1, 2]])
    np.testing.assert_array_equal(ranks_of([(3.0, 1.0, 2.0)], better="higher"), [[1, 3, 2]])
    assert is_sentence(refusal(ranks_of, [(1.0, np.nan)]))


def test_groups_may_overlap_and_a_method_may_stand_alone():
    mean = np.array([1.0, 2.0, 3.0, 9.0])
    apart = np.abs(mean[:, None] - mean)
    assert cliques(mean, apart > 1) == ((0, 1), (1, 2))
    assert cliques(mean, apart > 2) == ((0, 1, 2),)
    assert cliques(mean, apart > 0) == ()


def test_pairs_by_wilcoxon_do_not_depend_on_the_other_methods():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(12, 3)) + np.array([0, 0.2, 2])
    found = wilcoxon_holm(scores)
    alone = [wilcoxon_signed_rank(scores[:, i] - scores[:, j]).p for i, j in ((0, 1), (0, 2))]
    assert found.p[0, 1] == pytest.approx(alone[0])  # the largest of three is not adjusted
    assert found.p[0, 2] <= 3 * alone[1] + 1e-15
    assert [sorted(clique) for clique in found.cliques] == [[0, 1]]
    assert found.critical_difference is None


def test_signed_ranks_count_every_choice_of_signs():
    d = np.array([3.0, -1.0, 2.0, 2.0, 0.0, 5.0])  # a zero, which counts for nothing, and a tie
    found = wilcoxon_signed_rank(d)
    ranks = np.array([4, 1, 2.5, 2.5, 5])
    sums = [ranks[np.array(signs) > 0].sum() for signs in product((-1, 1), repeat=5)]
    assert (found.plus, found.minus, found.n) == (14, 1, 5)
    assert found.p == pytest.approx(2 * np.mean(np.array(sums) <= 1))
    assert wilcoxon_signed_rank([0.0, 0.0]).p == 1


def test_many_signed_ranks_are_nearly_normal():
    d = np.random.default_rng(1).normal(0.2, size=51)
    exact, normal = wilcoxon_signed_rank(d[:50]).p, wilcoxon_signed_rank(d).p
    assert normal == pytest.approx(exact, rel=0.5)  # one number more, and the approximation


# ---------------------------------------------------------------------------------- degenerate


def test_no_difference_at_all_is_certain_equality():
    test, posterior = corrected_resampled_t(np.zeros(5), 80, 20), bayesian_correlated_t(
        np.zeros(5), 80, 20
    )  # fmt: skip
    assert (test.p, test.low, test.high, test.statistic) == (1, 0, 0, 0)
    assert (posterior.worse, posterior.same, posterior.better) == (0, 1, 0)
    assert is_sentence(test.remark)


@pytest.mark.parametrize("by", [0.1, -0.1])
def test_folds_that_all_move_alike_are_as_sure_as_can_be(by):
    d = np.full(5, 0.9) - (0.9 - by)
    test, posterior = corrected_resampled_t(d, 80, 20), bayesian_correlated_t(d, 80, 20)
    assert test.p == 0
    assert test.statistic == np.sign(by) * inf
    assert is_sentence(test.remark)
    assert (posterior.worse, posterior.better) == (by < 0, by > 0)
    said = verdict("A", "B", test, test.p)
    assert said.kind == ("better" if by > 0 else "worse")
    assert "p < 1e-16" in said.sentence
    assert "−" not in said.sentence


def test_rounding_is_no_difference():
    a = np.array([0.1 + 0.2, 0.5])
    np.testing.assert_array_equal(between(a, np.array([0.3, 0.4]), "higher"), [0, 0.5 - 0.4])
    np.testing.assert_array_equal(between(a, np.array([0.3, 0.4]), "lower"), [0, 0.4 - 0.5])


def test_a_mean_that_is_rounding_is_nothing():
    d = np.array([0.1, 0.2, -0.3])  # of which the sum is 2.8e-17
    assert d.mean() != 0
    test, posterior = corrected_resampled_t(d, 80, 20), bayesian_correlated_t(d, 80, 20)
    assert (test.difference, test.p, posterior.center) == (0, 1, 0)
    assert "difference is 0.000 (95 %" in verdict("A", "B", test, 1.0).sentence


def test_adjusted_intervals_and_p_values_are_called_so():
    test, wide = (
        corrected_resampled_t(D, 90, 10),
        corrected_resampled_t(D, 90, 10, level=1 - 0.05 / 3),
    )
    assert verdict("A", "B", test, test.p).sentence == (
        "A beats B by 0.025 (95 % interval 0.002 to 0.048), p = 0.034."
    )
    of_three = verdict("A", "B", wide, 3 * wide.p, together=3)
    assert of_three.kind == "unknown"
    assert of_three.sentence.endswith("p = 0.1, both adjusted for 3 comparisons.")


def test_a_verdict_says_what_its_interval_says():
    test = corrected_resampled_t(D, 90, 10)  # 0.0024 to 0.0476
    assert verdict("A", "B", test, test.p, rope=0.01).kind == "better"
    assert "less than matters" in verdict("A", "B", test, test.p, rope=0.01).sentence
    assert "less than matters" not in verdict("A", "B", test, test.p, rope=0.002).sentence
    assert verdict("A", "B", test, test.p, rope=0.05).kind == "equal"
    turned = corrected_resampled_t(-D, 90, 10)
    worse = verdict("A", "B", turned, turned.p)
    assert worse.kind == "worse"
    assert worse.sentence.startswith("B beats A by 0.025 (95 % interval 0.002 to")


@pytest.mark.parametrize("d", [[0.1, 0.2], [0.1, np.nan, 0.2], [[0.1, 0.2, 0.3]]])
@pytest.mark.parametrize("test", [corrected_resampled_t, bayesian_correlated_t])
def test_too_few_or_undefined_differences_are_refused(test, d):
    assert "Take more folds" in refusal(test, d, 80, 20)


def test_impossible_splits_and_regions_are_refused():
    assert is_sentence(refusal(corrected_resampled_t, D, 90, 0))
    with pytest.raises(ParamError, match="0 or wider"):
        bayesian_correlated_t(D, 90, 10, rope=-0.1)
    with pytest.raises(DataError, match="two counts"):
        mcnemar(-1, 3)
    with pytest.raises(ParamError, match="2 methods"):
        critical_difference(1, 5)


def test_equal_counts_are_no_news():
    for n in (0, 3, 40):
        found = mcnemar(n, n)
        assert (found.p, found.exact, found.mid, found.chi2) == pytest.approx((1, 1, 1, 0))


def test_rows_that_one_gets_right_are_named():
    found = one_right([4, 7, 9, 2], np.array([0, 1, 1, 0]), [0, 1, 0, 1], [1, 1, 1, 1])
    assert found.first.tolist() == [4]
    assert found.second.tolist() == [9]
    assert found.n == 4


# ----------------------------------------------------------------------------------- one split


def test_two_rankings_of_the_same_rows_are_compared_row_by_row():
    y = np.array([1, 1, 0, 1, 0, 0])
    a, b = np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.3]), np.array([0.2, 0.9, 0.8, 0.7, 0.1, 0.6])
    found = paired_delong(y, a, b)
    # By hand: the positives outrank 3, 3, 2 and 1, 3, 2 of the three negatives, the negatives are
    # outranked by 2, 3, 3 and 1, 3, 2 of the three positives.
    tens, ones = np.array([2, 0, 0]) / 3, np.array([1, 0, 1]) / 3
    sd = sqrt(tens.var(ddof=1) / 3 + ones.var(ddof=1) / 3)
    assert found.difference == pytest.approx(8 / 9 - 6 / 9)
    assert found.z == pytest.approx(found.difference / sd)
    turned = paired_delong(y, b, a)
    assert (turned.difference, turned.p) == pytest.approx((-found.difference, found.p))
    same = paired_delong(y, a, 2 * a)
    assert (same.difference, same.p) == (0, 1)
    assert "two rows" in refusal(paired_delong, [1, 0, 0], a[:3], b[:3])


def test_delongs_test_keeps_its_level():
    rng = np.random.default_rng(4)
    y = np.arange(60) % 2
    p = [paired_delong(y, *(y + rng.normal(size=(2, 60)))).p for _ in range(1000)]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.02)


# ---------------------------------------------------------------------------------- properties

SPREAD = arrays(np.float64, st.integers(3, 20), elements=st.floats(-1, 1, width=32))


@settings(max_examples=200, deadline=None)
@given(SPREAD, st.floats(0, 0.2))
def test_swapping_two_methods_turns_every_answer_round(d, rope):
    a, b = corrected_resampled_t(d, 90, 10), corrected_resampled_t(-d, 90, 10)
    assert (a.difference, a.low, a.high, a.statistic) == pytest.approx(
        (-b.difference, -b.high, -b.low, -b.statistic), abs=1e-12
    )
    assert a.p == pytest.approx(b.p, abs=1e-12)
    one, other = (bayesian_correlated_t(x, 90, 10, rope=rope) for x in (d, -d))
    assert (one.worse, one.better) == pytest.approx((other.better, other.worse), abs=1e-12)
    assert one.same == pytest.approx(other.same, abs=1e-12)
    w, v = wilcoxon_signed_rank(d), wilcoxon_signed_rank(-d)
    assert (w.plus, w.minus, w.p) == (v.minus, v.plus, v.p)


@settings(max_examples=200, deadline=None)
@given(SPREAD)
def test_without_a_region_both_schools_say_the_same(d):
    test = corrected_resampled_t(d, 90, 10)
    posterior = bayesian_correlated_t(d, 90, 10, rope=0.0)
    if test.difference == 0:
        return
    surer = max(posterior.better, posterior.worse)
    assert surer == pytest.approx(1 - test.p / 2, abs=1e-9)
    assert posterior.worse + posterior.same + posterior.better == pytest.approx(1)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_between_the_raw_values_and_bonferroni(p):
    found = holm(p)
    assert (found >= p).all()
    assert (found <= np.minimum(1, len(p) * np.array(p)) + 1e-15).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(found[order]) >= 0).all()


@settings(max_examples=100, deadline=None)
@given(arrays(np.float64, (6, 4), elements=st.integers(0, 5).map(float)))
def test_friedman_depends_on_the_order_alone(scores):
    found, stretched = friedman(scores), friedman(np.exp(scores / 2))
    np.testing.assert_array_equal(found.ranks, stretched.ranks)
    assert found.p == stretched.p
    np.testing.assert_allclose(found.ranks.sum(axis=1), 10)
    turned = friedman(-scores, better="lower")
    np.testing.assert_array_equal(turned.ranks, found.ranks)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.01, 12), st.integers(2, 20))
def test_the_studentised_range_grows_with_q_and_falls_with_k(q, k):
    here = studentised_range(q, k)
    assert 0 <= here <= studentised_range(q + 0.1, k) <= 1
    assert studentised_range(q, k + 1) <= here + 1e-14
