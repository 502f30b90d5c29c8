"""Pictures of worlds of vectors: the episode that is played, and the slice through the states."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from figures.view import views
from figures.views.decisions import learned_behaviour
from figures.views.decisions.learned_behaviour import BehaviourOptions
from figures.views.decisions.value_surface import SurfaceOptions, draw, numbers
from mlcore.decisions.continuous.mountain_car import height
from mlcore.runs.carry_trial import TrialOutcome, carried_out
from mlcore.runs.run import Trial

AGENT = ("semi_gradient_control",)


@cache
def car() -> TrialOutcome:
    return carried_out(Trial(problem="mountain_car", methods=AGENT, budget=40))


@cache
def pole() -> TrialOutcome:
    return carried_out(Trial(problem="cart_pole", methods=AGENT, budget=5))


def drawn(trial, **options):
    return views()["learned_behaviour"].make(trial, 0, options=BehaviourOptions(**options))


def test_the_player_moves_the_car_along_its_hill():
    picture = drawn(car())
    recording, paths = picture.player(), car().results[0].fits[0].paths
    n = int(paths.lengths[-1])
    assert len(recording.frames) == n + 1 and recording.label == "position"
    np.testing.assert_array_equal(recording.objective, paths.states[-1, : n + 1, 0])
    at = {trace.uid: i for i, trace in enumerate(picture.figure.data) if trace.uid}
    for t in (0, n // 2, n):
        body = recording.frames[t][at["body 0"]]
        middle = np.mean(body["x"]), np.mean(body["y"])
        # A little above the ground, at right angles to it.
        assert abs(middle[0] - paths.states[-1, t, 0]) < 0.06
        assert 0 < middle[1] - height(np.array(middle[0])) < 0.12
    assert len(recording.frames[n][at["trail"]]["x"]) == min(n, 34)
    assert "Move 1: push" in recording.sentences[0] and len(recording.to_json()) < 400_000
    assert not re.search(r"\. [a-z]", recording.sentences[0])  # each sentence begins as one


def test_lengths_that_are_all_the_same_are_no_list():
    """A pendulum swings until the time limit whatever was learned: 200, 200, 200 says nothing."""
    p = drawn(car()).numbers
    level = p._replace(others=tuple((after, p.n) for after, _ in p.others))
    ends, cut = (learned_behaviour.reading(level._replace(is_cut=is_cut)) for is_cut in (0, 1))
    assert "ends after" in ends and "So did all that were played with less learning" in ends
    assert "is cut by" in cut and "So were all that were played with less learning" in cut
    apart = p._replace(others=((1, p.n + 1), *p.others[1:]))
    assert f"From the same start: after 1 episode {p.n + 1};" in learned_behaviour.reading(apart)


def test_each_stage_of_learning_can_be_played():
    paths = car().results[0].fits[0].paths
    for after, length in zip(paths.after[:-1], paths.lengths[:-1], strict=True):
        assert len(drawn(car(), after=int(after)).table[0].values) == length


def test_the_limit_is_told_apart_from_an_end():
    early = drawn(car(), after=1)
    assert "is cut by the time limit after 200 moves" in early.reading
    assert early.player().sentences[-1].startswith("The time limit ends it")
    assert "ends after" in drawn(pole()).reading


def test_values_are_shown_where_states_were_met_and_nowhere_else():
    s = numbers(car(), 0, SurfaceOptions())
    fit = car().results[0].fits[0]
    row, column = np.argwhere(np.isfinite(s.values))[7]
    state = np.array([[s.plane.x[column], s.plane.y[row]]])
    assert s.values[row, column] == fit.state_values(state)[0]
    assert s.actions[row, column] == fit.predict(state)[0]
    assert np.isnan(s.values).any() and ((s.actions == -1) == np.isnan(s.values)).all()
    turned = numbers(car(), 0, SurfaceOptions(x=2, y=1))
    assert turned.plane.names == ("velocity", "position")
    np.testing.assert_array_equal(turned.values.T, s.values)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ("angle", "angular velocity")),
        ({"x": 1}, ("position", "angular velocity")),
        ({"x": 4}, ("angular velocity", "angle")),
        ({"y": 3}, ("angular velocity", "angle")),
        ({"x": 2, "y": 2}, ("angle", "velocity")),
    ],
)
def test_two_different_coordinates_are_drawn(options, names):
    s = numbers(pole(), 0, SurfaceOptions(**options))
    assert s.plane.names == names and len(s.plane.others) == 2


def test_a_path_that_wraps_is_parted_there():
    trial = carried_out(Trial(problem="acrobot", methods=AGENT, budget=60))
    s = numbers(trial, 0, SurfaceOptions())
    jumps = np.abs(np.diff(s.path, axis=0))
    assert s.moves == trial.results[0].fits[0].paths.lengths[-1]
    assert np.isnan(s.path).any() and np.nanmax(jumps) <= np.pi


def test_a_way_that_crosses_itself_again_and_again_is_thin():
    """492 moves to and fro about the upright pole were a black blot on its best values."""
    s = numbers(car(), 0, SurfaceOptions())
    turn = np.linspace(0, 2 * np.pi, 400)[:, None]
    plain = s._replace(path=np.hstack([np.cos(turn), np.sin(turn)]))
    tangled = s._replace(path=np.random.default_rng(0).normal(size=(400, 2)))
    widths = [
        next(trace.line.width for trace in draw(each).data if trace.uid == "past")
        for each in (plain, tangled)
    ]
    assert widths == [2.5, 1.0]
