"""Comparison tests against scipy, statsmodels, mlxtend, baycomp and scikit-posthocs."""

from __future__ import annotations

import baycomp
import mlxtend.evaluate
import numpy as np
import pytest
import scikit_posthocs
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
from statsmodels.stats.multitest import multipletests

from mlcore.evaluation.comparing.bayes import bayesian_correlated_t
from mlcore.evaluation.comparing.five_by_two import five_by_two
from mlcore.evaluation.comparing.friedman import friedman
from mlcore.evaluation.comparing.holm import holm
from mlcore.evaluation.comparing.mcnemar import mcnemar
from mlcore.evaluation.comparing.nemenyi import (
    critical_difference,
    nemenyi,
    studentised_range,
    wilcoxon_holm,
)
from mlcore.evaluation.comparing.paired import corrected_resampled_t, naive_paired_t
from mlcore.evaluation.comparing.wilcoxon import wilcoxon_signed_rank
from mlcore.evaluation.splits import KFold
from mlcore.neighbours.knn import KNNClassifier
from mlcore.runs.carry_comparison import carried_out
from mlcore.runs.comparing.pairs import compare_methods
from mlcore.runs.run import Comparison

SEEDS = range(5)


def drawn(seed: int, *shape: int, digits: int = 12) -> np.ndarray:
    """Scores about 0.8; few digits give ties."""
    return np.round(np.random.default_rng(seed).normal(0.8, 0.05, size=shape), digits)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_naive_t_test_is_that_of_scipy(seed):
    a, b = drawn(seed, 2, 10)
    found, theirs = naive_paired_t(a - b), stats.ttest_rel(a, b)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
    interval = theirs.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_the_posterior_is_that_of_baycomp(seed, rope):
    a, b = drawn(seed, 2, 100)  # 10 times 10 folds
    found = bayesian_correlated_t(a - b, 90, 10, rope=rope)
    theirs = baycomp.CorrelatedTTest(b, a, rope, runs=10).probs()
    worse, *same, better = theirs
    assert (found.worse, found.better) == pytest.approx((worse, better), abs=1e-10)
    assert found.same == pytest.approx(sum(same), abs=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_corrected_t_test_is_half_of_what_baycomp_says(seed):
    a, b = drawn(seed, 2, 10)
    worse, better = baycomp.CorrelatedTTest(b, a, 0.0).probs()
    assert corrected_resampled_t(a - b, 90, 10).p / 2 == pytest.approx(min(worse, better))


@pytest.mark.parametrize(("b", "c"), [(6, 16), (0, 5), (12, 13), (20, 30), (0, 1), (140, 90)])
def test_mcnemar_is_that_of_statsmodels(b, c):
    found, table = mcnemar(b, c), [[50, b], [c, 30]]
    assert found.exact == pytest.approx(sm_mcnemar(table, exact=True).pvalue, rel=1e-10)
    theirs = sm_mcnemar(table, exact=False, correction=True)
    assert (found.chi2, found.p_chi2) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)
    mid = stats.binom.cdf(min(b, c), b + c, 0.5) * 2 - stats.binom.pmf(b, b + c, 0.5)
    assert found.mid == pytest.approx(min(1, mid), rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_holm_is_that_of_statsmodels(seed):
    p = np.random.default_rng(seed).random(9) ** 3
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_signed_ranks_are_those_of_scipy(seed):
    a, b = drawn(seed, 2, 14)
    found, theirs = wilcoxon_signed_rank(a - b), stats.wilcoxon(a, b, method="exact")
    assert min(found.plus, found.minus) == theirs.statistic
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-10)
    many = drawn(seed, 80, digits=2) - 0.79  # with ties: the same approximation
    d = np.round(many, 2)
    theirs = stats.wilcoxon(d, method="asymptotic", correction=False)
    assert wilcoxon_signed_rank(d).p == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_signed_ranks_with_ties_are_those_of_scipys_permutations(seed):
    d = np.random.default_rng(seed).integers(-4, 6, size=11).astype(float)
    every_sign = stats.PermutationMethod(n_resamples=np.inf)
    theirs = stats.wilcoxon(d[d != 0], method=every_sign)
    assert wilcoxon_signed_rank(d).p == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("digits", [12, 1])  # of one digit there are many ties
def test_friedman_is_that_of_scipy(seed, digits):
    scores = drawn(seed, 12, 5, digits=digits)
    found, theirs = friedman(scores), stats.friedmanchisquare(*scores.T)
    assert (found.chi2, found.p_chi2) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_nemenyi_is_that_of_scikit_posthocs(seed):
    scores = drawn(seed, 12, 5)
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    # They give the range infinitely many degrees of freedom too, by scipy's quadrature.
    np.testing.assert_allclose(nemenyi(friedman(scores).ranks).p, theirs, atol=1e-8)


@pytest.mark.parametrize("k", [2, 3, 5, 10, 20])
def test_the_studentised_range_is_that_of_scipy(k):
    for q in (0.5, 2.0, 3.5, 6.0):
        theirs = stats.studentized_range.cdf(q, k, np.inf)
        assert studentised_range(q, k) == pytest.approx(theirs, abs=1e-10)
    q = stats.studentized_range.ppf(0.95, k, np.inf)
    assert critical_difference(k, 6) == pytest.approx(q / np.sqrt(2) * np.sqrt(k * (k + 1) / 36))


@pytest.mark.parametrize("seed", SEEDS)
def test_all_pairs_by_wilcoxon_are_those_of_scikit_posthocs(seed):
    scores = drawn(seed, 12, 4)
    theirs = scikit_posthocs.posthoc_wilcoxon(scores.T.tolist(), p_adjust="holm").to_numpy()
    np.testing.assert_allclose(wilcoxon_holm(scores).p, theirs, rtol=1e-9)


def test_folds_and_scores_of_a_comparison_are_those_of_scikit_learn():
    run = Comparison(
        data="wine",
        preparation=("standardise",),
        methods=("lda", KNNClassifier(n_neighbors=5), "naive_bayes"),
        evaluation=KFold(n_splits=10, n_repeats=3),
    )
    found, data = carried_out(run), run.data.dataset()
    theirs = (LinearDiscriminantAnalysis(), KNeighborsClassifier(5), GaussianNB())
    folds = [(fold.train, fold.test) for fold in found.entrants[0].outcome.folds]
    for entrant, method in zip(found.entrants, theirs):
        model = make_pipeline(StandardScaler(), method)
        scores = cross_validate(model, data.X, data.y, cv=folds, scoring=("accuracy", "f1_macro"))
        for mine, name in (("accuracy", "accuracy"), ("f_score", "f1_macro")):
            np.testing.assert_allclose(
                entrant.outcome.values(mine), scores[f"test_{name}"], atol=1e-12
            )
    # And so is what follows from them, by the peer's formula on the last of its scores.
    lda = found.entrants[0].outcome.values("accuracy")
    odds = baycomp.CorrelatedTTest(lda, scores["test_accuracy"], 0.0, runs=3).probs()
    pair = compare_methods(found, against=2).pairs[0]
    # It takes all folds for equally long; ours hold 17 or 18 rows.
    assert min(odds) == pytest.approx(pair.test.p / 2, rel=0.01)


class _Fixed:
    """A classifier that scores as it is told, so that mlxtend can be given any difference."""

    def __init__(self, scores: list[float]) -> None:
        self.scores = list(scores)

    def fit(self, X: np.ndarray, y: np.ndarray) -> _Fixed:
        """Learn nothing."""
        return self


@pytest.mark.parametrize("seed", SEEDS)
def test_five_by_two_is_that_of_mlxtend(seed):
    d = np.random.default_rng(seed).normal(0.02, 0.03, size=(5, 2))
    one, other = _Fixed(d.ravel().tolist()), _Fixed([0.0] * 10)

    def told(it: _Fixed, X: np.ndarray, y: np.ndarray) -> float:
        return it.scores.pop(0)

    X, y = np.zeros((20, 1)), np.arange(20) % 2
    t, p = mlxtend.evaluate.paired_ttest_5x2cv(one, other, X, y, scoring=told)
    found = five_by_two(d)
    assert (found.t, found.p_t) == pytest.approx((t, p), rel=1e-10)
    one, other = _Fixed(d.ravel().tolist()), _Fixed([0.0] * 10)
    f, p = mlxtend.evaluate.combined_ftest_5x2cv(one, other, X, y, scoring=told)
    assert (found.f, found.p_f) == pytest.approx((f, p), rel=1e-10)
