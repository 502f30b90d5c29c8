"""Clicks on marks that stand for no row of the table."""

from __future__ import annotations

from figures.drawing.marks import mark_of, whole_of
from mlcore.runs.run import Run
from tests.pages.conftest import address, shown

PAIRS = {"data": "animal_tracks", "method": "hmm", "method__n_init": "1", "preparation": ""}


def test_a_strip_opens_its_sequence_and_a_number_of_states_is_taken_over(opened):
    at = opened("sequences", **PAIRS)
    assert "click one to open it" in shown(at) and "click a number to take it over" in shown(at)
    dataset = Run(data="animal_tracks").data.dataset()
    at.session_state["selection.rows"] = (3, mark_of(dataset, "sequence", 4))
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.opened_sequence.sequence"] == "5"
    assert at.session_state["selection.rows"] == (3,)  # a row that is selected stays so
    at.session_state["selection.rows"] = (mark_of(dataset, "states", 2),)
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["method.n_states"] == "2"
    at.button(key="press.state_numbers.n_states.3").click().run()  # what all criteria prefer
    assert not at.exception, at.exception[0].stack_trace
    assert address(at).get("method.n_states", "3") == "3"


def test_a_distance_is_taken_over_as_radius(opened):
    at = opened("clustering", data="moons", method="dbscan", method__eps="0.3")
    assert "click the curve to take the distance over" in shown(at)
    dataset = Run(data="moons").data.dataset()
    (k,) = whole_of([0.21537]).tolist()
    at.session_state["selection.rows"] = (mark_of(dataset, "radius", k),)
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["method.eps"] == "0.2154"


def test_a_unit_is_pinned(opened):
    at = opened("neural_networks", data="moons", method="mlp_classifier", method__max_epochs="2")
    assert "click a hidden unit to see it large" in shown(at)
    dataset = Run(data="moons").data.dataset()
    at.session_state["selection.rows"] = (mark_of(dataset, "unit", 3),)
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.pinned_unit.unit"] == "3"
    assert at.session_state["selection.answers"] == 1  # the browser is told to light it no more
    assert "layer 1, unit 3, fitted on" in shown(at)
