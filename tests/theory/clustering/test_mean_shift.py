"""What the theory says of mean shift, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.density.reaches import GivenReach, HeldOutReach, QuantileReach
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.clustering.mean_shift import MeanShift
from mlcore.spine.errors import DataError


def clouds(n=240, p=2, seed=0):
    """Rows about three places that lie apart."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + np.array([[0.0, 0], [8, 0], [0, 8]])[np.arange(n) % 3]


def test_a_move_on_a_line_by_hand():
    # From 0, with bandwidth 2, to the mean of 0, 1 and 2; from there all but 9 are near.
    X = np.array([[0.0], [1], [2], [3], [9]])
    method = MeanShift(bandwidth=GivenReach(h=2.0), bin_seeding=False)
    steps = list(method.steps(X))
    np.testing.assert_allclose(steps[1].state.places[:, 0], [1, 1.5, 1.5, 2, 9])
    assert steps[0].objective == pytest.approx(np.mean([1.75, 2.5, 2.5, 1.75, 1]) / 5)
    fit = method.fit(X)
    np.testing.assert_array_equal(fit.labels, [0, 0, 0, 0, 1])
    np.testing.assert_allclose(fit.centers[:, 0], [1.5, 9.0])


@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
@pytest.mark.parametrize("bin_seeding", [True, False])
def test_the_density_at_the_seeds_never_falls(kernel, bin_seeding):
    method = MeanShift(bandwidth=GivenReach(h=1.5), kernel=kernel, bin_seeding=bin_seeding)
    objective = np.array([step.objective for step in method.steps(clouds())])
    assert np.diff(objective).min() >= -1e-12


def test_modes_of_the_gaussian_kernel_are_maxima_of_the_density():
    X = clouds()
    fit = MeanShift(bandwidth=HeldOutReach(), kernel="gaussian", tol=1e-9).fit(X)
    density = KernelDensity().fit(X)
    assert fit.bandwidth == density.bandwidth
    nudges = 1e-2 * np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    for mode in fit.centers:
        around = density.log_density(mode + nudges)
        assert density.log_density(mode[None])[0] > around.max()


def test_clouds_apart_have_a_mode_each_and_far_rows_may_join_none():
    X = clouds()
    fit = MeanShift(bandwidth=GivenReach(h=2.5)).fit(X)
    assert len(fit.centers) == 3
    assert all(len(np.unique(fit.labels[k::3])) == 1 for k in range(3))
    strict = MeanShift(bandwidth=GivenReach(h=2.5), noise=True).fit(X)
    away = np.linalg.norm(X - fit.centers[fit.labels], axis=1) > 2.5
    np.testing.assert_array_equal(strict.labels, np.where(away, -1, fit.labels))
    np.testing.assert_array_equal(strict.predict(X), strict.labels)


def test_the_quantile_rule_by_hand():
    X = np.array([[0.0], [1], [3], [7]])
    # Half of four rows are two, the row itself and the nearest: 1, 1, 2 and 4 away.
    assert QuantileReach(share=0.5).width(X) == pytest.approx(2.0)


def test_rows_that_repeat_leave_no_bandwidth():
    with pytest.raises(DataError, match="Give a bandwidth"):
        MeanShift(bandwidth=QuantileReach(share=0.1)).fit(np.repeat(np.eye(3), 20, axis=0))


def test_the_paths_begin_at_the_seeds_and_end_at_the_modes():
    fit = MeanShift(bandwidth=GivenReach(h=2.5), bin_seeding=False).fit(clouds())
    ends = fit.paths[:, -1]
    gaps = np.linalg.norm(ends[:, None] - fit.centers, axis=2).min(axis=1)
    assert gaps.max() < fit.bandwidth
    assert len(fit.paths) <= 150


def test_few_rows_reach_their_nearest_and_equal_ones_nothing():
    X = np.array([[0.0], [1], [9]])
    assert QuantileReach(share=0.3).width(X) == pytest.approx(10 / 3)  # 1, 1 and 8 away
    assert len(MeanShift().fit(X).centers) == 2
    for rows in (np.ones((5, 2)), np.ones((1, 2))):
        with pytest.raises(DataError, match="rows that differ; here all are equal"):
            MeanShift().fit(rows)
