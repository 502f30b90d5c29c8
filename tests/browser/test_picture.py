"""Pictures in a real browser: what must survive a rerun, the selection, the player, the theme."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Callable

import pytest
from playwright.sync_api import Download, Page, expect

from figures import theme
from tests.browser import dashboard
from tests.browser.conftest import PATIENCE, eventually
from tests.browser.pictures import drag, drawn, high, inside, plot, use_tool

pytestmark = pytest.mark.browser
MOVES = True  # a player that is opened plays

APP = "tests/browser/picture_app.py"
FAILED = ".mlscope-failed"
REGIONS, CONFUSION, CLUSTERS = 0, 1, 2  # the order of the pictures on the page
OUTLINE = [(0.15, 0.2), (0.45, 0.15), (0.47, 0.6), (0.2, 0.65)]  # of a lasso, parts of the plot


@pytest.fixture
def pictures(warm_page: Page, serve: Callable[[str], str]) -> Page:
    """The page of the three pictures, drawn."""
    return drawn(dashboard.visited(high(warm_page), f"{serve(APP)}/"))


@pytest.fixture(scope="module")
def modules(lasting_page: Page, serve: Callable[[str], str]) -> Page:
    """An empty page of the server, for what its modules do without a picture.

    The server has them since its first page, which may not have come yet.
    """
    opened(lasting_page, serve(APP))
    lasting_page.goto(f"{serve(APP)}/_stcore/health")
    return lasting_page


def opened(page: Page, url: str) -> Page:
    high(page).goto(url)
    return drawn(page)


def new_data(page: Page) -> None:
    """Move the slider that changes all data, and wait until the picture shows it."""
    first = "gd._fullData[1].x[0]"
    before = inside(page, REGIONS, first)
    page.get_by_role("slider", name="Spread").press("ArrowRight")
    eventually(lambda: inside(page, REGIONS, first), lambda now: now != before)


def rows_on_the_server(page: Page, *, other_than: list[int]) -> list[int]:
    """The selection that the server has shown on the page, once it has changed."""
    shown = page.get_by_text("rows: [")
    return eventually(
        lambda: json.loads(shown.inner_text().removeprefix("rows: ")),
        lambda rows: rows != other_than,
    )


def assert_lit(page: Page, number: int, rows: list[int]) -> None:
    """The marks that a picture draws full come to be exactly those of these rows."""
    lit = """[...new Set(gd._fullData.filter(t => t.meta === 'rows' && t.selectedpoints)
        .flatMap(t => t.selectedpoints.map(i => t.customdata[i])))].sort((a, b) => a - b)"""
    eventually(lambda: inside(page, number, lit), lambda now: now == rows)


def open_player(page: Page) -> None:
    """Open it and go to its end: it begins to play at the first step."""
    page.get_by_role("button", name="Play step by step").click()
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("End")
    page.get_by_text("step 12 of 12").wait_for()


def test_whoever_presses_play_sees_it_played_from_the_first_step(pictures):
    pictures.get_by_role("button", name="Play step by step").click()
    pictures.get_by_text(re.compile(r"step [1-4] of 12")).wait_for()
    pictures.get_by_role("button", name="Pause").wait_for()
    pictures.get_by_text("step 12 of 12").wait_for(timeout=15_000)
    pictures.get_by_role("button", name="Play", exact=True).wait_for()


def colors(page: Page, *, other_than: list[str] | None = None) -> list[str]:
    """The colours of the rows in the picture with the player, once they have changed."""
    return eventually(
        lambda: inside(page, CLUSTERS, "[...gd._fullData[0].marker.color]"),
        lambda now: now != other_than,
    )


def test_zoom_survives_new_data_of_another_range(pictures):
    drag(pictures, REGIONS, [(0.3, 0.2), (0.6, 0.5)])
    asked = "[gd._fullLayout.xaxis.range, [...gd._fullData[1].x], gd.layout.xaxis.autorangeoptions]"
    zoomed, x, own = eventually(
        lambda: inside(pictures, REGIONS, asked), lambda now: now[0][0] > now[2]["minallowed"]
    )
    new_data(pictures)
    after, new_x, new_own = inside(pictures, REGIONS, asked)
    assert own["minallowed"] < zoomed[0] < zoomed[1] < own["maxallowed"]
    assert new_x != x
    assert new_own != own
    assert after == zoomed
    plot(pictures, REGIONS).locator(".nsewdrag").dblclick()
    whole = [new_own["minallowed"], new_own["maxallowed"]]
    eventually(lambda: inside(pictures, REGIONS, "gd._fullLayout.xaxis.range"), whole.__eq__)


def test_an_axis_that_asks_for_no_range_any_more_shows_everything(pictures):
    asked = "[gd._fullLayout.xaxis.autorange, gd._fullLayout.xaxis.autorangeoptions?.minallowed]"
    bounded = inside(pictures, REGIONS, asked)
    pictures.get_by_text("Free axes").click()
    eventually(lambda: inside(pictures, REGIONS, asked), [True, None].__eq__)
    pictures.get_by_text("Free axes").click()
    eventually(lambda: inside(pictures, REGIONS, asked), bounded.__eq__)


def test_a_lasso_lights_the_same_rows_in_every_picture_and_stays(pictures):
    use_tool(pictures, REGIONS, "Lasso Select")
    drag(pictures, REGIONS, OUTLINE)
    rows = rows_on_the_server(pictures, other_than=[])
    assert 10 < len(rows) < 200
    assert_lit(pictures, REGIONS, rows)
    assert_lit(pictures, CLUSTERS, rows)
    new_data(pictures)
    assert_lit(pictures, REGIONS, rows)
    assert_lit(pictures, CLUSTERS, rows)
    assert inside(pictures, REGIONS, "gd._fullLayout.dragmode") == "lasso"
    pictures.get_by_text(f"{len(rows)} rows selected").first.wait_for()
    plot(pictures, CLUSTERS).locator(".nsewdrag").dblclick()
    assert rows_on_the_server(pictures, other_than=rows) == []
    assert_lit(pictures, REGIONS, [])
    assert_lit(pictures, CLUSTERS, [])


def test_a_box_in_the_other_picture_replaces_and_shift_adds(pictures):
    left, right = [(0.05, 0.05), (0.4, 0.6)], [(0.5, 0.05), (0.9, 0.5)]
    use_tool(pictures, CLUSTERS, "Box Select")
    drag(pictures, CLUSTERS, left)
    first = rows_on_the_server(pictures, other_than=[])
    pictures.keyboard.down("Shift")
    drag(pictures, CLUSTERS, right)
    pictures.keyboard.up("Shift")
    both = rows_on_the_server(pictures, other_than=first)
    drag(pictures, CLUSTERS, right)
    second = rows_on_the_server(pictures, other_than=both)
    assert not set(first) & set(second)
    assert both == sorted(first + second)
    assert_lit(pictures, REGIONS, second)


def test_a_click_on_a_cell_selects_its_rows(pictures):
    pictures.mouse.click(*cell_center(pictures, 1, 2))
    rows = rows_on_the_server(pictures, other_than=[])
    assert rows == inside(pictures, CONFUSION, "gd._fullData[0].customdata[1][2]")
    assert_lit(pictures, REGIONS, rows)
    pictures.get_by_role("button", name="Clear").first.click()
    assert rows_on_the_server(pictures, other_than=rows) == []


def test_rows_are_selected_by_keys_from_left_to_right(pictures):
    plot(pictures, REGIONS).focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        pictures.keyboard.press(key)
    first = rows_on_the_server(pictures, other_than=[])
    for key in ("End", " "):
        pictures.keyboard.press(key)
    both = rows_on_the_server(pictures, other_than=first)
    assert_lit(pictures, CLUSTERS, both)
    marks = """gd._fullData.filter(t => t.meta === 'rows')
        .flatMap(t => [...t.customdata].map((row, i) => [t.x[i], row]))"""
    by_x = [row for _, row in sorted(inside(pictures, REGIONS, marks))]
    assert sorted(both) == sorted([by_x[1], by_x[-1]])
    pictures.keyboard.press("Escape")
    assert rows_on_the_server(pictures, other_than=both) == []


def test_a_handle_answers_while_it_is_moved_and_python_hears_of_its_end(pictures):
    page = pictures
    page.get_by_text("Handle", exact=True).click()
    handle = page.get_by_role("slider", name="Bill of row 1")
    expect(handle).to_have_attribute("aria-valuetext", "c")
    handle.focus()
    page.keyboard.press("ArrowRight")
    expect(handle).to_have_text("d")
    page.keyboard.press("Home")
    expect(handle).to_have_attribute("aria-valuetext", "a")
    page.get_by_text("let go: None").wait_for()  # the keys have not come to rest
    page.get_by_text("let go: 35.0").wait_for()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    share = "gd._fullLayout.xaxis.d2p(55) - gd._fullLayout.xaxis.d2p(35)"
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + inside(page, REGIONS, share), y + 40, steps=4)
    expect(handle).to_have_text("e")
    page.get_by_text("let go: 35.0").wait_for()
    page.mouse.up()
    page.get_by_text("let go: 55.0").wait_for()
    assert inside(page, REGIONS, "gd._fullLayout.xaxis.range[0]") > 30  # nothing was zoomed


def cell_center(page: Page, i: int, j: int) -> tuple[float, float]:
    area = plot(page, CONFUSION).locator(".nsewdrag")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    return box["x"] + (j + 0.5) / 3 * box["width"], box["y"] + (i + 0.5) / 3 * box["height"]


def test_keys_step_the_player_forth_and_back_and_closing_it_shows_the_result_again(pictures):
    open_player(pictures)
    end = colors(pictures)
    pictures.keyboard.press("Home")
    start = colors(pictures, other_than=end)
    pictures.get_by_text("step 1 of 12").wait_for()
    pictures.keyboard.press("ArrowRight")
    second = colors(pictures, other_than=start)
    pictures.get_by_text("step 2 of 12").wait_for()
    pictures.keyboard.press("ArrowLeft")
    assert colors(pictures, other_than=second) == start
    pictures.keyboard.press("End")
    assert colors(pictures, other_than=start) == end
    assert {theme.class_color(k) for k in range(3)} == set(end)
    pictures.keyboard.press("Home")
    assert colors(pictures, other_than=end) == start
    pictures.get_by_role("button", name="Close the player").click()
    assert colors(pictures, other_than=start) == end
    pictures.get_by_role("button", name="Play step by step").wait_for()


def test_a_step_is_dragged_to_and_what_is_read_from_the_fit_said_to_be_of_the_end(pictures):
    caption = pictures.locator(".mlscope-picture figcaption").nth(CLUSTERS)
    expect(caption).to_have_text("Three clusters.")
    open_player(pictures)
    expect(caption).to_have_text("Three clusters.")
    pictures.keyboard.press("ArrowLeft")
    expect(caption).to_have_text("At the end: Three clusters.")
    dragging_the_curve_scrubs(pictures)
    pictures.get_by_role("button", name="Close the player").click()
    expect(caption).to_have_text("Three clusters.")


def test_space_plays_to_the_end_and_the_picture_shows_it(pictures):
    open_player(pictures)
    end = colors(pictures)
    pictures.get_by_role("slider", name="Step").focus()
    pictures.keyboard.press("Home")
    colors(pictures, other_than=end)
    pictures.get_by_label("Speed").select_option("4")
    pictures.get_by_role("slider", name="Step").press(" ")
    pictures.get_by_role("button", name="Pause").wait_for()
    pictures.get_by_text("step 12 of 12").wait_for()
    pictures.get_by_role("button", name="Play", exact=True).wait_for()
    eventually(lambda: colors(pictures), end.__eq__)


def test_a_rerun_leaves_the_player_and_the_div_where_they_are(pictures):
    open_player(pictures)
    inside(pictures, CLUSTERS, "gd.dataset.mark = 'kept'")
    end = colors(pictures)
    pictures.keyboard.press("Home")
    start = colors(pictures, other_than=end)
    pictures.keyboard.press("ArrowRight")
    pictures.get_by_text("step 2 of 12").wait_for()
    before = colors(pictures, other_than=start)
    pictures.get_by_text("Notice").click()
    pictures.get_by_text("Something above the pictures.").wait_for()
    pictures.get_by_text("step 2 of 12").wait_for()
    assert inside(pictures, CLUSTERS, "gd.dataset.mark") == "kept"
    assert colors(pictures) == before
    new_data(pictures)  # another recording starts at its end
    pictures.get_by_text("step 12 of 12").wait_for()


def test_a_picture_that_is_moved_in_the_page_keeps_the_focus(page, serve):
    pictures = opened(page, serve(APP))
    pictures.get_by_text("Numbers and files").first.focus()
    pictures.evaluate("document.activeElement.closest('.mlscope-picture').remove()")
    pictures.wait_for_timeout(1500)  # as a busy browser takes between the two places
    pictures.get_by_label("Notice").evaluate("box => box.click()")  # which takes no focus
    pictures.get_by_text("Something above the pictures.").wait_for()
    eventually(
        lambda: pictures.evaluate("document.activeElement.innerText"), "Numbers and files".__eq__
    )


def test_python_hears_of_a_step_only_when_asked(pictures):
    open_player(pictures)
    pictures.keyboard.press("ArrowLeft")
    pictures.keyboard.press("ArrowLeft")
    pictures.get_by_text("step 10 of 12").wait_for()
    pictures.get_by_text("Notice").click()  # a rerun, which would show what Python had heard
    pictures.get_by_text("Something above the pictures.").wait_for()
    pictures.get_by_text("linked step: None").wait_for()
    pictures.get_by_role("button", name="Link to this step").click()
    pictures.get_by_text("linked step: 10").wait_for()


def test_a_player_without_steps_says_why_and_the_picture_stands(pictures):
    pictures.get_by_text("Failing player").click()
    pictures.get_by_role("button", name="Play step by step").click()
    pictures.get_by_text("There are no steps to play; the method").wait_for()
    expect(pictures.get_by_role("button", name="Play step by step")).to_be_enabled()
    assert len(colors(pictures)) == 240
    pictures.get_by_text("Failing player").click()
    pictures.get_by_text("step 12 of 12").wait_for()


def dragging_the_curve_scrubs(pictures: Page) -> None:
    track = pictures.get_by_role("slider", name="Step")
    track.scroll_into_view_if_needed()
    box = track.bounding_box()
    y = box["y"] + box["height"] / 2
    pictures.mouse.move(box["x"] + 0.9 * box["width"], y)
    pictures.mouse.down()
    pictures.mouse.move(box["x"] + 2 / 11 * box["width"], y, steps=5)
    pictures.mouse.up()
    pictures.get_by_text("step 3 of 12").wait_for()
    expect(track).to_have_attribute("aria-valuetext", re.compile("^step 3 of 12, inertia "))


def test_the_browser_turns_a_figure_dark_as_python_does(modules):
    module = "/_stcore/bidi-components/mlscope.picture/colours.js"
    code = """async ([address, figure, theme]) =>
        (await import(address)).recoloured(figure, theme, theme.dark)"""
    fig = theme.figure(theme.go.Bar(y=[1], marker_color=[theme.band(theme.LIGHT.accent)]))
    light = theme.apply(fig)
    sent = [module, json.loads(light.to_json()), json.loads(json.dumps(theme.browser_theme()))]
    assert modules.evaluate(code, sent) == json.loads(theme.apply(fig, dark=True).to_json())


def test_a_picture_follows_the_theme_of_the_page(new_page, serve):
    """That which it finds, and that which the page changes to."""
    page = opened(new_page(color_scheme="dark"), serve(APP))
    for scheme, palette in (("dark", theme.DARK), ("light", theme.LIGHT)):
        page.emulate_media(color_scheme=scheme)
        eventually(lambda: inside(page, REGIONS, "gd._fullLayout.font.color"), palette.text.__eq__)


def test_files_have_the_numbers_and_work_alone(pictures):
    pictures.get_by_text("Numbers and files").nth(CONFUSION).click()
    table = pictures.get_by_role("region", name="Numbers").get_by_role("row")
    expect(table).to_have_text(["speciesrows", "Adelie67", "Chinstrap90", "Gentoo83"])
    lines = list(csv.reader(io.StringIO(downloaded(pictures, "CSV"))))
    assert lines == [["species", "rows"], ["Adelie", "67"], ["Chinstrap", "90"], ["Gentoo", "83"]]
    assert downloaded(pictures, "SVG").startswith("<svg")
    alone = pictures.context.new_page()
    alone.set_content(downloaded(pictures, "HTML"))
    alone.locator(".main-svg").first.wait_for(timeout=PATIENCE)
    assert alone.evaluate("document.querySelector('#picture')._fullData[0].z[0].length") == 3


def test_a_png_says_what_it_comes_from(modules):
    module = "/_stcore/bidi-components/mlscope.picture/png.js"
    code = """async ([module, text]) => {
        const bare = document.createElement("canvas").toDataURL();
        const { described } = await import(module);
        const bytes = await (await fetch(described(bare, text))).bytes();
        return [[...bytes], atob(bare.split(",")[1]).length];
    }"""
    text = "run 0b37, Größe 8 × 8"
    found, bare = modules.evaluate(code, [module, text])
    png = bytes(found)
    length, rest = int.from_bytes(png[33:37], "big"), png[37:]
    block, checked = rest[: 4 + length], rest[4 + length : 8 + length]
    assert block == b"iTXtDescription\0\0\0\0\0" + text.encode()
    assert int.from_bytes(checked, "big") == zlib.crc32(block)
    assert len(png) == bare + 12 + length


def downloaded(page: Page, kind: str) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=kind, exact=True).click()
    file: Download = waiting.value
    assert file.suggested_filename == f"confusion.{kind.lower()}"
    return file.path().read_text(encoding="utf-8")


def test_cells_that_a_spreadsheet_would_execute_are_made_harmless(modules):
    text = modules.evaluate(
        """async (address) => (await import(address)).csv(
            [{ name: "a", values: ["=1+1", "@x", "-2", "plain, text", "-x"] },
             { name: "b", values: [-2, 0.1, NaN, null, 1] }])""",
        "/_stcore/bidi-components/mlscope.picture/numbers.js",
    )
    lines = ["a,b", "'=1+1,-2", "'@x,0.1", "-2,", '"plain, text",', "'-x,1", ""]
    assert text == "\r\n".join(lines)


def test_stale_is_greyed_and_says_so(pictures):
    pictures.get_by_text("Stale").click()
    first = pictures.locator(".mlscope-picture").first
    expect(first).to_have_attribute("aria-busy", "true")
    opacity = "it => Number(getComputedStyle(it).opacity)"
    eventually(lambda: plot(pictures, REGIONS).evaluate(opacity), (0.5).__gt__)


def test_a_phone_shows_the_whole_picture_and_player(new_page, serve):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    opened(phone, serve(APP))
    open_player(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    for part in phone.locator(".mlscope-bar:visible > *").all():
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_a_picture_that_could_not_be_drawn_is_drawn_when_it_can_be(page, serve):
    """Plotly leaves half a picture behind, over which it fails with any other data too."""
    pictures = opened(page, serve(APP))
    pictures.evaluate("""() => {
        const react = Plotly.react;
        console.error = () => {}; // this once it is told on purpose
        Plotly.react = (gd, data, layout, config) => {
            Plotly.react = react;
            return react(gd, data, { ...layout, xaxis: { range: [0, 1e-320] } }, config);
        };
    }""")
    spread, failed = pictures.get_by_role("slider", name="Spread"), pictures.locator(FAILED)
    spread.press("ArrowRight")
    expect(failed).to_have_count(1)
    spread.press("ArrowRight")
    expect(failed).to_have_count(0)
    expect(pictures.get_by_text("could not be drawn")).to_have_count(0)
    expect(pictures.locator(".mlscope-plot .main-svg:first-child")).to_have_count(3)


def test_a_finger_on_a_picture_scrolls_the_page(new_page, serve):
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    opened(phone, serve(APP))
    box = plot(phone, REGIONS).bounding_box()
    finger = phone.context.new_cdp_session(phone)
    for kind, dy in [("touchStart", 0), *(("touchMove", -8 * k) for k in range(1, 15))]:
        at = {"x": box["x"] + 150, "y": box["y"] + 150 + dy}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    moved = "document.querySelector('[data-testid=stMain]').scrollTop"
    eventually(lambda: phone.evaluate(moved), lambda pixels: pixels > 50)


def test_a_picture_is_drawn_when_it_comes_near_the_screen(page, serve):
    page.set_viewport_size({"width": 1280, "height": 300})
    page.goto(serve(APP))
    drawn = page.locator(".mlscope-plot:has(.main-svg)")
    plot(page, REGIONS).locator(".main-svg").first.wait_for()
    plot(page, CLUSTERS).wait_for(state="attached")
    page.wait_for_timeout(500)  # in which all would be drawn
    expect(plot(page, CLUSTERS).locator(".main-svg")).to_have_count(0)
    high = inside(page, CLUSTERS, "gd.offsetHeight")
    plot(page, CLUSTERS).scroll_into_view_if_needed()
    plot(page, CLUSTERS).locator(".main-svg").first.wait_for()
    assert inside(page, CLUSTERS, "gd.offsetHeight") == high  # nothing moves under the reader
    expect(drawn).to_have_count(3)


def test_a_picture_that_only_passes_the_screen_is_not_drawn(page, serve):
    page.set_viewport_size({"width": 1280, "height": 300})
    page.goto(serve(APP))
    plot(page, REGIONS).locator(".main-svg").first.wait_for()
    # As one does that is laid out before the picture above it is.
    page.evaluate("""async () => {
        const main = document.querySelector('[data-testid=stMain]');
        const frame = () => new Promise(requestAnimationFrame);
        main.scrollTop = main.scrollHeight;
        await frame().then(frame);
        main.scrollTop = 0;
    }""")
    page.wait_for_timeout(500)
    expect(plot(page, CLUSTERS).locator(".main-svg")).to_have_count(0)


def test_a_page_is_printed_with_all_its_pictures(page, serve):
    page.set_viewport_size({"width": 1280, "height": 300})
    page.goto(serve(APP))
    plot(page, CLUSTERS).wait_for(state="attached")
    plot(page, REGIONS).locator(".main-svg").first.wait_for()
    page.pdf()
    expect(page.locator(".mlscope-plot:has(.main-svg)")).to_have_count(3)


def test_plotly_is_loaded_once_and_kept(new_page, serve):
    page = new_page(locale="en-GB")  # a private profile, which has loaded nothing
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, serve(APP))
    assert sum("plotly.min.js" in url for url in asked) == 1
    took = """performance.getEntriesByType('resource')
        .filter(e => e.name.includes('plotly.min.js')).map(e => e.transferSize)"""
    assert page.evaluate(took)[0] > 1_000_000
    opened(page, serve(APP))
    assert page.evaluate(took) == [0]  # from the browser's own store
