"""Cells from the clipboard become the data as a file does."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from service import limits
from ui.data.pasting import EMPTY, TOO_LONG

CELLS = "city\tprice\n" + "".join(f"town {i}\t{i},5\n" for i in range(1, 21))


@pytest.fixture
def data_page(opened):
    """The Data page with the bundled iris, its door for uploads open."""
    at = opened("data", data="iris")
    at.session_state["door"] = "Upload"
    return at.run()


def pasted(at: AppTest, text: str) -> AppTest:
    """The page after this was pasted and read."""
    (area,) = [area for area in at.text_area if ".paste" in area.key]
    area.set_value(text)
    (button,) = [button for button in at.button if button.key.endswith(".read")]
    return button.click().run()


def said(at: AppTest) -> str:
    parts = (*at.main.markdown, *at.error, *at.main.caption)
    return " ".join(str(part.value) for part in parts)


def is_read(at: AppTest) -> None:
    assert not at.exception
    ((imported, _),) = at.session_state["brought"].readings.values()
    assert imported.table.names == ("city", "price")
    assert imported.table.column("price").values[0] == 1.5
    assert imported.table.n_rows == 20


def test_cells_of_a_spreadsheet_become_the_data(data_page):
    at = pasted(data_page, CELLS)
    is_read(at)
    assert at.query_params["data.source.name"] == "pasted.txt"


def test_so_they_do_on_start(opened):
    is_read(pasted(opened("start"), CELLS))


def test_what_is_no_table_gives_a_sentence_and_the_former_stays(data_page):
    at = pasted(data_page, "\x00\x01\x02")
    assert not at.exception
    assert at.session_state["brought"].problem
    assert at.query_params["data"] == "iris"


def test_nothing_was_pasted(data_page):
    at = pasted(data_page, "  \n ")
    assert EMPTY in said(at)
    assert "brought" not in at.session_state


def test_more_than_a_file_may_have_is_refused(data_page, monkeypatch):
    monkeypatch.setattr(limits, "current_limits", lambda: limits.Limits(upload_mb=1))
    at = pasted(data_page, CELLS * 5000)
    assert TOO_LONG.format(1) in said(at)
    assert "brought" not in at.session_state
