"""Whole journeys: a drawn set to a support vector machine, and a search that is stopped."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually
from tests.browser.test_drawing import stroke

pytestmark = pytest.mark.browser
MOVES = True  # a player that is opened plays


@pytest.fixture
def show(warm_page: Page, serve: Callable[[str], str]) -> Callable[[str], Page]:
    """`show(path)`: the page at this address, complete."""
    return lambda path: dashboard.visited(warm_page, f"{serve('app.py')}/{path}")


def test_two_drawn_classes_a_street_between_them_and_a_link(show):
    page = show("data?data=drawn&v=1")
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("Click or drag to set points").wait_for()
    dashboard.settled(page)
    stroke(page, 0.35)
    page.get_by_role("button", name="Class B").click()
    stroke(page, 0.65)
    dashboard.settled(page)
    dashboard.go_to(page, "Kernels")
    page.get_by_text("Margin and support vectors").wait_for()
    moved(page, "Inverse regularisation strength")
    page.get_by_text("Inverse width").first.click()
    dashboard.settled(page)
    moved(page, "Inverse width")
    page.get_by_role("button", name="Play step by step").first.click()
    step = page.get_by_role("slider", name="Step").first
    step.wait_for()
    first = step.get_attribute("aria-valuenow")
    step.press("ArrowRight")  # one pair of rows on
    eventually(lambda: step.get_attribute("aria-valuenow"), first.__ne__)
    said = dashboard.score(page)
    assert dashboard.score(dashboard.visited(page, page.url)) == said
    dashboard.no_fault(page)


def moved(page: Page, label: str) -> None:
    """Press an arrow key on a track; the address follows."""
    track, box = dashboard.knob(page, label)
    before = box.input_value()
    track.press("ArrowRight")
    eventually(box.input_value, before.__ne__)
    dashboard.settled(page)


def test_a_nested_search_is_stopped_half_way_and_keeps_its_folds(show):
    page = show("classification?data=wine&method=logistic&evaluation.n_splits=10&v=1")
    page.get_by_role("tab", name="Tune").click()
    dashboard.settled(page)
    page.get_by_role("textbox", name="Values of alpha").fill(
        ",".join(str(k / 50) for k in range(1, 151))
    )
    page.keyboard.press("Tab")
    page.get_by_text("150 candidates").wait_for()
    page.get_by_role("button", name="Tune", exact=True).click()
    # A fold may pass between two looks at the page.
    later = re.compile(r"outer fold ([2-9]|10), candidate")
    page.get_by_text(later).wait_for(timeout=90_000)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("was stopped after").wait_for()
    expect(page.get_by_text("All rows choose")).to_contain_text("on test rows")
