"""A table that a person brings: read, looked at, learned from, and kept to the session."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import dashboard
from tests.browser.conftest import eventually

pytestmark = pytest.mark.browser
MOVES = True  # a player that is opened plays

# 90 rows, semicolons, decimal commas, latin-1, dates with the day first, gaps in two columns.
GERMAN = Path(__file__).parent / "files" / "pruefung.csv"


@pytest.fixture
def uploaded(warm_page: Page, serve: Callable[[str], str]) -> Page:
    """The Data page with the German table."""
    page = dashboard.visited(warm_page, f"{serve('app.py')}/data")
    bring(page, GERMAN)
    page.locator(".st-key-read-as").wait_for()
    return dashboard.settled(page)


def bring(page: Page, file: Path | dict) -> None:
    page.get_by_role("radio", name="Upload").click()
    page.locator("input[type=file]").set_input_files(file)


def read_as(page: Page) -> list[str]:
    return page.locator(".st-key-read-as [data-testid=stPopover] button p").all_inner_texts()


def decide(page: Page, now: str, label: str, option: str) -> None:
    page.locator(".st-key-read-as button").filter(has_text=now).click()
    dashboard.choose(page, label, option)
    page.keyboard.press("Escape")


def test_every_decision_of_the_reading_is_shown_and_can_be_changed(uploaded):
    assert read_as(uploaded) == [
        "CP1252", "semicolon", "decimal comma", "no thousands mark", "header in row 1",
        "names in 1 row", "skip 0 lines", "leave out 0 lines below", "day.month.year",
    ]  # fmt: skip
    assert dashboard.strip(uploaded)[:4] == [
        "pruefung.csv", "90 rows", "4 of 5 columns", "Target: Stufe",
    ]  # fmt: skip
    uploaded.get_by_text("Seen to already").click()
    uploaded.get_by_text("Column 'Größe' has 5 missing values in 90 rows").wait_for()
    one_is_changed_and_what_cannot_be_read_so_is_read_as_before(uploaded)


def one_is_changed_and_what_cannot_be_read_so_is_read_as_before(uploaded: Page) -> None:
    decide(uploaded, "decimal comma", "Decimal", "decimal point")
    eventually(lambda: read_as(uploaded)[2], "decimal point".__eq__)
    decide(uploaded, "decimal point", "Decimal", "decimal comma")
    decide(uploaded, "CP1252", "Encoding", "UTF-16")
    uploaded.get_by_test_id("stAlert").wait_for()
    before = ["CP1252", "semicolon", "decimal comma"]
    eventually(lambda: read_as(uploaded)[:3], before.__eq__)
    assert dashboard.strip(uploaded)[3] == "Target: Stufe"


def test_from_the_file_to_the_score_and_back(uploaded):
    """The first minute: a file, its target, a score on test rows, the steps, and Back."""
    page = uploaded
    dashboard.change(page, "Target", "What is to be predicted", "Stadt")
    eventually(lambda: dashboard.strip(page)[3], "Target: Stadt".__eq__)
    dashboard.change(page, "Target", "What is to be predicted", "Stufe")
    dashboard.go_to(page, "Classification")
    assert "mean ± sd, 5 folds, n = 90" in dashboard.score(page)
    (marks,) = dashboard.dots(page).values()
    assert len(marks) == 5
    assert min(marks) > 0.6
    expect(page.locator(".st-key-score")).to_contain_text("largest class 0.333")
    play_by_keys(page)
    settings = dashboard.address(page)
    track, box = dashboard.knob(page, "Alpha")
    track.press("ArrowRight")
    eventually(lambda: dashboard.address(page), settings.__ne__)
    dashboard.settled(page)
    page.go_back()
    eventually(lambda: dashboard.address(page), settings.__eq__)
    expect(box).to_have_value("1")
    dashboard.no_fault(page)


def play_by_keys(page: Page) -> None:
    """Open the player, which begins to play, end it, and step back and forth by the arrow keys."""
    page.get_by_role("button", name="Play step by step").first.click()
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("End")
    step = page.get_by_text(re.compile(r"^step \d+ of \d+$"))
    last = eventually(step.inner_text, lambda text: len(set(re.findall(r"\d+", text))) == 1)
    seen = [last]
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        seen.append(eventually(step.inner_text, seen[-1].__ne__))
    assert seen[1] == seen[3]
    assert seen[4] == last
    assert len(set(seen)) == 3


def test_a_reload_and_a_second_tab_find_the_table_again_another_session_does_not(
    uploaded, new_page
):
    pairs = dashboard.address(uploaded)
    again = dashboard.opened(uploaded, uploaded.url)
    assert dashboard.address(again) == pairs
    assert dashboard.strip(again)[:2] == ["pruefung.csv", "90 rows"]
    decide(again, "decimal comma", "Decimal", "decimal point")  # the file is there too
    eventually(lambda: read_as(again)[2], "decimal point".__eq__)
    decide(again, "decimal point", "Decimal", "decimal comma")
    second = dashboard.opened(uploaded.context.new_page(), uploaded.url)
    assert dashboard.strip(second)[:2] == ["pruefung.csv", "90 rows"]
    dashboard.go_to(second, "Classification")
    assert "n = 90" in dashboard.score(second)
    another_session_does_not_see_the_table(uploaded, new_page)


def another_session_does_not_see_the_table(uploaded: Page, new_page: Callable[..., Page]) -> None:
    other = dashboard.opened(new_page(), uploaded.url)
    other.get_by_text("uploaded tables stay with the person").wait_for()
    expect(other.get_by_text("Prüfstück")).to_have_count(0)
    bring(other, GERMAN)  # as the sentence asks
    eventually(lambda: dashboard.strip(other)[:2], ["pruefung.csv", "90 rows"].__eq__)


NO_TABLES = {
    b"": "The file is empty.",
    b"\x89PNG\r\n\x1a\n" + bytes(range(256)): "a picture",
    b"a,b,c\n": "and no rows",
}


def test_a_file_that_is_no_table_gives_its_sentence_and_the_old_table_stays(uploaded):
    before = dashboard.strip(uploaded)
    for content, says in NO_TABLES.items():
        bring(uploaded, {"name": "strange.csv", "mimeType": "text/csv", "buffer": content})
        expect(uploaded.get_by_test_id("stAlert")).to_contain_text(says)
        assert dashboard.strip(uploaded) == before
        dashboard.no_fault(uploaded)


def test_names_that_look_like_markup_are_shown_letter_by_letter(warm_page, serve):
    """Nothing of a file is taken for HTML, Markdown, a formula, a link or a spreadsheet's order."""
    names = ["<img src=x>", "$x^2$", "[link](http://a.bc)", "**bold**", ":red[alarm]", "a|b", "😀"]
    rows = [
        ",".join(f"{(7 * i + 3 * j) % 11}" for j in range(len(names))) + f",<b>{'ab'[i % 2]}</b>"
        for i in range(40)
    ]
    table = "\n".join([",".join([*names, "<script>alert(1)</script>"]), *rows]).encode()
    name = "<b>_mine_</b>.csv"
    page = dashboard.visited(warm_page, f"{serve('app.py')}/data")
    bring(page, {"name": name, "mimeType": "text/csv", "buffer": table})
    eventually(lambda: dashboard.strip(page)[0], name.__eq__)
    target = "Target: <script>alert(1)</script>"
    assert dashboard.strip(page)[3] == target
    no_markup(page)
    dashboard.go_to(page, "Classification")
    assert dashboard.strip(page)[3] == target
    no_markup(page)
    page.get_by_role("link", name="Preprocessing").click()
    page.wait_for_url("**/preprocessing*")
    dashboard.settled(page)
    expect(page.get_by_text("The method gets")).to_contain_text("$x^2$, [link](")
    no_markup(page)


def no_markup(page: Page) -> None:
    main = page.get_by_test_id("stMain")
    for tag in ("img[src=x]", "a[href*='a.bc']", "script", ".katex >> text=x^2"):
        expect(main.locator(tag)).to_have_count(0)
    expect(main.locator("strong, b, tspan[style*=bold]").filter(has_text="bold")).to_have_count(0)
    dashboard.no_fault(page)
