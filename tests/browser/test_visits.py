"""Somebody new on a page whose scripts run already is as new as on one that was loaded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import dashboard

pytestmark = pytest.mark.browser


def runs_of_the_session(page: Page) -> int:
    """How many are listed: a session that goes on has those of the visitor before."""
    page.locator(".st-key-data-strip").get_by_role("button", name="Runs").click()
    runs = page.get_by_test_id("stPopoverBody").filter(has_text="Runs of this session")
    runs.get_by_role("radio").first.wait_for(state="attached")
    dashboard.settled(page)
    n = runs.get_by_role("radio").count()
    page.keyboard.press("Escape")
    expect(runs).to_have_count(0)
    return n


def test_whoever_comes_to_a_warm_page_finds_nothing_of_the_one_before(
    warm_page: Page, serve: Callable[[str], str]
) -> None:
    page = warm_page
    address = f"{serve('app.py')}/regression?data=curve&method=ridge&v=1"
    whole = {"strip": [], "address": {}, "runs": 0}
    for visitor in range(2):
        dashboard.visited(page, address)
        seen = {
            "strip": dashboard.strip(page),
            "address": dashboard.address(page),
            "runs": runs_of_the_session(page),
        }
        whole = whole if visitor else seen
        assert seen == whole
        expect(page.get_by_role("button", name="Undo")).to_be_disabled()
        expect(page.locator("details[open]")).to_have_count(0)
        page.get_by_text("Cross-validation").click()
        track, box = dashboard.knob(page, "Folds")
        expect(box).to_have_value("5")
        track.press("ArrowRight")
        expect(page.get_by_role("button", name="Undo")).to_be_enabled()
        dashboard.settled(page)


def test_whoever_comes_to_a_warm_page_has_components_of_their_own(
    warm_page: Page, serve: Callable[[str], str]
) -> None:
    """A component outlasts that Streamlit takes it from the page, but not the visitor."""
    page = warm_page
    start = serve("app.py")
    for _ in range(2):
        dashboard.visited(page, f"{start}/clustering?data=iris&method=kmeans&v=1")
        picture = page.locator(".mlscope-picture").first
        expect(picture).not_to_have_attribute("data-former", "yes")
        picture.evaluate("root => { root.dataset.former = 'yes'; }")
        dashboard.visited(page, f"{start}/data?data=drawn&v=1")
        pen = page.get_by_role("button", name="Class A")
        expect(pen).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="Class B").click()
        expect(pen).to_have_attribute("aria-pressed", "false")
