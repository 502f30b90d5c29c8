"""The page of the runs: listed, filtered, picked, written on, compared, taken away."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from streamlit.testing.v1 import AppTest

from mlcore.runs.project_lines import Score
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from tests.pages.conftest import shown
from ui.runs import descent, page, table_lines
from ui.runs.listed import Entry, RunList


def runs(at: AppTest) -> RunList:
    return at.session_state["mlscope"].runs


def table_page(at: AppTest) -> AppTest:
    at.switch_page("pages/runs.py")
    at.query_params.clear()
    at = at.run()
    assert not at.exception
    return at


def picked(at: AppTest, *numbers: int) -> AppTest:
    runs(at).picked = numbers
    runs(at).revision += 1
    at = at.run()
    assert not at.exception
    return at


@pytest.fixture
def two(opened) -> AppTest:
    """The page after clustering with five and then with four clusters."""
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    return table_page(at.sidebar.number_input[0].set_value(4).run())


def test_alike_runs_are_told_apart_by_their_settings(two):
    newest, oldest = runs(two).entries
    four, five = "k-means, number of clusters 4 · Iris", "k-means, number of clusters 5 · Iris"
    assert table_lines.told_apart([newest, oldest]) == [four, five]
    other = replace(newest, number=7, run=replace(newest.run, seed=3))
    told = table_lines.told_apart([newest, oldest, other])
    assert told == [f"{four}, seed 0", five, f"{four}, seed 3"]
    told = table_lines.told_apart([newest, replace(newest, number=7)])
    assert told == [f"{four}, run 2", f"{four}, run 7"]


def html(at: AppTest) -> str:
    return "".join(element.proto.body for element in at.get("html"))


def test_without_a_run_it_says_what_will_stand_there(opened):
    at = opened("runs")
    assert not at.exception
    assert page.NONE in shown(at)


def test_one_run_is_a_line_without_settings(opened):
    at = table_page(opened("clustering", data="iris", method="kmeans"))
    assert "1 run, no setting differs." in shown(at)
    at = picked(at, 1)
    assert "Pick a second run" in shown(at)
    assert not [b for b in at.button if b.key == "runs.compare"]


def test_the_setting_that_differs_is_a_column_beside_the_scores(two):
    made = table_lines.lines(runs(two).entries)
    assert made.settings == ("Method: number of clusters",)
    assert list(made.frame["Method: number of clusters"]) == [4, 5]
    assert made.measures[0] == "Distortion" and made.frame["Distortion"].notna().all()
    assert "2 runs, 1 setting that differs as columns" in shown(two)


def test_the_second_was_changed_from_the_first_and_the_tree_says_how(two):
    newest, oldest = runs(two).entries
    assert (newest.parent, oldest.parent) == (oldest.digest, "")
    assert "Method: number of clusters 5 → 4" in html(two)


def test_two_that_are_picked_stand_side_by_side_and_go_to_compare(two):
    at = picked(two, 1, 2)
    assert "approximate 95 % interval of how much better it is" in shown(at) or (
        "No interval of the difference" in shown(at)
    )
    at = at.button("runs.compare").click().run()
    assert not at.exception
    held = at.session_state["mlscope"]
    assert held.here == "compare"
    assert [m.n_clusters for m in held.states["compare"].run.methods] == [5, 4]
    assert held.states["compare"].run.data == runs(at).entries[-1].run.data


def test_runs_on_the_same_folds_have_a_paired_interval(opened):
    at = opened("classification", data="iris", method="knn")
    at = table_page(at.sidebar.number_input[0].set_value(40).run())
    at = picked(at, 1, 2)
    assert "corrected resampled t over 5 folds" in shown(at)


def test_a_name_and_a_note_are_written_in_the_table_and_taken_back(two):
    run_list = runs(two)
    edited = {"0": {"Name": " my  run ", "Notes": "looks odd", "Pick": True}}
    page.take(run_list, edited, (2, 1))
    page.take(run_list, edited, (2, 1))  # the browser tells all edits again with the next
    entry = run_list.entries[0]
    assert (entry.name, entry.note, run_list.picked) == ("my run", "looks odd", (2,))
    assert len(run_list.edits) == 2
    run_list.walk_edits("past")
    assert (run_list.entries[0].name, run_list.entries[0].note) == ("my run", "")
    run_list.walk_edits("future")
    assert run_list.entries[0].note == "looks odd"


def test_words_pages_and_orders_choose_lines(two):
    run_list = runs(two)
    run_list.rename(1, "Five groups")
    assert [e.number for e in table_lines.filtered(run_list.entries, "five GROUPS")] == [1]
    assert table_lines.filtered(run_list.entries, "nothing") == []
    assert table_lines.filtered(run_list.entries, page="Regression") == []
    assert len(table_lines.filtered(run_list.entries, page="Clustering", data="Iris")) == 2
    best = table_lines.ordered(run_list.entries, "Best score first")
    scores = [e.score.mean for e in best if e.score]
    assert scores == sorted(scores)  # a distortion is better where it is lower
    at = two.text_input("runs.words").set_value("nothing").run()
    assert "No run has all of these words" in shown(at)


def test_files_have_every_column(two):
    entries = runs(two).entries
    head, first, *_ = table_lines.as_csv(entries).splitlines()
    assert "Method: number of clusters" in head and "From run" in head
    assert "Distortion, sd over folds" in head
    assert first.startswith("2,")
    document = json.loads(table_lines.as_json(entries))
    assert [one["number"] for one in document["runs"]] == [2, 1]
    assert document["runs"][0]["parent"] == document["runs"][1]["digest"]
    assert document["runs"][0]["run"]["method"]["n_clusters"] == 4


def test_a_score_of_one_fold_has_no_spread_in_the_file():
    """NaN is no JSON: another program would refuse the whole file."""
    run = Run(data="iris", method="lda", evaluation="hold_out")
    score = Score("Accuracy", 0.5, float("nan"))
    entry = Entry(1, "classification", run, None, datetime.now(UTC), "done", (score,))
    document = json.loads(table_lines.as_json([entry]), parse_constant=pytest.fail)
    (one,) = document["runs"][0]["scores"]
    assert one == {"title": "Accuracy", "mean": 0.5, "spread": None, "of": "", "better": "higher"}


def test_runs_of_other_kinds_cannot_go_to_compare_and_say_so(two, opened):
    at = opened("sequential_decision_making")
    trial = runs(at).entries[0].run
    with pytest.raises(MlcoreError, match="one method each"):
        page.both(trial, trial)
    one = runs(two).entries[0].run
    with pytest.raises(MlcoreError, match="nothing for Compare"):
        page.both(one, one)
    at = table_page(at)
    assert not at.exception


def test_a_line_of_many_steps_stays_on_its_level_and_a_fork_begins_another(two):
    first = runs(two).entries[-1]
    line = [replace(first, number=k + 1, digest=str(k), parent=str(k - 1)) for k in range(40)]
    fork = [replace(first, number=90 + k, digest=f"f{k}", parent="39") for k in range(2)]
    drawn = descent.drawn(descent.tree([*line, *fork]))
    assert drawn.count("<ul") == 2 and drawn.count("<ol>") == 3
    lost = [
        replace(first, number=5, digest="a", parent="gone"),
        replace(first, digest="", parent=""),
    ]
    assert len(descent.tree(lost)) == 2


def test_foreign_words_are_no_markup_of_the_tree(two):
    runs(two).rename(1, "<script>alert(1)</script>")
    drawn = descent.drawn(descent.tree(runs(two).entries))
    assert "<script>" not in drawn and "&lt;script&gt;" in drawn


def test_hundreds_of_runs_are_listed(two):
    run_list, first = runs(two), runs(two).entries[0]
    for k in range(200):
        run = replace(first.run, seed=k + 10)
        run_list.record("clustering", run, first.view, "stopped", None)
    at = table_page(two)
    assert "202 runs" in shown(at)


def test_the_runs_are_saved_as_a_project_from_their_page(two):
    saved = [button for button in two.get("download_button") if "project" in button.proto.label]
    assert len(saved) == 1


def test_a_long_list_is_told_by_what_was_changed_in_it(two):
    newest, oldest = runs(two).entries
    roles = tuple((f"a column with a long name {k}", "ignore") for k in range(9))
    before = replace(oldest.run, data=replace(oldest.run.data, roles=roles))
    after = replace(before, data=replace(before.data, roles=(*roles, ("pay", "ignore"))))
    told = descent.changes(replace(oldest, run=before), replace(newest, run=after))
    assert any("pay: ignore" in clause for clause in told)
    assert all(len(clause) < 200 for clause in told)
