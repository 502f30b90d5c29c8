"""Which browsers the tests find, and the Makefile; how their pages are asked."""

import re
from pathlib import Path

import pytest

from benchmarks import chromium

ROOT = Path(__file__).parents[2]


def test_the_makefile_looks_for_the_same_browsers():
    assert f"for name in {' '.join(chromium.NAMES)}; " in (ROOT / "Makefile").read_text()


def test_where_there_is_none_it_is_said(monkeypatch):
    monkeypatch.setattr(chromium.shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match=r"no Chromium here. On Debian: sudo apt-get"):
        chromium.executable()


# An `expect` of what is not there yet describes the whole page each time it looks: a quarter of a
# processor, where `wait_for` takes less than a tenth.
DEAR = re.compile(r"expect\(.*\)\.(to_be_visible|to_be_attached)\(")


def test_what_comes_later_is_waited_for_without_describing_the_page():
    tests = {file.name: file.read_text() for file in (ROOT / "tests" / "browser").glob("*.py")}
    assert len(tests) > 20
    assert {name: found for name, text in tests.items() if (found := DEAR.findall(text))} == {}
