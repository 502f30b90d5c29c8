"""The runs of a session on its pages: listed, named, opened again, copied, removed, compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from mlcore.data.dataset import TableData
from mlcore.data.upload import Upload
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from service.work import finished
from tests.pages.conftest import ROOT, address, shown, unfold
from ui.runs import asked, two_runs
from ui.runs.listed import Entry, RunList
from ui.runs.running import Shown


def runs(at: AppTest) -> RunList:
    return at.session_state["mlscope"].runs


def listed(at: AppTest) -> AppTest:
    """The page with the list open."""
    return unfold(at, f"strip.history.{runs(at).closed}")


def button(at: AppTest, key: str) -> Any:
    return next(item for item in at.button if item.key == key)


def press(at: AppTest, key: str) -> AppTest:
    at = button(at, key).click().run()
    assert not at.exception
    return at


def pick(at: AppTest, entry: Entry) -> AppTest:
    at = listed(at)
    return at.radio[0].set_value(entry.number).run()


def clusters(at: AppTest) -> int:
    return at.session_state["mlscope"].states["clustering"].run.method.n_clusters


@pytest.fixture
def two(opened) -> AppTest:
    """Clustering, after runs with five and with four clusters."""
    at = opened("clustering", data="iris", method="kmeans", method__n_clusters="5")
    return at.sidebar.number_input[0].set_value(4).run()


def test_runs_are_listed_with_their_settings_and_scores(two):
    at = listed(two)
    assert at.radio[0].options == ["k-means, number of clusters 4", "k-means, number of clusters 5"]
    assert "2 runs, newest first" in shown(at)
    score = runs(at).entries[0].score
    assert score is not None and score.title == "Distortion"


def test_nothing_of_a_closed_list_is_made(two):
    assert not list(two.radio)
    assert not [item for item in two.button if (item.key or "").startswith("history.")]


def test_a_rerun_with_the_same_settings_is_no_new_run(two):
    before = [entry.number for entry in runs(two).entries]
    at = listed(two.run())
    assert [entry.number for entry in runs(at).entries] == before


def test_the_greeting_of_start_is_no_run_of_the_person():
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90).run()
    assert runs(at).entries == []


def test_an_empty_list_says_what_will_be_in_it(opened):
    at = listed(opened("data", data="iris"))
    assert "Nothing has been carried out yet" in shown(at)


def test_a_name_survives_other_runs_and_a_change_of_page(two):
    at = listed(two)
    at = (
        at.text_input(f"history.name.{runs(at).revision}.{runs(at).chosen}")
        .set_value(" Four  *groups* ")
        .run()
    )
    assert runs(at).entries[0].name == "Four *groups*"
    assert at.radio[0].options[0] == r"Four \*groups\*"
    at = at.sidebar.number_input[0].set_value(3).run()
    at = at.switch_page("pages/classification.py").run()
    at = listed(at)
    assert [entry.name for entry in runs(at).entries] == ["", "", "Four *groups*", ""]
    assert not at.exception


def test_leaving_a_page_loses_none_of_its_settings(two):
    at = two.switch_page("pages/regression.py")
    at.query_params.clear()
    at = at.run().switch_page("pages/clustering.py")
    at.query_params.clear()
    at = at.run()
    assert clusters(at) == 4 == at.sidebar.number_input[0].value
    assert address(at)["method.n_clusters"] == "4"
    at = press(at, "strip.Undo")
    assert clusters(at) == 5


def test_runs_that_were_under_way_are_listed_as_they_ended(two, monkeypatch):
    held = runs(two)
    before = [entry.score for entry in held.entries]
    held.entries = [replace(entry, status="running", scores=()) for entry in held.entries]
    jobs = {held.entries[1].run: finished(carried_out(held.entries[1].run))}
    monkeypatch.setattr(asked, "job_of", jobs.get)
    at = listed(two.switch_page("pages/data.py").run())
    assert [entry.status for entry in runs(at).entries] == ["stopped", "done"]
    assert [entry.score for entry in runs(at).entries] == [None, before[1]]
    assert "stopped" in at.radio[0].proto.captions[0]


def test_opening_a_run_again_restores_controls_and_address_and_can_be_undone(two):
    at = pick(two, runs(two).entries[1])
    at = press(at, "history.Open again")
    assert clusters(at) == 5 and at.sidebar.number_input[0].value == 5
    assert address(at)["method.n_clusters"] == "5"
    assert len(runs(at).entries) == 2
    at = press(at, "strip.Undo")
    assert clusters(at) == 4 and at.sidebar.number_input[0].value == 4
    at = press(at, "strip.Redo")
    assert clusters(at) == 5 and address(at)["method.n_clusters"] == "5"


def test_back_of_the_browser_is_undo(two):
    at = two
    at.query_params["method.n_clusters"] = "5"
    at = at.run()
    assert clusters(at) == 5
    assert button(at, "strip.Undo").disabled
    at = press(at, "strip.Redo")
    assert clusters(at) == 4 and address(at)["method.n_clusters"] == "4"
    assert button(at, "strip.Redo").disabled
    at = press(at, "strip.Undo")
    assert clusters(at) == 5


def test_opening_the_run_that_is_shown_leaves_nothing_to_undo_twice(two):
    at = press(listed(two), "history.Open again")
    assert clusters(at) == 4
    assert clusters(press(at, "strip.Undo")) == 5


def test_a_run_of_another_page_is_opened_there_with_its_data(two):
    at = two.switch_page("pages/classification.py").run()
    at.query_params.clear()
    at = at.run()
    at = pick(at, runs(at).entries[-1])
    at = press(at, "history.Open again")
    held = at.session_state["mlscope"]
    assert held.here == "clustering" and held.leads == ""
    assert clusters(at) == 5
    assert at.sidebar.number_input[0].value == 5


def test_a_copy_takes_up_what_is_changed_and_the_original_stays(two):
    at = press(listed(two), "history.Duplicate")
    assert [e.name for e in runs(at).entries] == ["k-means, number of clusters 4 (copy)", "", ""]
    at = at.sidebar.number_input[0].set_value(7).run()
    ks = [entry.run.method.n_clusters for entry in runs(at).entries]
    assert ks == [7, 4, 5]
    score = runs(at).entries[0].score
    assert score is not None and score != runs(at).entries[1].score
    at = pick(at, runs(at).entries[2])
    at = press(at, "history.Open again")
    at = at.sidebar.number_input[0].set_value(8).run()
    assert [e.run.method.n_clusters for e in runs(at).entries] == [8, 7, 4, 5]


def test_a_removed_run_can_be_put_back(two):
    at = press(listed(two), "history.Remove")
    assert [entry.run.method.n_clusters for entry in runs(at).entries] == [5]
    assert clusters(at) == 4
    at = press(at, "history.back")
    assert [entry.run.method.n_clusters for entry in runs(at).entries] == [4, 5]


def test_two_runs_are_compared_by_settings_scores_and_folds(two):
    at = press(listed(two), "history.compare")
    assert "Different: the predictions are not the same." in shown(at)
    differing, folds = (table.value for table in at.table)
    assert list(differing.iloc[0]) == ["Method: number of clusters", "5", "4", ""]
    assert differing["What"][1] == "Distortion"
    assert list(folds["What"]) == [*(f"Fold {k}" for k in range(1, 6)), "Mean"]
    first, second, difference = (float(folds[name].iloc[-1]) for name in folds.columns[1:])
    assert difference == pytest.approx(second - first, abs=2e-3)  # each has three digits
    assert not list(at.radio)


def test_runs_on_other_folds_are_not_compared_fold_by_fold(opened):
    at = opened("clustering", data="iris", method="kmeans")
    held = at.session_state["mlscope"]
    at.query_params["seed"] = "3"
    at = at.run()
    assert len(held.runs.entries) == 2
    at = press(listed(at), "history.compare")
    (differing,) = (table.value for table in at.table)
    assert list(differing["What"][:1]) == ["Seed"]
    assert "fold by fold" not in shown(at)


def test_a_copy_beside_its_original_is_identical(two):
    at = press(listed(two), "history.Duplicate")
    at = listed(at)
    at = press(at, "history.compare")
    assert "Identical: every number agrees to the last bit." in shown(at)
    assert "Settings, data and scores are the same." in shown(at)


def test_runs_on_other_data_are_compared_by_their_rows_and_columns_too(opened):
    at = opened("clustering", data="iris", method="kmeans")
    at.query_params["data"] = "wine"
    at = listed(at.run())
    (other,) = at.selectbox(f"history.other.{runs(at).revision}.{runs(at).chosen}").options
    assert other.startswith("k-means · Iris · Distortion ")
    at = press(at, "history.compare")
    (differing,) = (table.value for table in at.table)
    rows = {row[0]: list(row[1:]) for row in differing.itertuples(index=False)}
    assert rows["Data source: name"] == ["iris", "wine", ""]
    assert rows["Rows"] == ["150", "178", r"+28"]
    assert rows["Columns as prepared"] == ["4", "13", "+9"]
    assert "Distortion" in rows


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (Shown("running", None), "being computed again"),
        (Shown("waiting", None), "no longer kept"),
        (Shown("refused", None, sentence="Too *large*."), r"Too \*large\*."),
    ],
)
def test_without_its_scores_two_runs_are_compared_by_their_settings(two, monkeypatch, found, says):
    monkeypatch.setattr(two_runs, "_outcome", lambda run, k: found)
    at = press(listed(two), "history.compare")
    assert says in shown(at)
    assert list(at.table[0].value["What"]) == ["Method: number of clusters"]


def test_an_upload_that_is_no_longer_here_is_said_in_a_sentence(two):
    held = runs(two)
    gone = Run(data=TableData(source=Upload(digest="0" * 64, name="mine.csv")))
    held.entries = [held.entries[0], replace(held.entries[1], run=gone)]
    at = listed(two)
    assert "mine.csv" in at.radio[0].proto.captions[1]
    at = press(at, "history.compare")
    assert "is not here" in shown(at)


def test_runs_of_different_kinds_are_compared_by_what_they_are(two):
    at = two.switch_page("pages/sequential_decision_making.py")
    at.query_params.clear()
    at = at.run()
    at = press(listed(at), "history.compare")
    assert "Different: kind of run: run in the first, trial in the second." in shown(at)
    assert at.table[0].value["What"][0] == "Kind of run"


@pytest.mark.slow
def test_forty_quick_changes_lose_nothing(opened):
    """A changed setting, a look at the list, undo and redo, over and over."""
    at = opened("clustering", data="iris", method="kmeans", method__n_init="1")
    last = 3
    for k in range(40):
        at.sidebar.number_input[0].set_value(last := 2 + k % 20)
        at = at.run()
        if k % 10 == 9:
            at = press(at, "strip.Undo")
            at = press(at, "strip.Redo")
        assert clusters(at) == last == at.sidebar.number_input[0].value
        assert address(at).get("method.n_clusters", "3") == str(last)
    assert not at.exception
    assert sorted(e.run.method.n_clusters for e in runs(at).entries) == list(range(2, 22))
    assert all(entry.score is not None and entry.status == "done" for entry in runs(at).entries)


def test_comparisons_and_trials_are_listed_by_their_best_method(opened):
    at = opened("compare", data="iris", methods="lda~knn")
    at.query_params["seed"] = "1"
    at = at.run()
    newest, oldest = runs(at).entries
    assert (newest.run.seed, oldest.run.seed) == (1, 0)
    assert newest.score is not None and newest.score.of in newest.label
    at = press(listed(at), "history.compare")
    tables = [table.value for table in at.table if "What" in table.value.columns]
    names = list(tables[0]["What"])
    assert names[0] == "Seed"
    assert any(name.startswith("Accuracy of k-nearest neighbours") for name in names)
    at = at.switch_page("pages/sequential_decision_making.py")
    at.query_params.clear()
    at = at.run()
    trial = runs(at).entries[0]
    assert trial.score is not None and trial.score.of in trial.label
    at = press(pick(at, oldest), "history.Open again")
    held = at.session_state["mlscope"]
    assert held.here == "compare" and held.states["compare"].run == oldest.run
