"""The tab of explanations: what stands there, what its controls do, and what waits."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest

from figures.drawing.marks import mark_of
from mlcore.runs.carry import carried_out
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.slices import SlicesQuestion
from mlcore.runs.presets import presets
from mlcore.runs.run import Run
from mlcore.spine import codec
from service import limits
from tests.pages.conftest import address, shown, unfold
from ui.method import by_group
from ui.method.page import MethodView


@pytest.fixture
def explained(opened):
    """`explained("classification", method="lda")`: the page with the tab open."""
    return partial(opened, view__tab="explain")


def button(at, label):
    return next(b for b in at.button if b.label == label)


def box(at, label):
    return next(b for b in (*at.selectbox, *at.slider) if b.label.startswith(label))


def test_importance_comes_first_and_its_best_variable_is_shown(explained):
    at = explained("classification", data="penguins", method="lda")
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "5 folds x 10 shuffles" in said
    assert "of bill_length_mm, " in said
    assert "Contributions to one prediction" in said
    assert "Nearest training rows" in said
    box(at, "Variable").set_value("island").run()
    box(at, "Crossed with").set_value("body_mass_g").run()
    assert not at.exception, at.exception[0].stack_trace
    assert "Effect of two variables" in shown(at)
    assert address(at)["view.explain.variable"] == "island"
    assert address(at)["view.explain.second"] == "body_mass_g"
    box(at, "Crossed with").set_value("").run()  # a value of its own, or the select says nothing
    assert "view.explain.second" not in address(at)
    assert box(at, "Crossed with").value == ""


def test_another_value_is_predicted_and_can_be_undone(explained):
    at = explained("classification", data="penguins", method="lda")
    box(at, "body_mass_g").set_value(5000).run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.explain.changes"] == "body_mass_g:5000.0"
    assert box(at, "body_mass_g").label.startswith("body_mass_g (was 3750")
    box(at, "island").set_value("Biscoe").run()
    button(at, "Undo changes").click().run()
    assert "view.explain.changes" not in address(at)
    assert box(at, "body_mass_g").value == 3750
    button(at, "Apply").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert "view.explain.changes" in address(at)
    button(at, "A mistake").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.explain.row"] != "1"
    assert "view.explain.changes" not in address(at)


def test_a_quantity_and_missing_values_are_explained_too(explained):
    at = explained("regression", data="cars", method="ridge")
    assert not at.exception, at.exception[0].stack_trace
    assert "Smallest change that moves the prediction by" in shown(at)


def test_a_link_with_a_row_that_is_not_there_is_a_sentence(explained):
    pairs = {"view__explain": "explained", "view__explain__row": "9999"}
    at = explained("classification", data="penguins", method="lda", **pairs)
    assert not at.exception, at.exception[0].stack_trace
    assert any("Row 9999 of the table is not used" in error.value for error in at.error)


def test_what_takes_long_says_its_cost_first(explained, monkeypatch):
    at = explained("classification", data="penguins", method="knn")
    monkeypatch.setattr(limits.Limits, "waits", lambda self, seconds: True)
    at.session_state["jobs"] = {}
    slider = next(s for s in at.select_slider if s.label == "Shuffles per fold")
    slider.set_value(50).run()
    assert not at.exception, at.exception[0].stack_trace
    assert "**Not started yet.** It will take " in shown(at) and "(5 models, " in shown(at)
    assert "explain.importance.now" in [b.key for b in at.button]


def test_the_contributions_to_many_predictions_stand_on_the_scale_that_is_chosen(explained):
    pair = {"view__explain": "explained", "view__explain__part": "contributions"}
    at = explained("classification", data="penguins", data__target="sex", method="logistic", **pair)
    assert not at.exception, at.exception[0].stack_trace
    assert "200 of 333 rows left out" in shown(at)
    assert "Contribution by value" in shown(at)
    scale = next(b for b in at.segmented_control if b.label == "Contributions to")
    scale.set_value("outputs").run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.explain.scale"] == "outputs"
    next(s for s in at.select_slider if s.label == "Rows asked").set_value(50).run()
    assert address(at)["view.explain.shared"] == "50"
    assert "50 of 333 rows left out" in shown(at)


def test_a_method_that_adds_up_to_what_it_predicts_has_one_scale(explained):
    pair = {"view__explain": "explained", "view__explain__part": "contributions"}
    at = explained("regression", data="cars", method="ridge", **pair)
    assert not at.exception, at.exception[0].stack_trace
    assert "Contributions to" not in [b.label for b in at.segmented_control]


def test_a_point_that_was_selected_leads_to_its_row(explained):
    pair = {"view__explain": "explained", "view__explain__part": "contributions"}
    at = explained("classification", data="penguins", method="lda", **pair)
    at.session_state["selection.rows"] = (16,)
    at.run()
    button(at, "Explain row 17").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.explain.row"] == "17"
    assert "Contributions to one prediction" in shown(at)


def test_a_click_on_an_importance_opens_the_effect_of_its_variable(explained):
    at = explained("classification", data="penguins", method="lda")
    dataset = Run(data="penguins").data.dataset()
    names = [column.name for column in dataset.columns]
    at.session_state["selection.rows"] = (3, mark_of(dataset, "variable", names.index("island")))
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.explain.variable"] == "island"
    assert "of island, " in shown(at)
    assert at.session_state["selection.rows"] == (3,)  # a row that is selected stays so


def test_an_example_may_open_what_explains_it(opened):
    at = opened("classification", data="iris", method="gradient_boosting")
    at = unfold(at, "examples")
    button(at, "Works: explained, row by row").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.tab"] == "explain"
    assert address(at)["view.explain.part"] == "contributions"
    assert "200 of 333 rows left out" in shown(at)


@pytest.mark.parametrize("family", ["classification", "regression"])
def test_what_examples_look_at_can_be_looked_at(family):
    for preset in presets(family):
        reading = codec.Reading(preset.view_pairs(), 1)
        reading.component(MethodView, "view.")
        assert [*reading.problems, *reading.unread(of_view=True)] == [], preset.name


def test_a_page_that_predicts_nothing_has_no_such_tab(opened):
    at = opened("clustering", data="iris", method="kmeans", view__tab="explain")
    assert not at.exception
    assert "Explain" not in [tab.label for tab in at.tabs]


def test_a_date_is_moved_as_a_date_and_no_link_goes_beyond_the_calendar(explained):
    at = explained("regression", data="co2", method="ridge")
    moved = next(b for b in at.slider if b.label.startswith("date"))
    assert isinstance(moved.value, datetime)
    later = moved.value + timedelta(days=30)
    moved.set_value(later).run()
    assert not at.exception, at.exception[0].stack_trace
    days = (later - datetime(1970, 1, 1)).days
    assert address(at)["view.explain.changes"] == f"date:{float(days)}"
    for far in ("1e300", "-1e12", "9e15"):
        pair = {"view__explain": "explained", "view__explain__changes": f"date:{far}"}
        at = explained("regression", data="co2", method="ridge", **pair)
        assert not at.exception, at.exception[0].stack_trace


@pytest.mark.parametrize("far", ["1e300", "-1e300", "1e16"])
def test_a_link_may_ask_for_any_number(explained, far):
    pair = {"view__explain": "explained", "view__explain__changes": f"body_mass_g:{far}"}
    at = explained("classification", data="penguins", method="lda", **pair)
    assert not at.exception, at.exception[0].stack_trace


def control(at, kind, label):
    return next(b for b in getattr(at, kind) if b.label == label)


def test_groups_are_scored_without_another_fit_and_travel_in_the_address(explained, monkeypatch):
    pair = {"view__explain": "explained", "view__explain__part": "groups"}
    monkeypatch.setattr("mlcore.runs.carry_explanation.asked_model", None)  # nobody is asked
    at = explained("classification", data="penguins", method="lda", **pair)
    assert not at.exception, at.exception[0].stack_trace
    assert "Scores by group" in shown(at)
    assert "344 rows left out" in shown(at)
    control(at, "multiselect", "Columns").set_value(["sex", "year"]).run()
    control(at, "toggle", "Pairs of columns").set_value(False).run()
    control(at, "number_input", "Smallest group").set_value(5).run()
    control(at, "selectbox", "Measure").set_value("log_loss").run()
    control(at, "selectbox", "Protected column").set_value("sex").run()
    control(at, "selectbox", "Selected class").set_value("Adelie").run()
    assert not at.exception, at.exception[0].stack_trace
    said, link = shown(at), address(at)
    assert link["view.explain.by"] == "sex~year"
    assert link["view.explain.crossed"] == "no"
    assert link["view.explain.smallest"] == "5"
    assert link["view.explain.measure"] == "log_loss"
    assert link["view.explain.protected"] == "sex"
    assert "log loss, 344 rows left out" in said
    assert "selected is Adelie" in said


def test_the_part_that_is_explained_is_chosen_above(explained):
    at = explained("classification", data="iris", method="lda")
    control(at, "button_group", "What is explained").set_value("groups").run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["view.explain.part"] == "groups"
    assert "Scores by group" in shown(at)
    assert "Permutation importance" not in shown(at)


def test_errors_of_a_quantity_are_scored_by_group(explained):
    pair = {"view__explain": "explained", "view__explain__part": "groups"}
    pair["view__explain__protected"] = "origin"
    at = explained("regression", data="cars", method="ridge", **pair)
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "RMSE, 398 rows left out" in said
    assert "by origin, rows left out" in said


def test_groups_of_other_folds_are_another_answer():
    """Folds end in any order, and an answer is kept for whoever asks for it by its name."""
    run = Run(data="iris", method="lda")
    outcome, dataset = carried_out(run), run.data.dataset()
    asked = Explanation.of(run, SlicesQuestion())

    def name(*folds: int) -> str:
        part = replace(outcome, folds=tuple(outcome.folds[k] for k in folds))
        return by_group._order(asked, part, dataset).name

    assert len({name(0, 1), name(0, 2), name(1, 2), name(0)}) == 4
    assert name(1, 0) == name(0, 1)
    assert name(0, 1, 2, 3, 4) == f"{asked.digest()} run"


@pytest.mark.parametrize(
    ("name", "value"), [("by", "beak"), ("protected", "beak"), ("measure", "rmse"),
                        ("positive", "Emperor"), ("smallest", "5000")]
)  # fmt: skip
def test_a_link_may_ask_for_groups_that_there_are_not(explained, name, value):
    pair = {"view__explain": "explained", "view__explain__part": "groups"}
    pair |= {"view__explain__protected": "sex", f"view__explain__{name}": value}
    at = explained("classification", data="penguins", method="lda", **pair)
    assert not at.exception, at.exception[0].stack_trace
