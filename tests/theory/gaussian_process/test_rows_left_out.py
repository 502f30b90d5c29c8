"""Settings by rows left out: the closed form against leaving them out, slopes by differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from mlcore.gaussian_process.approximations import FITC
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.kernels.composed import Scaled
from mlcore.kernels.evidence import Observed, Process, spectral_left_out
from mlcore.kernels.inducing import SparseProcess
from mlcore.kernels.radial import Laplacian, Matern
from mlcore.kernels.rbf import RBF
from mlcore.kernels.settings import value_at, with_value
from tests.theory.gaussian_process.test_fitc import dense

KERNEL = Scaled(factor=1.7, kernel=RBF(gamma=0.8))
W = np.linspace(0.5, 2.5, 16)
CENTERS = np.array([2, 5, 11, 14])


def curve(n=16, seed=0):
    """A sine with noise of standard deviation 0.2."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


def observed(w=W):
    return Observed(*curve(len(w)), w)


def without(rows, i):
    rest = np.arange(len(rows.y)) != i
    return Observed(rows.X[rest], rows.y[rest], rows.w[rest])


def test_the_closed_form_is_what_each_row_adds_to_the_evidence_of_all_others():
    # log p(y) - log p(y without i) = log p(y_i | y without i), a row with all of its copies.
    rows = observed()
    process = Process(rows, KERNEL, 0.1)
    each = [process.evidence - Process(without(rows, i), KERNEL, 0.1).evidence for i in range(16)]
    assert process.left_out == pytest.approx(sum(each), rel=1e-10)


def test_so_it_is_through_inducing_points_which_stay():
    rows = observed(np.ones(16))
    C, _ = dense(rows.X, CENTERS, KERNEL, 0.1, rows.X[:1])
    total = 0.0
    for i in range(16):
        rest = np.arange(16) != i
        solved = np.linalg.solve(C[np.ix_(rest, rest)], C[rest, i])
        mean, variance = solved @ rows.y[rest], C[i, i] - solved @ C[rest, i]
        total += norm.logpdf(rows.y[i], mean, np.sqrt(variance))
    # The Gram matrix of the centers is lifted by 1e-8.
    assert SparseProcess(rows, KERNEL, 0.1, CENTERS).left_out == pytest.approx(total, abs=1e-5)


def test_with_all_rows_as_inducing_points_it_is_that_of_the_process():
    rows = observed()
    sparse = SparseProcess(rows, KERNEL, 0.1, np.arange(16))
    assert sparse.left_out == pytest.approx(Process(rows, KERNEL, 0.1).left_out, abs=1e-4)


def test_many_noises_at_once_are_each_of_them():
    rows, noises = observed(), np.array([0.01, 0.1, 1.0])
    each = [Process(rows, KERNEL, s).left_out for s in noises]
    np.testing.assert_allclose(spectral_left_out(rows, KERNEL, noises), each, rtol=1e-9)
    sparse = SparseProcess(rows, KERNEL, 0.5, CENTERS)
    for noise in noises:
        alone = SparseProcess(rows, KERNEL, noise, CENTERS)
        assert sparse.with_noise(noise).left_out == alone.left_out
        assert sparse.with_noise(noise).evidence == alone.evidence


def moved(process, path, by):
    """The same process with a setting times e^by."""
    kernel, noise = process.kernel, process.noise
    if path == "noise":
        noise *= np.exp(by)
    else:
        kernel = with_value(kernel, path, value_at(kernel, path) * float(np.exp(by)))
    if isinstance(process, SparseProcess):
        return SparseProcess(process.rows, kernel, noise, process.centers)
    return Process(process.rows, kernel, noise)


@pytest.mark.parametrize("kernel", [KERNEL, Scaled(factor=0.6, kernel=Matern())])
@pytest.mark.parametrize("centers", [None, CENTERS])
@pytest.mark.parametrize("w", [W, np.ones(16)])
def test_its_gradient_is_that_of_differences(kernel, centers, w, monkeypatch):
    monkeypatch.setattr("mlcore.kernels.inducing.LEAST_BLOCK", 5)  # several blocks
    rows = observed(w)
    kernel = kernel.resolve(rows.X)
    process = (
        Process(rows, kernel, 0.1) if centers is None else SparseProcess(rows, kernel, 0.1, centers)
    )
    for path, slope in process.left_out_gradient().items():
        ends = [moved(process, path, by).left_out for by in (1e-5, -1e-5)]
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-5), path


@pytest.mark.parametrize("approximation", ["exact", FITC(n_inducing=8)])
def test_learning_by_rows_left_out_ends_where_no_setting_is_better(approximation):
    X, y = curve(40)
    method = GPRegressor(learn="loo", approximation=approximation)
    steps = list(method.steps(X, y, seed=0))
    assert (np.diff([step.objective for step in steps]) >= 0).all()
    fit = method.fit(X, y)
    means, deviations = fit.left_one_out()
    # The density of the scaled target, of which the units of the target take a part.
    total = norm.logpdf(y, means, deviations).sum() + 40 * np.log(fit.spread)
    assert total == pytest.approx(steps[-1].objective)
    other = GPRegressor(approximation=approximation).fit(X, y)
    means, deviations = other.left_one_out()
    assert total > norm.logpdf(y, means, deviations).sum() + 40 * np.log(other.spread)
    assert other.log_evidence > fit.log_evidence
    assert fit.criterion_at(fit.kernel, np.array([fit.noise]))[0] == pytest.approx(total, abs=1e-6)


def test_of_a_kernel_without_a_gradient_the_noise_is_learned():
    fit = GPRegressor(kernel=Laplacian(gamma=0.7), learn="loo").fit(*curve(30))
    assert fit.learned == ("noise",)
    assert fit.stop.kind == "converged"
