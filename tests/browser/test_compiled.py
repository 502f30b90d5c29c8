"""What a browser has compiled once it does not compile again."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page

from tests.browser.test_picture import APP, opened

pytestmark = pytest.mark.browser

COMPILING = "disabled-by-default-v8.compile"


def passed_over(page: Page, url: str) -> int:
    """Functions that are passed over, to find their end, while this address loads."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=[COMPILING])
    opened(page, url)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    return sum(event["name"] == "V8.PreParse" for event in events)


def test_plotly_is_compiled_once_whatever_the_address(page, serve):
    """It has some fifty thousand functions, and every control changes the address."""
    for address in ("", "?a=1"):  # what is met a second time is kept
        opened(page, f"{serve(APP)}/{address}")
    assert passed_over(page, f"{serve(APP)}/?a=2") < 10_000
