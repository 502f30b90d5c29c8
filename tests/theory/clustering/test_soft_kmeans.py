"""What the theory says of soft k-means, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.memberships import Fuzzy, Gibbs, Hard, Harmonic
from mlcore.clustering.mixture_starts import GivenParameters
from mlcore.clustering.soft_kmeans import SoftKMeans
from mlcore.clustering.starts import GivenPoints
from mlcore.gaussians.covariances import Fixed
from mlcore.spine.errors import DataError

LINE_SIX = np.array([[0.0], [1], [10], [11], [20], [21]])
FOUR = np.array([[0.0], [1], [4], [5]])
FEW = {"Gibbs": Gibbs(beta=0.7), "fuzzy": Fuzzy(fuzzifier=1.7), "hard": Hard()}


def clouds(n=200, p=3, seed=0):
    """Rows around three places, close enough to overlap."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 2.0 * rng.integers(0, 3, (n, 1))


def started(membership, *values, p=1, **settings):
    """Soft k-means from given centers."""
    start = GivenPoints(values=values)
    return SoftKMeans(
        n_clusters=len(values) // p, init=start, membership=membership, tol=1e-13, **settings
    )


@pytest.mark.parametrize(
    ("membership", "centers"),
    [
        (Gibbs(beta=0.1), (0.576962, 10.5, 20.423038)),
        (Gibbs(beta=1.0), (0.5, 0.5, 15.5)),
        (Fuzzy(), (0.499787, 10.5, 20.500213)),
    ],
)
def test_a_bad_start_on_six_points_of_a_line(membership, centers):
    # With centers 0, 1 and 10 hard k-means ends at 0, 1 and 15.5; soft sharing may escape.
    fit = started(membership, 0.0, 1.0, 10.0, max_iter=5000).fit(LINE_SIX)
    np.testing.assert_allclose(np.sort(fit.centers[:, 0]), centers, atol=2e-6)


def test_fuzzy_shares_on_four_points():
    method = started(Fuzzy(), 0.0, 5.0)
    costs = [4 * s.objective for s in method.steps(FOUR) if s.state.phase == "share"]
    np.testing.assert_allclose(costs[:2], [1.882353, 0.985434], atol=1e-6)
    assert costs[-1] == pytest.approx(0.983868, abs=1e-6)
    np.testing.assert_allclose(method.fit(FOUR).centers[:, 0], [0.49692, 4.50308], atol=1e-5)


def test_a_row_on_a_prototype_is_its_own():
    for membership in (Fuzzy(), Harmonic()):
        shares = membership.shares(np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 0.0]]))
        np.testing.assert_array_equal(shares, [[1, 0, 0], [0, 1, 0]])


def test_harmonic_means_keep_the_best_though_the_cost_rises():
    # The sum of the harmonic means over the four rows falls to 2.61, then rises to 3.89.
    method = started(Harmonic(), 0.2, 3.0)
    costs = [step.objective for step in method.steps(FOUR) if step.state.phase == "share"]
    np.testing.assert_allclose(4 * np.array([costs[1], costs[-2]]), [2.61, 3.89], atol=0.006)
    assert method.fit(FOUR).mean_cost == costs[-1] == min(costs)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("r", [0, 1])
def test_the_cost_never_rises(name, r):
    X = clouds()
    method = SoftKMeans(n_clusters=4, membership=FEW[name], n_directions=r)
    objective = np.array([step.objective for step in method.steps(X, seed=2)])
    assert np.diff(objective).max() <= 1e-12 * abs(objective).max()


def test_hard_shares_are_k_means():
    X = clouds()
    soft = SoftKMeans(n_clusters=4, membership=Hard(), n_init=3).fit(X, seed=5)
    hard = KMeans(n_clusters=4, n_init=3, empty_cluster="keep").fit(X, seed=5)
    np.testing.assert_array_equal(soft.labels, hard.labels)
    np.testing.assert_allclose(soft.centers, hard.centers, rtol=1e-12)
    assert soft.mean_cost == pytest.approx(hard.distortion)


def test_gibbs_shares_are_a_mixture_of_equal_balls():
    X, beta = clouds(), 1.3
    start = X[:3]
    soft = started(Gibbs(beta=beta), *start.ravel(), p=3, max_iter=7).fit(X)
    mixture = GaussianMixture(
        n_components=3, covariance=Fixed(variance=1 / beta), mixing="equal", tol=0.0, max_iter=7,
        init=GivenParameters(means=tuple(start.ravel())), n_init=1, reg_covar=0.0,
    ).fit(X)  # fmt: skip
    np.testing.assert_allclose(soft.centers, mixture.means, rtol=1e-9)
    np.testing.assert_allclose(soft.memberships, mixture.memberships, atol=1e-9)


def test_shares_of_centers_that_are_too_soft_fall_together():
    X = clouds(p=2)
    critical = 1 / np.linalg.eigvalsh(np.cov(X.T, bias=True)).max()
    below = SoftKMeans(membership=Gibbs(beta=0.9 * critical), tol=1e-9).fit(X)
    above = SoftKMeans(membership=Gibbs(beta=1.5 * critical), tol=1e-9).fit(X)
    assert np.ptp(below.centers, axis=0).max() < 1e-3
    assert np.ptp(above.centers, axis=0).max() > 0.5


def test_centers_that_fell_together_are_told():
    fit = started(Gibbs(beta=1.0), 0.0, 1.0, 10.0, max_iter=5000).fit(LINE_SIX)
    assert fit.notes == ("3 centers lie at 2 places: ask for fewer, or share rows less softly.",)
    assert "lie at 1 place" in SoftKMeans().fit(1e-8 * clouds()).notes[0]
    assert SoftKMeans().fit(clouds()).notes == () == SoftKMeans().fit(np.ones((5, 2))).notes
    crossing = SoftKMeans(n_clusters=2, membership=Fuzzy(), n_directions=1)
    assert crossing.fit(np.vstack([np.eye(2), -np.eye(2)]) * 3.0).notes == ()


def test_lines_are_found_where_points_cannot_be():
    rng = np.random.default_rng(1)
    t = rng.uniform(-3, 3, 120)
    X = np.where(np.arange(120)[:, None] < 60, np.c_[t, 0.02 * t], np.c_[0.02 * t, t])
    X = X + 0.01 * rng.normal(size=X.shape)
    fit = SoftKMeans(n_clusters=2, membership=Fuzzy(), n_directions=1, n_init=5).fit(X)
    away = np.abs(t) > 0.5  # the lines cross
    truth = np.arange(120) < 60
    assert max((fit.labels == truth)[away].mean(), (fit.labels != truth)[away].mean()) > 0.98
    assert fit.mean_cost < 0.001


def test_shares_need_columns_for_their_directions():
    with pytest.raises(DataError, match="Lower the number of directions"):
        SoftKMeans(n_directions=1).fit(LINE_SIX)
