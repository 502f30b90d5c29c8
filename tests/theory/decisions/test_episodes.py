"""Episodes of a policy: what they earn in the mean, and that the time is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.decisions.episodes import followed
from mlcore.decisions.finite_horizon import FiniteHorizonDP
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.mdp import return_of
from mlcore.decisions.table_worlds import ChainWalk


def test_episodes_earn_in_the_mean_what_the_tables_say():
    mdp = GridWorld(max_steps=12).world()
    policy, rng = mdp.solution.policy, np.random.default_rng(0)
    earned = [followed(mdp, policy[None], rng).earned(mdp.gamma) for _ in range(800)]
    error = np.std(earned) / np.sqrt(len(earned))
    assert np.mean(earned) == pytest.approx(return_of(mdp, policy), abs=4 * error)
    assert error < 0.03


def test_each_move_is_an_entry_of_the_tables():
    mdp = GridWorld(slip=0.4).world()
    e = followed(mdp, mdp.solution.policy[None], np.random.default_rng(3))
    assert e.is_over and mdp.initial[e.states[0]] > 0
    for s, a, to, reward, chance in zip(
        e.states[:-1], e.actions, e.states[1:], e.rewards, e.chances, strict=True
    ):
        assert a == mdp.solution.policy[s]
        row = s * mdp.n_actions + a
        own = slice(mdp.offsets[row], mdp.offsets[row + 1])
        there = (mdp.successors[own] == to) & (mdp.rewards[own] == reward)
        assert chance in mdp.chances[own][there]


def test_a_plan_looks_at_the_decisions_left():
    mdp = ChainWalk(max_steps=6).world()
    fit = FiniteHorizonDP(horizon=4).fit(mdp)
    e = followed(mdp, fit.stage_policies, np.random.default_rng(1))
    assert e.n == 6 and not e.is_over
    left = [4, 4, 4, 3, 2, 1]
    np.testing.assert_array_equal(
        e.actions, [fit.stage_policies[k - 1, s] for k, s in zip(left, e.states[:-1], strict=True)]
    )
