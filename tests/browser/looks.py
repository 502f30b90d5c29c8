"""How a page looks: whole, in its colours, within its width, nothing on another, for everyone."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser import dashboard
from tests.browser.conftest import eventually

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(17, 21, 27)"
# Cards side by side with a picture each, of which one ends far above the edge and could grow.
HALF_EMPTY = """() => [...document.querySelectorAll("[data-testid=stColumn]")].filter((column) => {
  const pictures = [...column.parentElement.children].map((it) => it.querySelectorAll("figure"));
  const [figure] = column.querySelectorAll("figure");
  const card = figure?.closest("[data-testid=stVerticalBlock]");
  if (pictures.length < 2 || pictures.some((of) => of.length !== 1)) return false;
  if (!parseFloat(getComputedStyle(card).borderBottomWidth)) return false;
  const end = (it) => it.getBoundingClientRect().bottom;
  const { picture } = figure.parentElement;
  return end(card) - end(card.lastElementChild) > 40 && picture.grown < picture.mostGrown() - 8;
}).map((column) => column.textContent.slice(0, 40))"""


def no_card_is_half_empty(page: Page) -> None:
    eventually(lambda: page.evaluate(HALF_EMPTY), [].__eq__, seconds=20)


# What Streamlit itself draws: lists of links with dividers in them, a drop zone, a grid's corner.
NOT_OURS = (
    "[data-testid=stSidebarNavItems]", "[data-testid=stFileUploaderDropzone]",
    "[data-testid=stDataFrame]",
)  # fmt: skip
# What Plotly draws has neither roles nor names, and the colour of its words is a `fill`, which axe
# does not look at: two thirds of a page, in which it finds nothing, and half of what it costs to
# look at one. So it is taken out meanwhile.
TAKE_OUT = """() => {
  window.takenOut = [...document.querySelectorAll(".mlscope-plot .main-svg")].map((svg) => {
    const drawn = document.createDocumentFragment();
    drawn.append(...svg.childNodes);
    return () => svg.append(drawn);
  });
}"""


def accessible(page: Page, **within: list[list[str]]) -> None:
    """Contrast, names, roles and keys are as the rules of axe ask, in all that we draw.

    With `include`, in a part of it: all of a page takes two seconds of a processor.
    """
    dashboard.settled(page)  # nothing is drawn into what is taken out
    excluded = {"exclude": [[selector] for selector in NOT_OURS]}
    page.evaluate(TAKE_OUT)
    found = Axe().run(page, excluded | within).response
    page.evaluate("takenOut.forEach((putBack) => putBack())")
    wrong = [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found["violations"]]
    assert wrong == []


# Words and tools of a picture that share pixels, and parts of a card that do. Names that were
# turned are left aside: their boxes are larger than they.
OVERLAPS = r"""() => {
  const box = (e) => { const { left, top, right, bottom } = e.getBoundingClientRect();
    return { left, top, right, bottom }; };
  const meet = (a, b, by) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > by
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by;
  const said = (e) => e.textContent.trim().slice(0, 30) || e.className;
  const found = [];
  const among = (things, by) => things.forEach((a, i) => things.slice(i + 1).forEach((b) => {
    if (!a.contains(b) && !b.contains(a) && meet(box(a), box(b), by))
      found.push(`${said(a)} on ${said(b)}`); }));
  for (const plot of document.querySelectorAll(".stMain .mlscope-plot")) {
    const words = [...plot.querySelectorAll(
      ".legendtext, .xtick text, .ytick text, .xtitle, .ytitle")].filter((e) => e.textContent.trim()
      && !/rotate\((?!0)/.test(e.getAttribute("transform") ?? ""));
    among(words, 4);
    for (const legend of plot.querySelectorAll(".legend"))
      for (const area of plot.querySelectorAll(".nsewdrag"))
        if (meet(box(legend), box(area), 6)) found.push(`legend on the marks: ${said(legend)}`);
    for (const tools of plot.querySelectorAll(".modebar"))
      for (const it of plot.querySelectorAll(".legend, .annotation-text, .xtick text, .xtitle"))
        if (meet(box(tools), box(it), 1)) found.push(`tools on ${said(it)}`);
  }
  for (const card of document.querySelectorAll(".stMain [data-testid=stVerticalBlock]"))
    among([...card.children].filter((e) => e.offsetWidth && !e.matches(":has(> .st-key-data-strip)")
      && getComputedStyle(e).position !== "absolute"), 4);
  return found;
}"""


def nothing_lies_on_another(page: Page) -> None:
    """No words of a picture on others, no tools on its legend, no part of a card on the next."""
    eventually(lambda: page.evaluate(OVERLAPS), [].__eq__, seconds=20)


def whole(page: Page, background: str) -> None:
    """No fault on the page, and it has the colours that were asked for."""
    has_background(page, background)
    dashboard.settled(page)
    dashboard.settled(dashboard.all_drawn(page))
    dashboard.no_fault(page)
    assert len(page.get_by_test_id("stMain").inner_text()) > 60


def has_background(page: Page, background: str) -> None:
    color = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    eventually(lambda: page.evaluate(color), background.__eq__)


# What makes the page scroll sideways: what ends beyond its right edge, with a word of each.
BEYOND = """() => ['.stMain', '[data-testid=stMainBlockContainer]']
  .map((it) => document.querySelector(it)).filter((e) => e.scrollWidth > e.clientWidth)
  .flatMap((e) => [...e.querySelectorAll('*')]
    .filter((part) => part.getBoundingClientRect().right > e.getBoundingClientRect().right + 1)
    .map((part) => `${part.tagName} ${part.className.baseVal ?? part.className}`).slice(0, 9)
    .concat(`${e.scrollWidth - e.clientWidth} pixels beyond ${e.dataset.testid}`))"""


def fits_the_width(page: Page) -> None:
    """Nothing on the page makes it scroll sideways."""
    eventually(lambda: page.evaluate(BEYOND), [].__eq__)
