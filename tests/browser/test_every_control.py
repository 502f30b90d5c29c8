"""Every control of every page is opened, as a person would, and nothing breaks.

What there is to open is found in the page as it stands, by role, so that a new control is covered
without a word here. What stands in the same place under the same label is one declaration: it is
opened on the first page that has it. An item of the data strip is one, whatever it says of a table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT, Server, eventually
from tests.browser.dashboard import all_drawn, until

pytestmark = pytest.mark.browser

START = "start"  # stands at the root
# Six methods, as it greets, are fitted ten times each whenever one of them is changed; a model of
# states five times for each number of them.
ADDRESS = {
    START: "",
    "compare": "compare?data=iris&methods=logistic~decision_tree&v=1",
    "sequences": "sequences?data=animal_tracks&preparation=&method=hmm&method.n_init=1&v=1",
}
NOTHING_TO_OPEN = ("methods", START, "shared")  # lists of links, and a page that needs one
SOON = 10_000  # milliseconds; what is there and calm can be pressed at once
CALM = 0.1  # seconds without work on the server, after which a page has answered
FAULTS = ("A fault in MLScope itself", "a fault in MLScope itself", "could not be drawn")
# Opens what was not opened before, and says its kind, its labels and its places; a list is only
# marked. The k-th of several with one label is told apart by k; what lies in a popover belongs to
# it. Expanders are opened all at once, of a choice the first that is not chosen.
NEXT = """([within, seen]) => {
  const kinds = {
    expander: "details:not([open]) > summary",
    popover: "[data-testid=stPopover] button[aria-expanded=false]",
    list: "[role=combobox]",
    choice: "[role=radiogroup]",
    tab: "[role=tab][aria-selected=false]",
  };
  const roots = within ? "[data-testid=stPopoverBody]" :
    "[data-testid=stMain], [data-testid=stSidebar]";
  const inner = within ? -1 : 0;  // a popover in a popover stands behind it in the document
  const name = it => it.getAttribute("aria-label") ||
    (it.labels?.[0] ?? it.closest("[data-testid=stSelectbox], [data-testid=stMultiSelect]") ?? it)
    .querySelector("p")?.innerText || it.innerText || "";
  const item = it => it.closest("[class*=-strip-]")?.className.match(/strip-[a-z]+-item/)?.[0];
  const can = it => it && it.checkVisibility() && !it.disabled && !it.closest("[inert]");
  for (const [kind, how] of Object.entries(kinds)) {
    const times = {}, found = [];
    const every = [...document.querySelectorAll(roots)].slice(inner);
    for (const it of every.flatMap(root => [...root.querySelectorAll(how)])) {
      const pressed = kind === "choice" ? it.querySelector("[role=radio][aria-checked=false]") : it;
      if (!can(pressed)) continue;
      const label = name(it), known = item(it) ?? label;
      const which = times[known] = (times[known] ?? 0) + 1;
      const place = [within, kind, known, which].join(" / ");
      if (!seen.includes(place)) found.push({label, place, pressed});
    }
    const chosen = kind === "expander" ? found : found.slice(0, 1);
    if (!chosen.length) continue;
    document.querySelectorAll("[data-next]").forEach(old => old.removeAttribute("data-next"));
    for (const {pressed} of chosen) {
      if (kind === "list") pressed.setAttribute("data-next", "");
      else pressed.click();
    }
    return [kind, chosen.map(it => it.label).join(", "), chosen.map(it => it.place)];
  }
  return null;
}"""
ANSWERING = """window.unanswered || !document.querySelector('[data-testid=stMain] h1')
    || document.querySelector('[data-testid=stApp]')?.dataset.testScriptState !== 'notRunning'"""
RUNNING = f"document.querySelector('[data-testid=stProgress]') || {ANSWERING}"
Step = tuple[str, str]  # what was opened, and what tells that the page is busy with it


def addresses() -> list[str]:
    """The pages that a person can go to."""
    return sorted(file.stem for file in (ROOT / "pages").glob("*.py"))


def everything_opened(page: Page, seen: list[str], within: str = "") -> Iterator[Step]:
    """Open what was not seen, one after the other; yields where the server must answer first.

    The run of a choice need not end before the next choice is made, which ends it.
    """
    while found := page.evaluate(NEXT, [within, seen]):
        kind, label, places = found
        seen.extend(places)
        said = f"{within} {kind} {label!r}".strip()
        if kind == "list":
            look_at_the_list(page.locator("[data-next]"))
        elif kind == "popover":
            yield from popover_opened(page, seen, said, outer=int(bool(within)))
        else:
            yield said, RUNNING if kind != "choice" else ANSWERING
        if within:  # or what is left in it would be missed without a word
            body = page.get_by_test_id("stPopoverBody").last
            eventually(lambda body=body, by=said: (by, body.is_visible()), (said, True).__eq__)


def look_at_the_list(it: Locator) -> None:
    """Open a list by its key, as the help says, and leave it; Escape would close what holds it."""
    until(
        lambda: it.press("ArrowDown", timeout=SOON),
        lambda: it.get_attribute("aria-expanded", timeout=SOON) == "true",
    )
    it.evaluate("it => it.blur()")
    expect(it).to_have_attribute("aria-expanded", "false")


def popover_opened(page: Page, seen: list[str], said: str, outer: int) -> Iterator[Step]:
    """Open what is in a popover, perhaps in an `outer` one, and close it; what comes next need not
    wait for that."""
    bodies = page.get_by_test_id("stPopoverBody")
    expect(bodies).to_have_count(outer + 1)
    body = bodies.last
    body.wait_for()
    yield said, RUNNING
    expect(body).not_to_be_empty()
    yield from everything_opened(page, seen, said)
    if outer:  # Escape would close both
        bodies.first.locator("[data-testid=stPopover] button[aria-expanded=true]").click()
    else:
        page.keyboard.press("Escape")
    expect(bodies).to_have_count(outer)


def faults(page: Page) -> list[str]:
    """What Streamlit's boxes of exceptions say, and sentences that tell of a fault of ours."""
    code = """([faults]) => {
      const said = document.body.innerText;  // for which the whole page is laid out
      return [
        ...[...document.querySelectorAll('[data-testid=stException]')].map(e => e.innerText),
        ...faults.filter(text => said.includes(text))];
    }"""
    return page.evaluate(code, [FAULTS])


def calm(page: Page, busy: str = RUNNING) -> None:
    """Wait until the page is no longer busy."""
    since = time.monotonic()

    def seconds() -> float:
        nonlocal since
        since = time.monotonic() if page.evaluate(busy) else since
        return time.monotonic() - since

    eventually(seconds, lambda seconds: seconds > CALM)


@pytest.fixture(scope="module")
def seen() -> list[str]:
    """What was opened already, on whatever page."""
    return []


@pytest.mark.slow
@pytest.mark.parametrize("name", addresses())
def test_everything_that_can_be_opened_opens(
    name: str,
    seen: list[str],
    server: Callable[[str], Server],
    new_page: Callable[..., Page],
):
    app = server("app.py")
    page = new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    before = len(app.log())
    page.goto(f"{app.url}/{ADDRESS.get(name, name)}", wait_until="commit")
    calm(page)
    for said, busy in everything_opened(page, seen):
        calm(page, busy)
        assert faults(page) == [], said
    calm(all_drawn(page))
    assert faults(page) == [], "at the end"
    assert seen or name in NOTHING_TO_OPEN
    assert "Traceback" not in app.log()[before:]
