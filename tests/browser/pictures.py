"""What a person does with a picture, for the tests of its component."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


def plot(page: Page, number: int) -> Locator:
    return page.locator(".mlscope-plot").nth(number)


def inside(page: Page, number: int, code: str) -> object:
    """The value of `code`, in which `gd` is the Plotly div of a picture."""
    return plot(page, number).evaluate(f"gd => {code}")


def drag(page: Page, number: int, corners: list[tuple[float, float]]) -> None:
    """Drag over a picture, from corner to corner, each in parts of its width and height."""
    area = plot(page, number).locator(".nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    (x, y), *others = [
        (box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in corners
    ]
    page.mouse.move(x, y)
    page.mouse.down()
    for x, y in others:
        page.mouse.move(x, y, steps=4)
    page.mouse.up()


def use_tool(page: Page, number: int, name: str) -> None:
    plot(page, number).hover(position={"x": 200, "y": 200})
    plot(page, number).locator(f"[data-title='{name}']").click()


def high(page: Page) -> Page:
    """The page so high that it shows the three pictures of `picture_app.py`."""
    page.set_viewport_size({"width": page.viewport_size["width"], "height": 2000})
    return page


def drawn(page: Page) -> Page:
    """The page once these are drawn."""
    expect(page.locator(".mlscope-plot .main-svg:first-child")).to_have_count(3)
    return page
