"""Values and probabilities of actions on a map, and where a policy spends its moves."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from figures.drawing import action_tables, grids
from figures.numbers.action_tables import action_table
from figures.numbers.grids import BesideExactOptions
from figures.numbers.trials import played
from figures.recording import traces_by_name
from figures.view import views
from figures.views.decisions import occupancy_map, q_table
from mlcore.decisions.blackjack import Blackjack
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.mdp import from_transitions
from mlcore.decisions.policy_gradients import discounted_occupancy, visits_within
from mlcore.runs.carry_trial import TrialOutcome, carried_out, recording
from mlcore.runs.run import Trial


@cache
def outcome(problem=None, budget: int = 60) -> TrialOutcome:
    methods = ("value_iteration", "td_control", "policy_gradient", "finite_horizon_dp")
    return carried_out(
        Trial(problem=problem or GridWorld(), methods=methods, budget=budget, replicates=1)
    )


def test_an_action_stands_where_it_points_to():
    world = GridWorld().world()
    q = np.arange(36.0).reshape(9, 4)
    picture: Any = action_tables.draw(action_table(world, q.argmax(axis=1), q, "learned"), "value")
    heat = picture.data[traces_by_name(picture)[grids.VALUES]]
    assert heat.z.shape == (9, 12)
    # State 4 is in row 2, column 3: around the middle of the ninths 4, 7.
    around = [heat.z[3, 7], heat.z[4, 8], heat.z[5, 7], heat.z[4, 6]]  # up, right, down, left
    top = np.abs(world.solution.q).max()
    np.testing.assert_allclose(around, np.minimum(q[4], top), rtol=1e-6)
    assert np.isnan(heat.z[4, 7]) and np.isnan(heat.z[3, 6])


def test_exact_values_and_their_difference_are_shown():
    trial = outcome()
    of = {
        show: q_table.numbers(trial, 1, BesideExactOptions(show=show)).table.shown
        for show in ("learned", "exact", "difference")
    }
    np.testing.assert_array_equal(of["difference"], of["learned"] - of["exact"])
    np.testing.assert_array_equal(of["exact"], trial.world.solution.q)
    best = views()["q_table"].make(trial, 0).reading
    assert best.endswith("Every value is exact to six decimals.")


def test_what_was_never_tried_is_told():
    v = q_table.numbers(outcome(budget=1), 1, BesideExactOptions())
    assert v.never_tried and f"{v.never_tried} actions of states" in q_table.reading(v)


def test_actions_that_are_no_directions_stand_in_a_table():
    trial = outcome(Blackjack())
    picture = views()["q_table"].make(trial, 1)
    heat: Any = picture.figure.data[0]
    assert tuple(heat.x) == trial.world.action_names and len(heat.y) == len(heat.z)


@pytest.mark.parametrize(
    ("name", "which"),
    [("q_table", 0), ("q_table", 1), ("q_table", 3), ("occupancy_map", 1), ("occupancy_map", 2),
     ("action_probabilities", 2)],
)  # fmt: skip
def test_the_last_step_shows_what_the_fit_has(name, which):
    trial = outcome()
    picture = views()[name].make(trial, which)
    data: Any = picture.figure.data
    at = traces_by_name(picture.figure)[grids.VALUES]
    frames = played(trial.world, picture, recording(trial.run, which)[1]).frames
    np.testing.assert_allclose(frames[-1][at]["z"], data[at].z, atol=1e-6)


def test_a_policy_that_draws_shows_its_probabilities():
    trial = outcome()
    t = q_table.chance_table(trial.world, trial.results[2].fits[0].chances)
    np.testing.assert_allclose(t.shown.sum(axis=1), 1.0)
    assert q_table.reading_chances(t).startswith(
        "The policy is sure (above 0.95) in 0 of 9 states."
    )


def test_visits_are_those_of_the_closed_form_where_the_limit_is_far():
    world = GridWorld(gamma=0.8, max_steps=500).world()
    uniform = np.full((9, 4), 0.25)
    np.testing.assert_allclose(
        visits_within(world, uniform[None]), discounted_occupancy(world, uniform), rtol=1e-12
    )
    best = world.solution.policy
    drawn = np.eye(4)[best]
    np.testing.assert_allclose(
        visits_within(world, best[None]), discounted_occupancy(world, drawn), rtol=1e-12
    )


def test_a_limit_and_stages_end_the_visits():
    """Two states that lead to each other or stay: by hand, in 3 moves without a discount."""
    world = from_transitions(
        "pair", [[[(1.0, s, 0.0, False)], [(1.0, 1 - s, 0.0, False)]] for s in range(2)],
        gamma=1.0, initial=np.array([1.0, 0.0]), max_steps=3, state_names=("a", "b"),
        action_names=("stay", "go"),
    )  # fmt: skip
    assert visits_within(world, np.array([[0, 0]])).tolist() == [3.0, 0.0]
    assert visits_within(world, np.array([[1, 1]])).tolist() == [2.0, 1.0]
    # It stays with three decisions left, goes with two, and where it goes with one is not left.
    assert visits_within(world, np.array([[1, 1], [1, 1], [0, 0]])).tolist() == [2.0, 1.0]


def test_what_two_policies_have_in_common():
    trial = outcome()
    fit = trial.results[0].fits[0]
    o = occupancy_map.numbers(trial.world, fit.policy[None], fit.policy, BesideExactOptions())
    assert o.shared == pytest.approx(1.0) and "everywhere alike" in occupancy_map.reading(o)
    drawing = trial.results[2].fits[0]
    drawn = occupancy_map.numbers(
        trial.world, drawing.chances[None], drawing.policy, BesideExactOptions(show="difference")
    )
    assert 0 < drawn.shared < 1
    np.testing.assert_array_equal(drawn.shown, drawn.own - drawn.best)
