"""Trials: written forms, pairing, stopping half-way, failures, scripts and the command line."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mlcore.__main__ import main
from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.td_control import TDControl
from mlcore.decisions.ucb import UCB
from mlcore.runs.carry_trial import (
    carried_out,
    carry_out,
    does_not_apply,
    estimate,
    labels,
    planned,
    recording,
    report,
    so_far,
)
from mlcore.runs.presets import trial_presets
from mlcore.runs.run import Trial, from_json
from mlcore.runs.script import script
from mlcore.spine.errors import DataError
from tests.contract.subjects import is_sentence

ROOT = Path(__file__).parents[2]
BANDIT = Trial(problem="bandit_arms", methods=("ucb", "thompson_sampling"), budget=200,
               replicates=12, seed=3)  # fmt: skip
GRID = Trial(
    problem=GridWorld(layout="..G/#.X/S..", slip=0.1),
    methods=("value_iteration", TDControl(target="sarsa")),
    budget=60,
    replicates=3,
)


@pytest.mark.parametrize("trial", [BANDIT, GRID, Trial()], ids=lambda t: t.short())
def test_a_trial_comes_back_from_every_written_form(trial):
    assert from_json(trial.to_json()) == trial
    assert Trial.from_link(trial.to_link()) == (trial, ())


def test_a_drawn_map_travels_in_the_link():
    pairs = GRID.to_link()
    assert pairs["problem.layout"] == "..G/#.X/S.."
    assert len("&".join(f"{k}={v}" for k, v in pairs.items())) < 250
    back, problems = Trial.from_link(pairs | {"problem.layout": "..?"})
    assert "means nothing" in problems[0]
    assert back.problem == GridWorld()


def test_equal_trials_give_equal_bits():
    first, again = carried_out(BANDIT), carried_out(BANDIT)
    for mine, other in zip(first.rows, again.rows, strict=True):
        np.testing.assert_array_equal(mine.stacked("regret"), other.stacked("regret"))


def test_adding_a_method_changes_no_other_curve():
    more = Trial(problem=BANDIT.problem, methods=("action_value_bandit", *BANDIT.methods),
                 budget=200, replicates=12, seed=3)  # fmt: skip
    alone, together = carried_out(BANDIT), carried_out(more)
    for k in range(2):
        np.testing.assert_array_equal(
            alone.results[k].stacked("regret"), together.results[k + 1].stacked("regret")
        )
    np.testing.assert_array_equal(alone.baseline.scores, together.baseline.scores)


def test_replicates_differ_and_planners_have_one():
    outcome = carried_out(GRID)
    assert len(np.unique(outcome.results[1].stacked("online"), axis=0)) == 3
    assert [len(row.fits) for row in outcome.rows] == [1, 1, 3]
    assert outcome.done == outcome.planned == planned(GRID) == 5
    assert outcome.results[0].scores[0] >= outcome.results[1].scores.max() - 1e-9


def test_progress_is_told_and_a_stop_keeps_what_is_done():
    events = list(carry_out(BANDIT))
    assert [e.done for e in events] == sorted(e.done for e in events)
    assert events[-1].done == events[-1].total == 36
    assert {e.unit for e in events} == {"attempts"}
    assert so_far(BANDIT, events[:2]) is None  # one method has no replicate yet
    part = so_far(BANDIT, events[:7])
    assert part is not None
    assert [len(row.fits) for row in part.rows] == [3, 2, 2]
    assert part.done == 7 < part.planned
    assert pickle.loads(pickle.dumps(part)).results[0].scores.tolist() == (
        part.results[0].scores.tolist()
    )


def test_a_method_that_does_not_suit_is_a_sentence():
    trial = Trial(problem="bandit_arms", methods=("value_iteration",))
    assert is_sentence(does_not_apply(trial) or "")
    with pytest.raises(DataError, match="needs a world of states"):
        carried_out(trial)
    assert does_not_apply(GRID) is None


def test_a_replicate_that_fails_is_counted_with_its_reason():
    trial = Trial(problem="bandit_arms", methods=("ucb",), budget=2, replicates=2)
    outcome = carried_out(trial)
    assert outcome.results[0].fits == ()
    assert len(outcome.results[0].failures) == 2
    assert "too small" in outcome.results[0].failures[0]
    assert "failed: " in report(outcome)


def test_methods_of_one_name_are_told_apart():
    methods = (UCB(), UCB(alpha=0.5), UCB(alpha=0.5), ActionValueBandit())
    ucb = ("UCB, alpha 2.1", "UCB, alpha 0.5", "UCB, alpha 0.5 (2)")
    assert labels(methods) == (*ucb, "Epsilon-greedy")
    assert labels((TDControl(), TDControl(target="sarsa"))) == ("Q-learning", "SARSA")


def test_the_cost_grows_with_what_is_asked():
    small, large = estimate(BANDIT)[0], estimate(Trial(**{**vars(BANDIT), "budget": 20_000}))[0]
    assert 0 < small < large


def test_steps_are_recorded_of_what_has_steps():
    fit, steps = recording(GRID, 1)
    assert steps[-1].objective == fit.score == carried_out(GRID).results[1].scores[0]
    assert [s.note for s in steps if not is_sentence(s.note)] == []
    with pytest.raises(DataError, match="no steps"):
        recording(BANDIT, 0)


@pytest.mark.parametrize("trial", [BANDIT, GRID], ids=["bandit", "grid"])
def test_the_script_and_the_command_repeat_the_numbers(trial, tmp_path, capsys):
    expected = report(carried_out(trial))
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MLSCOPE_THREADS": "1"}
    said = subprocess.check_output(
        [sys.executable, "-c", script(trial)], text=True, cwd=tmp_path, env=environment
    )
    assert said.rstrip("\n") == expected
    path = tmp_path / "trial.json"
    path.write_text(trial.to_json())
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().out.rstrip("\n") == expected


PRESETS = trial_presets("decisions")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p.name)
def test_a_preset_can_be_carried_out(preset):
    trial = preset.run()
    assert does_not_apply(trial) is None
    assert is_sentence(preset.why)
    assert len(preset.title) <= 40
    small = Trial(**{**vars(trial), "budget": 20, "replicates": 2})
    assert all(row.fits for row in carried_out(small).rows)


def test_presets_show_what_they_say():
    by_name = {preset.name: preset.run() for preset in PRESETS}
    greedy, thompson = carried_out(by_name["lucky_arm"]).results
    assert np.median(greedy.scores) < 10 < 100 < greedy.scores.mean()
    assert thompson.scores.mean() < 40
    arms = carried_out(by_name["four_arms"])
    assert min(arms.results, key=lambda r: r.scores.mean()).label == "Thompson sampling"
    close = carried_out(by_name["close_arms"])
    assert all(r.scores.mean() > close.baseline.scores.mean() / 2 for r in close.results)
    slow = [r.stacked("errors")[:, -1].mean() for r in carried_out(by_name["slow_steps"]).results]
    assert slow[1] > 3 * slow[0]
    falls, walks, _ = (r.stacked("online")[:, -10:] for r in carried_out(by_name["cliff"]).results)
    assert falls.mean() < walks.mean() - 10
    known = carried_out(by_name["four_by_three"])
    best = known.world.initial @ known.world.solution.values
    assert all(np.median(row.scores) > best - 0.02 for row in known.results)


def test_bandits_of_other_rewards_are_carried_out():
    trial = Trial(
        problem=BanditArms(means=(-1.0, 2.0), reward_distribution="gaussian_rewards"),
        methods=(ActionValueBandit(),), budget=50, replicates=2,
    )  # fmt: skip
    assert carried_out(trial).results[0].scores.shape == (2,)
