"""Pictures are drawn once of the same things, and go with them."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import pytest

from figures.theme import figure
from figures.view import TableColumn, View, views, views_on
from figures.views.evaluation.reliability import ReliabilityOptions
from mlcore.runs.carry import carried_out, dataset_of
from mlcore.runs.run import Run
from mlcore.spine.errors import ParamError
from ui.method import panels, sheets
from ui.runs.running import Shown


class Thing:
    """Something that pictures are drawn of."""


@pytest.fixture
def kept(monkeypatch) -> sheets.Kept:
    empty = sheets.Kept(10_000)
    monkeypatch.setattr(sheets, "_KEPT", empty)
    return empty


@pytest.fixture
def entry() -> SimpleNamespace:
    return SimpleNamespace(make=len, options=None)


def drawn(times: list[int], **of) -> View:
    times.append(1)
    return View(figure(), "It says this.", (TableColumn("n", ("1", "2")),), **of)


def ask(entry, things, times, **of) -> sheets.Sheet:
    return sheets.sheet(entry, things, None, lambda: drawn(times, **of))


def test_the_same_things_are_drawn_once_and_others_anew(kept, entry):
    times, one, other = [], Thing(), Thing()
    first = ask(entry, {"outcome": one}, times)
    assert ask(entry, {"outcome": one}, times) == first
    assert len(times) == 1
    ask(entry, {"outcome": other}, times)
    ask(entry, {"outcome": one, "which": 1}, times)
    ask(entry, {"dataset": one}, times)
    ask(SimpleNamespace(make=max, options=None), {"outcome": one}, times)
    assert len(times) == 5


def test_a_picture_goes_with_what_it_is_of(kept, entry):
    things = {"outcome": Thing()}
    ask(entry, things, [])
    assert len(kept) == 1 and kept.used > 0
    things.clear()
    gc.collect()
    assert len(kept) == kept.used == 0


def test_the_number_of_one_that_is_gone_finds_nothing(kept, entry):
    """Python gives it to the next one."""
    one = Thing()
    ask(entry, {"outcome": one}, [])
    ((key, ids), _), *_ = kept._entries.items()
    kept._entries[key, (id(entry),)] = kept._entries.pop((key, ids))
    assert kept.get(key, (entry,)) is None


def test_what_is_kept_is_bounded(kept, entry):
    held = [Thing() for _ in range(200)]
    for one in held:
        ask(entry, {"outcome": one}, [])
    assert 0 < len(kept) < 200 and kept.used <= kept.size
    before = len(kept)
    wide = View(figure(), "x" * kept.size, (TableColumn("n", ("1",)),))
    sheets.sheet(entry, {"outcome": entry}, None, lambda: wide)
    assert len(kept) == before


def test_things_that_cannot_be_watched_are_drawn_each_time(kept, entry):
    times: list[int] = []
    for _ in range(2):
        ask(entry, {"steps": (1, 2)}, times)
    assert len(times) == 2 and len(kept) == 0


def test_a_player_of_its_own_is_made_of_a_picture_drawn_anew(kept, entry):
    """A player holds what it plays, which must be free to go."""
    times, one = [], Thing()
    for _ in range(2):
        shown = ask(entry, {"outcome": one}, times, player=lambda: "recording")
    assert len(times) == 1
    assert shown.player is not None and shown.player() == "recording"
    assert len(times) == 2


def test_a_refusal_is_not_kept(kept, entry):
    def refuse() -> View:
        raise ParamError("It needs two columns.")

    for _ in range(2):
        with pytest.raises(ParamError):
            sheets.sheet(entry, {"outcome": entry}, None, refuse)


def test_every_view_of_a_run_is_kept_with_its_options(kept, monkeypatch):
    """Their things can be watched: the data and the outcome are no tuples."""
    monkeypatch.setattr(kept, "size", 10**8)
    run = Run.from_link({"data": "iris", "method": "logistic"})[0]
    outcome, dataset = carried_out(run), dataset_of(run.data)
    shown = Shown("done", run, outcome)
    entries = panels.fitting(views_on("classification"), shown)
    offered = panels.known(dataset, shown, None)
    for _ in range(2):
        for one in entries:
            panels.ready(one, offered)
    assert len(kept) == len(entries) > 5
    reliability = views()["reliability"]
    chosen = ReliabilityOptions(n_bins=5)
    assert panels.ready(reliability, offered, chosen) != panels.ready(reliability, offered)
