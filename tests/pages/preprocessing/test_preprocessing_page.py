"""The Preprocessing page: all steps together, one at a time, and what is said of their order."""

from __future__ import annotations

import streamlit as st

from mlcore.runs.run import Run
from tests.pages.conftest import address, shown
from ui import lists, state
from ui.method.page import MethodView


def test_one_step_is_looked_at_and_travels_in_the_link(opened):
    at = opened("preprocessing", data="penguins")
    assert "6 columns in, 8 out." in shown(at)
    control = next(c for c in at.segmented_control if c.label == "Step to look at")
    control.set_value(1).run()
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "6 columns in, 6 out." in said
    assert "What it fills in" in said
    assert "Learned parameters" in said
    assert address(at)["view.stage"] == "1"
    linked = opened("preprocessing", data="penguins", view__stage="2")
    assert "6 columns in, 8 out." in shown(linked)
    assert "Out of this step come island=Biscoe" in shown(linked)


def test_a_step_is_shown_with_the_pictures_of_what_it_does(opened):
    steps = "impute~one_hot~standardise~whitening~outlier_remover~balancer"
    cases = [("penguins", "impute~balancer~one_hot", "3", "Category encoding")]
    cases += [("penguins", steps, "4", "Whitening")]
    cases += [("penguins", steps, "5", "Outlier scores")]
    cases += [("penguins", steps, "6", "Class balance")]
    cases += [("engel", "whitening", "1", "two columns before whitening and two after it")]
    for data, steps, stage, said in cases:
        at = opened("preprocessing", data=data, preparation=steps, view__stage=stage)
        assert not at.exception, at.exception[0].stack_trace
        assert said in shown(at)


def test_a_step_that_is_no_more_shows_all(opened):
    at = opened("preprocessing", data="penguins", preparation="impute~one_hot", view__stage="3")
    assert not at.exception
    assert "The method gets" in shown(at)
    assert "view.stage" not in address(at)


def test_a_questionable_order_is_said(opened):
    at = opened("preprocessing", data="penguins", preparation="impute~one_hot~balancer~standardise")
    assert "Standardisation stands behind class balancing" in shown(at)


def test_a_button_of_a_step_keeps_what_was_set_just_before(opened):
    at = opened("preprocessing", data="penguins")
    next(box for box in at.selectbox if box.label == "Strategy").set_value("mean").run()
    next(button for button in at.button if button.key == "down.1").click().run()
    assert not at.exception
    steps = at.session_state["mlscope"].states["preprocessing"].run.preparation
    assert [step.card.name for step in steps] == ["impute", "standardise", "one_hot"]
    assert steps[0].strategy == "mean"


def test_a_press_on_a_list_that_has_changed_does_nothing(monkeypatch):
    run = Run()
    page = state.Session(here="data", states={"data": state.PageState(run, MethodView())})
    monkeypatch.setattr(st, "session_state", {"mlscope": page})
    for _ in range(2):  # a double click, both on the page as it was
        lists.press("preparation", run.preparation, lists.without(0))
    left = page.states["data"].run.preparation
    assert left == run.preparation[1:]
    for _ in range(2):
        lists.press("preparation", left, lists.moved(0, 1))
    assert page.states["data"].run.preparation == left[::-1]
    lists.press("preparation", left[::-1], lists.doubled(1))
    assert page.states["data"].run.preparation == (left[1], left[0], left[0])
    lists.press("preparation", left, lists.longer(left[0]))
    assert len(page.states["data"].run.preparation) == 3
