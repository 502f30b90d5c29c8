"""The process through centers, against the covariance that it stands for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mlcore.gaussian_process.approximations import FITC
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.kernels.composed import Scaled
from mlcore.kernels.evidence import Observed, Process
from mlcore.kernels.inducing import SparseProcess, spread_rows
from mlcore.kernels.products import Linear
from mlcore.kernels.radial import Matern
from mlcore.kernels.rbf import RBF
from mlcore.kernels.settings import value_at, with_value

KERNEL = Scaled(factor=1.7, kernel=RBF(gamma=0.8))
PLAIN = {"kernel": KERNEL, "noise": 0.1, "learn": "none", "scaling": "none"}
NEW = np.linspace(-4, 4, 9)[:, None]


def curve(n=30, seed=0):
    """A sine with noise of standard deviation 0.2."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


def dense(X, centers, kernel, noise, new):
    """Covariance of the targets, (n, n), and of them with the function at new rows, (n, m)."""
    both, Z = np.vstack([X, new]), X[centers]
    across = kernel.against(Z)(both)
    Q = across @ np.linalg.solve(kernel.against(Z)(Z), across.T)
    n = len(X)
    own = kernel.diag(X) - np.diag(Q)[:n] + noise
    return Q[:n, :n] + np.diag(own), Q[:n, n:]


def test_evidence_mean_and_variance_are_those_of_its_covariance():
    X, y = curve()
    centers = np.argsort(X[:, 0])[::4]
    process = SparseProcess(Observed(X, y, np.ones(30)), KERNEL, 0.1, centers)
    C, cross = dense(X, centers, KERNEL, 0.1, NEW)
    wanted = multivariate_normal(np.zeros(30), C).logpdf(y)
    assert process.evidence == pytest.approx(wanted, abs=1e-5)
    np.testing.assert_allclose(process.precisions, np.diag(np.linalg.inv(C)), rtol=1e-5)
    fit = GPRegressor(approximation=FITC(n_inducing=8), **PLAIN).fit(X, y)
    C, cross = dense(X, fit.inducing, KERNEL, 0.1, NEW)
    np.testing.assert_allclose(fit.predict(NEW), cross.T @ np.linalg.solve(C, y), atol=1e-5)
    taken = np.einsum("ij,ij->j", cross, np.linalg.solve(C, cross))
    np.testing.assert_allclose(fit.function_deviation(NEW) ** 2, 1.7 - taken, atol=1e-5)


@pytest.mark.parametrize("learn", ["none", "evidence"])
def test_with_all_rows_as_centers_it_is_the_process_itself(learn):
    X, y = curve()
    method = GPRegressor(**{**PLAIN, "learn": learn})
    exact = method.fit(X, y)
    fit = replace(method, approximation=FITC(n_inducing=30)).fit(X, y)
    assert fit.log_evidence == pytest.approx(exact.log_evidence, abs=1e-4)
    np.testing.assert_allclose(fit.predict(NEW), exact.predict(NEW), atol=1e-3)
    deviations = fit.function_deviation(NEW), exact.function_deviation(NEW)
    np.testing.assert_allclose(*deviations, atol=1e-3)
    for mine, theirs in zip(fit.left_one_out(), exact.left_one_out(), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-3)
    draws = (f.sample_functions(NEW, 3, seed=5) for f in (fit, exact))
    np.testing.assert_allclose(*draws, atol=1e-2)


@pytest.mark.parametrize(
    "kernel", [KERNEL, Scaled(factor=0.6, kernel=Matern()), Scaled(factor=2.0, kernel=Linear())]
)
def test_its_gradient_is_that_of_differences(kernel, monkeypatch):
    monkeypatch.setattr("mlcore.kernels.inducing.LEAST_BLOCK", 10)  # several blocks
    X, y = curve()
    rows = Observed(np.hstack([X, X**2]), y, np.linspace(0.5, 2.0, 30))
    centers = np.array([3, 11, 20, 28]) if kernel is not None else None
    kernel = kernel.resolve(rows.X)
    gradient = SparseProcess(rows, kernel, 0.1, centers).gradient()
    for path, slope in gradient.items():
        ends = []
        for by in (1e-5, -1e-5):
            if path == "noise":
                ends.append(SparseProcess(rows, kernel, 0.1 * np.exp(by), centers).evidence)
            else:
                moved = with_value(kernel, path, value_at(kernel, path) * float(np.exp(by)))
                ends.append(SparseProcess(rows, moved, 0.1, centers).evidence)
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-5), path


def test_a_weight_of_two_is_a_row_that_is_twice_there():
    X, y = curve(12)
    w = np.array([1.0, 2.0, 3.0] * 4)
    twice, centers = np.repeat(np.arange(12), w.astype(int)), np.array([0, 4, 8])
    weighted = SparseProcess(Observed(X, y, w), KERNEL, 0.1, centers)
    at = np.searchsorted(twice, centers)
    repeated = SparseProcess(Observed(X[twice], y[twice], np.ones(24)), KERNEL, 0.1, at)
    assert weighted.evidence == pytest.approx(repeated.evidence, rel=1e-9)
    np.testing.assert_allclose(weighted.own_weights, repeated.own_weights, rtol=1e-6)
    for path, slope in repeated.gradient().items():
        assert weighted.gradient()[path] == pytest.approx(slope, rel=1e-6)


def test_few_centers_come_near_to_the_process_of_many_rows():
    X, y = curve(400)
    exact, fit = (GPRegressor(approximation=it).fit(X, y) for it in ("exact", FITC(n_inducing=25)))
    assert len(fit.inducing) == 25
    inside = np.linspace(-2.8, 2.8, 30)[:, None]
    np.testing.assert_allclose(fit.predict(inside), exact.predict(inside), atol=0.03)
    assert fit.noise == pytest.approx(exact.noise, rel=0.05)
    bound = Process(Observed(exact.rows, exact.target, np.ones(400)), fit.kernel, fit.noise)
    assert abs(fit.log_evidence - bound.evidence) < 0.01 * abs(bound.evidence)


def test_inducing_points_lie_where_rows_are_and_apart():
    X, _ = curve(300)
    at = np.sort(X[spread_rows(X, 12), 0])
    assert len(at) == 12 and np.diff(at).max() < 3 * np.diff(at).min()
    assert np.array_equal(spread_rows(X, 500), np.arange(300))
    alike = np.repeat(X[:5], 20, axis=0)  # of five different rows, each once
    assert len(np.unique(alike[spread_rows(alike, 12)], axis=0)) == 5 == len(spread_rows(alike, 12))


@pytest.mark.parametrize("approximation", ["exact", "fitc"])
def test_a_step_has_all_of_the_fit_that_changes(approximation):
    """A picture at a step is that of the fit with what the state has in common with it."""
    X, y = curve(60)
    method = GPRegressor(approximation=approximation, max_iter=3)
    first, *_ = method.steps(X, y)
    stopped = replace(method, learn="none").fit(X, y)
    shown = replace(method.fit(X, y), **vars(first.state))
    np.testing.assert_allclose(shown.function_deviation(NEW), stopped.function_deviation(NEW))
    np.testing.assert_allclose(shown.predict(NEW), stopped.predict(NEW))
