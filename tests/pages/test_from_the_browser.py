"""What a browser sends may be anything: a page takes what it can use, and stays as it was."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st

from figures.drawing.marks import mark_of
from mlcore.data.drawn import Drawn
from mlcore.runs.run import Run
from ui import selection, state
from ui.components import drawing_pad, finder
from ui.components.picture import _is_open, _step
from ui.data import selected
from ui.method import clicks, count
from ui.runs import page
from ui.runs.table_lines import NAME, NOTE, PICK

NAN, INF = float("nan"), float("inf")
ANYTHING = (None, "1", "x", {}, {"0": 1}, [], [[1]], True, NAN, INF, -INF, -1, 1.5, 2**53, 10**400)


def test_rows_are_whole_numbers_from_0_whatever_is_sent():
    assert selection.sent([3, 1.0, *ANYTHING, 0]) == (3, 1, 0)
    for sent in (*ANYTHING, "123", {1: 2}, 7):
        assert selection.sent(sent) == ()


def test_a_step_is_a_whole_number_from_0():
    assert (_step(0), _step(1), _step(12.0)) == (0, 1, 12)
    assert [_step(sent) for sent in ANYTHING] == [None] * len(ANYTHING)


def test_a_link_to_a_step_opens_the_first_player_until_it_is_closed(monkeypatch):
    for step, first in ((0, True), (7, True), (None, False)):
        session: dict = {}
        monkeypatch.setattr(st, "session_state", session)
        assert [_is_open(key, dict, step) for key in "aba"] == [first, False, first]
        assert not _is_open("a", None, step)
        session["a"] = {"open": False}
        assert not _is_open("a", dict, step)
        session["a"] = {"open": True}
        assert _is_open("a", dict, None)
        assert not _is_open("b", dict, 3)  # linking to a step of one opens no other


@pytest.fixture
def changes(monkeypatch) -> list:
    """What is changed on the page, in place of a page."""
    made: list = []
    monkeypatch.setattr(state, "change", lambda **values: made.append(values))
    monkeypatch.setattr(state, "rerun", lambda: made.append("rerun"))
    return made


def test_a_number_of_clusters_that_no_picture_shows_changes_nothing(changes, monkeypatch):
    monkeypatch.setattr(count.tabs, "is_open", lambda tab: True)
    run = Run(data="iris", method="kmeans")
    selection.about(count.MARKS)
    selection.select([0])
    count.follow_click(run)
    assert changes == [] and selection.selected() == ()
    selection.select([4])
    count.follow_click(run)
    assert changes == [{"method": run.method.with_groups(4)}, "rerun"]


def test_a_number_of_states_that_no_picture_shows_changes_nothing(changes):
    run = Run(data="iris", method="hmm")
    dataset = SimpleNamespace(table=SimpleNamespace(n_rows=150))
    selection.select([mark_of(dataset, "states", 2**40)])  # type: ignore[arg-type]  # as below
    clicks.follow(run, dataset)  # type: ignore[arg-type]
    assert changes == ["rerun"] and selection.selected() == ()


def test_of_many_names_of_selections_the_newest_stay(changes, monkeypatch):
    """Each has as many numbers as rows: a session that names on and on would fill the memory."""
    monkeypatch.setattr(selected, "MOST_NAMED", 3)
    selection.about("a table")
    for name in ("a", "b", "c", "a", "d"):
        st.session_state[selected.NAME] = name
        selected._keep_name([3, 1, ord(name)])
    assert list(selected._named()) == ["c", "a", "d"]
    selected._again("a")
    assert selection.selected() == (1, 3, ord("a"))


def test_a_drawing_is_points_or_the_one_that_was_there(monkeypatch):
    before, after = Drawn().points, "AAAAAAA"
    for sent in (*ANYTHING, b"AAAAAAA", "AAAA", "A" * 10**6, "AAAAAA\xff", "\ud800", after, ""):
        shown = SimpleNamespace(drawn=sent)
        monkeypatch.setattr(drawing_pad, "mounted", lambda *_, shown=shown: lambda **_: shown)
        kept = drawing_pad.drawing_pad("pad", before)
        assert kept == (sent if sent in (after, "") else before)
        Drawn(points=kept)


def test_what_the_finder_opens_is_a_text(monkeypatch):
    for sent in (*ANYTHING, "search:EM"):
        shown = SimpleNamespace(opened=sent)
        monkeypatch.setattr(finder, "mounted", lambda *_, shown=shown: lambda **_: shown)
        assert finder.finder("finder", {}) == (sent if isinstance(sent, str) else "")


class Noted:
    """A list of runs that notes what it is told."""

    def __init__(self) -> None:
        self.picked: list[int] = []
        self.told: list[tuple] = []

    def pick(self, *told) -> None:
        self.told.append(told)

    rename = annotate = pick


@pytest.mark.parametrize("edited", ANYTHING)
def test_a_table_of_runs_that_is_none_changes_nothing(edited):
    runs = Noted()
    page.take(runs, edited, (7, 8))  # type: ignore[arg-type]  # of a list of runs what is asked
    page.take(runs, {edited if isinstance(edited, str) else "1": edited}, (7, 8))  # type: ignore[arg-type]  # as above
    page.take(runs, {"1": {NAME: edited or 0, NOTE: edited or 0}}, (7,))  # type: ignore[arg-type]  # as above
    assert runs.told == []


def test_of_an_edited_table_picks_and_texts_are_taken():
    runs, bad = Noted(), {PICK: "yes", NAME: 7, NOTE: "\ud800"}
    lines = {"0": bad, "1": {PICK: True, NAME: None, NOTE: "why"}, "2": bad, "-1": bad, "x": bad}
    page.take(runs, lines, (7, 8))  # type: ignore[arg-type]  # of a list of runs what is asked
    assert runs.told == [(8, True), (8, ""), (8, "why")]
