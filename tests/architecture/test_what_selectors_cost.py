"""A style sheet asks few elements what is in them: that is asked again whenever a page changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ui

SHEETS = sorted(Path(ui.__file__).parent.rglob("*.css"))
# `:has`, perhaps within `:not`, where nothing before says of which elements.
OF_ANY = re.compile(r"(?:^|[\s>+~,}])\*?(?::not\()?:has\(", re.MULTILINE)


@pytest.mark.parametrize(
    "selector", [":has(> img)", "a > :has(b)", "a *:not(:has(b))", "a,:has(b)"]
)
def test_such_selectors_are_noticed(selector):
    assert OF_ANY.search(selector)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_what_is_in_an_element_is_asked_of_elements_of_a_kind(sheet):
    """Asked of all, one of them took half of the time in which a page found its styles."""
    said = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
    assert not [line for line in said.splitlines() if OF_ANY.search(line)]
