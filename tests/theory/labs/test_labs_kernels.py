"""The central numbers of the labs on kernels and Gaussian processes."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.labs.kernels.cost_lab import CostLab
from mlcore.labs.kernels.gp_block_lab import GPBlockLab, regressed
from mlcore.labs.kernels.gp_lab import KERNELS, PLACES, GPLab
from mlcore.labs.kernels.gpc_lab import GPCLab
from mlcore.labs.kernels.krr_complexity import (
    STRENGTHS,
    KRRComplexityLab,
    _left_out,
    _left_out_by,
    _rows,
)
from mlcore.labs.kernels.novelty_lab import NoveltyLab


@pytest.mark.parametrize("kernel", KERNELS)
def test_one_observation_leaves_what_the_formula_leaves_and_widens_the_band_nowhere(kernel):
    one = GPLab(kernel=kernel, at=(30,), further=0, noise=0.5, width=20.0).compute(0)
    np.testing.assert_allclose(one.before, 1.0)
    assert one.deviation[30] == pytest.approx(np.sqrt(0.25 / 1.25))  # 1 - 1 / (1 + s^2)
    assert one.mean[30] == pytest.approx(one.y[0] / 1.25)
    more = GPLab(kernel=kernel, at=(30, 80, 55), noise=0.5, width=20.0, further=4).compute(0)
    assert (more.deviation <= more.before + 1e-12).all()
    assert more.deviation[more.at[-1]] < more.before[more.at[-1]]


def test_without_an_observation_it_is_the_prior_and_the_band_does_not_ask_what_was_seen():
    prior = GPLab(at=(), further=0).compute(0)
    np.testing.assert_array_equal(prior.mean, 0.0)
    np.testing.assert_allclose(prior.deviation, 1.0)
    one, other = GPLab().compute(0), GPLab().compute(1)
    assert (one.y != other.y).all()
    np.testing.assert_array_equal(one.deviation, other.deviation)


def test_the_process_is_bayesian_regression_on_the_features_of_its_kernel():
    # Weight space: with f = w' phi and w normal about zero, phi the scaled eigenvectors of K.
    lab = GPLab(at=(10, 50, 90), noise=0.3, width=15.0)
    seen = lab.compute(0)
    values, vectors = np.linalg.eigh(lab._kernel(15.0).against(PLACES[:, None] * 1.0)(
        PLACES[:, None] * 1.0
    ))  # fmt: skip
    phi = vectors * np.sqrt(np.maximum(values, 0.0))
    precision = np.eye(len(phi)) + phi[seen.at].T @ phi[seen.at] / 0.09
    w = np.linalg.solve(precision, phi[seen.at].T @ seen.y / 0.09)
    np.testing.assert_allclose(seen.mean, phi @ w, atol=1e-7)
    np.testing.assert_allclose(
        seen.deviation**2,
        np.einsum("ij,ij->i", phi, np.linalg.solve(precision, phi.T).T),
        atol=1e-7,
    )


def test_a_click_observes_and_a_second_one_takes_it_back():
    lab = GPLab(at=(20,)).clicked((60,))
    assert lab.at == (20, 60)
    assert lab.clicked((20,)).at == (60,)
    assert lab.clicked((1000,)) == lab


def test_an_averaged_probability_lies_between_one_half_and_the_squashed_mean():
    # f and its mirror image about the mean average to less than the mean squashed, on that side.
    seen = GPCLab().compute(3)
    sure, averaged = seen.plug_in - 0.5, seen.averaged - 0.5
    assert (sure * averaged >= 0).all()
    assert (np.abs(averaged) <= np.abs(sure) + 1e-9).all()
    assert np.abs(sure - averaged).max() > 0.1
    assert abs(averaged[-1]) < 0.01  # 3.5 widths beyond the last row
    np.testing.assert_allclose(seen.deviation[-1], 5.0, rtol=1e-3)  # the prior again
    assert min(seen.losses) > seen.least  # nobody beats the truth on 4000 rows


def test_the_process_of_a_line_is_bayesian_logistic_regression_of_two_weights():
    seen = GPCLab(kernel="linear", prior=2.0, n_rows=20).compute(0)
    assert seen.weights is not None and GPCLab(n_rows=6).compute(0).weights is None
    w, along = seen.weights, (seen.x - 35) / 30
    np.testing.assert_allclose(seen.latent, w.latent, atol=1e-6)
    np.testing.assert_allclose(seen.deviation, w.deviation, atol=1e-6)
    # At the mode the slope of likelihood and prior is 0, and the density has its peak.
    off = seen.y - 1 / (1 + np.exp(-w.mode[0] - w.mode[1] * along))
    np.testing.assert_allclose([off.sum(), off @ along], w.mode / 4.0, atol=1e-8)
    assert w.density[40, 40] == w.density.max() == 1.0
    # The draws are of that density: its means at 35 and, of the rise, from there to 65.
    share = w.density / w.density.sum()
    rise = seen.drawn_latent[65] - seen.drawn_latent[35]
    assert seen.drawn_latent[35] == pytest.approx(share.sum(axis=0) @ w.intercepts, abs=0.15)
    assert rise == pytest.approx(share.sum(axis=1) @ w.slopes, abs=0.3)


def test_rows_left_out_in_closed_form_are_those_of_fits_without_them():
    lab = KRRComplexityLab(n_rows=20)
    X, y = _rows(20, np.random.default_rng(0))
    fit = lab._fit(X, y, 0.4, 0.1)
    kept = [np.arange(20) != i for i in range(20)]
    without = [lab._fit(X[k], y[k], 0.4, 0.1).predict(X[~k])[0] > 0 for k in kept]
    assert _left_out(fit, y) == pytest.approx((np.array(without) != y).mean())


@pytest.mark.parametrize("kernel", ["Gaussian", "Laplacian"])
@pytest.mark.parametrize("width", [0.05, 0.6, 10.0])
def test_one_decomposition_gives_the_rows_left_out_under_every_strength(kernel, width):
    lab = KRRComplexityLab(n_rows=30, kernel=kernel)
    X, y = _rows(30, np.random.default_rng(4))
    each = [_left_out(lab._fit(X, y, width, float(alpha)), y) for alpha in STRENGTHS]
    np.testing.assert_array_equal(_left_out_by(lab._kernel(width), X, y), each)


def test_a_narrow_kernel_knows_its_rows_by_heart_and_the_least_of_many_errors_flatters():
    seen = KRRComplexityLab(n_rows=20).compute(1)
    narrow, _, wide = seen.panels
    assert narrow.train == 0.0
    assert min(narrow.test, wide.test) > seen.test.min()
    # Selected by luck among 85 settings: ten tables on average, by more than their spread.
    gap = seen.honest - seen.selected
    assert gap.mean() > 2 * gap.std() / np.sqrt(len(gap))


def test_one_block_is_the_process_and_several_are_a_process_each():
    one = GPBlockLab(n_blocks=1).compute(0)
    np.testing.assert_allclose(one.blocked, one.whole, atol=1e-10)
    assert one.share == 1.0
    lab = GPBlockLab(n_blocks=3, width=15.0)
    seen = lab.compute(1)
    places = np.linspace(0.0, 100.0, 101)[:, None]
    for k, part in enumerate(seen.parts):
        own = seen.block == k
        alone = lab._whole(seen.x[own], seen.y[own])
        np.testing.assert_allclose(part, alone.predict(places), atol=1e-8)
    assert (np.diff(seen.block) >= 0).all() and seen.is_covariance


def test_blocks_of_one_row_add_its_target_times_its_likeness():
    seen = GPBlockLab(n_rows=12, n_blocks=12, width=9.0, noise=0.5).compute(2)
    likeness = np.exp(-((np.linspace(0, 100, 101)[:, None] - seen.x) ** 2) / (2 * 81.0))
    np.testing.assert_allclose(seen.blocked, likeness @ seen.y / 1.25, atol=1e-12)


def test_blocks_agree_near_rows_while_the_gaps_are_wider_than_the_kernel():
    seen = GPBlockLab(width=2.0).compute(0)
    np.testing.assert_allclose(seen.blocked[seen.is_near], seen.whole[seen.is_near], atol=0.02)
    cut = GPBlockLab(width=2.0, n_blocks=12).compute(0)
    assert np.abs(cut.blocked - cut.whole)[cut.is_near].max() > 0.3


def test_a_threshold_leaves_a_matrix_that_need_be_no_covariance():
    seen = GPBlockLab(threshold=0.5).compute(0)
    assert ((seen.kept == 0) | (seen.kept >= 0.5)).all()
    assert not seen.is_covariance
    assert seen.least == pytest.approx(np.linalg.eigvalsh(seen.kept).min())


def test_the_mixture_predicts_the_mean_of_y_at_its_x():
    lab = GPBlockLab()
    x, y = lab._rows(0)
    mixture = lab._mixture(x, y, 0)
    grid = np.linspace(-12.0, 12.0, 4001)
    for place in (20.0, 50.0, 88.0):
        rows = np.column_stack([np.full_like(grid, place / 10.0), grid])
        density = np.exp(mixture.log_density(rows))
        expected = (grid * density).sum() / density.sum()
        assert regressed(mixture.mixture, np.array([place]))[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("setting", [{}, {"width": 0.1}, {"with_odd": True}, {"kernel": "linear"}])
def test_nu_lies_between_the_rows_outside_and_those_that_carry_the_border(setting):
    seen = NoveltyLab(**setting).compute(0)
    assert (seen.learned <= seen.shares + 1e-9).all()
    assert (seen.carrying >= seen.shares - 1e-9).all()
    if setting.get("width"):  # a ring around every row: new rows are all new
        assert seen.usual.min() > 0.8 > 0.5 > seen.learned.max()


def test_systems_of_equations_are_cubic_and_machines_about_quadratic():
    seen = CostLab(tries=7).compute(0)
    ridge, process, machine = seen.work
    n = 800.0  # rows of two columns
    assert ridge[-1] == n**2 + n**3 / 3
    assert process[-1] == 7 * (n**2 + n**3)
    assert machine[-1] == n**2 + 4 * n * seen.moves[-1]
    assert seen.exponents[:2] == pytest.approx(3.0, abs=0.02)
    assert 1.7 < seen.exponents[2] < 2.6
    assert (seen.moves < seen.sizes).all() and (seen.support <= seen.sizes).all()


def test_a_large_C_makes_overlapping_classes_hard_for_the_machine_alone():
    easy, hard = (CostLab(distance=0.5, C=C, most_rows=400).compute(0) for C in (1.0, 100.0))
    assert (hard.moves > 10 * easy.moves).all()
    np.testing.assert_array_equal(hard.work[:2], easy.work[:2])
    assert hard.work[2, -1] > hard.work[0, -1] > 10 * easy.work[2, -1]
