"""A large table is looked through by a worker, and what takes too long there is a sentence."""

from __future__ import annotations

import pytest

from mlcore.data.audit import audit
from mlcore.data.bundled import load
from mlcore.spine.errors import DataError
from service import selecting
from tests.pages.conftest import shown
from ui.data import findings


@pytest.fixture(autouse=True)
def _all_are_large(monkeypatch):
    monkeypatch.setattr(selecting, "FEW_CELLS", 0)
    findings._audited.clear()
    yield
    findings._audited.clear()


def test_a_large_table_is_looked_through_by_a_worker(opened, monkeypatch):
    def here(*_: object) -> None:
        raise AssertionError("computed in the process of the server")

    monkeypatch.setattr(selecting, "audit", here)
    at = opened("data", data="penguins")
    assert not at.exception, at.exception[0].stack_trace
    assert "Worth a look" in shown(at)
    table = load("penguins")
    assert selecting.audited(table, "species") == audit(table, "species") != ()


def test_what_takes_too_long_is_a_sentence_and_the_page_stands(opened, monkeypatch):
    def ended(*_: object) -> None:
        raise DataError("The findings take longer than allowed.")

    monkeypatch.setattr(selecting, "_carried_out", ended)
    at = opened("data", data="penguins")
    assert not at.exception, at.exception[0].stack_trace
    assert "The findings take longer than allowed." in shown(at)
    assert at.tabs
