"""A reload, a second tab: the table is there again for the browser that brought it alone."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from service.kept_tables import kept_tables
from tests.pages.conftest import address, shown
from tests.pages.runs.conftest import ANNA, BERT, HASH

FILE = "a;b;kind\n" + "\n".join(f"{i},5;{i % 7};{'xy'[i % 2]}" for i in range(40))

pytestmark = pytest.mark.usefixtures("fresh")


@pytest.fixture
def brought(opened, at_browser) -> dict[str, str]:
    """The address of the table that Anna brought."""
    at_browser(ANNA)
    at = opened("data", data="iris")
    at.session_state["door"] = "Upload"
    at.run().file_uploader[0].set_value(("mine.csv", FILE.encode(), "text/csv")).run()
    assert "This browser alone finds the table again" in shown(at)
    return address(at)


def go(opened, page: str, pairs: dict[str, str]) -> AppTest:
    at = opened(page, **pairs)
    assert not at.exception, at.exception[0].stack_trace
    return at


@pytest.mark.parametrize("page", ["data", "classification", "preprocessing", "compare"])
def test_the_same_browser_finds_its_table_again(opened, brought, page):
    pairs = {k: v for k, v in brought.items() if k.startswith("data")}
    at = go(opened, page, pairs)
    assert not at.error
    assert at.session_state["mlscope"].states[page].run.data.source.name == "mine.csv"
    assert "is not here" not in shown(at)


def test_how_the_file_was_read_is_there_again_and_can_be_changed(opened, brought):
    at = go(opened, "data", brought)
    (mark,) = [box for box in at.selectbox if box.label == "Decimal"]
    assert mark.value == ","
    mark.set_value(".").run()
    assert not at.exception and not at.error
    (mark,) = [box for box in at.selectbox if box.label == "Decimal"]
    assert mark.value == "." and "You chose it" in shown(at)
    assert "bring its file again" not in shown(at)


def test_a_table_without_its_file_says_how_to_read_it_otherwise(opened, brought, monkeypatch):
    monkeypatch.setattr(kept_tables(), "file", lambda *_: None)  # there was no room for it
    assert "bring its file again" in shown(go(opened, "data", brought))


@pytest.mark.parametrize("who", [BERT, None, b"", b"anna"])
def test_no_other_browser_does(opened, at_browser, brought, who):
    at_browser(who)
    assert "is not here" in shown(go(opened, "data", brought))


def test_a_browser_without_a_key_of_its_own_keeps_nothing(opened, at_browser):
    for guessed in (b"", b"short"):
        at_browser(guessed)
        at = opened("data", data="iris")
        at.session_state["door"] = "Upload"
        at.run().file_uploader[0].set_value(("mine.csv", FILE.encode(), "text/csv")).run()
        assert "Stays in this session" in shown(at)
        assert "is not here" in shown(go(opened, "data", address(at)))


@pytest.mark.parametrize("page", ["data", "classification", "preprocessing", "compare"])
def test_a_table_that_is_gone_can_be_brought_again_and_none_stands_in_for_it(opened, brought, page):
    kept_tables().forget(HASH)
    pairs = {k: v for k, v in brought.items() if k.startswith("data")}
    at = go(opened, page, pairs)
    assert "is not here" in shown(at) and "brought again" in shown(at)
    assert "data.reset" not in {button.key for button in at.button}
    if page == "data":
        at.file_uploader[0].set_value(("mine.csv", FILE.encode(), "text/csv")).run()
        assert not at.error


def test_the_table_as_it_came_is_the_same_table(opened, brought):
    at = go(opened, "data", brought | {"data.target": "nowhere"})
    at.button(key="data.reset").click().run()
    assert not at.error
    assert at.session_state["mlscope"].states["data"].run.data.source.name == "mine.csv"
