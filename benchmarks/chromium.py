"""Which Chromium drives our pages, in tests and benchmarks."""

from __future__ import annotations

import shutil

# The one without windows draws the same pages with an eighth less of the processor. The Makefile
# looks for the same names.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def executable() -> str:
    """The first of them that is installed; raises RuntimeError where none is."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise RuntimeError("There is no Chromium here. On Debian: sudo apt-get install chromium")
    return path
