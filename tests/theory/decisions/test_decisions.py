"""Bandits, planners and learners against closed forms, golden numbers and one another."""

from __future__ import annotations

import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.agent import marks, stream
from mlcore.decisions.bandit import BanditArms, GaussianRewards, lai_robbins_slope
from mlcore.decisions.environment_tables import finite_mdp
from mlcore.decisions.environments import GRID_ID, MDPEnv, newest
from mlcore.decisions.explorers import EpsilonGreedy, Greedy, Softmax
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.mdp import FiniteMDP, backup, from_transitions, return_of
from mlcore.decisions.planning import PolicyIteration, ValueIteration
from mlcore.decisions.td_control import TARGETS, TDControl
from mlcore.decisions.thompson import NormalPosterior, ThompsonSampling
from mlcore.decisions.ucb import UCB, BoundedTail, GaussianTail, regret_bound
from mlcore.decisions.uniform import UniformArms, UniformPolicy
from mlcore.decisions.windy_grid import WindyGrid
from mlcore.optimisation.schedules import (
    ConstantSchedule,
    ExponentialSchedule,
    LinearSchedule,
    VisitPowerSchedule,
)
from mlcore.spine.errors import DataError, MlcoreError, ParamError
from mlcore.spine.random import generator

ARMS = BanditArms().world()
HALF = ConstantSchedule(value=0.5)
CLIFF = GymWorld(environment="cliff_walking", slippery=False, gamma=1.0)


def mean_regret(strategy, world=ARMS, n=10_000, replicates=200):
    """Mean regret and its standard error."""
    scores = [strategy.fit(world, n, replicate=r).score for r in range(replicates)]
    return np.mean(scores), np.std(scores, ddof=1) / np.sqrt(replicates)


# Means of 1,000 replicates with their standard errors, measured with another implementation.
@pytest.mark.parametrize(
    ("strategy", "mean", "error"),
    [
        (ActionValueBandit(explorer=Greedy()), 520, 48 / 2),
        (ActionValueBandit(), 170.8, 2.8 / 2),
        (UCB(alpha=0.5), 34.2, 2.2 / 2),
        (UCB(alpha=2.1), 116.9, 1.4 / 2),
        (UCB(alpha=4.0), 193.6, 1.7 / 2),
        (UCB(index="divergence", alpha=1.0), 47.1, 0.9 / 2),
        (UCB(index="moss"), 56.3, 0.9 / 2),
        (ThompsonSampling(), 31.0, 0.9 / 2),
    ],
)
def test_mean_regret_on_four_arms(strategy, mean, error):
    ours, own_error = mean_regret(strategy)
    assert abs(ours - mean) < 4 * np.hypot(own_error, error)


def test_regret_is_the_sum_of_the_gaps_of_the_arms_pulled():
    for strategy in (UCB(), ThompsonSampling(), ActionValueBandit(), UniformArms()):
        fit = strategy.fit(ARMS, 500)
        assert fit.counts.sum() == 500
        assert fit.regret[-1] == pytest.approx(ARMS.gaps @ fit.counts)
        assert (np.diff(fit.regret) >= 0).all()


def test_all_strategies_meet_the_same_rewards():
    rng = generator(3, "rewards 5")
    stack = ARMS.stacks(400, rng)
    for strategy in (UCB(), ActionValueBandit()):
        fit = strategy.fit(ARMS, 400, seed=3, replicate=5)
        sums = [stack[i, : fit.counts[i]].sum() for i in range(4)]
        np.testing.assert_allclose(fit.means * fit.counts, sums, atol=1e-9)


def test_arms_that_are_equally_good_cost_nothing():
    world = BanditArms(means=(0.5, 0.5)).world()
    assert UCB().fit(world, 100).score == 0.0


def test_the_order_of_the_arms_does_not_matter():
    # With the first of equal arms preferred, greedy would lose 475 or 580 of these 520.
    turned = BanditArms(means=(0.8, 0.7, 0.6, 0.5)).world()
    a, wide_a = mean_regret(ActionValueBandit(explorer=Greedy()), n=2000)
    b, wide_b = mean_regret(ActionValueBandit(explorer=Greedy()), turned, n=2000)
    assert abs(a - b) < 4 * np.hypot(wide_a, wide_b)


def test_bounds_and_slopes():
    n = np.array([1e4])
    assert regret_bound(UCB(alpha=2.1), ARMS, n) == pytest.approx(772.2, abs=0.05)
    assert regret_bound(UCB(alpha=2.5), ARMS, n) == pytest.approx(859.3, abs=0.05)
    assert regret_bound(UCB(alpha=4.0), ARMS, n) == pytest.approx(1356.8, abs=0.1)
    assert regret_bound(UCB(alpha=2.0), ARMS, n) is None
    assert lai_robbins_slope(ARMS) == pytest.approx(6.80575, abs=1e-5)
    gaussian = BanditArms(means=(0.0, 0.5), reward_distribution=GaussianRewards(sd=1.0)).world()
    assert lai_robbins_slope(gaussian) == pytest.approx(0.5 / (0.25 / 2))


def test_gaussian_rewards_need_strategies_that_know_them():
    world = BanditArms(reward_distribution=GaussianRewards(sd=0.5)).world()
    with pytest.raises(DataError, match="between 0 and 1"):
        UCB().fit(world, 100)
    with pytest.raises(DataError, match="Beta"):
        ThompsonSampling().fit(world, 100)
    for good in (UCB(tail=GaussianTail(sigma=0.5)), ThompsonSampling(prior=NormalPosterior())):
        assert good.fit(world, 2000).score < UniformArms().fit(world, 2000).score / 2
    assert UCB(tail=BoundedTail(low=-1, high=2)).fit(ARMS, 100).counts.sum() == 100


def test_what_a_bandit_cannot_be_is_a_sentence():
    with pytest.raises(ParamError, match="at least 2 arms"):
        BanditArms(means=(0.5,))
    with pytest.raises(ParamError, match="between 0 and 1"):
        BanditArms(means=(0.5, 1.5))
    with pytest.raises(DataError, match="too small"):
        UCB().fit(ARMS, 3)
    with pytest.raises(DataError, match="arms of a bandit"):
        UCB().fit(GridWorld().world(), 100)


def test_softmax_and_first_values():
    hot = ActionValueBandit(explorer=Softmax(temperature=ConstantSchedule(value=100.0)))
    assert hot.fit(ARMS, 4000).counts.min() > 800
    hopeful = ActionValueBandit(explorer=Greedy(), initial_value=5.0, step_size=HALF)
    assert hopeful.fit(ARMS, 200).counts.min() >= 3


def test_schedules():
    np.testing.assert_allclose(LinearSchedule(start=1, end=0, steps=4).values(6)[:5:2], [1, 0.5, 0])
    falling = ExponentialSchedule(start=1, end=0.1, rate=0.5).values(50)
    assert falling[0] == 1.0
    assert falling[-1] == pytest.approx(0.1, abs=1e-9)
    assert VisitPowerSchedule(power=0.6).exponent == 0.6


# Russell and Norvig's world: slip 0.1 to either side, step -0.04.
BY_GAMMA = {
    1.0: [.811558, .867808, .917808, .761558, .660274, .705308, .655308, .611416, .387925],
    0.9: [.581079, .732295, .889558, None, None, None, None, None, .160629],
}  # fmt: skip


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize(
    "planner",
    [
        ValueIteration(),
        ValueIteration(update="gauss_seidel"),
        PolicyIteration(),
        PolicyIteration(n_sweeps=1),
        PolicyIteration(n_sweeps=20),
    ],
    ids=lambda p: f"{p.card.name} {getattr(p, 'update', '')}{getattr(p, 'n_sweeps', '')}",
)
def test_the_world_of_four_by_three(planner, gamma):
    fit = planner.fit(GridWorld(gamma=gamma).world())
    known = [(i, v) for i, v in enumerate(BY_GAMMA[gamma]) if v is not None]
    for i, value in known:
        assert fit.values[i] == pytest.approx(value, abs=1e-6)
    assert fit.stop.kind == "converged"
    policy = "".join("URDL"[a] for a in fit.policy)
    assert policy == ("RRRUUULLL" if gamma == 1.0 else "RRRUUURUL")


@pytest.mark.parametrize(
    ("world", "value"),
    [
        (GymWorld(), 0.542026),
        (GymWorld(slippery=False), 0.950990),
        (GymWorld(environment="frozen_lake_8x8"), 0.414640),
        (GymWorld(environment="cliff_walking", slippery=False), -12.247898),
        (GymWorld(environment="cliff_walking"), -46.352672),
        (CLIFF, -13.0),
        (GymWorld(environment="cliff_walking", gamma=1.0), -64.709176),
    ],
)
def test_values_of_the_start_in_gymnasiums_worlds(world, value):
    mdp = world.world()
    assert mdp.initial @ mdp.solution.values == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("world", "moves"),
    [
        (WindyGrid(), 15),  # example 6.5 of Sutton and Barto
        (WindyGrid(moves="king"), 7),  # exercise 6.9: the columns between start and goal
        (WindyGrid(moves="king_and_wait"), 7),
        (WindyGrid(wind=(0,) * 8), 7),
        (WindyGrid(wind=(0,) * 8, gusts=True), 7),  # none where there is no wind
    ],
)
def test_the_best_way_across_the_wind(world, moves):
    mdp = world.world()
    assert mdp.initial @ mdp.solution.values == pytest.approx(-moves)


def test_the_wind_of_the_column_that_is_left_counts_and_the_edge_holds():
    mdp = WindyGrid(gusts=True).world()
    up, right, down, left = range(4)

    def lands(row, column, action):
        (s,) = np.flatnonzero(mdp.grid.cells == row * 10 + column)
        k = slice(*mdp.offsets[4 * s + action : 4 * s + action + 2])
        to = [
            (*divmod(int(mdp.grid.cells[t]), 10), e) for t, e in zip(mdp.successors[k], mdp.ends[k])
        ]
        return dict(zip(to, mdp.chances[k].round(6)))

    assert lands(5, 0, right) == {(5, 1, False): 1.0}
    third = 0.333333
    assert lands(5, 3, right) == {(5, 4, False): third, (4, 4, False): third, (3, 4, False): third}
    assert lands(0, 3, up) == {(0, 3, False): 1.0}
    assert lands(6, 9, down) == {(6, 9, False): 1.0}
    assert lands(4, 8, left)[4, 7, False] == third  # and one more blows to the goal, the end
    assert sum(chance for (*_, is_end), chance in lands(4, 8, left).items() if is_end) == third


def test_what_a_windy_grid_may_be_is_said():
    with pytest.raises(ParamError, match="at least 8"):
        WindyGrid(wind=(0, 1))
    with pytest.raises(ParamError, match=r"whole number from 0 to 3; got 1\.5"):
        WindyGrid(wind=(0,) * 8 + (1.5,))


def test_q_learning_finds_the_way_across_the_wind():
    fit = TDControl(learning_rate=HALF).fit(WindyGrid().world(), 500)
    assert fit.score == -15


def test_an_end_that_the_table_does_not_show_is_respected():
    # Taxi's table goes on past the delivery: without the mark of the end the start is worth 835.
    env = gymnasium.make(newest("Taxi"))
    taxi = finite_mdp(env, name="taxi", gamma=0.99, max_steps=200)
    assert taxi.initial @ taxi.solution.values == pytest.approx(6.327464, abs=1e-6)


def test_the_best_within_the_time_limit():
    lake = replace(GymWorld(), gamma=0.9999999).world()
    assert return_of(lake, lake.solution.policy) == pytest.approx(0.744, abs=0.01)


def test_a_discount_of_one_is_refused_where_one_could_wander():
    for world in (GymWorld(gamma=1.0), GymWorld(slippery=False, gamma=1.0)):
        with pytest.raises(DataError, match="wander"):
            ValueIteration().fit(world.world())
    walled = GridWorld(layout="G#S", gamma=1.0).world()
    with pytest.raises(DataError, match="way to an end"):
        PolicyIteration().fit(walled)
    assert GridWorld(layout="G#S", gamma=0.9).world().solution.values[0] == pytest.approx(-0.4)


def random_mdp(seed: int, n_states: int = 8, n_actions: int = 3, gamma: float = 0.9) -> FiniteMDP:
    """Any transitions with any rewards, some of which end the episode."""
    rng = np.random.default_rng(seed)
    transitions = [
        [
            [
                (p, s, float(rng.normal()), bool(rng.random() < 0.05))
                for s, p in enumerate(rng.dirichlet(np.full(n_states, 0.4)))
            ]
            for _ in range(n_actions)
        ]
        for _ in range(n_states)
    ]
    return from_transitions(
        "random world", transitions, gamma=gamma, initial=np.full(n_states, 1 / n_states),
        max_steps=1000, state_names=tuple(f"s{i}" for i in range(n_states)),
        action_names=tuple(f"a{i}" for i in range(n_actions)),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_planners_agree_and_keep_their_promise(seed):
    mdp = random_mdp(seed)
    exact = mdp.solution
    np.testing.assert_allclose(backup(mdp, exact.values).max(axis=1), exact.values, atol=1e-10)
    for planner in (ValueIteration(tol=1e-3), PolicyIteration(n_sweeps=3, tol=1e-10)):
        fit = planner.fit(mdp)
        assert np.abs(fit.values - exact.values).max() <= fit.bound + 1e-12
    # A long limit is as good as none, and no policy earns more than the optimum.
    best = mdp.initial @ exact.values
    assert return_of(mdp, exact.policy) == pytest.approx(best, abs=1e-9)
    assert UniformPolicy().fit(mdp).score < best


def test_policies_of_policy_iteration_never_get_worse():
    for seed in range(10):
        values = [s.state.values for s in PolicyIteration().steps(random_mdp(seed))]
        assert np.diff(values, axis=0).min(initial=0.0) > -1e-10


@pytest.mark.parametrize("power", [-60, -30, 30])
def test_the_best_policy_does_not_hang_on_the_unit_of_the_rewards(power):
    world = GridWorld(gamma=0.9).world()
    scaled = replace(world, rewards=np.ascontiguousarray(world.rewards * 2.0**power))
    best, other = world.solution, scaled.solution
    np.testing.assert_array_equal(other.policy, best.policy)
    np.testing.assert_array_equal(other.is_optimal, best.is_optimal)
    np.testing.assert_allclose(other.values / 2.0**power, best.values, rtol=1e-12)


def test_a_wanted_loss_sets_the_tolerance():
    mdp = random_mdp(1, gamma=0.95)
    fit = ValueIteration(target_loss=0.1, tol=1.0).fit(mdp)
    lost = mdp.initial @ mdp.solution.values - return_of(mdp, fit.policy)
    assert 0 <= lost + 1e-12 <= 0.1


@pytest.mark.parametrize(
    ("target", "mean", "error"),
    [("q_learning", -49.6, 1.2), ("sarsa", -26.5, 1.0), ("expected_sarsa", -20.6, 0.4)],
)
def test_the_cliff(target, mean, error):
    agent = TDControl(target=target, learning_rate=HALF)
    fits = [agent.fit(CLIFF.world(), 500, replicate=r) for r in range(60)]
    late = np.array([fit.online[fit.episodes > 400].mean() for fit in fits])
    assert abs(late.mean() - mean) < 4 * np.hypot(error / 2, late.std(ddof=1) / np.sqrt(60))
    if target == "q_learning":
        assert np.median([fit.score for fit in fits]) == -13.0


def test_q_learning_arrives_at_the_exact_values():
    mdp = random_mdp(0, n_states=6)
    explore = EpsilonGreedy(epsilon=ConstantSchedule(value=1.0))
    fit = TDControl(explorer=explore).fit(mdp, 40_000)
    scale = np.abs(mdp.solution.values).max()
    assert np.abs(fit.q - mdp.solution.q).max() < 0.05 * scale
    assert fit.errors[-1] == pytest.approx(np.abs(fit.values - mdp.solution.values).max())
    assert fit.visits.sum() == pytest.approx(
        (fit.lengths * np.diff(fit.episodes, prepend=0)).sum(), rel=1e-9
    )


def test_a_time_limit_is_no_end():
    """One state, reward 1 for ever, cut after 10 moves: its value is still 1 / (1 - gamma)."""
    mdp = from_transitions(
        "treadmill", [[[(1.0, 0, 1.0, False)]]], gamma=0.5, initial=np.ones(1), max_steps=10,
        state_names=("on",), action_names=("run",),
    )  # fmt: skip
    fit = TDControl(learning_rate=HALF).fit(mdp, 50)
    assert fit.values[0] == pytest.approx(2.0, abs=1e-6)
    assert fit.lengths.tolist() == [10.0] * len(fit.lengths)


def step_by_step(agent: TDControl, mdp: FiniteMDP, episodes: int, seed: int) -> np.ndarray:
    """The table after learning through `reset` and `step` of the environment."""
    env, rng = MDPEnv(mdp), stream(agent, seed, 0)
    env.reset(seed=0)
    env.np_random = generator(seed, "world 0")
    q = np.full((mdp.n_states, mdp.n_actions), agent.initial_value)
    visits = np.zeros_like(q)
    epsilon, traces = agent.explorer.epsilon.value, np.zeros_like(q)

    def chosen(s: int) -> int:
        if epsilon > 0 and rng.random() < epsilon:
            return int(rng.random() * mdp.n_actions)
        ties = np.flatnonzero(q[s] == q[s].max())
        return int(ties[int(rng.random() * len(ties))]) if len(ties) > 1 else int(ties[0])

    for _ in range(episodes):
        s, _ = env.reset()
        a, is_end, is_cut = chosen(s), False, False
        traces[:] = 0.0
        while not (is_end or is_cut):
            to, reward, is_end, is_cut, _ = env.step(a)
            after, later = 0, 0.0
            if not is_end and agent.target == "sarsa":
                after = chosen(to)
                later = q[to, after]
            elif not is_end and agent.target == "expected_sarsa":
                later = (1 - epsilon) * q[to].max() + epsilon * (q[to].sum() / mdp.n_actions)
            elif not is_end:
                later = q[to].max()
            visits[s, a] += 1
            error = reward + mdp.gamma * later - q[s, a]
            traces[s, a] = 1.0 + (traces[s, a] if agent.traces == "accumulating" else 0.0)
            for pair in map(tuple, np.argwhere(traces)):
                rate = 1.0 / visits[pair] ** agent.learning_rate.exponent
                q[pair] += rate * error * traces[pair]
            traces *= mdp.gamma * agent.decay
            if not is_end:
                s, a = to, after if agent.target == "sarsa" else chosen(to)
                if agent.target == "q_learning" and q[s, a] < q[s].max():
                    traces[:] = 0.0
    return q


@pytest.mark.parametrize("traces", ["", "replacing", "accumulating"])
@pytest.mark.parametrize("target", TARGETS)
def test_the_compiled_loop_is_learning_through_the_environment(target, traces):
    mdp, agent = GridWorld(max_steps=12).world(), TDControl(target=target)
    if traces:
        agent = replace(agent, decay=0.8, traces=traces)
    ours = agent.fit(mdp, 60, seed=4).q
    theirs = step_by_step(agent, mdp, 60, seed=4)
    if target == "expected_sarsa":  # a mean adds up in another order there
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    else:
        np.testing.assert_array_equal(ours, theirs)


def test_gymnasium_accepts_our_worlds():
    for world in (GridWorld().world(), GymWorld().world(), random_mdp(2)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(MDPEnv(world), skip_render_check=True)
    env = gymnasium.make(GRID_ID, slip=0.0)
    assert env.reset(seed=1)[0] == 5
    with pytest.raises(DataError, match="does not show its tables"):
        finite_mdp(gymnasium.Env(), name="nothing", gamma=0.9, max_steps=5)
    with pytest.raises(DataError, match="no environment called"):
        newest("NoSuchWorld")


def test_steps_end_where_the_fit_stands():
    world = GridWorld().world()
    for planner in (ValueIteration(), PolicyIteration(), PolicyIteration(n_sweeps=4)):
        steps, fit = list(planner.steps(world)), planner.fit(world)
        assert [s.stop is None for s in steps] == [True] * (len(steps) - 1) + [False]
        np.testing.assert_array_equal(steps[-1].state.values, fit.values)
        assert steps[-1].stop == fit.stop
    agent = TDControl()
    steps, fit = list(agent.steps(world, 100, seed=2)), agent.fit(world, 100, seed=2)
    np.testing.assert_array_equal(steps[-1].state.values, fit.values)
    np.testing.assert_array_equal(steps[-1].state.policy, fit.policy)
    assert steps[-1].objective == fit.score


@pytest.mark.parametrize(
    ("layout", "says"),
    [
        ("...G/.#.X/....", "needs a start"),
        ("S..G/..", "equally long"),
        ("S?G", "means nothing"),
        ("", "equally long"),
        ("S" + "." * 400, "at most 400 cells"),
    ],
)
def test_a_map_that_cannot_be_is_a_sentence(layout, says):
    with pytest.raises(ParamError, match=says):
        GridWorld(layout=layout)


def test_cells_are_changed_and_the_start_moves():
    world = GridWorld()
    assert world.with_cells((0, 5), "#") == "#..G/.#.X/S..."
    assert world.with_cells((1,), "S") == ".S.G/.#.X/...."
    with pytest.raises(ParamError, match="start"):
        replace(world, layout=world.with_cells((8,), "#"))
    for cell in (12, -1, 2**40):
        with pytest.raises(ParamError, match=rf"has 12 cells, .* no cell {cell}\b"):
            world.with_cells((0, cell), "#")


def test_a_fit_answers_for_its_states_alone():
    fit = ValueIteration().fit(GridWorld().world())
    assert fit.predict([0, 1]).tolist() == [1, 1]
    for bad in ([9], [-1], [0.5]):
        with pytest.raises(MlcoreError, match="states 0 to 8"):
            fit.predict(bad)


def test_marks_end_at_the_budget():
    for budget in (1, 2, 7, 100, 12_345):
        found = marks(budget)
        assert found[0] == 1
        assert found[-1] == budget
        assert (np.diff(found) > 0).all()


def test_the_mean_of_an_arm_that_was_never_pulled_is_not_known():
    for strategy in (ThompsonSampling(), UniformArms()):
        fits = [strategy.fit(ARMS, 4, replicate=r) for r in range(20)]
        assert any((fit.counts == 0).any() for fit in fits)
        for fit in fits:
            np.testing.assert_array_equal(np.isnan(fit.means), fit.counts == 0)


def test_only_who_pulls_each_arm_once_needs_a_round_for_each():
    few = ARMS.n_arms - 1
    for strategy in (UCB(), ActionValueBandit()):
        assert (strategy.fit(ARMS, ARMS.n_arms).counts == 1).all()
        with pytest.raises(DataError, match=f"arms once; a budget of {few} rounds is too small"):
            strategy.fit(ARMS, few)
    for strategy in (ThompsonSampling(), UniformArms(), ActionValueBandit(initial_value=1.0)):
        assert strategy.fit(ARMS, few).counts.sum() == few
