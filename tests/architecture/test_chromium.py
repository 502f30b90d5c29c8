"""Which browsers the tests find, and the Makefile."""

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
