"""TD(lambda) against its recursion written out, Monte Carlo, and the random walk of the book."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.decisions import td_prediction
from mlcore.decisions.agent import stream
from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.mdp import from_transitions, policy_values, return_of, values_of
from mlcore.decisions.random_walk import RandomWalk
from mlcore.decisions.td_prediction import TDPrediction
from mlcore.optimisation.schedules import ConstantSchedule, VisitPowerSchedule
from mlcore.spine.errors import DataError
from mlcore.spine.random import generator

FIVE = RandomWalk().world()
NINETEEN = RandomWalk(n_states=19, left_reward=-1.0).world()


def agent(decay, rate=0.1, **more):
    return TDPrediction(decay=decay, learning_rate=ConstantSchedule(value=rate), **more)


def by_hand(method, world, n, *, decay, rate, replacing, start, power=0.0):
    """TD(lambda) with a trace a state, from the same chance; steps fall with visits to `power`."""
    nature, own = generator(0, "world 0"), stream(method, 0, 0)
    A, v, visits = world.n_actions, np.full(world.n_states, start), np.zeros(world.n_states)

    def pick(chances, u):
        return min(int(np.searchsorted(np.cumsum(chances), u, side="right")), len(chances) - 1)

    for _ in range(n):
        trace, s = np.zeros(world.n_states), pick(world.initial, nature.random())
        for _ in range(world.max_steps):
            a = pick(np.full(A, 1 / A), own.random())
            first, end = world.offsets[s * A + a], world.offsets[s * A + a + 1]
            k = first + pick(world.chances[first:end], nature.random())
            to, over = world.successors[k], world.ends[k]
            error = world.rewards[k] + (0 if over else world.gamma * v[to]) - v[s]
            trace[s] = 1 if replacing else trace[s] + 1
            visits[s] += 1
            v += rate / np.maximum(visits, 1) ** power * error * trace
            trace *= world.gamma * decay
            s = to
            if over:
                break
    return v


@pytest.mark.parametrize("decay", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("traces", ["accumulating", "replacing"])
def test_it_learns_as_the_recursion_says(decay, traces):
    world = GridWorld(gamma=0.9, max_steps=30).world()
    method = agent(decay, 0.05, traces=traces, initial_value=0.2)
    ours = method.fit(world, 40).predicted
    theirs = by_hand(
        method, world, 40, decay=decay, rate=0.05, replacing=traces == "replacing", start=0.2
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_the_step_of_every_trace_goes_by_its_own_visits():
    """A state seen a hundred times moves less than the new one that follows it."""
    world = GridWorld(gamma=0.9, max_steps=30).world()
    method = TDPrediction(decay=0.7, learning_rate=VisitPowerSchedule(power=0.6))
    rule = {"decay": 0.7, "rate": 1.0, "replacing": False, "start": 0.0, "power": 0.6}
    theirs = by_hand(method, world, 25, **rule)
    np.testing.assert_allclose(method.fit(world, 25).predicted, theirs, rtol=1e-10, atol=1e-12)


def test_as_many_steps_as_an_episode_has_are_monte_carlo():
    """With steps of one over the visits a value is the mean return after all visits of it."""
    world = RandomWalk(n_states=3, left_reward=-1.0).world()
    method = TDPrediction(n_steps=500, learning_rate=VisitPowerSchedule(power=1.0))
    fit = method.fit(world, 1)
    assert set(fit.predicted) <= {-1.0, 0.0, 1.0} and fit.predicted[1] in (-1.0, 1.0)
    many = method.fit(world, 3000).predicted
    np.testing.assert_allclose(many, [-0.5, 0.0, 0.5], atol=4 / np.sqrt(3000))
    assert method.label == "500-step TD"


def test_the_values_of_the_random_walk_are_its_chances_to_leave_at_the_right():
    fit = agent(0.0).fit(FIVE, 1)
    np.testing.assert_allclose(fit.exact, np.arange(1, 6) / 6, rtol=1e-12)
    np.testing.assert_allclose(NINETEEN.solution.values, np.arange(-9, 10) / 10, atol=1e-12)
    slow = TDPrediction(learning_rate=VisitPowerSchedule(), initial_value=0.5).fit(FIVE, 20_000)
    assert slow.rms[-1] < 0.02


def test_the_first_episode_of_the_book():
    """Only the last state of an episode changes in TD(0) when all begin at one half."""
    fit = agent(0.0, 0.1, initial_value=0.5).fit(FIVE, 1)
    assert np.flatnonzero(fit.predicted != 0.5).tolist() in ([0], [4])
    assert fit.predicted[0] in (0.5, 0.45) and fit.predicted[4] in (0.5, 0.55)
    # sqrt(mean of (1/2 - k/6)^2), the error before anything is learned
    start = np.sqrt(np.mean((0.5 - np.arange(1, 6) / 6) ** 2))
    assert start == pytest.approx(0.2357, abs=1e-4)
    assert fit.rms[0] == pytest.approx(start, abs=0.03)


def test_whole_episodes_where_no_state_is_met_again_are_monte_carlo():
    """A walk straight to the goal: each value moves by rate times the return that followed."""
    world = GridWorld(layout="S...G", slip=0.0, gamma=0.9).world()
    fit = agent(1.0, 0.3, policy="optimal").fit(world, 1)
    known = np.isfinite(fit.exact)
    assert known.sum() == 4
    np.testing.assert_allclose(fit.predicted[known], 0.3 * fit.exact[known], rtol=1e-12)
    one_ahead = agent(0.0, 0.3, policy="optimal").fit(world, 1).predicted[known]
    assert np.abs(one_ahead - 0.3 * fit.exact[known]).max() > 0.05


def test_something_between_the_ends_learns_fastest():
    """Nineteen states, ten episodes, 100 replicates; the book has the same order and sizes."""

    def error(decay, rate):
        fits = [agent(decay, rate).fit(NINETEEN, 10, replicate=r) for r in range(100)]
        return np.mean([fit.rms.mean() for fit in fits])

    between = error(0.8, 0.3)
    assert between < error(0.0, 0.8) < error(0.99, 0.02)
    assert between == pytest.approx(0.27, abs=0.03)


@pytest.mark.parametrize(
    "more",
    [{"decay": d} for d in (0.0, 0.7, 1.0)]
    + [{"decay": 0.7, "traces": "replacing"}, {"decay": 0.0, "n_steps": 4}]
    + [{"decay": 0.0, "n_steps": 99}, {"decay": 0.7, "value": "q"}],
)
def test_a_time_limit_is_no_end(more):
    """A reward of 1 a move, cut after 10: what the last state is worth is counted, not 0."""
    treadmill = from_transitions(
        "treadmill", [[[(1.0, 0, 1.0, False)]]], gamma=0.5, initial=np.ones(1), max_steps=10,
        state_names=("on",), action_names=("run",),
    )  # fmt: skip
    fit = agent(rate=0.5, **more).fit(treadmill, 60)
    assert fit.predicted.ravel()[0] == pytest.approx(2.0, abs=1e-6)


def test_a_step_that_is_too_large_is_said():
    with pytest.raises(DataError, match=r"TD\(1\) diverged"):
        agent(1.0, 0.5).fit(NINETEEN, 50)
    assert agent(1.0, 0.1, traces="replacing").fit(NINETEEN, 50).rms[-1] < 1.0


def test_the_values_of_a_policy_are_those_of_its_actions():
    world = GridWorld(gamma=0.9).world()
    policy = world.solution.policy
    np.testing.assert_allclose(
        values_of(world, np.eye(world.n_actions)[policy]), policy_values(world, policy)
    )
    fit = agent(0.0, policy="optimal").fit(world, 5)
    known = np.isfinite(fit.exact)
    np.testing.assert_allclose(fit.exact[known], world.solution.values[known])
    assert len(list(agent(0.5).steps(world, 30))) <= 60 * 1.25


def test_it_needs_states_and_finite_values():
    with pytest.raises(DataError, match="needs a world of states"):
        agent(0.0).fit(BanditArms().world(), 10)
    endless = GridWorld(layout="S..G", gamma=1.0, step_reward=0.0).world()
    assert "wander" in str(agent(0.0).applies(endless))


def sarsa_by_hand(method, world, n, *, decay, rate):
    """Q of the uniform policy, from each pair to the one that is taken next: the same chance."""
    nature, A = generator(0, "world 0"), world.n_actions
    q = np.zeros((world.n_states, A))

    def pick(chances):
        return min(int(np.searchsorted(np.cumsum(chances), nature.random(), "right")),
                   len(chances) - 1)  # fmt: skip

    for _ in range(n):
        trace = np.zeros_like(q)
        s, a = divmod(pick(np.repeat(world.initial / A, A)), A)
        for _ in range(world.max_steps):
            first, end = world.offsets[s * A + a], world.offsets[s * A + a + 1]
            k, then = divmod(pick(np.repeat(world.chances[first:end] / A, A)), A)
            to, over = world.successors[first + k], world.ends[first + k]
            later = 0 if over else world.gamma * q[to, then]
            error = world.rewards[first + k] + later - q[s, a]
            trace[s, a] += 1
            q += rate * error * trace
            trace *= world.gamma * decay
            s, a = to, then
            if over:
                break
    return q


@pytest.mark.parametrize("decay", [0.0, 0.7])
def test_values_of_actions_are_learned_as_sarsa_says(decay):
    world = GridWorld(gamma=0.9, max_steps=30).world()
    method = agent(decay, 0.05, value="q")
    theirs = sarsa_by_hand(method, world, 40, decay=decay, rate=0.05)
    np.testing.assert_allclose(method.fit(world, 40).predicted, theirs, rtol=1e-9, atol=1e-12)


def test_values_of_actions_come_to_those_of_the_policy():
    """Q = r + gamma P v, of the pairs that the policy can take; at the goal nothing follows."""
    method = TDPrediction(value="q", learning_rate=VisitPowerSchedule(), initial_value=0.5)
    fit = method.fit(FIVE, 20_000)
    assert fit.exact.shape == (5, FIVE.n_actions)
    v = values_of(FIVE, np.full((5, FIVE.n_actions), 1 / FIVE.n_actions))
    np.testing.assert_allclose(fit.exact.mean(axis=1), v)
    assert fit.rms[-1] < 0.03
    last = list(method.steps(FIVE, 200))[-1]
    assert last.objective == pytest.approx(
        FIVE.initial @ method.fit(FIVE, 200).predicted.mean(axis=1)
    )


def test_what_a_policy_never_does_has_no_error():
    world = GridWorld(gamma=0.9).world()
    fit = agent(0.0, policy="optimal", value="q").fit(world, 5)
    taken = np.isfinite(fit.exact)
    assert (taken.sum(axis=1) <= 1).all() and taken.any()
    s, a = np.nonzero(taken)
    np.testing.assert_allclose(fit.exact[s, a], world.solution.q[s, a])
    assert (a == world.solution.policy[s]).all()


def test_the_best_policy_with_actions_at_random_is_one_between():
    """epsilon-greedy is (1 - epsilon) best + epsilon uniform; its ends are these two."""
    world = GridWorld(gamma=0.9).world()
    ends = [agent(0.0, policy=p).fit(world, 1).exact for p in ("optimal", "uniform")]
    for share, end in zip((0.0, 1.0), ends, strict=True):
        fit = agent(0.0, policy="epsilon_greedy", epsilon=share).fit(world, 1)
        np.testing.assert_allclose(fit.exact, end, rtol=1e-12)
    fit = agent(0.0, policy="epsilon_greedy", epsilon=0.3).fit(world, 1)
    policy = 0.7 * np.eye(4)[world.solution.policy] + 0.3 / 4
    known = np.isfinite(fit.exact)
    np.testing.assert_allclose(fit.exact[known], values_of(world, policy)[known], rtol=1e-12)
    assert ends[1].sum() < fit.exact.sum() < ends[0].sum()


def test_one_action_always_on_a_walk_of_four():
    """Right, without slips, to a goal of 1: gamma^moves less the costs; nothing off the way."""
    world = GridWorld(layout="S..G/....", slip=0.0, gamma=0.9, step_reward=-0.1).world()
    right = world.action_names.index("right") + 1
    method = agent(1.0, 0.5, policy="one_action", action=right)
    fit = method.fit(world, 200)
    start = int(world.initial.argmax())
    on_way = np.isfinite(fit.exact)
    assert on_way.sum() == 3 and on_way[start]
    steps = np.array([world.rewards[world.offsets[s * 4 + right - 1]] for s in range(3)])
    assert fit.exact[start] == pytest.approx(steps @ 0.9 ** np.arange(3), rel=1e-12)
    np.testing.assert_allclose(fit.predicted[on_way], fit.exact[on_way], rtol=1e-12)
    assert fit.rms[-1] < 1e-12 and fit.score == pytest.approx(fit.exact[start], rel=1e-12)


def test_one_action_that_is_not_there_or_never_ends_is_refused():
    world = GridWorld(gamma=1.0, slip=0.0).world()
    for k, name in enumerate(world.action_names):
        said = str(agent(0.0, policy="one_action", action=k + 1).applies(world))
        assert f"takes the action {name} comes to no end" in said
    assert "which has 4 actions" in str(agent(0.0, policy="one_action", action=5).applies(world))
    walk = agent(0.0, policy="one_action").fit(FIVE, 1)  # one action, which ends
    np.testing.assert_allclose(walk.exact, np.arange(1, 6) / 6, rtol=1e-12)


def test_replicates_and_step_sizes_are_judged_by_values_that_are_computed_once(monkeypatch):
    """They take longer than a fit of ten episodes; other policies and worlds have their own."""
    solved, world = [], RandomWalk(n_states=7).world()
    monkeypatch.setattr(
        td_prediction, "values_of", lambda *asked: solved.append(1) or values_of(*asked)
    )
    fits = [agent(0.5, rate).fit(world, 5, replicate=r) for rate in (0.1, 0.2) for r in (0, 1)]
    assert len(solved) == 1
    assert not fits[0].exact.flags.writeable
    np.testing.assert_array_equal(fits[0].exact, agent(0.0)._exact(world))
    for other, where in ((agent(0.5, policy="optimal"), world), (agent(0.5), FIVE)):
        fit = other.fit(where, 5)
        np.testing.assert_array_equal(fit.exact, other._exact(where))
        assert fit.score == pytest.approx(return_of(where, other._followed(where)), rel=0, abs=0)
