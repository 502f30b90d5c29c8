"""A run on a table of one's own: shared, opened in a clean browser, deleted."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually
from tests.browser.looks import DARK, accessible, has_background
from tests.browser.test_upload import GERMAN, bring

pytestmark = pytest.mark.browser


@pytest.fixture
def classified(warm_page: Page, serve: Callable[[str], str]) -> Page:
    """The Classification page with the German table."""
    page = dashboard.visited(warm_page, f"{serve('app.py')}/data")
    bring(page, GERMAN)
    page.locator(".st-key-read-as").wait_for()
    dashboard.settled(page)
    dashboard.go_to(page, "Classification")
    page.locator(".score").wait_for()
    return dashboard.settled(page)


def shared(page: Page) -> tuple[str, str]:
    """Press Share and the button that stores; the link and the delete link."""
    page.get_by_role("button", name="Share").click()
    dashboard.settled(page)
    page.get_by_role("button", name="Store and make a link").click()
    code = page.get_by_test_id("stPopoverBody").locator("code")
    expect(code).to_have_count(2)
    opens, deletes = code.all_inner_texts()
    for place, link in enumerate((opens, deletes)):
        copied(page, place, link)
    return opens, deletes


# What a page copies, noted instead of being laid onto the clipboard of the machine.
NOTE_COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; }"


def copied(page: Page, place: int, link: str) -> None:
    """The button of this link copies it, and no other."""
    page.evaluate(NOTE_COPIES)
    box = page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").nth(place)
    box.hover()  # it shows then
    box.get_by_role("button").click()
    eventually(lambda: page.evaluate("window.copied"), lambda text: text == link)


def test_a_table_is_stored_with_consent_repeated_elsewhere_and_deleted(classified, new_page):
    page = classified
    score = dashboard.score(page)
    page.get_by_role("button", name="Share").click()
    told = page.get_by_test_id("stPopoverBody")
    expect(told).to_contain_text("pruefung.csv")
    expect(told).to_contain_text("It is kept for 30 days.")
    expect(told.locator("code")).to_have_count(0)  # nothing is stored yet
    page.emulate_media(color_scheme="dark")  # where the button is light, and what it says dark
    has_background(page, DARK)
    accessible(page)
    page.emulate_media(color_scheme="light")
    page.keyboard.press("Escape")
    opens, deletes = shared(page)

    other = dashboard.opened(new_page(), opens)
    expect(other.locator(".verdict[data-kind]")).to_contain_text("Identical")
    assert dashboard.score(other) == score
    other.get_by_text("n = 90").wait_for()
    # Its step would go into the address, which is that of the shared run.
    expect(page.get_by_role("button", name="Play step by step")).not_to_have_count(0)
    expect(other.get_by_role("button", name="Play step by step")).to_have_count(0)
    dashboard.no_fault(other)
    other.get_by_text("Open on the page").click()
    other.wait_for_url("**/classification*")
    dashboard.settled(other)
    assert dashboard.score(other) == score
    eventually(lambda: dashboard.strip(other)[0], "pruefung.csv".__eq__)

    third = dashboard.opened(new_page(), deletes)
    third.get_by_text("This cannot be taken back.").wait_for()
    third.get_by_role("button", name="Delete it").click()
    third.get_by_text("Deleted.").wait_for()
    dashboard.no_fault(third)
    for link in (opens, deletes):
        gone = dashboard.opened(third, link)
        expect(gone.get_by_test_id("stAlert")).to_contain_text("No run is shared under this link")
        dashboard.no_fault(gone)


def test_a_comparison_is_shared_with_its_verdict(warm_page, serve, new_page):
    page = dashboard.visited(warm_page, f"{serve('app.py')}/data")
    bring(page, GERMAN)
    page.locator(".st-key-read-as").wait_for()
    dashboard.settled(page)
    page.get_by_role("button", name="Judge").click()
    page.get_by_test_id("stTopNavPopover").get_by_text("Compare", exact=True).click()
    page.wait_for_url("**/compare*")
    found, lines = compared(page)
    for method in ("Linear discriminant analysis", "k-nearest neighbours", "Decision tree"):
        assert any(method in line for line in lines)
    opens, _ = shared(page)

    other = new_page()
    other.goto(opens)
    expect(other.locator(".verdict[data-kind]")).to_contain_text("Identical")
    assert compared(other) == (found, lines)
    other.get_by_text("Open on the page").click()
    other.wait_for_url("**/compare*")
    assert compared(other) == (found, lines)
    dashboard.no_fault(other)


def compared(page: Page) -> tuple[str, list[str]]:
    """The sentences of a complete comparison, and its lines without the times."""
    verdict = page.locator(".verdict:not([data-kind])")
    expect(verdict).not_to_have_count(0)
    dashboard.settled(page)  # while it is redrawn, the former one may be there too
    expect(verdict).to_contain_text("Corrected resampled t-test, 5 folds")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    lines = page.locator(".st-key-scores tbody tr")
    cells = "rows => rows.map(r => [...r.children].slice(0, 2).map(c => c.innerText).join(' '))"
    return verdict.inner_text(), lines.evaluate_all(cells)


@pytest.mark.parametrize("query", ["?id=%27%3B--", "?delete=%00"])
def test_spoiled_links_are_a_sentence(warm_page, serve, query):
    page = dashboard.visited(warm_page, f"{serve('app.py')}/shared{query}")
    expect(page.get_by_test_id("stAlert")).to_contain_text("No run is shared under this link")
    dashboard.no_fault(page)


def test_a_link_that_carries_everything_stores_nothing(warm_page, serve):
    address = f"{serve('app.py')}/classification?data=iris&method=lda&v=1"
    page = dashboard.visited(warm_page, address)
    score = dashboard.score(page)
    page.get_by_role("button", name="Share").click()
    link = page.get_by_test_id("stPopoverBody").locator("code").inner_text()
    copied(page, 0, link)
    expect(page.get_by_role("button", name="Store and make a link")).to_have_count(0)
    assert re.search(r"/classification\?.*data=iris", link)
    assert dashboard.score(dashboard.visited(page, link)) == score
