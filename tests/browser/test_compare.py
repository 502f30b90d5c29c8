"""Comparing in a real browser: a table of one's own, verdicts, another score, a failing method."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually
from tests.browser.looks import DARK, LIGHT, has_background

pytestmark = pytest.mark.browser

PATIENCE = 60_000  # milliseconds for some twenty fits, on a machine that is busy with other things
GERMAN = Path(__file__).parent / "files" / "pruefung.csv"
SMALL = "compare?data=penguins&methods=lda~knn~decision_tree&evaluation=k_fold"


@pytest.fixture
def show(warm_page: Page, serve: Callable[[str], str]) -> Callable[[str], Page]:
    """`show(path)`: the page at this address, complete."""
    return lambda path: dashboard.visited(warm_page, f"{serve('app.py')}/{path}")


@pytest.fixture(scope="module")
def small(lasting_page: Page, serve: Callable[[str], str]) -> Page:
    """Three methods on a small table, complete, for tests that leave the page as it was."""
    page = dashboard.opened(lasting_page, f"{serve('app.py')}/{SMALL}")
    verdict(page).wait_for()
    return dashboard.settled(page)


def verdict(page: Page) -> Locator:
    """What was found, once every fold of every method is there."""
    page.locator(".verdict").first.wait_for(timeout=PATIENCE)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=PATIENCE)
    expect(page.locator(".st-key-scores")).not_to_contain_text(re.compile("\\d of \\d+ folds"))
    return page.locator(".verdict").first


def names(page: Page) -> list[str]:
    """The methods in the order of the table."""
    return page.locator(".st-key-scores .scores tbody th").all_inner_texts()


def line(page: Page, name: str) -> Locator:
    """The line of a method in the table."""
    return page.locator(".st-key-scores .scores tbody tr").filter(has_text=name).first


def box(page: Page, name: str) -> Locator:
    """The box of a method in the sidebar."""
    return page.get_by_test_id("stSidebar").get_by_test_id("stExpander").filter(has_text=name).first


def remove(page: Page, name: str) -> None:
    """Take a method out of the comparison."""
    box(page, name).locator("summary").click()
    box(page, name).get_by_role("button", name="Remove").wait_for()
    dashboard.settled(page)

    def left() -> int:
        """Names that are left after a click, which is lost if the page is just drawn anew."""
        button = box(page, name).get_by_role("button", name="Remove")
        if button.count():
            button.click()
            dashboard.settled(page)
        return page.get_by_test_id("stSidebar").get_by_text(name, exact=True).count()

    eventually(left, (0).__eq__)
    dashboard.settled(page)


def tab(page: Page, title: str) -> None:
    page.get_by_role("tab", name=title).click()
    expect(page.get_by_role("tab", name=title)).to_have_attribute("aria-selected", "true")
    dashboard.settled(page)


def test_three_methods_on_a_table_of_ones_own(warm_page, serve):
    """From the file to the verdict, by the navigation and the controls alone."""
    page = dashboard.visited(warm_page, f"{serve('app.py')}/data")
    page.get_by_role("radio", name="Upload").click()
    page.locator("input[type=file]").set_input_files(GERMAN)
    page.locator(".st-key-read-as").wait_for()
    dashboard.settled(page)
    page.get_by_role("button", name="Judge").click()
    page.get_by_test_id("stTopNavPopover").get_by_text("Compare", exact=True).click()
    page.wait_for_url("**/compare*")
    verdict(page).wait_for()
    dashboard.settled(page)
    assert dashboard.strip(page)[3] == "Target: Stufe"
    for name in ("Logistic regression", "Naive Bayes", "Support vector classifier"):
        remove(page, name)
    kept = {"Linear discriminant analysis", "k-nearest neighbours", "Decision tree"}
    eventually(lambda: set(names(page)[1:]), kept.__eq__)
    assert names(page)[0] == "Baseline, largest class"
    expect(verdict(page)).to_contain_text(re.compile("has the best mean: Accuracy 0\\.\\d+ on"))
    expect(verdict(page)).to_contain_text("adjusted for 3 comparisons")
    assert line(page, "k-nearest neighbours").locator(".strip i").count() > 4
    dashboard.no_fault(page)


def test_another_score_sorts_and_the_browser_goes_back(small):
    page = small
    best = "Linear discriminant analysis has the best mean: Accuracy"
    expect(verdict(page)).to_contain_text(best)
    eventually(lambda: names(page)[1], lambda found: found == "Linear discriminant analysis")
    dashboard.choose(page, "Sorted and tested by", "Log loss")
    expect(verdict(page)).to_contain_text("K-nearest neighbours has the best mean: Log loss")
    eventually(lambda: names(page)[1], lambda found: found == "k-nearest neighbours")
    assert dashboard.address(page)["view.metric"] == "log_loss"
    page.go_back()
    expect(verdict(page)).to_contain_text(best)
    eventually(lambda: names(page)[1], lambda found: found == "Linear discriminant analysis")
    dashboard.settled(page)


def test_a_failing_method_is_a_row_with_its_reason(show):
    page = show(SMALL.replace("decision_tree", "ridge"))
    expect(line(page, "Ridge regression")).to_contain_text("predicts a quantity")
    expect(verdict(page)).to_contain_text("has the best mean")
    dashboard.no_fault(page)


def test_the_same_fold_lights_up_in_every_line(small):
    page = small
    grown = "dots => dots.map(dot => getComputedStyle(dot).transform !== 'none')"
    same, other = page.locator(".strip i.f2"), page.locator(".strip i.f1")
    eventually(lambda: same.evaluate_all(grown), ([False] * 4).__eq__)
    same.nth(1).hover()
    eventually(lambda: same.evaluate_all(grown), lambda found: found == [True] * 4)
    assert other.evaluate_all(grown) == [False] * 4


def test_differences_are_drawn_and_what_does_not_matter_is_moved(show):
    page = show(SMALL.replace("penguins", "wine"))
    tab(page, "Differences")
    forest = dashboard.picture(page, "minus the other, accuracy; 95 %")
    forest.locator(".main-svg").first.wait_for()
    page.get_by_text("Does not matter below: a hundredth").click()
    band = "gd => gd.layout.shapes.find(s => s.type === 'rect')?.x1"
    eventually(lambda: forest.evaluate(band), lambda edge: edge is not None and edge > 0.011)
    dashboard.choose(page, "Against", "all pairs")
    eventually(lambda: dashboard.address(page).get("view.against"), lambda found: found == "all")
    every = dashboard.picture(page, "the first minus the second, accuracy; 95 %")
    eventually(lambda: every.evaluate("gd => gd.data.length"), lambda found: found == 3)
    dashboard.no_fault(page)


def test_pictures_side_by_side_have_equal_axes(show):
    page = show(SMALL)
    tab(page, "Pictures")
    plots = page.locator(".mlscope-plot")
    for k in range(3):  # they are drawn in any order, that in the row below when it is near
        plots.nth(k).scroll_into_view_if_needed()
        plots.nth(k).locator(".heatmaplayer").first.wait_for(state="attached")
    ranges = "gd => [...gd._fullLayout.xaxis.range, ...gd._fullLayout.yaxis.range]"
    first, *others = (plots.nth(k).evaluate(ranges) for k in range(3))
    assert others == [first, first]
    dashboard.choose(page, "Picture", "Confusion matrix")
    eventually(
        lambda: dashboard.address(page).get("view.picture"),
        lambda found: found == "confusion_heatmap",
    )
    dashboard.no_fault(page)


def test_what_is_on_the_screen_is_added_to_the_comparison(show):
    page = show("classification?data=penguins&method=knn&method.n_neighbors=9")
    page.get_by_role("button", name="Add to comparison").click()
    link = page.get_by_role("link", name="In the comparison of 2 methods")
    link.wait_for()
    link.click()
    page.wait_for_url("**/compare*")
    line(page, "k-nearest neighbours").wait_for()
    eventually(
        lambda: dashboard.address(page).get("methods.0.n_neighbors"), lambda found: found == "9"
    )
    dashboard.no_fault(page)


FAINTEST = """() => {
  const light = (rgb) => rgb.map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const numbers = (css) => css.match(/[\\d.]+/g).map(Number);
  const under = numbers(getComputedStyle(document.querySelector(".stApp")).backgroundColor);
  const ratios = [...document.querySelectorAll(".scores :is(th, td, span, em, b)")]
    .filter((it) => [...it.childNodes].some((of) => of.nodeType === 3 && of.data.trim()))
    .map((it) => {
      const [r, g, b, alpha = 1] = numbers(getComputedStyle(it).color);
      let share = alpha;
      for (let at = it; at; at = at.parentElement) share *= getComputedStyle(at).opacity;
      const seen = [r, g, b].map((v, k) => share * v + (1 - share) * under[k]);
      const [low, high] = [light(seen), light(under.slice(0, 3))].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    });
  return Math.min(...ratios);
}"""  # of the contrasts of all texts of the table with the page


def test_no_grey_of_the_table_is_too_faint_to_read(small):
    for scheme, background in (("dark", DARK), ("light", LIGHT)):
        small.emulate_media(color_scheme=scheme)
        has_background(small, background)
        eventually(lambda: small.evaluate(FAINTEST), lambda ratio: ratio >= 4.5)


def test_it_fits_a_phone_and_its_scores_a_small_laptop(new_page, serve):
    page = new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    dashboard.opened(page, f"{serve('app.py')}/{SMALL}")
    verdict(page).wait_for()
    for title in ("Pictures", "Several data sets", "Folds"):
        tab(page, title)
        dashboard.no_fault(page)
    eventually(lambda: page.evaluate("document.documentElement.scrollWidth"), (390).__ge__)
    beyond = "it => it.scrollWidth - it.clientWidth"
    eventually(lambda: page.get_by_test_id("stMain").evaluate(beyond), (0).__ge__)
    page.set_viewport_size({"width": 1024, "height": 800})  # a small laptop: the sidebar is open
    scores = page.locator(".scores").first
    eventually(lambda: scores.evaluate(beyond), (0).__ge__)
