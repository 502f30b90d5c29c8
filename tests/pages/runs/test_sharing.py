"""What Share says before it stores anything, what it stores, and when it refuses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.upload import Upload
from mlcore.runs import carry
from mlcore.runs.run import Run
from service.limits import Limits
from service.store import store
from tests.pages.conftest import shown
from ui.runs import asked, sharing

IRIS = bundled.load("iris")
RUN = Run(
    data=TableData(source=Upload(digest=IRIS.digest(), name="mine.csv"), target="species"),
    method="lda",
)
STORE = "share.store.link"


@pytest.fixture
def uploaded(opened) -> Any:
    """The Classification page of a session that brought a table, with Share open."""
    at = opened("methods").switch_page("pages/classification.py")
    at.session_state["session_tables"] = {IRIS.digest(): IRIS}
    for name, value in RUN.to_link().items():
        at.query_params[name] = value
    return with_share(at.run())


@pytest.fixture
def stored(monkeypatch) -> list[Any]:
    """Everything that is put into the store."""
    found, put = [], type(store()).put

    def kept(self, shared, *who):
        found.append(shared)
        return put(self, shared, *who)

    monkeypatch.setattr(type(store()), "put", kept)
    return found


def with_share(at: Any) -> Any:
    at.session_state["strip.share"] = True
    return at.run()


def other_method(at: Any) -> Any:
    """The page with another method chosen: another state."""
    (method,) = [box for box in at.selectbox if box.label == "Method"]
    return with_share(method.set_value("naive_bayes").run())


def codes(at: Any) -> list[str]:
    return [item.value for item in at.code if "/" in item.value or "?" in item.value]


def allow(monkeypatch, **some: int) -> None:
    """Another installation's limits."""
    allowed = Limits(**some)
    monkeypatch.setattr(sharing, "current_limits", lambda: allowed)
    monkeypatch.setattr(store(), "limits", allowed)


def test_what_would_be_stored_is_said_and_nothing_is(uploaded, stored):
    said = shown(uploaded)
    assert "Your table **mine.csv** (150 rows, 5 columns) is known to this browser alone" in said
    assert "must be stored on the server" in said
    assert "It is kept for 30 days. Whoever has the link sees the rows" in said
    assert "second link that deletes everything" in said
    assert stored == [] and codes(uploaded) == []


def test_the_run_is_stored_with_its_table_view_and_numbers(uploaded, stored):
    at = uploaded.button(key=STORE).click().run()
    assert not at.exception
    (kept,) = stored
    assert (kept.run, kept.page, kept.parts) == (RUN, "classification", None)
    assert list(kept.tables) == [IRIS.digest()]
    assert kept.numbers["run"] == RUN.digest()
    opens, deletes = codes(at)
    assert "shared?id=" in opens and "shared?delete=" in deletes
    assert store().get(opens.partition("=")[2]).run == RUN
    assert store().named_by(deletes.partition("=")[2]) == opens.partition("=")[2]


def test_a_run_that_was_stopped_is_stored_as_far_as_it_had_come(uploaded, stored, monkeypatch):
    events = tuple(carry.carry_out(RUN, {IRIS.digest(): IRIS}))[:3]
    job = SimpleNamespace(state="stopped", events=events, is_over=True)
    monkeypatch.setattr(asked, "job_of", lambda run: job)
    at = uploaded.button(key=STORE).click().run()
    assert not at.exception
    (kept,) = stored
    assert kept.parts == ("Whole", "FoldResult k 0", "FoldResult k 1")
    assert kept.numbers["choices"]["folds done"] == [1, 2]


def test_a_run_that_goes_on_is_said_to(uploaded, monkeypatch):
    job = SimpleNamespace(state="running", events=(), is_over=False)
    monkeypatch.setattr(asked, "job_of", lambda run: job)
    assert "what is finished now is stored with it" in shown(uploaded.run())


def test_the_links_stay_with_the_state_that_they_open(uploaded, stored):
    at = uploaded.button(key=STORE).click().run()
    links = codes(at)
    assert codes(at.run()) == links
    at = other_method(at)
    assert codes(at) == []
    assert at.button(key=STORE)
    assert len(stored) == 1


def test_a_table_that_is_too_large_is_refused_before(uploaded, stored, monkeypatch):
    monkeypatch.setattr(sharing, "refusal", lambda size, limits: f"Too large: {size > 6000}.")
    at = uploaded.run()
    assert [error.value for error in at.error] == ["Too large: True."]
    assert at.button(key=STORE).disabled
    assert stored == []


def test_a_refusal_of_the_store_is_said_in_place(uploaded, monkeypatch):
    uploaded.button(key=STORE).click().run()
    allow(monkeypatch, shares=1)
    at = other_method(uploaded).button(key=STORE).click().run()
    (error,) = at.error
    assert "keeps at most 1 shared runs" in error.value
    assert codes(at) == []


def test_an_installation_that_stores_nothing_says_so(uploaded, monkeypatch):
    allow(monkeypatch, shares=0)
    at = uploaded.run()
    assert "This installation stores no runs" in at.error[0].value
    assert at.button(key=STORE).disabled


def test_a_link_that_would_be_cut_is_offered_to_be_stored(opened, stored, monkeypatch):
    monkeypatch.setattr(sharing, "LONGEST_LINK", 20)
    at = with_share(opened("clustering", data="moons"))
    assert "and many programs cut it" in shown(at)
    assert stored == []
    at = at.button(key=STORE).click().run()
    assert (stored[0].tables, stored[0].page) == ({}, "clustering")
    assert len(codes(at)) == 2


def test_a_link_that_carries_everything_is_given_at_once(opened, stored):
    at = with_share(opened("clustering", data="moons"))
    assert "sees the same numbers" in shown(at)
    assert len(codes(at)) == 1 and stored == []


def test_what_is_looked_at_is_shared_too(opened, stored, monkeypatch):
    monkeypatch.setattr(sharing, "LONGEST_LINK", 20)
    at = with_share(opened("classification", data="iris", view__x="sepal_width"))
    at.button(key=STORE).click().run()
    assert stored[0].view == {"view.x": "sepal_width"}


def test_a_table_that_is_not_here_cannot_be_shared(opened, stored):
    pairs = {name.replace(".", "__"): value for name, value in RUN.to_link().items()}
    at = with_share(opened("classification", **pairs))
    assert "needs a table that is not here" in shown(at)
    assert stored == []


def test_a_search_is_shared_by_its_own_button(opened, stored):
    at = opened("regression", data="diabetes", method="ridge", view__tab="tune")
    next(box for box in at.text_input if box.label == "Values of alpha").input("0.2, 20").run()
    next(button for button in at.button if button.label == "Tune").click().run()
    at.session_state["search.share"] = True
    at.run()
    assert "does not carry a search" in shown(at)
    assert stored == []
    at.button(key="share.store.search").click().run()
    (kept,) = stored
    assert (kept.run.card.name, kept.page, kept.tables) == ("tuning", "regression", {})
    assert len(codes(at)) == 2
