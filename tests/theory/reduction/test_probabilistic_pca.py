"""What the theory says of probabilistic PCA and factor analysis, without a reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris, load_wine

from mlcore.reduction.pca import PCA
from mlcore.reduction.probabilistic_pca import ProbabilisticPCA
from mlcore.reduction.rotations import at_random, varimax
from mlcore.spine.errors import DataError

IRIS = load_iris().data
WINE = load_wine().data
NOISES = ("isotropic", "diagonal")


@pytest.mark.parametrize(
    ("q", "likelihood", "bic"),
    [(1, -470.66946, 986.4346), (2, -404.96278, 870.0532), (3, -379.91463, 829.9782)],
)
def test_iris(q, likelihood, bic):
    fit = ProbabilisticPCA(n_components=q).fit(IRIS)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=5e-6)
    assert fit.bic == pytest.approx(bic, abs=5e-5)
    if q == 2:
        np.testing.assert_allclose(fit.noise, 0.05068215, atol=5e-9)
    if q == 3:  # as many as can be: the normal density with the covariance of the rows
        full = multivariate_normal(IRIS.mean(axis=0), np.cov(IRIS.T, ddof=0))
        np.testing.assert_allclose(fit.log_density(IRIS), full.logpdf(IRIS))


@pytest.mark.parametrize("noise", NOISES)
def test_the_density_is_that_of_the_covariance(noise):
    fit = ProbabilisticPCA(noise=noise).fit(WINE)
    covariance = fit.axes.T @ fit.axes + np.diag(fit.noise)
    expected = multivariate_normal(fit.mean, covariance).logpdf(WINE)
    np.testing.assert_allclose(fit.log_density(WINE), expected)
    assert fit.log_density(WINE).sum() == pytest.approx(fit.log_likelihood)


def test_em_reaches_the_closed_form_from_any_start():
    closed = ProbabilisticPCA().fit(IRIS)
    for seed in range(3):
        em = ProbabilisticPCA(method="em", init="random", tol=1e-14).fit(IRIS, seed=seed)
        np.testing.assert_allclose(em.axes, closed.axes, atol=1e-5)
        np.testing.assert_allclose(em.noise, closed.noise, atol=1e-6)


@pytest.mark.parametrize("init", ["pca", "random"])
@pytest.mark.parametrize("noise", NOISES)
def test_the_likelihood_never_falls(noise, init):
    method = ProbabilisticPCA(noise=noise, method="em", init=init, n_components=3)
    heights = [step.objective for step in method.steps(WINE)]
    assert (np.diff(heights) >= -1e-9 * abs(heights[-1])).all()


def test_reconstructions_are_those_of_pca():
    ours, pca = ProbabilisticPCA().fit(IRIS), PCA(n_components=2).fit(IRIS)
    back, expected = (f.inverse_transform(f.transform(IRIS)) for f in (ours, pca))
    np.testing.assert_allclose(back, expected, atol=1e-10)


@pytest.mark.parametrize("noise", NOISES)
def test_the_posterior_is_that_of_the_joint_normal(noise):
    fit = ProbabilisticPCA(noise=noise).fit(WINE)
    W = fit.axes.T
    gain = W.T @ np.linalg.inv(W @ W.T + np.diag(fit.noise))
    posterior = fit.posterior(WINE)
    np.testing.assert_allclose(posterior.means, (WINE - fit.mean) @ gain.T, atol=1e-7)
    np.testing.assert_allclose(posterior.covariance, np.eye(2) - gain @ W, atol=1e-8)


def test_factor_analysis_does_not_depend_on_units():
    X = WINE[:, 1:7]
    scale = np.array([1, 10, 0.1, 1000, 5, 2])
    one, other = (ProbabilisticPCA(noise="diagonal").fit(Y) for Y in (X, X * scale))
    np.testing.assert_allclose(other.noise, one.noise * scale**2, rtol=1e-6)
    moved = one.log_likelihood - len(X) * np.log(scale).sum()
    assert other.log_likelihood == pytest.approx(moved, rel=1e-9)


def test_true_factors_are_found():
    rng = np.random.default_rng(0)
    W, noise = rng.normal(size=(6, 2)), np.array([0.1, 1, 0.3, 2, 0.5, 0.2])
    X = rng.normal(size=(50_000, 2)) @ W.T + rng.normal(size=(50_000, 6)) * np.sqrt(noise)
    fit = ProbabilisticPCA(noise="diagonal").fit(X)
    # Eight standard errors of a variance of 50,000 rows.
    np.testing.assert_allclose(fit.noise, noise, rtol=0.05)
    np.testing.assert_allclose(fit.axes.T @ fit.axes, W @ W.T, atol=0.1)
    drawn = fit.sample(50_000, seed=1)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), atol=0.1)


def test_what_runs_to_zero_or_cannot_be_is_said():
    fit = ProbabilisticPCA(n_components=1, noise="diagonal", noise_floor=1e-3).fit(IRIS)
    assert "The noise of x3 ran to zero" in fit.notes[0]
    slow = ProbabilisticPCA(n_components=1, noise="diagonal", max_iter=1000).fit(IRIS)
    assert slow.stop.kind == "limit" and "The noise of x3 runs to zero" in slow.notes[0]
    line = np.outer(np.arange(9.0), [1, 2, 3])
    flat = ProbabilisticPCA(n_components=2).fit(line)
    assert len(flat.axes) == 1
    assert "Only 1 of 2 factors" in flat.notes[0]
    assert "explain all variance" in flat.notes[1]
    with pytest.raises(DataError, match="at least two columns"):
        ProbabilisticPCA().fit(IRIS[:, :1])


def criterion(W):
    """Of varimax, with loadings of each column scaled to length 1."""
    return (W**2 / (W**2).sum(axis=1, keepdims=True)).var(axis=0).sum()


@pytest.mark.parametrize("rotation", ["varimax", "random"])
def test_a_rotation_changes_factors_and_not_the_density(rotation):
    settings = {"n_components": 3, "noise": "diagonal"}
    fit = ProbabilisticPCA(rotation=rotation, **settings).fit(WINE)
    plain = ProbabilisticPCA(**settings).fit(WINE)
    np.testing.assert_allclose(fit.axes.T @ fit.axes, plain.axes.T @ plain.axes, atol=1e-8)
    np.testing.assert_allclose(fit.log_density(WINE), plain.log_density(WINE), rtol=1e-9)
    assert (fit.log_likelihood, fit.bic) == (plain.log_likelihood, plain.bic)
    assert (np.diff(fit.variances) <= 0).all()
    rows = [each.inverse_transform(each.transform(WINE)) for each in (fit, plain)]
    np.testing.assert_allclose(*rows, rtol=1e-7)


def test_varimax_is_the_best_of_all_turns_in_a_plane_whatever_the_units():
    rng = np.random.default_rng(3)
    W = rng.normal(size=(9, 2))
    turned = varimax(W)
    angles = np.linspace(0.0, np.pi / 2, 20_001)
    tried = [
        criterion(W @ np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])) for t in angles
    ]
    assert criterion(turned) == pytest.approx(max(tried), abs=1e-7)
    units = rng.uniform(0.01, 100.0, size=(9, 1))
    np.testing.assert_allclose(varimax(units * W), units * turned, rtol=1e-6, atol=1e-9)


def test_varimax_finds_columns_that_load_on_one_factor_alone():
    simple = np.kron(np.eye(3), np.ones((4, 1))) * np.linspace(0.5, 1.5, 12)[:, None]
    mixed = at_random(simple, np.random.default_rng(0))
    found = np.abs(varimax(mixed))
    np.testing.assert_allclose(np.sort(found, axis=1), np.sort(simple, axis=1), atol=1e-6)
    np.testing.assert_array_equal(varimax(np.zeros((4, 2))), np.zeros((4, 2)))
