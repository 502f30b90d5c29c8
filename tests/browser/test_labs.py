"""The Labs tab in Chromium: opening it, moving a control, Back, and the link elsewhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually

pytestmark = pytest.mark.browser


def linked(page: Page) -> dict[str, str]:
    """The pairs of the address, once the page is complete."""
    return dashboard.address(dashboard.settled(page))


def test_a_lab_is_opened_moved_taken_back_and_opened_elsewhere(serve, new_page):
    look = {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}}
    page = dashboard.opened(new_page(**look), f"{serve('app.py')}/clustering?data=iris&v=1")
    page.get_by_role("tab", name="Labs").click()
    eventually(lambda: linked(page).get("view.lab"), lambda name: name == "bad_start")
    said = page.get_by_text("the sum of squares is")
    expect(said).to_contain_text("the sum of squares is 101")
    box = page.get_by_role("spinbutton", name="Third").first
    box.fill("20")
    box.press("Enter")
    expect(said).not_to_contain_text("the sum of squares is 101")
    eventually(lambda: linked(page).get("view.lab.third"), lambda v: v == "20.0")
    moved = said.inner_text()
    other = dashboard.opened(new_page(**look), page.url)
    expect(other.get_by_text("the sum of squares is")).to_have_text(moved)
    dashboard.settled(page)
    page.go_back()
    expect(said).to_contain_text("the sum of squares is 101")
    dashboard.no_fault(page)
    dashboard.no_fault(other)


def test_a_click_on_a_picture_of_a_lab_reaches_the_lab(serve, warm_page):
    address = f"{serve('app.py')}/kernels?data=moons&v=1&view.lab=gp_lab"
    page = dashboard.visited(warm_page, address)
    plot = page.locator(".nsewdrag").nth(1)  # the first is the score's
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box
    place = {"x": box["width"] * 0.5, "y": box["height"] * 0.3}
    plot.hover(position=place)
    plot.click(position=place)
    eventually(lambda: linked(page).get("view.lab.at"), lambda at: at == "25~40~70~50")
    dashboard.no_fault(page)
