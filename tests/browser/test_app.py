"""The dashboard in a real browser: links, controls, pictures, downloads, long runs, every page."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Download, Locator, Page, expect

from mlcore.runs.run import Run, from_json
from tests.browser import dashboard
from tests.browser.conftest import ROOT, eventually
from tests.browser.looks import (
    DARK,
    LIGHT,
    accessible,
    fits_the_width,
    has_background,
    no_card_is_half_empty,
    nothing_lies_on_another,
    whole,
)

pytestmark = pytest.mark.browser

# Each page with another kind of table: of numbers, of both kinds, without a target. That all pages
# work with all tables is tested without a browser.
LOOKED_AT = (
    "data?data=penguins", "preprocessing?data=wine", "dimensionality_reduction?data=wine",
    "clustering?data=curve&data.target=none", "classification?data=penguins",
    "regression?data=curve&data.target=none", "kernels?data=wine", "compare?data=penguins",
    "neural_networks?data=wine",
    "sequences?data=market_regimes&preparation=",
    "sequential_decision_making?problem=grid_world",
)  # fmt: skip
PHONE = {"width": 390, "height": 844}
LONG = "clustering?data=blobs&data.source.n_samples=5000&method=kmeans&method.n_init=200" \
       "&evaluation=k_fold&evaluation.n_repeats=40&v=1"  # fmt: skip


@pytest.fixture
def show(warm_page: Page, serve: Callable[[str], str]) -> Callable[[str], Page]:
    """`show("clustering?data=wine&v=1")`: the page at this address, complete."""
    return lambda path: dashboard.visited(warm_page, f"{serve('app.py')}/{path}")


def test_the_address_of_a_run_shows_the_same_numbers_in_a_clean_browser(show, new_page):
    page = show("classification?data=penguins&method=logistic&v=1")
    page.get_by_text("Cross-validation").click()
    dashboard.knob(page, "Folds")[0].press("ArrowRight")
    eventually(lambda: dashboard.score(page), lambda text: "6 folds" in text)
    dashboard.settled(page)
    other = dashboard.opened(new_page(color_scheme="dark"), page.url)
    assert dashboard.score(other) == dashboard.score(page)
    assert dashboard.facts(other) == dashboard.facts(page)
    eventually(lambda: dashboard.dots(page), dashboard.dots(other).__eq__)
    assert dashboard.address(other) == dashboard.address(page)


def test_rows_selected_in_one_picture_are_lit_in_the_other_and_stay(show):
    page = show("regression?data=diabetes&method=ridge&v=1")
    first, second = (
        dashboard.picture(page, name) for name in ("Predicted against", "Fitted curve")
    )
    lasso(page, "Predicted against")
    rows = eventually(lambda: lit(second), bool)
    assert 5 < len(rows) < 437
    eventually(lambda: lit(first), rows.__eq__)
    drawn = "gd => [...gd._fullData[0].y]"
    before = first.evaluate(drawn)
    dashboard.knob(page, "Alpha")[0].press("ArrowRight")
    eventually(lambda: first.evaluate(drawn), lambda now: now != before)
    dashboard.settled(page)
    eventually(lambda: (lit(first), lit(second)), (rows, rows).__eq__)


def lasso(page: Page, title: str) -> None:
    """Draw a loop around the middle of a picture."""
    plot = dashboard.picture(page, title)
    area = plot.locator(".nsewdrag").first
    area.scroll_into_view_if_needed()
    area.hover()
    plot.locator("[data-title='Lasso Select']").click()
    box = area.bounding_box()
    corners = [(0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7)]
    (x, y), *others = [
        (box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in corners
    ]
    page.mouse.move(x, y)
    page.mouse.down()
    for x, y in others:
        page.mouse.move(x, y, steps=4)
    page.mouse.up()


def lit(plot) -> list[int]:
    """The rows that a picture draws full while the others fade."""
    return plot.evaluate(
        """gd => [...new Set(gd._fullData.filter(t => t.meta === 'rows' && t.selectedpoints)
        .flatMap(t => t.selectedpoints.map(i => t.customdata[i])))].sort((a, b) => a - b)"""
    )


def test_a_held_arrow_key_ends_with_value_box_and_address_of_one_mind(show):
    page = show("regression?data=diabetes&method=ridge&v=1")
    track, box = dashboard.knob(page, "Alpha")
    start = box.input_value()
    track.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
        time.sleep(0.03)
    eventually(box.input_value, start.__ne__)
    dashboard.settled(page)
    held = agreed(page, lambda value: value > 5 * float(start))  # 20 places of a logarithmic track
    page.go_back()
    agreed(page, lambda value: value < held)
    page.go_forward()
    agreed(page, held.__eq__)


def test_six_presses_of_a_key_are_one_entry_of_back_and_of_undo(show):
    page = show("clustering?data=iris&method=kmeans&v=1")
    track, box = dashboard.knob(page, "Number of clusters")
    entries, start = page.evaluate("history.length"), box.input_value()
    track.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    at_end = str(int(start) + 6)
    at_both(page, "Number of clusters", "method.n_clusters", at_end, start)
    expect(track).to_be_focused()
    assert page.evaluate("history.length") == entries + 1
    dashboard.settled(page)
    page.get_by_role("button", name="Undo").click()
    at_both(page, "Number of clusters", "method.n_clusters", start, start)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_the_value_beside_is_drawn_before_the_server_answers_once_and_taken_back(show):
    page = show("clustering?data=iris&method=kmeans&v=1")
    dashboard.knob(page, "Number of clusters")[0].press("ArrowRight")
    expect(page.locator(".st-key-ahead")).to_have_count(1)
    dashboard.settled(page)
    watch_main(page)
    dashboard.knob(page, "Number of clusters")[0].press("ArrowRight")
    eventually(lambda: page.evaluate("seen").count("sent the same"), bool)
    dashboard.settled(page)
    assert page.evaluate("seen") == ["foreseen", "drawn", "sent the same"]
    a_slider_that_is_pulled_there_and_back_has_its_own_picture_again(page)


def a_slider_that_is_pulled_there_and_back_has_its_own_picture_again(page: Page) -> None:
    track, _ = dashboard.knob(page, "Number of clusters")
    shown = "main().data.filename"
    before, there = page.evaluate(shown), track.get_attribute("aria-valuetext")
    page.mouse.move(*middle(track.locator("xpath=../..")))
    page.mouse.down()
    page.mouse.move(*middle(track.locator("xpath=../.."), right=24), steps=6)
    eventually(lambda: page.evaluate(shown), before.__ne__)
    page.mouse.move(*middle(track.locator("xpath=../.."), right=-24), steps=6)
    eventually(lambda: track.get_attribute("aria-valuetext"), there.__eq__)
    page.mouse.up()
    dashboard.settled(page)
    assert page.evaluate(shown) == before


def middle(place: Locator, right: float = 0) -> tuple[float, float]:
    """The middle of a place, or so many pixels to the right of it."""
    box = place.bounding_box()
    assert box
    return box["x"] + box["width"] / 2 + right, box["y"] + box["height"] / 2


def watch_main(page: Page) -> None:
    """Note in `seen` what becomes of the main picture, once it is drawn, in order."""
    eventually(lambda: page.evaluate(WATCH_MAIN), bool)


WATCH_MAIN = """() => {
  window.seen = [];
  window.main = () => [...document.querySelectorAll('.mlscope-picture')]
    .map((root) => root.parentElement.picture).find((one) => one.data.key === 'cluster_map');
  const picture = main();
  if (!picture?.drawn) return false;
  const { foresee, show } = Object.getPrototypeOf(picture);
  picture.foresee = function (sheet) { seen.push('foreseen'); foresee.call(this, sheet); };
  picture.show = function (data, report) {
    seen.push(data.figure === this.data.figure ? 'sent the same' : 'sent');
    show.call(this, data, report);
  };
  picture.plot.on('plotly_afterplot', () => seen.push('drawn'));
  return true;
}"""


def at_both(page: Page, label: str, pair: str, value: str, default: str) -> None:
    """Box and address say this value; links leave out the default."""
    begins = dashboard.knob(page, label)[1].input_value

    def said() -> tuple[str, str]:
        return begins(), dashboard.address(page).get(pair, default)

    eventually(said, (value, value).__eq__)


def agreed(page: Page, holds: Callable[[float], bool]) -> float:
    """The value of alpha, once track, box and address say the same and it holds."""

    def said() -> list[float]:
        track, box = dashboard.knob(page, "Alpha")
        linked = dashboard.address(page).get("method.alpha", "1")  # the default is left out
        texts = track.get_attribute("aria-valuetext"), linked
        return [float(text) for text in (box.input_value(), *texts)]

    def alike(values: list[float]) -> bool:
        return values == pytest.approx([values[0]] * 3, rel=0.03) and holds(values[0])

    return eventually(said, alike)[0]


def test_a_target_chosen_in_the_table_of_columns_is_the_target_of_the_strip(show):
    page = show("data?data=penguins&v=1")
    for row, name in ((1, "island"), (6, "sex"), (0, "species")):
        dashboard.choose_in_columns(page, row, "Role", "target")
        eventually(lambda: dashboard.strip(page)[3], f"Target: {name}".__eq__)
    assert dashboard.strip(page)[2] == "6 of 6 columns"
    assert "data.roles" not in dashboard.address(page)


def test_undo_redo_and_presets_change_controls_and_address_together(show):
    page = show("clustering?data=wine&method=kmeans&v=1")
    first = dashboard.address(page)
    page.get_by_role("button", name="Examples").click()
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="Fails: rings").click()
    eventually(lambda: dashboard.address(page), first.__ne__)
    dashboard.settled(page)
    preset = dashboard.address(page)
    assert dashboard.strip(page)[0] != "Wine"
    page.get_by_role("button", name="Undo").click()
    eventually(lambda: (dashboard.address(page), dashboard.strip(page)[0]), (first, "Wine").__eq__)
    dashboard.settled(page)
    page.get_by_role("button", name="Redo").click()
    eventually(lambda: dashboard.address(page), preset.__eq__)


def test_what_is_taken_away_is_what_is_on_the_screen(show, tmp_path):
    page = show("classification?data=penguins&method=logistic&v=1")
    shown, said_of_rows = (
        dashboard.score(page),
        page.get_by_text("rows are predicted right").first.inner_text(),
    )
    page.get_by_role("tab", name="Take it away").click()
    run, _ = Run.from_link(dashboard.address(page))
    saved = taken(page, "Run as JSON")
    assert from_json(text_of(saved)) == run
    assert saved.suggested_filename == f"logistic-{run.short()}.json"
    scores = rows_of(taken(page, "Scores of each fold"))
    accuracies = [float(line["accuracy"]) for line in scores]
    assert accuracies == next(iter(dashboard.dots(page).values()))
    assert f"{sum(accuracies) / 5:.3f}" in shown
    predictions = rows_of(taken(page, "Predictions on test rows"))
    assert taken(page, "Scores of each fold").suggested_filename.startswith(
        f"logistic-{run.short()}-"
    )
    assert sorted(int(line["row"]) for line in predictions) == list(range(1, 345))
    right = [line["predicted"] == line["true species"] for line in predictions]
    assert f"{sum(right)} of 344 rows are predicted right" in said_of_rows
    assert all(
        abs(sum(float(v) for k, v in line.items() if k.startswith("probability")) - 1) < 1e-9
        for line in predictions
    )
    said = carried_out(taken(page, "Python script"), tmp_path)
    assert f"mean {sum(accuracies) / 5!r}" in said
    assert [f"  fold {k}: {score!r}" for k, score in enumerate(accuracies, 1)] == [
        line for line in said.split("\n") if line.startswith("  fold")
    ][:5]


def taken(page: Page, label: str) -> Download:
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=label).click()
    return download.value


def text_of(download: Download) -> str:
    return Path(download.path()).read_text("utf-8")


def rows_of(download: Download) -> list[dict[str, str]]:
    """The lines of a CSV file, of which the first names the columns."""
    return list(csv.DictReader(io.StringIO(text_of(download))))


def carried_out(script: Download, folder: Path) -> str:
    """What the script says in a process of its own, with the one thread of the server."""
    found = subprocess.run(
        [sys.executable, script.path()],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MLSCOPE_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
    return found.stdout


def test_stop_ends_a_long_run_and_keeps_the_finished_folds(show):
    page = show(LONG)
    begins = page.get_by_role("button").filter(has=page.get_by_text("Run", exact=True))
    begins.wait_for()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_test_id("stProgress")).to_contain_text("of 200", timeout=60_000)
    page.get_by_text("Stopping keeps the").wait_for(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    note = page.get_by_text("The run was stopped after")
    note.wait_for()  # left alone it would go on for minutes
    dashboard.settled(page)
    folds = int(note.inner_text().split("after ")[1].split(" ")[0])
    assert 1 <= folds < 200
    assert f"mean ± sd, {folds} fold" in dashboard.score(page)
    (marks,) = dashboard.dots(page).values()
    assert len(marks) == folds
    dashboard.no_fault(page)


@pytest.mark.parametrize("address", LOOKED_AT)
def test_every_page_is_whole_in_light_in_dark_and_on_a_phone(warm_page, serve, address):
    warm_page.emulate_media(reduced_motion="no-preference")
    page = dashboard.visited(warm_page, f"{serve('app.py')}/{address}&v=1")
    whole(page, LIGHT)
    nothing_lies_on_another(page)
    no_card_is_half_empty(page)
    accessible(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    whole(page, DARK)
    fits_the_width(page)
    nothing_lies_on_another(page)
    accessible(page)


STRIP = ".st-key-data-strip"
EXPLAINED = "classification?data=penguins&method=logistic&view.tab=explain&v=1"
SEEN = """e => { const { left, top, right, bottom } = e.getBoundingClientRect();
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight; }"""


def test_tabs_popovers_and_runs_are_accessible_and_fit_a_phone(new_page, serve):
    page = dashboard.opened(
        new_page(viewport=PHONE, color_scheme="light"), f"{serve('app.py')}/{EXPLAINED}"
    )
    fits_and_is_accessible(page)
    tabs = page.get_by_role("tablist").first  # none of them is to the side, where nobody looks
    assert tabs.evaluate("tabs => tabs.scrollWidth - tabs.clientWidth") <= 0
    page.get_by_role("tab", name="Predict").click()
    fits_and_is_accessible(dashboard.settled(page))
    buttons = page.locator(f"{STRIP} [data-testid=stPopover] button").filter(visible=True)
    for place in range(buttons.count()):
        buttons.nth(place).click()
        body = page.get_by_test_id("stPopoverBody").filter(visible=True)
        eventually(lambda body=body: body.evaluate(SEEN), bool)
        # What it opens, and who opened it; the rest of the page was looked at before.
        accessible(dashboard.settled(page), include=[["[data-testid=stPopoverBody]"], [STRIP]])
        page.keyboard.press("Escape")
        expect(body).to_have_count(0)
    page.locator(".st-key-data-strip").get_by_role("button", name="Runs").click()
    page.get_by_role("link", name="All of them as a table").click()
    page.get_by_role("heading", name="Runs").wait_for()
    fits_and_is_accessible(dashboard.settled(page))
    page.emulate_media(color_scheme="dark")
    has_background(page, DARK)
    accessible(page)


def fits_and_is_accessible(page: Page) -> None:
    dashboard.all_drawn(page)
    fits_the_width(page)
    nothing_lies_on_another(page)
    accessible(page)


@pytest.mark.parametrize("name", ["start", "methods"])
def test_a_page_without_data_is_whole_on_a_phone(new_page, serve, name):
    page = new_page(viewport=PHONE, color_scheme="light")
    dashboard.opened(page, f"{serve('app.py')}/{name}")
    expect(page.get_by_text("Page not found")).to_have_count(0)  # Start, which is at the root
    whole(page, LIGHT)
    fits_the_width(page)
    nothing_lies_on_another(page)


def test_a_tree_that_is_wider_than_a_phone_begins_at_its_root(new_page, serve):
    page = new_page(viewport=PHONE, color_scheme="light")
    address = "classification?data=penguins&method=decision_tree&v=1"
    dashboard.opened(page, f"{serve('app.py')}/{address}")
    tree = dashboard.picture(page, "Tree diagram")
    tree.scroll_into_view_if_needed()  # pictures that nobody came near to are not drawn
    tree.locator(".main-svg").first.wait_for()
    root = """gd => gd.getBoundingClientRect().left + gd._fullLayout.xaxis._offset
        + gd._fullLayout.xaxis.d2p(gd.layout.meta.start)"""
    eventually(lambda: tree.evaluate(root), lambda x: 60 < x < PHONE["width"] - 60)


def test_what_is_open_near_the_lower_edge_of_a_phone_is_in_sight(new_page, serve):
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    dashboard.opened(page, f"{serve('app.py')}/data?data=penguins&v=1")
    ways = page.get_by_role("button", name="Select rows").last  # a tip holds another, unseen
    ways.scroll_into_view_if_needed()
    ways.tap()  # the table above it once lay on it
    opened = page.get_by_test_id("stPopoverBody")
    expect(opened.get_by_role("textbox")).to_be_in_viewport(ratio=1)
    eventually(lambda: opened.evaluate("e => e.scrollHeight - e.clientHeight"), (0).__eq__)
