"""What must be true of kernel densities: values by hand, mass 1, and bandwidths that generalise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mlcore.clustering import kernel_density
from mlcore.clustering.density.bandwidths import CrossValidated
from mlcore.clustering.density.bandwidths import FixedWidth as Width
from mlcore.clustering.density.shapes import SHAPES
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.spine.errors import MlcoreError

TWO = np.array([[0.0], [1.0]])
ROWS = np.random.default_rng(0).normal(size=(200, 1))


def test_values_that_can_be_checked_on_paper():
    gauss = KernelDensity(bandwidth=Width(h=1.0)).fit(TWO)
    assert np.exp(gauss.log_density([[0.5]])) == pytest.approx(0.352065, abs=1e-6)
    box = KernelDensity(bandwidth=Width(h=1.0), kernel="box").fit(TWO)
    assert np.exp(box.log_density([[0.4]])) == pytest.approx(0.5)
    assert np.exp(box.log_density([[0.5]])) == pytest.approx(1e-300)  # a border is outside


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("p", [1, 2])
def test_it_integrates_to_one(kernel, p):
    X = np.random.default_rng(1).normal(size=(7, p))
    fit = KernelDensity(bandwidth=Width(h=0.8), kernel=kernel).fit(X)
    ends = 16.0 if kernel == "exponential" else 6.5
    line = np.linspace(-ends, ends, 12_001 if p == 1 else 701)
    grid = np.stack(np.meshgrid(*[line] * p), axis=-1).reshape(-1, p)
    mass = np.exp(fit.log_density(grid)).sum() * (line[1] - line[0]) ** p
    assert mass == pytest.approx(1.0, abs=2e-2 if p == 2 else 2e-3)  # edges fall between nodes


@pytest.mark.parametrize(("kernel", "more"), [("gaussian", 1.0), ("box", 1 / 12)])
def test_its_variance_is_that_of_the_rows_and_of_the_kernel(kernel, more):
    h = 0.7
    fit = KernelDensity(bandwidth=Width(h=h), kernel=kernel).fit(ROWS)
    line = np.linspace(-8, 8, 20_001)[:, None]
    f = np.exp(fit.log_density(line))
    f /= f.sum()
    mean = f @ line
    assert f @ (line - mean) ** 2 == pytest.approx(ROWS.var() + more * h**2, rel=1e-3)


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("p", [1, 3])
def test_rows_that_are_drawn_have_its_density(kernel, p):
    """How far draws from a single row lie from it follows K(u) u^(p - 1), as an integral says."""
    h = 0.7
    fit = KernelDensity(bandwidth=Width(h=h), kernel=kernel).fit(np.full((3, p), 2.0))
    drawn = fit.sample(20_000, seed=4)
    assert drawn.tobytes() == fit.sample(20_000, seed=4).tobytes()
    assert drawn.tobytes() != fit.sample(20_000, seed=5).tobytes()
    # Five standard errors of the widest kernel or more.
    assert drawn.mean(axis=0) == pytest.approx(2.0, abs=0.05)
    along = np.zeros((20_001, p)) + 2.0
    u = np.linspace(0.0, 30.0 if kernel == "exponential" else 5.0, 20_001)
    along[:, 0] += h * u
    if kernel == "box":  # the largest coordinate of a cube plays the part of the radius
        far = np.abs(drawn - 2.0).max(axis=1) / h
    else:
        far = np.linalg.norm(drawn - 2.0, axis=1) / h
    share = np.cumsum(np.exp(fit.log_density(along)) * u ** (p - 1))
    expected = np.interp(far, u, share / share[-1])
    assert stats.kstest(expected, "uniform").pvalue > 1e-4


def test_rows_are_drawn_by_their_weights():
    fit = KernelDensity(bandwidth=Width(h=0.01)).fit(TWO, weights=[1.0, 3.0])
    # Four standard errors of 4,000 draws.
    assert (fit.sample(4_000) > 0.5).mean() == pytest.approx(0.75, abs=0.03)


def test_each_row_is_judged_by_all_others():
    fit = KernelDensity().fit(ROWS)
    k = len(fit.bandwidths) // 2
    h, gaps = fit.bandwidths[k], ROWS - ROWS.T
    hills = np.exp(-(gaps**2) / (2 * h**2)) / (np.sqrt(2 * np.pi) * h)
    np.fill_diagonal(hills, 0.0)
    assert fit.held_out[k] == pytest.approx(np.log(hills.sum(axis=1) / 199).mean(), rel=1e-12)
    assert fit.bandwidth == fit.bandwidths[fit.held_out.argmax()]


@pytest.mark.parametrize("rule", ["leave_one_out", CrossValidated(folds=10)])
def test_the_bandwidth_for_a_gaussian_is_of_the_right_size(rule):
    found = [
        KernelDensity(bandwidth=rule)
        .fit(np.random.default_rng(seed).normal(size=(200, 1)), seed=seed)
        .bandwidth
        for seed in range(1, 6)
    ]
    # Least squared error is at 1.06 n^(-1/5) = 0.37; the likelihood varies more.
    assert 0.15 < np.median(found) < 0.5


def test_the_likelihood_of_many_is_judged_on_some(monkeypatch):
    monkeypatch.setattr(kernel_density, "MOST_JUDGED", 60)
    few = KernelDensity().fit(ROWS, seed=3)
    assert any("60 of 200" in note for note in few.notes)
    assert few.bandwidth == KernelDensity().fit(ROWS, seed=3).bandwidth


def test_equal_rows_are_told_and_need_a_bandwidth():
    with pytest.raises(MlcoreError, match="all are equal"):
        KernelDensity().fit(np.ones((5, 2)))
    with pytest.raises(MlcoreError, match="all are equal"):
        KernelDensity().fit(TWO, weights=[1.0, 0.0])
    assert np.isfinite(
        KernelDensity(bandwidth=Width(h=1.0)).fit(np.ones((5, 2))).log_density(TWO @ [[1.0, 1.0]])
    ).all()
    doubled = KernelDensity().fit(np.vstack([ROWS, ROWS[:4]]))
    assert any("4 rows equal" in note for note in doubled.notes)
