"""Bounds of UCB: how often an arm is pulled, and what a gap above one adds to the regret."""

from __future__ import annotations

import numpy as np

from mlcore.decisions.bandit import BanditArms, GaussianRewards
from mlcore.decisions.ucb import UCB, GaussianTail, pull_bound, regret_bound

ARMS = BanditArms().world()


def test_the_constant_of_a_bound_counts_a_gap_above_one():
    """An arm 3 worse: 4 * 3 / (1.5^2 / 2) ln n + 2 * 3. Two of the book's 2 would be too few."""
    far = BanditArms(means=(0.0, 3.0), reward_distribution=GaussianRewards(sd=1.0)).world()
    strategy, n = UCB(alpha=4.0, tail=GaussianTail(sigma=1.0)), np.array([1.0, 2000.0])
    bound = regret_bound(strategy, far, n)
    np.testing.assert_allclose(bound, 12 / 1.125 * np.log(n) + 6.0, rtol=1e-12)
    # The first pull of each arm loses 3, whatever a strategy does: more than alpha / (alpha - 2).
    assert strategy.fit(far, 2).score == 3.0
    pulls = pull_bound(strategy, far, 2000)
    np.testing.assert_allclose(pulls, [4 / 1.125 * np.log(2000) + 2, 2000], rtol=1e-12)
    assert pull_bound(UCB(alpha=2.0), ARMS, 100) is None


def test_the_bound_of_pulls_holds_and_makes_that_of_regret_where_gaps_are_at_most_one():
    strategy, n = UCB(alpha=2.5), 4000
    most = pull_bound(strategy, ARMS, n)
    each = [strategy.fit(ARMS, n, replicate=r).counts for r in range(50)]
    assert (np.mean(each, axis=0)[:3] < most[:3]).all() and most[3] == n
    assert ARMS.gaps @ most <= regret_bound(strategy, ARMS, np.array([n]))[0]
