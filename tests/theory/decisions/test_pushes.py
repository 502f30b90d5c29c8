"""Actions of any amount: worlds against Gymnasium, Gaussian policies against their definitions."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mlcore.decisions.continuous.actor_critic import ActorCritic
from mlcore.decisions.continuous.cart_pole import CartPole
from mlcore.decisions.continuous.mountain_car import PushedCar
from mlcore.decisions.continuous.pendulum import Pendulum
from mlcore.decisions.continuous.policies import GaussianPolicy, SoftmaxPolicy
from mlcore.decisions.continuous.reinforce import PolicyGradient
from mlcore.decisions.environments import VectorEnv, newest
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.policy_gradients import natural_policy_gradient
from mlcore.optimisation.schedules import ConstantSchedule
from mlcore.spine.errors import DataError

THEIRS = {"Pendulum": Pendulum(), "MountainCarContinuous": PushedCar()}
PENDULUM = Pendulum().world()


def rate(value):
    return ConstantSchedule(value=value)


@pytest.mark.parametrize("name", list(THEIRS))
def test_moves_are_those_of_gymnasium(name):
    """States and rewards of whole episodes with any pushes, up to rounding."""
    world, env = THEIRS[name].world(), gymnasium.make(newest(name)).unwrapped
    rng = np.random.default_rng(0)
    for episode in range(5):
        env.reset(seed=episode)
        start = world.start_lows + (world.start_highs - world.start_lows) * rng.random(world.d)
        env.state = start.copy()
        actions = 2 * rng.random(300)
        if episode == 4 and name != "Pendulum":  # to the flag, which chance hardly finds
            actions = np.where(np.arange(300) % 80 < 40, 0.0, 2.0)
        states, rewards, ends = world.followed(start, actions)
        for t, push in enumerate(world.pushes(actions)):
            _, reward, is_over, _, _ = env.step(np.array([push]))
            theirs = env.state.copy()
            if name == "Pendulum":  # that of Gymnasium goes on counting turns
                theirs[0] = (theirs[0] + np.pi) % (2 * np.pi) - np.pi
            # Theirs keeps the car in single precision.
            np.testing.assert_allclose(states[t + 1], theirs, rtol=2e-4, atol=2e-5)
            assert reward == pytest.approx(rewards[t], rel=1e-4, abs=1e-5)
            assert is_over == ends[t]
            if is_over:
                break
            env.state = states[t + 1].copy()


@pytest.mark.parametrize("name", list(THEIRS))
def test_a_world_says_of_itself_what_gymnasium_says(name):
    world, spec = THEIRS[name].world(), gymnasium.spec(newest(name))
    assert world.max_steps == spec.max_episode_steps
    assert np.isnan(world.threshold) if spec.reward_threshold is None else (
        world.threshold == spec.reward_threshold
    )  # fmt: skip
    space = gymnasium.make(newest(name)).action_space
    assert world.push == (space.low[0], space.high[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(VectorEnv(world), skip_render_check=True)


def _rolled(policy, n=400, world=PENDULUM, seed=0):
    agent = PolicyGradient(policy=policy, n_rollouts=n)
    course = agent._begun(world, 1, n, seed, 0)
    course.weights[...] = 0.3 * np.random.default_rng(1).normal(size=course.weights.shape)
    return agent, course, agent._rolled(course, n)


def _log_density(q, spread, z):
    mean, sd = q[:, 0], spread * np.exp(q[:, 1])
    return -((z - mean) ** 2) / (2 * sd**2) - np.log(sd)


def test_scores_are_the_slopes_of_the_log_density():
    """Central differences by both scores of the mean and of the logarithm of the spread."""
    policy = GaussianPolicy(spread=0.7)
    _, course, rolled = _rolled(policy, 2)
    q = (course.weights[:, rolled.index] * rolled.value).sum(axis=2).T
    np.testing.assert_allclose(rolled.told, np.column_stack([q[:, 0], 0.7 * np.exp(q[:, 1])]))
    drawn = rolled.told[:, 0] + rolled.scores[:, 0] * rolled.told[:, 1] ** 2
    for i, unit in enumerate(np.eye(2)):
        step = 1e-5
        up, down = (_log_density(q + at * unit, 0.7, drawn) for at in (step, -step))
        np.testing.assert_allclose(rolled.scores[:, i], (up - down) / (2 * step), atol=1e-6)


def test_the_fisher_information_is_the_mean_of_score_times_score():
    policy = GaussianPolicy(spread=0.7)
    _, _, rolled = _rolled(policy, 100)
    told = rolled.told[:1].repeat(200_000, axis=0)
    z = np.random.default_rng(0).standard_normal(len(told))
    scores = np.column_stack([z / told[:, 1], z**2 - 1])
    for unit in np.eye(2):
        mean = (scores * (scores @ unit)[:, None]).mean(axis=0)
        expected = policy.informed(told[:1], unit[None])[0]
        # Three standard errors: the fourth power of a normal number varies by 7.5.
        np.testing.assert_allclose(mean, expected, atol=0.05)
    fixed = GaussianPolicy(learn_spread=False).informed(told[:1], np.ones((1, 2)))
    assert fixed[0, 1] == 0


def test_a_spread_that_is_not_learned_stays():
    agent = ActorCritic(policy=GaussianPolicy(learn_spread=False), learning_rate=rate(0.01))
    fit = agent.fit(PENDULUM, 20)
    assert (fit.weights[1] == 0).all() and np.abs(fit.weights[0]).max() > 0
    learned = ActorCritic(policy=GaussianPolicy(), learning_rate=rate(0.01)).fit(PENDULUM, 20)
    assert np.abs(learned.weights[1]).max() > 0


@pytest.mark.parametrize("policy", [SoftmaxPolicy(), GaussianPolicy()])
def test_the_rod_is_swung_up_and_held(policy):
    """The best sum of rewards is about -150; hanging costs 10 a move, 2,000 in all."""
    fits = [
        ActorCritic(policy=policy, learning_rate=rate(0.01)).fit(PENDULUM, 300, replicate=r)
        for r in range(3)
    ]
    assert np.mean([fit.score for fit in fits]) > -220
    upright = fits[0].paths.states[-1, -50:, 0]
    assert np.abs(upright).max() < 0.3


def test_what_is_done_at_a_state_is_the_mean_cut_off_at_the_ends():
    agent = ActorCritic(policy=GaussianPolicy(), learning_rate=rate(0.01))
    fit = agent.fit(PENDULUM, 50)
    n = int(fit.paths.lengths[-1])
    q, done = fit.paths.scores[-1, :n], fit.paths.actions[-1, :n]
    np.testing.assert_allclose(done, np.clip(q[:, 0], -1, 1) + 1)
    np.testing.assert_allclose(fit.action_scores(fit.paths.states[-1, :n]), q, atol=1e-9)
    np.testing.assert_array_equal(fit.predict(fit.paths.states[-1, :n]), np.rint(done))
    assert PENDULUM.pushes(np.array([0.0, 1.0, 1.5])).tolist() == [-2.0, 0.0, 1.0]
    with pytest.raises(DataError, match="densities"):
        fit.probabilities(fit.paths.states[-1, :2])


def test_the_weights_of_the_compatible_critic_are_the_natural_gradient():
    """Returns regressed on scores, over many episodes from tables, against F^+ times the gradient.

    They agree along the best direction of each state up to what chance scatters.
    """
    world = GridWorld(gamma=0.9, max_steps=100).world()
    agent = PolicyGradient(ascent="compatible", n_rollouts=1000, damping=1e-8, baseline="none")
    course = agent._begun(world, 1, 4000, 0, 0)
    found = agent._ascent(course, agent._rolled(course, 4000), np.zeros(world.n_states)).T
    exact = natural_policy_gradient(world, np.zeros((world.n_states, world.n_actions)))
    near = np.abs(exact).max(axis=1) > 0.1  # where actions differ by more than the scatter
    found -= found.mean(axis=1, keepdims=True)
    correlation = np.corrcoef(found[near].ravel(), exact[near].ravel())[0, 1]
    assert correlation > 0.95


def test_a_critic_that_is_linear_in_the_scores_keeps_the_gradient():
    """Putting the advantage that it predicts in place of the returns changes nothing (E-37)."""
    _, course, rolled = _rolled(SoftmaxPolicy(), 30, GridWorld(gamma=0.9).world())
    n, R = course.encoded.n, len(course.weights)
    to_go, gamma = rolled.to_go(0.9), 0.9
    design = np.zeros((len(to_go), R * n))
    rows = np.arange(len(to_go))
    for b in range(R):
        design[rows, b * n + rolled.index[:, 0]] = rolled.scores[:, b]
    weight = np.sqrt(gamma**rolled.times)[:, None]
    w = np.linalg.lstsq(design * weight, to_go * weight[:, 0], rcond=None)[0]
    kept = rolled.gradient(design @ w, gamma, n)
    np.testing.assert_allclose(kept, rolled.gradient(to_go, gamma, n), atol=1e-9)
    np.testing.assert_allclose(rolled.scores_times(w.reshape(R, n), gamma), kept, atol=1e-9)
    turned = np.bincount(rolled.index[:, 0], to_go, n) / np.bincount(rolled.index[:, 0], None, n)
    assert np.abs(rolled.gradient(turned[rolled.index[:, 0]], gamma, n) - kept).max() > 1e-3


def test_counted_actions_have_no_gaussian_policy():
    for world in (CartPole().world(), GridWorld().world()):
        with pytest.raises(DataError, match="any amount can be done"):
            ActorCritic(policy=GaussianPolicy()).fit(world, 5)
