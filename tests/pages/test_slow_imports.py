"""What takes long to import is imported by whoever needs it, not by who opens a page."""

from __future__ import annotations

import subprocess
import sys

import pytest

OPENS = """
import sys
import streamlit as st
from streamlit.testing.v1 import AppTest
type(st.context).ip_address = None  # there is no server that would know one
at = AppTest.from_file("app.py", default_timeout=60)
at.switch_page("pages/{page}.py").run()
assert not at.exception, at.exception[0].stack_trace
print("gymnasium" in sys.modules)
"""
READS = """
import sys
from mlcore.catalogue import records
assert len(records()) > 100
print("gymnasium" in sys.modules)
"""
SHOWS_EXAMPLES = """
import sys
from mlcore.decisions.grid_world import GridWorld
from mlcore.runs.presets import trial_presets
from ui.trial.controls import suits
runs = [preset.run() for preset in trial_presets("decisions")]
assert {suits(GridWorld().world(), run) for run in runs} == {True, False}
print("gymnasium" in sys.modules)
"""
CODES = {
    "the catalogue": READS,
    "its page": OPENS.format(page="methods"),
    "the page of worlds": OPENS.format(page="sequential_decision_making"),
    "the examples of worlds": SHOWS_EXAMPLES,
}


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES.values(), ids=list(CODES))
def test_nothing_that_is_opened_imports_gymnasium(code):
    """Its import takes longer than all else that a page does."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"
