"""Policy gradients: the theorem against differences, estimates against the theorem."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.decisions.agent import stream
from mlcore.decisions.capabilities import PredictsValues
from mlcore.decisions.continuous.actor_critic import ActorCritic
from mlcore.decisions.continuous.cart_pole import CartPole
from mlcore.decisions.continuous.features import FourierBasis, TileCoding
from mlcore.decisions.continuous.mountain_car import MountainCar
from mlcore.decisions.continuous.policies import SoftmaxPolicy
from mlcore.decisions.continuous.reinforce import PolicyGradient
from mlcore.decisions.continuous.rollouts import solved
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.mdp import from_transitions, values_of
from mlcore.decisions.policy_gradients import (
    discounted_occupancy,
    exact_policy_gradient,
    fisher_information,
    natural_policy_gradient,
    policy_objective,
    softmax,
)
from mlcore.decisions.table_worlds import RandomMDP
from mlcore.optimisation.schedules import ConstantSchedule, VisitPowerSchedule
from mlcore.spine.asking import can
from mlcore.spine.errors import DataError
from mlcore.spine.random import generator

GRID = GridWorld(gamma=0.9, max_steps=200).world()
# Stay for 1, or go where every move is worth 2.
FAR_SIGHTED = from_transitions(
    "two states",
    [[[(1.0, 0, 1.0, False)], [(1.0, 1, 0.0, False)]], [[(1.0, 1, 2.0, False)]] * 2],
    gamma=0.9, initial=np.array([1.0, 0.0]), max_steps=300,
    state_names=("poor", "rich"), action_names=("stay", "go"),
)  # fmt: skip


def rate(value):
    return ConstantSchedule(value=value)


def test_golden_numbers_of_the_uniform_policy():
    even = np.zeros((2, 2))
    assert policy_objective(FAR_SIGHTED, even) == pytest.approx(17.272727, abs=1e-6)
    visits = discounted_occupancy(FAR_SIGHTED, softmax(even))
    np.testing.assert_allclose(visits / visits.sum(), [0.181818, 0.818182], atol=1e-6)
    assert visits.sum() == pytest.approx(10)
    gradient = exact_policy_gradient(FAR_SIGHTED, even)
    np.testing.assert_allclose(gradient, [[-0.661157, 0.661157], [0, 0]], atol=1e-6)


@pytest.mark.parametrize("world", [GRID, RandomMDP().world(), FAR_SIGHTED])
def test_the_theorem_is_the_slope_of_the_objective(world):
    rng, step = np.random.default_rng(0), 1e-5
    theta = rng.normal(size=(world.n_states, world.n_actions))
    gradient = exact_policy_gradient(world, theta)
    for _ in range(10):
        s, a = rng.integers(world.n_states), rng.integers(world.n_actions)
        moved = np.zeros_like(theta)
        moved[s, a] = step
        slope = policy_objective(world, theta + moved) - policy_objective(world, theta - moved)
        assert gradient[s, a] == pytest.approx(slope / (2 * step), rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-12)


def first_steps(world, baseline, replicates=300, each=10):
    """The weights after one step of length 1 from the uniform policy, a replicate each."""
    agent = PolicyGradient(baseline=baseline, n_rollouts=each, learning_rate=rate(1.0))
    return np.array([agent.fit(world, each, replicate=r).preferences for r in range(replicates)])


@pytest.mark.parametrize("baseline", ["none", "mean", "value"])
def test_the_estimate_is_right_in_the_mean_whatever_the_baseline(baseline):
    estimates = first_steps(GRID, baseline)
    exact = exact_policy_gradient(GRID, np.zeros((GRID.n_states, GRID.n_actions)))
    error = estimates.std(axis=0, ddof=1) / np.sqrt(len(estimates))
    assert (np.abs(estimates.mean(axis=0) - exact) < 4.5 * error + 1e-12).all()


def test_a_baseline_takes_scatter_away():
    """Returns far from zero scatter most: the same world with 2 a move in both states, about."""
    scatter = {b: first_steps(FAR_SIGHTED, b, 60).var(axis=0)[0, 0] for b in ("none", "mean")}
    assert scatter["mean"] < 0.5 * scatter["none"]


def test_the_exact_gradient_climbs_all_the_way():
    agent = PolicyGradient(gradient="exact", learning_rate=rate(2.0), n_rollouts=1)
    fit = agent.fit(FAR_SIGHTED, 100)
    assert (np.diff(fit.greedy) >= 0).all()
    assert policy_objective(FAR_SIGHTED, fit.preferences) == pytest.approx(18, abs=0.1)
    assert fit.score == pytest.approx(18) and fit.policy[0] == 1
    np.testing.assert_allclose(fit.chances.sum(axis=1), 1)
    first = agent.fit(FAR_SIGHTED, 1)
    np.testing.assert_allclose(first.preferences[0], [-2 * 0.661157, 2 * 0.661157], atol=1e-5)


def test_from_any_start_it_climbs_the_mean_value_of_all_states():
    """The slope of the mean over states that can be reached, by central differences."""
    agent = PolicyGradient(gradient="exact", start="anywhere", learning_rate=rate(1.0))
    taken = agent.fit(GRID, 1).preferences
    everywhere = GRID.reachable / GRID.reachable.sum()
    for s, a in ((0, 0), (4, 1), (5, 2)):
        moved = np.zeros_like(taken)
        moved[s, a] = 1e-5
        slope = everywhere @ (values_of(GRID, softmax(moved)) - values_of(GRID, softmax(-moved)))
        assert taken[s, a] == pytest.approx(slope / 2e-5, rel=1e-6, abs=1e-9)
    assert np.abs(taken - PolicyGradient(gradient="exact", learning_rate=rate(1.0)).fit(
        GRID, 1).preferences).max() > 0.05  # fmt: skip


def test_episodes_that_begin_anywhere_find_what_the_start_does_not_reach():
    row = GridWorld(layout="S.................G", slip=0.0, step_reward=0.0, gamma=0.9,
                    max_steps=50).world()  # fmt: skip
    assert ActorCritic().fit(row, 200).score == 0.0
    assert ActorCritic(start="anywhere").fit(row, 200).score == pytest.approx(row.best)


@pytest.mark.parametrize("agent", [ActorCritic(), PolicyGradient()])
def test_steps_end_where_the_fit_stands(agent):
    *_, end = agent.steps(GRID, 60, seed=2)
    fit = agent.fit(GRID, 60, seed=2)
    np.testing.assert_array_equal(end.state.values, fit.values)
    np.testing.assert_array_equal(end.state.policy, fit.policy)
    assert end.objective == fit.score and end.stop is not None
    with pytest.raises(DataError, match="played as an episode"):
        agent.steps(MountainCar().world(), 5)


def by_hand(agent, world, n):
    """Actor and critic with dense traces, from the same chance."""
    features, A = agent.features.of(world), world.n_actions
    nature, own = generator(0, "world 0"), stream(agent, 0, 0)
    theta, w = np.zeros((A, features.n)), np.zeros(features.n)
    u, is_natural = np.zeros_like(theta), agent.ascent == "natural"
    step = agent.learning_rate.value * (1.0 if is_natural else features.scale)
    for _ in range(n):
        box = world.start_highs - world.start_lows
        s = world.start_lows + box * np.array([nature.random() for _ in range(world.d)])
        z, e, fade = np.zeros_like(theta), np.zeros_like(w), world.gamma * agent.decay
        phi = features.values(s[None])[0]
        for t in range(world.max_steps):
            p = softmax((theta @ phi)[None])[0]
            a = min(int(np.searchsorted(np.cumsum(p), own.random(), side="right")), A - 1)
            e = fade * e + phi
            psi = (np.eye(A)[a] - p)[:, None] * phi
            z = fade * z + world.gamma**t * psi
            beyond = -(world.gamma**t) * (u * psi).sum() * psi
            states, rewards, ends = world.followed(s, [a])
            s, error = states[1], rewards[0] - w @ phi
            if not ends[0]:
                phi = features.values(s[None])[0]
                error += world.gamma * w @ phi
            w = w + agent.critic_rate * features.scale * error * e
            u = u + agent.critic_rate * features.scale * (error * z + beyond)
            theta = theta + step * (u if is_natural else error * z)
            if ends[0]:
                break
    return theta, w


@pytest.mark.parametrize(("ascent", "alpha"), [("plain", 0.5), ("natural", 0.05)])
@pytest.mark.parametrize("features", [TileCoding(n_tilings=4, n_tiles=4), FourierBasis(order=1)])
def test_actor_and_critic_learn_as_the_recursion_says(features, ascent, alpha):
    world = CartPole(gamma=0.95).world()
    agent = ActorCritic(features=features, learning_rate=rate(alpha), ascent=ascent)
    fit, (theta, w) = agent.fit(world, 15), by_hand(agent, world, 15)
    assert np.abs(theta).max() > 0.01
    np.testing.assert_allclose(fit.weights, theta, atol=1e-5)
    np.testing.assert_allclose(fit.critic, w, atol=1e-5)
    states = fit.paths.states[-1, :3]
    np.testing.assert_allclose(fit.state_values(states), features.of(world).values(states) @ w,
                               atol=1e-4)  # fmt: skip
    np.testing.assert_allclose(fit.probabilities(states).sum(axis=1), 1)


def test_natural_steps_move_by_move_go_along_the_natural_gradient():
    """Of a policy that hardly moves the steps add up to it; plain ones add up to the plain one."""
    world = GridWorld(layout="S...G", slip=0.0, gamma=0.8, max_steps=50).world()
    start = np.zeros((world.n_states, world.n_actions))
    exact = {"plain": exact_policy_gradient, "natural": natural_policy_gradient}
    gradients = {name: gradient(world, start).ravel() for name, gradient in exact.items()}
    assert alike(gradients["plain"], gradients["natural"]) < 0.9
    for name, gradient in gradients.items():
        agent = ActorCritic(ascent=name, learning_rate=rate(1e-9), critic_rate=0.02, decay=0.0)
        steps = agent.fit(world, 4000).preferences
        assert alike((steps - steps.mean(axis=1, keepdims=True)).ravel(), gradient) > 0.99


def alike(a, b):
    """The cosine of the angle between two directions."""
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_a_time_limit_is_no_end_to_the_critic():
    """A car that never arrives: the state in which the time is up is worth what is beyond it."""
    world = MountainCar(gamma=0.9).world()
    agent = ActorCritic(features=TileCoding(n_tilings=4, n_tiles=4), learning_rate=rate(0.1))
    fit, (theta, w) = agent.fit(world, 3), by_hand(agent, world, 3)
    assert fit.lengths.tolist() == [world.max_steps] * len(fit.lengths)
    np.testing.assert_allclose(fit.weights, theta, atol=1e-5)
    np.testing.assert_allclose(fit.critic, w, atol=1e-5)


def test_both_hold_up_a_pole_and_the_car_needs_a_critic():
    pole, car = CartPole().world(), MountainCar().world()
    tiles = TileCoding(n_tiles=5)
    for agent in (
        PolicyGradient(features=tiles, learning_rate=rate(1.0)),
        ActorCritic(features=tiles, learning_rate=rate(1.0)),
    ):
        assert agent.fit(pole, 400).score > 400
    assert ActorCritic().fit(car, 300).score > -130
    # No episode of a policy at random ever reaches the flag, so all returns are alike.
    fit = PolicyGradient().fit(car, 100)
    assert fit.score == -200 and np.abs(fit.weights).max() < 1e-9


@pytest.mark.parametrize(
    ("agent", "world", "says"),
    [
        (PolicyGradient(gradient="exact"), MountainCar().world(), "needs the tables of a world"),
        (ActorCritic(learning_rate=VisitPowerSchedule()), GRID, "count visits"),
        (ActorCritic(features=TileCoding(n_tiles=20)), CartPole().world(), "weights in this world"),
        (ActorCritic(start="anywhere"), CartPole().world(), "only where states can be counted"),
    ],
)
def test_what_does_not_suit_is_refused_in_a_sentence(agent, world, says):
    with pytest.raises(DataError, match=says):
        agent.fit(world, 5)


def test_the_natural_gradient_of_a_bandit_is_that_of_its_enumerated_actions():
    """Fisher information as the mean of score times score, written out action by action."""
    pays, theta = np.array([1.0, 0.0, 3.0]), np.array([[0.2, -0.4, 1.0]])
    bandit = from_transitions(
        "three arms", [[[(1.0, 0, pay, True)] for pay in pays]], gamma=1.0,
        initial=np.array([1.0]), max_steps=1, state_names=("here",), action_names=("a", "b", "c"),
    )  # fmt: skip
    pi = softmax(theta)[0]
    scores = np.eye(3) - pi
    fisher = sum(p * np.outer(score, score) for p, score in zip(pi, scores, strict=True))
    gradient = sum(p * pay * score for p, pay, score in zip(pi, pays, scores, strict=True))
    np.testing.assert_allclose(fisher_information(bandit, theta)[0], fisher, atol=1e-12)
    natural = natural_policy_gradient(bandit, theta)[0]
    np.testing.assert_allclose(natural, np.linalg.pinv(fisher) @ gradient, atol=1e-12)
    np.testing.assert_allclose(natural, pays - pays.mean(), atol=1e-12)


def test_the_natural_gradient_of_two_states():
    even = np.zeros((2, 2))
    gradient = exact_policy_gradient(FAR_SIGHTED, even)[0]
    np.testing.assert_allclose(gradient, [-0.661157, 0.661157], atol=1e-6)
    natural = natural_policy_gradient(FAR_SIGHTED, even)
    np.testing.assert_allclose(natural, [[-0.727273, 0.727273], [0, 0]], atol=1e-6)
    sure = np.array([[9.0, -9.0], [0.0, 0.0]])  # of the poorer way: nothing to climb but by F
    assert np.abs(exact_policy_gradient(FAR_SIGHTED, sure)).max() < 1e-4
    assert natural_policy_gradient(FAR_SIGHTED, sure)[0, 1] > 1.0


@pytest.mark.parametrize("damping", [0.1, 1e-3])
def test_conjugate_gradients_solve_with_the_fisher_information_written_down(damping):
    """Of episodes: each column of F is its product with a direction of one."""
    agent = PolicyGradient()
    course = agent._begun(GRID, 20, 20, 0, 0)
    rolled = agent._rolled(course, 20)
    n, A = course.encoded.n, GRID.n_actions
    units = np.eye(A * n).reshape(-1, A, n)
    F = np.array([rolled.fisher_times(unit, 0.9, SoftmaxPolicy()).ravel() for unit in units])
    np.testing.assert_allclose(F, F.T, atol=1e-12)
    weight = 0.9**rolled.times / 20
    first = np.array([np.bincount(rolled.index[:, 0], weight, n)]).ravel()
    # A uniform policy: blocks of mean visits times (I / A - 1 / A^2).
    blocks = np.kron(np.eye(A) / A - 1 / A**2, np.diag(first))
    np.testing.assert_allclose(F, blocks, atol=1e-12)
    gradient = np.random.default_rng(0).normal(size=(A, n))
    found = solved(lambda d: rolled.fisher_times(d, 0.9, SoftmaxPolicy()), gradient, damping)
    exact = np.linalg.solve(F + damping * np.eye(A * n), gradient.ravel()).reshape(A, n)
    np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-4 * np.abs(exact).max())


def test_the_natural_gradient_leaves_a_plateau_that_holds_the_plain_one():
    """Sure of the poorer way to begin with, ten steps of equal rate."""
    values = {}
    for name, climb in (("plain", exact_policy_gradient), ("natural", natural_policy_gradient)):
        theta = np.array([[5.0, -5.0], [0.0, 0.0]])
        for _ in range(10):
            theta = theta + climb(FAR_SIGHTED, theta)
        values[name] = policy_objective(FAR_SIGHTED, theta)
    assert values["plain"] < 10.5
    assert values["natural"] == pytest.approx(18.0, abs=0.1)


def test_the_critic_is_judged_by_the_policy_of_the_moment():
    fit = ActorCritic(learning_rate=rate(1e-9), critic_rate=0.05, decay=0.5).fit(GRID, 400)
    even = values_of(GRID, np.full((GRID.n_states, GRID.n_actions), 1 / GRID.n_actions))
    here = GRID.reachable
    np.testing.assert_allclose(fit.exact[here], even[here], atol=1e-5)
    assert np.isnan(fit.exact[~here]).all()
    off = np.sqrt(np.mean((fit.values - even)[here] ** 2))
    assert fit.rms[-1] == pytest.approx(off, abs=1e-5)
    assert fit.rms[-1] < 0.5 * np.sqrt(np.mean(even[here] ** 2))  # of a critic that knows nothing
    # A policy that moves on leaves its critic behind, and both are known.
    fast = ActorCritic().fit(GRID, 400)
    moved = values_of(GRID, fast.chances)
    assert np.abs(moved - even)[here].max() > 0.01
    np.testing.assert_allclose(fast.exact[here], moved[here])


def test_without_a_critic_or_a_discount_there_is_no_error_of_one():
    exact = PolicyGradient(gradient="exact", n_rollouts=5).fit(GRID, 20)
    endless = ActorCritic().fit(GridWorld(gamma=1.0, max_steps=50).world(), 20)
    for fit in (exact, endless):
        assert fit.exact is None
        assert fit.rms is None
        assert not can(fit, PredictsValues)
