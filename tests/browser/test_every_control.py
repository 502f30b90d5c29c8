"""Every control of every page is opened, as a person would, and nothing breaks.

What there is to open is found in the page as it stands, by role, so that a new control is covered
without a word here. All pages are gone through at once: most of the time is waiting for answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE, ROOT, Server

pytestmark = pytest.mark.browser

SOON = 10_000  # milliseconds; what is there and calm can be pressed at once
CALM = 0.1  # seconds without work on the server, after which a page has answered
FAULTS = ("A fault in MLScope itself", "a fault in MLScope itself", "could not be drawn")
# The next thing to open that was not opened before: marked, and told with its kind and label.
# The k-th of several with one label is told apart by k; what lies in a popover belongs to it.
NEXT = """within => {
  const kinds = {
    expander: "details:not([open]) > summary",
    popover: "[data-testid=stPopover] button[aria-expanded=false]",
    list: "[role=combobox]",
    choice: "[role=radio][aria-checked=false]",
    tab: "[role=tab][aria-selected=false]",
  };
  window.seen ??= new Set();
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
      if (window.seen.has(said)) continue;
      window.seen.add(said);
      document.querySelectorAll("[data-next]").forEach(old => old.removeAttribute("data-next"));
      it.setAttribute("data-next", "");
      return [kind, label];
    }
  }
  return null;
}"""
STATE = """document.querySelector('[data-testid=stProgress]') || window.unanswered
    || !document.querySelector('[data-testid=stMain] h1')
    || document.querySelector('[data-testid=stApp]')?.dataset.testScriptState !== 'notRunning'"""


def addresses() -> list[str]:
    """The pages that a person can go to."""
    return sorted(file.stem for file in (ROOT / "pages").glob("*.py"))


def everything_opened(page: Page, within: str = "") -> Iterator[str]:
    """Open what can be opened, one after the other; yields where the server must answer first."""
    while found := page.evaluate(NEXT, within):
        kind, label = found
        said = f"{within} {kind} {label!r}".strip()
        it = page.locator("[data-next]")
        if kind == "list":
            it.press("ArrowDown", timeout=SOON)
            expect(it).to_have_attribute("aria-expanded", "true")
            it.press("Escape")
            continue
        it.evaluate("it => it.click()", timeout=SOON)
        yield said
        if kind == "popover":
            body = page.get_by_test_id("stPopoverBody").last
            expect(body).to_be_visible()
            expect(body).not_to_be_empty()
            yield from everything_opened(page, said)
            page.keyboard.press("Escape")
            yield said


def gone_through(pages: dict[str, Page]) -> tuple[int, list[str]]:
    """All pages at once, a step of each in turn as soon as it has answered: the number of steps,
    and the first fault of each page, where its way ends."""
    walks = {name: everything_opened(page) for name, page in pages.items()}
    doing, calm_since = dict.fromkeys(pages, "opening"), dict.fromkeys(pages, time.monotonic())
    wrong: list[str] = []
    steps, until = 0, time.monotonic() + PATIENCE / 1000 * len(pages)
    while walks:
        assert time.monotonic() < until, f"still busy: {doing}"
        for name, walk in list(walks.items()):
            if pages[name].evaluate(STATE):
                calm_since[name] = time.monotonic()
            if time.monotonic() - calm_since[name] < CALM:
                continue
            if found := faults(pages[name]):
                wrong.append(f"{name}, {doing[name]}: {found}")
                del walks[name]
                continue
            calm_since[name] = time.monotonic()
            try:
                doing[name] = next(walk)
                steps += 1
            except StopIteration:
                del walks[name]
    return steps, wrong


def faults(page: Page) -> list[str]:
    """What Streamlit's boxes of exceptions say, and sentences that tell of a fault of ours."""
    code = """([faults]) => [
      ...[...document.querySelectorAll('[data-testid=stException]')].map(e => e.innerText),
      ...faults.filter(text => document.body.innerText.includes(text))]"""
    return page.evaluate(code, [FAULTS])


def test_everything_that_can_be_opened_opens_on_every_page(
    serve: Callable[[str], str], server: Callable[[str], Server], new_page: Callable[..., Page]
):
    url, before = serve("app.py"), len(server("app.py").log())
    pages = {name: new_page(viewport={"width": 1440, "height": 900}) for name in addresses()}
    for name, page in pages.items():
        page.goto(f"{url}/{name}", wait_until="commit")
    steps, wrong = gone_through(pages)
    assert wrong == []
    assert steps > 10 * len(pages), "next to nothing was found to be opened"
    assert "Traceback" not in server("app.py").log()[before:]
