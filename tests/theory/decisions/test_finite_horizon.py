"""Backward recursion against enumeration, value iteration and the best within a time limit."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.finite_horizon import FiniteHorizonDP
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.mdp import backup, return_of
from mlcore.decisions.planning import ValueIteration
from mlcore.decisions.table_worlds import ChainWalk, RandomMDP
from mlcore.spine.errors import DataError

WHOLE = FiniteHorizonDP(horizon=None)


@pytest.mark.parametrize(
    ("lake", "best"), [("frozen_lake", 0.744190), ("frozen_lake_8x8", 0.913220)]
)
def test_the_best_within_the_limit_of_a_lake_without_a_discount(lake, best):
    """No stationary policy is best there, and without a discount no other planner can begin."""
    world = GymWorld(environment=lake, gamma=1.0).world()
    assert world.unsolvable and ValueIteration().applies(world)
    assert WHOLE.fit(world).score == pytest.approx(best, abs=1e-6)
    assert world.best_within == WHOLE.fit(world).score
    assert np.isnan(world.best) and np.isnan(replace(world, max_steps=10**8).best_within)


def test_it_finds_the_best_of_all_plans():
    """Three decisions in three states with two actions: all 8^3 plans, written out."""
    world = replace(RandomMDP(n_states=3, n_actions=2, draw=4).world(), max_steps=3)
    rows, policies = np.arange(3), [np.array(p) for p in product(range(2), repeat=3)]
    best = -np.inf
    for plan in product(policies, repeat=3):
        values = np.zeros(3)
        for policy in plan:
            values = backup(world, values)[rows, policy]
        best = max(best, float(world.initial @ values))
    fit = WHOLE.fit(world)
    assert fit.score == pytest.approx(best, rel=1e-12)
    assert fit.stage_policies.shape == (3, 3) and fit.stage_values.shape == (4, 3)


def test_its_stages_are_the_sweeps_of_value_iteration():
    world = GridWorld().world()
    sweeps = [step.state.values for step in ValueIteration().steps(world)]
    fit = FiniteHorizonDP(horizon=10).fit(world)
    np.testing.assert_array_equal(fit.stage_values[1:], sweeps[:10])
    far = FiniteHorizonDP(horizon=150).fit(GridWorld(gamma=0.9).world())
    np.testing.assert_allclose(far.values, GridWorld(gamma=0.9).world().solution.values, atol=1e-6)


def test_a_reward_beyond_the_horizon_is_not_seen():
    world = ChainWalk(n_states=9, slip=0.0, rewarded=(9.0,)).world()
    fit = FiniteHorizonDP(horizon=3).fit(world)
    assert (fit.values > 0).tolist() == [False] * 5 + [True] * 4
    assert fit.policy[5:].tolist() == [1] * 4


@pytest.mark.parametrize("horizon", [1, 7, 40])
def test_a_short_horizon_moves_on_with_the_episode(horizon):
    """Its score is the return of an episode, never above the best within the limit."""
    world = GridWorld(max_steps=40).world()
    fit, best = FiniteHorizonDP(horizon=horizon).fit(world), WHOLE.fit(world)
    assert fit.score <= best.score + 1e-12
    assert best.score >= return_of(world, world.solution.policy) - 1e-12
    assert FiniteHorizonDP(horizon=1000).fit(world).score == best.score


def test_it_needs_states():
    with pytest.raises(DataError, match="needs a world of states"):
        WHOLE.fit(BanditArms().world())
