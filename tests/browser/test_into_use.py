"""What people do: read reasons, predict for a second file, and come back after a restart."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import dashboard
from tests.browser.conftest import ROOT, eventually, started
from tests.browser.test_upload import GERMAN, bring

pytestmark = pytest.mark.browser

HEAD, *LINES = GERMAN.read_bytes().decode("latin-1").splitlines()
# The first thirty rows without their second column, as a person exports them the next month.
NEW = "\n".join(
    ";".join(cells[:1] + cells[2:]) for cells in (line.split(";") for line in (HEAD, *LINES[:30]))
).encode("latin-1")


def test_from_a_file_to_its_reasons_and_to_the_predictions_for_another(warm_page, serve):
    page = dashboard.visited(warm_page, f"{serve('app.py')}/data")
    bring(page, GERMAN)
    page.locator(".st-key-read-as").wait_for()
    dashboard.go_to(page, "Classification")
    assert "n = 90" in dashboard.score(page)

    page.get_by_role("tab", name="Explain").click()
    main = page.get_by_test_id("stMain")
    dashboard.says(page, "rows left out, 5 folds x 10 shuffles")
    dashboard.settled(page)
    names = dashboard.picture(page, "Importance").locator(".ytick")

    def own_columns() -> int:
        texts = names.all_text_contents()
        return sum(any(own in text for text in texts) for own in HEAD.split(";"))

    eventually(own_columns, (3).__le__)
    dashboard.no_fault(page)

    page.get_by_role("tab", name="Predict").click()
    dashboard.settled(page)
    file = {"name": "neu.csv", "mimeType": "text/csv", "buffer": NEW}
    page.locator("input[type=file]").last.set_input_files(file)
    dashboard.says(page, "Score on the new rows")
    dashboard.settled(page)
    dashboard.says(page, "cross-validated.")
    cost = main.get_by_text("the model uses it; shuffled, accuracy is")  # as importance said
    expect(cost).to_have_count(1)  # the column that is missing
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    lines = download.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 31
    assert lines[0].startswith("Größe")
    dashboard.no_fault(page)


def names_of_cookies(page: Page) -> set[str]:
    return {cookie["name"] for cookie in page.context.cookies()}


def test_the_work_is_there_after_the_server_was_started_anew(page, tmp_path):
    """On another port: a browser knows a machine by its name, and the folder is the same."""
    app, log, place = ROOT / "app.py", tmp_path / "app.log", {"MLSCOPE_STORE": str(tmp_path)}
    server = started(app, log, **place)
    try:
        dashboard.opened(page, f"{server.url}/data")
        bring(page, GERMAN)
        page.locator(".st-key-read-as").wait_for()
        dashboard.go_to(page, "Classification")
        assert "n = 90" in dashboard.score(page)
        dashboard.settled(page)
        address = page.url.removeprefix(server.url)
        page.goto("about:blank")  # a page looks for its server, and complains that it is gone
    finally:
        server.process.terminate()
        server.process.wait(timeout=20)
    server = started(app, log, **place)
    try:
        dashboard.opened(page, f"{server.url}{address}")
        assert "n = 90" in dashboard.score(page)
        page.locator(".st-key-data-strip").get_by_role("button", name="Runs").click()
        page.get_by_text("Runs of this session").last.wait_for()
        page.get_by_text("pruefung.csv").last.wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a project").click()
        assert download.value.path().read_bytes().startswith(b"PK")
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="Predict").click()  # and goes on
        dashboard.settled(page)
        file = {"name": "neu.csv", "mimeType": "text/csv", "buffer": NEW}
        page.locator("input[type=file]").last.set_input_files(file)
        dashboard.says(page, "Score on the new rows")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download CSV").click()
        assert len(download.value.path().read_text(encoding="utf-8-sig").splitlines()) == 31
        dashboard.no_fault(page)

        page.get_by_role("link", name="Data", exact=True).click()  # and closes the browser
        dashboard.settled(page)
        page.get_by_role("radio", name="Upload").click()
        page.get_by_text("Also after this browser is closed").click()
        dashboard.says(page, "also after it was closed")
        eventually(lambda: "mlscope_browser" in names_of_cookies(page), bool)
        page.goto("about:blank")
        page.context.clear_cookies(name="_streamlit_xsrf")
        dashboard.opened(page, f"{server.url}{address}")
        assert "n = 90" in dashboard.score(page)
        page.goto("about:blank")
    finally:
        server.process.terminate()
        server.process.wait(timeout=20)
