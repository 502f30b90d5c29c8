"""When pictures are drawn: one by one while the page is idle, at once what somebody moves."""

from __future__ import annotations

import pytest

from figures import theme
from tests.browser import dashboard
from tests.browser.conftest import eventually
from tests.browser.looks import fits_the_width
from tests.browser.pictures import drawn, high, inside
from tests.browser.test_picture import APP, CLUSTERS, CONFUSION, REGIONS

pytestmark = pytest.mark.browser

# The browser is idle when `rest` says so; what is drawn is noted by its place on the page.
IDLE_WHEN_TOLD = """
window.resting = [];
window.requestIdleCallback = (go) => resting.push(go);
window.rest = () => resting.splice(0).forEach((go) => go());
window.watch = () => {
  window.drawn = [];
  const { react } = Plotly, plots = [...document.querySelectorAll(".mlscope-plot")];
  Plotly.react = (gd, ...parts) => { drawn.push(plots.indexOf(gd)); return react(gd, ...parts); };
};
"""


def test_pictures_are_drawn_one_by_one_and_once_for_all_that_changed_meanwhile(page, serve):
    page.add_init_script(IDLE_WHEN_TOLD)
    page.set_viewport_size({"width": 1280, "height": 2000})
    page.goto(serve(APP))
    svgs = page.locator(".mlscope-plot .main-svg:first-child")
    eventually(lambda: page.evaluate("rest()") or svgs.count(), (3).__eq__)
    for _ in range(5):  # and stand at the height that their neighbours leave them
        page.wait_for_timeout(100)
        page.evaluate("rest()")
    page.evaluate("watch()")
    page.set_viewport_size({"width": 390, "height": 2000})
    page.emulate_media(color_scheme="dark")
    dark = f"getComputedStyle(gd).getPropertyValue('--mlscope-text') === '{theme.DARK.text}'"
    for number in (REGIONS, CONFUSION, CLUSTERS):
        eventually(lambda n=number: inside(page, n, dark), bool)
    page.wait_for_timeout(100)
    assert page.evaluate("drawn") == []
    for number in (1, 2, 3):
        page.evaluate("rest()")
        eventually(lambda: page.evaluate("drawn.length"), number.__eq__)
    page.wait_for_timeout(100)
    page.evaluate("rest()")
    assert sorted(page.evaluate("drawn")) == [REGIONS, CONFUSION, CLUSTERS]
    select = "gd.closest('figure').parentElement.picture.select([1, 2])"
    inside(page, REGIONS, select)  # which somebody does: nobody rests before it is seen
    eventually(lambda: page.evaluate("drawn.length"), (5).__le__)


def test_a_picture_out_of_sight_is_not_wider_than_a_page_that_became_narrow(warm_page, serve):
    """It is drawn anew when somebody scrolls to it; until then it has its former width."""
    pictures = drawn(dashboard.visited(high(warm_page), f"{serve(APP)}/"))
    wide = pictures.evaluate("""() => {
        const picture = document.querySelector('.mlscope-picture').parentElement.picture;
        picture.sight.disconnect();
        picture.near = false;
        return picture.plot._fullLayout.width;
    }""")
    pictures.set_viewport_size({"width": 390, "height": 844})
    dashboard.settled(pictures)
    assert inside(pictures, REGIONS, "gd._fullLayout.width") == wide > 390
    fits_the_width(pictures)
