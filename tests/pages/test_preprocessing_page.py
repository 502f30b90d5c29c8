"""The Preprocessing page: all steps together, one at a time, and what is said of their order."""

from __future__ import annotations

from tests.pages.conftest import address, shown


def test_one_step_is_looked_at_and_travels_in_the_link(opened):
    at = opened("preprocessing", data="penguins")
    assert "6 columns in, 8 out." in shown(at)
    control = next(c for c in at.segmented_control if c.label == "Step to look at")
    control.set_value(1).run()
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "6 columns in, 6 out." in said
    assert "What it fills in" in said
    assert "Learned values" in said
    assert address(at)["view.stage"] == "1"
    linked = opened("preprocessing", data="penguins", view__stage="2")
    assert "6 columns in, 8 out." in shown(linked)
    assert "Out of this step come island=Biscoe" in shown(linked)


def test_a_step_is_shown_with_the_pictures_of_what_it_does(opened):
    steps = "impute~one_hot~standardise~whitening~outlier_remover~balancer"
    cases = [("penguins", "impute~balancer~one_hot", "3", "Levels as numbers")]
    cases += [("penguins", steps, "4", "Whitening in three pictures")]
    cases += [("penguins", steps, "5", "Remote rows")]
    cases += [("penguins", steps, "6", "Classes")]
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
    assert "Standardisation stands behind balancing of classes" in shown(at)
