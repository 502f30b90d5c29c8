"""The episode of a policy that is played on its map."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.episodes import walk
from figures.view import views
from figures.views.decisions.policy_episode import EpisodeOptions
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.taxi import Taxi
from mlcore.decisions.windy_grid import WindyGrid
from mlcore.runs.carry_trial import carried_out
from mlcore.runs.run import Trial

CLIFF = GymWorld(environment="cliff_walking", slippery=False, gamma=1.0)


def trial(problem, *methods):
    return carried_out(Trial(problem=problem, methods=methods or ("policy_iteration",), budget=20))


def drawn(outcome, which=0, **options):
    return views()["policy_episode"].make(outcome, which, options=EpisodeOptions(**options))


def test_the_agent_walks_along_the_cliff_to_the_goal():
    picture = drawn(trial(CLIFF))
    recording = picture.player()
    at = {trace.uid: i for i, trace in enumerate(picture.figure.data) if trace.uid}
    places = [
        (frame[at["agent"]]["x"][0], frame[at["agent"]]["y"][0]) for frame in recording.frames
    ]
    assert places[:-1] == [(0, 3), *((x, 2) for x in range(12))]
    np.testing.assert_array_equal(recording.objective, -np.arange(14.0))
    assert recording.sentences[0].startswith("Move 1, in row 4, column 1: up leads to row 3")
    assert "over after 13 moves" in recording.sentences[-1]
    assert picture.figure.data[at["agent"]].x[0] == 11  # unplayed it shows the end


@pytest.mark.parametrize(
    ("problem", "side"),
    [(CLIFF, -1), (GridWorld(layout="SG", slip=0.0), 1), (GridWorld(layout="G/S", slip=0.0), 1)],
    ids=["from above, by a letter", "from the side", "from below"],
)
def test_the_agent_stands_where_its_way_crosses_no_word_of_the_goal(problem, side):
    figure = drawn(trial(problem)).figure
    agent = next(trace for trace in figure.data if trace.uid == "agent")
    cell = np.argwhere(
        np.char.find(np.array(figure.data[0].text), "G" if problem is CLIFF else "goal") >= 0
    )
    (row, column) = cell[0]
    assert agent.x[0] == column
    assert 0.25 < side * (agent.y[0] - row) < 0.5
    (way,) = (trace for trace in figure.data if trace.uid == "way")
    assert (side * (np.array(way.y)[np.array(way.x) == column] - row) > 0.25).all()


def test_the_map_of_the_taxi_is_that_of_its_errand():
    outcome = trial(Taxi())
    w = walk(outcome, 0, 1)
    world = outcome.world
    assert w.discounted == pytest.approx(world.solution.values[w.episode.states[0]])
    assert w.earned[-1] == 20 - (w.n - 1) and len(w.maps) == 2
    inside = ["in the taxi" in w.maps[k].title for k in w.shown]
    assert inside == sorted(inside) and not inside[0] and inside[-1]
    assert "drop off ends the episode" in drawn(outcome).player().sentences[-2]
    recording, picture = drawn(outcome).player(), drawn(outcome)
    signs = next(i for i, trace in enumerate(picture.figure.data) if trace.uid == "signs")
    assert "<b>passenger</b>" in recording.frames[0][signs]["text"]
    assert "<b>passenger</b>" not in recording.frames[-1][signs]["text"]


def test_an_end_without_a_state_is_the_cell_beside_it():
    w = walk(trial(GridWorld(layout="SG", slip=0.0)), 0, 1)
    np.testing.assert_array_equal(w.cells, [0, 1])
    windy = walk(trial(WindyGrid()), 0, 1)
    assert divmod(int(windy.cells[-1]), 10) == (3, 7) and windy.n == 15
    between = walk(trial(GridWorld(layout="GSG", slip=0.0)), 0, 1)
    np.testing.assert_array_equal(between.cells, [1, 1])  # which of both is not known


def test_methods_share_the_numbers_of_episodes():
    outcome = trial(Taxi(), "policy_iteration", "value_iteration")
    starts = [walk(outcome, 0, k).episode.states[0] for k in range(1, 7)]
    assert starts == [walk(outcome, 1, k).episode.states[0] for k in range(1, 7)]
    assert len(set(starts)) > 3
    one, other = drawn(outcome), drawn(outcome, episode=3)
    assert one.reading != other.reading and other.note.endswith("episode 3")


def test_a_policy_in_circles_is_cut():
    outcome = trial(GridWorld(layout="S../..G", slip=0.0, max_steps=9), "td_control")
    fit = outcome.results[0].fits[0]
    assert fit.policy.shape == (5,)
    going_left = type(fit)(**{**vars(fit), "policy": np.full(5, 3)})
    row = type(outcome.results[0])(outcome.results[0].method, "Left", (going_left,))
    stuck = type(outcome)(**{**vars(outcome), "results": (row,)})
    picture = drawn(stuck)
    assert "cut by the time limit after 9 moves" in picture.reading
    assert picture.player().sentences[-1].startswith("The time limit ends it")
    assert "changes nothing" in picture.player().sentences[0]
