"""Files of several sorts brought in the browser, and kinds and roles changed in the table."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Page

from tests.browser import dashboard
from tests.browser.conftest import eventually

pytestmark = pytest.mark.browser

ROWS = 60
TABLE = pd.DataFrame(
    {
        "size": [round(1.5 + 0.1 * i, 1) for i in range(ROWS)],
        "floor": [i % 3 for i in range(ROWS)],
        "grade": ["low" if i % 2 else "high" for i in range(ROWS)],
    }
)


def workbook() -> bytes:
    """A workbook of two sheets with tables, as Excel writes them."""
    content = io.BytesIO()
    with pd.ExcelWriter(content, engine="openpyxl") as writer:
        TABLE.to_excel(writer, sheet_name="spring", index=False)
        TABLE.head(40).to_excel(writer, sheet_name="autumn", index=False)
    return content.getvalue()


def open_document() -> bytes:
    """A sheet as OpenDocument programs write it."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    space = "urn:oasis:names:tc:opendocument:xmlns"
    lines = [[_cell(name) for name in TABLE], *(map(_cell, row) for row in TABLE.to_numpy())]
    rows = "".join(f"<table:table-row>{''.join(line)}</table:table-row>" for line in lines)
    body = (
        f'<office:document-content xmlns:office="{space}:office:1.0" '
        f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="one">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("mimetype", kind)
        packed.writestr("content.xml", body)
        packed.writestr("META-INF/manifest.xml", manifest)
    return content.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, str):
        kind = 'office:value-type="string"'
    else:
        kind = f'office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {kind}><text:p>{value}</text:p></table:table-cell>"


FILES = {
    "mine.xlsx": workbook,
    "mine.ods": open_document,
    "mine.parquet": lambda: TABLE.to_parquet(index=False),
}


def text() -> bytes:
    return TABLE.to_csv(index=False).encode()


@pytest.fixture(scope="module")
def data_page(lasting_page: Page, serve: Callable[[str], str]) -> Page:
    """The Data page, open for a file."""
    dashboard.opened(lasting_page, f"{serve('app.py')}/data")
    lasting_page.get_by_role("radio", name="Upload").click()
    return dashboard.settled(lasting_page)


def bring(page: Page, name: str, content: bytes) -> Page:
    file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.locator("input[type=file]").set_input_files(file)
    eventually(lambda: dashboard.strip(page)[0], name.__eq__)
    return dashboard.settled(page)


def test_typed_files_give_their_table(data_page):
    for name, made in FILES.items():
        page = bring(data_page, name, made())
        assert dashboard.strip(page)[1:4] == ["60 rows", "2 of 2 columns", "Target: grade"]
        dashboard.no_fault(page)


def test_another_sheet_of_a_workbook_is_chosen(data_page):
    page = bring(data_page, "mine.xlsx", workbook())
    page.locator(".st-key-read-as button").filter(has_text="spring").click()
    dashboard.choose(page, "Sheet", "autumn")
    eventually(lambda: dashboard.strip(page)[1], "40 rows".__eq__)
    dashboard.no_fault(page)


def test_lines_that_do_not_fit_are_named_with_their_cells(data_page):
    lines = text().decode().splitlines()
    lines[12:12] = ["9.9,1,low,lost"]
    lines.append("Source: a friend")
    page = bring(data_page, "ragged.csv", "\n".join(lines).encode())
    page.get_by_text("Line 13 has more than 3 cells").wait_for()
    page.get_by_text("Line 63 below the table was left out").wait_for()
    page.get_by_text("1 line with too few or too many cells").click()
    assert dashboard.strip(page)[1] == "61 rows"
    page.get_by_role("button", name="Keep as rows").click()
    eventually(lambda: dashboard.strip(page)[1], "61 of 62 rows".__eq__)
    dashboard.no_fault(page)


def test_a_kind_and_a_role_are_changed_in_the_table_and_undone(data_page):
    page = bring(data_page, "mine.csv", text())
    page.get_by_role("button", name="Make nominal").click()
    eventually(lambda: decided(page), {"data.kinds": "floor:nominal"}.__eq__)
    dashboard.choose_in_columns(page, 0, "Role", "ignore")
    eventually(lambda: dashboard.strip(page)[2], "1 of 2 columns".__eq__)
    assert dashboard.address(page)["data.roles"] == "size:ignore"
    for left in ({"data.kinds": "floor:nominal"}, {}):
        page.get_by_role("button", name="Undo").click()
        eventually(lambda: decided(page), left.__eq__)
        dashboard.settled(page)
    page.get_by_role("button", name="Make nominal").click()
    page.get_by_text("Column 'floor' is read as nominal.").wait_for()
    page.get_by_role("button", name="Take back").click()
    eventually(lambda: decided(page), {}.__eq__)
    dashboard.no_fault(page)


def decided(page: Page) -> dict[str, str]:
    """What the address says of kinds and roles."""
    pairs = dashboard.address(page)
    return {name: pairs[name] for name in ("data.kinds", "data.roles") if name in pairs}
