"""Pictures of every kind that the views draw, each in a tab of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from figures import theme
from tests.browser.conftest import eventually
from tests.browser.dashboard import settled
from tests.browser.pictures import drag, inside, plot, use_tool
from tests.figures.test_theme import contrast

pytestmark = pytest.mark.browser

GALLERY = "tests/browser/gallery_app.py"


@pytest.fixture(scope="module")
def gallery(lasting_page: Page, serve: Callable[[str], str]) -> Page:
    """The page with one picture of every kind a tab."""
    return opened(lasting_page, serve(GALLERY))


def opened(page: Page, url: str) -> Page:
    page.goto(url)
    settled(page)  # the tabs come one after the other
    expect(plot(page, 0).locator(".main-svg").first).to_be_visible()
    return page


def show_tab(page: Page, name: str) -> int:
    """Open the tab of a picture; the number of that picture."""
    tabs = page.get_by_role("tab")
    number = [tab.inner_text() for tab in tabs.all()].index(name)
    tabs.nth(number).click()
    expect(plot(page, number).locator(".main-svg").first).to_be_visible()
    return number


def test_rows_of_axes_keep_room_on_a_phone(new_page, serve):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    opened(phone, serve(GALLERY))
    number = show_tab(phone, "stacked")
    assert inside(phone, number, "gd.offsetHeight") > 1.3 * inside(phone, number, "gd.offsetWidth")


def test_every_kind_of_picture_is_drawn_when_its_tab_opens(page, serve):
    gallery = opened(page, serve(GALLERY))
    names = [tab.inner_text() for tab in gallery.get_by_role("tab").all()]
    drawn = gallery.locator(".mlscope-plot:has(.main-svg)")
    expect(drawn).to_have_count(1)  # a hidden picture costs nothing
    for name in names:
        number = show_tab(gallery, name)
        wide = lambda of=number: inside(gallery, of, "gd._fullLayout.width > 600")  # noqa: E731
        eventually(wide, bool)
    expect(drawn).to_have_count(len(names))


def test_ranges_of_all_kinds_of_axes_are_kept(gallery):
    across = "gd._fullLayout.xaxis.range"
    assert inside(gallery, show_tab(gallery, "log"), across) == [-1, 1]
    assert inside(gallery, show_tab(gallery, "words"), across) == [-0.5, 2.5]
    assert inside(gallery, show_tab(gallery, "moving"), across) == [-4, 4]
    scale = "['xaxis', 'yaxis'].map(a => gd._fullLayout[a]._m)"
    x, y = inside(gallery, show_tab(gallery, "equal"), scale)
    assert abs(y) == pytest.approx(abs(x))
    low, high = inside(gallery, show_tab(gallery, "equal"), across)  # however far its rows lie
    assert low <= -12
    assert high >= 12


def test_a_selection_reaches_webgl_and_matrices_too(gallery):
    number = show_tab(gallery, "webgl")
    use_tool(gallery, number, "Box Select")
    drag(gallery, number, [(0.3, 0.3), (0.4, 0.4)])
    found = eventually(lambda: inside(gallery, number, "gd._fullData[0].selectedpoints ?? []"), len)
    number = show_tab(gallery, "matrix")
    low = [row for row in found if row < 300]
    selected = "[...(gd._fullData[0].selectedpoints ?? [])]"
    eventually(lambda: inside(gallery, number, selected), low.__eq__)


def test_only_pictures_with_rows_offer_a_lasso(gallery):
    lasso = "[data-title='Lasso Select']"
    expect(plot(gallery, show_tab(gallery, "equal")).locator(lasso)).to_have_count(1)
    expect(plot(gallery, show_tab(gallery, "dates")).locator(lasso)).to_have_count(0)


def test_words_in_cells_are_read_on_middle_shades_too(gallery):
    """Plotly writes them in white, or in a grey that is weak on the shades between."""
    number = show_tab(gallery, "shares")
    ink_of = "t => [t.textContent, getComputedStyle(t).fill]"
    texts = "[...gd.querySelectorAll('.heatmap-label text')]"
    inks = inside(gallery, number, f"{texts}.map({ink_of})")
    low, high = (_rgb(color) for _, color in theme.SHARES)
    assert len(inks) > 10
    for text, ink in inks:
        shade = low + float(text) * (high - low)
        is_light = ink == "rgb(255, 255, 255)"
        assert contrast(_hex(shade), _hex(_rgb(ink))) > (3.2 if is_light else 4.5), (text, ink)


def _rgb(color: str) -> np.ndarray:
    """The parts of #RRGGBB or rgb(r, g, b), (3,)."""
    if color.startswith("#"):
        return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])
    return np.array([float(part) for part in color[4:-1].split(",")])


def _hex(parts: np.ndarray) -> str:
    return "#" + "".join(f"{round(part):02X}" for part in parts)
