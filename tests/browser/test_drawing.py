"""The drawing pad: pointer, keyboard, undo, and the link that carries the points."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from mlcore.data.drawn import unpacked
from tests.browser import dashboard
from tests.browser.conftest import eventually

pytestmark = pytest.mark.browser


@pytest.fixture
def pad(serve, warm_page) -> Page:
    """The Data page with an empty pad."""
    page = dashboard.visited(warm_page, f"{serve('app.py')}/data?data=drawn&v=1")
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("Click or drag to set points").wait_for()
    return dashboard.settled(page)  # the answer to what was pressed would empty it once more


def drawn(page: Page) -> list[int]:
    """How many points of each class the address carries; a backslash stands for nothing."""
    dashboard.settled(page)
    _, _, klass = unpacked(dashboard.address(page).get("data.source.points", "").strip("\\"))
    return [int((klass == k).sum()) for k in range(2)]


def stroke(page: Page, height: float) -> None:
    """Drag over half the pad."""
    box = page.locator(".mlscope-pad > svg").bounding_box()
    at = [(box["x"] + box["width"] * (0.2 + i / 40), box["y"] + box["height"] * height)
          for i in range(24)]  # fmt: skip
    page.mouse.move(*at[0])
    page.mouse.down()
    for place in at:
        page.mouse.move(*place)
    page.mouse.up()


def test_two_drawn_classes_are_fitted_and_opened_elsewhere(pad):
    stroke(pad, 0.3)
    pad.get_by_role("button", name="Class B").click()
    stroke(pad, 0.7)
    counts = eventually(lambda: drawn(pad), lambda found: min(found) >= 4)
    dashboard.go_to(pad, "Classification")
    dashboard.no_fault(pad)
    assert dashboard.strip(pad)[1] == f"{sum(counts)} rows"
    said = dashboard.score(pad)
    assert dashboard.score(dashboard.visited(pad, pad.url)) == said


def test_the_keyboard_draws_erases_and_takes_back(pad):
    square = pad.get_by_role("application", name="Drawing pad")
    square.focus()
    place = square.evaluate_handle("square => square.closest('.mlscope-pad').parentElement")
    for key in ("Enter", "2", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        pad.keyboard.press(key)
    eventually(lambda: drawn(pad), [1, 1].__eq__)
    pad.keyboard.press("Delete")
    eventually(lambda: drawn(pad), [1, 0].__eq__)
    pad.keyboard.press("Control+z")
    eventually(lambda: drawn(pad), [1, 1].__eq__)
    # Keys between two places go nowhere, and Undo of the page would have made another one.
    assert place.evaluate("place => place.isConnected")
    pad.keyboard.press("Control+Shift+z")  # Redo, of which there is none
    pad.wait_for_timeout(600)  # longer than the pad waits before it tells
    assert drawn(pad) == [1, 1]


def test_where_the_pad_has_nothing_to_take_back_the_keys_are_those_of_the_page(pad):
    square = pad.get_by_role("application", name="Drawing pad")
    square.focus()
    pad.keyboard.press("Enter")
    eventually(lambda: drawn(pad), [1, 0].__eq__)
    pad.locator(".st-key-strip-Undo button").locator("visible=true").click()
    eventually(lambda: drawn(pad), [0, 0].__eq__)  # points that the pad did not draw: it forgets
    square.focus()
    pad.keyboard.press("Control+Shift+z")
    eventually(lambda: drawn(pad), [1, 0].__eq__)
    pad.keyboard.press("Control+z")
    eventually(lambda: drawn(pad), [0, 0].__eq__)
