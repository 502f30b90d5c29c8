"""Exp3 against its recursion written out, its bound, and what others do where rewards change."""

from __future__ import annotations

from math import e, log, sqrt

import numpy as np
import pytest

from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.adversarial import AdversarialArms
from mlcore.decisions.agent import stream
from mlcore.decisions.bandit import BanditArms, Draw, GaussianRewards
from mlcore.decisions.exp3 import Exp3
from mlcore.decisions.explorers import Greedy
from mlcore.decisions.ucb import UCB
from mlcore.decisions.uniform import UniformArms
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator

TURNING = AdversarialArms().world()
ROUNDS = 2000


def mean_regret(strategy, world=TURNING, n=ROUNDS, replicates=60):
    scores = [strategy.fit(world, n, replicate=r).score for r in range(replicates)]
    return np.mean(scores), np.std(scores, ddof=1) / np.sqrt(replicates)


def by_hand(agent, world, n, gamma):
    """Exp3 as the paper writes it, with weights that are not kept as logarithms."""
    gains = world.stacks(n, generator(0, "rewards 0"))
    rng, K = stream(agent, 0, 0), world.n_arms
    w, pulls, p = np.ones(K), [], None
    for t in range(n):
        p = (1 - gamma) * w / w.sum() + gamma / K
        arm = int(np.searchsorted(np.cumsum(p), rng.random(), side="right"))
        arm = min(arm, K - 1)
        w[arm] *= np.exp(gamma * gains[arm, t] / p[arm] / K)
        pulls.append(arm)
    return np.array(pulls), p


def test_it_draws_as_the_recursion_says():
    agent = Exp3(gamma=0.2)
    pulls, p = by_hand(agent, TURNING, 300, 0.2)
    fit = agent.fit(TURNING, 300)
    assert fit.counts.tolist() == np.bincount(pulls, minlength=3).tolist()
    np.testing.assert_allclose(fit.chances[-1], p, rtol=1e-9)
    np.testing.assert_allclose(fit.chances.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(fit.chances[0], 1 / 3)
    assert fit.chances.min() >= 0.2 / 3


def test_weights_may_grow_beyond_the_largest_number():
    """After 20,000 rounds the weight of the best arm is about e^2000."""
    fit = Exp3(gamma=0.5).fit(BanditArms().world(), 20_000)
    np.testing.assert_allclose(fit.chances[-1], [0.125, 0.125, 0.125, 0.625], rtol=1e-6)


def test_the_usual_gamma_makes_the_bound_the_known_one():
    n, K = 10_000, 4
    gamma = Exp3().mixing(K, n)
    assert gamma == pytest.approx(sqrt(K * log(K) / ((e - 1) * n)))
    bound = Exp3().regret_bound(BanditArms().world(), np.array([n]))
    assert bound[0] == pytest.approx(2 * sqrt(e - 1) * sqrt(n * K * log(K)))
    assert bound[0] == pytest.approx(617.3549, abs=1e-3)
    assert Exp3().mixing(2, 1) == pytest.approx(sqrt(2 * log(2) / (e - 1)))
    assert Exp3().mixing(20, 5) == 1.0


@pytest.mark.parametrize("change_point", [0.0, 0.35, 0.5, 0.8])
def test_its_regret_lies_under_its_bound_whenever_the_world_changes(change_point):
    world = AdversarialArms(change_point=change_point).world()
    mean, error = mean_regret(Exp3(), world)
    assert mean + 4 * error < Exp3().regret_bound(world, np.array([ROUNDS]))[0]


def test_whoever_trusts_means_alone_stays_with_what_was_good():
    mean, error = mean_regret(ActionValueBandit(explorer=Greedy()))
    assert mean - 4 * error > mean_regret(Exp3())[0]
    assert mean > Exp3().regret_bound(TURNING, np.array([ROUNDS]))[0]


def test_where_nothing_turns_it_pays_for_its_caution():
    arms = BanditArms().world()
    assert mean_regret(Exp3(), arms)[0] > 1.5 * mean_regret(UCB(), arms)[0]


def test_regret_is_counted_against_the_best_arm_of_the_rewards_drawn():
    rewards = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    losing = TURNING.regret(np.array([1, 1, 0, 0]), Draw(rewards, np.empty((4, 0))))
    assert losing.tolist() == [1.0, 2.0, 2.0, 2.0]
    changing = TURNING.regret(np.array([0, 0, 1, 1]), Draw(rewards, np.empty((4, 0))))
    assert changing.tolist() == [0.0, 0.0, -1.0, -2.0]


def test_rewards_belong_to_rounds_and_change_when_said():
    world = AdversarialArms(means=(1.0, 0.0), late_means=(0.0, 1.0), change_point=0.25).world()
    assert world.stacks(8, generator(0, "any")).tolist() == [[1, 1] + [0] * 6, [0, 0] + [1] * 6]
    assert world.means.tolist() == [0.25, 0.75]
    assert (
        world.change_points(8) == (2,)
        and AdversarialArms(change_point=0.0).world().change_points(8) == ()
    )
    fit = UniformArms().fit(world, 400)
    assert fit.score == pytest.approx(100, abs=5 * 10)
    assert world.slope() == 0.0 and UCB().regret_bound(world, np.array([8])) is None


def test_what_cannot_be_is_said():
    with pytest.raises(DataError, match="Exp3 needs rewards between 0 and 1"):
        Exp3().fit(BanditArms(reward_distribution=GaussianRewards()).world(), 10)
    with pytest.raises(ParamError, match="got 2 and 3 means"):
        AdversarialArms(means=(0.1, 0.2))
    with pytest.raises(ParamError, match="between 0 and 1"):
        AdversarialArms(means=(0.1, 2.0, 0.3))
