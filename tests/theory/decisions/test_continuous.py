"""Worlds of vectors against Gymnasium, features by hand, and learning against its recursion."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mlcore.decisions.agent import stream
from mlcore.decisions.continuous.acrobot import Acrobot
from mlcore.decisions.continuous.cart_pole import CartPole
from mlcore.decisions.continuous.features import FourierBasis, PolynomialFeatures, TileCoding
from mlcore.decisions.continuous.mountain_car import MountainCar
from mlcore.decisions.continuous.semi_gradient import SemiGradientControl
from mlcore.decisions.environments import VectorEnv, newest
from mlcore.decisions.explorers import EpsilonGreedy, Greedy, Softmax
from mlcore.decisions.grid_world import GridWorld
from mlcore.optimisation.schedules import ConstantSchedule, VisitPowerSchedule
from mlcore.spine.errors import DataError
from mlcore.spine.random import generator

THEIRS = {"MountainCar": MountainCar(), "CartPole": CartPole(), "Acrobot": Acrobot()}
CAR = MountainCar().world()


def rate(value):
    return ConstantSchedule(value=value)


@pytest.mark.parametrize("name", list(THEIRS))
def test_moves_are_those_of_gymnasium(name):
    """States, rewards and ends of whole episodes, up to the rounding of sines."""
    world, env = THEIRS[name].world(), gymnasium.make(newest(name)).unwrapped
    rng = np.random.default_rng(0)
    for episode in range(5):
        env.reset(seed=episode)
        start = world.start_lows + (world.start_highs - world.start_lows) * rng.random(world.d)
        env.state = start.copy()
        actions = rng.integers(world.n_actions, size=200)
        states, rewards, ends = world.followed(start, actions)
        for t, action in enumerate(actions):
            _, reward, is_over, _, _ = env.step(int(action))
            # What a step rounds is carried on by the next ones, and grows in a double pendulum.
            np.testing.assert_allclose(states[t + 1], env.state, rtol=1e-8, atol=1e-8)
            assert (reward, is_over) == (rewards[t], ends[t])
            if is_over:
                break


@pytest.mark.parametrize("name", list(THEIRS))
def test_a_world_says_of_itself_what_gymnasium_says(name):
    world, spec = THEIRS[name].world(), gymnasium.spec(newest(name))
    assert world.max_steps == spec.max_episode_steps and world.threshold == spec.reward_threshold
    env = gymnasium.make(newest(name))
    assert env.action_space.n == world.n_actions
    env.reset(seed=0)
    starts = []
    for _ in range(50):
        env.reset()
        starts.append(env.unwrapped.state)
    assert (np.array(starts) >= world.start_lows - 1e-7).all()
    assert (np.array(starts) <= world.start_highs + 1e-7).all()


@pytest.mark.parametrize("problem", list(THEIRS.values()))
def test_gymnasium_accepts_our_worlds(problem):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(VectorEnv(problem.world()), skip_render_check=True)


def test_tiles_by_hand():
    """Two tilings of two tiles; the second is moved by half a tile across, and by one and a half
    (which is half) up."""
    features = TileCoding(n_tilings=2, n_tiles=2).of(CAR)
    assert features.n == 2 * 3 * 3 and features.scale[0] == 0.5
    low = CAR.lows
    span = CAR.highs - low
    index, value = features.active(low + span * np.array([[0.0, 0.0], [0.3, 0.6], [1.0, 1.0]]))
    assert index.tolist() == [[0, 9], [0 * 3 + 1, 9 + 1 * 3 + 1], [2 * 3 + 2, 9 + 2 * 3 + 2]]
    assert (value == 1).all()
    beyond = features.active((low - span)[None])[0]
    assert beyond.tolist() == [[0, 9]]


def test_an_angle_has_the_same_tiles_at_both_ends():
    world = Acrobot().world()
    features = TileCoding(n_tilings=4, n_tiles=3).of(world)
    assert features.n == 4 * 3 * 3 * 4 * 4
    ends = np.array([[np.pi - 1e-9, 0.5, 0.0, 0.0], [-np.pi + 1e-9, 0.5, 0.0, 0.0]])
    index, _ = features.active(ends)
    shared = index[0] == index[1]
    assert shared[1:].all()  # the first tiling begins anew just there


def test_cosines_and_powers_by_hand():
    at = CAR.lows + (CAR.highs - CAR.lows) * np.array([[0.25, 0.75]])
    fourier = FourierBasis(order=2).of(CAR)
    frequencies = np.array([(i, j) for i in range(3) for j in range(3)])
    expected = np.cos(np.pi * frequencies @ [0.25, 0.75])
    np.testing.assert_allclose(fourier.values(at)[0], expected, atol=1e-12)
    lengths = np.maximum(np.linalg.norm(frequencies, axis=1), 1)
    np.testing.assert_allclose(fourier.scale, 1 / (9 * lengths))
    powers = PolynomialFeatures(degree=2).of(CAR).values(at)[0]
    x, y = -0.5, 0.5
    np.testing.assert_allclose(sorted(powers), sorted([1, x, y, x * y, x * x, y * y]))


def by_hand(agent, world, n):
    """Control with dense traces, from the same chance."""
    features = agent.features.of(world)
    nature, own = generator(0, "world 0"), stream(agent, 0, 0)
    epsilon = agent.explorer.epsilon.value
    step, A = agent.learning_rate.value, world.n_actions
    w = np.zeros((A, features.n))

    def choose(q):
        return int(own.random() * A) if own.random() < epsilon else int(q.argmax())

    for _ in range(n):
        box = world.start_highs - world.start_lows
        s = world.start_lows + box * np.array([nature.random() for _ in range(world.d)])
        e, phi = np.zeros_like(w), features.values(s[None])[0]
        a = choose(w @ phi)
        for _ in range(world.max_steps):
            cut = agent.target == "q_learning" and (w @ phi)[a] < (w @ phi).max()
            e *= 0 if cut else world.gamma * agent.decay
            e[a] = np.where(phi != 0, phi, e[a]) if features.is_binary else e[a] + phi
            states, rewards, ends = world.followed(s, [a])
            s, error = states[1], rewards[0] - (w @ phi)[a]
            if not ends[0]:
                phi = features.values(s[None])[0]
                q = w @ phi
                a = choose(q)
                mean = (1 - epsilon) * q.max() + epsilon * q.mean()
                ahead = {"q_learning": q.max(), "sarsa": q[a], "expected_sarsa": mean}
                error += world.gamma * ahead[agent.target]
            w += step * features.scale * error * e
            if ends[0]:
                break
    return w


@pytest.mark.parametrize("target", ["sarsa", "q_learning", "expected_sarsa"])
@pytest.mark.parametrize("features", [TileCoding(n_tilings=4, n_tiles=4), FourierBasis(order=2)])
def test_it_learns_as_the_recursion_says(target, features):
    world = MountainCar(max_steps=60, gamma=0.98).world()
    agent = SemiGradientControl(
        target=target, features=features, learning_rate=rate(0.2), decay=0.8,
        explorer=EpsilonGreedy(epsilon=rate(0.2)),
    )  # fmt: skip
    ours, theirs = agent.fit(world, 8).weights, by_hand(agent, world, 8)
    assert np.abs(theirs).max() > 1
    # Traces below 1e-8 are forgotten.
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_time_limit_is_no_end():
    """Standing still for ever at -1 a move is worth -1 / (1 - gamma), whatever the limit."""
    world = MountainCar(force=1e-9, gravity=0.0, gamma=0.9, max_steps=20).world()
    agent = SemiGradientControl(learning_rate=rate(0.3), explorer=Greedy(), decay=0.0)
    fit = agent.fit(world, 300)
    start = np.array([[-0.5, 0.0]])
    assert fit.state_values(start)[0] == pytest.approx(-10, abs=0.2)


def mean_score(agent, world, n, replicates=10):
    return np.mean([agent.fit(world, n, replicate=r).score for r in range(replicates)])


def test_the_car_climbs_and_better_with_a_larger_step():
    """Sutton and Barto (2018), figure 10.2: some hundred moves after 500 episodes."""
    agent = SemiGradientControl(learning_rate=rate(0.3), explorer=Greedy())
    assert mean_score(agent, CAR, 300, 4) > -115
    assert mean_score(SemiGradientControl(explorer=Greedy(), decay=0.0), CAR, 20, 4) < -180


def test_a_pole_is_held_up_by_cosines_and_never_without_exploring():
    world = CartPole().world()
    cosines = SemiGradientControl(features=FourierBasis(order=2), learning_rate=rate(0.5))
    assert mean_score(cosines, world, 150, 2) > 475
    assert mean_score(SemiGradientControl(explorer=Greedy()), world, 100, 2) < 12


def test_the_greedy_return_is_that_of_the_recorded_path():
    fit = SemiGradientControl(learning_rate=rate(0.3)).fit(CAR, 50)
    paths = fit.paths
    assert paths.after[-1] == 50 and list(paths.after) == sorted(paths.after)
    for k, length in enumerate(paths.lengths):
        states, _, ends = CAR.followed(paths.states[k, 0], paths.actions[k, :length])
        np.testing.assert_array_equal(states, paths.states[k, : length + 1])
        assert ends[-1] or length == CAR.max_steps
    np.testing.assert_allclose(fit.action_scores(paths.states[-1, :5]), paths.scores[-1, :5])
    assert (fit.predict(paths.states[-1, :5]) == paths.actions[-1, :5]).all()


def test_equal_seeds_meet_equal_worlds():
    first, second = (SemiGradientControl(decay=decay).fit(CAR, 5) for decay in (0.5, 0.9))
    np.testing.assert_array_equal(first.paths.states[0, 0], second.paths.states[0, 0])


REFUSED = [
    (SemiGradientControl(), GridWorld(), "needs a world whose states are vectors"),
    (SemiGradientControl(learning_rate=VisitPowerSchedule()), CartPole(), "count visits"),
    (
        SemiGradientControl(explorer=Softmax(temperature=VisitPowerSchedule())),
        CartPole(),
        "count visits",
    ),
    (SemiGradientControl(features=TileCoding(n_tiles=20)), CartPole(), "weights in this world"),
    (SemiGradientControl(features=FourierBasis(order=20)), CartPole(), "every move needs"),
]


@pytest.mark.parametrize(("agent", "problem", "says"), REFUSED)
def test_what_does_not_suit_is_refused_in_a_sentence(agent, problem, says):
    with pytest.raises(DataError, match=says):
        agent.fit(problem.world(), 5)


def test_steps_that_are_too_large_are_refused_in_a_sentence():
    agent = SemiGradientControl(
        features=PolynomialFeatures(degree=3), learning_rate=rate(50.0), decay=1.0
    )
    with pytest.raises(DataError, match=r"diverged.*Lower the learning rate"):
        agent.fit(CAR, 50)


def test_states_of_another_length_are_refused():
    fit = SemiGradientControl().fit(CAR, 2)
    with pytest.raises(DataError, match="states of 2 numbers; got rows of 3"):
        fit.predict(np.zeros((1, 3)))
