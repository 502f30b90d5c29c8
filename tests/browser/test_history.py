"""The runs of a session in a real browser: name, compare, open again, undo, redo, Back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
KNN = "classification?data=iris&method=knn&evaluation=k_fold&v=1"


@pytest.fixture
def page(warm_page: Page, serve: Callable[[str], str]) -> Page:
    """Nearest neighbours after runs with ten and with eleven neighbours."""
    page = dashboard.visited(warm_page, f"{serve('app.py')}/{KNN}")
    dashboard.knob(page, "Neighbours")[0].press("ArrowRight")
    has_neighbours(page, "11")
    return dashboard.settled(page)


def runs(page: Page) -> Locator:
    """The list, opened if it is closed."""
    shown = page.get_by_test_id("stPopoverBody").filter(has_text="Runs of this session")
    if not shown.is_visible():
        page.locator(".st-key-data-strip").get_by_role("button", name="Runs").click()
    shown.get_by_role("radio").first.wait_for(state="attached")
    dashboard.settled(page)
    return shown


def press(page: Page, name: str) -> None:
    runs(page).get_by_role("button", name=name, exact=True).click()
    dashboard.settled(page)


def has_neighbours(page: Page, k: str) -> None:
    """Box and address say this number of neighbours; ten is the default, which links leave out."""
    expect(dashboard.knob(page, "Neighbours")[1]).to_have_value(k)
    eventually(
        lambda: dashboard.address(page).get("method.n_neighbors", "10"), lambda said: said == k
    )


def test_runs_are_named_compared_opened_again_here_and_elsewhere_and_taken_back(page):
    first = dashboard.score(page)
    box = runs(page).get_by_role("textbox", name="Name")
    box.fill("Eleven <b>neighbours</b>")
    box.press("Enter")
    runs(page).get_by_text("Eleven <b>neighbours</b>", exact=True).wait_for()

    press(page, "Compare")
    dialog = page.get_by_role("dialog").filter(has_text="Two runs beside each other")
    dialog.get_by_text("Different: ").wait_for()
    row = dialog.get_by_role("row").filter(has_text="Method: neighbours")
    expect(row).to_contain_text("11")
    dialog.get_by_text("fold by fold").wait_for()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    dashboard.settled(page)

    runs(page).get_by_text("k-nearest neighbours", exact=True).click()
    dashboard.settled(page)
    press(page, "Open again")
    has_neighbours(page, "10")
    page.keyboard.press("Control+z")
    has_neighbours(page, "11")
    page.keyboard.press("Control+y")
    has_neighbours(page, "10")
    page.go_back()
    has_neighbours(page, "11")
    dashboard.settled(page)
    page.keyboard.press("Control+y")  # Back was an undo
    has_neighbours(page, "10")
    page.keyboard.press("Control+z")
    has_neighbours(page, "11")
    dashboard.settled(page)
    assert dashboard.score(page) == first
    runs(page).get_by_text("Eleven <b>neighbours</b>", exact=True).wait_for()
    expect(runs(page).get_by_role("radio")).to_have_count(2)
    dashboard.no_fault(page)
    page.keyboard.press("Escape")
    one_is_opened_from_another_page_and_back_returns(page)


def one_is_opened_from_another_page_and_back_returns(page: Page) -> None:
    dashboard.go_to(page, "Regression")
    runs(page).get_by_text("k-nearest neighbours", exact=True).click()
    dashboard.settled(page)
    press(page, "Open again")
    page.wait_for_url("**/classification?*")
    has_neighbours(page, "10")
    page.go_back()
    page.wait_for_url("**/regression?*")
    dashboard.settled(page)
    page.go_forward()
    page.wait_for_url("**/classification?*")
    has_neighbours(page, "10")
    dashboard.no_fault(page)


def test_ctrl_z_stays_with_a_text_the_keyboard_walks_the_list_a_name_needs_no_enter(page):
    ctrl_z_in_a_box_of_text_stays_with_the_text(page)
    page.keyboard.press("Escape")
    dashboard.knob(page, "Neighbours")[0].press("ArrowRight")
    has_neighbours(page, "12")
    dashboard.settled(page)
    radios = runs(page).get_by_role("radio")
    expect(radios).to_have_count(3)
    radios.first.focus()
    for k in (1, 2):
        page.keyboard.press("ArrowDown")
        expect(radios.nth(k)).to_be_checked()
        expect(radios.nth(k)).to_be_focused()
    dashboard.settled(page)
    runs(page).get_by_role("textbox", name="Name").fill("The first")
    press(page, "Open again")
    has_neighbours(page, "10")
    runs(page).get_by_text("The first", exact=True).wait_for()
    expect(radios.nth(2)).to_be_checked()


def ctrl_z_in_a_box_of_text_stays_with_the_text(page: Page) -> None:
    box = dashboard.knob(page, "Neighbours")[1]
    box.click()
    page.keyboard.type("7")
    page.keyboard.press("Control+z")
    expect(box).to_have_value("11")
    page.keyboard.press("Escape")
    dashboard.settled(page)
    has_neighbours(page, "11")
    name = runs(page).get_by_role("textbox", name="Name")
    name.fill("mine")
    name.press("Control+z")
    expect(name).to_have_value("")
    has_neighbours(page, "11")


def test_the_list_and_the_comparison_stay_within_the_screen(new_page, serve):
    page = new_page(viewport=PHONE, color_scheme="dark")
    dashboard.opened(page, f"{serve('app.py')}/{KNN}")
    ends = "e => { const { left, right } = e.getBoundingClientRect(); return [left, right]; }"
    shown = runs(page)
    eventually(lambda: shown.evaluate(ends), lambda at: at[0] >= 0 and at[1] <= PHONE["width"])
    press(page, "Duplicate")
    press(page, "Compare")
    dialog = page.get_by_role("dialog").filter(has_text="Two runs beside each other")
    dialog.get_by_text("Identical: ").wait_for()
    dashboard.no_fault(page)
