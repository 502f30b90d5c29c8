"""What the theory says of online k-means, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.memberships import Gibbs
from mlcore.clustering.online_kmeans import OnlineKMeans
from mlcore.clustering.starts import GivenPoints
from mlcore.optimisation.schedules import (
    ConstantSchedule,
    GeometricSchedule,
    InverseTimeSchedule,
    StagesSchedule,
    VisitPowerSchedule,
)
from mlcore.spine.errors import DataError, ParamError


def clouds(n=300, p=2, seed=0):
    """Rows around three places."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 6.0 * rng.integers(0, 3, (n, 1))


def started(*values, p=1, **settings):
    """In the order of the table, from given centers."""
    start = GivenPoints(values=values)
    settings = {"n_clusters": len(values) // p, "order": "given", "n_epochs": 1} | settings
    return OnlineKMeans(init=start, **settings)


def test_three_rows_by_hand():
    # 0 and 10 start; 2 pulls 0 to 1, 8 pulls 10 to 9, 3 pulls 1 to 2.
    method = started(0.0, 10.0, learning_rate=ConstantSchedule(value=0.5))
    fit = method.fit([[2.0], [8.0], [3.0]])
    np.testing.assert_array_equal(fit.centers, [[2.0], [9.0]])
    np.testing.assert_array_equal(fit.center_paths[:, :, 0], [[0, 1, 1, 2], [10, 10, 9, 9]])
    np.testing.assert_array_equal(fit.running_costs, [4.0, 4.0, 4.0])
    np.testing.assert_array_equal(fit.labels, [0, 1, 0])


def test_one_over_the_wins_is_the_mean_of_what_was_won():
    X = clouds()
    method = started(*X[:2].ravel(), p=2, learning_rate=VisitPowerSchedule(power=1.0))
    fit = method.fit(X)
    centers, wins, sums = X[:2].copy(), np.zeros(2), np.zeros((2, 2))
    for row in X:
        winner = ((row - centers) ** 2).sum(axis=1).argmin()
        wins[winner] += 1
        sums[winner] += row
        centers[winner] = sums[winner] / wins[winner]
    np.testing.assert_allclose(fit.centers, centers, rtol=1e-12)


def test_one_center_is_the_mean_of_all_rows():
    X = clouds()
    fit = started(0.0, 0.0, p=2, learning_rate=VisitPowerSchedule(power=1.0)).fit(X)
    np.testing.assert_allclose(fit.centers[0], X.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("beta", [0.3, 3.0])
def test_with_a_stiffness_every_center_goes_its_share(beta):
    X = clouds(40)
    start = X[:3].ravel()
    rate = ConstantSchedule(value=0.2)
    fit = started(*start, p=2, beta=beta, learning_rate=rate).fit(X)
    centers = X[:3].copy()
    for row in X:
        squares = ((row - centers) ** 2).sum(axis=1)
        shares = Gibbs(beta=beta).shares(squares[None])[0]
        centers += 0.2 * shares[:, None] * (row - centers)
    np.testing.assert_allclose(fit.centers, centers, rtol=1e-10)
    np.testing.assert_allclose(fit.memberships.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fit.responsibilities(X), fit.memberships)


def test_a_large_stiffness_moves_the_nearest_alone():
    X = clouds()
    hard, stiff = (OnlineKMeans(beta=beta).fit(X, seed=3) for beta in (None, 1e6))
    np.testing.assert_allclose(stiff.centers, hard.centers, rtol=1e-9)


def test_an_annealed_rate_comes_near_to_batch_k_means():
    X = clouds(2000)
    reached = OnlineKMeans(n_epochs=5).fit(X).distortion
    assert reached <= 1.01 * KMeans().fit(X).distortion


def test_the_steps_end_where_the_fit_is():
    X, method = clouds(), OnlineKMeans()
    steps = list(method.steps(X, seed=2))
    fit = method.fit(X, seed=2)
    np.testing.assert_array_equal(steps[-1].state.centers, fit.centers)
    assert steps[-1].objective == fit.distortion
    assert fit.center_paths.shape == (3, len(steps), 2)
    assert steps[0].state.reached == 1
    assert fit.reached == len(steps)


def test_schedules_over_a_run():
    np.testing.assert_allclose(
        GeometricSchedule(start=0.8, end=0.1).values(4), [0.8, 0.4, 0.2, 0.1]
    )
    np.testing.assert_allclose(InverseTimeSchedule(start=0.5, half=2.0).values(5)[[0, 2, 4]],
                               [0.5, 0.25, 0.5 / 3])  # fmt: skip
    np.testing.assert_array_equal(StagesSchedule(stages=(3, 2, 1)).values(6), [3, 3, 2, 2, 1, 1])
    assert [len(s.values(1)) for s in (GeometricSchedule(), StagesSchedule())] == [1, 1]


def test_rates_above_one_and_stages_of_nothing_are_refused():
    with pytest.raises(ParamError, match="above 1 throws a center beyond the row"):
        OnlineKMeans(learning_rate=StagesSchedule(stages=(1.5, 0.1)))
    with pytest.raises(ParamError, match="give at least one number"):
        StagesSchedule(stages=())
    with pytest.raises(ParamError, match="must not be below 0"):
        StagesSchedule(stages=(0.1, -0.1))


def test_too_few_rows_and_too_long_a_run_are_refused():
    with pytest.raises(DataError, match="3 clusters need at least 3 rows; there are 2"):
        OnlineKMeans().fit(clouds(2))
    with pytest.raises(DataError, match="Lower the number of epochs"):
        OnlineKMeans(n_epochs=10_000).fit(np.arange(6000.0)[:, None])


def test_equal_rows_have_one_center():
    fit = OnlineKMeans().fit(np.ones((6, 2)))
    assert len(fit.centers) == 1
    assert "All rows are equal" in fit.stop.why
