"""Linear prediction against tables, its fixed point, least squares, and worlds that are solved."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.decisions.agent import stream
from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.cart_pole import CartPole
from mlcore.decisions.continuous.features import (
    Encoded,
    FourierBasis,
    PolynomialFeatures,
    TileCoding,
    one_hot,
)
from mlcore.decisions.continuous.mountain_car import MountainCar
from mlcore.decisions.continuous.pendulum import Pendulum
from mlcore.decisions.continuous.prediction import SemiGradientPrediction
from mlcore.decisions.continuous.world import table_numbers
from mlcore.decisions.mdp import values_of
from mlcore.decisions.random_walk import RandomWalk
from mlcore.decisions.td_prediction import TDPrediction
from mlcore.maths.arrays import read_only
from mlcore.optimisation.schedules import ConstantSchedule
from mlcore.spine.errors import DataError
from mlcore.spine.random import generator

WALK = RandomWalk(n_states=12, left_reward=-1.0).world()
PAIRS = np.repeat(np.eye(6), 2, axis=0)  # features of twelve states: each two look alike


def learned(world, encoded, n, *, decay=0.0, by_episode=False, rate=0.1, seed=0):
    """Weights of the values of a world of tables under moves at random."""
    weights = np.zeros((1, encoded.n))
    rule = read_only(np.zeros((world.n_actions, 2)))
    rates = read_only(np.broadcast_to(rate, n).astype(np.float64))
    done = _kernels.predict_values(
        table_numbers(world), encoded.basis, encoded.n_active, encoded.scale, world.gamma, decay,
        False, by_episode, rule, 1.0, rates, world.max_steps, generator(seed, "world 0"),
        generator(seed, "agent"), weights, np.zeros((0, 1, 1), dtype=np.int64),
    )  # fmt: skip
    assert done
    return weights[0]


def aggregated(world) -> Encoded:
    """One tiling whose tiles hold two states each."""
    kind, n = TileCoding.kind, world.n_states
    ends = np.zeros(1), np.full(1, float(n)), np.ones(1, dtype=np.bool_)  # no tile beyond the end
    basis = (kind, read_only(np.zeros((0, 1))), 1, n // 2, *map(read_only, ends))
    return Encoded(basis, n // 2, 1, True, read_only(np.ones(n // 2)))


def moves(world):
    """Chances of states, (S,), of moves between them, (S, S), and rewards, (S,), at random."""
    S, A = world.n_states, world.n_actions
    P, r = np.zeros((S, S)), np.zeros(S)
    for row in range(S * A):
        for k in range(world.offsets[row], world.offsets[row + 1]):
            chance = world.chances[k] / A
            r[row // A] += chance * world.rewards[k]
            if not world.ends[k]:
                P[row // A, world.successors[k]] += chance
    met = np.linalg.solve((np.eye(S) - P).T, world.initial)  # visits of an episode
    return met / met.sum(), P, r


def test_with_a_feature_for_each_state_it_is_the_table():
    """By the same chances: TD(lambda) of tables with traces that add up."""
    for decay in (0.0, 0.7):
        method = TDPrediction(decay=decay, learning_rate=ConstantSchedule(value=0.1))
        table = by_table(method, WALK, 30)
        ours = learned(WALK, one_hot(WALK), 30, decay=decay)
        # Traces below 1e-8 are dropped: they correct less than this.
        np.testing.assert_allclose(ours, table, rtol=0, atol=1e-8)


def by_table(method, world, n):
    """TD(lambda) of tables written out, with the chances that `learned` draws."""
    nature, own = generator(0, "world 0"), generator(0, "agent")
    v = np.zeros(world.n_states)

    def pick(chances, u):
        return min(int(np.searchsorted(np.cumsum(chances), u, side="right")), len(chances) - 1)

    def acted():
        own.random()  # whether to act at random: always
        return int(own.random() * world.n_actions)

    for _ in range(n):
        trace, s, over = np.zeros(world.n_states), pick(world.initial, nature.random()), False
        a, t = acted(), 0
        while not over and t < world.max_steps:
            row = s * world.n_actions + a
            first, end = world.offsets[row], world.offsets[row + 1]
            k = first + pick(world.chances[first:end], nature.random())
            to, over = world.successors[k], world.ends[k]
            error = world.rewards[k] + (0 if over else world.gamma * v[to]) - v[s]
            trace = trace * world.gamma * method.decay
            trace[s] += 1
            v += 0.1 * error * trace
            a = a if over else acted()
            s, t = to, t + 1
    return v


def test_one_move_ahead_it_ends_at_the_fixed_point():
    """A w = b with A = F'D(F - gamma P F), b = F'D r, where no values of the features are right."""
    d, P, r = moves(WALK)
    A = PAIRS.T @ (d[:, None] * (PAIRS - WALK.gamma * P @ PAIRS))
    fixed = np.linalg.solve(A, PAIRS.T @ (d * r))
    exact = values_of(WALK, np.full((WALK.n_states, WALK.n_actions), 1 / WALK.n_actions))
    assert np.abs(PAIRS @ fixed - exact).max() > 0.05
    falling = 0.5 / (1 + np.arange(30_000) / 50) ** 0.8
    ours = learned(WALK, aggregated(WALK), 30_000, rate=falling)
    np.testing.assert_allclose(ours, fixed, atol=0.03)


def test_monte_carlo_ends_at_the_nearest_values():
    """The projection by least squares, weighted by visits; it is not where TD(0) ends."""
    d, P, r = moves(WALK)
    exact = np.linalg.solve(np.eye(WALK.n_states) - WALK.gamma * P, r)
    nearest = np.linalg.solve(PAIRS.T @ (d[:, None] * PAIRS), PAIRS.T @ (d * exact))
    falling = 0.3 / (50 + np.arange(30_000))  # the mean of all episodes, but for the first
    ours = learned(WALK, aggregated(WALK), 30_000, decay=1.0, by_episode=True, rate=falling)
    np.testing.assert_allclose(ours, nearest, atol=0.03)
    A = PAIRS.T @ (d[:, None] * (PAIRS - WALK.gamma * P @ PAIRS))
    fixed = np.linalg.solve(A, PAIRS.T @ (d * r))
    assert np.abs(ours - fixed).max() > 0.05


@pytest.mark.parametrize("features", [TileCoding(n_tilings=2), FourierBasis(order=2)])
def test_whole_episodes_with_a_trace_decay_of_one_are_monte_carlo(features):
    """The sum of the errors of an episode, faded alike, is that of its returns."""
    world = MountainCar(gamma=0.9).world()
    rate = 0.05
    method = SemiGradientPrediction(
        decay=1.0, updates="episode", features=features,
        learning_rate=ConstantSchedule(value=rate),
    )  # fmt: skip
    fit = method.fit(world, 1)
    rule, _ = method.followed(world)
    states, actions = np.empty((200, 2)), np.empty(200, dtype=np.int64)
    _kernels.walk(
        world.numbers, rule, 0.0, 200, generator(0, "world 0"), stream(method, 0, 0), states,
        actions,
    )  # fmt: skip
    *_, ends = world.followed(states[0], actions)
    n = int(np.argmax(ends)) + 1
    assert ends.any()
    returns = np.array([-(1 - 0.9 ** (n - t)) / 0.1 for t in range(n)])
    encoded = features.of(world)
    by_hand = rate * encoded.scale * (encoded.values(states[:n]).T @ returns)
    np.testing.assert_allclose(fit.learned.weights[0], by_hand, rtol=1e-9, atol=1e-9)


def test_a_time_limit_is_no_end():
    """Who stands still and pays 1 a move is worth -1 / (1 - gamma), however soon one is cut."""
    world = MountainCar(force=1e-9, gravity=0.0, gamma=0.9, max_steps=10).world()
    fit = SemiGradientPrediction(
        policy="one_action", action=2, features=PolynomialFeatures(degree=0),
        learning_rate=ConstantSchedule(value=0.5),
    ).fit(world, 100)  # fmt: skip
    assert fit.predicted == pytest.approx(-10.0, abs=1e-6)
    assert fit.exact == pytest.approx(-10.0, abs=1e-2)


def test_values_of_actions_mean_those_of_states():
    world = Pendulum().world()
    common = {"policy": "uniform", "learning_rate": ConstantSchedule(value=0.2)}
    states = SemiGradientPrediction(**common).fit(world, 400)
    actions = SemiGradientPrediction(value="q", **common).fit(world, 400)
    assert actions.learned.weights.shape[0] == 3
    apart = states.state_values(states.judged) - actions.state_values(states.judged)
    assert np.sqrt((apart**2).mean()) < 0.5 * states.exact.std()


def test_it_comes_near_what_is_earned_and_coarse_tiles_do_not():
    world = CartPole().world()
    fine = SemiGradientPrediction(decay=0.8).fit(world, 500)
    flat = SemiGradientPrediction(decay=0.8, features=PolynomialFeatures(degree=0)).fit(world, 500)
    assert fine.rms[-1] < 0.6 * flat.rms[-1]
    assert fine.rms[-1] < 0.2 * fine.rms[0]


def test_a_policy_that_never_ends_is_refused_without_a_discount():
    with pytest.raises(DataError, match=r"comes to no end within 20,000 moves.*discount below 1"):
        SemiGradientPrediction(policy="one_action", action=3).fit(MountainCar().world(), 2)
    with pytest.raises(DataError, match="action 4 of the mountain car, which has 3 actions"):
        SemiGradientPrediction(policy="one_action", action=4).fit(MountainCar().world(), 2)


def test_steps_end_with_what_the_fit_knows():
    world, method = Pendulum().world(), SemiGradientPrediction()
    *_, last = method.steps(world, 40)
    fit = method.fit(world, 40)
    np.testing.assert_array_equal(last.state.predicted, fit.predicted)
    assert last.objective == fit.rms[-1] and last.stop is not None


def test_large_steps_along_long_traces_diverge():
    method = SemiGradientPrediction(decay=1.0, learning_rate=ConstantSchedule(value=1.0))
    with pytest.raises(DataError, match="diverged"):
        method.fit(MountainCar().world(), 300)
