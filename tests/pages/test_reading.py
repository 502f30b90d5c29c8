"""Controls that are read before they are drawn say the same as when they are drawn."""

from __future__ import annotations

import pytest

from mlcore.spine.registry import entries
from service import limits
from tests.pages.conftest import unfold
from ui import state

PAGES = {
    "clustering": ("clustering", "iris"),
    "classification": ("classification", "iris"),
    "regression": ("regression", "diabetes"),
    "reduction": ("dimensionality_reduction", "iris"),
    "svm": ("kernels", "moons"),
    "neural": ("neural_networks", "moons"),
    "sequences": ("sequences", "animal_tracks"),
}
METHODS = [(slot, name) for slot in PAGES for name in entries(slot)]


@pytest.fixture(autouse=True)
def _no_second_look(monkeypatch):
    """A page runs again of itself only where a control did not keep what was read of it."""

    def refuse():
        raise AssertionError("what was read and what was drawn differ")

    monkeypatch.setattr(state, "rerun", refuse)


@pytest.fixture(autouse=True)
def _waiting(monkeypatch):
    """Controls are all that is looked at: no run begins that another test has not carried out."""
    monkeypatch.setattr(limits.Limits, "waits", lambda *_: True)


@pytest.mark.parametrize(("slot", "name"), METHODS)
def test_reading_agrees_with_drawing(opened, slot, name):
    page, data = PAGES[slot]
    at = opened(page, data=data, method=name)
    assert not at.exception, at.exception[0].message
    unfold(at, f"method.{name}.advanced", "left-out", "axes")
    assert not at.exception, at.exception[0].message
    for choice in at.sidebar.selectbox[1:2]:  # a part of the method, or the folds
        choice.select_index((choice.index + 1) % len(choice.options)).run()
    for box in at.sidebar.number_input[:1]:
        box.increment().run()
    assert not at.exception, at.exception[0].message
    run = at.session_state["mlscope"].states[page].run
    assert run.method.card.name == name
