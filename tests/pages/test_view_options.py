"""Options of pictures: in the address, beside the picture, in comparisons and in reports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from figures.options import Look
from figures.view import views
from mlcore.runs.carry import carried_out
from service import report
from tests.pages.conftest import address, shown, unfold

PENGUINS = {"data": "penguins", "method": "lda"}


def curves(at: AppTest) -> list[str]:
    """The names of the lines of the ROC curves that are drawn, in order of the cards."""
    found = []
    for item in at.get("bidi_component"):
        drawn: Any = json.loads(item.proto.mixed.json or item.proto.json or "{}")
        found.append(str(drawn))
    return found


def test_a_link_says_of_which_class_the_curve_is(opened):
    at = opened("classification", **PENGUINS, view__roc__positive="Gentoo")
    assert not at.exception
    view = at.session_state["mlscope"].states["classification"].view
    assert [(name, it.positive) for name, it in view.options] == [("roc", "Gentoo")]
    assert address(at)["view.roc.positive"] == "Gentoo"


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        ({"view__roc__positive": "Dodo"}, "view.roc.positive must be one of Adelie, Chinstrap"),
        ({"view__roc__negative": "Gentoo"}, "'view.roc.negative' belongs to nothing"),
        ({"view__nosuch__positive": "Gentoo"}, "'view.nosuch.positive' belongs to nothing"),
        ({"view__decision_regions__fold": "0"}, "view.decision_regions.fold must be at least 1"),
        ({"view__decision_regions__fold": "77"}, "it is 77. The default is used."),
        ({"view__embedding_scatter__second": "two"}, "second cannot be read from 'two'"),
    ],
)
def test_what_cannot_be_had_is_a_sentence_and_the_picture_is_there(opened, pair, says):
    at = opened("classification", **PENGUINS, **pair)
    assert not at.exception
    assert says in shown(at)
    assert "could not be drawn" not in shown(at)


def test_the_control_beside_the_picture_moves_the_address_and_back_undoes_it(opened):
    at = unfold(opened("classification", **PENGUINS), "view.roc")
    (box,) = [box for box in at.main.selectbox if box.label == "Class of interest"]
    assert box.options == ["Each against the rest", "Adelie", "Chinstrap", "Gentoo"]
    box.select("Chinstrap").run()
    assert not at.exception
    assert address(at)["view.roc.positive"] == "Chinstrap"
    (box,) = [box for box in at.main.selectbox if box.label == "Class of interest"]
    box.select(None).run()
    assert "view.roc.positive" not in address(at)


def test_an_option_stays_when_the_method_is_set_differently(opened):
    at = opened("classification", **PENGUINS, view__roc__positive="Gentoo")
    at.sidebar.selectbox(key=next(b.key for b in at.sidebar.selectbox if b.label == "Method"))
    at.session_state["mlscope"].asked = None
    at.query_params["method"] = "qda"
    at.run()
    assert address(at)["view.roc.positive"] == "Gentoo"


def test_a_comparison_has_one_control_for_all_methods(opened):
    at = opened("compare", data="penguins", view__picture="roc", view__roc__positive="Gentoo")
    at = unfold(at, "view.roc")
    assert not at.exception
    (box,) = [box for box in at.main.selectbox if box.label == "Class of interest"]
    assert box.value == "Gentoo"
    box.select("Adelie").run()
    assert address(at)["view.roc.positive"] == "Adelie"


def test_a_report_is_looked_at_as_the_page(opened):
    at = opened("classification", **PENGUINS)
    run = at.session_state["mlscope"].states["classification"].run
    out, data = carried_out(run), run.data.dataset({})
    options = views()["roc"].options
    assert options
    whole = report.of_run(out, data)
    one = report.of_run(out, data, look=Look(options={"roc": options(positive="Gentoo")}))
    lost = report.of_run(out, data, look=Look(options={"roc": options(positive="Dodo")}))
    assert "Each class against the rest" in whole
    assert "Each class against the rest" not in one
    assert "Each class against the rest" in lost
    assert "view.roc.positive must be one of" in lost
