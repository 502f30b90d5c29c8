"""Learned models: equal to Q-learning without planning, to value iteration with the true model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.decisions import _kernels, model_based, td_control
from mlcore.decisions.blackjack import Blackjack
from mlcore.decisions.explorers import EpsilonGreedy, Greedy
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.mdp import return_of
from mlcore.decisions.model_based import ModelBasedRL, estimated, model_errors
from mlcore.decisions.model_uses import CertaintyEquivalence, DynaPlanning, PosteriorSampling, RMax
from mlcore.decisions.table_worlds import ChainWalk, RandomMDP
from mlcore.decisions.td_control import TDControl
from mlcore.optimisation.schedules import ConstantSchedule, VisitPowerSchedule
from mlcore.spine import random

HALF = ConstantSchedule(value=0.5)
# Sutton and Barto, example 8.1: reward at the goal alone.
MAZE = GridWorld(
    layout=".......#G/..#....#./S.#....#./..#....../.....#.../.........", slip=0.0, step_reward=0.0,
    gamma=0.95, max_steps=2000,
)  # fmt: skip


@pytest.mark.parametrize("rate", [HALF, VisitPowerSchedule()])
@pytest.mark.parametrize(
    "problem", [GridWorld(), GridWorld(max_steps=7), GymWorld(), Blackjack(), ChainWalk()]
)
def test_dyna_without_planning_is_q_learning_bit_for_bit(problem, rate, monkeypatch):
    for module in (model_based, td_control):
        monkeypatch.setattr(module, "stream", lambda agent, *at: random.generator(3, "same"))
    world = problem.world()
    use = DynaPlanning(planning_steps=0, learning_rate=rate)
    dyna, q = (
        ModelBasedRL(model_use=use).fit(world, 60),
        TDControl(learning_rate=rate).fit(world, 60),
    )
    for name in ("q", "visits", "online", "lengths", "greedy"):
        np.testing.assert_array_equal(getattr(dyna, name), getattr(q, name), err_msg=name)


@pytest.mark.parametrize(
    "problem", [RandomMDP(n_states=12), GymWorld(gamma=0.95), GridWorld(gamma=0.95)]
)
def test_with_the_true_model_both_ways_to_plan_find_the_optimum(problem):
    """Counts in proportion to the probabilities; Dyna's updates with steps that shrink."""
    world = problem.world()
    counts = np.round(world.chances * 1e6).astype(np.int64)
    sums = np.bincount(world.pairs, counts, world.size).astype(np.int64)
    visits = sums.reshape(world.n_states, world.n_actions)
    lists = (world.offsets, world.successors, world.rewards, world.ends, world.gamma)
    values, q = np.zeros(world.n_states), np.zeros(visits.shape)
    _kernels._plan_on_counts(*lists, counts, visits, 1, 0.0, 10_000, 1e-12, values, q)
    np.testing.assert_allclose(q, world.solution.q, atol=1e-4)
    q[:] = 0.0
    rng = np.random.default_rng(0)
    for rate in (0.5, 0.1, 0.02, 0.004):
        _kernels._dream(
            *lists,
            counts,
            visits,
            np.arange(world.size),
            world.size,
            1_000_000,
            rate,
            0.0,
            0.0,
            0,
            np.zeros_like(visits),
            rng,
            q,
        )
    np.testing.assert_allclose(q, world.solution.q, atol=0.03)


def test_planning_saves_moves_in_the_maze_of_dyna():
    """Figure 8.2: 14 moves at best, and far fewer on the way there with 50 than with 5 or 0."""
    world = MAZE.world()
    assert world.best == pytest.approx(0.95**13)
    moves = []
    for n in (0, 5, 50):
        agent = ModelBasedRL(
            model_use=DynaPlanning(planning_steps=n, learning_rate=ConstantSchedule(value=0.1))
        )
        fits = [agent.fit(world, 30, replicate=r) for r in range(5)]
        lengths = np.mean([fit.lengths for fit in fits], axis=0)
        moves.append(lengths[1:].sum())
    assert moves[0] > 2.5 * moves[1] > 3 * moves[2]
    assert lengths[-5:].mean() < 20


def test_the_model_counts_what_was_seen():
    world = GridWorld().world()
    fit = ModelBasedRL(explorer=EpsilonGreedy(epsilon=ConstantSchedule(value=1.0))).fit(world, 4000)
    sums = np.bincount(world.pairs, fit.counts, world.size).reshape(fit.visits.shape)
    np.testing.assert_array_equal(sums, fit.visits)
    np.testing.assert_allclose(estimated(world, fit.counts), world.chances, atol=0.05)
    assert fit.model_errors[-1] < 0.03 < 0.5 < fit.model_errors[0]
    nothing = np.zeros_like(fit.counts), np.zeros_like(fit.visits)
    assert (model_errors(world, *nothing) == 1).all()
    half = np.where(world.chances == 0.8, 0, fit.counts)  # as if the meant way had never come
    off = model_errors(world, half, np.bincount(world.pairs, half, world.size).reshape(-1, 4))
    assert off[0].max() == pytest.approx(0.8, abs=0.01)


def test_optimism_finds_what_chance_does_not():
    """Only the far end of the chain pays, and every step there must be meant."""
    world = ChainWalk(n_states=12, slip=0.0, rewarded=(12.0,), gamma=0.95, max_steps=30).world()
    optimist = ModelBasedRL(model_use=RMax(n_known=1), explorer=Greedy()).fit(world, 20)
    assert optimist.score == pytest.approx(return_of(world, world.solution.policy))
    assert (optimist.visits > 0).all()


def test_what_is_unknown_is_worth_what_the_use_says():
    world = GridWorld(gamma=0.9, max_steps=10).world()
    best = float(world.rewards.max()) * (1 - 0.9**10) / 0.1
    assert RMax().use(world, 5).first == pytest.approx(best)
    assert RMax(reward_max=-1.0).use(world, 5).first == -1.0
    assert CertaintyEquivalence(initial_value=2.0).use(world, 5)[:3] == (-1, 1, 2.0)


def test_certainty_equivalence_needs_fewer_episodes_than_q_learning():
    world = GridWorld().world()
    model = [
        ModelBasedRL(model_use=CertaintyEquivalence()).fit(world, 100, replicate=r)
        for r in range(8)
    ]
    plain = [TDControl().fit(world, 100, replicate=r) for r in range(8)]
    assert np.mean([f.score for f in model]) > np.mean([f.score for f in plain]) + 0.05


def _planned(world, counts, prior, *, is_drawn, rng):
    """Probabilities and values of a plan on the posterior."""
    lists = (world.offsets, world.successors, world.rewards, world.ends, world.gamma)
    chances, values = np.zeros(len(counts)), np.zeros(world.n_states)
    q = np.zeros((world.n_states, world.n_actions))
    _kernels._plan_on_posterior(
        *lists, counts, prior, is_drawn, 2000, 1e-12, rng, chances, values, q
    )
    return chances, q


def test_the_draws_have_the_moments_of_the_dirichlet_posterior():
    world = ChainWalk(n_states=2, slip=0.2).world()
    counts = np.arange(len(world.successors)) % 3
    rng = np.random.default_rng(0)
    draws = np.array([_planned(world, counts, 0.5, is_drawn=True, rng=rng)[0] for _ in range(4000)])
    total = np.bincount(world.pairs, counts + 0.5, world.size)[world.pairs]
    mean = (counts + 0.5) / total
    deviation = np.sqrt(mean * (1 - mean) / (total + 1))
    assert (np.abs(draws.mean(axis=0) - mean) <= 4.5 * deviation / np.sqrt(4000) + 1e-12).all()
    np.testing.assert_allclose(draws.std(axis=0), deviation, atol=0.015)
    shown = _planned(world, counts, 0.5, is_drawn=False, rng=rng)[0]
    np.testing.assert_allclose(shown, mean)


def test_a_posterior_of_the_truth_is_planned_on_as_the_truth():
    world = GridWorld(gamma=0.95).world()
    counts = np.round(world.chances * 1e8).astype(np.int64)
    for is_drawn in (True, False):
        rng = np.random.default_rng(0)
        q = _planned(world, counts, 1e-6, is_drawn=is_drawn, rng=rng)[1]
        np.testing.assert_allclose(q, world.solution.q, atol=2e-3)


def test_posterior_sampling_solves_two_states_and_stops_exploring():
    """On two states that slip it comes to act as the exact plan does, and to know what it meets."""
    world = ChainWalk(n_states=2, slip=0.2, rewarded=(2.0,), gamma=0.9, max_steps=50).world()
    agent = ModelBasedRL(model_use=PosteriorSampling(), explorer=Greedy())
    fits = [agent.fit(world, 60, replicate=r) for r in range(10)]
    best = return_of(world, world.solution.policy)
    assert [fit.score for fit in fits] == pytest.approx([best] * 10)
    late = np.mean([fit.online[-20:].mean() for fit in fits])
    assert late == pytest.approx(fits[0].score, abs=0.25)


def test_belief_that_is_too_strong_is_slow_to_learn():
    """Three hundred episodes hardly speak against as many visits of each transition."""
    world = GridWorld().world()
    scores = []
    for prior in (1.0, 300.0):
        agent = ModelBasedRL(model_use=PosteriorSampling(prior_count=prior), explorer=Greedy())
        scores.append(np.mean([agent.fit(world, 300, replicate=r).score for r in range(3)]))
    assert scores[0] > 0.64
    assert scores[1] < 0.3


@pytest.mark.parametrize("use", [CertaintyEquivalence(), RMax(), PosteriorSampling()])
@pytest.mark.parametrize("power", [-40, 27])
def test_the_unit_of_the_rewards_does_not_matter(use, power):
    """By a power of two every number is scaled exactly, so that the same moves are made."""
    world = GridWorld(gamma=0.9).world()
    scaled = replace(world, rewards=np.ascontiguousarray(world.rewards * 2.0**power))
    fit, other = (ModelBasedRL(model_use=use).fit(w, 20) for w in (world, scaled))
    np.testing.assert_array_equal(fit.visits, other.visits)
    np.testing.assert_array_equal(fit.q * 2.0**power, other.q)
    idle = replace(world, rewards=np.zeros_like(world.rewards))
    assert ModelBasedRL(model_use=use).fit(idle, 5).score == 0.0
