"""The central number of each lab: what its text promises, by theory or by hand."""

from __future__ import annotations

from math import erf

import numpy as np
import pytest
from scipy.special import ndtr

from mlcore.labs.classification.generative import GenerativeLab, _of_one
from mlcore.labs.classification.knn_complexity import KNNComplexity
from mlcore.labs.classification.pretraining import PretrainingLab
from mlcore.labs.classification.two_gaussians import TwoGaussiansLab
from mlcore.labs.clustering.bad_start import BadStartLab
from mlcore.labs.clustering.choose_k import ChooseKLab
from mlcore.labs.clustering.criteria_disagree import SHOWN, CriteriaDisagreeLab
from mlcore.labs.clustering.eps_and_noise import EpsAndNoiseLab
from mlcore.labs.data.far_and_near import FarAndNearLab
from mlcore.labs.data.missing_values import MissingValuesLab
from mlcore.labs.decisions.contraction import ContractionLab
from mlcore.labs.decisions.hoeffding import HoeffdingLab
from mlcore.labs.decisions.sampled_backup_bias import SampledBackupBiasLab
from mlcore.labs.decisions.td_lambda import TDLambdaLab
from mlcore.labs.evaluation.tuning_optimism import TuningOptimism
from mlcore.labs.evaluation.which_test import WhichTest
from mlcore.labs.kernels.gram_bench import GramBench
from mlcore.labs.kernels.mercer import MercerLab
from mlcore.labs.preparation.cfs_by_hand import CFSByHand
from mlcore.labs.preparation.leak_switch import LeakSwitch
from mlcore.labs.preparation.subset_trap import SubsetTrap
from mlcore.labs.reduction.direction_explorer import DirectionExplorer
from mlcore.labs.reduction.noise_floor import NoiseFloor
from mlcore.labs.regression.ols_or_tls import OLSOrTLS
from mlcore.labs.regression.polynomial_complexity import PolynomialComplexity
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.preparation.selection.judge import Variables
from mlcore.spine.fit import Column


def test_noise_looks_like_knowledge_only_when_columns_are_chosen_before_the_split():
    found = LeakSwitch(repeats=40).compute(0)
    # 40 tables of 50 rows: the standard error of a mean is about 0.012.
    assert found.leaky.mean() == pytest.approx(0.86, abs=0.03)
    assert found.safe.mean() == pytest.approx(0.50, abs=0.06)
    few = LeakSwitch(repeats=40, n_columns=10).compute(0)
    np.testing.assert_array_equal(few.safe, few.leaky)  # nothing is left to choose
    np.testing.assert_array_equal(few.first.shared, 10)


def test_the_folds_of_the_leak_are_those_of_its_first_table_and_its_choice_that_of_the_filter():
    found = LeakSwitch(repeats=1, n_columns=50).compute(3)
    assert found.first.sizes.sum() == 50
    np.testing.assert_allclose(found.first.right.sum(axis=1) / 50, [found.safe[0], found.leaky[0]])
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 30)), np.arange(40) % 2
    lab = LeakSwitch(n_columns=30, kept=4)
    chosen = UnivariateFilter(relevance="f_ratio", n_features=4).fit(X, y).chosen
    columns = Variables.of(tuple(Column(f"x{j}", "number") for j in range(30)))
    np.testing.assert_array_equal(lab._choice(X, y, columns), np.flatnonzero(chosen))


def test_distances_concentrate_like_one_over_the_root_of_the_dimension():
    found = FarAndNearLab(n_rows=2000).compute(0)
    # Around one place Var |x - q|^2 = d / 30, and its mean is d / 6: sd / mean of the distance is
    # half the ratio of their roots, sqrt(3 / 10 d).
    high = found.dimensions >= 50
    np.testing.assert_allclose(
        found.spread[high], np.sqrt(3 / (10 * found.dimensions[high])), rtol=0.03
    )
    assert (np.diff(found.contrast) < 0).all()


def test_the_contrast_of_five_hundred_rows_is_as_the_text_says():
    runs = [FarAndNearLab().compute(seed) for seed in range(20)]
    at = list(runs[0].dimensions)
    # Medians over 20 places; a single place varies more (54, 2.7, 0.41, 0.11 is one such draw).
    # sd of a run: 8, 0.11, 0.012, 0.0025, and a fifth of that of the mean of 20.
    for d, ratio, off in ((2, 48, 6), (10, 2.4, 0.1), (100, 0.40, 0.01), (1000, 0.11, 0.002)):
        found = np.mean([run.contrast[at.index(d)] for run in runs])
        assert found == pytest.approx(ratio, abs=off)


@pytest.mark.parametrize(
    ("mechanism", "good"),
    [("at random", (1, 4)), ("where x is large", (4,)), ("where the value is large", ())],
)
def test_what_repairs_missing_values_depends_on_why_they_are_there(mechanism, good):
    found = MissingValuesLab(mechanism=mechanism, n_rows=5000, share=0.5).compute(0)
    off = np.abs(np.array(found[3:6]) - np.array(found[3:6])[:, :1]).max(axis=0)
    assert [k for k in range(1, 5) if off[k] < 0.05] == list(good)


def test_filling_in_the_mean_shrinks_the_spread_by_the_root_of_what_is_known():
    found = MissingValuesLab(mechanism="at random", n_rows=5000, share=0.36).compute(1)
    assert found.spreads[2] / found.spreads[1] == pytest.approx(0.8, abs=1e-3)


def test_the_merit_of_two_columns():
    pair = CFSByHand(first=0.6, second=0.6, overlap=0.0).compute()
    assert pair.pair == pytest.approx(0.6 * np.sqrt(2))
    assert np.isnan(pair.printed_pair)
    copies = CFSByHand(first=0.6, second=0.6, overlap=1.0).compute()
    np.testing.assert_allclose([copies.pair, *copies.single], 0.6)
    assert CFSByHand(first=0.6, second=0.5, overlap=0.3).compute().pair == pytest.approx(
        1.1 / np.sqrt(2.6)
    )


@pytest.mark.parametrize("classes", ["side by side", "end to end", "crossed"])
def test_what_is_kept_and_what_is_lost_add_up_at_every_angle(classes):
    found = DirectionExplorer(classes=classes, n_rows=1000).compute(0)
    np.testing.assert_allclose(found.variance + found.residual, (found.X**2).sum(axis=1).mean())
    axis = np.linalg.eigh(np.cov(found.X.T))[1][:, -1]
    assert found.pca_angle == pytest.approx(np.degrees(np.arctan2(*axis[::-1])) % 180, abs=0.51)


def test_fisher_and_the_first_component_are_at_a_right_angle_for_classes_side_by_side():
    found = DirectionExplorer(classes="side by side", n_rows=2000).compute(0)
    assert abs(found.fisher_angle - found.pca_angle) == pytest.approx(90, abs=6)
    same = DirectionExplorer(classes="end to end", n_rows=2000).compute(0)
    assert same.fisher_angle == pytest.approx(same.pca_angle, abs=6)


def test_noise_lifts_every_eigenvalue_by_its_variance():
    found = NoiseFloor(noise=0.5, n_rows=5000).compute(0)
    np.testing.assert_allclose(found.noisy - found.clean, 0.25, atol=0.06)
    assert (found.by_knee, found.by_share[0]) == (3, 3)
    assert found.by_share[1] > 15


@pytest.mark.parametrize(
    ("start", "ends", "rss"),
    [((0, 10, 20), (0.5, 10.5, 20.5), 1.5), ((0, 1, 10), (0, 1, 15.5), 101)],
)
def test_where_k_means_ends_depends_on_where_it_begins(start, ends, rss):
    names = ("first", "second", "third")
    found = BadStartLab(**dict(zip(names, map(float, start), strict=True))).compute()
    np.testing.assert_allclose(found.path[-1], ends)
    assert found.rss == pytest.approx(rss)
    assert found.best == pytest.approx(1.5)


def test_the_cost_comes_down_to_the_noise_at_the_true_number():
    found = ChooseKLab(n_clusters=4, spread=0.3).compute(1)
    assert (found.by_floor, found.by_bic) == (4, 4)
    assert found.rss[3] == pytest.approx(found.floor[3], rel=0.15)


def test_the_order_of_rows_decides_about_border_rows_alone():
    torn = moved = 0
    for seed in range(4):
        e = EpsAndNoiseLab(eps=0.8, min_samples=10).compute(seed)
        assert not (e.moved & ~e.torn).any() and not (e.torn & e.core).any()
        assert (np.diff(e.noise) <= 0).all() and e.noise[0] > 0.95
        assert (e.groups[-1], e.noise[-1]) == (1, 0)
        torn, moved = torn + e.torn.sum(), moved + e.moved.sum()
    assert torn > moved > 0


@pytest.mark.parametrize("distance", [0.5, 2.0, 4.0])
def test_the_bayes_error_of_equal_spreads(distance):
    found = TwoGaussiansLab(distance=distance).compute(0)
    assert found.bayes_error == pytest.approx(ndtr(-distance / 2), abs=1e-12)
    np.testing.assert_allclose(found.borders, [distance / 2])
    assert min(found.lda_error, found.quadratic_error) >= found.bayes_error - 1e-9


def test_unequal_spreads_have_two_borders_and_an_error_that_integration_finds():
    found = TwoGaussiansLab(spread=3.0, n_rows=10_000).compute(0)
    assert len(found.borders) == 2
    step = found.x[1] - found.x[0]
    assert found.bayes_error == pytest.approx(found.weighted.min(axis=0).sum() * step, abs=1e-3)
    assert found.quadratic_error < found.bayes_error + 0.005 < found.lda_error


def test_one_neighbour_knows_its_rows_and_errs_about_twice_the_least():
    found = KNNComplexity(n_rows=2000).compute(0)
    assert found.train[0] == 0
    assert found.bayes_error < found.test[0]
    assert found.test[0] == pytest.approx(found.bound, abs=0.03)  # 2000 new rows: sd 0.01
    assert found.test.min() == pytest.approx(found.bayes_error, abs=0.02)


def test_polynomials_fit_their_rows_ever_better_and_a_truth_without_noise_exactly():
    found = PolynomialComplexity().compute(0)
    assert (np.diff(found.train) <= 1e-12).all()
    exact = PolynomialComplexity(truth="cubic", noise=0.0).compute(0)
    assert exact.train[2] > 0.1
    assert max(exact.train[3:].max(), exact.test[3:].max()) < 1e-10


def test_the_training_error_is_too_small_by_the_share_of_coefficients():
    fits = [PolynomialComplexity(truth="cubic", n_rows=20, degree=9).compute(s) for s in range(60)]
    square = np.mean([fit.train[9] ** 2 for fit in fits])
    assert square == pytest.approx(0.3**2 * (1 - 10 / 20), rel=0.15)


def test_least_squares_flattens_and_total_least_squares_does_not():
    found = OLSOrTLS(n_rows=5000, noise_x=0.5, noise_y=0.5).compute(0)
    assert found.expected == pytest.approx(2 / 1.25)
    assert found.ols_slopes.mean() == pytest.approx(found.expected, abs=0.01)
    assert found.tls_slopes.mean() == pytest.approx(2.0, abs=0.01)
    only_y = OLSOrTLS(n_rows=5000, noise_x=0.0, noise_y=1.0).compute(0)
    assert only_y.ols_slopes.mean() == pytest.approx(2.0, abs=0.01)
    assert only_y.tls_slopes.mean() > 2.1


def test_a_narrow_kernel_knows_only_itself_and_a_wide_one_nothing():
    narrow, wide = (GramBench(sigma=sigma).compute(0) for sigma in (0.01, 100.0))
    np.testing.assert_allclose(np.diag(narrow.K), 1.0)
    assert narrow.likeness[0] < 1e-3
    np.testing.assert_allclose(wide.K, 1.0, atol=0.01)
    assert (np.diff(wide.likeness) > 0).all()
    assert wide.alignments.max() > 0.7


def test_mercers_sum_has_the_known_eigenvalues_and_errors():
    found = MercerLab(sigma=0.5).compute()
    np.testing.assert_allclose(
        found.values[:5], [1.043172, 0.606747, 0.252970, 0.078613, 0.019043], atol=2e-6
    )
    errors = found.errors[[0, 1, 2, 4, 7]]
    np.testing.assert_allclose(errors, [0.85, 0.52, 0.22, 0.017, 7e-5], rtol=0.05)
    signs = [(np.diff(np.sign(f[f != 0])) != 0).sum() for f in found.functions[:5]]
    assert signs == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 7, 50, 1000])
def test_hoeffdings_bound_holds_and_its_intervals_keep_their_promise(p, n):
    found = HoeffdingLab(p=p, n=n, delta=0.1).compute(0)
    assert (found.exact <= found.bound + 1e-12).all()
    assert found.coverage >= 0.9


def test_the_exact_chance_is_that_of_counting():
    found = HoeffdingLab(p=0.5, n=2).compute(0)
    # Of two tosses the mean is off by one half with chance 1/2, and never by more than that.
    np.testing.assert_allclose(found.exact[(found.off > 0) & (found.off < 0.5)], 0.5)
    np.testing.assert_allclose(found.exact[found.off > 0.5], 0.0)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 0.9, 0.98])
def test_sweeps_contract_and_the_certificate_covers_the_error(gamma):
    found = ContractionLab(gamma=gamma).compute(0)
    assert (found.apart <= found.allowed + 1e-12).all()
    assert (found.error[1:] <= found.certificate[1:] + 1e-9).all()
    # Acting greedily on values that are off by e loses at most 2 gamma e / (1 - gamma).
    assert (found.loss <= 2 * gamma / (1 - gamma) * found.error + 1e-9).all()


def test_the_largest_of_samples_is_too_large_and_a_second_one_is_not():
    """The larger of two standard normal numbers is 1 / sqrt(pi) on average, of three 3 / 2 that."""
    lab = SampledBackupBiasLab(n_actions=3, noise=2.0, n_samples=4, gamma=0.5)
    found = lab.compute(0)
    np.testing.assert_allclose(found.bias[:3], np.array([0, 1, 1.5]) / np.sqrt(np.pi), atol=1e-9)
    assert (np.diff(found.bias) > 0).all() and not found.double_bias.any()
    assert found.in_the_end == 2 * found.own_bias
    error = 4 * found.maxima.std() / np.sqrt(len(found.maxima))
    assert found.maxima.mean() == pytest.approx(found.own_bias, abs=error)
    assert found.doubled.mean() == pytest.approx(0.0, abs=4 / np.sqrt(len(found.doubled)))


def test_a_gap_takes_the_bias_away_and_a_second_sample_is_too_small():
    found = SampledBackupBiasLab(n_actions=2, gap=1.0).compute(0)
    # The worse of two wins with the chance that a normal number of variance 2 exceeds the gap.
    wins = 0.5 * (1 - erf(1.0 / 2))
    assert found.double_bias[1] == pytest.approx(-wins, abs=1e-9)
    assert 0 < found.own_bias < SampledBackupBiasLab(n_actions=2).compute(0).own_bias
    assert SampledBackupBiasLab(gap=5.0, noise=0.2).compute(0).own_bias == pytest.approx(
        0, abs=1e-9
    )


def test_a_lambda_between_is_best_on_the_walk_of_19_states():
    """Figure 12.6 of Sutton and Barto: about 0.26 with a lambda of 0.8, and where curves begin."""
    found = TDLambdaLab().compute(0)
    assert found.first == pytest.approx(np.sqrt(0.3))
    low = dict(zip(found.decays, found.lowest))
    assert min(low, key=low.get) == 0.8 and low[0.8] == pytest.approx(0.27, abs=0.02)
    assert low[0.0] == pytest.approx(0.35, abs=0.03) and low[1.0] > 0.45
    steps = found.rates[found.best]
    assert (np.diff(steps) <= 0).all()  # the more is looked ahead, the smaller
    assert np.isnan(found.errors[-1, -1])  # a step of 1 along whole episodes diverges


def test_shared_rows_fool_the_naive_test_and_not_the_corrected_one():
    found = WhichTest(studies=1000).compute(0)
    rate = dict(zip(zip(found.tests, found.schemes), found.rates))
    # 5 +- 2 % of 1000 studies: two standard errors of the simulation are 1.4 %.
    for scheme in ("15 random splits", "10 x 10 folds"):
        assert rate["corrected t", scheme] == pytest.approx(0.05, abs=0.02)
        assert rate["naive t", scheme] > 0.4
    assert rate["corrected t", "10 folds"] < 0.05  # cautious: few differences, and all of them kin
    # What the tests that are offered for teaching say of themselves.
    assert rate["naive t", "10 folds"] == pytest.approx(0.08, abs=0.02)
    assert rate["naive t", "10 x 10 folds"] == pytest.approx(0.60, abs=0.04)
    assert rate["Wilcoxon", "10 folds"] == pytest.approx(0.07, abs=0.02)
    assert rate["5 x 2 t", "5 x 2 folds"] == pytest.approx(0.12, abs=0.025)
    assert rate["5 x 2 F", "5 x 2 folds"] == pytest.approx(0.14, abs=0.025)


def test_a_rule_that_is_better_is_found_and_as_good_as_theory_says():
    found = WhichTest(studies=1000, gain=0.5, n_rows=400).compute(0)
    # Classes whose means lie D apart in units of the spread: the best rule is right in Phi(D/2).
    best = ndtr(np.sqrt(5) * np.array([0.35, 0.85]) / 2)
    assert (found.accuracies < best).all()
    np.testing.assert_allclose(found.accuracies, best, atol=0.015)
    assert found.rates.min() > 0.9


def test_the_best_of_many_is_optimistic_and_the_nested_score_is_not():
    found = TuningOptimism(repeats=400).compute(0)
    np.testing.assert_array_equal(found.truth, 0.5)  # noise tells nothing, whatever was chosen
    # 400 studies of 60 rows: the standard error of a mean is about 0.003.
    assert found.inner.mean() == pytest.approx(0.65, abs=0.015)
    assert found.nested.mean() == pytest.approx(0.5, abs=0.015)
    one = TuningOptimism(n_candidates=1, repeats=400).compute(0)
    np.testing.assert_array_equal(one.inner, one.nested)
    more = TuningOptimism(n_candidates=300, repeats=100).compute(0)
    assert more.inner.mean() > found.inner.mean() + 0.03


def test_a_clear_signal_is_chosen_and_as_good_as_theory_says():
    found = TuningOptimism(signal=3.0, n_rows=500).compute(0)
    assert found.possible == pytest.approx(ndtr(1.5))
    assert (found.truth <= found.possible).all()
    np.testing.assert_allclose(found.truth, found.possible, atol=2e-3)
    assert found.inner.mean() == pytest.approx(found.possible, abs=0.01)


@pytest.mark.parametrize("seed", [0, 3])
def test_one_at_a_time_is_caught_where_two_variables_help_only_together(seed):
    found = SubsetTrap().compute(seed)
    right = dict(zip(found.searches, 1 + found.values, strict=True))
    for caught in ("forward", "floating forward, overshoot 0"):
        assert right[caught] < 0.8
    for free in ("backward", "floating forward, overshoot 2", "every subset"):
        assert right[free] > 0.99
    assert found.kept[1] == found.kept[3] == found.kept[4] == "x1, x2"
    assert found.fit.chosen.tolist() != [True, True, False, False, False]


def test_logistic_layers_hold_the_gradient_back_and_taught_ones_learn():
    """The slope of a logistic unit is at most 1/4, so less of it comes back through each layer."""
    shallow, deep = (PretrainingLab(depth=k).compute() for k in (1, 3))
    for layers in (shallow, deep):
        assert layers.first_slopes.shape == (3, len(layers.first_slopes[0]))
    reached = [t.first_slopes[0, 0] / t.first_slopes[0, -1] for t in (shallow, deep)]
    assert reached[1] < 0.1 * reached[0]
    assert (deep.losses[1:, -1] < 0.3 * deep.losses[0, -1]).all()
    tanh = PretrainingLab(depth=3, activation="tanh").compute()
    assert tanh.losses[0, -1] < 0.1 * deep.losses[0, -1]


def test_a_missing_input_is_integrated_over_by_the_generative_model():
    lab = GenerativeLab(prior=0.3)
    truth, X = lab._truth(), np.array([[0.7, np.nan], [-2.0, np.nan]])
    u = np.linspace(-12, 12, 4001)  # the integral, as a sum over all values of the other input
    whole = np.column_stack([np.repeat(X[:, 0], len(u)), np.tile(u, 2)])
    each = [np.exp(mixture.shares(whole)[1]).reshape(2, -1).sum(axis=1) for mixture in truth]
    by_sum = 0.3 * each[1] / (0.7 * each[0] + 0.3 * each[1])
    np.testing.assert_allclose(_of_one(truth, 0.3, X), by_sum, rtol=1e-6)


def test_without_an_input_the_mixtures_are_near_the_best_rule_and_a_filled_mean_is_not():
    truth, mixtures, process = GenerativeLab().compute(0).errors
    assert mixtures[1] < truth[1] + 0.03 < process[1] - 0.1
    assert abs(mixtures[0] - process[0]) < 0.02


def test_ellipses_choose_the_medium_radius_and_balls_and_scatter_the_tiny_one():
    """Of 20 draws the medium one 19 times by AIC, 20 by BIC of ellipses; the tiny one 20 by AIC, 17
    by BIC of balls, and always by scatter."""
    each = [CriteriaDisagreeLab().compute(seed) for seed in range(20)]
    tiny, medium = SHOWN.index("DBSCAN, small radius"), SHOWN.index("DBSCAN, medium radius")
    chosen = np.array([found.chosen for found in each])  # (draws, rules, AIC and BIC)
    assert (chosen[:, 0, 0] == medium).sum() >= 18 and (chosen[:, 0, 1] == medium).all()
    assert (chosen[:, 2:, 0] == tiny).all() and (chosen[:, 3, 1] == tiny).all()
    assert (chosen[:, 2, 1] == tiny).sum() >= 15
    assert all(found.values[:, 0].argmin() == tiny for found in each)
    assert all(found.agreement.argmax() == medium for found in each)
