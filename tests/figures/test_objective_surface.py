"""The objective over a plane of preferences: heights, ways and the point that is played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from figures.recording import traces_by_name
from figures.views.decisions import objective_surface as drawn
from mlcore.decisions.agent import PolicyState
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.policy_gradients import policy_objective, softmax
from mlcore.decisions.table_worlds import ChainWalk

WORLD = ChainWalk(n_states=6).world()
LEARNED = np.random.default_rng(0).normal(size=(6, 2)) + np.array([0.0, 1.5])


def test_the_plane_goes_through_equal_and_learned_preferences():
    o = drawn.numbers(WORLD, LEARNED + 7.0)  # what all actions share changes nothing
    assert o.learned == pytest.approx(policy_objective(WORLD, LEARNED))
    across = np.interp(0.0, o.x, np.arange(len(o.x)))
    equal = policy_objective(WORLD, np.zeros((6, 2)))
    middle = o.surface[len(o.y) // 2]
    assert np.interp(across, np.arange(len(o.x)), middle) == pytest.approx(equal, rel=5e-3)
    first, second = o.directions.reshape(2, -1)
    assert first @ second == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(first) == pytest.approx(np.linalg.norm(second))


def test_exact_ways_go_up_from_equal_preferences():
    o = drawn.numbers(WORLD, LEARNED)
    np.testing.assert_allclose(o.ways[:, 0], 0.0)
    np.testing.assert_allclose(o.heights[:, 0], policy_objective(WORLD, np.zeros((6, 2))))
    assert (np.diff(o.heights, axis=1) > 0).all() and (o.heights <= o.best).all()


def test_the_policy_of_a_step_stands_where_its_preferences_are():
    o = drawn.numbers(WORLD, LEARNED)
    at = traces_by_name(drawn.draw(o))
    for share in (0.0, 0.5, 1.0):
        chances = softmax(share * LEARNED)
        state = PolicyState(np.zeros(6), chances.argmax(axis=1), chances=chances)
        moved: Any = drawn.changes(o, at, state, WORLD)[at[drawn.NOW]]
        np.testing.assert_allclose([moved["x"][0], moved["y"][0]], [share, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("world", "preferences", "says"),
    [
        (WORLD, np.ones((6, 2)), "all preferences are equal"),
        (ChainWalk(n_states=200).world(), np.eye(200)[:, :2], "at most 100 states"),
        (GridWorld(gamma=1.0, step_reward=0.0).world(), np.eye(9)[:, :4], "wander for ever"),
    ],
)
def test_where_there_is_no_surface_it_says_why(world, preferences, says):
    o = drawn.numbers(world, preferences)
    assert says in drawn.reading(o)
    picture: Any = drawn.draw(o)
    assert picture.layout.annotations[0].text.replace("<br>", " ") == drawn.reading(o)
