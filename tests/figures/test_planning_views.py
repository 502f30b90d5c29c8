"""Pictures of planning: how changes shrink, what a step changed, how far values are off."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from figures.drawing import grids
from figures.numbers.grids import SHOWN
from figures.numbers.trials import played
from figures.view import views
from figures.views.decisions import error_maps, residual_curve, value_error, value_map
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.planning import PolicyIteration, ValueIteration
from mlcore.decisions.td_control import TDControl
from mlcore.runs.carry_trial import TrialOutcome, carried_out, recording
from mlcore.runs.run import Trial

SHORT = GridWorld(gamma=0.9)


@cache
def plans(gamma: float = 0.9) -> TrialOutcome:
    planners = (ValueIteration(tol=1e-6), PolicyIteration(), PolicyIteration(n_sweeps=3))
    return carried_out(Trial(problem=GridWorld(gamma=gamma), methods=planners, budget=1))


def test_changes_are_those_of_the_values_and_shrink_by_the_discount():
    c = residual_curve.numbers(plans())
    values = [s.state.values for s in ValueIteration(tol=1e-6).steps(SHORT.world())]
    steps = np.abs(np.diff([np.zeros(9), *values], axis=0)).max(axis=1)
    np.testing.assert_array_equal(c.each[0], steps)
    assert (c.each[0][1:] <= 0.9 * c.each[0][:-1] + 1e-15).all()
    np.testing.assert_allclose(c.promised, max(e[0] for e in c.each) * 0.9 ** np.arange(len(steps)))
    shown = views()["residual_curve"].make(plans())
    assert shown.figure.layout.yaxis.type == "log"
    assert "at most 0.900, the discount" in shown.reading


def test_without_a_discount_nothing_is_promised():
    c = residual_curve.numbers(plans(1.0))
    assert len(c.promised) == 0
    assert "nothing promises" in residual_curve.reading(c)
    assert [t.name for t in residual_curve.draw(c).data] == list(c.labels)


@pytest.mark.parametrize("gamma", [0.9, 1.0])
def test_a_plan_that_nothing_improves_is_told_from_one_that_was_stopped(gamma):
    c = residual_curve.numbers(plans(gamma))
    swept, solved, few_sweeps = residual_curve.reading(c).split("; ")[:3]
    assert "and then no action can be improved" in solved
    assert "improved" not in swept + few_sweeps
    assert f"({c.labels[1]})" not in residual_curve.reading(c), "its changes are no sweeps"


def test_what_did_not_change_is_no_point_of_a_logarithmic_axis():
    c = residual_curve.Changes(("A",), (np.array([1.0, 0.5, 0.0]),), np.zeros(0), 1.0, (False,))
    (line,) = residual_curve.draw(c).data
    np.testing.assert_array_equal(line.y, [1.0, 0.5, np.nan])
    assert "A: 3 iterations, last change 0" in residual_curve.reading(c)


@pytest.mark.parametrize("which", range(3))
def test_exact_policies_promise_no_error_and_others_one(which):
    fit = plans().results[which].fits[0]
    assert fit.changes[-1] > 0
    assert (fit.bound == 0) == (which == 1)
    assert len(fit.changes) == fit.n_iter


@pytest.mark.parametrize(
    "planner", [ValueIteration(), PolicyIteration(n_sweeps=1), PolicyIteration(), TDControl()]
)
def test_frames_stand_where_an_action_is_another_than_a_step_before(planner):
    run = Trial(problem=GridWorld(slip=0.0), methods=(planner,), budget=40)
    trial = carried_out(run)
    drawn = views()["value_map"].make(trial, 0)
    assert not len(next(t for t in drawn.figure.data if t.uid == value_map.CHANGED).x)
    _, steps = recording(run, 0)
    at = next(i for i, t in enumerate(drawn.figure.data) if t.uid == value_map.CHANGED)
    frames = played(trial.world, drawn, steps).frames
    former, total = None, 0
    for step, frame in zip(steps, frames, strict=True):
        if former is not None:
            cells = trial.world.grid.cells[step.state.policy != former]
            assert (frame[at]["y"] * 4 + frame[at]["x"]).tolist() == cells.tolist()
            total += len(cells)
        former = step.state.policy
    assert total > 0


@pytest.mark.parametrize("show", SHOWN)
def test_a_map_shows_values_the_exact_ones_or_the_difference_on_one_scale(show):
    trial = carried_out(Trial(problem=SHORT, methods=(TDControl(),), budget=3))
    entry = views()["value_map"]
    drawn = entry.drawn({"trial": trial, "which": 0}, entry.options(show=show))
    best, own = trial.world.solution, trial.results[0].fits[0].values
    z = {"learned": own, "exact": best.values, "difference": own - best.values}[show]
    heat = next(t for t in drawn.figure.data if t.uid == grids.VALUES)
    size = np.abs(best.values).max()
    assert (heat.zmin, heat.zmax) == (-size, size)
    cells = trial.world.grid.cells
    np.testing.assert_allclose(
        np.ravel(heat.z)[cells], np.clip(z, -size, size), rtol=1e-6, atol=1e-7
    )
    _, steps = recording(trial.run, 0)
    frames = played(trial.world, drawn, steps).frames
    at = [t.uid for t in drawn.figure.data].index(grids.VALUES)
    np.testing.assert_array_equal(frames[-1][at]["z"], heat.z)
    rings = next(t for t in drawn.figure.data if t.uid == grids.RINGS)
    assert (len(rings.x) == 0) == (show == "exact")


def learned() -> TrialOutcome:
    learners = (TDControl(), TDControl(target="sarsa"))
    return carried_out(Trial(problem=SHORT, methods=learners, budget=60, replicates=10))


def test_errors_are_shares_of_best_actions_or_what_the_policy_loses():
    trial, world = learned(), SHORT.world()
    entry = views()["value_error"]
    right = value_error.numbers(trial, "best_actions")
    for row, curve in zip(trial.results, right.curves, strict=True):
        best = [world.solution.is_optimal[np.arange(9), fit.policy].mean() for fit in row.fits]
        np.testing.assert_allclose(curve.each[:, -1], best)
    lost = value_error.numbers(trial, "value_lost")
    loss = world.best - np.array([fit.score for fit in trial.results[1].fits])
    np.testing.assert_allclose(lost.curves[1].each[:, -1], loss)
    assert (loss >= -1e-12).all() and loss.max() > 0
    said = entry.drawn({"trial": trial}, entry.options(show="best_actions"))
    assert "among the best in" in said.reading
    assert said.figure.layout.yaxis.range[0] == 0
    said = entry.drawn({"trial": trial}, entry.options(show="value_lost"))
    assert "less than the best" in said.reading


def test_maps_of_errors_have_one_scale_and_end_where_the_fit_does():
    trial, world = learned(), SHORT.world()
    s = error_maps.numbers(trial, 1)
    fit = trial.results[1].fits[0]
    np.testing.assert_array_equal(s.off[-1], fit.values - world.solution.values)
    assert s.episodes[0] == 1 and s.episodes[-1] == 60 and len(s.episodes) == 4
    fig = error_maps.draw(s)
    heats = [t for t in fig.data if t.zmax == s.size]
    assert len(heats) == 4 and all(t.zmin == -s.size for t in heats)
    assert sum(t.showscale is not False for t in heats) == 1
    cells = world.grid.cells
    for heat, off in zip(heats, s.off, strict=True):
        np.testing.assert_allclose(np.ravel(heat.z)[cells], off, rtol=1e-6)
    assert "In the mean over the states the error is" in error_maps.reading(s)


def test_the_axis_of_the_error_of_a_model_follows_its_curves():
    """A model that soon is nearly right has a curve that is seen, not one at the foot of 0 to 1."""
    trial = carried_out(
        Trial(problem="grid_world", methods=("model_based_rl",), budget=3, replicates=2)
    )
    axis = views()["model_error"].make(trial).figure.layout.yaxis
    assert axis.range is None
    assert axis.rangemode == "tozero"
