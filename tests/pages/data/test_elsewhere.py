"""A table by its address, and by a SELECT: on the Data page and on Start."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from mlcore.spine.errors import FileError
from service.bringing import allowed, asking
from service.bringing.fetching import Fetched
from service.bringing.sql import Answer, Rows, parquet
from tests.pages.conftest import shown

CSV = b"city,price\n" + b"".join(b"town %d,%d.5\n" % (k, k) for k in range(20))
PLACE = "https://example.org/d/prices.csv"


@pytest.fixture
def own(monkeypatch):
    """The server is on the machine of whoever asks."""
    monkeypatch.setattr(allowed, "is_own", lambda asking: True)


def data_page(opened) -> AppTest:
    at = opened("data", data="iris")
    at.session_state["door"] = "Upload"
    return at.run()


def press(at: AppTest, what: str, **written: str) -> AppTest:
    """The page after these boxes were filled and the button of one popover pressed."""
    for end, text in written.items():
        boxes = [*at.text_input, *at.text_area]
        (box,) = [b for b in boxes if b.key.endswith(end.replace("__", "."))]
        box.set_value(text)
    (button,) = [b for b in at.button if b.key.endswith(f"{what}.read")]
    at = button.click().run()
    assert not at.exception
    return at


def test_elsewhere_than_on_ones_own_machine_it_says_why_not(opened):
    at = data_page(opened)
    assert allowed.NO_ADDRESSES in shown(at) and allowed.NO_SQL in shown(at)
    assert not [b for b in at.button if b.key.endswith((".address.read", ".sql.read"))]


def test_what_was_fetched_becomes_the_data_and_says_from_where(opened, own, monkeypatch):
    heard = []

    def fetched(text, **who):
        heard.append((text, set(who)))
        return Fetched(CSV, PLACE, "prices.csv", "text/csv")

    monkeypatch.setattr(asking, "fetched", fetched)
    at = press(data_page(opened), ".address", elsewhere__address=f"{PLACE}?token=secret")
    assert heard == [(f"{PLACE}?token=secret", {"owner", "person"})]
    assert at.query_params["data.source.name"] in (
        f"prices.csv from {PLACE}", [f"prices.csv from {PLACE}"],
    )  # fmt: skip
    held = at.session_state["mlscope"]
    source = held.states["data"].run.data.source
    assert source.name == f"prices.csv from {PLACE}"
    assert "Fetched from" in shown(at) and "secret" not in shown(at)


def test_rows_of_a_statement_become_the_data(opened, own, monkeypatch):
    content = parquet(Rows(["k", "town"], [(k / 2, f"t{k % 3}") for k in range(20)]))
    monkeypatch.setattr(
        asking, "queried", lambda *a, **who: Answer(content, "SELECT from a.db", "a.db")
    )
    at = press(
        data_page(opened), ".sql", elsewhere__sql="a.db", elsewhere__sql__statement="SELECT *"
    )
    source = at.session_state["mlscope"].states["data"].run.data.source
    assert source.name == "SELECT from a.db"
    assert "Read from a" in shown(at)


def test_what_cannot_be_had_is_a_sentence_and_the_data_stay(opened, own, monkeypatch):
    def refuse(text, **who):
        raise FileError("'10.0.0.1' is *no machine* of the public internet.")

    monkeypatch.setattr(asking, "fetched", refuse)
    at = press(data_page(opened), ".address", elsewhere__address="http://10.0.0.1/")
    assert r"is \*no machine\* of the public internet" in shown(at)
    assert at.session_state["mlscope"].states["data"].run.data.source.name == "iris"
    at = press(at, ".address", elsewhere__address="")
    assert "brought" not in at.session_state


def test_start_has_both_too(opened, own):
    at = opened("start")
    assert len([b for b in at.button if b.key.endswith((".address.read", ".sql.read"))]) == 2


def test_the_other_ways_to_bring_a_table_stand_in_one_row(opened):
    rows = [block for block in data_page(opened).get("flex_container") if popovers_in(block)]
    ways = {"Paste a table", "From an address", "From a database"}
    assert [row for row in rows if ways <= popovers_in(row) and is_row(row)]


def popovers_in(block) -> set[str]:
    """The labels of the popovers that stand in a container itself, not in one inside it."""
    children = [it for it in block.children.values() if it.type == "popover"]
    return {it.proto.popover.label for it in children}


def is_row(block) -> bool:
    flex = block.proto.flex_container
    return flex.direction == flex.Direction.HORIZONTAL
