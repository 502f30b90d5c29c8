"""The Labs tab of every page: each lab opens by its link, moves, and goes away with its tab."""

from __future__ import annotations

from html import unescape

import pytest

from mlcore.guides import guides, of_page
from mlcore.spine.registry import entries
from tests.pages.conftest import address, shown
from tests.pages.test_search import rows

LABS = [(page, name) for name, cls in entries("lab").items() for page in cls.card.pages]
DATA = {"classification": "iris", "regression": "diabetes", "kernels": "moons"}


def opened_lab(opened, page: str, **pairs: str):
    """A page whose address names a lab."""
    if page != "sequential_decision_making":
        pairs = {"data": DATA.get(page, "iris")} | pairs
    at = opened(page, **pairs)
    assert not at.exception, at.exception[0].stack_trace
    assert not at.error, [error.value for error in at.error]
    return at


@pytest.mark.slow
@pytest.mark.parametrize(("page", "name"), LABS)
def test_a_link_opens_the_lab(opened, page, name):
    at = opened_lab(opened, page, view__lab=name)
    assert not at.warning, [warning.value for warning in at.warning]
    cls = entries("lab")[name]
    said = shown(at)
    assert (cls.__doc__ or "").split("\n")[0] in said
    assert all(task in said for task in cls.tasks)
    assert address(at)["view.lab"] == name


@pytest.mark.parametrize("page", sorted({page for page, _ in LABS}))
def test_without_a_lab_in_the_address_none_is_computed(opened, page):
    at = opened_lab(opened, page)
    assert "Labs" in [tab.label for tab in at.tabs]
    assert "What you should see" not in [box.label for box in at.expander]
    assert "view.lab" not in address(at)


def test_settings_travel_in_the_address_and_back(opened):
    at = opened_lab(opened, "preprocessing", view__lab="leak_switch", view__lab__n_columns="200")
    assert address(at)["view.lab.n_columns"] == "200"
    box = next(item for item in at.number_input if item.label == "Rows")
    box.set_value(40).run()
    assert not at.exception
    assert address(at)["view.lab.n_rows"] == "40"
    assert address(at)["view.lab.n_columns"] == "200"


@pytest.mark.parametrize(
    ("page", "name", "mark", "pair"),
    [
        ("kernels", "gp_lab", 55, ("view.lab.at", "25~40~70~55")),
        ("sequential_decision_making", "banking", 0, ("view.lab.p", "0.02")),
    ],
)
def test_a_lab_answers_to_a_click_although_the_page_has_marks_of_its_own(
    opened, page, name, mark, pair
):
    at = opened_lab(opened, page, view__lab=name)
    at.session_state["selection.table"] = f"lab {name}"  # as the picture says that was clicked
    at.session_state["selection.rows"] = (mark,)
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)[pair[0]] == pair[1]


def test_the_lab_leaves_the_address_with_its_tab_and_comes_back_as_it_was(opened):
    at = opened_lab(opened, "preprocessing", view__lab="leak_switch", view__lab__n_columns="200")
    at.session_state["tabs"] = "Before and after"
    at.query_params.clear()
    at.run()
    assert "view.lab" not in address(at)
    at.session_state["tabs"] = "Labs"
    at.query_params.clear()
    at.run()
    assert address(at)["view.lab.n_columns"] == "200"


def test_a_setting_that_no_lab_has_is_a_sentence(opened):
    at = opened_lab(opened, "preprocessing", view__lab="leak_switch", view__lab__rows="7")
    assert "'view.lab.rows' belongs to nothing that was chosen" in shown(at)


@pytest.mark.parametrize("page", ["clustering", "classification", "sequential_decision_making"])
def test_how_it_works_has_the_guides(opened, page):
    at = opened_lab(opened, page, view__tab="how")
    boxes = [box.label for box in at.expander]
    everywhere = [guide.title for guide in of_page(page) if not guide.methods]
    assert [title for title in everywhere if title not in boxes] == []


@pytest.mark.parametrize("method", ["random_forest", "logistic"])
def test_a_guide_of_some_methods_stands_beside_these_alone(opened, method):
    (guide,) = (g for g in of_page("classification") if g.name == "averaging_trees")
    at = opened_lab(opened, "classification", method=method, view__tab="how")
    is_there = guide.title in [box.label for box in at.expander]
    assert is_there == (method in guide.methods)


@pytest.mark.parametrize("page", ["data", "preprocessing"])
def test_pages_without_methods_have_a_tab_of_guides(opened, page):
    at = opened_lab(opened, page)
    at.session_state["tabs"] = "Guides"
    at.query_params.clear()
    at.run()
    boxes = [box.label for box in at.expander]
    assert {guide.title for guide in of_page(page)} <= set(boxes)


@pytest.mark.parametrize("kind", ["Labs", "Others"])
def test_the_index_lists_them(opened, kind):
    at = opened("methods", kind=kind, by="A to Z")
    assert not at.exception
    titles = [guide.title for guide in guides()]
    titles = titles if kind == "Others" else [cls.title() for cls in entries("lab").values()]
    said = unescape(rows(at))
    assert [title for title in titles if title not in said] == []


def test_a_click_on_a_bar_is_a_move_and_rows_of_the_table_are_none(opened):
    at = opened_lab(opened, "preprocessing", view__lab="search_by_hand", view__lab__score="cfs")
    at.session_state["selection.rows"] = (2,)
    at.run()
    assert address(at)["view.lab.moves"] == "x3"
    at.session_state["selection.table"] = "of rows"
    at.session_state["selection.rows"] = (1,)
    at.run()
    assert address(at)["view.lab.moves"] == "x3"
    assert not at.exception
