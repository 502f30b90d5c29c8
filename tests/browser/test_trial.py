"""Sequential decision making in a real browser: drawing a map, playing it, a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually

pytestmark = pytest.mark.browser
MOVES = True  # a player that is opened plays

PATH = "sequential_decision_making?problem=grid_world&methods=td_control&budget=200&replicates=10"
CAR = (
    "sequential_decision_making?problem=mountain_car&methods=semi_gradient_control&budget=3"
    "&replicates=1"
)
# Where the cell in this row and column stands on the screen.
CELL = """(gd, [row, column]) => {
  const { xaxis, yaxis } = gd._fullLayout, at = gd.getBoundingClientRect();
  return [at.x + xaxis._offset + xaxis.d2p(column), at.y + yaxis._offset + yaxis.d2p(row)];
}"""
TEXTS = "gd => gd.data[2].text"  # over the land and the values lie the words


@pytest.fixture
def show(warm_page: Page, serve: Callable[[str], str]) -> Callable[[str], Page]:
    """`show(path)`: the page at this address, complete."""
    return lambda path: dashboard.visited(warm_page, f"{serve('app.py')}/{path}")


def drawn(page: Page) -> Locator:
    """The plot of the exact answer, by its title: pictures come onto a page in any order."""
    plot = dashboard.picture(page, "Optimal values and policy")
    plot.locator(".heatmaplayer").first.wait_for(state="attached")
    return plot


def paint(page: Page, row: int, column: int, wanted: str) -> None:
    """Click a cell of the map of the exact answer, until the map is as wanted.

    A click that meets a picture while it is drawn anew is lost; a person clicks once more.
    """

    def painted() -> str:
        plot = drawn(page)
        plot.scroll_into_view_if_needed()
        page.mouse.click(*plot.evaluate(CELL, [row, column]))
        dashboard.settled(page)
        return layout(page)

    eventually(painted, lambda found: found == wanted)


def layout(page: Page) -> str:
    """The map in the address, as it was if nothing was drawn."""
    dashboard.settled(page)
    return dashboard.address(page).get("problem.layout", "...G/.#.X/S...")


def brush(page: Page, name: str) -> None:
    """Choose what a click makes of a cell."""
    page.get_by_role("radio", name=name, exact=True).click()
    dashboard.settled(page)


def test_a_map_is_drawn_by_clicks_and_undone(show):
    page = show(PATH)
    brush(page, "Wall")
    paint(page, 2, 1, "...G/.#.X/S#..")
    paint(page, 2, 1, "...G/.#.X/S#..")  # it is a wall already
    brush(page, "Free")
    paint(page, 1, 1, "...G/...X/S#..")
    assert page.get_by_role("textbox", name="Map").input_value().split() == ["...G", "...X", "S#.."]
    page.get_by_role("button", name="undo").click()
    eventually(lambda: layout(page), lambda found: found == "...G/.#.X/S#..")
    dashboard.no_fault(page)


def test_the_exact_answer_is_played_sweep_by_sweep_and_fits_a_phone(show):
    page = show(PATH)
    plot = drawn(page)
    final = plot.evaluate(TEXTS)
    page.get_by_role("button", name="Play step by step").first.click()
    page.get_by_text("Sweep", exact=False).first.wait_for()
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("Home")
    first = "0.760"  # 0.8 (1 - 0.04) + 0.2 (-0.04)
    eventually(lambda: plot.evaluate(TEXTS), lambda texts: any(first in text for text in texts))
    page.keyboard.press("End")
    eventually(lambda: plot.evaluate(TEXTS), lambda found: found == final)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    drawn(dashboard.settled(page))
    dashboard.no_fault(page)
    eventually(lambda: page.evaluate("document.documentElement.scrollWidth"), (390).__ge__)


def test_the_pictures_of_one_episode_are_played_together(show):
    page = show(CAR)
    for players in (1, 2):  # a card's own button goes when its player opens
        page.get_by_role("button", name="Play step by step").first.click()
        expect(page.get_by_role("slider", name="Step")).to_have_count(players)
    one, other = page.get_by_role("slider", name="Step").all()
    for slider, key, step in ((one, "Home", "0"), (other, "ArrowRight", "1"), (one, "End", "200")):
        slider.press(key)
        for each in (one, other):
            expect(each).to_have_attribute("aria-valuenow", step)
