"""Worlds that change: what holds before and after, and who finds out (Sutton and Barto, 8.3)."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from mlcore.decisions.changing_maze import ChangingMaze
from mlcore.decisions.continuous.actor_critic import ActorCritic
from mlcore.decisions.environments import MDPEnv
from mlcore.decisions.explorers import EpsilonGreedy, Greedy
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.model_based import ModelBasedRL, estimated
from mlcore.decisions.model_uses import DynaPlanning, DynaQPlus, RMax
from mlcore.decisions.td_control import TDControl
from mlcore.decisions.td_prediction import TDPrediction
from mlcore.optimisation.schedules import ConstantSchedule
from mlcore.spine.errors import DataError, ParamError

HALF = ConstantSchedule(value=0.5)
BLOCKING = ChangingMaze()
SHORTCUT = ChangingMaze(
    layout="........G/........./........./.#######O/........./...S.....", changes_after=3000
)


def _still(problem, layout):
    return GridWorld(
        layout=layout, slip=problem.slip, step_reward=0.0, gamma=0.95, max_steps=2000
    ).world()


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_the_tables_are_those_of_the_map_after_the_change(slip):
    problem = ChangingMaze(slip=slip)
    world, still = (
        problem.world(),
        _still(problem, problem.layout.replace("C", "#").replace("O", ".")),
    )
    assert world.best == pytest.approx(still.best, rel=1e-12)
    free = np.isin(world.grid.cells, still.grid.cells)
    np.testing.assert_allclose(world.solution.values[free], still.solution.values, rtol=1e-10)
    assert world.reachable[free].all() and not world.reachable[~free].any()
    before, change = world.change
    assert change == 1000
    for chances in (before, world.chances):
        np.testing.assert_allclose(np.bincount(world.pairs, chances), 1.0)


def test_the_best_ways_take_16_and_10_moves():
    assert BLOCKING.world().best == pytest.approx(0.95**15)
    assert SHORTCUT.world().best == pytest.approx(0.95**9)


def test_without_discount_only_possible_moves_count():
    """What could follow before the change is no way to an end, nor round in a circle."""
    closed = ChangingMaze(layout="SCG/...", gamma=1.0, step_reward=-1.0).world()
    assert closed.best == pytest.approx(-4.0 + 1.0)
    walled = ChangingMaze(layout="SCG", gamma=1.0, step_reward=-1.0).world()
    assert walled.unsolvable and "way to an end" in walled.unsolvable


def _by_move(agent, problem, budget, replicates, at):
    """Mean sum of rewards after the moves `at`, and the mean score."""
    fits = [agent.fit(problem.world(), budget, replicate=r) for r in range(replicates)]
    sums = [np.interp(at, np.append(0, f.moves), np.append(0, f.gained)) for f in fits]
    return np.mean(sums, axis=0), np.mean([f.score for f in fits])


def test_dyna_q_plus_finds_the_other_way_sooner_when_the_known_one_closes():
    """Figure 8.4: alike before the change; after it Dyna-Q+ earns half as much again."""
    dyna, plus = (
        _by_move(ModelBasedRL(model_use=use), BLOCKING, 150, 10, (1000, 3000))[0]
        for use in (
            DynaPlanning(memory="last", learning_rate=HALF),
            DynaQPlus(bonus=1e-4, learning_rate=HALF),
        )
    )
    assert dyna[0] == pytest.approx(plus[0], rel=0.15) and dyna[0] > 50
    assert plus[1] - plus[0] > 1.5 * (dyna[1] - dyna[0])


def test_only_dyna_q_plus_finds_the_shortcut():
    """Figure 8.5: the way of 16 moves stays good, so Dyna-Q has no reason to look."""
    (dyna, old), (plus, new) = (
        _by_move(ModelBasedRL(model_use=use), SHORTCUT, 420, 6, (3000, 6000))
        for use in (
            DynaPlanning(memory="last", learning_rate=HALF), DynaQPlus(learning_rate=HALF)
        )
    )  # fmt: skip
    assert old == pytest.approx(0.95**15)
    assert new > 0.5
    assert plus[1] - plus[0] > 1.3 * (dyna[1] - dyna[0])


def test_a_bonus_of_nothing_still_makes_up_what_was_never_tried():
    """In a corridor with one free move a step it plans as Dyna-Q does, but for these."""
    world = BLOCKING.world()
    a = ModelBasedRL(model_use=DynaQPlus(bonus=0.0, learning_rate=HALF)).fit(world, 20)
    b = ModelBasedRL(model_use=DynaPlanning(memory="last", learning_rate=HALF)).fit(world, 20)
    assert a.gained[-1] == b.gained[-1] == 20
    assert not np.array_equal(a.q, b.q)


def test_the_last_visit_is_the_model_or_all_of_them():
    world = BLOCKING.world()
    always = EpsilonGreedy(epsilon=ConstantSchedule(value=1.0))
    fits = [
        ModelBasedRL(model_use=DynaPlanning(memory=memory), explorer=always).fit(world, 60)
        for memory in ("last", "all")
    ]
    taken = fits[0].visits > 0
    sums = [np.bincount(world.pairs, f.counts, world.size).reshape(taken.shape) for f in fits]
    np.testing.assert_array_equal(sums[0], taken)
    np.testing.assert_array_equal(sums[1], fits[1].visits)
    last, all_ = (np.nan_to_num(estimated(world, f.counts)) for f in fits)
    assert set(np.unique(last)) == {0.0, 1.0} and ((all_ > 0) & (all_ < 1)).any()
    assert fits[0].model_errors[-1] < fits[1].model_errors[-1]


@pytest.mark.parametrize("agent", [TDControl(), ModelBasedRL(), ModelBasedRL(model_use=RMax())])
def test_moves_and_rewards_are_counted(agent):
    world = GridWorld(step_reward=0.0, goal_reward=1.0, pit_reward=0.0, gamma=1.0 - 1e-12).world()
    fit = agent.fit(world, 40)
    per = np.diff(fit.episodes, prepend=0)
    np.testing.assert_allclose(np.cumsum(per * fit.online), fit.gained, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(fit.moves, np.rint(np.cumsum(per * fit.lengths)))


def test_the_environment_changes_too():
    env = MDPEnv(ChangingMaze(layout="SC.G", changes_after=3).world())
    assert isinstance(env, gymnasium.Env)
    env.reset(seed=0)
    right, left = 1, 3
    passed = [env.step(a)[0] for a in (right, left, left, right, right)]
    assert passed == [1, 0, 0, 0, 0]


def test_who_needs_a_world_at_rest_says_so():
    world = BLOCKING.world()
    for agent in (TDPrediction(), ActorCritic()):
        with pytest.raises(DataError, match="stays as it is; the changing maze"):
            agent.fit(world, 10)
    with pytest.raises(ParamError, match="Nothing changes on this map"):
        ChangingMaze(layout="S.G")


def test_optimism_is_over_once_all_is_known():
    """R-max knows the closed way too well to look again: it counts what was."""
    world = SHORTCUT.world()
    fit = ModelBasedRL(model_use=RMax(n_known=1), explorer=Greedy()).fit(world, 400)
    assert fit.score == pytest.approx(0.95**15)
