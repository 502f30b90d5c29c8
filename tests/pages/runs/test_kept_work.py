"""The server was started anew and the work is there: tables, runs, what was under way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from mlcore.data.dataset import TableData
from mlcore.data.upload import Upload
from mlcore.runs.project import read, written
from mlcore.runs.project_lines import Line
from mlcore.runs.run import Comparison, LabRun, Run
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.registry import entries
from service import limits
from service.kept_tables import kept_tables
from service.kept_work import Computing, kept_work
from tests.pages.conftest import ROOT, address, shown, unfold
from tests.pages.runs.conftest import ANNA, BERT, HASH, restart
from ui.runs import keeping, places, saving
from ui.runs.listed import RunList

pytestmark = pytest.mark.usefixtures("fresh")

FILE = "a;b;kind\n" + "\n".join(f"{i},5;{i % 7};{'xy'[i % 2]}" for i in range(40))
LIST = "strip.history.0"


def runs(at: AppTest) -> RunList:
    return at.session_state["mlscope"].runs


def upload(at: AppTest, name: str, content: bytes) -> AppTest:
    at.session_state["door"] = "Upload"
    at.run().file_uploader[0].set_value((name, content, "application/octet-stream")).run()
    assert not at.exception, at.exception[0].stack_trace
    return at


@pytest.fixture
def worked(opened, at_browser) -> dict[str, str]:
    """Anna brought a table, fitted a method to it, and named the run; the server starts anew."""
    at_browser(ANNA)
    at = upload(opened("data", data="iris"), "mine.csv", FILE.encode())
    assert "the key is a cookie that ends with the session of the browser" in shown(at)
    pairs = {k: v for k, v in address(at).items() if k.startswith("data")}
    at = opened(
        "classification", method="lda", **{k.replace(".", "__"): v for k, v in pairs.items()}
    )
    unfold(at, LIST)
    boxes = {box.label: box for box in at.text_input}
    boxes["Name"].set_value("the best")
    boxes["Note"].set_value("without dates").run()
    restart()
    return address(at)


def test_table_runs_names_and_notes_are_there_after_a_new_start(opened, worked):
    at = opened("classification", **worked)
    assert not at.exception and not at.error and "is not here" not in shown(at)
    (entry,) = runs(at).entries
    assert (entry.name, entry.note, entry.page) == ("the best", "without dates", "classification")
    assert entry.run.data.source.name == "mine.csv" and entry.score is not None


def test_the_start_leads_back_to_it(opened, worked):
    at = opened("start")
    assert "Go on where you were" in shown(at)
    (entry,) = runs(at).entries
    at.button(key=f"project.{entry.number}").click().run()
    assert not at.exception and at.session_state["mlscope"].here == "classification"
    assert at.session_state["mlscope"].states["classification"].run == entry.run


def test_it_outlives_the_browser_where_that_is_asked_for(opened, worked, monkeypatch):
    held = []
    monkeypatch.setattr(keeping, "keeper", lambda key, **told: held.append(told["seconds"]))
    at = opened("data", **{k: v for k, v in worked.items() if k.startswith("data")})
    at.session_state["door"] = "Upload"
    assert "not after it was closed" in shown(at.run()) and not held  # nobody asked for a cookie
    (toggle,) = [box for box in at.toggle if box.label == keeping.LABEL]
    toggle.set_value(True).run()
    assert "also after it was closed" in shown(at)
    assert held == [limits.current_limits().keep_days * 86400.0]
    at.button(key="tables.delete").click().run()
    assert held[-1] == 0.0 and not at.exception


def test_another_browser_has_neither(opened, at_browser, worked):
    at_browser(BERT)
    at = opened("classification", **worked)
    assert "is not here" in shown(at) and not any(e.name for e in runs(at).entries)


def test_one_press_deletes_it_all(opened, worked):
    at = opened("data")
    at.session_state["door"] = "Upload"
    at.run().button(key="tables.delete").click().run()
    assert not at.exception and "keeps none of your tables and runs" in shown(at)
    assert "tables.delete" not in {button.key for button in at.button}
    restart()
    assert kept_tables().restored(HASH) == {} and kept_work().of(HASH).lines == ()
    assert "is not here" in shown(opened("classification", **worked))


def test_what_was_under_way_says_so_and_runs_again_by_one_press(opened, at_browser, monkeypatch):
    at_browser(ANNA)
    monkeypatch.setattr(limits.Limits, "waits", lambda *_: True)
    at = opened("clustering", data="iris", method="kmeans", seed="7")
    assert "Not started yet" in shown(at)
    run = at.session_state["mlscope"].states["clustering"].run
    under_way = Computing(run.digest(), "run", "clustering", "clustering", "k-means")
    kept_work().change(HASH, "a tab", [], [], [under_way])
    restart()
    at = opened("clustering", data="iris", method="kmeans", seed="7")
    assert "**Interrupted.** This was under way" in shown(at)
    at.button(key="run.now").click().run()
    assert not at.exception and "Interrupted" not in shown(at)
    assert runs(at).entries[0].status == "done"
    restart()
    assert kept_work().of(HASH).computing == ()


def test_a_run_that_was_removed_stays_away(opened, worked):
    at = opened("classification", **worked)
    other = opened("clustering", data="iris")
    assert len(runs(other).entries) == 2
    unfold(at, LIST).button(key="history.Remove").click().run()
    restart()
    assert [e.page for e in runs(opened("clustering", data="iris")).entries] == ["clustering"]


def test_a_project_goes_from_one_browser_to_another(opened, at_browser, worked):
    at = opened("classification", **worked)
    lines = [entry.line() for entry in runs(at).entries]
    lines.append(Line(id="7" * 32, run=Comparison(data="iris"), page="compare"))
    held = at.session_state["session_tables"]
    needed = saving._needed(runs(at))
    assert set(needed) == set(held)
    at_browser(BERT)
    at = upload(opened("data", data="iris"), "of-anna.mlscope", written(lines, held))
    assert "Opened of-anna.mlscope: 2 runs and 1 table." in shown(at)
    entry = next(e for e in runs(at).entries if e.name)
    assert entry.note == "without dates" and entry.run == lines[0].run
    at.button(key=f"project.{entry.number}").click().run()
    assert at.session_state["mlscope"].here == "classification"
    at = opened("classification", **worked)
    assert not at.error and "is not here" not in shown(at)


def test_a_project_opens_no_table_that_is_not_in_it(opened, at_browser, worked):
    """Its digest is known to whoever sees a link; the table is Anna's alone."""
    (digest,) = kept_tables().restored(HASH)
    run = Run(data=TableData(source=Upload.of(digest, "mine.csv")), method="lda")
    at_browser(BERT)
    content = written([Line(id="5" * 32, run=run, page="classification")], {})
    at = upload(opened("data", data="iris"), "theft.mlscope", content)
    assert "Not in the project, and not with this browser: 'mine.csv'." in shown(at)
    assert at.session_state["session_tables"] == {}
    assert kept_tables().restored(HASH.replace("a", "b")) == {}


def test_the_json_of_a_run_opens_on_its_page(opened):
    run = Run(data="wine", method="svc", seed=5)
    at = upload(opened("data", data="iris"), "run.json", run.to_json().encode())
    assert at.session_state["mlscope"].states["classification"].run == run
    assert runs(at).entries[0].run == run


def test_a_file_that_is_no_project_says_so(opened):
    at = upload(opened("data", data="iris"), "broken.mlscope", b"PK\x03\x04 nothing")
    assert "This is no project of MLScope" in shown(at)
    at = upload(at, "broken.json", b"[1, 2]")
    assert "no project of MLScope" in shown(at)


def test_what_the_list_holds_can_be_saved_and_read(opened):
    at = opened("clustering", data="iris")
    unfold(at, LIST)
    assert "Save as a project" in str(at.main)
    (line,) = [entry.line() for entry in runs(at).entries]
    assert replace(read(written([line], {})).lines[0], scores=line.scores) == line


@pytest.mark.parametrize("name", list(entries("method")))
def test_every_method_is_at_home_on_a_page(name):
    run = Run(method=entries("method")[name]())
    page, shown_there = places.at_home(run, "compare", {}) or ("", None)
    assert (ROOT / "pages" / f"{page}.py").is_file() and shown_there
    assert page not in ("compare", "data", "start", "shared")


def test_runs_of_other_kinds_open_where_they_are_at_home():
    assert (places.at_home(Comparison(data="iris"), "data", {}) or [""])[0] == "compare"
    tuning = Tuning(data="iris", method="knn")
    assert (places.at_home(tuning, "", {}) or [""])[0] == "classification"
    lab = LabRun(lab=next(iter(entries("lab").values()))())
    assert places.at_home(lab, "data", {}) is None
