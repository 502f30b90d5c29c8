"""Pictures of every kind that the views draw, each in a tab of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from figures import theme
from tests.browser.conftest import PATIENCE, eventually
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
    plot(page, 0).locator(".main-svg").first.wait_for()
    return page


def show_tab(page: Page, name: str) -> int:
    """Open the tab of a picture; the number of that picture."""
    tabs = page.get_by_role("tab")
    number = [tab.inner_text() for tab in tabs.all()].index(name)
    tabs.nth(number).click()
    plot(page, number).locator(".main-svg").first.wait_for()
    return number


def test_rows_of_axes_keep_room_on_a_phone(new_page, serve):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    opened(phone, serve(GALLERY))
    number = show_tab(phone, "stacked")
    assert inside(phone, number, "gd.offsetHeight") > 1.3 * inside(phone, number, "gd.offsetWidth")


def test_words_above_columns_keep_their_room_between_a_phone_and_a_desk(new_page, serve):
    page = new_page(viewport={"width": 640, "height": 844})
    opened(page, serve(GALLERY))
    number = show_tab(page, "heads")
    upright = "gd.querySelectorAll('.xtick text[transform*=\"rotate(90\"]').length"
    assert inside(page, number, "gd._fullLayout.width") == 754
    assert inside(page, number, upright) == 0
    assert plot(page, number).evaluate("e => e.scrollWidth - e.clientWidth") > 0


def test_every_kind_of_picture_is_drawn_when_its_tab_opens(page, serve):
    gallery = opened(page, serve(GALLERY))
    names = [tab.inner_text() for tab in gallery.get_by_role("tab").all()]
    drawn = gallery.locator(".mlscope-plot:has(.main-svg)")
    expect(drawn).to_have_count(1)  # a hidden picture costs nothing
    for name in names:
        number = show_tab(gallery, name)
        eventually(lambda of=number: inside(gallery, of, "gd._fullLayout.width > 600"), bool)
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


def inks(page: Page, number: int) -> list[list[str]]:
    """The words in the cells of a picture, each with its ink."""
    ink_of = "t => [t.textContent, getComputedStyle(t).fill]"
    return inside(page, number, f"[...gd.querySelectorAll('.heatmap-label text')].map({ink_of})")


def readable(inked: list[list[str]], palette: theme.Palette) -> None:
    """Every word in a cell of shares has the ink of more contrast, without a share as well."""
    low, high = _rgb(palette.background), _rgb(theme.SHARE)
    assert len(inked) > 10
    for text, ink in inked:
        shade = low + (0.0 if text == "none" else float(text)) * (high - low)
        assert contrast(_hex(shade), _hex(_rgb(ink))) > 4.0, (text, ink)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_in_cells_are_read_on_every_shade(new_page, serve, scheme):
    """Plotly writes them in white or grey, as if all that is empty were white."""
    gallery = opened(new_page(color_scheme=scheme), serve(GALLERY))
    number = show_tab(gallery, "shares")
    palette = theme.DARK if scheme == "dark" else theme.LIGHT
    readable(inks(gallery, number), palette)
    fewer = "Plotly.relayout(gd, {'xaxis.range': [3, 22]}).then(() => 1)"
    inside(gallery, number, fewer)  # words are written anew
    readable(inks(gallery, number), palette)


def test_files_have_the_inks_of_the_page(gallery):
    number = show_tab(gallery, "shares")
    foot = gallery.locator(".mlscope-picture").nth(number).locator(".mlscope-foot")
    foot.get_by_text("Numbers and files").click()
    saved = {kind: _saved(gallery, foot, kind) for kind in ("SVG", "PNG", "HTML")}
    words = re.findall(r'class="heatmap-label"><text[^>]*?fill: ([^;]+);', saved["SVG"].decode())
    assert words == [ink for _, ink in inks(gallery, number)]
    assert saved["PNG"].startswith(b"\x89PNG")
    alone = gallery.context.new_page()
    alone.set_content(saved["HTML"].decode(), timeout=PATIENCE)
    of_page = "[...document.querySelectorAll('.heatmap-label text')].map(t => t.style.fill)"
    eventually(lambda: alone.evaluate(of_page), words.__eq__)
    alone.close()


def _saved(page: Page, foot: Locator, kind: str) -> bytes:
    with page.expect_download() as download:
        foot.get_by_role("button", name=kind, exact=True).click()
    return Path(download.value.path()).read_bytes()


def _rgb(color: str) -> np.ndarray:
    """The parts of #RRGGBB or rgb(r, g, b), (3,)."""
    if color.startswith("#"):
        return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])
    return np.array([float(part) for part in color[4:-1].split(",")])


def _hex(parts: np.ndarray) -> str:
    return "#" + "".join(f"{round(part):02X}" for part in parts)
