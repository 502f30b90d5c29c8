"""The list of runs of a session, without a page."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.evaluation.splits import KFold
from mlcore.runs import carry_comparison, carry_trial
from mlcore.runs.carry import carried_out
from mlcore.runs.kinds import kind_of
from mlcore.runs.run import Comparison, Run, Trial
from ui.runs.listed import LONGEST_NAME, MOST, RunList, score_of

RUN = Run(data="iris", method=KMeans(n_clusters=2), evaluation=KFold(n_splits=3))


def other(k: int) -> Run:
    return replace(RUN, seed=k)


@pytest.fixture
def three() -> RunList:
    held = RunList()
    for k in range(3):
        held.record("clustering", other(k), None, "done", None)
    return held


def labels(held: RunList) -> list[int]:
    return [entry.run.seed for entry in held.entries]


def test_the_newest_run_stands_first_and_is_looked_at(three):
    assert labels(three) == [2, 1, 0]
    assert three.get(three.chosen) is three.entries[0]


def test_a_run_that_is_seen_again_keeps_its_place_its_time_and_its_name(three):
    before = three.entries[2]
    three.rename(before.number, "first")
    three.record("clustering", other(0), "another view", "done", None)
    assert labels(three) == [2, 1, 0]
    assert three.entries[2] == replace(before, name="first", view="another view")


def test_the_same_run_on_another_page_is_another_entry(three):
    three.record("compare", other(0), None, "done", None)
    assert len(three.entries) == 4


def test_a_run_that_ends_later_gets_its_score(three):
    three.record("clustering", other(9), None, "running", None)
    number = three.entries[0].number
    assert three.entries[0].score is None
    outcome = carried_out(other(9))
    three.record("clustering", other(9), None, "done", outcome)
    assert three.entries[0].number == number and three.entries[0].status == "done"
    assert three.entries[0].score == score_of(outcome)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  my   run ", "my run"),
        ("a\nb\x00c\u202ed", "a b c d"),
        ("<b>*x*</b>", "<b>*x*</b>"),
        ("x" * 200, "x" * LONGEST_NAME),
        ("   ", ""),
    ],
)
def test_a_name_is_one_line_of_letters(three, text, kept):
    number = three.entries[0].number
    three.rename(number, text)
    assert three.entries[0].name == kept
    assert three.entries[0].label == (
        kept or kind_of(three.entries[0].run).line(three.entries[0].run)
    )


def test_a_removed_run_comes_back_to_its_place(three):
    number = three.entries[1].number
    three.remove(number)
    assert labels(three) == [2, 0] and three.get(number) is None
    three.put_back()
    assert labels(three) == [2, 1, 0] and three.chosen == number
    three.put_back()
    assert labels(three) == [2, 1, 0]


def test_a_removed_run_is_listed_again_when_the_page_comes_back_to_it(three):
    three.remove(three.entries[0].number)
    three.record("clustering", other(2), None, "done", None)
    three.record("regression", other(8), None, "done", None)
    three.record("clustering", other(2), None, "done", None)
    assert labels(three) == [8, 1, 0]
    three.record("clustering", other(1), None, "done", None)
    three.record("clustering", other(2), None, "done", None)
    assert labels(three) == [2, 8, 1, 0]


def test_what_is_not_there_can_be_asked_for_and_changes_nothing(three):
    before = list(three.entries)
    three.rename(77, "x")
    three.remove(77)
    assert three.duplicate(77) is None and three.get(77) is None
    assert three.entries == before


def test_a_copy_follows_the_controls_and_its_original_stays(three):
    original = three.entries[2]
    copy = three.duplicate(original.number)
    assert copy is not None and copy.name == f"{original.label} (copy)"
    three.record("clustering", other(50), None, "done", None)
    assert labels(three) == [50, 2, 1, 0]
    assert three.entries[0].number == copy.number
    three.settle(original.number)
    three.record("clustering", other(51), None, "done", None)
    assert labels(three) == [51, 50, 2, 1, 0]


def test_a_copy_of_another_page_does_not_follow(three):
    three.duplicate(three.entries[0].number)
    three.record("classification", other(60), None, "done", None)
    assert labels(three) == [60, 2, 2, 1, 0]


def test_a_removed_copy_follows_no_longer(three):
    copy = three.duplicate(three.entries[0].number)
    three.remove(copy.number)
    three.record("clustering", other(70), None, "done", None)
    assert labels(three) == [70, 2, 1, 0]


def test_beyond_a_hundred_the_oldest_without_a_name_goes(three):
    named = three.entries[2]
    three.rename(named.number, "kept")
    for k in range(3, MOST + 20):
        three.record("clustering", other(k), None, "done", None)
    assert len(three.entries) == MOST
    assert three.entries[-1].name == "kept"
    assert three.entries[-2].run.seed == 21


def test_a_hundred_names_leave_room_for_the_newest():
    held = RunList()
    for k in range(MOST + 1):
        held.record("clustering", other(k), None, "done", None)
        held.rename(held.entries[0].number, f"run {k}")
    assert len(held.entries) == MOST
    assert labels(held) == list(range(MOST, 0, -1))


def test_a_line_of_the_list_holds_no_outcome():
    held = RunList()
    outcome = carried_out(RUN)
    held.record("clustering", RUN, None, "done", outcome)
    assert len(pickle.dumps(held)) < 4000 < len(pickle.dumps(outcome))


def test_what_and_on_what():
    assert kind_of(RUN).line(RUN) == "k-means, number of clusters 2"
    assert kind_of(RUN).on(RUN) == "Iris"
    assert kind_of(RUN).on(replace(RUN, data="blobs")) == "Blobs"
    trial = Trial(problem="bandit_arms", methods=("ucb", "thompson_sampling"))
    assert kind_of(trial).line(trial) == ", ".join(method.label for method in trial.methods)
    assert kind_of(trial).on(trial) == trial.problem.title()


def test_the_score_of_several_methods_is_that_of_the_best():
    run = Comparison(data="iris", methods=("constant", "lda"), evaluation=KFold(n_splits=3))
    outcome = carry_comparison.carried_out(run)
    found = score_of(outcome)
    assert found is not None and found.of == outcome.entrants[1].label and found.mean > 0.9
    trial = carry_trial.carried_out(
        Trial(problem="bandit_arms", methods=("ucb", "thompson_sampling"), budget=50, replicates=4)
    )
    worst = max(float(values.mean()) for _, _, values in kind_of(trial.run).scores(trial))
    regret = score_of(trial)
    assert regret is not None and regret.title == "Regret" and regret.mean <= worst


def test_an_outcome_without_a_finished_fold_has_no_score():
    outcome = replace(carried_out(RUN), folds=())
    assert score_of(outcome) is None
    assert all(
        np.asarray(values).size == 0 for _, _, values in kind_of(outcome.run).scores(outcome)
    )
