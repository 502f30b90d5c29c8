"""What a person does in the dashboard, for the tests of app.py."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from urllib.parse import parse_qsl

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import FORGET, eventually

GRID_ROW = 34  # pixels of a line of the table of columns
GRID_COLUMNS = ("Column", "Type", "Role")
PICTURE = ".mlscope-picture:not(:has(.mlscope-failed))"
UNMADE = '[class*="st-key-picture-"]:not(:has(.mlscope-picture))'
RETRIED_AFTER = 0.5  # seconds
SMALL = "/shared"  # a page of few words
CONNECTED = """window.line?.readyState === WebSocket.OPEN &&
    document.querySelector('[data-testid=stApp]')?.dataset.testConnectionState === 'CONNECTED'"""
CALM = 0.3  # seconds without work on the server, after which a page is taken to be complete


def opened(page: Page, url: str) -> Page:
    """The page at this address, once the server has nothing more to do for it."""
    page.goto(url)
    # While what is expected is not there, `expect` describes the whole page, each time it looks.
    page.get_by_test_id("stMain").locator("h1").first.wait_for()
    return settled(page)


def visited(page: Page, url: str) -> Page:
    """The page at this address, complete, as `opened` leaves it for somebody who is new there.

    A page that shows the dashboard already loads nothing: it hangs up, calls the server as one
    without a session or cookies, and goes to the address as Back does, which takes no widget along.
    What is drawn of another page goes; what is drawn of the same would stay, so it goes there by
    way of another.
    """
    host, _, path = url.removeprefix("http://").partition("/")
    here = page.evaluate("[location.host, location.pathname]")
    if here[0] != host:
        return opened(page, url)
    if here[1] == f"/{path.partition('?')[0]}":
        _go_back_to(page, SMALL)
        settled(page)
    page.mouse.move(0, 0)
    page.context.clear_cookies()
    page.evaluate(FORGET)
    page.evaluate("() => { isAnother = true; unanswered = false; line.close(); line = null; }")
    eventually(lambda: page.evaluate(CONNECTED), bool)
    _go_back_to(page, f"/{path}")
    return settled(page)


def _go_back_to(page: Page, path: str) -> None:
    """Have the page think that Back led to this address; nothing is added to its history."""
    code = """path => { history.replaceState({}, "", path);
        dispatchEvent(new PopStateEvent("popstate", { state: {} })); }"""
    page.evaluate(code, path)


def settled(page: Page) -> Page:
    """The page, once the server has nothing more to do for it and nothing is under way."""
    drawing = f"""[...document.querySelectorAll('{PICTURE}')]
        .map((root) => root.parentElement.picture)
        .some((one) => one?.near && one.root.clientWidth && (one.due || !one.drawn))"""
    state = f"""document.querySelector('[data-testid=stProgress]') ? 'a run is under way'
        : window.unanswered ? 'the server was asked something'
        : document.querySelector(`{UNMADE}`) ? 'the code of a picture is being loaded'
        : {drawing} ? 'a picture is being drawn'
        : document.querySelector('[data-testid=stApp]')?.dataset.testScriptState"""
    calm_since = time.monotonic()

    def calm() -> float:
        nonlocal calm_since
        if page.evaluate(state) != "notRunning":
            calm_since = time.monotonic()
        return time.monotonic() - calm_since

    eventually(calm, lambda seconds: seconds > CALM)
    return page


def no_fault(page: Page) -> None:
    """No box of an exception, no picture that could not be drawn."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_text("could not be drawn")).to_have_count(0)


def says(page: Page, words: str) -> None:
    """The page comes to say these words, as they are written here."""
    # `expect` would describe all of it each time they are not there yet.
    main = page.get_by_test_id("stMain")
    main.filter(has_text=re.compile(re.escape(words))).wait_for()


def address(page: Page) -> dict[str, str]:
    """The pairs of the address, as the browser has it now: `page.url` lags behind."""
    query = page.evaluate("location.search").removeprefix("?")
    return dict(parse_qsl(query, keep_blank_values=True))


def go_to(page: Page, title: str) -> None:
    """Follow the navigation to a page of a family of methods."""
    page.get_by_role("button", name="Learn").click()
    page.get_by_test_id("stTopNavPopover").get_by_text(title, exact=True).click()
    page.wait_for_url(f"**/{title.lower().replace(' ', '_')}*")
    settled(page)


def strip(page: Page) -> list[str]:
    """What the items of the data strip say, once all of them are of the same table.

    They reach the browser one after the other: a page under way has the name of the new table
    beside the target of the old one.
    """
    settled(page)
    labels = page.locator(".st-key-data-strip [data-testid=stPopover] button p")
    return [text for text in labels.all_inner_texts() if text]


def change(page: Page, item: str, label: str, option: str) -> None:
    """Choose something in a popover of the data strip."""
    page.locator(".st-key-data-strip button").filter(has_text=item).first.click()
    choose(page, label, option)
    page.keyboard.press("Escape")


def choose(page: Page, label: str, option: str) -> None:
    """Choose from a list; of a long one only what is in sight is there, so its name is typed."""
    box = page.get_by_role("combobox", name=label)
    box.click()
    box.fill(option)
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


def choose_in_columns(page: Page, row: int, column: str, option: str) -> None:
    """Choose a type or a role in the table of columns, which is drawn on a canvas, by keys.

    The grid and its list listen a moment after they are there, and do not say when: as a person
    would, ask again where nothing happens.
    """
    found = page.locator("#portal").get_by_role("option", name=option, exact=True)

    def opened() -> None:
        grid = page.get_by_test_id("stDataFrame").first.bounding_box()
        assert grid is not None
        page.mouse.click(grid["x"] + 40, grid["y"] + GRID_ROW * (row + 1.5))
        for _ in range(GRID_COLUMNS.index(column)):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

    settled(page)
    until(opened, lambda: found.count() == 1)
    until(found.click, lambda: found.count() == 0)
    settled(page)


def until(act: Callable[[], None], done: Callable[[], bool]) -> None:
    """Do something, and again after a while, until it has had its effect.

    Each while is longer: on a busy machine the effect of one try may come with the next, which
    takes it back.
    """
    again, pause = 0.0, RETRIED_AFTER

    def effect() -> bool:
        nonlocal again, pause
        if not done() and time.monotonic() >= again:
            act()
            again, pause = time.monotonic() + pause, 2 * pause
        return done()

    eventually(effect, bool)


def score(page: Page) -> str:
    """The words of the score: its name, mean, spread and number of folds."""
    shown = page.locator(".score")
    shown.wait_for()
    return shown.inner_text()


def facts(page: Page) -> dict[str, str]:
    """The secondary scores by name, the time of a fit aside."""
    texts = page.locator(".facts > div").all_inner_texts()
    pairs = (text.split("\n") for text in texts)
    return {words[0]: words[-1] for words in pairs if words[0] != "Time"}


def dots(page: Page) -> dict[str, list[float]]:
    """The marks of the score's picture: a dot a fold, by name of the trace."""
    plot = page.locator(".st-key-score .mlscope-plot")
    plot.locator(".main-svg").first.wait_for()
    code = "gd => Object.fromEntries(gd._fullData.map(t => [t.name ?? t.uid, [...(t.x ?? [])]]))"
    return plot.evaluate(code)


def knob(page: Page, label: str) -> tuple[Locator, Locator]:
    """The track and the box of a number."""
    place = page.get_by_test_id("stSidebar").locator("[class*=st-key-number-]")
    place = place.filter(has_text=label).first
    return place.get_by_role("slider"), place.get_by_role("spinbutton")


def picture(page: Page, title: str) -> Locator:
    """The plot in the card with this heading."""
    heading = page.get_by_test_id("stMarkdown").filter(has_text=title)
    card = page.get_by_test_id("stVerticalBlock").filter(has=heading)
    # The heading may share a row with the options of the picture, which is a block of its own.
    card = card.filter(has=page.locator(".mlscope-plot"))
    found = card.last.locator(".mlscope-plot").first
    found.scroll_into_view_if_needed()  # where it is drawn
    return found


def all_drawn(page: Page) -> Page:
    """The page with all its pictures, also those that nobody scrolled to, as it is printed."""
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    return page
