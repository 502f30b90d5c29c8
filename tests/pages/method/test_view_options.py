"""Options of pictures: in the address, beside the picture, in comparisons and in reports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from figures.numbers.curves import OfClass
from figures.options import Look
from figures.view import View
from mlcore.runs.carry import carried_out
from service import report
from tests.pages.conftest import address, shown, unfold
from ui.method import panels
from ui.method.sheets import Sheet, sheet_of

PENGUINS = {"data": "penguins", "method": "lda"}


@pytest.fixture
def drawn(monkeypatch) -> list[tuple[str, Sheet]]:
    """What is drawn on the page, by its name there, the newest last."""
    found: list[tuple[str, Sheet]] = []
    show = panels.show

    def noted(view: View | Sheet, name: str, *given: Any, **how: Any) -> Any:
        found.append((name, view if isinstance(view, Sheet) else sheet_of(view)))
        return show(view, name, *given, **how)

    monkeypatch.setattr(panels, "show", noted)
    return found


def box_of(at: AppTest) -> Any:
    """The control of the ROC curve."""
    (box,) = [box for box in at.main.selectbox if box.label == "Class of interest"]
    return box


def classes(drawn: list[tuple[str, Sheet]], n: int = 1) -> list[list[str]]:
    """The classes of the last `n` ROC curves that were drawn."""
    rocs = [json.loads(it.table) for name, it in drawn if name.partition(".")[0] == "roc"]
    return [list(dict.fromkeys(columns[0]["values"])) for columns in rocs[-n:]]


def test_a_link_says_of_which_class_the_curve_is(opened, drawn):
    at = opened("classification", **PENGUINS, view__roc__positive="Gentoo")
    assert not at.exception
    view = at.session_state["mlscope"].states["classification"].view
    assert [(name, it.positive) for name, it in view.options] == [("roc", "Gentoo")]
    assert address(at)["view.roc.positive"] == "Gentoo"
    assert classes(drawn) == [["Gentoo"]]


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        (
            {"view__roc__positive": "Dodo"},
            "The option 'Class of interest' must be one of Adelie, Chinstrap",
        ),
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


def test_the_control_beside_the_picture_moves_the_address_and_the_picture(opened, drawn):
    at = unfold(opened("classification", **PENGUINS), "view.roc")
    box = box_of(at)
    assert box.options == ["Each against the rest", "Adelie", "Chinstrap", "Gentoo"]
    box.select("Chinstrap").run()
    assert not at.exception
    assert address(at)["view.roc.positive"] == "Chinstrap"
    assert classes(drawn) == [["Chinstrap"]]
    box_of(at).select(None).run()
    assert "view.roc.positive" not in address(at)
    assert classes(drawn) == [["Adelie", "Chinstrap", "Gentoo"]]


def test_an_older_address_is_drawn_again(opened, drawn):
    at = unfold(opened("classification", **PENGUINS), "view.roc")
    box_of(at).select("Chinstrap").run()
    del at.query_params["view.roc.positive"]
    at.run()
    assert classes(drawn) == [["Adelie", "Chinstrap", "Gentoo"]]


def test_an_option_stays_when_another_method_is_taken(opened):
    at = opened("classification", **PENGUINS, view__roc__positive="Gentoo")
    next(box for box in at.sidebar.selectbox if box.label == "Method").select("decision_tree").run()
    assert address(at)["method"] == "decision_tree"
    assert address(at)["view.roc.positive"] == "Gentoo"


def test_a_comparison_has_one_control_for_all_methods(opened, drawn):
    at = opened("compare", data="penguins", view__picture="roc", view__roc__positive="Gentoo")
    at.session_state["tabs"] = "Pictures"
    at = unfold(at, "view.roc")
    assert not at.exception
    box = box_of(at)
    assert box.value == "Gentoo"
    box.select("Adelie").run()
    assert address(at)["view.roc.positive"] == "Adelie"
    assert classes(drawn, 2) == [["Adelie"], ["Adelie"]]


def test_a_report_is_looked_at_as_the_page(opened):
    at = opened("classification", **PENGUINS)
    run = at.session_state["mlscope"].states["classification"].run
    out, data = carried_out(run), run.data.dataset({})
    whole = report.of_run(out, data)
    one = report.of_run(out, data, look=Look(options={"roc": OfClass(positive="Gentoo")}))
    lost = report.of_run(out, data, look=Look(options={"roc": OfClass(positive="Dodo")}))
    assert "Each class against the rest" in whole
    assert "Each class against the rest" not in one
    assert "Each class against the rest" in lost
    assert "must be one of Adelie, Chinstrap, Gentoo; it is" in lost
