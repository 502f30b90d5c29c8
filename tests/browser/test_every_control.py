"""Every control of every page is opened, as a person would, and nothing breaks.

What there is to open is found in the page as it stands, by role, so that a new control is covered
without a word here. What stands in the same place under the same label is one declaration: it is
opened on the first page that has it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT, Server, eventually
from tests.browser.dashboard import until

pytestmark = pytest.mark.browser

START = "start"  # stands at the root
NOTHING_TO_OPEN = ("methods", START, "shared")  # lists of links, and a page that needs one
SOON = 10_000  # milliseconds; what is there and calm can be pressed at once
CALM = 0.1  # seconds without work on the server, after which a page has answered
FAULTS = ("A fault in MLScope itself", "a fault in MLScope itself", "could not be drawn")
# The next thing to open that was not opened before: marked, and told with its kind and label.
# The k-th of several with one label is told apart by k; what lies in a popover belongs to it.
NEXT = """([within, seen]) => {
  const kinds = {
    expander: "details:not([open]) > summary",
    popover: "[data-testid=stPopover] button[aria-expanded=false]",
    list: "[role=combobox]",
    choice: "[role=radio][aria-checked=false]",
    tab: "[role=tab][aria-selected=false]",
  };
  const roots = within ? "[data-testid=stPopoverBody]" :
    "[data-testid=stMain], [data-testid=stSidebar]";
  const name = it => it.getAttribute("aria-label") ||
    (it.labels?.[0] ?? it.closest("[data-testid=stSelectbox], [data-testid=stMultiSelect]") ?? it)
    .querySelector("p")?.innerText || it.innerText || "";
  for (const [kind, how] of Object.entries(kinds)) {
    const times = {};
    const every = [...document.querySelectorAll(roots)];
    for (const it of every.flatMap(root => [...root.querySelectorAll(how)])) {
      if (!it.checkVisibility() || it.disabled || it.closest("[inert]")) continue;
      const label = name(it);
      const which = times[label] = (times[label] ?? 0) + 1;
      const said = [within, kind, label, which].join(" / ");
      if (seen.includes(said)) continue;
      document.querySelectorAll("[data-next]").forEach(old => old.removeAttribute("data-next"));
      it.setAttribute("data-next", "");
      return [kind, label, said];
    }
  }
  return null;
}"""
STATE = """document.querySelector('[data-testid=stProgress]') || window.unanswered
    || !document.querySelector('[data-testid=stMain] h1')
    || document.querySelector('[data-testid=stApp]')?.dataset.testScriptState !== 'notRunning'"""


# Begun, and not gone through to the end in one sweep: `pytest --runxfail` goes through them.
WHY = "not gone through to the end yet: on a busy machine a page alone takes three minutes"
NOT_YET = (
    "compare", "dimensionality_reduction", "kernels", "preprocessing", "regression",
    "sequential_decision_making",
)  # fmt: skip


def page_of(name: str) -> Any:
    """A page as a case, left out if it is one of those that are not done."""
    marks = [pytest.mark.xfail(run=False, reason=WHY)] if name in NOT_YET else []
    return pytest.param(name, id=name, marks=marks)


def addresses() -> list[str]:
    """The pages that a person can go to."""
    return sorted(file.stem for file in (ROOT / "pages").glob("*.py"))


def everything_opened(page: Page, seen: list[str], within: str = "") -> Iterator[str]:
    """Open what was not seen, one after the other; yields where the server must answer first."""
    while found := page.evaluate(NEXT, [within, seen]):
        kind, label, place = found
        seen.append(place)
        said = f"{within} {kind} {label!r}".strip()
        it = page.locator("[data-next]")
        if kind == "list":
            look_at_the_list(it)
        elif kind == "popover":
            yield from popover_opened(page, it, seen, said)
        else:
            it.evaluate("it => it.click()", timeout=SOON)
            yield said
        if within:  # or what is left in it would be missed without a word
            expect(page.get_by_test_id("stPopoverBody"), f"closed by {said}").to_be_visible()


def look_at_the_list(it: Locator) -> None:
    """Open a list by its key, as the help says, and leave it; Escape would close what holds it."""
    is_open = lambda: it.get_attribute("aria-expanded", timeout=SOON) == "true"  # noqa: E731
    until(lambda: it.press("ArrowDown", timeout=SOON), is_open)
    it.evaluate("it => it.blur()")
    expect(it).to_have_attribute("aria-expanded", "false")


def popover_opened(page: Page, it: Locator, seen: list[str], said: str) -> Iterator[str]:
    """Open a popover and what is in it, and close it."""
    body = page.get_by_test_id("stPopoverBody")
    it.evaluate("it => it.click()", timeout=SOON)
    expect(body).to_be_visible()
    yield said
    expect(body).not_to_be_empty()
    yield from everything_opened(page, seen, said)
    page.keyboard.press("Escape")
    expect(body).to_have_count(0)
    yield f"{said} is closed"


def faults(page: Page) -> list[str]:
    """What Streamlit's boxes of exceptions say, and sentences that tell of a fault of ours."""
    code = """([faults]) => [
      ...[...document.querySelectorAll('[data-testid=stException]')].map(e => e.innerText),
      ...faults.filter(text => document.body.innerText.includes(text))]"""
    return page.evaluate(code, [FAULTS])


def calm(page: Page) -> None:
    """Wait until the page has answered."""
    since = time.monotonic()

    def seconds() -> float:
        nonlocal since
        since = time.monotonic() if page.evaluate(STATE) else since
        return time.monotonic() - since

    eventually(seconds, lambda seconds: seconds > CALM)


@pytest.fixture(scope="module")
def seen() -> list[str]:
    """What was opened already, on whatever page."""
    return []


@pytest.mark.slow
@pytest.mark.parametrize("name", [page_of(name) for name in addresses()])
def test_everything_that_can_be_opened_opens(
    name: str,
    seen: list[str],
    server: Callable[[str], Server],
    new_page: Callable[..., Page],
):
    app = server("app.py")
    page, before = new_page(viewport={"width": 1440, "height": 900}), len(app.log())
    page.goto(f"{app.url}/{name.removeprefix(START)}", wait_until="commit")
    calm(page)
    for step in everything_opened(page, seen):
        calm(page)
        assert faults(page) == [], step
    assert seen or name in NOTHING_TO_OPEN
    assert "Traceback" not in app.log()[before:]
