"""What the theory says of the draws of a Gaussian process of classes, without a reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from mlcore.gaussian_process.averages import averaged_logistic
from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.gaussian_process.slices import independent_draws
from mlcore.kernels.composed import Scaled
from mlcore.kernels.rbf import RBF

KERNEL = Scaled(kernel=RBF.from_sigma(0.3), factor=9.0)
CHAIN = GPClassifier(kernel=KERNEL, learn="none", inference="mcmc")


def by_quadrature(X, sign, w, place):
    """P(y = 1) at a place by a sum over a grid of the latent values of two rows."""
    K, cross = KERNEL(X), KERNEL(X, place)
    grid = np.linspace(-18, 18, 721)
    f = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    inverse = np.linalg.inv(K)
    density = np.exp(-0.5 * np.einsum("ij,jk,ik->i", f, inverse, f))
    density *= np.prod(expit(sign * f) ** w, axis=1)
    left = float(KERNEL(place)[0, 0] - (cross.T @ inverse @ cross)[0, 0])
    mean = f @ inverse @ cross[:, 0]
    return density @ averaged_logistic(mean, np.full(len(f), np.sqrt(left))) / density.sum()


@pytest.mark.parametrize(
    ("y", "w"), [((1, 0), (1.0, 1.0)), ((1, 0), (3.0, 0.5)), ((0, 1), (0.2, 6.0))]
)
def test_probabilities_are_those_of_a_sum_over_all_latent_values(y, w):
    X, place = np.array([[0.1], [0.45]]), np.array([[0.25]])
    sign = 2.0 * np.array(y) - 1.0
    exact = by_quadrature(X, sign, np.array(w), place)
    fit = CHAIN.fit(X, np.array(y), weights=np.array(w), seed=0)
    error = fit.sampling_error(place)[0, 0]
    assert fit.probabilities(place)[0, 1] == pytest.approx(exact, abs=3.5 * error)
    assert error < 0.012


def test_draws_are_off_by_what_they_say():
    X, y = np.array([[0.1], [0.3], [0.7], [0.9]]), np.array([1, 1, 0, 0])
    fits = [CHAIN.fit(X, y, seed=seed) for seed in range(16)]
    P = np.array([fit.probabilities([[0.2]])[0, 1] for fit in fits])
    told = float(np.mean([fit.sampling_error([[0.2]])[0, 0] for fit in fits]))
    # 0.84374 by two million draws of the prior, weighted by their likelihood.
    assert P.mean() == pytest.approx(0.84374, abs=3.5 * told / 4)
    assert 0.4 * told < P.std(ddof=1) < 2.5 * told


def test_of_a_function_that_hardly_varies_the_gaussian_is_enough():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    method = GPClassifier(kernel=Scaled(kernel=RBF(gamma=0.3), factor=0.3), learn="none")
    chain = GPClassifier(kernel=method.kernel, learn="none", inference="mcmc")
    one, other = method.fit(X, y), chain.fit(X, y, seed=1)
    np.testing.assert_allclose(other.probabilities(X), one.probabilities(X), atol=0.02)
    np.testing.assert_allclose(other.latent_deviation(X), one.latent_deviation(X), rtol=0.15)


def test_far_from_the_rows_no_class_is_more_probable():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.searchsorted([-0.4, 0.4], X[:, 0])
    fit = GPClassifier(learn="none", inference="mcmc", n_draws=50).fit(X, y, seed=0)
    np.testing.assert_allclose(fit.probabilities([[99.0, 99.0]]), 1 / 3, rtol=1e-12)
    np.testing.assert_array_equal(fit.predict(X), fit.classes[fit.probabilities(X).argmax(axis=1)])


def test_steps_keep_what_counts_and_a_longer_chain_begins_as_a_shorter_one():
    X, y = np.array([[0.1], [0.3], [0.7], [0.9]]), np.array([1, 1, 0, 0])
    method = GPClassifier(kernel=KERNEL, learn="none", inference="mcmc", n_draws=40, burn_in=8)
    sizes = [step.state.kept.shape[1] for step in method.steps(X, y, seed=3)]
    assert sizes[:4] == [1, 1, 1, 1] and sizes[-1] == 40
    fit = method.fit(X, y, seed=3)
    longer = GPClassifier(kernel=KERNEL, learn="none", inference="mcmc", n_draws=60, burn_in=8)
    np.testing.assert_allclose(longer.fit(X, y, seed=3).drawn[:, :40], fit.drawn, rtol=1e-12)


def test_independent_draws_of_a_chain_of_known_memory():
    rng = np.random.default_rng(0)
    noise, trace = rng.normal(size=40_000), np.zeros(40_000)
    for t in range(1, len(trace)):
        trace[t] = 0.8 * trace[t - 1] + noise[t]
    assert independent_draws(trace) == pytest.approx(len(trace) / 9, rel=0.15)
    assert independent_draws(noise) == pytest.approx(len(noise), rel=0.05)
    assert independent_draws(np.ones(50)) == 1.0


def test_the_fit_keeps_the_log_likelihood_of_each_draw():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    fit = replace(CHAIN, n_draws=30, burn_in=5).fit(X, y, seed=1)
    latent = fit.drawn[0] @ fit.kernels[0](X)
    expected = -np.logaddexp(0.0, -latent * [-1, 1, 1]).sum(axis=1)
    np.testing.assert_allclose(fit.log_likelihoods[0], expected, atol=1e-4)  # the matrix is lifted
