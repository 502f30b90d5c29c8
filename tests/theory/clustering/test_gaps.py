"""What must be true of mixtures of rows with missing values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mlcore.clustering.gaps import Gaps, filled
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.mixtures import Mixture, shares
from mlcore.spine.errors import DataError
from mlcore.spine.registry import entries

WEIGHTS = np.array([0.4, 0.6])
MEANS = np.array([[0.0, 0.0, 1.0], [3.0, -2.0, 0.0]])
COVARIANCES = np.array(
    [[[1.0, 0.6, 0.2], [0.6, 2.0, -0.3], [0.2, -0.3, 0.5]],
     [[2.0, -0.8, 0.0], [-0.8, 1.0, 0.4], [0.0, 0.4, 1.5]]]
)  # fmt: skip
TRUTH = Mixture(WEIGHTS, MEANS, COVARIANCES)


def drawn(n: int, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the mixture with gaps at random, some rows without any value, and their component."""
    rng = np.random.default_rng(seed)
    own = (rng.random(n) < WEIGHTS[1]).astype(int)
    X = np.array([rng.multivariate_normal(MEANS[k], COVARIANCES[k]) for k in own])
    X[rng.random(X.shape) < share] = np.nan
    return X, own


def by_definition(X: np.ndarray, mixture: Mixture) -> tuple[np.ndarray, Mixture]:
    """The log-density of what rows show, and the next parameters, row by row and in words."""
    K, p = mixture.means.shape
    logs = np.zeros((len(X), K))
    guess, left = np.zeros((len(X), K, p)), np.zeros((len(X), K, p, p))
    for i, x in enumerate(X):
        o, h = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
        for k in range(K):
            m, S = mixture.means[k], mixture.covariances[k]
            if len(o):
                logs[i, k] = multivariate_normal(m[o], S[np.ix_(o, o)]).logpdf(x[o])
            slopes = S[np.ix_(h, o)] @ np.linalg.inv(S[np.ix_(o, o)])
            guess[i, k, o], guess[i, k, h] = x[o], m[h] + slopes @ (x[o] - m[o])
            left[i, k][np.ix_(h, h)] = S[np.ix_(h, h)] - slopes @ S[np.ix_(o, h)]
    logs += np.log(mixture.weights)
    resp = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
    counts = resp.sum(axis=0)
    means = np.einsum("ik,ikp->kp", resp, guess) / counts[:, None]
    away = guess - means
    outer = np.einsum("ikp,ikq->ikpq", away, away) + left
    covariances = np.einsum("ik,ikpq->kpq", resp, outer) / counts[:, None, None]
    return logs, Mixture(counts / len(X), means, covariances)


def test_an_iteration_is_that_of_the_definition():
    X, _ = drawn(60, 0.35)
    X[7] = np.nan  # shows nothing at all
    start = {
        "means": tuple(MEANS.ravel() + 0.3), "shares": (0.5, 0.5), "spreads": (1.5,) * 6,
    }  # fmt: skip
    init = entries("mixture_start")["given"](**start)
    method = GaussianMixture(n_components=2, init=init, reg_covar=0.0, max_iter=2, tol=0.0)
    before = Mixture(np.array([0.5, 0.5]), MEANS + 0.3, np.repeat(1.5 * np.eye(3)[None], 2, axis=0))
    steps = list(method.steps(X))
    for k in (0, 2):
        logs, after = by_definition(X, before)
        np.testing.assert_allclose(before.log_joint(X), logs, atol=1e-9)
        assert steps[k].objective == pytest.approx(np.logaddexp.reduce(logs, axis=1).sum())
        state = steps[k + 1].state
        before = Mixture(state.weights, state.means, state.covariances)
        for mine, theirs in zip(before, after, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-10)


@pytest.mark.parametrize("covariance", entries("covariance"))
def test_the_likelihood_never_falls_and_nothing_missing_changes_nothing(covariance):
    X, _ = drawn(200, 0.3, seed=2)
    method = GaussianMixture(n_components=2, covariance=covariance, n_init=1, reg_covar=0.0)
    levels = [step.objective for step in method.steps(X)]  # the bound too never lies below
    assert np.diff(levels).min() > -1e-9 * abs(levels[0])
    assert len(levels) > 6
    whole = X[~np.isnan(X).any(axis=1)]
    gaps = Gaps(np.arange(len(whole)), np.array([0, len(whole)]), np.ones((1, 3), dtype=bool))
    fit = method.fit(whole)
    joint = fit.mixture.joint_of(whole, gaps)
    np.testing.assert_allclose(joint, fit.mixture.log_joint(whole), atol=1e-9)
    resp = shares(joint)[0]
    firsts, seconds = gaps.expected(whole, resp, fit.means, fit.covariances)
    counts = resp.sum(axis=0)
    means = fit.means + firsts / counts[:, None]
    np.testing.assert_allclose(means, resp.T @ whole / counts[:, None], atol=1e-9)
    direct = method.covariance.estimated(whole, resp, fit.means)
    np.testing.assert_allclose(method.covariance.of_sums(seconds, counts), direct, atol=1e-9)


def test_rows_with_gaps_say_more_than_the_whole_rows_alone():
    X, own = drawn(3000, 0.4, seed=4)
    fit = GaussianMixture(n_components=2, tol=1e-7).fit(X)
    order = np.argsort(fit.means[:, 0])
    np.testing.assert_allclose(fit.means[order], MEANS, atol=0.15)
    np.testing.assert_allclose(fit.covariances[order], COVARIANCES, atol=0.3)
    # By means of the columns in the gaps the covariances shrink.
    shrunken = GaussianMixture(n_components=1).fit(filled(X)).covariances[0]
    apart = np.var(np.column_stack([drawn(3000, 0.0, seed=4)[0]]), axis=0)
    assert (np.diagonal(shrunken) < 0.75 * apart).all()
    shows = np.isnan(X).sum(axis=1) <= 1
    agrees = np.mean(order.argsort()[fit.labels[shows]] == own[shows])
    assert agrees > 0.9
    np.testing.assert_array_equal(fit.predict(X), fit.labels)
    blank = fit.responsibilities(np.full((1, 3), np.nan))[0]
    np.testing.assert_allclose(blank, fit.weights)
    with pytest.raises(DataError, match="1 column without any value"):
        GaussianMixture().fit(np.column_stack([X, np.full(3000, np.nan)]))
