"""The index of methods in a real browser: Back undoes a choice and comes back to the list."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually

pytestmark = pytest.mark.browser


CUT = """() => [...document.querySelectorAll(".mlscope-index *")]
  .filter(e => getComputedStyle(e).textOverflow === "ellipsis" && e.scrollWidth > e.clientWidth)
  .map(e => e.innerText)"""
# Before the page has begun to work on the click: its list is the one of before, and empty.
PRESSES_AT_ONCE = """chip => {
  chip.click();
  const search = document.querySelector(".st-key-search input");
  search.focus();
  search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}"""


def says(page: Page, pairs: dict[str, str]) -> None:
    """The address comes to say this: what is typed is sent once it has come to rest."""
    eventually(lambda: dashboard.address(page), lambda found: found == pairs)


def test_back_undoes_a_choice_and_comes_back_from_a_method(
    warm_page: Page, serve: Callable[[str], str]
) -> None:
    page = dashboard.visited(warm_page, f"{serve('app.py')}/methods")
    page.set_viewport_size({"width": 1024, "height": 900})
    assert page.evaluate(CUT) == []
    groups = page.get_by_role("checkbox", name=re.compile("Find groups"))
    search = page.get_by_role("searchbox", name="Search")
    first = page.locator(".mlscope-index a.entry").first
    page.get_by_text("Find groups").first.click()
    dashboard.settled(page)
    page.get_by_test_id("stSidebar").get_by_text("Clusters").first.click()
    dashboard.settled(page)
    says(page, {"task.groups": "true", "gives.clusters": "true"})
    page.go_back()
    expect(page.get_by_role("checkbox", name=re.compile("^Clusters"))).not_to_be_checked()
    expect(groups).to_be_checked()
    dashboard.settled(page)

    search.fill("k-means")
    dashboard.settled(page)
    says(page, {"task.groups": "true", "search": "k-means"})
    first.click()
    expect(page.locator("h1").first).to_contain_text("Clustering")
    dashboard.settled(page)
    assert dashboard.address(page)["method"] == "kmeans"
    page.go_back()
    expect(search).to_have_value("k-means")
    dashboard.settled(page)
    page.go_back()
    expect(search).to_have_value("")
    expect(groups).to_be_checked()
    dashboard.settled(page)

    search.fill("ridge")  # no way to find groups
    dashboard.settled(page)
    page.get_by_role("button", name="Find groups ×").evaluate(PRESSES_AT_ONCE)
    expect(page.locator("h1").first).to_contain_text("Regression")
    dashboard.settled(page)
    dashboard.no_fault(page)
