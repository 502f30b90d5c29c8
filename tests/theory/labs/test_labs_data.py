"""The central number of each lab of the data area: what its text promises, by theory or by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.distances.metrics import Minkowski
from mlcore.labs.classification.loss_matters import LossMattersLab
from mlcore.labs.classification.students import StudentsLab
from mlcore.labs.data.dependence_patterns import DependenceLab
from mlcore.labs.data.norms import NormsLab
from mlcore.labs.data.raters import RatersLab
from mlcore.labs.data.sorted_file import SortedFileLab
from mlcore.labs.data.stream import StreamLab
from mlcore.labs.data.units_and_neighbours import UnitsAndNeighbours
from mlcore.labs.kernels.lift import LiftLab
from mlcore.labs.preparation.number_or_name import ORDERS, NumberOrNameLab
from mlcore.labs.regression.scaling_lab import FACTORS, ScalingLab
from mlcore.spine.errors import ParamError


def test_in_grams_and_metres_the_neighbours_are_those_of_equal_weight():
    found = UnitsAndNeighbours(weight_unit="g", height_unit="m").compute(0)
    kilos, metres = found.X[:, 0].var() * 1e6, found.X[:, 1].var() * 1e-4
    np.testing.assert_allclose(found.shares, np.array([kilos, metres]) / (kilos + metres))
    assert found.shares[1] < 1e-9
    by_weight = np.argsort(np.abs(found.X[:, 0] - found.person[0]))[:5]
    assert set(found.near) == set(by_weight)
    assert abs(found.axis[0]) == pytest.approx(1.0)


def test_a_change_of_units_changes_the_covariance_to_scs_and_nothing_once_standardised():
    found = UnitsAndNeighbours(weight_unit="t", height_unit="cm").compute(0)
    S = np.diag([1e-3, 1.0])
    largest = np.linalg.eigh(S @ np.cov(found.X.T) @ S)[1][:, -1]
    assert abs(found.axis @ largest) == pytest.approx(1.0)
    units = [("kg", "cm"), ("g", "m"), ("t", "m")]
    fair = [
        UnitsAndNeighbours(weight_unit=w, height_unit=h, standardised=True).compute(0)
        for w, h in units
    ]
    for one in fair:
        np.testing.assert_array_equal(one.near, fair[0].fair)
        np.testing.assert_allclose(one.shares, 0.5)


@pytest.mark.parametrize("order", ["shuffled", "file", "sorted"])
@pytest.mark.parametrize("scheme", ["online", "minibatch", "batch"])
def test_after_a_pass_the_mean_is_the_same_whatever_the_order(scheme, order):
    found = StreamLab(scheme=scheme, order=order, passes=2, n_rows=95).compute(0).chosen
    assert found.off[-1] == pytest.approx(0.0, abs=1e-12)
    updates = {"online": 190, "minibatch": 2 * 10, "batch": 2}[scheme]
    assert (found.updates, found.passes, found.seen[-1]) == (updates, 2, 190)


def test_half_way_through_sorted_rows_the_mean_is_that_of_one_class():
    found = StreamLab(order="sorted", n_rows=200).compute(0)
    first = found.X[found.y < 0].mean(axis=0) - found.X.mean(axis=0)
    half = found.chosen.off[found.chosen.seen == 100]
    np.testing.assert_allclose(half, np.linalg.norm(first))
    assert half[0] == pytest.approx(2.0, abs=0.3)  # half of the distance of the classes


def test_the_mean_of_shuffled_rows_nears_like_one_over_their_number():
    runs = [StreamLab(order="shuffled", n_rows=100).compute(seed) for seed in range(200)]
    square = np.mean([run.chosen.off[24] ** 2 / run.X.var(axis=0).sum() for run in runs])
    # Drawn without replacement: E |mean_t - mean|^2 = tr(S) (n - t) / (t (n - 1)); sd of 200: 7 %.
    assert square == pytest.approx((100 - 25) / (25 * 99), rel=0.25)


def test_the_perceptron_keeps_the_mark_of_the_last_class():
    runs = [StreamLab(learner="perceptron", distance=2.0).compute(seed) for seed in range(20)]
    last = np.mean([run.chosen.off[-1] for run in runs])
    assert last > np.mean([run.shuffled.off[-1] for run in runs]) + 0.05


def test_zero_covariance_is_no_independence():
    ring = DependenceLab(pattern="ring", noise=0.0, n_rows=2000).compute(0)
    # On the circle x1^2 + x2^2 = 1; sd of a correlation of independent columns: 0.022.
    assert ring.products[1, 1] == pytest.approx(-1.0)
    assert abs(ring.products[0, 0]) < 0.1
    parabola = DependenceLab(pattern="parabola", noise=0.0, n_rows=2000).compute(0)
    assert parabola.products[1, 0] == pytest.approx(1.0)
    assert abs(parabola.products[0, 0]) < 0.1
    for found in (ring, parabola):
        assert found.information > found.shuffled.max() + 1.0


def test_normal_columns_share_minus_half_the_log_of_what_is_left():
    tilted = DependenceLab(pattern="tilted", noise=0.0, n_rows=2000).compute(0)
    assert tilted.information == pytest.approx(-0.5 * np.log(1 - 0.8**2), abs=0.08)
    # Six standard errors of a squared correlation of 2,000 rows.
    assert tilted.products[1, 1] == pytest.approx(0.8**2, abs=0.08)
    alone = DependenceLab(pattern="round", noise=0.0, n_rows=2000).compute(0)
    assert max(np.abs(alone.products).max(), alone.information) < 0.12


def test_a_plane_above_the_paraboloid_is_a_circle_below():
    for seed in range(5):
        found = LiftLab().compute(seed)
        assert found.train == 0
        # w1 x1 + w2 x2 + w3 r^2 + b: the quadratic fitted to the surface has no other term.
        x1, x2 = (g.ravel() for g in np.meshgrid(found.places, found.places))
        terms = np.column_stack([np.ones_like(x1), x1, x2, x1**2, x1 * x2, x2**2])
        fitted, left = np.linalg.lstsq(terms, found.surface.ravel(), rcond=None)[:2]
        assert left[0] < 1e-12 * (found.surface**2).sum()
        assert fitted[3] == pytest.approx(fitted[5])
        assert fitted[4] == pytest.approx(0.0, abs=1e-9)
    assert LiftLab(lift="none").compute(0).train > 0


def test_ten_numbers_fit_any_ten_classes_and_predict_nothing():
    runs = [
        LiftLab(lift="random waves", dimension=15, classes="by a coin").compute(seed)
        for seed in range(8)
    ]
    assert all(run.train == 0 and run.train_by_dimension[-1] == 0 for run in runs)
    assert all(run.train_by_dimension[0] > 0 for run in runs)
    # 500 tosses a run: the mean of eight has a standard error of 0.8 %.
    assert np.mean([run.test for run in runs]) == pytest.approx(0.5, abs=0.03)


def test_three_digits_at_one_distance_until_they_are_blurred():
    found = LossMattersLab().compute(0)
    np.testing.assert_allclose(found.plain, 20.0)
    np.testing.assert_allclose(found.after, [3.3709, 4.1532, 3.4364], atol=5e-5)


@pytest.mark.parametrize("seed", range(5))
def test_a_blur_tells_a_moved_scene_from_one_painted_over(seed):
    found = LossMattersLab(sigma=2.0).compute(seed)
    np.testing.assert_allclose(found.altered[0], found.altered[0, 0])
    at = int(np.abs(found.sigmas - 2.0).argmin())
    assert found.altered[at].argmin() == 0


def test_a_pixel_turned_over_costs_one_and_one_that_is_not_there_is_refused():
    # Pixel (0, 2) is dark in A and light in C: without it A has one difference less from C.
    turned = LossMattersLab(turned=(2,), shift=0).compute(0)
    assert turned.plain[0] == 0
    assert turned.plain[1] == pytest.approx(19)
    for code in (8, 80, -1, 2.5):
        with pytest.raises(ParamError, match="from 0 to 7"):
            LossMattersLab(turned=(code,))


@pytest.mark.parametrize("factor", [0.2, 3.0, 10.0])
def test_the_flat_direction_shrinks_by_one_less_than_its_share_of_the_steep_one(factor):
    found = ScalingLab(factor=factor).compute(0)
    kappa = max(factor, 1 / factor) ** 2
    assert found.raw.condition == pytest.approx(kappa)
    # With steps of 1/L the steep direction is done at once, the flat one keeps 1 - 1/kappa.
    kept = found.raw.excess[2:] / found.raw.excess[1:-1]
    np.testing.assert_allclose(kept, (1 - 1 / kappa) ** 2, rtol=1e-6)
    assert found.standardised.steps == 1


def test_a_penalty_leaves_what_the_unit_allows():
    found = ScalingLab(alpha=0.3).compute(0)
    ridge = FACTORS**2 / (FACTORS**2 + 0.3) * found.least_squares
    lasso = np.maximum(found.least_squares - 0.3 / FACTORS, 0)
    np.testing.assert_allclose(found.ridge, ridge, rtol=1e-8)
    np.testing.assert_allclose(found.lasso, lasso, atol=1e-6)
    np.testing.assert_allclose(found.fair, [np.interp(1.0, FACTORS, v) for v in (ridge, lasso)])


def test_who_is_like_nobody_is_rejected_whatever_the_line_says():
    for seed in range(10):
        found = StudentsLab(threshold=7.0, weight=100.0, height=120.0).compute(seed)
        assert found.person_remote > 7
        assert 0.95 <= found.accepted <= 1


def test_the_distance_from_the_line_is_its_score_over_the_length_of_its_weights():
    found = StudentsLab(border=100.0, lean=0.5).compute(0)
    a, b, c = found.line
    foot = found.X - (found.scores / (a**2 + b**2))[:, None] * [a, b]
    np.testing.assert_allclose(foot @ [a, b] + c, 0.0, atol=1e-9)
    assert a * 100 + b * 180 + c == pytest.approx(0.0)
    assert not found.is_labelled[found.queries].any()


def test_a_sorted_file_is_given_away_by_its_numbers_and_a_fold_takes_a_class():
    found = SortedFileLab(rare=0.15, n_rows=200).compute(0)
    assert found.accuracy[0] == 1.0
    assert found.suspicious.tolist() == [True, False, False]
    # 30 rare lines stand in the first 40: the other folds hold none, and cannot learn the class.
    assert found.counts[:, 1].tolist() == [30, 0, 0, 0, 0]
    assert np.isnan(found.scores).tolist() == [True, False, False, False, False]


def test_shuffling_cures_the_folds_and_dropping_the_number_cures_the_rest():
    kept = SortedFileLab(shuffled=True).compute(0)
    assert (kept.counts > 0).all()
    assert kept.accuracy[0] == 1.0
    assert kept.suspicious[0]
    assert kept.scores.mean() > 0.98
    dropped = SortedFileLab(shuffled=True, numbered=False, signal=0.0, rare=0.5).compute(0)
    assert not dropped.suspicious.any()
    assert dropped.scores.mean() == pytest.approx(0.5, abs=0.12)  # 200 lines: sd 0.035


def test_a_column_for_each_name_knows_no_order_and_numbers_do():
    found = NumberOrNameLab().compute(0)
    assert np.ptp(found.by_name) == 0
    assert np.ptp(found.by_number) > 0.1
    # A list read backwards has the same distances.
    for k, order in enumerate(ORDERS):
        assert found.by_number[k] == found.by_number[ORDERS.index(order[::-1])]
    place = np.arange(4)
    np.testing.assert_allclose(found.numbers, np.abs(place[:, None] - place))
    np.testing.assert_allclose(found.names, np.sqrt(2) * (1 - np.eye(4)))
    together = [k for k, o in enumerate(ORDERS) if {o[0], o[1]} in ({0, 2}, {1, 3})]
    assert found.by_number.argmax() in together


@pytest.mark.parametrize(
    ("metric", "straight"),
    [("euclidean", True), ("mahalanobis", True), ("manhattan", False), ("chebyshev", False)],
)
def test_borders_are_straight_for_the_euclidean_distance_and_its_linear_images(metric, straight):
    bent = np.concatenate([NormsLab(metric=metric).compute(seed).bent for seed in range(3)])
    assert (bent.max() < 0.5) == straight


def test_balls_are_those_of_the_norm():
    for power, metric in ((1.0, "manhattan"), (3.0, Minkowski(p=3.0)), (np.inf, "chebyshev")):
        found = NormsLab(metric=metric).compute(0)
        x, y = np.meshgrid(found.places, found.places)
        off = np.stack([x, y], axis=-1) - found.centers[0]
        np.testing.assert_allclose(found.away, np.linalg.norm(off, ord=power, axis=-1))


def test_the_error_of_a_mean_of_raters_is_bias_and_a_share_of_the_spread():
    runs = [RatersLab(bias=0.5, habit=0.8, noise=1.0).compute(seed) for seed in range(200)]
    square = np.mean([run.errors**2 for run in runs], axis=0)
    for m in (1, 10, 50):
        assert square[m - 1] == pytest.approx(0.25 + (0.64 + 1.0) / m, rel=0.15)
    unbiased = RatersLab(bias=0.0).compute(0)
    biased = RatersLab(bias=2.0).compute(0)
    np.testing.assert_allclose(biased.disagreement, unbiased.disagreement)
